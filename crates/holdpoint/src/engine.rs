//! The engine on one event: find the runs, ask each workflow, commit what it sets, merge what they say, write the
//! journal, answer.

pub mod advance;
pub mod approval;
mod background;
pub mod command;
mod commit;
mod delegation;
pub mod door;
mod echo;
mod job;
pub mod judge;
pub mod leftovers;
mod legacy;
mod merge;
mod newcomer;
mod overruling;
pub mod owed;
mod ownership;
mod patience;
pub mod pause;
mod performance;
mod record;
mod release;
pub mod report;
mod review;
mod runs;
pub mod session;
pub mod standing;
mod succession;
mod unheard;
pub(crate) mod unproved;
pub(crate) mod watch;
mod word;

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::event::{Event, Moment, Occasion};
use holdpoint_core::json::JsonError;
use holdpoint_core::workflow::Rule;
use serde_json::{Value as Json, json};
use thiserror::Error;

use self::leftovers::Leftovers;
use self::runs::Heard;
use self::session::Session;
use crate::agent::{self, Agent, Asked, Otherwise, Protocol};
use crate::allow::{Allowance, waiting};
use crate::caller::{self, Caller, Whence};
use crate::catalog::{self, Unusable};
use crate::env::Env;
use crate::hook::input::Input;
use crate::hook::options::Options;
use crate::project::{self, Found};
use crate::store::books::Books;
use crate::store::pending::Pending;
use crate::store::registry::Registry;
use crate::store::state_folder::StateFolder;
use crate::store::unheard::Note;
use crate::store::{aside, fired, told};

/// One call of the hook.
pub struct Call<'a> {
    /// What was on standard input.
    pub input: Input,
    /// The options.
    pub options: &'a Options,
    /// The folder the hook runs in.
    pub cwd: &'a Path,
    /// The environment.
    pub env: Arc<dyn Env>,
    /// What is no longer needed once it is answered.
    pub leftovers: Leftovers,
}

/// What the hook prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Standard output: one JSON object in a line, or nothing.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Notes of what it says, which go when it has been printed.
    pub unheard: Vec<Note>,
    /// The exit code: 0, but for bad input under a `[legacy]` that wants another, and for events that heed nothing else.
    pub exit: u8,
}

impl Reply {
    /// A message for the user: every agent shows one of the two, or logs it.
    pub fn to_user(text: &str) -> Reply {
        let stdout = format!("{}\n", json!({"systemMessage": text}));
        Reply { stdout, stderr: format!("{text}\n"), ..Reply::default() }
    }
}

/// Answers one event.
pub fn answer(call: &Call<'_>) -> Reply {
    let started = Instant::now();
    let payload: Json = match payload(&call.input) {
        Ok(payload) => payload,
        Err(error) => {
            let why = error.to_string();
            let home = note_fault(&call.env, call.cwd, &why);
            return legacy::unreadable(call, &why).unwrap_or_else(|| unreadable(call, home.as_deref(), &why));
        }
    };
    let options = call.options;
    let agent = Agent::recognise(options.agent, &payload);
    let cwd = call.cwd.to_string_lossy();
    let moment = moment_of_rule(options, call).or_else(|| legacy::moment(call, &payload));
    let otherwise = Otherwise { cwd: &cwd, moment };
    let Some((asked, event)) = agent::event(agent, &payload, &otherwise) else { return Reply::default() };
    if let Some(reply) = legacy::no_folder(call, &payload, &event) {
        return reply;
    }
    let found = project::runs_for(&event, &call.env, options.workflow.as_deref());
    let mut said = merge::Said::new(options.protocol == Protocol::Legacy);
    if found.runs.is_empty() && !Path::new(&event.cwd).is_dir() {
        let what = format!("the folder {} that the event names is not there", event.cwd);
        if let Some(home) = note_fault(&call.env, call.cwd, &what) {
            said.fault(&Books::of(&home, call.env.as_ref()), &event, &what, nothing_judged(&what));
        }
    }
    if let Some(reply) = unknown_names(&event, &found, call) {
        return reply;
    }
    let is_own = options.protocol == Protocol::Own;
    // Whatever runs the event itself concerns: the user's word may be about another.
    let word = is_own.then(|| word::waiting(call.env.as_ref(), &event)).flatten();
    if is_own && (word.is_some() || performance::may_act(&event, &found)) {
        match caller::of(call.env.as_ref(), &asked, &event) {
            Caller::Forged(whence) => return not_the_clients(&found, &asked, &event, whence),
            Caller::Unproved(why) => {
                let (input, env) = (Input::Whole(Vec::new()), unproved::doubted(&call.env, why));
                let call = Call { input, options, cwd: call.cwd, env, leftovers: Leftovers::default() };
                return hear(&call, &asked, event, &found, word.as_ref(), said, started);
            }
            Caller::Client | Caller::User => {}
        }
    }
    let reply = hear(call, &asked, event, &found, word.as_ref(), said, started);
    call.leftovers.keep((payload, found));
    reply
}

