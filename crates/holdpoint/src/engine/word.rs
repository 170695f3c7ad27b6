//! The user's word in a prompt: a command of a workflow's that is the user's, an approval, or the door. A prompt is not the user, since
//! agents can have prompts delivered; so it waits until the client's own record says that it was typed, and is done then.

use std::path::Path;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::shell::plain_words;
use holdpoint_core::workflow::approval::Channel;

use super::Call;
use super::approval::{self, Answer, Said as By, Seen, Waiting};
use super::command::{Typed, choice, words};
use super::door::{self, Wanted};
use super::merge::Said;
use super::record;
use super::session::Session;
use crate::agent::{Agent, Asked, Protocol};
use crate::caller::transcript::{self, Typing};
use crate::caller::{self, Caller};
use crate::env::Env;
use crate::error::{CommandError, Kind, in_full};
use crate::project::{self, Found};
use crate::store::pending::Pending;
use crate::store::state_folder::StateFolder;
use crate::user;

/// The longest prompt that can be a command.
const PROMPT_BYTES_MAX: usize = 2_000;
/// The command that gives an approval.
const APPROVE: &str = "approve";

/// Takes up a prompt that is the user's word: it is kept until it is confirmed.
pub(super) fn hear(call: &Call<'_>, asked: &Asked, event: &Event, found: &Found, said: &mut Said) {
    let prompt = event.prompt.as_deref().filter(|_| event.moment == Moment::Prompt);
    let Some(words) = prompt.and_then(read).filter(|_| call.options.protocol == Protocol::Own) else {
        return;
    };
    let meant = match Meant::of(call, event, &words) {
        Ok(Some(meant)) => meant,
        Ok(None) => return,
        Err(error) => return said.tell(refused(&words, &in_full(&error), error.hints.first())),
    };
    let words = meant.words.clone().unwrap_or(words);
    let kept = match keep(call, asked, event, &words, &meant) {
        Ok(()) => format!(
            "The user has typed `{}`. It is the user's to give: Holdpoint does it as soon as Claude Code's record says \
             that it was typed. Do not run it yourself.{}",
            shown(&words),
            meant.going_on.map(|next| format!(" Go on with: {next}")).unwrap_or_default()
        ),
        Err(why) => {
            note(found, event, &words, &why);
            return said.tell(unconfirmed(&words, &why));
        }
    };
    said.inform(&meant.workflow, kept);
}

/// Returns the word that waits in the event's session: then it matters who calls.
pub(super) fn waiting(env: &dyn Env, event: &Event) -> Option<Pending> {
    Pending::of(&StateFolder::of(env).ok()?, event.session.as_deref()?)
}

/// Does what waits in the session, if it is confirmed; says so if it is not. It waits for the session's own client, whose
/// surroundings it is done in.
pub(super) fn settle(call: &Call<'_>, event: &Event, found: &Found, pending: &Pending, said: &mut Said) {
    let Some(session) = event.session.as_deref().filter(|_| call.env.unproved().is_none()) else { return };
    let Ok(folder) = StateFolder::of(call.env.as_ref()) else { return };
    let typing = transcript::look_up(Path::new(&pending.transcript), &pending.prompt, &pending.prompt_id);
    let is_last = matches!(event.moment, Moment::Stop | Moment::Prompt | Moment::Start);
    match typing {
        // The client writes its record a little later; by the end of the turn it has.
        Typing::Unsaid if !is_last => {}
        _ if !pending.take(&folder, session) => {}
        Typing::Typed => match act(call, event, pending) {
            Ok((workflow, text)) => {
                said.tell(format!("holdpoint: done, as you typed it: `{}`.\n{text}", shown(&pending.words)));
                said.inform(&workflow, format!("The user's `{}` was done:\n{text}", shown(&pending.words)));
            }
            Err(error) => said.tell(refused(&pending.words, &in_full(&error), error.hints.first())),
        },
        Typing::Otherwise(how) => {
            let why = format!("Claude Code's record says that you did not type it ({how})");
            note(found, event, &pending.words, &why);
            said.tell(unconfirmed(&pending.words, &why));
        }
        Typing::Unsaid => {
            let why = "Claude Code's record does not say that you typed it";
            note(found, event, &pending.words, why);
            said.tell(unconfirmed(&pending.words, why));
        }
    }
}

