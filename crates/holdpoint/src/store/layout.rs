//! Where things are: every file of ours and its name.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use holdpoint_core::digest::sha256 as content_digest;

use super::folder::{Access, FileError, Folder, Kind};

/// Our folder in a project.
pub const FOLDER: &str = ".holdpoint";
/// The project's choices, in our folder; the one file that is meant to be kept in git beside `workflows/`.
pub const CONFIG: &str = "holdpoint.toml";

/// The project's choices, below its folder.
pub const CONFIG_BELOW: &str = ".holdpoint/holdpoint.toml";
/// What keeps our folder out of git, below the project's folder.
const IGNORE_BELOW: &str = ".holdpoint/.gitignore";
/// The project's own workflows, below its folder.
pub const WORKFLOWS_BELOW: &str = ".holdpoint/workflows";

/// Where temporary files are in a project: below our folder, so that one a killed process leaves is nobody's change.
pub const TEMPORARY: &str = ".holdpoint/tmp";

/// How long files about sessions are kept.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// How many files of a folder are looked at to clear it: what is left then goes another time.
const LOOKED_AT_MAX: usize = 10_000;

/// What git is told about our folder: it keeps the configuration and the project's own workflows, nothing else.
const GITIGNORE: &str = "*\n!.gitignore\n!holdpoint.toml\n!workflows/\n!workflows/**\n";

/// Our folder in the project at `home`.
pub fn folder(home: &Path) -> PathBuf {
    home.join(FOLDER)
}

/// The project's choices.
pub fn config(home: &Path) -> PathBuf {
    home.join(CONFIG_BELOW)
}

/// The project's own workflows, a folder each.
pub fn workflows(home: &Path) -> PathBuf {
    home.join(WORKFLOWS_BELOW)
}

/// What keeps our folder out of git.
pub fn ignore(home: &Path) -> PathBuf {
    home.join(IGNORE_BELOW)
}

/// What a place in the project is called: the same whatever way leads to the project, as a link may be one.
pub fn name(home: &Path, place: &Path) -> String {
    match place.strip_prefix(home) {
        Ok(below) => format!("./{}", below.display()),
        Err(_) => place.display().to_string(),
    }
}

/// The lock of one place, by its name, or of one purpose.
pub fn lock(home: &Path, of: &str) -> PathBuf {
    folder(home).join("locks").join(format!("{}.lock", digest(&[of])))
}

/// What a workflow of the project's own was like when it was last found good.
pub fn checked(home: &Path, workflow: &str) -> PathBuf {
    folder(home).join("checked").join(workflow)
}

/// All that a check printed.
pub fn log(home: &Path, name: &str) -> PathBuf {
    folder(home).join("logs").join(format!("{name}.log"))
}

/// The project's files as they were when runs were made, a folder a run.
pub fn kept(home: &Path) -> PathBuf {
    folder(home).join("kept")
}

/// What was in the way and was not ours to delete.
pub fn aside(home: &Path) -> PathBuf {
    folder(home).join("aside")
}

/// What git writes for us.
pub fn git(home: &Path) -> PathBuf {
    folder(home).join("git")
}

/// Copies of trees that are proved, where there is no state folder for them.
pub fn bench(home: &Path) -> PathBuf {
    folder(home).join("bench")
}

/// What a reviewer is handed: the difference as text, and a list of its files.
pub fn change(home: &Path) -> [PathBuf; 2] {
    ["change.diff", "changed.json"].map(|name| folder(home).join(name))
}

/// A message that was too long for its answer.
pub fn message(home: &Path, text: &str) -> PathBuf {
    folder(home).join("messages").join(format!("{}.md", digest(&[text])))
}

/// Opens the project, with our folder, its `.gitignore` and the folder of `file` made.
pub fn prepare(home: &Path, file: &Path) -> Result<Folder, FileError> {
    let project = Folder::project(home)?;
    let ignore = Path::new(IGNORE_BELOW);
    match project.find(ignore)?.map(|found| found.kind) {
        Some(Kind::File) => {}
        // Git reads it, and would wait for a pipe.
        Some(_) => return Err(FileError::NotAFile { path: home.join(ignore) }),
        None => {
            project.make_folder(Path::new(FOLDER), Access::Ours)?;
            match project.create(ignore, GITIGNORE.as_bytes(), Access::Users) {
                Err(error) if !error.is_taken() => return Err(error),
                _ => {}
            }
        }
    }
    let below = file.strip_prefix(home).unwrap_or(file);
    if below.parent() != Some(Path::new(FOLDER)) {
        // A project's own workflows are meant to be read by everybody.
        let access = if below.starts_with(WORKFLOWS_BELOW) { Access::Users } else { Access::Ours };
        project.make_folder_of(below, access)?;
    }
    Ok(project)
}

/// A name made of any texts that is safe as a file's name.
pub fn digest(parts: &[&str]) -> String {
    // FNV-1a: two versions of the program must agree on the name of a lock, so no hash that may change.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0xff])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Clears a folder of ours of files that nobody has touched for a week.
pub fn clear_old(project: &Folder, folder: &Path) {
    clear_old_unless(project, folder, |_| false);
}

/// The same, but for those that are still needed.
pub fn clear_old_unless(project: &Folder, folder: &Path, is_needed: impl Fn(&Path) -> bool) {
    let old = |modified: SystemTime| modified.elapsed().is_ok_and(|age| age > KEPT);
    for (name, found) in project.entries(folder, LOOKED_AT_MAX).unwrap_or_default() {
        if found.kind == Kind::File && old(found.modified) && !is_needed(&name) {
            let _ = project.remove(&folder.join(name));
        }
    }
}

/// Clears the folder that a file of ours is in.
pub fn clear_old_beside(project: &Folder, file: &Path) {
    if let Some(folder) = file.parent() {
        clear_old(project, folder);
    }
}
