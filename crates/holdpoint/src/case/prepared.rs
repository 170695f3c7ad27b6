//! Repositories that many cases start from. Each is created once and then copied, which halves the calls of git.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use super::error::CaseError;
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
    /// The ids of its first commit and that commit's tree.
    first: Known,
}

impl Prepared {
    /// Copies the repository that a case starts from into `root`. Returns the ids of its first commit and tree.
    pub(super) fn put(
        &self,
        keys: &Map<String, Json>,
        root: &Path,
        aside: &[String],
    ) -> Result<Known, CaseError> {
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
        tree::copy(repository.folder.path(), root)?;
        Ok(repository.first.clone())
    }
}

fn make(keys: &Map<String, Json>, aside: &[String]) -> Result<Repository, CaseError> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    folder::repository(keys, &root)?;
    let first = placeholder::ids(keys, FIRST, &root, aside)?;
    Ok(Repository { folder, first })
}