/// The words after `holdpoint` that a prompt comes to: `holdpoint FLOW COMMAND …`, `/FLOW COMMAND …`, `/FLOW:COMMAND …`.
/// `/approve` and `/release` are no commands of ours: whoever has one has made it. `/resume` is the client's.
fn read(prompt: &str) -> Option<Vec<String>> {
    let prompt = prompt.trim();
    if prompt.len() > PROMPT_BYTES_MAX || prompt.contains('\n') {
        return None;
    }
    let spaced = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    // Quotes count as in a shell; a free text with an apostrophe is read as it is.
    let split = |text: &str| plain_words(text).unwrap_or_else(|| spaced(text));
    if let Some(rest) = prompt.strip_prefix("holdpoint ") {
        return Some(split(rest));
    }
    let (name, rest) = prompt.strip_prefix('/')?.split_once(' ').unwrap_or((prompt.strip_prefix('/')?, ""));
    let mut words: Vec<String> = name.splitn(2, ':').map(str::to_owned).collect();
    // A plugin's command may have the plugin's name.
    words.dedup();
    words.extend(if rest.trim().is_empty() { Vec::new() } else { split(rest) });
    Some(words).filter(|words| words[0] != APPROVE && !door::is_one(&words[0]))
}

/// What a prompt means.
struct Meant {
    workflow: String,
    going_on: Option<String>,
    seen: Option<Seen>,
    /// The words that are kept, where they say more than what was typed.
    words: Option<Vec<String>>,
}

impl Meant {
    /// None if it is nothing that is the user's alone.
    fn of(call: &Call<'_>, event: &Event, words: &[String]) -> Result<Option<Meant>, CommandError> {
        let cwd = Path::new(&event.cwd);
        match words {
            [approve, rest @ ..] if approve == APPROVE => {
                // Where no run is, it is an ordinary prompt.
                if project::find(cwd, &call.env, None, None).runs.is_empty() {
                    return Ok(None);
                }
                let wanted = Approving::read(rest)?;
                wanted.with(call, cwd, |waiting, name| {
                    let approval = waiting.approval(name).ok_or_else(|| not_due(name))?;
                    let workflow = &waiting.session.run.workflow;
                    let seen = Some(waiting.seen(approval)?);
                    let going_on = workflow.going_on();
                    Ok(Some(Meant { workflow: workflow.name.to_string(), going_on, seen, words: None }))
                })
            }
            [first, ..] if door::is_one(first) => Meant::of_door(call, event, words),
            [name, wanted, rest @ ..] => {
                // What is no workflow here is an ordinary prompt.
                let Ok(Some(chosen)) = choice::workflow(cwd, call.env.as_ref(), name) else {
                    return Ok(None);
                };
                let workflow = chosen.workflow;
                let command = workflow.commands.iter().find(|command| command.name == *wanted);
                let Some(command) = command.filter(|command| command.is_users) else { return Ok(None) };
                words::read(name, command, rest)?;
                let going_on = workflow.going_on();
                Ok(Some(Meant { workflow: workflow.name.to_string(), going_on, seen: None, words: None }))
            }
            _ => Ok(None),
        }
    }
}

impl Meant {
    /// The same for a command of the door's: the hold and the tree are those that are there when it is typed.
    fn of_door(call: &Call<'_>, event: &Event, words: &[String]) -> Result<Option<Meant>, CommandError> {
        let cwd = Path::new(&event.cwd);
        // Where no run is, it is an ordinary prompt.
        if project::find(cwd, &call.env, None, None).runs.is_empty() {
            return Ok(None);
        }
        let wanted = Wanted::read(words)?;
        let meant = wanted.meant(words, cwd, &call.env, event.session.as_deref())?;
        Ok(meant.map(|meant| Meant {
            workflow: meant.workflow,
            going_on: Some(meant.going_on.to_owned()),
            seen: Some(Seen { tree: meant.tree, commit: None }),
            words: Some(meant.words),
        }))
    }
}