/// What is no event is nobody's to hold; the user hears of it, if a project of ours is concerned.
fn unreadable(call: &Call<'_>, home: Option<&Path>, why: &str) -> Reply {
    let is_told = |home: &&Path| match &call.input {
        // An event, but for its size: told each time, or the first would open the way for all others.
        Input::TooLarge => true,
        // Nobody sent anything.
        Input::Late(bytes) if bytes.is_empty() => false,
        Input::Whole(_) | Input::Late(_) | Input::Broken(_) => {
            told::first_time(&Books::of(home, call.env.as_ref()), "", why)
        }
    };
    match home.filter(|_| call.options.protocol == Protocol::Own).filter(is_told) {
        Some(_) => Reply::to_user(&nothing_judged(why)),
        None => Reply::default(),
    }
}

/// Notes who is there and what the user has said, and then asks the workflows.
fn hear(
    call: &Call<'_>,
    asked: &Asked,
    mut event: Event,
    found: &Found,
    word: Option<&Pending>,
    mut said: merge::Said,
    started: Instant,
) -> Reply {
    if call.options.protocol == Protocol::Own {
        match event.moment {
            Moment::Start | Moment::Prompt => caller::note(call.env.as_ref(), &event),
            Moment::Stop => caller::see(call.env.as_ref(), asked, &event),
            Moment::Beside(Occasion::End) => succession::end(call, asked, &event),
            Moment::Before | Moment::Beside(_) => {}
            Moment::After => delegation::end(call, asked, &mut event, found, &mut said),
        }
        if let Some(pending) = word {
            word::settle(call, &event, found, pending, &mut said);
        }
        word::hear(call, asked, &event, found, &mut said);
    }
    respond(call, asked, event, found, said, started)
}

/// A call that the client did not make performs nothing, records no verdict and counts for nobody.
fn not_the_clients(found: &Found, asked: &Asked, event: &Event, whence: Whence) -> Reply {
    let what = &format!("a call of the hook came {whence}");
    if let Some(run) = found.runs.iter().find(|run| run.is_recorded) {
        record::unasked(&run.books, what);
    }
    let way_out = whence.way_out(asked.agent, event.session.as_deref()).map(|way_out| format!(" {way_out}"));
    let way_out = way_out.unwrap_or_default();
    Reply::to_user(&format!("holdpoint: {what}, so nothing was judged, performed or recorded.{way_out}"))
}

fn nothing_judged(why: &str) -> String {
    format!("holdpoint: {why}, so nothing was judged and nothing held. See `holdpoint log --faults`.")
}

