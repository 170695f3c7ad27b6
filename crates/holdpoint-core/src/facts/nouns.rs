//! The engine's own nouns: event, tool, state, run, git, env, cwd, delegation and the functions that read files.

use std::sync::Arc;

use minijinja::Error;
use minijinja::value::{Enumerator, Object, Rest, Value};

use super::evidence::EvidenceFact;
use super::file::{Column, Document, File, Table};
use super::{FactError, Facts, report, spec, time};
use crate::event::Event;
use crate::level::Level;
use crate::phase::Due;
use crate::workflow::Text;
use crate::world::{Answer, GitQuestion, World};

/// The longest list of numbers that a text can ask for.
const RANGE_MAX: i64 = 1_000;

impl Facts {
    pub(super) fn noun(self: &Arc<Self>, name: &str) -> Value {
        let world = Arc::clone(&self.world);
        match name {
            "approvals" => self.approvals().unwrap_or_else(Value::from),
            "approved" => {
                let facts = Arc::clone(self);
                Value::from_function(move |names: Rest<String>| {
                    facts.is_approved(&names).map_err(Error::from)
                })
            }
            "began" => self.began().unwrap_or_else(Value::from),
            "breaches" => self.breaches().unwrap_or_else(Value::from),
            "changed" => self.changed().map_or_else(Value::from, Value::from),
            "cwd" => Value::from(self.folder_below_home()),
            "delegation" => self.delegation(),
            "env" => Value::from_object(Variables(world)),
            "event" => Value::from_object(EventFact(Arc::clone(&self.event))),
            "evidence" => Value::from_object(EvidenceFact(Arc::clone(self))),
            "first_json" => {
                let facts = Arc::clone(self);
                Value::from_function(move |paths: Vec<String>| facts.first_json(&paths))
            }
            "git" => Value::from_object(GitFact(Arc::clone(self))),
            "landed" => self.has_landed().map_or_else(Value::from, Value::from),
            "layout" => self.layout_faults().unwrap_or_else(Value::from),
            "nonce" => self.nonce().unwrap_or_else(Value::from),
            "now" => time::now(world.now_millis()),
            "phase" => self.due_phase().unwrap_or_else(Value::from),
            "program" => Value::from_function(move |name: &str| program(name, Arc::clone(&world))),
            "proved" => {
                let facts = Arc::clone(self);
                Value::from_function(move |phases: Rest<String>| {
                    facts.is_proved(&phases).map_err(Error::from)
                })
            }
            "range" => Value::from_function(|from: i64, to: i64| {
                (from..to.min(from.saturating_add(RANGE_MAX))).collect::<Vec<_>>()
            }),
            "reviewers" => self.reviewers(),
            "rounds" => Value::from_object(Rounds(Arc::clone(self))),
            "run" => Value::from_object(RunFact(Arc::clone(self))),
            "state" => self.state().unwrap_or_else(Value::from),
            "since" => {
                let facts = Arc::clone(self);
                Value::from_function(move |tree: &Value| match tree.as_str() {
                    Some(tree) => facts.since(tree).map_err(Error::from),
                    None => Ok(Vec::new()),
                })
            }
            "tree" => self.tree().map_or_else(Value::from, |tree| tree.map_or(Value::UNDEFINED, Value::from)),
            "tool" => self.tool(None),
            _ => self.file_noun(name),
        }
    }

    /// The functions that look at files.
    fn file_noun(&self, name: &str) -> Value {
        let world = Arc::clone(&self.world);
        match name {
            "allowed_files" => Value::from_function(move |path: &str, titles: Value| {
                spec::allowed(path, &titles, world.as_ref()).map_err(Error::from)
            }),
            "file" => Value::from_function(move |path: &str| File::at(path, Arc::clone(&world))),
            "findings" => Value::from_function(move |path: &str, nothing: Option<&str>| {
                report::findings(path, nothing.unwrap_or_default(), world.as_ref()).map_err(Error::from)
            }),
            "kept" => Value::from_function(move |path: &str| {
                report::kept(path, world.as_ref()).map_err(Error::from)
            }),
            "markdown" => {
                Value::from_function(move |path: &str| Document::open(path, &world).map_err(Error::from))
            }
            "absent" => Value::from_function(move |paths: Vec<String>| absent(paths, world.as_ref())),
            "planned" => Value::from_function(move |path: &str, titles: Vec<String>| {
                spec::planned(path, titles, world.as_ref()).map_err(Error::from)
            }),
            "highest" => Value::from_function(move |name: &str| highest(name, world.as_ref())),
            "table" => Value::from_function(move |path: &str, columns: Option<Value>| {
                let columns = columns.map(|columns| Column::all(&columns)).unwrap_or_default();
                Table::open(path, &columns, &world).map_err(Error::from)
            }),
            "there" => Value::from_function(move |paths: Vec<String>| there(&paths, world.as_ref())),
            "writable" => Value::from_function(move |folder: &str| writable(folder, world.as_ref())),
            _ => Value::UNDEFINED,
        }
    }

