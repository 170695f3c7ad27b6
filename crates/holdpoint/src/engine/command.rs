//! A workflow's command: what somebody in a shell, a person or an agent, tells the engine about a run.

pub mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::command::{self, Ran};
use holdpoint_core::decision::Set;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts, reason, time};
use holdpoint_core::path::tidy;
use holdpoint_core::phase::{self, Due};
use holdpoint_core::run_id::{self, Parts};
use holdpoint_core::workflow::command::{Command, CommandStep};
use holdpoint_core::workflow::{Text, Workflow};

use super::record;
use super::run::{self, Ask};
use super::settlement::{self, Changes};
use super::stop::{self, Course};
use crate::catalog::Origin;
use crate::env_vars::Env;
use crate::error::{CommandError, Kind};
use crate::project::{self, Run, candidates};
use crate::store::journal::{self, Entry};
use crate::store::kept::Kept;
use crate::store::lock::{self, Lock};
use crate::store::seal::Seal;
use crate::store::state;
use crate::store::{evidence, layout, owner};
use crate::world::ProjectWorld;
use words::Words;

/// A command that somebody typed.
pub struct Typed<'a> {
    /// The workflow.
    pub workflow: &'a Workflow,
    /// The command.
    pub command: &'a Command,
    /// What was given with it.
    pub words: Words,
    /// The folder it was typed in.
    pub cwd: &'a Path,
    /// The environment.
    pub env: &'a Arc<dyn Env>,
}

/// What could not be worked out: a file that cannot be read, as a rule. That is no answer of the workflow's.
fn told(error: &FactError) -> CommandError {
    CommandError::new(Kind::Files, reason(error))
}