/// Keeps a word, or says why it cannot be confirmed.
fn keep(
    call: &Call<'_>,
    asked: &Asked,
    event: &Event,
    words: &[String],
    meant: &Meant,
) -> Result<(), String> {
    if !asked.agent.records_typing() {
        let agent = title(asked.agent);
        return Err(format!(
            "{agent} keeps no record that tells what you typed from what an agent had delivered"
        ));
    }
    if caller::of(call.env.as_ref(), asked, event) != Caller::Client {
        return Err("it is not known that the prompt came from an agent's client".to_owned());
    }
    let (Some(session), Some(transcript), Some(prompt_id)) =
        (&event.session, &asked.transcript, &asked.prompt_id)
    else {
        return Err("the prompt came without the client's record of it".to_owned());
    };
    let seen = meant.seen.clone();
    let pending = Pending {
        prompt: event.prompt.clone().unwrap_or_default(),
        prompt_id: prompt_id.clone(),
        transcript: transcript.clone(),
        words: words.to_vec(),
        cwd: event.cwd.clone(),
        tree: seen.as_ref().and_then(|seen| seen.tree.clone()),
        commit: seen.and_then(|seen| seen.commit),
    };
    let folder = StateFolder::of(call.env.as_ref()).map_err(|error| error.to_string())?;
    pending.keep(&folder, session).map_err(|error| format!("it could not be kept: {error}"))
}

fn title(agent: Agent) -> &'static str {
    match agent {
        Agent::Claude => "Claude Code",
        Agent::Codex => "Codex",
        Agent::Gemini => "Gemini CLI",
        Agent::Cursor => "Cursor",
        Agent::Copilot => "Copilot CLI",
    }
}

/// Does what was typed. Returns the workflow, and what is said about it.
fn act(call: &Call<'_>, event: &Event, pending: &Pending) -> Result<(String, String), CommandError> {
    let (cwd, env) = (Path::new(&pending.cwd), &call.env);
    let [name, rest @ ..] = pending.words.as_slice() else { return Err(not_due("")) };
    if name == APPROVE {
        let wanted = Approving::read(rest)?;
        let seen = Seen { tree: pending.tree.clone(), commit: pending.commit.clone() };
        return wanted.with(call, cwd, |waiting, name| {
            let approval = waiting.approval(name).ok_or_else(|| not_due(name))?;
            let answer = wanted.no.as_deref().map_or(Answer::Yes(&seen), Answer::No);
            let by = By { by: &user::name(), through: Channel::Prompt };
            let outcome = waiting.say(approval, &by, answer)?;
            let workflow = &waiting.session.run.workflow;
            Ok((workflow.name.to_string(), outcome.lines(workflow).join("\n")))
        });
    }
    if door::is_one(name) {
        let wanted = Wanted::read(&pending.words)?;
        return wanted.perform(cwd, env, event.session.as_deref(), pending.tree.clone());
    }
    let no_command = || CommandError::new(Kind::Failed, "there is no such command any more");
    let choice::Choice { workflow, origin } =
        choice::workflow(cwd, env.as_ref(), name)?.ok_or_else(no_command)?;
    let wanted = rest.first().ok_or_else(no_command)?;
    let command = workflow.commands.iter().find(|command| command.name == *wanted);
    let command = command.filter(|command| command.is_users).ok_or_else(no_command)?.clone();
    let words = words::read(name, &command, &rest[1..])?;
    let session = event.session.clone();
    let typed = Typed {
        workflow: &workflow,
        origin,
        command: &command,
        words,
        cwd,
        env,
        session,
        is_confirmed: true,
    };
    Ok((workflow.name.to_string(), typed.perform()?))
}

/// An approval, as it is typed: `approve NAME [--no REASON] [--workflow NAME]`.
struct Approving {
    name: String,
    no: Option<String>,
    workflow: Option<String>,
}

