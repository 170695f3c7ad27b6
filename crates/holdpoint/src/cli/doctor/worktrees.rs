//! Checks that linked working trees have the settings that call the hooks: a client reads those of the tree it works in.

use std::path::{Path, PathBuf};

use super::finding::Finding;
use crate::git::folders::GitFolders;
use crate::install::host::quoted;
use crate::install::record::{Part, Record};

/// How many working trees are named.
const NAMED_MAX: usize = 3;

/// Notes the linked working trees that lack settings which this one has.
pub(super) fn check(root: &Path, records: &[Record], findings: &mut Vec<Finding>) {
    let files = records.iter().flat_map(|record| &record.files).filter(|kept| kept.part == Part::Hooks);
    let files = files.map(|kept| kept.path.as_str()).filter(|path| root.join(path).is_file());
    let files: Vec<&str> = files.filter(|path| Path::new(path).is_relative()).collect();
    for tree in trees(root).into_iter().take(NAMED_MAX) {
        let Some(file) = files.iter().find(|file| !tree.join(file).is_file()) else { continue };
        let what = format!("agents in the working tree {} are not held: it has no {file}", tree.display());
        // What is the user's own is in no commit.
        let remedy = if file.contains(".local.") {
            format!("cd {} && holdpoint init --local", quoted(&tree.to_string_lossy()))
        } else {
            format!("commit it, and bring the commit there: git add {file}")
        };
        findings.push(Finding::note(what, remedy));
    }
}

/// Lists the linked working trees of the repository whose main one this is.
fn trees(root: &Path) -> Vec<PathBuf> {
    let Some(git) = GitFolders::at(root).filter(GitFolders::is_within) else { return Vec::new() };
    let entries = std::fs::read_dir(git.common().join("worktrees")).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("gitdir")).ok());
    let trees = named.filter_map(|file| Some(Path::new(file.trim_end()).parent()?.to_path_buf()));
    trees.filter(|tree| tree.is_dir()).collect()
}
