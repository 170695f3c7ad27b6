//! What the user has allowed of a project's content, as it was when that was decided. What is read of it later is that,
//! or nothing: neither a change nor a link that comes in between counts.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use holdpoint_core::workflow::Workflow;

use super::content::Content;
use super::fingerprint::Fingerprint;
use super::part::Part;
use crate::catalog::{self, Around, FILE_BYTES_MAX, ReadError, Unusable};
use crate::store::folder::{FileError, Folder};
use crate::store::layout;

/// The allowed parts of a project's content.
#[derive(Debug)]
pub struct AllowedContent {
    base: PathBuf,
    parts: BTreeSet<Part>,
    source: Source,
    folder: OnceCell<Folder>,
}

/// How it is known what the files were.
#[derive(Debug)]
pub(super) enum Source {
    /// They were read.
    Read(Content),
    /// They looked as they did when they were last read.
    Seen(Fingerprint),
}

impl AllowedContent {
    pub(super) fn new(base: &Path, parts: BTreeSet<Part>, source: Source) -> AllowedContent {
        AllowedContent { base: base.to_path_buf(), parts, source, folder: OnceCell::new() }
    }

    /// Returns the project's folder.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// Lists what is in the place of a file that would count, and is none.
    pub fn ignored(&self) -> &[PathBuf] {
        match &self.source {
            Source::Read(content) => &content.ignored,
            Source::Seen(fingerprint) => &fingerprint.ignored,
        }
    }

    /// Lists the project's own workflows with their folders, by name.
    pub fn workflows(&self) -> Vec<(String, PathBuf)> {
        let names: Vec<&String> = match &self.source {
            Source::Read(content) => content.files.keys().collect(),
            Source::Seen(fingerprint) => fingerprint.names.iter().collect(),
        };
        let own = names.into_iter().filter_map(|file| Part::workflow_of(file));
        let own = own.filter(|name| self.parts.contains(&Part::Workflow(name.clone())));
        own.map(|name| (name.clone(), layout::workflows(&self.base).join(name))).collect()
    }

    /// Loads one of the project's own workflows. `others` are those above all projects: its texts can name them.
    pub fn load(&self, name: &str, folder: &Path, others: &[String]) -> Result<Workflow, Unusable> {
        let read = |file: &str| self.text(&format!("workflows/{name}/{file}"));
        catalog::load_with(name, folder, &read, &Around { others, ..Around::default() })
    }

    /// Reads the project's settings. None if it has none, or they are not allowed.
    pub fn settings(&self) -> Option<Result<String, ReadError>> {
        self.parts.contains(&Part::Settings).then(|| self.text(layout::CONFIG))
    }

    /// Reads a file by its path in our folder.
    fn text(&self, file: &str) -> Result<String, ReadError> {
        let path = layout::folder(&self.base).join(file);
        let missing = || FileError::io(&path)(std::io::ErrorKind::NotFound.into());
        if !Part::of(file).is_some_and(|part| self.parts.contains(&part)) {
            return Err(missing().into());
        }
        let bytes = match &self.source {
            Source::Read(content) => content.files.get(file).cloned().ok_or_else(missing)?,
            Source::Seen(fingerprint) => self.unchanged(fingerprint, file, &path)?,
        };
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(FileError::TooLarge { path, limit: FILE_BYTES_MAX }.into());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a file, and then makes sure that it is still the one that was seen.
    fn unchanged(&self, seen: &Fingerprint, file: &str, path: &Path) -> Result<Vec<u8>, ReadError> {
        let failed = FileError::io(path);
        let folder = match self.folder.get() {
            Some(folder) => folder,
            None => {
                let opened = Folder::project(&self.base)?;
                self.folder.get_or_init(|| opened)
            }
        };
        let Some(opened) = folder.open(path)? else {
            return Err(failed(std::io::ErrorKind::NotFound.into()).into());
        };
        let mut bytes = Vec::new();
        (&opened).take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(&failed)?;
        if !seen.fits(file, &opened.metadata().map_err(&failed)?) {
            return Err(ReadError::Changed { path: path.to_path_buf() });
        }
        Ok(bytes)
    }
}
