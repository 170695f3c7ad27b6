//! Overruling: the user takes files that a reviewer did not pass. It is kept as that, bound to the files as they are.

use holdpoint_core::command;
use holdpoint_core::verdict::Verdict;
use serde_json::json;

use super::session::Session;
use crate::check;
use crate::error::{CommandError, Kind};
use crate::level;
use crate::store::evidence::{self, Evidence};
use crate::store::journal;

/// Keeps as evidence that the user overrules the last review of a phase, for this reason. There must be one of the files as
/// they are now that did not pass: nobody's verdict is made up.
pub(super) fn keep(session: &Session<'_>, phase: &str, reason: &str) -> Result<(), CommandError> {
    let run = session.run;
    let Some(passing) = command::passing(&run.workflow, phase) else {
        return Err(CommandError::new(
            Kind::Failed,
            format!("`{phase}` is no review that could be overruled"),
        ));
    };
    let tree = check::tree(run, session.env.as_ref());
    let item = session.facts().item_id();
    let all = evidence::read(&run.books, &run.workflow.name);
    let is_verdict =
        |piece: &&Evidence| piece.phase == phase && piece.item == item && piece.release.is_none();
    // Whoever was stopped after this was kept, and before the state was written, says it again.
    let is_own =
        |piece: &&Evidence| piece.passed && piece.details.get("overruled").is_some() && piece.tree == tree;
    let last = all.iter().rev().filter(is_verdict).find(|piece| !is_own(piece));
    let overruled = last.filter(|piece| !piece.passed && piece.tree.is_some() && piece.tree == tree);
    let Some(overruled) = overruled else {
        let what = format!("there is no verdict of `{phase}` on the files as they are now to overrule");
        return Err(CommandError::new(Kind::Failed, what).hinted("have them reviewed as they are first"));
    };
    let word = overruled.verdict.as_ref().map_or("none", Verdict::word);
    let piece = Evidence {
        at: journal::now(),
        workflow: run.workflow.name.to_string(),
        item,
        phase: phase.to_owned(),
        round: overruled.round,
        verdict: Some(passing),
        passed: true,
        tree,
        doubts: vec![format!("the user overruled `{word}`: {reason}")],
        details: json!({ "overruled": word, "reason": reason }),
        level: level::of_this_process(&run.books, session.env.as_ref()),
        ..Evidence::default()
    };
    evidence::append(&run.books, &piece).map_err(|error| CommandError::new(Kind::Files, error))
}
