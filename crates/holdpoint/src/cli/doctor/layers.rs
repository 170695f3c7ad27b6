//! The layers of settings and workflows that count here, and what each keeps the layers below from changing.

use serde::Serialize;

use crate::cli::Context;
use crate::layers::{Layers, Source};
use crate::project::Found;

/// The report about one layer.
#[derive(Debug, Serialize)]
pub(super) struct LayerReport {
    /// `organisation`, `user` or `project`.
    pub(super) layer: &'static str,
    pub(super) folder: String,
    /// Whether there is a `holdpoint.toml`.
    pub(super) has_settings: bool,
    /// Its own workflows.
    pub(super) workflows: Vec<String>,
    /// What it fixes for the layers below.
    pub(super) fixed: Vec<String>,
}

/// Returns the layers that have something to say.
pub(super) fn look(context: &Context, found: &Found) -> Vec<LayerReport> {
    let project = found.configuration.content.clone().map(Source::allowed);
    let (sources, _) = Layers::of(context.env.as_ref()).sources(project);
    let fixed = found.configuration.effective.fixed();
    let report = |source: &Source| LayerReport {
        layer: source.layer.word(),
        folder: source.folder.display().to_string(),
        has_settings: source.text.is_some(),
        workflows: source.workflows.iter().map(|(name, _)| name.clone()).collect(),
        fixed: fixed
            .iter()
            .filter(|(layer, _)| *layer == source.layer)
            .map(|(_, what)| what.clone())
            .collect(),
    };
    let mut reports: Vec<LayerReport> = sources.iter().map(report).collect();
    reports.retain(|report| report.has_settings || !report.workflows.is_empty());
    reports
}
