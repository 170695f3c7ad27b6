//! Reviews that were due in the runs of a workflow whose state is the user's to edit, and that Holdpoint has not performed.
//! One file for each home and workflow, in the state folder.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::folder::FileError;
use super::state_folder::StateFolder;
use super::{layout, lock};

/// The folder.
const FOLDER: &str = "owed";
/// How many runs are remembered.
const RUNS_MAX: usize = 64;

/// Whose part a review is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Holdpoint performs it.
    Engine,
    /// The agent has it done, in view of the user.
    Agent,
}

/// The reviews of one run, by their phases.
pub type Reviews = BTreeMap<String, Part>;

/// The reviews that are owed, by the place of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Owed(pub BTreeMap<String, Reviews>);

fn file(home: &Path, workflow: &str) -> String {
    format!("{FOLDER}/{}", layout::digest(&[&home.to_string_lossy(), workflow]))
}

impl Owed {
    /// What is owed in a home by the runs of a workflow.
    pub fn of(folder: &StateFolder, home: &Path, workflow: &str) -> Owed {
        let kept = Some(folder).filter(|folder| folder.has_folder(FOLDER));
        let kept = kept.and_then(|folder| folder.read(&file(home, workflow)));
        kept.and_then(|kept| serde_json::from_slice(&kept).ok()).unwrap_or_default()
    }

    /// The reviews of the run at a place.
    pub fn at(&self, place: &Path) -> Reviews {
        self.0.get(&*place.to_string_lossy()).cloned().unwrap_or_default()
    }

    /// Changes what the run at a place owes, and keeps it. Runs side by side have one file: it is locked, if there is
    /// something to change.
    pub fn change(
        folder: &StateFolder,
        home: &Path,
        workflow: &str,
        place: &Path,
        change: impl Fn(&mut Reviews),
    ) -> Result<(), StoreError> {
        if Owed::of(folder, home, workflow).changed(place, &change).is_none() {
            return Ok(());
        }
        let name = file(home, workflow);
        let (locks, at) = folder.folder(FOLDER)?;
        let _lock =
            lock::take(&locks, &at.join(format!("{}.lock", layout::digest(&[&name]))), lock::PATIENCE)?;
        if let Some(owed) = Owed::of(folder, home, workflow).changed(place, &change) {
            folder.write(&name, &serde_json::to_vec(&owed)?).map_err(FileError::io(Path::new(&name)))?;
        }
        Ok(())
    }

    /// The same after a change to what the run at a place owes; none if it changes nothing.
    fn changed(&self, place: &Path, change: impl Fn(&mut Reviews)) -> Option<Owed> {
        let mut owed = self.clone();
        let key = place.to_string_lossy().into_owned();
        let reviews = owed.0.entry(key.clone()).or_default();
        change(reviews);
        if reviews.is_empty() {
            owed.0.remove(&key);
        }
        while owed.0.len() > RUNS_MAX {
            owed.0.pop_first();
        }
        (owed != *self).then_some(owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;
    use crate::env_vars::HOME;

    #[test]
    fn what_is_owed_is_kept_until_it_is_done() {
        let home = tempfile::tempdir().unwrap();
        let variables = [(HOME.to_owned(), home.path().display().to_string())].into();
        let env = FixedEnv { variables, now: None };
        let folder = StateFolder::of(&env).unwrap();
        let (project, place) = (Path::new("/p"), Path::new("/p/plans/a"));
        let change =
            |change: &dyn Fn(&mut Reviews)| Owed::change(&folder, project, "flow", place, change).unwrap();
        assert!(Owed::of(&folder, project, "flow").at(place).is_empty());
        change(&|reviews| {
            reviews.insert("review".into(), Part::Engine);
        });
        assert_eq!(Owed::of(&folder, project, "flow").at(place)["review"], Part::Engine);
        assert!(Owed::of(&folder, project, "other").0.is_empty());
        // Many at once: nobody's change is lost.
        let add = |number: usize| {
            let place = Path::new("/p/plans").join(number.to_string());
            let insert = |reviews: &mut Reviews| {
                reviews.insert("review".into(), Part::Agent);
            };
            Owed::change(&StateFolder::of(&env).unwrap(), project, "flow", &place, insert).unwrap();
        };
        let add = &add;
        std::thread::scope(|scope| (0..16).for_each(|number| drop(scope.spawn(move || add(number)))));
        assert_eq!(Owed::of(&folder, project, "flow").0.len(), 17);
        for number in 0..16 {
            let place = Path::new("/p/plans").join(number.to_string());
            Owed::change(&folder, project, "flow", &place, Reviews::clear).unwrap();
        }
        change(&|reviews| reviews.clear());
        assert!(Owed::of(&folder, project, "flow").0.is_empty());
    }
}
