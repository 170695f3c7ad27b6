//! What a shell command would commit, and where: the command is parsed as a shell would, then walked with the
//! folder and the branch it would be on at each step.

mod git;
mod walk;
mod word;

use crate::world::{Answer, GitQuestion, World};

/// A commit that a command would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The folder git would run in: absolute.
    pub dir: String,
    /// The branch it would land on. None: no branch, or no repository.
    pub branch: Option<String>,
}

/// Commands longer than this, or nested deeper, are read word by word: the grammar's cost grows too fast.
const LENGTH_MAX: usize = 32 * 1024;
const NESTING_MAX: usize = 24;

/// The commits that `command`, run in `cwd`, would make. `Err`: git could not be asked.
pub fn commits(command: &str, cwd: &str, world: &dyn World) -> Result<Vec<Commit>, String> {
    if !may_run_git(command) {
        return Ok(Vec::new());
    }
    let mut walk = walk::Walk::new(world);
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
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in command.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    command.len() <= LENGTH_MAX && deepest <= NESTING_MAX
}

/// Where a command stands: its folder, the branches switched to so far, and the variables set so far.
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
        let same_repository = |place: &str| {
            crate::path::below(place, dir).is_some() || crate::path::below(dir, place).is_some()
        };
        match self.switched.iter().rev().find(|(place, _)| same_repository(place)) {
            Some((_, Some(branch))) => Answer::Is(branch.clone()),
            Some((_, None)) => Answer::None,
            None => world.git(dir, &GitQuestion::Branch),
        }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.iter().rev().find(|(set, _)| set == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod shell_tests;