    /// `phase`: the one that is due; undefined where none is.
    fn due_phase(self: &Arc<Self>) -> Result<Value, FactError> {
        Ok(match crate::phase::due(self)? {
            Due::Phase(phase) => super::phase_fact(self, &phase),
            Due::Unknown(name) => Value::from_pairs([("name", name)]),
            Due::Nobody => Value::UNDEFINED,
        })
    }

    /// The agent's folder relative to the run's home; empty at the home itself or outside it.
    fn folder_below_home(&self) -> String {
        let cwd = crate::path::tidy(&self.event.cwd);
        crate::path::below(&self.home, &cwd).unwrap_or_default().to_owned()
    }

    /// `reviewers.<name>.command`: the words as the workflow has them.
    fn reviewers(&self) -> Value {
        let command = |words: &[Text]| words.iter().map(|word| Value::from(word.as_ref())).collect::<Value>();
        let pairs = self.workflow.reviewers.iter().map(|reviewer| {
            (reviewer.name.to_string(), Value::from_pairs([("command", command(&reviewer.command))]))
        });
        Value::from_pairs(pairs)
    }

    fn layout_faults(self: &Arc<Self>) -> Result<Value, FactError> {
        let Some(layout) = &self.workflow.layout else { return Ok(Value::UNDEFINED) };
        let files = match self.world.list("") {
            Answer::Is(files) => files,
            Answer::None => Vec::new(),
            Answer::Fault(why) => return Err(FactError::world("the run's folder cannot be read", why)),
        };
        let read = |file: &str| match self.world.read(file) {
            Answer::Is(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Answer::None | Answer::Fault(_) => None,
        };
        let faults = crate::layout::faults(layout, &files, &read);
        Ok(Value::from_pairs([("faults", faults.into_iter().map(Value::from).collect::<Value>())]))
    }
}

/// `there(paths)`: whether one of them is.
fn there(paths: &[String], world: &dyn World) -> bool {
    paths.iter().any(|path| world.exists(path) == Answer::Is(()))
}

/// `absent(paths)`: those of them that are not there. One that cannot be looked at is not said to be absent.
fn absent(paths: Vec<String>, world: &dyn World) -> Vec<String> {
    paths.into_iter().filter(|path| world.exists(path) == Answer::None).collect()
}

/// `highest(name)`: the highest number in the run's files that are named so; nothing if there is none.
fn highest(name: &str, world: &dyn World) -> Result<Value, Error> {
    match world.list("") {
        Answer::Is(files) => Ok(crate::layout::highest(name, &files).map_or(Value::UNDEFINED, Value::from)),
        Answer::None => Ok(Value::UNDEFINED),
        Answer::Fault(why) => Err(FactError::world("the run's folder cannot be read", why).into()),
    }
}

/// `writable(folder)`: whether files can be created in it.
fn writable(folder: &str, world: &dyn World) -> Result<bool, Error> {
    match world.is_writable(folder) {
        Answer::Is(()) => Ok(true),
        Answer::None => Ok(false),
        Answer::Fault(why) => Err(FactError::world(format!("`{folder}`"), why).into()),
    }
}

/// `program(name).path`, and in texts of built-in workflows `.version`: one on PATH; nothing if it is not.
fn program(name: &str, world: Arc<dyn World>) -> Result<Value, Error> {
    if !crate::path::is_bare_name(name) {
        let what = format!("`program` takes the bare name of a program, not `{name}`");
        return Err(FactError::Outside(what).into());
    }
    match world.program(name) {
        Answer::None => Ok(Value::UNDEFINED),
        Answer::Is(path) => Ok(Value::from_object(Program { path, world })),
        Answer::Fault(why) => Err(FactError::world(format!("program `{name}`"), why).into()),
    }
}

/// A program that is there. Its version is asked for only if somebody wants to know.
struct Program {
    path: String,
    world: Arc<dyn World>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "program({:?})", self.path)
    }
}

