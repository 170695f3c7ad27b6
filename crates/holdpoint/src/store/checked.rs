//! Workflows of a layer's own that were found good, so that no event pays for the check again. Only good ones are
//! remembered: whoever forges this can have a bad workflow run, as it would have without the check, and no good one refused.

use std::path::{Path, PathBuf};

use super::folder::{Access, Folder};
use super::layout;
use super::state_folder::StateFolder;

/// The most a digest can be.
const BYTES_MAX: u64 = 1024;

/// What a workflow is like, and where that is remembered.
#[derive(Debug)]
pub struct Checked {
    digest: String,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// The project and the file.
    Project(PathBuf, PathBuf),
    /// A file in the user's state folder, for workflows that are in no project.
    State(StateFolder, String),
    /// None, for a workflow that is in no place for them.
    Nowhere,
}

impl Checked {
    /// What a workflow in a folder is like: its texts, the workflows beside it, and the program that judges.
    pub fn of(
        name: &str,
        folder: &Path,
        texts: &[(String, String)],
        beside: &[String],
        state: Option<StateFolder>,
    ) -> Checked {
        let texts = texts.iter().flat_map(|(file, text)| [file.as_str(), text.as_str()]);
        let judge = [env!("CARGO_PKG_VERSION"), env!("HOLDPOINT_BUILD")];
        let parts: Vec<&str> =
            judge.into_iter().chain(texts).chain(beside.iter().map(String::as_str)).collect();
        let home = folder.parent().and_then(Path::parent).and_then(Path::parent);
        let home = home.filter(|home| layout::workflows(home).join(name) == folder);
        let file = || format!("checked/{}", layout::digest(&[&folder.to_string_lossy()]));
        let place = match (state, home) {
            (Some(state), _) => Place::State(state, file()),
            (None, Some(home)) => Place::Project(home.to_path_buf(), layout::checked(home, name)),
            (None, None) => Place::Nowhere,
        };
        Checked { digest: layout::digest(&parts), place }
    }

    /// Whether it was found good as it is.
    pub fn is_good(&self) -> bool {
        let known = match &self.place {
            Place::Project(home, file) => {
                Folder::project(home).and_then(|project| project.read(file, BYTES_MAX)).ok().flatten()
            }
            Place::State(state, file) => state.read(file),
            Place::Nowhere => None,
        };
        known.is_some_and(|known| known == self.digest.as_bytes())
    }

    /// Remembers that it is good. Where that cannot be written, it is judged again.
    pub fn remember(&self) {
        match &self.place {
            Place::Project(home, file) => {
                if let Ok(project) = layout::prepare(home, file) {
                    let _ = project.replace(file, self.digest.as_bytes(), Access::Ours);
                }
            }
            Place::State(state, file) => {
                let _ = state.write(file, self.digest.as_bytes());
            }
            Place::Nowhere => {}
        }
    }
}
