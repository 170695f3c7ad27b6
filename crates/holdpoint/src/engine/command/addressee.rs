//! Whose run a command is about. A command from a session concerns that session's run; one that would touch the run of another
//! session that is still there is refused, unless it names the run.

use super::Typed;
use crate::allow::Allowance;
use crate::allow::waiting::{self, Waiting};
use crate::caller::presence::{self, Claimant};
use crate::error::{CommandError, Kind};
use crate::install::host::quoted;
use crate::project::whose::{self, Whose};
use crate::project::{self, Found, Run, linked};
use crate::store::owner;

/// Finds the runs that a command may be about: in a linked working tree also the session's own in the main one.
pub(super) fn find(typed: &Typed<'_>, session: Option<&str>) -> Found {
    let only = Some(typed.workflow.name.as_ref());
    let found = project::find(typed.cwd, typed.env, session, only);
    let main = linked::in_main(typed.cwd).filter(|_| found.runs.is_empty() && found.waiting.is_empty());
    let Some((main, session)) = main.zip(session) else { return found };
    let mut there = project::find(&main, typed.env, Some(session), only);
    let asking = Claimant { session, transcript: None };
    there.runs.retain(|run| whose::of(run, None, &asking, typed.env.as_ref()) == Whose::Own);
    if there.runs.is_empty() { found } else { there }
}

/// Finds the run of this name: where the command was given, or in the main working tree.
pub(super) fn named(typed: &Typed<'_>, found: &Found, name: &str) -> Result<Run, CommandError> {
    let home = found.runs.first().map_or_else(|| typed.home(), |run| run.home.clone());
    let main = linked::in_main(&home).filter(|main| *main != home);
    let homes = [Some(home), main].into_iter().flatten();
    let runs: Vec<Run> = homes.flat_map(|home| project::every(&typed.nowhere(&home))).collect();
    let names: Vec<String> = runs.iter().map(Run::name).collect();
    let Some(run) = runs.into_iter().find(|run| run.name() == name) else {
        let what = format!("{} has no run {name:?} here", typed.workflow.name);
        let hint = match names.as_slice() {
            [] => format!("see `holdpoint {}`", typed.workflow.name),
            names => format!("there are: {}", names.join(", ")),
        };
        return Err(CommandError::new(Kind::Failed, what).hinted(hint));
    };
    if Allowance::of(typed.env.as_ref()).began(&run) {
        Ok(run)
    } else {
        Err(waiting::refusal(&[Waiting::run(run)]))
    }
}

/// Refuses a command about a run of another session that is still there, unless it names the run and comes from a session
/// that is there itself.
pub(super) fn refuse_anothers(typed: &Typed<'_>, run: &Run) -> Result<(), CommandError> {
    let Some(session) = typed.session.as_deref().filter(|_| !has_own_way(typed)) else { return Ok(()) };
    let (Some(owner), env) = (anothers(typed, run, session), typed.env.as_ref()) else { return Ok(()) };
    let is_taken_over = typed.words.run.is_some();
    if is_taken_over && (presence::is_there(env, session) || !presence::is_there(env, &owner)) {
        return Ok(());
    }
    let (workflow, name) = (&typed.workflow.name, run.name());
    let mut what = format!("nothing was done: another session works on the {workflow} run `{name}`");
    let hint = if is_taken_over {
        what.push_str(", and no client of this one is known");
        format!("end that session, or give the command in your own terminal: {}", again(typed, &name))
    } else {
        what.push_str(", and this one has none");
        format!("to take that run over: {}", again(typed, &name))
    };
    Err(CommandError::new(Kind::Failed, what).hinted(hint))
}

/// The other session that works on a run, if one does.
fn anothers(typed: &Typed<'_>, run: &Run, session: &str) -> Option<String> {
    let asking = Claimant { session, transcript: None };
    match whose::of(run, None, &asking, typed.env.as_ref()) {
        Whose::Anothers(owner) => Some(owner),
        Whose::Own | Whose::Free => None,
    }
}

/// The same command, with the run's name.
fn again(typed: &Typed<'_>, name: &str) -> String {
    let Typed { workflow, command, words, .. } = typed;
    let flags = command.flags.iter().filter_map(|flag| {
        let value = words.flags.get(&flag.fact())?.as_str().map(|value| format!(" {}", quoted(value)));
        Some(format!("--{}{}", flag.name, value.unwrap_or_default()))
    });
    let args = command.args.iter().filter_map(|arg| words.args.get(arg.name.as_ref())).map(|arg| quoted(arg));
    let said = ["holdpoint".to_owned(), workflow.name.to_string(), command.name.to_string()];
    let named = ["--run".to_owned(), quoted(name)];
    said.into_iter().chain(named).chain(flags).chain(args).collect::<Vec<_>>().join(" ")
}

/// Whether the workflow says itself which run the command is about, or whose that is.
fn has_own_way(typed: &Typed<'_>) -> bool {
    typed.command.run.is_some() || typed.workflow.run.owner.is_some()
}

/// Makes the run the session's that gave the command. Where the shell does not say who that is, a session that works on it
/// keeps it, and otherwise the next one to stop has it. A session that is there keeps it also from a command that only
/// looks, unless that names the run.
pub(super) fn claim(typed: &Typed<'_>, run: &Run, only_looks: bool) {
    if typed.workflow.run.owner.is_some() {
        return;
    }
    let session = typed.session.as_deref();
    let keeps = |owner: String| match session {
        None => true,
        Some(_) => only_looks && typed.words.run.is_none() && presence::is_there(typed.env.as_ref(), &owner),
    };
    if !anothers(typed, run, session.unwrap_or_default()).is_some_and(keeps) {
        let _ = owner::claim(&run.books, &run.place(), session.unwrap_or_default(), typed.env.now());
    }
}
