//! Prints a demo to the terminal: each act, the decision, the messages, and what was proved.

use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value as Json};

use crate::cli::phrase;
use crate::demo::{Act, Expect, Proved, Scene, Script};
use crate::store::books::Books;
use crate::store::journal::{self, Decision};
use crate::ui::{Style, Ui};

/// The most lines shown of a message.
const SAID_LINES_MAX: usize = 5;
/// The most state fields shown.
const FIELDS_MAX: usize = 5;
/// The width of the column of decisions and reviewers, with what is left of it.
const MARGIN: usize = 14;
/// The short name of the project's folder in the output.
const PROJECT: &str = "$PROJECT";

/// The printer of a demo. It prints each scene as it happens.
pub(super) struct Printer {
    ui: Ui,
    root: String,
    started: Instant,
    scenes: usize,
    /// The state fields printed so far.
    state: Map<String, Json>,
}

impl Printer {
    pub(super) fn new(ui: Ui, root: &Path) -> Printer {
        let root = root.to_string_lossy().into_owned();
        Printer { ui, root, started: Instant::now(), scenes: 0, state: Map::new() }
    }

    /// Prints the introduction.
    pub(super) fn open(&self, name: &str, script: &Script, client: Option<&str>) {
        self.ui.line(format!("{}: {}", self.ui.paint(Style::Bold, name), script.about));
        match client {
            None => self.dim(
                "The agent and its reviewers are scripted. The hook calls, the files and git are real, in",
            ),
            Some(version) => self.dim(&format!(
                "The model and the reviewers are scripted. The agent, its hook calls, the files and git are real: \
                 {version}, in"
            )),
        }
        self.dim(&format!("{PROJECT} = {}", self.root));
    }

    /// Prints one scene, in the order of events.
    pub(super) fn scene(&mut self, scene: &Scene) {
        self.scenes += 1;
        self.ui.line(format!("\n{:>2}. {}", self.scenes, scene.does));
        for line in self.short(&scene.act.shown()).lines() {
            self.ui.line(format!("    {}", self.ui.paint(Style::Cyan, line)));
        }
        for review in &scene.reviews {
            self.row(Style::Bold, "reviewer", &self.folded(&self.short(review)));
        }
        self.decision(scene);
        let changed: Map<String, Json> = scene
            .sets
            .iter()
            .filter(|(field, value)| self.state.get(*field) != Some(*value))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        if !changed.is_empty() {
            self.row(Style::Bold, "state", &self.folded(&self.short(&fields(&changed))));
        }
        self.state.extend(changed);
    }

    fn decision(&self, scene: &Scene) {
        let (style, word) = match scene.got {
            Expect::Hold => (Style::Red, "HELD"),
            Expect::Warn | Expect::Pass if matches!(scene.act, Act::Stop(_)) => (Style::Green, "RELEASED"),
            Expect::Warn => (Style::Yellow, "WARNED"),
            Expect::Pass => (Style::Green, "passed"),
        };
        let said = self.short(&scene.said);
        let mut lines: Vec<String> =
            said.lines().filter(|line| !line.trim().is_empty()).flat_map(|line| self.folded(line)).collect();
        let more = lines.len().saturating_sub(SAID_LINES_MAX);
        if more > 1 {
            lines.truncate(SAID_LINES_MAX);
            lines.push(format!("… ({} more)", phrase::counted(more, "line")));
        }
        self.row(style, word, &lines);
    }

    /// Prints a word with lines next to it.
    fn row(&self, style: Style, word: &str, lines: &[String]) {
        let gap = " ".repeat(9_usize.saturating_sub(word.chars().count()));
        let mut word = format!("{}{gap}", self.ui.paint(style, word));
        for line in lines.iter().map(String::as_str).chain(lines.is_empty().then_some("")) {
            self.ui.line(format!("    {word} {line}").trim_end());
            word = " ".repeat(9);
        }
    }

    /// Prints the proofs and the counts of the journal.
    pub(super) fn close(&self, proved: &[Proved], books: &Books) {
        self.ui.line(format!("\n{}", self.ui.paint(Style::Bold, "What was proved")));
        for Proved { that, run } in proved {
            self.ui.line(format!("  {} {that}", self.ui.paint(Style::Green, "✓")));
            self.dim(&format!("    $ {}", self.short(run)));
        }
        let mut entries = journal::read(books);
        entries.retain(|entry| entry.kind.is_event());
        let count = |decision: Decision| entries.iter().filter(|entry| entry.decision == decision).count();
        // A Stop with a review takes as long as its reviewer, which says nothing about the cost of a hook.
        let hooks = entries.iter().filter(|entry| entry.reviews.is_empty() && entry.event != "command");
        let mut micros: Vec<u64> = hooks.map(|entry| entry.took_us).collect();
        micros.sort_unstable();
        let median = micros.get(micros.len() / 2).copied().unwrap_or_default();
        self.ui.line(format!(
            "\n{}: {}, {}, {}.",
            phrase::counted(entries.len(), "event"),
            phrase::counted(count(Decision::Hold), "hold"),
            phrase::counted(count(Decision::Witness), "message"),
            phrase::counted(count(Decision::Fault), "fault"),
        ));
        self.ui.line(format!(
            "The median hook call took {median} µs; the whole demo took {:.1} s.",
            self.started.elapsed().as_secs_f32()
        ));
    }

    fn dim(&self, text: &str) {
        self.ui.line(self.ui.paint(Style::Dim, text));
    }

    /// Folds a line into the column of texts.
    fn folded(&self, line: &str) -> Vec<String> {
        self.ui.folded(line.trim_end(), self.ui.width() - MARGIN)
    }

    /// Replaces the project's folder by its short name.
    fn short(&self, text: &str) -> String {
        text.replace(&self.root, PROJECT)
    }
}

/// Renders state fields in one line.
fn fields(fields: &Map<String, Json>) -> String {
    let shown = fields.iter().take(FIELDS_MAX).map(|(field, value)| format!("{field} = {value}"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match fields.len().saturating_sub(FIELDS_MAX) {
        0 => shown,
        more => format!("{shown}, and {}", phrase::counted(more, "more field")),
    }
}
