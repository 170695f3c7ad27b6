//! One layer's files: its `holdpoint.toml`, and the folder of its workflows.

use std::path::{Path, PathBuf};

use holdpoint_core::diagnostic::Diagnostic;
use holdpoint_core::settings::{Layer, Parsed, Placed, Said, parse};

use super::trust::{Trust, TrustError};
use crate::catalog;
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
    pub defect: Option<TrustError>,
    parsed: Parsed,
}

impl Source {
    /// Finds a layer above the projects. None if there is no such folder, as on most machines.
    pub(super) fn find(layer: Layer, folder: PathBuf) -> Option<Source> {
        let trust = Trust::of(layer);
        match trust.check(&folder) {
            Ok(()) => Some(Source::read(layer, folder).without_linked_workflows()),
            Err(error) if error.is_missing() => None,
            Err(error) => Some(Source { defect: Some(error), ..Source::empty(layer, folder) }),
        }
    }

    /// Reads a project's.
    pub(super) fn project(base: &Path) -> Source {
        Source::read(Layer::Project, layout::folder(base))
    }

    /// Reports a link in the place of the workflows' folder: what is behind it is nobody's workflow.
    fn without_linked_workflows(mut self) -> Source {
        let path = self.folder.join(WORKFLOWS);
        if self.defect.is_none() && path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            self.defect = Some(TrustError::NotAFolder { path });
        }
        self
    }

    fn empty(layer: Layer, folder: PathBuf) -> Source {
        let name = folder.join(layout::CONFIG).display().to_string();
        Source { layer, folder, name, text: None, defect: None, parsed: Parsed::default() }
    }

    fn read(layer: Layer, folder: PathBuf) -> Source {
        let mut source = Source::empty(layer, folder);
        match Trust::of(layer).read(&source.folder.join(layout::CONFIG)) {
            Ok(text) => source.text = text,
            Err(error) => source.defect = Some(error),
        }
        if let Some(text) = &source.text {
            source.parsed = parse(layer, &source.name, text);
        }
        source
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
    pub(super) fn told(&self, problem: &Diagnostic) -> String {
        let (line, column) = problem.position(self.text.as_deref().unwrap_or_default());
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        format!("{}:{line}:{column}: {}{hint}", self.name, problem.message)
    }

    /// Lists its workflows, by name. A folder that cannot be trusted has none.
    pub fn workflows(&self) -> Vec<(String, PathBuf)> {
        let is_used = self.defect.as_ref().is_none_or(|defect| !defect.is_about(&self.folder));
        if is_used { catalog::folders(&self.folder.join(WORKFLOWS)) } else { Vec::new() }
    }
}
