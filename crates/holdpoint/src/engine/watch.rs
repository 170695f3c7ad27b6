//! What shell calls did: looked at before each of them, and compared after it. A call that did by another spelling what a
//! rule holds is named to the agent and the user, and the run remembers it until it is settled.
//!
//! Calls overlap, so a difference belongs to all that were open since the last look. What changes while none is open is the
//! user's own.

mod difference;
mod look;
mod restoration;
mod telling;

use holdpoint_core::effects::{Effects, Message};
use holdpoint_core::event::Moment;
use holdpoint_core::facts::FactError;
use holdpoint_core::secret;
use holdpoint_core::tool::{Tool, ToolKind};
use holdpoint_core::workflow::step::Delivery;
use thiserror::Error;

use self::look::{Sight, look};
use super::session::Session;
use crate::caller::Process;
use crate::git::folders::GitFolders;
use crate::store::layout;
use crate::store::watch::{Call, Held, Look, Note, Notes, WatchError};
use crate::watch::lingering::Sought;
use crate::watch::refs::RefsError;
use crate::watch::touched;

/// How long a call counts that nobody has said is over, in seconds.
const OPEN_S: i64 = 24 * 60 * 60;
/// The id under which a pause is noted, which is no agent's of a call.
const PAUSE: &str = "the user's pause";
/// How much of a command is kept.
const CHARS_MAX: usize = 100;

