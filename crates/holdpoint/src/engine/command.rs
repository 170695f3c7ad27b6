//! A workflow's command: what somebody in a shell, a person or an agent, tells the engine about a run.

mod addressee;
pub mod choice;
pub mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::command::{self, Refusal};
use holdpoint_core::effects::{Effects, Set};
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, time};
use holdpoint_core::phase::{self, Due, approval};
use holdpoint_core::run_id::{self, Parts};
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::command::Command;
use holdpoint_core::workflow::step::Step;

use super::advance::{Scope, advance};
use super::commit::{Guard, commit};
use super::report::micros;
use super::session::Session;
use super::{overruling, owed, pause, record, release};
use crate::allow::Allowance;
use crate::allow::waiting::{self, Waiting};
use crate::catalog::{Origin, is_name};
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::project::{self, Found, Run, candidates};
use crate::store::books::Books;
use crate::store::folder::FileError;
use crate::store::journal::{self, Entry, Move};
use crate::store::kept::Kept;
use crate::store::lock::{self, Lock};
use crate::store::seal::Seal;
use crate::store::{evidence, layout, state};
use crate::user;
use words::Words;

/// A command that somebody typed.
pub struct Typed<'a> {
    /// The workflow.
    pub workflow: &'a Arc<Workflow>,
    /// The workflow's origin.
    pub origin: Origin,
    /// The command.
    pub command: &'a Command,
    /// What was given with it.
    pub words: Words,
    /// The folder it was typed in.
    pub cwd: &'a Path,
    /// The environment.
    pub env: &'a Arc<dyn Env>,
    /// The session of the agent that typed it.
    pub session: Option<String>,
    /// Whether it is known that the user gave it.
    pub is_confirmed: bool,
}

/// What could not be worked out: a file that cannot be read, as a rule. That is no answer of the workflow's.
pub(super) fn told(error: FactError) -> CommandError {
    CommandError::new(Kind::Files, error.to_string())
}

fn files(why: impl std::error::Error + Send + Sync + 'static) -> CommandError {
    CommandError::new(Kind::Files, why)
}

fn refused(refusal: Refusal) -> CommandError {
    match refusal {
        Refusal::Refused(why) => CommandError::new(Kind::Failed, why),
        Refusal::Fault(error) => told(error),
    }
}

