//! The commits that a shell command would make. The command is parsed as a shell would parse it, then walked with the
//! folder and the branch that each step would run in.

mod compound;
mod document;
mod git;
mod line;
mod place;
mod plain;
mod push;
mod run;
mod switch;
mod test_run;
mod walk;
mod word;
mod wrapper;

use std::mem::discriminant;
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

pub use plain::plain_words;
pub(crate) use test_run::is_test_run;

use crate::world::{Answer, GitError, GitQuestion, World, WorldError};

/// A commit that a command would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The folder git would run in, absolute.
    pub dir: String,
    /// The branch it would land on. None without a branch or a repository.
    pub branch: Option<String>,
}

/// The longest command that is read at all: twice the longest argument that Linux passes to a program.
pub(crate) const COMMAND_MAX: usize = 256 * 1024;

/// Commands longer than this, or nested deeper, are read word by word. Each open bracket and each open `case` doubles
/// the parser's work, and other keywords use up the stack.
const LENGTH_MAX: usize = 32 * 1024;
const BRACKETS_MAX: usize = 16;
const CASES_MAX: usize = 8;
const KEYWORDS_MAX: usize = 100;
/// The most questions of one kind that git gets about one command. Each starts a process.
const QUESTIONS_MAX: usize = 50;

/// The commits that a command would make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// Each commit once. If a commit could land on several branches, it is listed with each of them.
    pub list: Vec<Commit>,
    /// Why the list may be incomplete: git did not answer, or the command is too complex to follow.
    pub fault: Option<ShellError>,
}

/// The branches of other repositories that a command would push to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pushes {
    /// Each branch once; `*` where it cannot be told which.
    pub list: Vec<String>,
    /// Why the list may be incomplete.
    pub fault: Option<ShellError>,
}

/// A program that a command would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name and its arguments. A word that cannot be told has a replacement character in it.
    pub words: Vec<String>,
    /// Whether the exit code 0 of the whole command says that it ran and succeeded: nothing stands after it that has an exit code
    /// of its own, and nothing before it that may leave it out.
    pub is_told: bool,
}

/// What stands for any branch in a list of pushes.
pub(crate) const ANY_BRANCH: &str = "*";

/// The reason why a command cannot be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShellError {
    /// The world could not answer a question.
    #[error("{0}")]
    World(WorldError),
    /// There are too many branches on which the command may end.
    #[error("the command may end on too many branches to follow")]
    TooManyBranches,
    /// The command is too long to read.
    #[error("the command is too long to be judged: {0} bytes, of which at most {COMMAND_MAX} are read")]
    TooLong(usize),
}

/// Returns the commits that `command`, run in `cwd`, would make.
pub fn commits(command: &str, cwd: &str, world: &dyn World) -> Commits {
    if !may_run_git(command) {
        return Commits::default();
    }
    if command.len() > COMMAND_MAX {
        return Commits { fault: Some(ShellError::TooLong(command.len())), ..Commits::default() };
    }
    walked(command, cwd, world, |walk| walk.found)
}

/// Returns the branches that `command`, run in `cwd`, would push to.
pub(crate) fn pushes(command: &str, cwd: &str, world: &dyn World) -> Pushes {
    if !may_run_git(command) {
        return Pushes::default();
    }
    if command.len() > COMMAND_MAX {
        return Pushes { fault: Some(ShellError::TooLong(command.len())), ..Pushes::default() };
    }
    walked(command, cwd, world, |walk| Pushes { list: walk.pushed, fault: walk.found.fault })
}

/// The programs that `command`, run in `cwd`, would run.
pub(crate) fn programs(command: &str, cwd: &str, world: &dyn World) -> Result<Vec<Program>, ShellError> {
    if command.len() > COMMAND_MAX {
        return Err(ShellError::TooLong(command.len()));
    }
    Ok(walked(command, cwd, world, |walk| walk.ran))
}