/// The reason why calls are not looked at.
#[derive(Debug, Error)]
pub(super) enum Unwatched {
    /// The notes cannot be read or written.
    #[error("what shell calls do is not looked at: {0}")]
    Notes(#[from] WatchError),
    /// The refs cannot be read.
    #[error("what shell calls do to branches is not looked at: {0}")]
    Refs(#[from] RefsError),
    /// The workflow's rules cannot be asked.
    #[error("what shell calls do is not looked at: {0}")]
    Facts(#[from] FactError),
}

/// What came of the calls so far.
#[derive(Default)]
pub(super) struct Seen {
    /// What is said now.
    pub(super) effects: Effects,
    /// What holds a Stop: what is not settled.
    pub(super) unsettled: Option<Message>,
}

impl Seen {
    /// All of it at once, where a Stop cannot be held.
    pub(super) fn into_effects(mut self) -> Effects {
        self.effects.messages.extend(self.unsettled);
        self.effects
    }
}

/// Compares what is there with what was seen before the calls that are open, at any event. Without notes, nothing is.
pub(super) fn compare(session: &Session<'_>) -> Seen {
    let Some(notes) = notes(session).and_then(Result::ok).filter(Notes::exist) else {
        return Seen::default();
    };
    // A pause is looked at as a whole, when it is over.
    if session.pause().is_some() {
        return Seen::default();
    }
    compared(session, &notes).unwrap_or_else(|why| {
        let mut seen = Seen::default();
        seen.effects.fault(why.to_string());
        seen
    })
}

fn notes(session: &Session<'_>) -> Option<Result<Notes, WatchError>> {
    let run = session.run;
    if !run.workflow.run.watch.is_any() {
        return None;
    }
    match Notes::of(session.env.as_ref(), &run.home, &run.place(), &run.workflow.name) {
        // Cases have no user, and so nothing that outlives them.
        Err(WatchError::NoFolder(_)) if session.env.began_everything() => None,
        notes => Some(notes),
    }
}

fn compared(session: &Session<'_>, notes: &Notes) -> Result<Seen, Unwatched> {
    let opened = notes.open()?;
    let mut note = opened.note()?;
    let before = note.clone();
    // First who is still at work, then what was done: who ends in between has done it already.
    let mut stay = staying(session, &note);
    let mut now = Sight::now(session, &note)?;
    let mut seen = Seen::default();
    if !note.calls.is_empty() {
        restoration::restore(session, &note, &mut now, &mut seen.effects);
        let found = difference::found(session, &note, &now)?;
        difference::remember(&mut note, found.breaches.clone());
        telling::tell(session, &found, &note.calls, &mut seen.effects);
        let since = note.look.at;
        note.look = now.look(&note.look);
        note.is_blind = found.blind.is_some();
        if found.is_cut {
            let most = touched::FILES_MAX;
            seen.effects
                .fault(format!("a shell call touched more than {most} files: not all were looked at"));
        }
        if let Some(why) = found.blind {
            // What could not be compared now is compared the next time, as theirs.
            note.look.at = since;
            stay.clone_from(&note.calls);
            seen.effects.fault(why);
        }
    }
    now.settle(session, &mut note.breaches);
    note.calls = stay;
    if session.event.moment == Moment::Stop && !note.breaches.is_empty() {
        seen.unsettled = Some(telling::unsettled(&note.breaches));
    }
    if note != before {
        opened.keep(&mut note)?;
    }
    Ok(seen)
}

/// The calls that stay open after this event.
fn staying(session: &Session<'_>, note: &Note) -> Vec<Call> {
    let (event, now) = (session.event, session.env.now());
    let own = event.session.as_deref().unwrap_or_default();
    let ended = id_of(session).filter(|_| event.moment == Moment::After);
    let is_turns_end = match event.moment {
        Moment::Stop => !event.is_waiting,
        Moment::Prompt | Moment::Start => true,
        Moment::Before | Moment::After | Moment::Beside(_) => false,
    };
    let mut stay = note.calls.clone();
    for call in &mut stay {
        if ended.as_ref() == Some(&call.id) || (call.session == own && is_turns_end && !call.is_over) {
            call.is_over = true;
            let took = u64::try_from(now.saturating_sub(call.at)).unwrap_or_default();
            let sought = Sought { after: call.pid, took, session: &call.session, home: &session.run.home };
            call.left = sought.processes();
        }
        call.left.retain(Process::is_alive);
    }
    // Whoever compares is not in the pause any more.
    stay.retain(|call| call.id != PAUSE);
    stay.retain(|call| (!call.is_over || !call.left.is_empty()) && now.saturating_sub(call.at) < OPEN_S);
    stay
}

/// The id of the event's shell call.
fn id_of(session: &Session<'_>) -> Option<String> {
    let tool = session.event.tool.as_ref().filter(|tool| tool.kind() == ToolKind::Shell)?;
    let own = session.event.session.as_deref().unwrap_or_default();
    let words = || layout::digest(&[own, &tool.command().unwrap_or_default()]);
    Some(session.call_id().map_or_else(words, str::to_owned))
}

/// Notes what is there before a shell call, if anything of it is held.
pub(super) fn open(session: &Session<'_>) -> Option<Unwatched> {
    let is_shell = session.event.tool.as_ref().is_some_and(|tool| tool.kind() == ToolKind::Shell);
    if session.event.moment != Moment::Before || !is_shell {
        return None;
    }
    let notes = notes(session)?;
    if session.pause().is_some() {
        return None;
    }
    let command = in_short(&session.event.tool.as_ref().and_then(Tool::command).unwrap_or_default());
    let id = id_of(session)?;
    match notes {
        Ok(notes) => opened(session, &notes, id, command).err(),
        Err(why) => Some(why.into()),
    }
}

/// Notes what is there when the user pauses the run: what is done meanwhile is compared with that, as if one call had done it.
pub(super) fn begin_pause(session: &Session<'_>) -> Result<(), Unwatched> {
    let Some(notes) = notes(session).transpose()? else { return Ok(()) };
    opened(session, &notes, PAUSE.to_owned(), "what was done in the pause".to_owned())
}

/// Takes what was done in a pause for the user's own.
pub(super) fn accept_pause(session: &Session<'_>) -> Result<(), Unwatched> {
    let Some(notes) = notes(session).transpose()?.filter(Notes::exist) else { return Ok(()) };
    let opened = notes.open()?;
    let mut note = opened.note()?;
    note.calls.retain(|call| call.id != PAUSE);
    if let Some(look) = look(session)? {
        note.look = look;
    }
    Ok(opened.keep(&mut note)?)
}

fn opened(session: &Session<'_>, notes: &Notes, id: String, command: String) -> Result<(), Unwatched> {
    let Some(look) = look(session)? else { return Ok(()) };
    let opened = notes.open()?;
    let mut note = opened.note()?;
    if note.calls.is_empty() {
        note.look = if note.is_blind { Look { at: note.look.at, ..look } } else { look };
    } else {
        // What was seen before goes on counting: since then a command may have been performed, and the other calls have gone on.
        note.look.widen(look);
    }
    let event = session.event;
    note.calls.retain(|call| call.id != id);
    note.calls.push(Call {
        id,
        session: event.session.clone().unwrap_or_default(),
        command,
        at: session.env.now(),
        pid: std::process::id(),
        is_over: false,
        left: Vec::new(),
        passed: session.passed(),
    });
    Ok(opened.keep(&mut note)?)
}

/// A commit that the engine has made.
pub(super) struct Own<'a> {
    /// Its id.
    pub(super) commit: &'a str,
    /// The commit that it follows; none for the first.
    pub(super) parent: Option<&'a str>,
}

/// Takes a commit of the engine's own for what it is while calls are open, and nothing else that has moved meanwhile.
pub(super) fn acknowledge(session: &Session<'_>, own: &Own<'_>) {
    let Some(notes) = notes(session).and_then(Result::ok).filter(Notes::exist) else { return };
    let renewed = || -> Result<(), Unwatched> {
        let opened = notes.open()?;
        let mut note = opened.note()?;
        let Some(git) = GitFolders::of(&session.run.home) else { return Ok(()) };
        let head = git.refs()?.head;
        note.look.acknowledge(&head, own.commit, own.parent);
        Ok(opened.keep(&mut note)?)
    };
    let _ = renewed();
}

/// Forgets what is not settled: the user has accepted it, or the run is a new one.
pub(crate) fn accept(session: &Session<'_>) -> Result<Vec<String>, WatchError> {
    let Some(notes) = notes(session).transpose()?.filter(Notes::exist) else { return Ok(Vec::new()) };
    let opened = notes.open()?;
    let mut note = opened.note()?;
    let breaches = std::mem::take(&mut note.breaches);
    opened.keep(&mut note)?;
    Ok(breaches.iter().map(telling::what).collect())
}

/// What is not settled, for people, each with the command that undoes it.
pub(crate) fn unsettled(session: &Session<'_>) -> Vec<(String, String)> {
    let note = notes(session).and_then(Result::ok).map(|notes| notes.read()).unwrap_or_default();
    note.breaches.iter().map(|breach| (telling::what(breach), telling::undoing(breach))).collect()
}

fn in_short(command: &str) -> String {
    let line = command.lines().next().unwrap_or_default();
    secret::replaced(line).chars().take(CHARS_MAX).collect()
}

/// The message of the engine about a rule.
fn message(delivery: Delivery, held: &Held, text: String) -> Message {
    Message {
        delivery,
        text,
        source: holdpoint_core::effects::Source::Engine,
        name: held.rule.clone(),
        line: held.line,
        code: held.code.clone(),
        facts: Vec::new(),
        satisfied_by: None,
    }
}
