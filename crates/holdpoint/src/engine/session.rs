//! One run and one event: what is known of them, found out once and anew when something has changed it.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use holdpoint_core::door::Pause;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts};
use holdpoint_core::filters::Environments;

use super::command::words::Words;
use super::pause;
use super::watch::{self, Unwatched};
use crate::agent::Asked;
use crate::caller::presence::Claimant;
use crate::env::Env;
use crate::program;
use crate::project::{Run, candidates};
use crate::store::seal::{Look, Seal, SealError};
use crate::store::state::StateFile;
use crate::world::ProjectWorld;

/// A run and what it is asked about.
pub struct Session<'a> {
    /// The run.
    pub run: &'a Run,
    /// The event.
    pub event: &'a Arc<Event>,
    /// The environment.
    pub env: &'a Arc<dyn Env>,
    /// The agent's id of the tool call.
    call_id: Option<&'a str>,
    /// Where the agent's client keeps its record of the session.
    transcript: Option<&'a str>,
    /// What was typed with a command: facts can name it.
    words: Option<&'a Words>,
    /// Where its conditions and texts are evaluated, with those of the event's other runs.
    environments: Arc<Environments>,
    /// When it was asked.
    started: Instant,
    facts: RefCell<Option<Arc<Facts>>>,
    pause: OnceCell<Option<Pause>>,
    /// The rules whose hold the user has released for this event.
    passed: RefCell<Vec<String>>,
}

impl<'a> Session<'a> {
    /// A run and an event.
    pub fn new(run: &'a Run, event: &'a Arc<Event>, env: &'a Arc<dyn Env>) -> Session<'a> {
        Session::sharing(&Arc::default(), run, event, env)
    }

    /// The same for one of an event's runs, which have one budget.
    pub fn sharing(
        environments: &Arc<Environments>,
        run: &'a Run,
        event: &'a Arc<Event>,
        env: &'a Arc<dyn Env>,
    ) -> Session<'a> {
        let environments = Arc::clone(environments);
        Session {
            run,
            event,
            env,
            call_id: None,
            transcript: None,
            words: None,
            environments,
            started: Instant::now(),
            facts: RefCell::default(),
            pause: OnceCell::new(),
            passed: RefCell::default(),
        }
    }

    /// The user's pause of this run, if it is paused. It is looked for once, where it matters.
    pub(super) fn pause(&self) -> Option<&Pause> {
        self.pause.get_or_init(|| pause::of(self.run, self.env)).as_ref()
    }

    /// The same, where it matters.
    pub(super) fn pause_if(&self, matters: bool) -> Option<&Pause> {
        if matters { self.pause() } else { None }
    }

    /// Whether it is known that the run is paused: where nothing was asked, it does not matter.
    pub(super) fn is_paused(&self) -> bool {
        self.pause.get().is_some_and(Option::is_some)
    }

    /// Notes that the user has let this event pass a rule.
    pub(super) fn pass(&self, rule: &str) {
        self.passed.borrow_mut().push(rule.to_owned());
    }

    /// The rules that the user has let this event pass.
    pub(super) fn passed(&self) -> Vec<String> {
        self.passed.borrow().clone()
    }

    /// The same for what an agent asks: with its id of the tool call, and its record of the session.
    pub(super) fn asked(self, asked: &'a Asked) -> Session<'a> {
        Session { call_id: asked.call_id.as_deref(), transcript: asked.transcript.as_deref(), ..self }
    }

    /// The agent's session, as the one that works on the run.
    pub(super) fn claimant(&self) -> Option<Claimant<'_>> {
        let session = self.event.session.as_deref()?;
        Some(Claimant { session, transcript: self.transcript })
    }

    /// How long ago it was asked.
    pub(super) fn took(&self) -> Duration {
        self.started.elapsed()
    }

    /// Where the agent's client keeps its record of the session, if it says so.
    pub(super) fn transcript(&self) -> Option<&str> {
        self.transcript
    }

    /// The agent's id of the tool call, if it gives one.
    pub(super) fn call_id(&self) -> Option<&str> {
        self.call_id
    }

    /// Notes what is there before the shell call of this event. After a command was performed, that is something else than
    /// what was found out before.
    pub(super) fn open_call(&self, has_performed: bool) -> Option<Unwatched> {
        if has_performed {
            self.refresh();
        }
        watch::open(self)
    }

    /// The same for a command, with what was typed.
    pub(super) fn with_words(self, words: &'a Words) -> Session<'a> {
        Session { words: Some(words), ..self }
    }

    /// What can be known. The state and the working tree are as they were when they were first asked for.
    pub fn facts(&self) -> Arc<Facts> {
        Arc::clone(self.facts.borrow_mut().get_or_insert_with(|| self.found_out(None)))
    }

    /// What was found out last.
    pub(super) fn into_facts(self) -> Option<Arc<Facts>> {
        self.facts.into_inner()
    }

    /// The same, found out again: after a program ran, after something was written, and where a lock was waited for.
    pub(super) fn refresh(&self) -> Arc<Facts> {
        self.facts.take();
        self.facts()
    }

    /// The same, with the working tree as it was just seen: hashing it is dear.
    pub(super) fn refresh_with(&self, tree: Option<String>) -> Arc<Facts> {
        self.facts.replace(Some(self.found_out(tree)));
        self.facts()
    }

    fn found_out(&self, tree: Option<String>) -> Arc<Facts> {
        let world = ProjectWorld::of(self.run, Arc::clone(self.env)).with_tree(tree);
        let facts = self.run.facts_in(world, Arc::clone(self.event), &self.environments);
        let Some(words) = self.words else { return facts };
        let facts = facts.with_words(&words.args, &words.flags);
        let Run { workflow, books, .. } = self.run;
        if workflow.run.id.is_none() {
            return facts;
        }
        facts.with_runs(candidates::all(workflow, books, self.env, self.event.session.as_deref()))
    }

    /// The run's state file, if its workflow has one.
    pub(super) fn state_file(&self) -> Result<Option<StateFile>, FactError> {
        Ok(self.facts().state_path()?.map(|path| StateFile::of(self.run, &path)))
    }

    /// Waits as long as a step says; false if we were told to end meanwhile.
    pub(super) fn wait(&self, seconds: u32) -> bool {
        for _ in 0..seconds {
            if program::is_interrupted() {
                return false;
            }
            self.env.pause(Duration::from_secs(1));
        }
        if seconds > 0 {
            self.facts.take();
        }
        true
    }

    /// Puts a state back that only the engine may write, if somebody else did; says so. An error if it cannot be told
    /// any more what the state was.
    pub(super) fn uphold(&self) -> Result<Option<String>, SealError> {
        let Some(seal) = Seal::of(self.run) else { return Ok(None) };
        let Some(path) = self.facts().state_path().ok().flatten() else { return Ok(None) };
        let look =
            if self.event.moment == Moment::Stop || self.words.is_some() { Look::Close } else { Look::Quick };
        let upheld = seal.uphold(&self.run.folder.join(&path), look);
        self.facts.take();
        Ok(upheld?.said(&path))
    }
}
