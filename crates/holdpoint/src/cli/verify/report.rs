//! What `holdpoint verify` says about one commit.

use holdpoint_core::secret;
use holdpoint_core::verdict::Verdict;
use serde_json::{Value as Json, json};

use super::super::phrase;
use crate::attestation::predicate::{Kind, Piece, RunSummary};
use crate::attestation::problem::Problem;
use crate::attestation::requirement::Requirement;
use crate::attestation::rerun::{Rerun, RerunError};
use crate::attestation::verification::Verified;
use crate::error::in_full;
use crate::ui::{Style, Ui};

/// What was performed again.
#[derive(Debug, Default)]
pub(super) struct Again {
    /// Each command, and what it came to.
    ran: Vec<(String, Result<String, RerunError>)>,
    /// Why nothing was run.
    refused: Option<&'static str>,
}

impl Again {
    /// Nothing was run.
    pub(super) fn refused(why: &'static str) -> Again {
        Again { ran: Vec::new(), refused: Some(why) }
    }

    /// Adds a command that was run.
    pub(super) fn add(&mut self, rerun: &Rerun, done: Result<String, RerunError>) {
        let shown = match rerun.command.as_slice() {
            [shell, option, command] if shell == "sh" && option == "-c" => command.clone(),
            words => words.join(" "),
        };
        self.ran.push((secret::replaced(&shown).into_owned(), done));
    }

    /// Returns whether something was run, and all of it passed.
    fn has_passed(&self) -> bool {
        !self.ran.is_empty() && self.ran.iter().all(|(_, done)| done.is_ok())
    }

    fn was_asked(&self) -> bool {
        self.refused.is_some() || !self.ran.is_empty()
    }

    fn problems(&self) -> impl Iterator<Item = Problem> {
        let failed = self.ran.iter().filter_map(|(_, done)| done.as_ref().err().map(|why| in_full(why)));
        failed.chain(self.refused.map(str::to_owned)).map(Problem::Again)
    }
}

/// What is known of a commit in the end.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) verified: Verified,
    again: Again,
}

impl Report {
    /// Sums up what was checked, what was run again, and what is required.
    pub(super) fn of(mut verified: Verified, again: Again, required: &[Requirement]) -> Report {
        let missing = required.iter().filter(|one| !one.is_met(&verified, again.has_passed()));
        let missing: Vec<Problem> = missing.copied().map(Problem::Required).collect();
        verified.problems.extend(again.problems().chain(missing));
        Report { verified, again }
    }

    pub(super) fn is_proved(&self) -> bool {
        self.verified.is_proved()
    }

    /// The level of a piece: what was run again here has a witness.
    fn level(&self, run: &RunSummary, piece: &Piece) -> &'static str {
        if piece.kind == Kind::Tests && self.again.has_passed() { "witnessed" } else { run.level.word() }
    }

    /// What could not be run again.
    fn not_again(&self) -> Vec<String> {
        let others = self.verified.decisive().filter(|(_, piece)| piece.kind != Kind::Tests);
        others.map(|(_, piece)| piece.phase.clone()).collect()
    }

    pub(super) fn print(&self, ui: &Ui) {
        let Verified { commit, problems, signers, runs, .. } = &self.verified;
        let word = if self.is_proved() {
            ui.paint(Style::Green, "proved")
        } else {
            ui.paint(Style::Red, "not proved")
        };
        ui.line(format!("{} {word}  {}", commit.id.short(), phrase::printable(&commit.subject)));
        for problem in problems {
            ui.line(format!("  {}", ui.paint(Style::Red, phrase::printable(&problem.to_string()))));
        }
        if !signers.is_empty() {
            let names: Vec<&str> = signers.iter().map(String::as_str).collect();
            ui.line(format!("  signed by {}", phrase::printable(&names.join(", "))));
        }
        for (run, piece) in self.verified.decisive() {
            let verdict = piece.verdict.as_ref().map_or("", Verdict::word);
            let what = format!("{} {}", run.workflow.name, piece.phase);
            let (kind, level) = (piece.kind.word(), self.level(run, piece));
            ui.line(format!(
                "  {kind:<8}  {:<32}  {:<10}  {level}",
                phrase::printable(&what),
                phrase::printable(verdict)
            ));
        }
        for (run, released) in self.verified.released() {
            let what = format!("{} {}: by {}", run.workflow.name, released.name, released.by);
            let what = format!("released by the user: {}", phrase::printable(&what));
            ui.line(format!("  {}", ui.paint(Style::Yellow, what)));
        }
        let aside: Vec<&str> = runs.iter().flat_map(|run| &run.aside).map(String::as_str).collect();
        if !aside.is_empty() {
            ui.line(format!("  not part of it: {}", phrase::printable(&aside.join(", "))));
        }
        self.print_again(ui);
    }

    fn print_again(&self, ui: &Ui) {
        for (command, done) in &self.again.ran {
            let words = done.as_ref().map_or("failed", String::as_str);
            ui.line(format!("  run again: {}: {}", phrase::printable(command), phrase::printable(words)));
        }
        let others = self.not_again();
        if self.again.was_asked() && !others.is_empty() {
            ui.line(format!("  cannot be run again: {}", phrase::printable(&others.join(", "))));
        }
    }

    pub(super) fn as_json(&self) -> Json {
        let Verified { commit, problems, signers, runs, .. } = &self.verified;
        let pieces = self.verified.decisive().map(|(run, piece)| {
            json!({
                "workflow": run.workflow.name,
                "kind": piece.kind,
                "phase": piece.phase,
                "item": piece.item,
                "verdict": piece.verdict,
                "passed": piece.passed,
                "level": self.level(run, piece),
            })
        });
        let released = self.verified.released().map(|(run, released)| {
            json!({ "workflow": run.workflow.name, "rule": released.name, "by": released.by })
        });
        let ran = self.again.ran.iter().map(|(command, done)| {
            let said = done.as_ref().map_or_else(|why| in_full(why), Clone::clone);
            json!({ "command": command, "passed": done.is_ok(), "said": said })
        });
        json!({
            "commit": commit.id,
            "tree": commit.tree,
            "proved": self.is_proved(),
            "problems": problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "signers": signers,
            "evidence": pieces.collect::<Vec<_>>(),
            "released": released.collect::<Vec<_>>(),
            "aside": runs.iter().flat_map(|run| &run.aside).collect::<Vec<_>>(),
            "again": ran.collect::<Vec<_>>(),
            "not_again": if self.again.was_asked() { self.not_again() } else { Vec::new() },
        })
    }
}