impl Typed<'_> {
    /// Performs it: its step, and then the phases that it may go through. Returns what is printed.
    pub fn perform(&self) -> Result<String, CommandError> {
        if self.command.is_users && self.env.is_agents() {
            let what = format!("`{}` is the user's to call, not an agent's", self.command.name);
            return Err(CommandError::new(Kind::Failed, what).hinted("tell the user, and end your turn"));
        }
        if self.command.through.is_empty() {
            return self.take_step();
        }
        let found = self.found()?;
        let facts = self.facts(&self.home(), found.as_ref());
        let through = command::through(&facts, self.command).map_err(|error| told(&error))?;
        if let Some(run) = &found {
            self.refuse_out_of_turn(run, &through)?;
        }
        let said = if self.command.steps.is_empty() { String::new() } else { self.take_step()? };
        let run = self.found()?.ok_or_else(|| self.no_run())?;
        let due = self.go_through(&run, &through)?;
        Ok([said, due].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
    }

    fn no_run(&self) -> CommandError {
        let name = &self.workflow.name;
        CommandError::new(Kind::Failed, format!("there is no run of {name} here"))
            .hinted(format!("see `holdpoint {name}`"))
    }

    /// Takes its step: read, decided and written under the run's lock.
    fn take_step(&self) -> Result<String, CommandError> {
        // A run further up than the project is somebody else's where a new one is to be made.
        let found = self.found()?.filter(|run| !self.may_make() || run.home == self.home());
        let home = found.as_ref().map_or_else(|| self.home(), |run| run.home.clone());
        let _runs =
            self.locks_all(found.as_ref()).then(|| locked(&home, &self.runs_folder(&home))).transpose()?;
        let lock = found.as_ref().map(|run| locked(&home, &run.place())).transpose()?;
        // Somebody may have cleared it away meanwhile.
        let found = found.filter(|run| run.id.is_none() || run.place().is_file());
        let facts = self.facts(&home, found.as_ref());
        let step = command::step(&facts, self.command).map_err(|error| told(&error))?;
        let step =
            step.ok_or_else(|| CommandError::new(Kind::Failed, "none of the command's steps applies now"))?;
        match self.made(&home, &facts, step)? {
            Some(run) => {
                // The new run may stand where the old one did.
                drop(lock);
                self.make(&run, step)
            }
            None => self.take(found.as_ref(), &facts, step, lock),
        }
    }

    /// Whether all runs are locked: there is one, or one may be made. Who only looks at nothing leaves nothing behind.
    fn locks_all(&self, found: Option<&Run>) -> bool {
        self.workflow.run.id.is_some() && (found.is_some() || self.may_make())
    }

    fn may_make(&self) -> bool {
        self.command.steps.iter().any(|step| step.create.is_some())
    }

    /// The run it is about: the one it names by its id, or the one that counts now.
    fn found(&self) -> Result<Option<Run>, CommandError> {
        let session = self.env.session();
        let found = project::find(self.cwd, self.env, session.as_deref(), Some(&self.workflow.name));
        let newest = found.runs.into_iter().next();
        if let Some(run) = &newest {
            let event = Arc::new(self.event());
            let ask = Ask { event: &event, env: self.env, only: None, through: None };
            run::uphold(run, &ask).map_err(|why| CommandError::new(Kind::Files, why))?;
        }
        let facts = self.facts(&self.home(), newest.as_ref());
        let Some(id) = command::about(&facts, self.command).map_err(|error| told(&error))? else {
            return Ok(newest);
        };
        let no_such = || {
            CommandError::new(Kind::Failed, format!("{} has no run {id:?} here", self.workflow.name))
                .hinted("see `holdpoint status`")
        };
        let home = newest.as_ref().map_or_else(|| self.home(), |run| run.home.clone());
        let is_there = candidates::ids(self.workflow, &home).contains(&id);
        if is_there { Ok(Some(self.run(home, id))) } else { Err(no_such()) }
    }

    fn run(&self, home: PathBuf, id: String) -> Run {
        let workflow = self.workflow.clone();
        Run { workflow, origin: Origin::BuiltIn, folder: home.clone(), home, id: Some(id) }
    }

    /// The folder that a run is made in where there is none yet: the nearest that has runs, choices or a repository,
    /// or the current one.
    fn home(&self) -> PathBuf {
        let markers = [&*self.workflow.run.home, layout::FOLDER, ".git"];
        let homes = markers.iter().filter_map(|marker| project::nearest(self.cwd, marker));
        homes.max_by_key(|home| home.components().count()).unwrap_or_else(|| self.cwd.to_path_buf())
    }

    fn runs_folder(&self, home: &Path) -> PathBuf {
        home.join(self.workflow.run.home.as_ref())
    }

    fn facts(&self, home: &Path, run: Option<&Run>) -> Arc<Facts> {
        let env = Arc::clone(self.env);
        let world = match run {
            Some(run) => ProjectWorld::of(run, env),
            None => ProjectWorld::new(home, home, env),
        };
        let session = self.env.session();
        let home_text = tidy(&home.to_string_lossy());
        let facts = Facts::new(self.workflow.clone(), Arc::new(self.event()), home_text, Arc::new(world));
        let facts = facts.with_words(&self.words.args, &self.words.flags);
        if self.workflow.run.id.is_none() {
            return facts;
        }
        facts.with_runs(candidates::all(self.workflow, home, self.env, session.as_deref()))
    }

    /// The run that a step makes, if it makes one.
    fn made(&self, home: &Path, facts: &Arc<Facts>, step: &CommandStep) -> Result<Option<Run>, CommandError> {
        let Some(name) = command::created(facts, step).map_err(|error| told(&error))? else {
            return Ok(None);
        };
        if let Some(pattern) = &self.workflow.run.id {
            return Ok(Some(self.run(home.to_path_buf(), self.new_id(pattern))));
        }
        let folder = match self.workflow.run.each {
            Some(_) => new_folder(self.workflow, home, &name)?,
            None => home.to_path_buf(),
        };
        let workflow = self.workflow.clone();
        Ok(Some(Run { workflow, origin: Origin::BuiltIn, home: home.to_path_buf(), folder, id: None }))
    }

    fn new_id(&self, pattern: &str) -> String {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let now = time::iso(self.env.now());
        let (date, clock) = now.split_once('T').unwrap_or_default();
        let parts =
            Parts { date: digits(date), time: digits(clock), hex: format!("{:016x}", self.env.random_u64()) };
        run_id::make(pattern, &parts)
    }

    fn make(&self, run: &Run, step: &CommandStep) -> Result<String, CommandError> {
        let lock = locked(&run.home, &run.place())?;
        if let Some(seal) = Seal::of(run) {
            let path = self.facts(&run.home, Some(run)).state_path().map_err(|error| told(&error))?;
            let state = path.map(|path| run.folder.join(path)).unwrap_or_default();
            seal.retire(&state).map_err(|why| CommandError::new(Kind::Files, why))?;
            evidence::set_aside(&run.home, &self.workflow.name);
        }
        let facts = self.facts(&run.home, Some(run));
        let first = facts.first_values().map_err(|error| told(&error))?;
        if let Some(id) = run.id.as_ref().filter(|_| !step.keep.is_empty()) {
            let paths: Vec<&str> = step.keep.iter().map(AsRef::as_ref).collect();
            let kept = Kept::new(&run.home, &self.workflow.name, id).keep(&paths);
            kept.map_err(|why| CommandError::new(Kind::Files, why))?;
        }
        self.settle(run, &facts, step, first, lock)
    }

    fn take(
        &self,
        found: Option<&Run>,
        facts: &Arc<Facts>,
        step: &CommandStep,
        lock: Option<Lock>,
    ) -> Result<String, CommandError> {
        match (found, lock) {
            (Some(run), Some(lock)) => {
                let has_state = facts.has_state().map_err(|error| told(&error))?;
                let is_first = changes_a_run(step) && !has_state;
                let first = if is_first { facts.first_values() } else { Ok(Vec::new()) };
                self.settle(run, facts, step, first.map_err(|error| told(&error))?, lock)
            }
            _ if changes_a_run(step) => Err(self.no_run()),
            _ => match command::take(facts, step, Vec::new()).map_err(|error| told(&error))? {
                Ran::Refused(why) => Err(CommandError::new(Kind::Failed, why)),
                Ran::Done { text, .. } => said(step, text),
            },
        }
    }

    /// Takes a step of a run and writes what it comes to: files first, then the state.
    fn settle(
        &self,
        run: &Run,
        facts: &Arc<Facts>,
        step: &CommandStep,
        first: Vec<Set>,
        lock: Lock,
    ) -> Result<String, CommandError> {
        let failed = |why: String| CommandError::new(Kind::Files, why);
        let ran = command::take(facts, step, first).map_err(|error| told(&error))?;
        let (mut text, changes) = match ran {
            Ran::Refused(why) => return Err(CommandError::new(Kind::Failed, why)),
            Ran::Done { sets, text, files, expects, log } => (text, Changes { sets, files, expects, log }),
        };
        if step.restore
            && let Some(aside) = self.restore(run).map_err(failed)?
        {
            text = format!("{text}\nWhat was replaced is in {}.", aside.display());
        }
        if let Some(behind) = self.write(run, facts, &changes)? {
            text = format!("{text}\n\nNote: {behind}");
        }
        self.claim(run, step);
        drop(lock);
        record(run, &self.entry(&changes.sets));
        said(step, text)
    }

    /// Whoever runs a command works on the run, unless it says no; where the shell does not say who, the next one to
    /// stop does. Books that cannot be kept change nothing.
    fn claim(&self, run: &Run, step: &CommandStep) {
        if self.workflow.run.owner.is_none() && step.fail.is_none() {
            let session = self.env.session().unwrap_or_default();
            let _ = owner::claim(&run.home, &run.place(), &session, self.env.now());
        }
    }

    /// Puts the files back that some step of the workflow keeps.
    fn restore(&self, run: &Run) -> Result<Option<PathBuf>, String> {
        let Some(id) = &run.id else { return Ok(None) };
        let steps = self.workflow.commands.iter().flat_map(|command| command.steps.iter());
        let paths: Vec<&str> = steps.flat_map(|step| step.keep.iter()).map(AsRef::as_ref).collect();
        Kept::new(&run.home, &self.workflow.name, id).restore(&paths)
    }

    fn write(
        &self,
        run: &Run,
        facts: &Arc<Facts>,
        changes: &Changes,
    ) -> Result<Option<String>, CommandError> {
        let failed = |why: String| CommandError::new(Kind::Files, why);
        let path = facts.state_path().map_err(|error| failed(reason(&error)))?;
        let Some(file) = settlement::state_file(run, path) else {
            return if changes.sets.is_empty() {
                Ok(None)
            } else {
                Err(failed("[run] names no state file".into()))
            };
        };
        let event = Arc::new(self.event());
        let ask = Ask { event: &event, env: self.env, only: None, through: None };
        let written = settlement::write(run, &ask, &file, None, changes);
        written.map_err(|error| failed(format!("{}: {error}", file.path.display())))
    }

    /// Goes through the phases that are due, as a Stop would, as far as the command may, and shows what is due then.
    fn go_through(&self, run: &Run, through: &[Text]) -> Result<String, CommandError> {
        let event = Arc::new(Event { moment: Moment::Stop, ..self.event() });
        let ask = Ask { event: &event, env: self.env, only: None, through: Some(through) };
        let started = Instant::now();
        let course = stop::course(run, &ask);
        record(run, &self.performed(&course, started));
        if let Some(fault) = course.faults.first().filter(|_| course.said.is_empty()) {
            return Err(CommandError::new(Kind::Failed, fault.what.clone()));
        }
        let faults = course.faults.iter().filter(|_| !course.tells_faults);
        let faults: Vec<String> = faults.map(|fault| format!("Note: {}", fault.what)).collect();
        let mut said: Vec<String> = course.said.into_iter().map(|saying| saying.text).collect();
        said.extend(faults);
        said.extend(self.left_over(run, through));
        Ok(said.join("\n\n"))
    }

    /// How to go on where something is due that this command has no part in.
    fn left_over(&self, run: &Run, through: &[Text]) -> Option<String> {
        let event = Arc::new(self.event());
        let ask = Ask { event: &event, env: self.env, only: None, through: Some(through) };
        match phase::due(&run::facts(run, &ask)).ok()? {
            Due::Phase(phase) if !ask.may_go_through(&phase.name) && phase.actor().is_performed() => {
                self.workflow.going_on().map(|command| format!("To go on: {command}"))
            }
            _ => None,
        }
    }

    /// A command is refused in a phase that it has no part in.
    fn refuse_out_of_turn(&self, run: &Run, through: &[Text]) -> Result<(), CommandError> {
        let event = Arc::new(self.event());
        let ask = Ask { event: &event, env: self.env, only: None, through: Some(through) };
        let due = phase::due(&run::facts(run, &ask)).map_err(|error| told(&error))?;
        match due {
            Due::Phase(phase) if !ask.may_go_through(&phase.name) => {
                let name = &self.command.name;
                let what = format!("`{name}` has nothing to do now: the phase `{}` is due", phase.name);
                let error = CommandError::new(Kind::Failed, what);
                Err(match self.workflow.going_on() {
                    Some(hint) => error.hinted(hint),
                    None => error,
                })
            }
            _ => Ok(()),
        }
    }

    fn event(&self) -> Event {
        Event {
            session: self.env.session(),
            ..Event::from_shell(Moment::Prompt, &self.cwd.to_string_lossy())
        }
    }

    /// The journal's entry for what was gone through. Nobody was held: it was asked what is due.
    fn performed(&self, course: &Course, started: Instant) -> Entry {
        let faults: Vec<String> = course.faults.iter().map(|fault| fault.what.clone()).collect();
        Entry {
            decision: if faults.is_empty() { "none" } else { "fault" }.to_owned(),
            faults,
            reviews: course.reviews.clone(),
            took_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            ..self.entry(&course.sets)
        }
    }

    /// The journal's entry for a step.
    fn entry(&self, sets: &[Set]) -> Entry {
        let args = self.command.args.iter().filter_map(|arg| self.words.args.get(arg.name.as_ref()));
        let words: Vec<&str> = args.map(String::as_str).collect();
        let about = format!("{} {} {}", self.workflow.name, self.command.name, words.join(" "));
        Entry {
            at: journal::now(),
            event: "command".to_owned(),
            about: Some(about.trim_end().chars().take(ABOUT_CHARS_MAX).collect()),
            agent: "shell".to_owned(),
            session: self.env.session(),
            workflow: Some(self.workflow.name.to_string()),
            decision: "none".to_owned(),
            set: sets.iter().map(|set| (set.path.join("."), set.value.clone())).collect(),
            ..Entry::default()
        }
    }
}