impl Object for Program {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "path" => Some(Value::from(self.path.as_str())),
            "version" => match self.world.version(&self.path) {
                Answer::Is(version) => Some(Value::from(version)),
                Answer::None => None,
                Answer::Fault(why) => Some(FactError::world(format!("program `{}`", self.path), why).into()),
            },
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

pub(super) fn texts_in(list: &Value) -> Vec<String> {
    let items = list.try_iter().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// `run.home`, `.folder`, `.name`, `.id`, `.state`, `.has_state`, `.broken`, `.lacks`, `.age`, `.mine`.
#[derive(Debug)]
struct RunFact(Arc<Facts>);

impl RunFact {
    fn get(&self, name: &str) -> Result<Option<Value>, FactError> {
        let facts = &self.0;
        Ok(match name {
            "home" => Some(Value::from(facts.home.as_str())),
            "folder" => Some(Value::from(facts.world.folder())),
            "name" => Some(Value::from(facts.world.folder().rsplit('/').next().unwrap_or_default())),
            "id" => facts.world.run_id().map(Value::from),
            "age" => facts.age()?.map(Value::from),
            "mine" => Some(Value::from(facts.is_mine()?)),
            "state" => facts.state_path()?.map(Value::from),
            "has_state" => Some(Value::from(facts.has_state()?)),
            "broken" => facts.state_fault().map(Value::from),
            "level" => Some(Value::from(facts.world.level().map_or("none", Level::word))),
            "lacks" => Some(facts.missing_fields()?.into_iter().map(Value::from).collect()),
            _ => None,
        })
    }
}

impl Object for RunFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_str()?).unwrap_or_else(|error| Some(error.into()))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// `rounds.LIMIT`: how many of a limit are used up.
#[derive(Debug)]
struct Rounds(Arc<Facts>);

impl Object for Rounds {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let limit = self.0.workflow.limit(key.as_str()?)?;
        Some(self.0.field(limit.field()).unwrap_or_else(Value::from))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// `env.NAME`.
struct Variables(Arc<dyn World>);

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("env")
    }
}

impl Object for Variables {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.env(key.as_str()?).filter(|value| !value.is_empty()).map(Value::from)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// `event.moment`, `event.session`, `event.agent`, `event.prompt`, `event.cwd`; `event.subagent`, the name of the sub-agent;
/// `event.source`, what brought it about; `event.task`, the subject of a task.
#[derive(Debug)]
struct EventFact(Arc<Event>);

impl Object for EventFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "moment" => Some(Value::from(self.0.moment.name())),
            "session" => self.0.session.as_deref().map(Value::from),
            "agent" => Some(Value::from(self.0.agent.as_str())),
            "prompt" => self.0.prompt.as_deref().map(Value::from),
            "cwd" => Some(Value::from(self.0.cwd.as_str())),
            "subagent" => self.0.subagent.as_ref().map(|subagent| Value::from(subagent.name.as_str())),
            "source" => self.0.source.as_deref().map(Value::from),
            "task" => self.0.task.as_deref().map(Value::from),
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["moment", "session", "agent", "prompt", "cwd", "subagent", "source", "task"])
    }
}

/// `git.branch`, of the repository the agent works in; `git.head`, the last commit of the run's.
struct GitFact(Arc<Facts>);

impl std::fmt::Debug for GitFact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("git")
    }
}

impl Object for GitFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "head" => Some(self.0.head().unwrap_or_else(Value::from)),
            "branch" => match self.0.world.git(&self.0.event.cwd, &GitQuestion::Branch) {
                Answer::Is(branch) => Some(Value::from(branch)),
                Answer::None => None,
                Answer::Fault(why) => Some(FactError::world("the branch cannot be told", why).into()),
            },
            "contains" => {
                let git = Arc::clone(self);
                Some(Value::from_function(move |commit: &str| git.contains(commit).map_err(Error::from)))
            }
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

impl GitFact {
    /// `git.contains(id)`: whether the last commit is this one, or comes after it. What is no id is in no history.
    fn contains(&self, commit: &str) -> Result<bool, FactError> {
        let is_id = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Ok(false);
        }
        match self.0.world.git(&self.0.event.cwd, &GitQuestion::Contains(commit.to_owned())) {
            Answer::Is(_) => Ok(true),
            Answer::None => Ok(false),
            Answer::Fault(why) => Err(FactError::world("the history cannot be read", why)),
        }
    }
}
