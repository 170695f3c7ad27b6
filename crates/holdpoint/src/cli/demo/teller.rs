//! Telling a demonstration in the terminal: what was done, what came of it, what was said, and what it proved.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value as Json};

use crate::cli::phrase;
use crate::demo::{Act, Expect, Proved, Scene, Script};
use crate::store::journal::{self, Decision};
use crate::ui::{Style, Ui};

/// How many lines are shown of what was said.
const SAID_LINES_MAX: usize = 5;
/// How many state fields are shown.
const FIELDS_MAX: usize = 5;
/// Where a line is broken.
const WIDTH: usize = 100;
/// What stands for the project's folder in what is shown.
const PROJECT: &str = "$PROJECT";

/// Tells what happens as it happens.
pub(super) struct Teller {
    ui: Ui,
    root: String,
    started: Instant,
    scenes: usize,
    /// The state as far as it was told.
    state: Map<String, Json>,
}

impl Teller {
    pub(super) fn new(ui: Ui, root: &Path) -> Teller {
        let root = root.to_string_lossy().into_owned();
        Teller { ui, root, started: Instant::now(), scenes: 0, state: Map::new() }
    }

    /// What is going to be shown.
    pub(super) fn open(&self, name: &str, script: &Script, client: Option<&str>) {
        self.ui.line(format!("{}: {}", self.ui.paint(Style::Bold, name), script.about));
        match client {
            None => self.dim(
                "The agent and its reviewers are scripted. The hook calls, the files and git are real, in",
            ),
            Some(version) => {
                self.dim("The model and the reviewers are scripted. The agent, its hook calls, the files and git are");
                self.dim(&format!("real: {version}, in"));
            }
        }
        self.dim(&format!("{PROJECT} = {}", self.root));
    }

    /// One scene, in the order it happened.
    pub(super) fn scene(&mut self, scene: &Scene) {
        self.scenes += 1;
        self.ui.line(format!("\n{:>2}. {}", self.scenes, scene.does));
        for line in self.short(&scene.act.shown()).lines() {
            self.ui.line(format!("    {}", self.ui.paint(Style::Cyan, line)));
        }
        for review in &scene.reviews {
            self.row(Style::Bold, "reviewer", &wrapped(&self.short(review)));
        }
        self.outcome(scene);
        let changed: Map<String, Json> = scene
            .sets
            .iter()
            .filter(|(field, value)| self.state.get(*field) != Some(*value))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        if !changed.is_empty() {
            self.row(Style::Bold, "state", &wrapped(&self.short(&fields(&changed))));
        }
        self.state.extend(changed);
    }

    fn outcome(&self, scene: &Scene) {
        let (style, word) = match scene.got {
            Expect::Hold => (Style::Red, "HELD"),
            Expect::Warn | Expect::Pass if matches!(scene.act, Act::Stop(_)) => (Style::Green, "RELEASED"),
            Expect::Warn => (Style::Yellow, "WARNED"),
            Expect::Pass => (Style::Green, "passed"),
        };
        let said = self.short(&scene.said);
        let mut lines: Vec<String> =
            said.lines().filter(|line| !line.trim().is_empty()).flat_map(wrapped).collect();
        let more = lines.len().saturating_sub(SAID_LINES_MAX);
        if more > 1 {
            lines.truncate(SAID_LINES_MAX);
            lines.push(format!("… ({} more)", phrase::counted(more, "line")));
        }
        self.row(style, word, &lines);
    }

    /// A word, and lines beside it.
    fn row(&self, style: Style, word: &str, lines: &[String]) {
        let mut word = self.ui.paint(style, format!("{word:<9}"));
        for line in lines.iter().map(String::as_str).chain(lines.is_empty().then_some("")) {
            self.ui.line(format!("    {word} {line}").trim_end());
            word = " ".repeat(9);
        }
    }

    /// What was proved: by commands, and by the journal's own count.
    pub(super) fn close(&self, proved: &[Proved], root: &Path) {
        self.ui.line(format!("\n{}", self.ui.paint(Style::Bold, "What was proved")));
        for Proved { that, run } in proved {
            self.ui.line(format!("  {} {that}", self.ui.paint(Style::Green, "✓")));
            self.dim(&format!("    $ {}", self.short(run)));
        }
        let entries = journal::read(root);
        let count = |decision: Decision| entries.iter().filter(|entry| entry.decision == decision).count();
        // A Stop with a review lasts as long as its reviewer: that is not what a hook costs.
        let hooks = entries.iter().filter(|entry| entry.reviews.is_empty() && entry.event != "command");
        let mut micros: Vec<u64> = hooks.map(|entry| entry.took_us).collect();
        micros.sort_unstable();
        let median = micros.get(micros.len() / 2).copied().unwrap_or_default();
        self.ui.line(format!(
            "\nThe journal has {} events: {} held, {} told something, {} faults.",
            entries.len(),
            count(Decision::Hold),
            count(Decision::Witness),
            count(Decision::Fault),
        ));
        self.ui.line(format!(
            "Half of the hook calls took {median} µs or less; all of this took {:.1} s.",
            self.started.elapsed().as_secs_f32()
        ));
    }

    fn dim(&self, text: &str) {
        self.ui.line(self.ui.paint(Style::Dim, text));
    }

    /// A text with the project's folder by its short name.
    fn short(&self, text: &str) -> String {
        text.replace(&self.root, PROJECT)
    }
}

/// State fields in a line.
fn fields(fields: &Map<String, Json>) -> String {
    let shown = fields.iter().take(FIELDS_MAX).map(|(field, value)| format!("{field} = {value}"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match fields.len().saturating_sub(FIELDS_MAX) {
        0 => shown,
        more => format!("{shown}, and {}", phrase::counted(more, "more field")),
    }
}

/// A line, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.trim_end().split(' ') {
        let line = lines.last().map_or("", String::as_str);
        let fits = line.chars().count() + 1 + word.chars().count() <= WIDTH;
        let is_first = line.is_empty() && lines.len() == 1;
        match lines.last_mut() {
            Some(line) if is_first => line.push_str(word),
            Some(line) if fits => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
