//! What has changed in a project's content since the user last allowed it.

use std::collections::BTreeMap;

use similar::TextDiff;

use crate::allow::Allowance;
use crate::allow::identity::Identity;
use crate::allow::survey::Survey;
use crate::cli::phrase::printable;
use crate::ui::{Style, Ui};

/// Shows a unified diff against the texts that were allowed last, if any were.
pub(super) fn show(ui: &Ui, survey: &Survey, allowance: &Allowance<'_>) {
    let project = Identity::of(&survey.root);
    let before = project.and_then(|project| project.ids().find_map(|id| allowance.registry().latest(&id)));
    let Some(before) = before else { return };
    ui.whole_line("\nChanged since you last allowed it");
    for line in diff(&before, &survey.content.texts()) {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::Green,
            Some(b'-') => Style::Red,
            _ => Style::Dim,
        };
        ui.whole_line(format!("  {}", ui.paint(style, printable(&line))));
    }
}

fn diff(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    let mut lines = Vec::new();
    for path in paths {
        let text = |texts: &'_ BTreeMap<String, String>| texts.get(path).cloned().unwrap_or_default();
        let (old, new) = (text(before), text(after));
        if old != new {
            let diff = TextDiff::from_lines(&old, &new);
            let text = diff.unified_diff().context_radius(2).header(path, path).to_string();
            lines.extend(text.lines().map(str::to_owned));
        }
    }
    lines
}
