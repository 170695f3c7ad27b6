//! Approvals that nobody asks for, and those that could never count.

use super::super::approval::Of;
use super::super::parse::{FILE, Parsed};
use super::super::phase::PhaseKind;
use crate::diagnostic::Diagnostic;

/// What is wrong with a workflow's approvals.
pub(super) fn check(parsed: &Parsed) -> Vec<Diagnostic> {
    let workflow = &parsed.workflow;
    let is_asked_for = |name: &str| {
        workflow.phases.iter().any(|phase| match &phase.kind {
            PhaseKind::Approval(phase) => phase.approvals.iter().any(|asked| asked == name),
            _ => false,
        })
    };
    let idle = parsed.approvals.iter().filter(|(name, _)| !is_asked_for(name)).map(|(name, span)| {
        let message = format!("nothing uses `{name}`: no phase asks for this approval");
        Diagnostic::warning(FILE, span.clone(), message).hinted("use it, or delete it")
    });
    idle.chain(without_tree(parsed)).collect()
}

/// The first approval of files, where nothing says which files belong to the tree: it would count for none.
fn without_tree(parsed: &Parsed) -> Option<Diagnostic> {
    let is_of_files =
        |name: &str| parsed.workflow.approval(name).is_some_and(|approval| approval.of != Of::Commit);
    let (name, span) = parsed.approvals.iter().find(|(name, _)| is_of_files(name))?;
    let message = format!("approval `{name}` never counts: [run] does not say what is in the tree");
    let hint = "write sealed = true in [run], or aside = [\"…\"] with the files that are not in it";
    let is_unsaid = parsed.workflow.run.aside.is_empty();
    is_unsaid.then(|| Diagnostic::error(FILE, span.clone(), message).hinted(hint))
}