/// Walks a command, and returns what is wanted of the walk.
fn walked<T>(command: &str, cwd: &str, world: &dyn World, wanted: impl FnOnce(walk::Walk<'_>) -> T) -> T {
    let world = CachedGit { world, answers: Mutex::default() };
    let mut walk = walk::Walk::new(&world);
    walk.script(command, vec![place::Place::new(cwd)]);
    wanted(walk)
}

/// Keeps the commits in the repository of `home`, or in one of its worktrees; where `home` is in none, those below it. What
/// cannot be told is kept. Git is asked once for each folder.
pub(crate) fn keep_those_of(home: &str, commits: &mut Vec<Commit>, world: &dyn World) {
    let world = CachedGit { world, answers: Mutex::default() };
    commits.retain(|commit| home == commit.dir || is_of(home, &commit.dir, &world));
}

fn is_of(home: &str, dir: &str, world: &dyn World) -> bool {
    let repository = |dir: &str| world.git(dir, &GitQuestion::Repository);
    match (repository(dir), repository(home)) {
        (Answer::Is(there), Answer::Is(here)) => {
            let (there, here) = (shared(&there), shared(&here));
            there == here || world.is_same_place(there, here)
        }
        (Answer::Is(_), Answer::None) => crate::path::below(home, dir).is_some(),
        _ => true,
    }
}

/// The folder that a repository shares with its worktrees: theirs are in `worktrees` there.
fn shared(git_dir: &str) -> &str {
    let parent = git_dir.rsplit_once('/').and_then(|(parent, _)| parent.strip_suffix("/worktrees"));
    parent.unwrap_or(git_dir)
}

/// Whether the words of a program begin with those of `wanted`, options aside: `git push`, `npm publish`. An option that is
/// among them must be there, wherever it stands: `git reset --hard`.
pub(crate) fn is_run(words: &[String], wanted: &str) -> bool {
    let (Some((name, args)), mut wanted) = (words.split_first(), wanted.split_whitespace()) else {
        return false;
    };
    let program = wrapper::program(name);
    let is_named = wanted.next().is_some_and(|first| first == program || name.contains(word::UNKNOWN));
    let args = if program == "git" { git::past_options(args) } else { args };
    let is_unknown = |arg: &String| arg.contains(word::UNKNOWN);
    let (options, names): (Vec<&str>, Vec<&str>) = wanted.partition(|word| word.starts_with('-'));
    let mut rest = args.iter().filter(|arg| !arg.starts_with('-'));
    let has = |option: &&str| args.iter().any(|arg| is_unknown(arg) || is_option(arg, option));
    is_named
        && names.iter().all(|word| rest.next().is_some_and(|arg| arg == word || is_unknown(arg)))
        && options.iter().all(has)
}

/// Whether the words of a program are one of `wanted`, and none of those that `!` leaves out.
pub(crate) fn is_one_run(words: &[String], wanted: &[String]) -> bool {
    let is_left_out =
        || wanted.iter().filter_map(|one| one.strip_prefix('!')).any(|one| is_plainly(words, one));
    wanted.iter().any(|one| !one.starts_with('!') && is_run(words, one)) && !is_left_out()
}

/// Whether a program is called with these words, as they are written. Where an option is among them, there are no others:
/// what follows could take it back (`--no-dry-run`), or make it the value of another.
fn is_plainly(words: &[String], wanted: &str) -> bool {
    let Some((name, args)) = words.split_first() else { return false };
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let args = if wrapper::program(name) == "git" { git::past_options(args) } else { args };
    let has_option = wanted.iter().any(|word| word.starts_with('-'));
    let called = || std::iter::once(wrapper::program(name)).chain(args.iter().map(String::as_str));
    called().take(wanted.len()).eq(wanted.iter().copied()) && (!has_option || args.len() + 1 == wanted.len())
}

/// Whether this is the option, in full or as short as programs take it for one: `--ha` for `--hard`.
fn is_option(arg: &str, option: &str) -> bool {
    let name = arg.split_once('=').map_or(arg, |(name, _)| name);
    name == option || (name.starts_with("--") && name.len() > 3 && option.starts_with(name))
}

/// Whether the command could run git at all, quotes and escapes aside: most cannot, and need no parser.
fn may_run_git(command: &str) -> bool {
    let plain: Vec<u8> = command.bytes().filter(|b| !matches!(b, b'\'' | b'"' | b'\\' | b'\n')).collect();
    plain.windows(3).any(|three| three.eq_ignore_ascii_case(b"git"))
}

/// Returns whether the command is small enough for the parser.
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

/// Returns the greatest depth that steps up and down reach.
fn deepest(steps: impl Iterator<Item = isize>) -> usize {
    let depths = steps.scan(0_usize, |depth, step| {
        *depth = depth.saturating_add_signed(step);
        Some(*depth)
    });
    depths.max().unwrap_or(0)
}

/// A world that asks git each question once, and at most [`QUESTIONS_MAX`] of a kind.
struct CachedGit<'a> {
    world: &'a dyn World,
    answers: Mutex<Vec<(String, GitQuestion, Answer<String>)>>,
}

impl World for CachedGit<'_> {
    fn read(&self, path: &str) -> Answer<Vec<u8>> {
        self.world.read(path)
    }

    fn exists(&self, path: &str) -> Answer<()> {
        self.world.exists(path)
    }

    fn is_folder(&self, dir: &str) -> bool {
        self.world.is_folder(dir)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.world.env(name)
    }

    fn is_same_place(&self, one: &str, other: &str) -> bool {
        self.world.is_same_place(one, other)
    }

    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., answer)) = answers.iter().find(|(at, asked, _)| at == dir && asked == question) {
            return answer.clone();
        }
        let of_its_kind = |asked: &GitQuestion| discriminant(asked) == discriminant(question);
        if answers.iter().filter(|(_, asked, _)| of_its_kind(asked)).count() >= QUESTIONS_MAX {
            return Answer::Fault(WorldError::Git(GitError::TooManyQuestions(QUESTIONS_MAX)));
        }
        let answer = self.world.git(dir, question);
        answers.push((dir.to_owned(), question.clone(), answer.clone()));
        answer
    }
}

#[cfg(test)]
mod exit_tests;
#[cfg(test)]
mod runs_tests;
#[cfg(test)]
#[path = "shell_tests.rs"]
mod shell_tests;
