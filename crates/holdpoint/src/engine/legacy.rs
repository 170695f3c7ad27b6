//! What a workflow's `[legacy]` makes of an answer under `--protocol legacy`: the scripts it stands in for had ways of
//! their own to let a Stop go and to refuse bad input.

use std::borrow::Cow;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::workflow::legacy::Legacy;
use serde_json::Value as Json;

use super::{Call, Reply, note_fault};
use crate::agent::{Answer, Fields, Protocol};
use crate::catalog;
use crate::env::Env;
use crate::hook::input::Input;
use crate::hook::options::Options;
use crate::layers::{self, Configuration};
use crate::project::Found;

/// The fields of an answer that lets the agent stop. None: none of the workflows has a `[legacy]`.
pub(super) fn release(call: &Call<'_>, found: &Found, moment: Moment) -> Option<Fields> {
    let Call { options, env, .. } = call;
    if options.protocol != Protocol::Legacy || moment != Moment::Stop {
        return None;
    }
    if found.runs.is_empty() {
        return named(env.as_ref(), options, &found.configuration).map(|legacy| fields(&legacy));
    }
    let of_runs = found.runs.iter().filter_map(|run| run.workflow.legacy.as_ref());
    of_runs.map(fields).reduce(|mut all, more| {
        all.extend(more);
        all
    })
}

/// What stands on standard output as the scripts had it: plain text for the agent, a message in a field of its own. It is taken
/// out of the answer.
pub(super) fn plain(found: &Found, moment: Moment, answer: &mut Answer) -> String {
    let mut lines = Vec::new();
    for legacy in found.runs.iter().filter_map(|run| run.workflow.legacy.as_ref()) {
        if let Some(context) = answer.context.take_if(|_| legacy.plain_context) {
            lines.push(context + "\n");
        }
        if let Some(field) =
            legacy.message.as_ref().filter(|_| answer.hold.is_none() && moment != Moment::Stop)
            && let Some(message) = answer.message.take()
        {
            let fields = Fields::from_iter([(field.to_string(), message.into())]);
            lines.push(format!("{}\n", Json::Object(fields)));
        }
    }
    lines.concat()
}

/// The moment of a payload that names neither an event nor a tool: scripts with a `[legacy]` were called at Stop alone,
/// and did not look.
pub(super) fn moment(call: &Call<'_>, payload: &Json) -> Option<Moment> {
    let is_bare = ["hook_event_name", "tool_name"].iter().all(|field| payload.get(field).is_none());
    (is_bare && of_call(call).is_some()).then_some(Moment::Stop)
}

/// The answer to input that is no event. What did not come in time, or was too much, may have been one: it is let go.
pub(super) fn unreadable(call: &Call<'_>, why: &str) -> Option<Reply> {
    let legacy = of_call(call)?;
    if let (Some(exit), Input::Whole(_)) = (legacy.bad_input, &call.input) {
        return Some(refusal(exit, &format!("Invalid JSON: {why}")));
    }
    let fields = fields(&legacy);
    let stdout = if fields.is_empty() { String::new() } else { format!("{}\n", Json::Object(fields)) };
    Some(Reply { stdout, ..Reply::default() })
}

/// The answer to a Stop in a folder that cannot be entered. Agents that take exit code 2 for a hold say so the next
/// time, with `stop_hook_active`: then it is not repeated.
pub(super) fn no_folder(call: &Call<'_>, payload: &Json, event: &Event) -> Option<Reply> {
    let was_held = payload.get("stop_hook_active").and_then(Json::as_bool) == Some(true);
    if call.options.protocol != Protocol::Legacy || event.moment != Moment::Stop || was_held {
        return None;
    }
    let folder = call.cwd.join(payload.get("cwd").and_then(Json::as_str)?);
    // The dot asks for the right to enter, too.
    if folder.join(".").is_dir() {
        return None;
    }
    let exit = of_call(call)?.bad_input?;
    let folder = folder.display();
    note_fault(&call.env, call.cwd, &format!("the folder {folder} that the event names cannot be entered"));
    Some(refusal(exit, &format!("Cannot change to the folder {folder} that the event names")))
}

fn refusal(exit: u8, what: &str) -> Reply {
    Reply { stderr: format!("holdpoint: {what}. Nothing was judged.\n"), exit, ..Reply::default() }
}

fn fields(legacy: &Legacy) -> Fields {
    let release = legacy.release.iter();
    release.map(|field| (field.name.to_string(), field.source.parse().unwrap_or_default())).collect()
}

fn of_call(call: &Call<'_>) -> Option<Cow<'static, Legacy>> {
    if call.options.protocol != Protocol::Legacy || call.options.workflow.is_none() {
        return None;
    }
    let env = call.env.as_ref();
    named(env, call.options, &layers::around(call.cwd, env))
}

/// The `[legacy]` of the workflow that the command line names: a layer's own of that name, or the built-in one.
fn named(env: &dyn Env, options: &Options, configuration: &Configuration) -> Option<Cow<'static, Legacy>> {
    let name = options.workflow.as_deref()?;
    if let Some(own) = configuration.own(name) {
        return own.load(env).ok()?.legacy.map(Cow::Owned);
    }
    let built_in = catalog::named(name)?;
    built_in.workflow.legacy.as_ref().map(Cow::Borrowed)
}