fn respond(
    call: &Call<'_>,
    asked: &Asked,
    event: Event,
    found: &Found,
    mut said: merge::Said,
    started: Instant,
) -> Reply {
    let mut event = Arc::new(event);
    let recorded = found.runs.iter().find(|run| run.is_recorded);
    let home = recorded.map(|run| run.home.as_path()).or(found.base.as_deref());
    if !found.waiting.is_empty() {
        let registry = Registry::of(call.env.as_ref());
        let text = waiting::message(&found.waiting, &registry).unwrap_or_default();
        said.once(&registry, &event, &waiting::key(&found.waiting, &text), text);
    }
    let books = |home: &Path| Books::of(home, call.env.as_ref());
    if asked.agent.prompts_itself() && home.is_some_and(|home| echo::is_one(&books(home), &event)) {
        return Reply::default();
    }
    for what in found.unusable.iter().map(Unusable::in_words).chain(found.problems.iter().cloned()) {
        tell_problem(call, &what, found, &event, &mut said);
    }
    release::unreadable(call, &event, found, &mut said);
    if recorded.is_none() {
        note_firing(call, &event);
    }
    if event.moment == Moment::Stop {
        clear_away(&found.strays, call.env.as_ref());
    }
    let pause = background::pause(asked, &event, found, &call.env);
    Arc::make_mut(&mut event).is_waiting = pause.is_some();
    let environments = LazyCell::new(Arc::default);
    let session = |run| Session::sharing(&environments, run, &event, &call.env).asked(asked);
    let heard = Heard { call, asked, found, pause: pause.as_ref(), started };
    let judged = runs::ask_all(&heard, session, &mut said);
    let instead = if said.holds() {
        None
    } else {
        // What a sub-agent is asked in a pause was not asked by the run.
        if !judged.iter().any(|session| session.run.workflow.asks_subagents() && session.is_paused()) {
            delegation::begin(call, asked, &event, found);
        }
        performance::perform(call, asked, &event)
    };
    note_call(call, judged, instead.is_some(), &mut said);
    let unheard = std::mem::take(&mut said.unheard);
    let mut answer = said.answer(home, event.moment);
    answer.instead = instead;
    let mut plain = String::new();
    if call.options.protocol == Protocol::Legacy {
        plain = legacy::plain(found, event.moment, &mut answer);
        answer.release = legacy::release(call, found, event.moment);
        let shows_messages = answer.release.is_some() && answer.hold.is_none();
        answer.stderr.extend(answer.message.take_if(|_| !shows_messages));
        answer.stderr.extend(answer.context.take());
    } else {
        agent::settle(&mut answer, asked.agent, event.moment);
    }
    if let Some(home) = home.filter(|_| asked.agent.prompts_itself()) {
        echo::expect(&books(home), &event, answer.hold.as_deref());
    }
    let stdout = agent::render(&answer, asked, event.moment, call.options.protocol);
    let stdout = plain + &stdout.map(|json| format!("{json}\n")).unwrap_or_default();
    let exit = agent::exit(&answer, asked, event.moment, call.options.protocol);
    answer.stderr.extend(answer.hold.take_if(|_| exit == 2));
    let stderr = answer.stderr.iter().map(|text| format!("{text}\n")).collect();
    Reply { stdout, stderr, unheard, exit }
}

/// Notes that a hook has fired where no journal tells it. Where it cannot be noted, nobody knows.
fn note_firing(call: &Call<'_>, event: &Event) {
    if let Ok(folder) = StateFolder::of(call.env.as_ref()) {
        let _ = fired::note(&folder, &event.agent, event.moment.name(), &event.cwd);
    }
}

/// Notes what is there before a shell call that nobody holds, in each run that has something watched.
fn note_call(call: &Call<'_>, judged: Vec<Session<'_>>, has_performed: bool, said: &mut merge::Said) {
    let is_watched = call.options.only.is_none() && call.options.protocol == Protocol::Own && !said.holds();
    for session in judged {
        if is_watched && let Some(why) = session.open_call(has_performed) {
            said.unwatched(&session, &why);
        }
        call.leftovers.keep(session.into_facts());
    }
}

/// Moves files out of the way that only look like a run, and leaves a line about each. They are not ours to delete.
fn clear_away(strays: &[(PathBuf, PathBuf)], env: &dyn Env) {
    for (home, stray) in strays {
        let what = match aside::set_aside(home, stray) {
            Ok(place) => {
                format!("{} is not a run: it was moved to {}", stray.display(), place.display())
            }
            Err(error) => {
                format!("{} is not a run, and it could not be moved away: {error}", stray.display())
            }
        };
        record::unasked(&Books::of(home, env), &what);
    }
}

/// The reason why there is no payload.
#[derive(Debug, Error)]
enum PayloadError {
    #[error("the hook's input is not a JSON object")]
    NotAnObject,
    #[error("the hook's input went silent after {0} bytes")]
    Silent(usize),
    #[error("the hook's input is not JSON ({length} bytes): {source}")]
    NotJson { length: usize, source: JsonError },
    #[error("the hook's input is too large")]
    TooLarge,
    #[error("the hook's input could not be read: {0}")]
    Broken(String),
}

/// The payload, or why there is none.
fn payload(input: &Input) -> Result<Json, PayloadError> {
    match input {
        Input::Whole(bytes) | Input::Late(bytes) => match holdpoint_core::json::first(bytes) {
            Ok(payload @ Json::Object(_)) => Ok(payload),
            Ok(_) => Err(PayloadError::NotAnObject),
            Err(_) if matches!(input, Input::Late(_)) => Err(PayloadError::Silent(bytes.len())),
            Err(source) => Err(PayloadError::NotJson { length: bytes.len(), source }),
        },
        Input::TooLarge => Err(PayloadError::TooLarge),
        Input::Broken(why) => Err(PayloadError::Broken(why.clone())),
    }
}