impl Typed<'_> {
    /// Performs it: its step, and then the phases that it may go through. Returns what is printed.
    pub fn perform(&self) -> Result<String, CommandError> {
        if self.command.is_users && !self.is_confirmed {
            user::refuse_agents(self.env.as_ref(), &self.command.name)?;
        }
        let event = Arc::new(self.event());
        let (found, noticed) = self.found(&event)?;
        let said = self.perform_on(found, &event)?;
        let noticed = noticed.into_iter().map(|what| format!("Note: {what}."));
        Ok(noticed.chain([said]).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
    }

    fn perform_on(&self, found: Option<Run>, event: &Arc<Event>) -> Result<String, CommandError> {
        if self.command.through.is_empty() {
            return Ok(self.take_step(found, event)?.0);
        }
        let here = found.clone().unwrap_or_else(|| self.nowhere(&self.home()));
        let session = self.session(&here, event);
        let through = command::through(&session.facts(), self.command).map_err(told)?;
        let scope = Scope::Through(&through);
        if found.is_some() {
            addressee::refuse_anothers(self, &here)?;
            pause::refuse(&here)?;
            self.refuse_out_of_turn(&session, scope)?;
        }
        let (said, made) = if self.command.steps.is_empty() {
            (String::new(), None)
        } else {
            self.take_step(found.clone(), event)?
        };
        let run = made.or(found).ok_or_else(|| self.no_run())?;
        let due = self.go_through(&run, scope)?;
        let said = [said, due].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
        if self.has_worked(&run, event)? { Ok(said) } else { Err(CommandError::new(Kind::Failed, said)) }
    }

    /// Whether it has done what it is there for, as far as its `until` can tell.
    fn has_worked(&self, run: &Run, event: &Arc<Event>) -> Result<bool, CommandError> {
        let Some(until) = &self.command.until else { return Ok(true) };
        self.session(run, event).facts().is_true(until).map_err(told)
    }

    fn no_run(&self) -> CommandError {
        let name = &self.workflow.name;
        CommandError::new(Kind::Failed, format!("there is no run of {name} here"))
            .hinted(format!("see `holdpoint {name}`"))
    }

    /// Takes its step: read, decided and written under the run's lock. Returns what is printed, and the run if it made
    /// one.
    fn take_step(
        &self,
        found: Option<Run>,
        event: &Arc<Event>,
    ) -> Result<(String, Option<Run>), CommandError> {
        // A run further up than the project is somebody else's where a new one is to be made.
        let found = found.filter(|run| !self.may_make() || run.home == self.home());
        let home = found.as_ref().map_or_else(|| self.home(), |run| run.home.clone());
        let _runs = self
            .locks_all(found.as_ref())
            .then(|| self.locked(&home, &self.runs_folder(&home)))
            .transpose()?;
        let lock = found.as_ref().map(|run| self.locked(&home, &run.place())).transpose()?;
        // Somebody may have cleared it away meanwhile.
        let found = found.filter(|run| run.id.is_none() || run.place().is_file());
        let has_run = found.is_some();
        let here = found.unwrap_or_else(|| self.nowhere(&home));
        let session = self.session(&here, event);
        let step = command::step(&session.facts(), self.command).map_err(told)?;
        let step =
            step.ok_or_else(|| CommandError::new(Kind::Failed, "none of the command's steps applies now"))?;
        let makes_another = step.command.create.is_some() && !self.is_single();
        if has_run && changes_a_run(step) && !makes_another {
            addressee::refuse_anothers(self, &here)?;
            if step.command.create.is_none() {
                pause::refuse(&here)?;
            }
        }
        if let Some(run) = self.made(&session, step)? {
            // The new run may stand where the old one did.
            drop(lock);
            // A run that is made and not known to have begun here would wait for its user.
            Allowance::of(self.env.as_ref()).begin(&run)?;
            let said = self.make(&self.session(&run, event), step)?;
            return Ok((said, Some(run)));
        }
        let said = match lock.filter(|_| has_run) {
            Some(lock) => self.take(&session, step, lock),
            None if changes_a_run(step) => Err(self.no_run()),
            None => {
                let effects = command::take(&session.facts(), step, Vec::new()).map_err(refused)?;
                said(step, text(&effects))
            }
        };
        Ok((said?, None))
    }

    /// Whether all runs are locked: there is one, or one may be made. A command that only looks, and finds no run, leaves nothing behind.
    fn locks_all(&self, found: Option<&Run>) -> bool {
        self.workflow.run.id.is_some() && (found.is_some() || self.may_make())
    }

    fn may_make(&self) -> bool {
        self.command.steps.iter().any(|step| step.command.create.is_some())
    }

    /// The run it is about: the one it names by its id, or the one that counts now. With it, what was found to be otherwise
    /// than the books say, and was put right.
    fn found(&self, event: &Arc<Event>) -> Result<(Option<Run>, Vec<String>), CommandError> {
        let found = addressee::find(self, event.session.as_deref());
        self.refuse_waiting(&found)?;
        if let Some(name) = &self.words.run {
            return Ok((Some(addressee::named(self, &found, name)?), Vec::new()));
        }
        let mut noticed: Vec<String> = found.noticed.into_iter().map(|(_, what)| what).collect();
        let newest = found.runs.into_iter().next();
        let here = newest.clone().unwrap_or_else(|| self.nowhere(&self.home()));
        let session = self.session(&here, event);
        if newest.is_some() {
            noticed.extend(session.uphold().map_err(files)?);
            for what in &noticed {
                record::noticed(&here, what);
            }
        }
        if self.command.run.is_none() {
            return Ok((newest, noticed));
        }
        let id = command::about(&session.facts(), self.command).map_err(told)?.unwrap_or_default();
        if !candidates::ids(self.workflow, &here.home).contains(&id) {
            let what = format!("{} has no run {id:?} here", self.workflow.name);
            return Err(CommandError::new(Kind::Failed, what).hinted("see `holdpoint status`"));
        }
        let run = Run { id: Some(id), ..self.nowhere(&here.home) };
        if !Allowance::of(self.env.as_ref()).began(&run) {
            return Err(waiting::refusal(&[Waiting::run(run)]));
        }
        Ok((Some(run), noticed))
    }

    /// Refuses a command where only a run waits that did not begin here: it would go on with that, or write over it.
    fn refuse_waiting(&self, found: &Found) -> Result<(), CommandError> {
        let is_free = self.may_make() && !self.is_single();
        if !found.runs.is_empty() || is_free || !found.waiting.iter().any(Waiting::is_run) {
            return Ok(());
        }
        Err(waiting::refusal(&found.waiting))
    }

    /// Whether the workflow has one run at a time, always in the same place.
    fn is_single(&self) -> bool {
        self.workflow.run.each.is_none() && self.workflow.run.id.is_none()
    }

    /// A home without a run.
    fn nowhere(&self, home: &Path) -> Run {
        let workflow = Arc::clone(self.workflow);
        Run::new(workflow, self.origin.clone(), Books::of(home, self.env.as_ref()))
    }

    /// The folder that a run is made in where there is none yet: the nearest that has runs, choices or a repository,
    /// or the current one.
    fn home(&self) -> PathBuf {
        let markers = [&*self.workflow.run.home, layout::FOLDER, ".git"];
        let homes = markers.iter().filter_map(|marker| project::nearest(self.cwd, marker));
        homes.max_by_key(|home| home.components().count()).unwrap_or_else(|| self.cwd.to_path_buf())
    }

    /// The lock of a run, or of all runs of a workflow, by its place.
    fn locked(&self, home: &Path, place: &Path) -> Result<Lock, CommandError> {
        let books = Books::of(home, self.env.as_ref());
        state::lock(&books, self.workflow.run.is_sealed, place, lock::PATIENCE)
            .map_err(|why| CommandError::new(Kind::Files, format!("{}: {why}", place.display())))
    }

    fn runs_folder(&self, home: &Path) -> PathBuf {
        home.join(self.workflow.run.home.as_ref())
    }

    fn session<'s>(&'s self, run: &'s Run, event: &'s Arc<Event>) -> Session<'s> {
        Session::new(run, event, self.env).with_words(&self.words)
    }

    /// The run that a step makes, if it makes one.
    fn made(&self, session: &Session<'_>, step: &Step) -> Result<Option<Run>, CommandError> {
        let Some(name) = command::created(&session.facts(), step).map_err(told)? else { return Ok(None) };
        let nowhere = self.nowhere(&session.run.home);
        if let Some(pattern) = &self.workflow.run.id {
            return Ok(Some(Run { id: Some(self.new_id(pattern)), ..nowhere }));
        }
        let folder = match self.workflow.run.each {
            Some(_) => new_folder(self.workflow, &nowhere.home, &name)?,
            None => nowhere.home.clone(),
        };
        Ok(Some(Run { folder, ..nowhere }))
    }

    fn new_id(&self, pattern: &str) -> String {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        let now = time::iso(self.env.now());
        let (date, clock) = now.split_once('T').unwrap_or_default();
        let parts =
            Parts { date: digits(date), time: digits(clock), hex: format!("{:016x}", self.env.random_u64()) };
        run_id::make(pattern, &parts)
    }

    fn make(&self, session: &Session<'_>, step: &Step) -> Result<String, CommandError> {
        let run = session.run;
        let lock = self.locked(&run.home, &run.place())?;
        // What was seen of a former run in the same place proves nothing of this one. Runs side by side keep theirs.
        let name = approval::run_name(&session.facts());
        if self.is_single() || evidence::is_about(&run.books, &self.workflow.name, &name) {
            evidence::set_aside(&run.books, &self.workflow.name).map_err(files)?;
        }
        if let Some(seal) = Seal::of(run) {
            let path = session.facts().state_path().map_err(told)?;
            let state = path.map(|path| run.folder.join(path)).unwrap_or_default();
            seal.retire(&state).map_err(files)?;
        }
        owed::forget(session);
        release::end(session);
        let first = session.refresh().first_values().map_err(told)?;
        let keep = &step.command.keep;
        if let Some(id) = run.id.as_ref().filter(|_| !keep.is_empty()) {
            let paths: Vec<&str> = keep.iter().map(AsRef::as_ref).collect();
            Kept::new(&run.home, &self.workflow.name, id).keep(&paths).map_err(files)?;
        }
        self.write(session, step, first, lock)
    }

    fn take(&self, session: &Session<'_>, step: &Step, lock: Lock) -> Result<String, CommandError> {
        let facts = session.facts();
        let is_first = changes_a_run(step) && !facts.has_state().map_err(told)?;
        let first = if is_first { facts.first_values().map_err(told)? } else { Vec::new() };
        self.write(session, step, first, lock)
    }

    /// Takes a step of a run and writes what it comes to.
    fn write(
        &self,
        session: &Session<'_>,
        step: &Step,
        first: Vec<Set>,
        lock: Lock,
    ) -> Result<String, CommandError> {
        let run = session.run;
        let from = record::due(&session.facts());
        let effects = command::take(&session.facts(), step, first).map_err(refused)?;
        if let Some(name) = command::overruled(&session.facts(), step).map_err(told)? {
            overruling::keep(session, &name, &self.said_words())?;
        }
        let mut text = text(&effects);
        if step.command.restore
            && let Some(aside) = self.restore(run).map_err(files)?
        {
            text = format!("{text}\nWhat was replaced is in {}.", aside.display());
        }
        let unwritten = |error: state::WriteError| match (error, session.state_file()) {
            (state::WriteError::File(error), _) => files(error),
            (error, Ok(Some(file))) => {
                CommandError::new(Kind::Files, format!("{}: {error}", file.path.display()))
            }
            (error, _) => files(error),
        };
        if let Some(behind) = commit(session, &Guard::State, &effects).map_err(unwritten)? {
            text = format!("{text}\n\nNote: {behind}");
        }
        self.claim(run, step);
        drop(lock);
        if let Some(to) = &effects.went {
            release::go_on(session, to);
        }
        let moved = effects.went.clone().map(|to| Move {
            from,
            outcome: self.command.name.to_string(),
            to,
            at: journal::now(),
        });
        let entry = Entry {
            moves: moved.into_iter().collect(),
            took_us: micros(session.took()),
            ..self.entry(&effects.sets)
        };
        record(run, &record::placed(session, entry));
        session.wait(effects.wait_s);
        said(step, text)
    }

    /// Whoever runs a command works on the run, unless it says no. Books that cannot be kept change nothing.
    fn claim(&self, run: &Run, step: &Step) {
        if step.command.fail.is_none() {
            addressee::claim(self, run, !changes_a_run(step));
        }
    }

    /// Puts the files back that some step of the workflow keeps.
    fn restore(&self, run: &Run) -> Result<Option<PathBuf>, FileError> {
        let Some(id) = &run.id else { return Ok(None) };
        let steps = self.workflow.commands.iter().flat_map(|command| command.steps.iter());
        let paths: Vec<&str> = steps.flat_map(|step| step.command.keep.iter()).map(AsRef::as_ref).collect();
        Kept::new(&run.home, &self.workflow.name, id).restore(&paths)
    }

    /// Goes through the phases that are due, as a Stop would, as far as the command may, and shows what is due then.
    fn go_through(&self, run: &Run, scope: Scope<'_>) -> Result<String, CommandError> {
        let event = Arc::new(Event { moment: Moment::Stop, ..self.event() });
        let session = Session::new(run, &event, self.env);
        let started = Instant::now();
        let report = advance(&session, scope);
        let entry = report.entry_of_command(self.entry(&[]), started);
        record(run, &record::placed(&session, entry));
        let mut said = report.lines().map_err(|fault| CommandError::new(Kind::Failed, fault.to_string()))?;
        if let Some((bare, going_on)) = self.left_over(&session, scope) {
            // Where something was told, the name of a phase that is the engine's own adds nothing to how to go on.
            if said.len() > 1 {
                said.retain(|line| *line != bare);
            }
            said.push(going_on);
        }
        Ok(said.join("\n\n"))
    }

    /// What is due that this command has no part in, and how to go on with it.
    fn left_over(&self, session: &Session<'_>, scope: Scope<'_>) -> Option<(String, String)> {
        match phase::due(&session.facts()).ok()? {
            Due::Phase(phase) if !scope.has(&phase) && phase.actor().is_performed() => {
                let going_on = format!("To go on: {}", self.workflow.going_on()?);
                Some((phase::asked(&session.facts(), &phase).ok()?, going_on))
            }
            _ => None,
        }
    }

    /// A command is refused in a phase that it has no part in.
    fn refuse_out_of_turn(&self, session: &Session<'_>, scope: Scope<'_>) -> Result<(), CommandError> {
        match phase::due(&session.facts()).map_err(told)? {
            Due::Phase(phase) if !scope.has(&phase) => {
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
            session: self.session.clone(),
            ..Event::from_shell(Moment::Prompt, &self.cwd.to_string_lossy())
        }
    }

    /// Its arguments, as they were typed.
    fn said_words(&self) -> String {
        let args = self.command.args.iter().filter_map(|arg| self.words.args.get(arg.name.as_ref()));
        args.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The journal's entry for a step.
    fn entry(&self, sets: &[Set]) -> Entry {
        let about = format!("{} {} {}", self.workflow.name, self.command.name, self.said_words());
        Entry {
            at: journal::now(),
            event: "command".to_owned(),
            about: Some(about.trim_end().chars().take(ABOUT_CHARS_MAX).collect()),
            agent: "shell".to_owned(),
            session: self.session.clone(),
            workflow: Some(self.workflow.name.to_string()),
            set: sets.iter().map(|set| (set.path.join("."), set.value.clone())).collect(),
            ..Entry::default()
        }
    }
}

/// How much of what was typed is written to the journal.
const ABOUT_CHARS_MAX: usize = 500;

/// What a step says to whoever typed the command.
fn text(effects: &Effects) -> String {
    let texts = effects.messages.iter().map(|message| message.text.as_str());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What a step prints: as a failure if it says no.
fn said(step: &Step, text: String) -> Result<String, CommandError> {
    match step.command.fail {
        Some(code) => Err(CommandError::new(Kind::Refused(code), text)),
        None => Ok(text),
    }
}

/// Whether a step makes no sense without a run.
fn changes_a_run(step: &Step) -> bool {
    step.command.finish.is_some() || step.go.is_some() || step.round.is_some() || !step.set.is_empty()
}

/// The folder of a new run. Its name comes from an agent: it must be one plain name.
fn new_folder(workflow: &Workflow, home: &Path, name: &str) -> Result<PathBuf, CommandError> {
    if !is_name(name) {
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

/// Writes the journal's entry, and the workflow's own log. Books that cannot be kept change nothing.
pub(super) fn record(run: &Run, entry: &Entry) {
    record::log(run, entry);
    let _ = journal::append(&run.books, entry);
}
