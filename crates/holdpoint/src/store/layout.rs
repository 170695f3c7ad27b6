//! Where things are: every file of ours and its name.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Our folder in a project.
pub const FOLDER: &str = ".holdpoint";
/// The project's choices, in our folder; the one file that is meant to be kept in git beside `workflows/`.
pub const CONFIG: &str = "holdpoint.toml";

/// What git is told about our folder: it keeps the configuration and the project's own workflows, nothing else.
const GITIGNORE: &str = "*\n!.gitignore\n!holdpoint.toml\n!workflows/\n!workflows/**\n";

/// Our folder in the project at `home`.
pub fn folder(home: &Path) -> PathBuf {
    home.join(FOLDER)
}

/// The project's choices.
pub fn config(home: &Path) -> PathBuf {
    folder(home).join(CONFIG)
}

/// The project's own workflows, a folder each.
pub fn workflows(home: &Path) -> PathBuf {
    folder(home).join("workflows")
}

/// The journal.
pub fn journal(home: &Path) -> PathBuf {
    folder(home).join("journal.jsonl")
}

/// The lock of one file or one purpose.
pub fn lock(home: &Path, of: &str) -> PathBuf {
    folder(home).join("locks").join(format!("{}.lock", digest(&[of])))
}

/// What the engine remembers of a session's run.
pub fn memory(home: &Path, session: &str, workflow: &str) -> PathBuf {
    folder(home).join("sessions").join(format!("{}.json", digest(&[session, workflow])))
}

/// The marks of what has been told to a session.
pub fn told(home: &Path) -> PathBuf {
    folder(home).join("told")
}

/// A message that was too long for its answer.
pub fn message(home: &Path, text: &str) -> PathBuf {
    folder(home).join("messages").join(format!("{}.md", digest(&[text])))
}

/// Makes our folder and the folder of `file` in it, with a `.gitignore` of its own.
pub fn prepare(home: &Path, file: &Path) -> io::Result<()> {
    let ours = folder(home);
    let ignore = ours.join(".gitignore");
    if !ignore.exists() {
        std::fs::create_dir(&ours).or_else(|error| if ours.is_dir() { Ok(()) } else { Err(error) })?;
        super::atomic::create(&ignore, GITIGNORE.as_bytes()).or_else(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
        })?;
    }
    file.parent().map_or(Ok(()), std::fs::create_dir_all)
}

/// A name made of any texts that is safe as a file's name.
pub fn digest(parts: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
