//! What the agent and the user are told of what shell calls did.

use std::fmt::Write;

use holdpoint_core::effects::{Effects, Message};
use holdpoint_core::event::Moment;
use holdpoint_core::workflow::step::Delivery;

use super::difference::Found;
use super::{Session, message};
use crate::install::host::quoted;
use crate::store::watch::{Breach, Call, Held, What};

/// How many commands are shown.
const COMMANDS_MAX: usize = 5;
/// How much of a commit's id is shown.
const ID_CHARS: usize = 12;

/// How the agent hears of it: after a call the answer can say no to it, before another one or at a prompt it can only tell.
pub(super) fn to_agent(session: &Session<'_>) -> Delivery {
    if session.event.moment == Moment::After { Delivery::Hold } else { Delivery::Context }
}

/// Tells both what was found.
pub(super) fn tell(session: &Session<'_>, found: &Found, calls: &[Call], effects: &mut Effects) {
    let workflow = &session.run.workflow.name;
    let during = during(calls.iter().map(|call| call.command.as_str()));
    for breach in &found.breaches {
        let (what, held) = (what(breach), held(breach));
        let text = format!(
            "DONE ALTHOUGH IT IS HELD: {what}, {during}\n\n{held} The run remembers it, and the end of your turn is held \
             until it is settled.\n\nWhat to do now:\n{}",
            remedy(breach)
        );
        let user = format!(
            "holdpoint: {workflow}: {what}, {during}\n{held}\nTo undo it:\n   {}\nIf it is right, or was your own doing:\n   \
             holdpoint accept",
            undoing(breach)
        );
        effects.messages.push(message(to_agent(session), &breach.held, text));
        effects.messages.push(message(Delivery::Tell, &breach.held, user));
    }
    if let Some(first) = found.marked.first() {
        let files: Vec<&str> = found.marked.iter().filter_map(|file| file.about.as_deref()).collect();
        let next = session.run.workflow.going_on().unwrap_or_else(|| "holdpoint status".to_owned());
        let text = format!(
            "CHANGED ALTHOUGH IT IS HELD: {}, {during}\n\n`{}` does not let it be changed now, by an editor or a shell. What \
             is not as it was when the phase began does not pass.\n\nWhat to do now:\n   put it back, then: {next}",
            files.join(", "),
            first.rule
        );
        let user = format!(
            "holdpoint: {workflow}: changed although `{}` holds it: {}, {during}",
            first.rule,
            files.join(", ")
        );
        let held = Held::from(first.clone());
        effects.messages.push(message(to_agent(session), &held, text));
        effects.messages.push(message(Delivery::Tell, &held, user));
    }
}

/// What was put back.
pub(super) fn restored(session: &Session<'_>, path: &str, kept: Option<&str>, calls: &[Call]) -> String {
    let during = during(calls.iter().map(|call| call.command.as_str()));
    let kept = kept.map_or_else(
        || "It had been removed.".to_owned(),
        |kept| format!("What was there instead is kept in {kept}."),
    );
    format!(
        "PUT BACK: `{path}` was changed, {during}\n\n{} has it put back when a shell call changes it. {kept}",
        session.run.workflow.name
    )
}

/// What holds a Stop.
pub(super) fn unsettled(breaches: &[Breach]) -> Message {
    let mut text = "NOT SETTLED: shell calls of this run did what a rule holds.\n".to_owned();
    for breach in breaches {
        let during = during(breach.calls.iter().map(String::as_str));
        let _ = write!(text, "\n- {}, {during}\n  {}\n", what(breach), held(breach));
    }
    text.push_str("\nWhat to do now:\n");
    for breach in breaches {
        text.push_str(&remedy(breach));
        text.push('\n');
    }
    let held = breaches.first().map(|breach| breach.held.clone()).unwrap_or_default();
    message(Delivery::Hold, &held, text.trim_end().to_owned())
}

/// What was done, in a few words.
pub(super) fn what(breach: &Breach) -> String {
    match &breach.what {
        What::Ref { name, before: Some(before), after: Some(after) } => {
            format!("{name} was moved from {} to {}", short(before), short(after))
        }
        What::Ref { name, before: Some(before), after: None } => {
            format!("{name}, which was at {}, was removed", short(before))
        }
        What::Ref { name, before: None, after } => {
            format!("{name} was made, at {}", short(after.as_deref().unwrap_or_default()))
        }
        What::File { path, .. } => format!("`{path}` was changed"),
        What::Settings { path, .. } => format!("`{path}`, which says how Holdpoint is called, was changed"),
    }
}

/// Who holds it.
fn held(breach: &Breach) -> String {
    let code = breach.held.code.as_ref().map(|code| format!(" [{code}]")).unwrap_or_default();
    match &breach.what {
        What::Ref { .. } => {
            format!("`{}`{code} holds commits there, however they are made.", breach.held.rule)
        }
        What::File { .. } => {
            format!("`{}`{code} does not let it be changed, by an editor or a shell.", breach.held.rule)
        }
        What::Settings { .. } => "The settings that call the hooks are the user's to change.".to_owned(),
    }
}

/// The command that undoes it.
pub(super) fn undoing(breach: &Breach) -> String {
    match &breach.what {
        What::Ref { name, before: Some(before), .. } if name == "HEAD" => {
            format!("git checkout {}", short(before))
        }
        What::Ref { name, before: Some(before), after: Some(after) } => {
            format!("git update-ref {} {} {}", quoted(name), short(before), short(after))
        }
        What::Ref { name, before: Some(before), after: None } => {
            format!("git update-ref {} {}", quoted(name), short(before))
        }
        // A head without a branch is git's own: it is left for a branch, not removed.
        What::Ref { name, before: None, .. } if name == "HEAD" => "git switch -".to_owned(),
        What::Ref { name, before: None, after } => {
            format!("git update-ref -d {} {}", quoted(name), short(after.as_deref().unwrap_or_default()))
        }
        What::File { path, head } => format!("git checkout {} -- {}", short(head), quoted(path)),
        What::Settings { path, before: None } => format!("rm {}", quoted(path)),
        What::Settings { path, .. } => format!("${{EDITOR:-vi}} {}", quoted(path)),
    }
}

/// What the agent is to do: a ref is only the user's to undo.
fn remedy(breach: &Breach) -> String {
    match &breach.what {
        What::Ref { .. } => format!(
            "   Tell the user, and end your turn. Only the user undoes it:\n   {}\n   or accepts it:\n   holdpoint accept",
            undoing(breach)
        ),
        What::File { .. } => format!("   {}", undoing(breach)),
        What::Settings { path, .. } => {
            format!(
                "   Put `{path}` back as it was, or tell the user, who can accept it:\n   holdpoint accept"
            )
        }
    }
}

/// The calls of which one has done it: none is accused alone.
fn during<'a>(commands: impl Iterator<Item = &'a str>) -> String {
    let commands: Vec<&str> = commands.collect();
    let shown = commands.iter().rev().take(COMMANDS_MAX).rev();
    let list: String = shown.map(|command| format!("\n   {command}")).collect();
    match commands.len() {
        1 => format!("while this shell call was open:{list}"),
        count if count > COMMANDS_MAX => {
            format!("while these shell calls were open, the last of {count}; one of them did it:{list}")
        }
        _ => format!("while these shell calls were open; one of them did it:{list}"),
    }
}

fn short(id: &str) -> &str {
    id.get(..ID_CHARS).unwrap_or(id)
}