/// The moment a rule looks at, where the command line names one rule: payloads may leave the event out.
fn moment_of_rule(options: &Options, call: &Call<'_>) -> Option<Moment> {
    let only = options.only.as_deref()?;
    let moment = |rules: &[Rule]| {
        rules.iter().find(|rule| rule.is_called(only)).and_then(|rule| rule.on.first()).map(|on| on.moment)
    };
    let built_in = catalog::built_in().iter().find_map(|built_in| moment(&built_in.workflow.rules));
    built_in.or_else(|| {
        project::find(call.cwd, &call.env, None, options.workflow.as_deref())
            .runs
            .iter()
            .find_map(|run| moment(&run.workflow.rules))
    })
}

/// A workflow or a rule that does not exist is a mistake in the registration: the user must see it, the agent goes on.
fn unknown_names(event: &Event, found: &Found, call: &Call<'_>) -> Option<Reply> {
    let options = call.options;
    let names_nothing = options.workflow.is_none() && options.only.is_none();
    if names_nothing || !found.unusable.is_empty() || !found.waiting.is_empty() {
        return None;
    }
    let own = &found.configuration.own;
    let built_in = catalog::built_in()
        .iter()
        .filter(|built_in| !own.iter().any(|own| own.name == built_in.workflow.name));
    let wanted = |name: &str| options.workflow.as_deref().is_none_or(|wanted| wanted == name);
    let mut names: Vec<String> = own.iter().map(|own| own.name.clone()).collect();
    let mut rules: Vec<Rule> = Vec::new();
    for built_in in built_in {
        names.push(built_in.workflow.name.to_string());
        if wanted(&built_in.workflow.name) {
            rules.extend(built_in.workflow.rules.iter().cloned());
        }
    }
    let problem = match (options.workflow.as_deref(), options.only.as_deref()) {
        (Some(name), _) if !names.iter().any(|known| known == name) => {
            format!("there is no workflow `{name}`; there are: {}", names.join(", "))
        }
        (_, Some(only)) => {
            for own in own.iter().filter(|own| wanted(&own.name)) {
                let loaded = own.load(call.env.as_ref()).map(|workflow| workflow.rules).unwrap_or_default();
                rules.extend(loaded.iter().cloned());
            }
            if rules.iter().any(|rule| rule.is_called(only)) {
                return None;
            }
            let mut called: Vec<&str> = Vec::new();
            for rule in &rules {
                let name = rule.called().as_ref();
                if !called.contains(&name) {
                    called.push(name);
                }
            }
            format!("there is no rule `{only}`; there are: {}", called.join(", "))
        }
        _ => return None,
    };
    // Whoever has moved only half of a registration would hear it with every call.
    let registry = Registry::of(call.env.as_ref());
    if event.session.as_deref().is_some_and(|session| !registry.first_time(session, &problem)) {
        return Some(Reply::default());
    }
    note_fault(&call.env, call.cwd, &problem);
    Some(Reply::to_user(&format!(
        "holdpoint hook: {problem}. Nothing is held until the hook's registration is fixed."
    )))
}

/// What is wrong with workflows or settings: the project's journal says so each time, the user sees it once a session.
fn tell_problem(call: &Call<'_>, what: &str, found: &Found, event: &Event, said: &mut merge::Said) {
    let text = format!("holdpoint: {what}. See `holdpoint check`.");
    let Some(base) = &found.base else {
        said.once(Allowance::of(call.env.as_ref()).registry(), event, what, text);
        return;
    };
    let books = Books::of(base, call.env.as_ref());
    record::fault(&books, event, what);
    said.fault(&books, event, what, text);
}

/// Writes a fault to the journal of the project that `cwd` lies in, and says where that is, if there is one and the user
/// has allowed it.
pub fn note_fault(env: &Arc<dyn Env>, cwd: &Path, what: &str) -> Option<PathBuf> {
    let found = project::find(cwd, env, None, None);
    let run = found.runs.iter().find(|run| run.is_recorded).map(|run| run.home.clone());
    let home = run.or_else(|| {
        let home = found.base.or(found.journal)?;
        Allowance::of(env.as_ref()).knows(&home).then_some(home)
    })?;
    record::unasked(&Books::of(&home, env.as_ref()), what);
    Some(home)
}
