//! Repositories that many cases start from. Each is created once and then copied, which halves the calls of git.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use super::folder;
use super::placeholder::{self, Known};
use crate::store::tree;

/// The placeholders of the first commit and its tree.
const FIRST: [&str; 2] = ["(first head)", "(first tree)"];

/// The repositories created so far.
#[derive(Debug, Default)]
pub struct Prepared(RefCell<HashMap<String, Rc<Repository>>>);

#[derive(Debug)]
struct Repository {
    folder: TempDir,
    /// The ids of its first commit and its tree.
    first: Known,
}

impl Prepared {
    /// Copies the repository that a case starts from into `root`. Returns the ids of its first commit and tree.
    pub(super) fn put(
        &self,
        keys: &Map<String, Json>,
        root: &Path,
        aside: &[String],
    ) -> Result<Known, String> {
        if !folder::has_repository(keys) {
            return Ok(Known::new());
        }
        let said = FIRST.map(|name| placeholder::is_said(keys, name));
        let like = ["git", "branches", "committed"].map(|key| keys.get(key));
        let name = format!("{like:?} {said:?}");
        let known = self.0.borrow().get(&name).cloned();
        let repository = match known {
            Some(repository) => repository,
            None => {
                let made = Rc::new(make(keys, aside)?);
                self.0.borrow_mut().insert(name, Rc::clone(&made));
                made
            }
        };
        tree::copy(repository.folder.path(), root).map_err(|error| error.to_string())?;
        Ok(repository.first.clone())
    }
}

fn make(keys: &Map<String, Json>, aside: &[String]) -> Result<Repository, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let root = folder.path().canonicalize().map_err(|error| error.to_string())?;
    folder::repository(keys, &root)?;
    let first = placeholder::ids(keys, FIRST, &root, aside)?;
    Ok(Repository { folder, first })
}
