//! `tool`: the call of the event, and the same with something that is taken for done.

use std::sync::{Arc, OnceLock};

use minijinja::Error;
use minijinja::value::{Enumerator, Object, Rest, Serde, Value};

use super::{FactError, Facts};
use crate::budget::Budget;
use crate::event::Event;
use crate::shell::{Commits, Program, Pushes, ShellError};
use crate::tool::{Tool, ToolKind};
use crate::world::{Answer, World};

/// What comparing a path, or a program that a command runs, with another counts for.
const PATH: usize = 256;
const PROGRAM: usize = 64;

/// What is taken for done, so that a rule about it can be asked what it says.
#[derive(Clone, Debug)]
pub(crate) enum Supposed {
    /// A commit on each of these branches; on none where the head is detached.
    Commits(Vec<String>),
    /// A push to each of these branches.
    Pushes(Vec<String>),
    /// A change of each of these files, by their paths from the run's home.
    Files(Vec<String>),
}

impl Facts {
    pub(super) fn tool(&self, supposed: Option<Supposed>) -> Value {
        Value::from_object(ToolFact {
            event: Arc::clone(&self.event),
            home: self.home.clone(),
            world: Arc::clone(&self.world),
            budget: Arc::clone(&self.budget),
            supposed,
            commits: OnceLock::new(),
            pushes: OnceLock::new(),
            ran: OnceLock::new(),
            tests: OnceLock::new(),
        })
    }

    /// The same facts, where something is taken for done.
    pub(crate) fn supposing(self: &Arc<Self>, supposed: Supposed) -> Arc<Facts> {
        self.with("tool", self.tool(Some(supposed)))
    }
}

fn listed(texts: &[String]) -> Value {
    texts.iter().map(|text| Value::from(text.as_str())).collect()
}

/// `tool.name`, `.kind`, `.agent`, `.text`, `.command`, `.paths`, `.files`, `.input`, `.result`, `.error`, `.exit`, `.commits`, `.commits_to`,
/// `.pushes`, `.pushes_to`, `.runs('git push')`, `.tests`.
struct ToolFact {
    event: Arc<Event>,
    home: String,
    world: Arc<dyn World>,
    budget: Arc<Budget>,
    /// What is taken for done, whatever the tool's input says.
    supposed: Option<Supposed>,
    /// What the shell command would commit, push and run, found out once.
    commits: OnceLock<Commits>,
    pushes: OnceLock<Pushes>,
    ran: OnceLock<Result<Vec<Program>, ShellError>>,
    /// What the test run came to that the command was.
    tests: OnceLock<Result<Value, FactError>>,
}

impl std::fmt::Debug for ToolFact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("tool")
    }
}

impl ToolFact {
    /// The branches that the tool's shell command would commit to.
    fn commits_to(&self) -> Result<Value, FactError> {
        if let Some(Supposed::Commits(branches)) = &self.supposed {
            return Ok(listed(branches));
        }
        let Some(command) = self.event.tool.as_ref().and_then(Tool::command) else {
            return Ok(Value::UNDEFINED);
        };
        let find = || {
            // What is committed to another repository is none of the project's business.
            let mut commits = crate::shell::commits(&command, &self.event.cwd, self.world.as_ref());
            crate::shell::keep_those_of(&self.home, &mut commits.list, self.world.as_ref());
            commits
        };
        let commits = self.commits.get_or_init(find);
        let branches: Vec<Value> =
            commits.list.iter().filter_map(|commit| commit.branch.clone()).map(Value::from).collect();
        match &commits.fault {
            Some(why) if branches.is_empty() => Err(FactError::Shell(why.clone())),
            // What was found may be enough for a rule, and `select` raises a list's last error before its first match.
            _ => Ok(Value::from(branches)),
        }
    }

    /// Whether the shell command would commit, by `git commit` and its kin or by git's plumbing.
    fn commits(&self) -> Result<bool, FactError> {
        const PLUMBING: [&str; 6] =
            ["update-ref", "commit-tree", "symbolic-ref", "fast-import", "filter-branch", "replace"];
        if matches!(self.supposed, Some(Supposed::Commits(_))) {
            return Ok(true);
        }
        let Some(command) = self.event.tool.as_ref().and_then(Tool::command) else { return Ok(false) };
        // The first line only: what a call did is looked at after it. A word of git's plumbing anywhere near git is
        // enough: whoever pieces such a command together means it.
        let is_plumbing = |at: usize| PLUMBING.iter().any(|word| command[at..].contains(word));
        Ok(command.find("git").is_some_and(is_plumbing) || self.commits_to()?.is_true())
    }

    /// The branches of other repositories that the shell command would push to; `*` where it cannot be told which.
    fn pushes_to(&self) -> Result<Vec<String>, FactError> {
        if let Some(Supposed::Pushes(branches)) = &self.supposed {
            return Ok(branches.clone());
        }
        let Some(command) = self.event.tool.as_ref().and_then(Tool::command) else { return Ok(Vec::new()) };
        let pushes =
            self.pushes.get_or_init(|| crate::shell::pushes(&command, &self.event.cwd, self.world.as_ref()));
        // From wherever it is pushed: a clone of the project can push to the project, or to where the project pushes.
        match &pushes.fault {
            Some(why) if pushes.list.is_empty() => Err(FactError::Shell(why.clone())),
            _ => Ok(pushes.list.clone()),
        }
    }

