//! Which workflow a sealed run was begun with, and whether it is still that one.

use std::path::{Path, PathBuf};

use holdpoint_core::workflow::parse::FILE;

use super::BYTES_MAX;
use super::copy::begun_with;
use crate::catalog::Origin;
use crate::layers::Own;
use crate::store::books::Books;
use crate::store::folder::Folder;
use crate::store::layout;
use crate::store::registered::Registered;

/// Where the workflow is built in.
pub(super) const NO_FILE: &str = "none";

/// A digest of the workflow's file.
pub fn digest_of(origin: &Origin) -> String {
    let Origin::Own { folder, .. } = origin else { return NO_FILE.to_owned() };
    file_digest(folder).unwrap_or_else(|| NO_FILE.to_owned())
}

/// A digest of the file in a workflow's folder; none if it cannot be read.
fn file_digest(folder: &Path) -> Option<String> {
    let bytes = Folder::project(folder).and_then(|folder| folder.read(Path::new(FILE), BYTES_MAX));
    bytes.ok().flatten().map(|bytes| layout::content_digest(&bytes))
}

/// Which of a name's workflows a run was begun with, if one is sealed here and it is no longer that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// With the built-in one: the other came later.
    BuiltIn,
    /// With another one, or it has changed.
    Otherwise,
}

/// Whether a layer's own workflow is another than the sealed run here was begun with: whoever may write a workflow, in
/// any layer, could end any run.
pub fn changed_since(here: &Registered, own: &Own) -> Option<Begun> {
    let begun = begun_here(here, &own.name)?;
    if begun == digest_of(&own.origin()) {
        return None;
    }
    Some(if begun == NO_FILE { Begun::BuiltIn } else { Begun::Otherwise })
}

/// Whether the sealed run here was begun with a workflow of a layer's own, whatever became of that.
pub fn is_of_own(here: &Registered, workflow: &str) -> bool {
    begun_here(here, workflow).is_some_and(|begun| begun != NO_FILE)
}

/// Whether a sealed run was begun with a workflow of a layer's own that none of these folders has any more.
pub fn is_orphaned(books: &Books, workflow: &str, folders: &[PathBuf]) -> bool {
    let begun = begun_with(books, &books.seal(workflow)).ok().flatten();
    begun.is_some_and(|begun| {
        begun != NO_FILE && !folders.iter().any(|folder| file_digest(folder).as_ref() == Some(&begun))
    })
}

/// The workflow that the sealed run here was begun with.
fn begun_here(here: &Registered, workflow: &str) -> Option<String> {
    let books = here.with(workflow)?;
    begun_with(books, &books.seal(workflow)).ok()?
}
