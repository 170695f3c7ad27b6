//! A copy of a tree in a folder of Holdpoint's own, kept from one time to the next: files that have not changed keep their
//! times, so that builds in it stay incremental.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::doubt::doubtful;
use super::entries::{self, Entry};
use super::error::TreeError;
use super::id;
use super::index::ended;
use super::repository::Repository;
use crate::env::Env;
use crate::git::folders::to_path;

/// A folder with a tree's files in it.
#[derive(Debug)]
pub struct Copy {
    repository: Repository,
    folder: PathBuf,
    index: PathBuf,
}

impl Copy {
    /// The copy in `folder` of trees of the repository at `root`, with its index at `index`.
    pub fn at(root: &Path, folder: &Path, index: &Path, env: &dyn Env) -> Result<Copy, TreeError> {
        let repository = Repository::at(root, env)?;
        Ok(Copy { repository, folder: folder.to_path_buf(), index: index.to_path_buf() })
    }

    /// Makes the folder exactly this tree, but for what `is_kept` says of paths that the tree does not have.
    pub fn lay(&self, tree: &str, is_kept: &dyn Fn(&str) -> Kept) -> Result<(), TreeError> {
        let tree = id(tree)?;
        // What only looks unchanged is written again.
        if self.forget_doubtful().and_then(|()| self.update(tree)).is_err() {
            // An index that cannot be used costs no more than writing all files.
            let _ = std::fs::remove_file(&self.index);
            self.update(tree)?;
        }
        remove(&self.folder.join(".git"))?;
        for path in self.others(&[])? {
            self.sweep(&path, is_kept)?;
        }
        let differing = self.differing(is_kept)?;
        if differing.is_empty() { Ok(()) } else { Err(TreeError::Unsteady { paths: differing }) }
    }

    /// Returns the paths that are not as the tree has them, or were written since it was laid, even if they are as they were;
    /// and those that the tree neither has nor ignores, and that are not kept.
    pub fn differing(&self, is_kept: &dyn Fn(&str) -> Kept) -> Result<Vec<String>, TreeError> {
        let printed = self.call("diff-files", &["--name-only", "-z", "--ignore-submodules=all"]).printed()?;
        let mut found: Vec<String> = names(&printed).collect();
        let entries = self.entries()?;
        let doubtful = doubtful(&entries, &self.folder, 0)?;
        found.extend(doubtful.iter().map(|entry| String::from_utf8_lossy(&entry.path).into_owned()));
        let others = self.others(&["--exclude-standard"])?;
        let others = others.iter().map(|path| String::from_utf8_lossy(path).into_owned());
        found.extend(others.filter(|path| is_kept(path) == Kept::No));
        if self.folder.join(".git").symlink_metadata().is_ok() {
            found.push(".git".to_owned());
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn update(&self, tree: &str) -> Result<(), TreeError> {
        self.call("read-tree", &["--reset", "-u", tree]).printed()?;
        Ok(())
    }

    fn forget_doubtful(&self) -> Result<(), TreeError> {
        let entries = self.entries()?;
        let lines: Vec<Vec<u8>> =
            doubtful(&entries, &self.folder, 0)?.iter().map(|entry| entry.line()).collect();
        if !lines.is_empty() {
            self.call("update-index", &["-z", "--index-info"]).input(ended(&lines)).printed()?;
        }
        Ok(())
    }

    /// What is in the folder and not in the tree; a folder ends with a slash.
    fn others(&self, options: &[&str]) -> Result<Vec<Vec<u8>>, TreeError> {
        let ignored = self.repository.ignored_by_user()?;
        let args = [&["--others", "--directory", "-z"], options].concat();
        let call = Call::with(&self.repository, &ignored, "ls-files", &args).index(&self.index);
        let printed = call.working_tree(&self.folder).printed()?;
        Ok(printed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
    }

    /// Removes what is not kept.
    fn sweep(&self, path: &[u8], is_kept: &dyn Fn(&str) -> Kept) -> Result<(), TreeError> {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let place = self.folder.join(to_path(path));
        match is_kept(&String::from_utf8_lossy(path)) {
            Kept::Yes => Ok(()),
            Kept::No => remove(&place),
            Kept::Within => {
                let because = |source| TreeError::Io { path: place.clone(), source };
                for entry in place.read_dir().map_err(because)? {
                    let name = entry.map_err(because)?.file_name();
                    self.sweep(&[path, b"/", name.as_encoded_bytes()].concat(), is_kept)?;
                }
                Ok(())
            }
        }
    }

    /// Returns those of these files that git would store with other bytes than they have: by a filter, or a rule for line
    /// ends.
    pub fn filtered(&self, tree: &str, files: &[String]) -> Result<Vec<String>, TreeError> {
        let listed = self.call("ls-tree", &["-r", "-z", id(tree)?]).printed()?;
        let raw = listed.split(|byte| *byte == 0).filter_map(|line| {
            let (about, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
            let id = about.strip_prefix("100").and_then(|about| about.split(' ').nth(2))?;
            let is_plain = !path.contains(['\n', '"']);
            (is_plain && files.iter().any(|file| file == path)).then_some((path, id))
        });
        let raw: Vec<(&str, &str)> = raw.collect();
        let input: String = raw.iter().map(|(path, _)| format!("{path}\n")).collect();
        let call = Call::users(&self.repository, "hash-object", &["--stdin-paths"]);
        let call = call.git_folder(&self.repository.git).working_tree(&self.folder);
        let printed = call.input(input.into_bytes()).printed()?;
        let stored = String::from_utf8_lossy(&printed);
        let differing = raw.iter().zip(stored.lines()).filter(|((_, id), stored)| id != stored);
        Ok(differing.map(|((path, _), _)| (*path).to_owned()).collect())
    }

    /// Copies the objects that a tree has and the last commit does not into the user's repository.
    pub fn hand_over(&self, tree: &str, base: Option<&str>) -> Result<(), TreeError> {
        let without = base.map(|base| id(base).map(|base| format!("^{base}\n"))).transpose()?;
        let wanted = format!("{}\n{}", id(tree)?, without.unwrap_or_default());
        let packed = self.call("pack-objects", &["--revs", "--stdout", "--quiet"]).input(wanted.into_bytes());
        let packed = packed.printed()?;
        Call::users(&self.repository, "unpack-objects", &["-q"]).input(packed).printed()?;
        Ok(())
    }

    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        match std::fs::read(&self.index) {
            Ok(file) => entries::read(&file).ok_or(TreeError::IndexFormat),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(TreeError::ReadIndex { source }),
        }
    }

    fn call(&self, name: &'static str, args: &[&str]) -> Call {
        Call::new(&self.repository, name, args).index(&self.index).working_tree(&self.folder)
    }
}

/// What becomes of a path that the tree does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It stays.
    Yes,
    /// Something in it stays.
    Within,
    /// It goes.
    No,
}

/// Removes a file, a link, or a folder with all that is in it.
fn remove(path: &Path) -> Result<(), TreeError> {
    let removed = match path.symlink_metadata() {
        Ok(there) if there.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|source| TreeError::Io { path: path.to_path_buf(), source })
}

fn names(printed: &[u8]) -> impl Iterator<Item = String> {
    let names = printed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned())
}