    /// `tool.runs('git push', …)`: whether the shell command runs one of these. `!git push --dry-run` leaves that out.
    fn runs(&self, wanted: &[String]) -> Result<bool, FactError> {
        let Some(command) = self.event.tool.as_ref().and_then(Tool::command) else { return Ok(false) };
        let ran = self.programs(&command)?;
        self.budget.spend(ran.len().saturating_mul(wanted.len()).saturating_mul(PROGRAM))?;
        Ok(ran.iter().any(|program| crate::shell::is_one_run(&program.words, wanted)))
    }

    /// The programs that the shell command runs.
    fn programs(&self, command: &str) -> Result<&Vec<Program>, FactError> {
        let find = || crate::shell::programs(command, &self.event.cwd, self.world.as_ref());
        self.ran.get_or_init(find).as_ref().map_err(|why| FactError::Shell(why.clone()))
    }

    /// `tool.tests`: what the test run came to that the shell command was; undefined if it was none, or has not ended.
    fn tests(&self) -> Result<Value, FactError> {
        let Some(tool) = self.event.tool.as_ref() else { return Ok(Value::UNDEFINED) };
        let Some(command) = tool.command() else { return Ok(Value::UNDEFINED) };
        let Some(ran) = tool.ran() else { return Ok(Value::UNDEFINED) };
        let programs = self.programs(&command)?.iter();
        let runs: Vec<&Program> =
            programs.filter(|program| crate::shell::is_test_run(&program.words)).collect();
        if runs.is_empty() {
            return Ok(Value::UNDEFINED);
        }
        self.budget.spend(ran.output.len())?;
        // A 0 may be that of a command after the tests.
        let exit = ran.exit.filter(|code| *code != 0 || runs.iter().all(|run| run.is_told));
        match self.world.tests(&ran.output, exit) {
            Answer::Is(read) => Ok(Value::from(Serde(&read))),
            Answer::None => Ok(Value::UNDEFINED),
            Answer::Fault(why) => Err(FactError::world("the test run cannot be read", why)),
        }
    }

    fn paths(&self) -> Result<impl Iterator<Item = String>, FactError> {
        let paths = match &self.supposed {
            Some(Supposed::Files(files)) => {
                files.iter().map(|file| crate::path::join(&self.home, file)).collect()
            }
            _ => self.event.tool.as_ref().map(Tool::paths).unwrap_or_default(),
        };
        self.budget.spend(paths.len().saturating_mul(PATH))?;
        Ok(paths.into_iter().map(|path| crate::path::join(&self.event.cwd, &path)))
    }

    /// A text of the tool's. Each use of it uses up work.
    fn text(&self, text: String) -> Value {
        self.budget.spend(text.len()).map_or_else(Value::from, |()| Value::from(text))
    }

    /// The tool's input.
    fn input(&self, tool: &Tool) -> Result<Value, FactError> {
        let input = Value::from(Serde(&tool.input));
        self.budget.read(&input)?;
        Ok(input)
    }

    /// The same from the project's folder, and where links lead; what is outside of it stays as it is.
    fn files(&self) -> Result<Value, FactError> {
        let places = |path: String| super::place::places(self.world.as_ref(), &self.home, &path);
        Ok(self.paths()?.flat_map(places).map(Value::from).collect())
    }
}

impl Object for ToolFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let none = Tool::default();
        // A call is over when what it did is looked at: the event may be any.
        let tool = self.event.tool.as_ref().or(self.supposed.as_ref().map(|_| &none))?;
        match key.as_str()? {
            "name" => Some(Value::from(tool.name.as_str())),
            "kind" => {
                let kinds = ToolKind::NAMED;
                kinds.iter().find(|(_, kind)| *kind == tool.kind()).map(|(name, _)| Value::from(*name))
            }
            "agent" => tool.agent().ok().flatten().map(Value::from),
            "text" => Some(self.text(tool.text())),
            "command" => tool.command().map(|command| self.text(command.into_owned())),
            "paths" => Some(self.paths().map_or_else(Value::from, |paths| paths.map(Value::from).collect())),
            "files" => Some(self.files().unwrap_or_else(Value::from)),
            "input" => Some(self.input(tool).unwrap_or_else(Value::from)),
            "result" => tool.result_text().filter(|text| !text.is_empty()).map(|text| self.text(text)),
            "error" => tool.error_text().map(|text| self.text(text)),
            "exit" => tool.ran().and_then(|ran| ran.exit).map(Value::from),
            "commits" => Some(self.commits().map_or_else(Value::from, Value::from)),
            "commits_to" => Some(self.commits_to().unwrap_or_else(Value::from)),
            "pushes" => Some(self.pushes_to().map_or_else(Value::from, |to| Value::from(!to.is_empty()))),
            "pushes_to" => Some(self.pushes_to().map_or_else(Value::from, |to| listed(&to))),
            "tests" => {
                let tests = self.tests.get_or_init(|| self.tests()).clone();
                Some(tests.unwrap_or_else(Value::from))
            }
            "runs" => {
                let tool = Arc::clone(self);
                Some(Value::from_function(move |wanted: Rest<Value>| {
                    tool.runs(&crate::filters::texts(&wanted)).map_err(Error::from)
                }))
            }
            _ => None,
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}
