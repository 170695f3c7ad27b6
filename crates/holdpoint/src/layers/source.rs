//! One layer's files: its `holdpoint.toml`, and the folder of its workflows.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use holdpoint_core::diagnostic::Diagnostic;
use holdpoint_core::settings::{Layer, Parsed, Placed, Said, parse};
use thiserror::Error;

use super::trust::{Trust, TrustError};
use crate::allow::allowed_content::AllowedContent;
use crate::catalog::{self, ReadError};
use crate::store::layout;

/// The folder of its workflows, a folder each.
const WORKFLOWS: &str = "workflows";

/// The settings and workflows of a layer.
#[derive(Debug)]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// Its folder.
    pub folder: PathBuf,
    /// What messages call its settings.
    pub name: String,
    /// The settings' text, if there are any.
    pub text: Option<String>,
    /// Why its settings, or all of it, cannot be used.
    pub defect: Option<SourceError>,
    /// Its workflows with their folders, by name.
    pub workflows: Vec<(String, PathBuf)>,
    /// What the user has allowed, if it is a project's and that was asked.
    pub(super) content: Option<Rc<AllowedContent>>,
    parsed: Parsed,
}

/// Why a layer's settings, or all of it, cannot be used.
#[derive(Debug, Error)]
pub enum SourceError {
    /// Others than the layer could have written it.
    #[error(transparent)]
    Distrusted(#[from] TrustError),
    /// Its settings cannot be read.
    #[error("settings are not used: {0}")]
    Unreadable(#[from] ReadError),
}

impl Source {
    /// Finds a layer above the projects. None if there is no such folder, as on most machines.
    pub(super) fn find(layer: Layer, folder: PathBuf) -> Option<Source> {
        match Trust::of(layer).check(&folder) {
            Ok(()) => Some(Source::read(layer, folder).without_linked_workflows()),
            Err(error) if error.is_missing() => None,
            Err(error) => Some(Source { defect: Some(error.into()), ..Source::empty(layer, folder) }),
        }
    }

    /// Reads a project's as it is, to look at it: none of its workflows can be loaded.
    pub fn project(base: &Path) -> Source {
        Source::read(Layer::Project, layout::folder(base))
    }

    /// Takes a project's as the user has allowed it. The files are not looked at again.
    pub fn allowed(content: Rc<AllowedContent>) -> Source {
        let source = Source::empty(Layer::Project, layout::folder(content.base()));
        let source = Source { workflows: content.workflows(), ..source };
        let source = source.saying(content.settings().transpose().map_err(SourceError::from));
        Source { content: Some(content), ..source }
    }

    /// Reports a link in the place of the workflows' folder: what is behind it is nobody's workflow.
    fn without_linked_workflows(mut self) -> Source {
        let path = self.folder.join(WORKFLOWS);
        if self.defect.is_none() && path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            self.defect = Some(TrustError::NotAFolder { path }.into());
        }
        self
    }

    fn empty(layer: Layer, folder: PathBuf) -> Source {
        let name = folder.join(layout::CONFIG).display().to_string();
        let (text, defect, content) = (None, None, None);
        Source {
            layer,
            folder,
            name,
            text,
            defect,
            workflows: Vec::new(),
            content,
            parsed: Parsed::default(),
        }
    }

    fn read(layer: Layer, folder: PathBuf) -> Source {
        let settings = Trust::of(layer).read(&folder.join(layout::CONFIG));
        let workflows = catalog::folders(&folder.join(WORKFLOWS));
        Source { workflows, ..Source::empty(layer, folder) }.saying(settings)
    }

    fn saying(mut self, settings: Result<Option<String>, SourceError>) -> Source {
        match settings {
            Ok(text) => self.text = text,
            Err(error) => self.defect = Some(error),
        }
        if let Some(text) = &self.text {
            self.parsed = parse(self.layer, &self.name, text);
        }
        self
    }

    /// Returns what its settings say.
    pub(super) fn said(&self) -> Option<Said<'_>> {
        self.text.is_some().then_some(Said {
            layer: self.layer,
            file: &self.name,
            settings: &self.parsed.settings,
        })
    }

    /// Returns what is wrong with its settings alone.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.parsed.problems.iter()
    }

    /// Returns the names that must be those of workflows, and their places. A list above a project may name those of
    /// other projects.
    pub fn named(&self) -> &[Placed<String>] {
        if self.layer == Layer::Project { &self.parsed.listed } else { &self.parsed.settings.require }
    }

    /// Says what is wrong at a place of its settings.
    pub(super) fn in_words(&self, problem: &Diagnostic) -> String {
        let (line, column) = problem.position(self.text.as_deref().unwrap_or_default());
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}:{line}:{column}: {}{hint}", self.name, problem.message)
    }
}