impl Approving {
    fn read(words: &[String]) -> Result<Approving, CommandError> {
        let usage = || {
            CommandError::new(Kind::Usage, "an approval is typed as `holdpoint approve NAME`")
                .hinted("to refuse: holdpoint approve NAME --no 'the reason'")
        };
        let mut read = Approving { name: String::new(), no: None, workflow: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                // Without quotes the reason is the rest.
                "--no" => read.no = Some(words.by_ref().map(String::as_str).collect::<Vec<_>>().join(" ")),
                "--workflow" => read.workflow = Some(words.next().ok_or_else(usage)?.clone()),
                name if read.name.is_empty() && !name.starts_with('-') => name.clone_into(&mut read.name),
                _ => return Err(usage()),
            }
        }
        let is_empty = read.name.is_empty() || read.no.as_ref().is_some_and(|no| no.trim().is_empty());
        if is_empty { Err(usage()) } else { Ok(read) }
    }

    /// Finds the one run that waits for it, and whose workflow takes it from a prompt.
    fn with<T>(
        &self,
        call: &Call<'_>,
        cwd: &Path,
        then: impl FnOnce(&Waiting<'_>, &str) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let found = project::find(cwd, &call.env, None, self.workflow.as_deref());
        let event = approval::event(cwd);
        let sessions: Vec<Session<'_>> =
            found.runs.iter().map(|run| Session::new(run, &event, &call.env)).collect();
        let mut waiting = Vec::new();
        for session in &sessions {
            waiting.extend(Waiting::of(session)?.filter(|run| run.approval(&self.name).is_some()));
        }
        let [run] = waiting.as_slice() else {
            return Err(match waiting.len() {
                0 => not_due(&self.name),
                _ => CommandError::new(Kind::Usage, "several runs wait for this approval")
                    .hinted(format!("name the workflow: holdpoint approve {} --workflow NAME", self.name)),
            });
        };
        let through = run.approval(&self.name).map(|approval| &approval.through);
        if !through.is_some_and(|through| through.contains(&Channel::Prompt)) {
            let what = format!("`{}` cannot be approved by a prompt", self.name);
            return Err(CommandError::new(Kind::Failed, what)
                .hinted(format!("in a terminal of your own: holdpoint approve {}", self.name)));
        }
        then(run, &self.name)
    }
}

fn not_due(name: &str) -> CommandError {
    CommandError::new(Kind::Failed, format!("no run here waits for the approval `{name}`"))
        .hinted("see `holdpoint status`")
}

/// The command as it is typed in a shell.
fn shown(words: &[String]) -> String {
    let is_plain = |word: &String| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:@=+,".contains(c))
    };
    let quoted = |word: &String| {
        if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let words: Vec<String> = words.iter().map(quoted).collect();
    format!("holdpoint {}", words.join(" "))
}

fn refused(words: &[String], why: &str, hint: Option<&String>) -> String {
    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("holdpoint: nothing was done for `{}`: {why}{hint}.", shown(words))
}

fn unconfirmed(words: &[String], why: &str) -> String {
    format!(
        "holdpoint: nothing was done for the prompt `{0}`: {why}. If it was you, type in a terminal of your own:\n   {0}",
        shown(words)
    )
}

fn note(found: &Found, event: &Event, words: &[String], why: &str) {
    if let Some(run) = found.runs.iter().find(|run| run.is_recorded) {
        record::fault(&run.books, event, &format!("not done: `{}`: {why}", shown(words)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_read_as_the_commands_it_can_be_spelled_as() {
        let words = |prompt: &str| read(prompt).map(|words| words.join("|"));
        for (prompt, expect) in [
            ("holdpoint flow resume retry", Some("flow|resume|retry")),
            (" /flow resume retry ", Some("flow|resume|retry")),
            ("/flow:resume retry", Some("flow|resume|retry")),
            ("/flow:flow resume retry", Some("flow|resume|retry")),
            ("/flow resume don't stop", Some("flow|resume|don't|stop")),
            ("/flow resume 'use the cache'", Some("flow|resume|use the cache")),
            ("holdpoint approve qa --no \"not yet\"", Some("approve|qa|--no|not yet")),
            ("/flow", Some("flow")),
            ("/approve qa", None),
            ("/approve:pr 12", None),
            ("please run holdpoint flow resume", None),
            ("holdpoint flow resume\nretry", None),
            ("", None),
        ] {
            assert_eq!(words(prompt).as_deref(), expect, "{prompt}");
        }
        assert_eq!(words(&format!("/flow resume {}", "x".repeat(3_000))), None);
    }

    #[test]
    fn an_approval_is_read_with_its_reason() {
        let read = |text: &str| {
            let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            Approving::read(&words).map(|read| (read.name, read.no, read.workflow)).ok()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("qa"), Some(("qa".into(), None, None)));
        assert_eq!(read("qa --workflow w --no a b"), Some(("qa".into(), some("a b"), some("w"))));
        for wrong in ["", "--no x", "qa --no", "qa owner", "qa --yes", "qa --workflow"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
