//! What a shell command would commit, and where: the command is parsed as a shell would, then walked with the
//! folder and the branch it would be on at each step.

mod git;
mod walk;
mod word;

use std::mem::discriminant;
use std::sync::{Mutex, PoisonError};

use crate::world::{Answer, GitQuestion, World};

/// A commit that a command would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The folder git would run in: absolute.
    pub dir: String,
    /// The branch it would land on. None: no branch, or no repository.
    pub branch: Option<String>,
}

/// Commands longer than this, or nested deeper, are read word by word. Each open bracket and each open `case` doubles
/// the grammar's work; other keywords take a piece of the stack.
const LENGTH_MAX: usize = 32 * 1024;
const BRACKETS_MAX: usize = 16;
const CASES_MAX: usize = 8;
const KEYWORDS_MAX: usize = 100;
/// The longest value a variable is remembered with: `a=$a$a` doubles it each time.
const VALUE_MAX: usize = 4 * 1024;
/// How many different questions of a kind git is asked about one command: each is a process.
const QUESTIONS_MAX: usize = 50;

/// The commits that `command`, run in `cwd`, would make. `Err`: git could not be asked.
pub fn commits(command: &str, cwd: &str, world: &dyn World) -> Result<Vec<Commit>, String> {
    if !may_run_git(command) {
        return Ok(Vec::new());
    }
    let world = Sparing { world, answers: Mutex::default() };
    let mut walk = walk::Walk::new(&world);
    walk.script(command, &mut Place::new(cwd));
    match walk.fault {
        Some(fault) if walk.commits.is_empty() => Err(fault),
        _ => Ok(walk.commits),
    }
}

/// Whether the command could run git at all, quotes and escapes aside: most cannot, and need no parser.
fn may_run_git(command: &str) -> bool {
    let plain: Vec<u8> = command.bytes().filter(|b| !matches!(b, b'\'' | b'"' | b'\\' | b'\n')).collect();
    plain.windows(3).any(|three| three.eq_ignore_ascii_case(b"git"))
}

/// Whether the command is within what the grammar is given.
fn within_limits(command: &str) -> bool {
    let brackets = command.bytes().map(|byte| match byte {
        b'(' | b'{' | b'[' => 1,
        b')' | b'}' | b']' => -1,
        _ => 0,
    });
    let words = || command.split(|c: char| !c.is_alphanumeric());
    let cases = words().map(|word| match word {
        "case" => 1,
        "esac" => -1,
        _ => 0,
    });
    let keywords = words().map(|word| match word {
        "if" | "for" | "while" | "until" | "select" => 1,
        "fi" | "done" => -1,
        _ => 0,
    });
    command.len() <= LENGTH_MAX
        && deepest(brackets) <= BRACKETS_MAX
        && deepest(cases) <= CASES_MAX
        && deepest(keywords) <= KEYWORDS_MAX
}

/// The greatest depth that steps up and down lead to.
fn deepest(steps: impl Iterator<Item = isize>) -> usize {
    let depths = steps.scan(0_usize, |depth, step| {
        *depth = depth.saturating_add_signed(step);
        Some(*depth)
    });
    depths.max().unwrap_or(0)
}

/// A world that asks git each question once, and no more than so many.
struct Sparing<'a> {
    world: &'a dyn World,
    answers: Mutex<Vec<(String, GitQuestion, Answer<String>)>>,
}

impl World for Sparing<'_> {
    fn read(&self, path: &str) -> Answer<Vec<u8>> {
        self.world.read(path)
    }

    fn exists(&self, path: &str) -> Answer<()> {
        self.world.exists(path)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.world.env(name)
    }

    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., answer)) = answers.iter().find(|(at, asked, _)| at == dir && asked == question) {
            return answer.clone();
        }
        let of_its_kind = |asked: &GitQuestion| discriminant(asked) == discriminant(question);
        if answers.iter().filter(|(_, asked, _)| of_its_kind(asked)).count() >= QUESTIONS_MAX {
            return Answer::Fault(format!("the command asks more than {QUESTIONS_MAX} questions of git"));
        }
        let answer = self.world.git(dir, question);
        answers.push((dir.to_owned(), question.clone(), answer.clone()));
        answer
    }
}

/// Where a command stands: its folder, the branches that repositories were switched to so far, and the variables set so far.
#[derive(Clone)]
struct Place {
    dir: String,
    switched: Vec<(String, Option<String>)>,
    variables: Vec<(String, String)>,
}

impl Place {
    fn new(cwd: &str) -> Place {
        Place { dir: crate::path::tidy(cwd), switched: Vec::new(), variables: Vec::new() }
    }

    /// Follows a `cd`; a folder that cannot be known is taken for the one we are in.
    fn enter(&mut self, dir: &str) {
        if !dir.is_empty() && !dir.contains(word::UNKNOWN) && dir != "-" {
            self.dir = crate::path::join(&self.dir, dir);
        }
    }

    /// The branch a commit in `dir` would land on.
    fn branch(&self, dir: &str, world: &dyn World) -> Answer<String> {
        let switched = match self.switched.as_slice() {
            [] => None,
            switched => {
                let repository = repository(dir, world);
                switched.iter().rev().find(|(switched, _)| *switched == repository)
            }
        };
        match switched {
            Some((_, Some(branch))) => Answer::Is(branch.clone()),
            Some((_, None)) => Answer::None,
            None => world.git(dir, &GitQuestion::Branch),
        }
    }

    /// Follows a switch of the branch in `dir`; none: to no branch.
    fn switch(&mut self, dir: &str, branch: Option<String>, world: &dyn World) {
        self.switched.push((repository(dir, world), branch));
    }

    /// Remembers a variable; a value too long is one that cannot be known.
    fn assign(&mut self, name: String, value: String) {
        let value = if value.len() > VALUE_MAX { word::UNKNOWN.to_string() } else { value };
        self.variables.retain(|(set, _)| *set != name);
        self.variables.push((name, value));
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.as_str())
    }
}

/// What tells one repository from another: its git folder, or the folder itself where git knows none.
fn repository(dir: &str, world: &dyn World) -> String {
    match world.git(dir, &GitQuestion::Repository) {
        Answer::Is(repository) => repository,
        Answer::None | Answer::Fault(_) => dir.to_owned(),
    }
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod shell_tests;