/// How much of what was typed is written to the journal.
const ABOUT_CHARS_MAX: usize = 500;

/// What a step prints: as a failure if it says no.
fn said(step: &CommandStep, text: String) -> Result<String, CommandError> {
    match step.fail {
        Some(code) => Err(CommandError::new(Kind::Refused(code), text)),
        None => Ok(text),
    }
}

/// Whether a step makes no sense without a run.
fn changes_a_run(step: &CommandStep) -> bool {
    step.finish.is_some() || step.step.go.is_some() || !step.step.set.is_empty()
}

/// The folder of a new run. Its name comes from an agent: it must be one plain name.
fn new_folder(workflow: &Workflow, home: &Path, name: &str) -> Result<PathBuf, CommandError> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(CommandError::new(Kind::Usage, format!("`{name}` cannot be a run's name"))
            .hinted("use letters, digits, `-`, `_` and `.`"));
    }
    let folder = home.join(workflow.run.home.as_ref()).join(name);
    if folder.join(workflow.run.state.as_deref().unwrap_or_default()).is_file() {
        return Err(CommandError::new(Kind::Failed, format!("there is a run `{name}` already"))
            .hinted(format!("look at {}", folder.display())));
    }
    Ok(folder)
}

/// The lock of a run, or of all runs of a workflow, by its place.
fn locked(home: &Path, place: &Path) -> Result<Lock, CommandError> {
    state::lock(home, place, lock::PATIENCE)
        .map_err(|why| CommandError::new(Kind::Files, format!("{}: {why}", place.display())))
}

/// Writes the journal's entry, and the workflow's own log. Books that cannot be kept change nothing.
fn record(run: &Run, entry: &Entry) {
    record::log(run, entry);
    let _ = journal::append(&run.home, entry);
}
