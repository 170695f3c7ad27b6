//! The place a command runs in, and the places after a command that may or may not have worked.

use std::rc::Rc;

use super::word::{LIST, UNKNOWN};
use crate::world::{Answer, GitQuestion, World};

/// The longest value of a variable that is remembered, because `a=$a$a` doubles it each time.
const VALUE_MAX: usize = 4 * 1024;
/// The most folders remembered for each of `pushd`, `mkdir` and branch switches. Each place has its own copy.
const FOLDERS_MAX: usize = 64;
/// The longest path that any system opens.
const PATH_MAX: usize = 4 * 1024;

/// A shell's own state. A subshell starts with a copy, and its changes end with it.
#[derive(Clone, PartialEq, Eq)]
struct Shell {
    dir: String,
    old: Option<String>,
    stack: Vec<String>,
    variables: Vec<(String, String)>,
    git_dir: Option<String>,
}

/// The branch before a switch.
#[derive(Clone, PartialEq, Eq)]
enum Before {
    /// The branch that is checked out now.
    Now,
    /// A branch that the script was on before, or none.
    Was(Option<String>),
}

/// A repository that the script switched: its new branch (none if detached) and the one before.
#[derive(Clone, PartialEq, Eq)]
struct Switched {
    repository: String,
    branch: Option<String>,
    before: Before,
}

/// The state a command runs in: its shell, the branches switched to so far, and the folders created so far.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    shell: Rc<Shell>,
    outer: Vec<Rc<Shell>>,
    switched: Vec<Switched>,
    made: Vec<String>,
    repositories: Vec<String>,
}

/// The places after a command: if it worked, if it failed, and if it failed although it normally works.
#[derive(Clone, Default)]
pub(super) struct Endings {
    pub(super) ok: Vec<Place>,
    pub(super) failed: Vec<Place>,
    pub(super) rare: Vec<Place>,
}

impl Endings {
    /// Creates the endings of a command that changes nothing, whether it works or not.
    pub(super) fn either(places: Vec<Place>) -> Endings {
        Endings { ok: places.clone(), failed: places, rare: Vec::new() }
    }

    /// Creates the endings of a command that normally works.
    pub(super) fn normally(worked: Place, before: Place) -> Endings {
        Endings { ok: vec![worked], failed: Vec::new(), rare: vec![before] }
    }

    /// Creates the endings of a command that may well fail.
    pub(super) fn perhaps(worked: Place, before: Place) -> Endings {
        Endings { ok: vec![worked], failed: vec![before], rare: Vec::new() }
    }

    pub(super) fn map(self, change: impl Fn(Place) -> Place) -> Endings {
        let each = |places: Vec<Place>| places.into_iter().map(&change).collect();
        Endings { ok: each(self.ok), failed: each(self.failed), rare: each(self.rare) }
    }
}

impl Place {
    pub(super) fn new(cwd: &str) -> Place {
        let shell = Shell {
            dir: crate::path::tidy(cwd),
            old: None,
            stack: Vec::new(),
            variables: Vec::new(),
            git_dir: None,
        };
        Place {
            shell: Rc::new(shell),
            outer: Vec::new(),
            switched: Vec::new(),
            made: Vec::new(),
            repositories: Vec::new(),
        }
    }

    /// Returns the place that a subshell starts in.
    pub(super) fn fork(mut self) -> Place {
        self.outer.push(Rc::clone(&self.shell));
        self
    }

    /// Returns the place after a subshell. Its changes to repositories stay.
    pub(super) fn join(mut self) -> Place {
        if let Some(shell) = self.outer.pop() {
            self.shell = shell;
        }
        self
    }

    /// Adopts the shell of another place.
    pub(super) fn take_shell(&mut self, other: &Place) {
        self.shell = Rc::clone(&other.shell);
    }

    pub(super) fn dir(&self) -> &str {
        &self.shell.dir
    }

    pub(super) fn old(&self) -> Option<&str> {
        self.shell.old.as_deref()
    }

    pub(super) fn git_dir(&self) -> Option<&str> {
        self.shell.git_dir.as_deref()
    }

    /// Sets `GIT_DIR` for the following commands. If it is unknown or empty, git finds the repository itself.
    pub(super) fn set_git_dir(&mut self, dir: Option<&str>) {
        let dir = dir.filter(|dir| !dir.is_empty() && !dir.contains(UNKNOWN));
        Rc::make_mut(&mut self.shell).git_dir = dir.map(str::to_owned);
    }

    /// Resolves a path to a folder. An unknown path counts as the current folder.
    pub(super) fn toward(&self, dir: &str) -> String {
        if dir.is_empty() || dir.contains(UNKNOWN) {
            return self.shell.dir.clone();
        }
        crate::path::join(&self.shell.dir, dir)
    }

    /// Changes the current folder.
    pub(super) fn enter(&mut self, dir: String) {
        let shell = Rc::make_mut(&mut self.shell);
        shell.old = Some(std::mem::replace(&mut shell.dir, dir));
    }

    pub(super) fn push(&mut self, dir: String) {
        let shell = Rc::make_mut(&mut self.shell);
        if shell.stack.len() < FOLDERS_MAX {
            shell.stack.push(dir);
        }
    }

    pub(super) fn pop(&mut self) -> Option<String> {
        Rc::make_mut(&mut self.shell).stack.pop()
    }

    /// Remembers a folder that the script creates, as a repository or a plain folder.
    pub(super) fn make(&mut self, dir: String, repository: bool) {
        let list = if repository { &mut self.repositories } else { &mut self.made };
        if !list.contains(&dir) && list.len() < FOLDERS_MAX {
            list.push(dir);
        }
    }

    /// Returns whether a folder exists, or was created by the script.
    pub(super) fn has_folder(&self, dir: &str, world: &dyn World) -> bool {
        let mut made = self.made.iter().chain(&self.repositories);
        made.any(|made| crate::path::below(dir, made).is_some()) || world.is_folder(dir)
    }

    /// Returns the folder to ask git about. A folder that does not exist yet belongs to the repository around it.
    pub(super) fn anchor<'a>(&self, mut dir: &'a str, world: &dyn World) -> Option<&'a str> {
        if dir.len() > PATH_MAX {
            return None;
        }
        while !world.is_folder(dir) {
            if self.repositories.iter().any(|made| crate::path::below(made, dir).is_some()) {
                return None;
            }
            dir = match dir.rsplit_once('/') {
                Some(("", name)) if !name.is_empty() => "/",
                Some((parent, _)) if !parent.is_empty() => parent,
                _ => return None,
            };
        }
        Some(dir)
    }

    /// Returns the branch that a commit in `dir` would land on.
    pub(super) fn branch(&self, dir: &str, world: &dyn World) -> Answer<String> {
        match self.switched_at(dir, world) {
            Some(Switched { branch: Some(branch), .. }) => Answer::Is(branch.clone()),
            Some(Switched { branch: None, .. }) => Answer::None,
            None => world.git(dir, &GitQuestion::Branch),
        }
    }

    /// Returns the branch that `git checkout -` in `dir` would return to. Empty for no branch.
    pub(super) fn branch_before(&self, dir: &str, world: &dyn World) -> Answer<String> {
        match self.switched_at(dir, world).map(|switched| &switched.before) {
            Some(Before::Was(before)) => Answer::Is(before.clone().unwrap_or_default()),
            Some(Before::Now) => match world.git(dir, &GitQuestion::Branch) {
                Answer::None => Answer::Is(String::new()),
                answer => answer,
            },
            None => world.git(dir, &GitQuestion::Switch("-".into())),
        }
    }

    fn switched_at(&self, dir: &str, world: &dyn World) -> Option<&Switched> {
        if self.switched.is_empty() {
            return None;
        }
        let repository = repository(dir, world);
        self.switched.iter().find(|switched| switched.repository == repository)
    }

    /// Switches the branch in `dir`; none detaches it.
    pub(super) fn switch(&mut self, dir: &str, branch: Option<String>, world: &dyn World) {
        let repository = repository(dir, world);
        match self.switched.iter_mut().find(|switched| switched.repository == repository) {
            Some(switched) if switched.branch == branch => {}
            Some(switched) => switched.before = Before::Was(std::mem::replace(&mut switched.branch, branch)),
            None => {
                if self.switched.len() >= FOLDERS_MAX {
                    self.switched.remove(0);
                }
                self.switched.push(Switched { repository, branch, before: Before::Now });
            }
        }
    }

    /// Remembers a variable. A value that is too long counts as unknown.
    pub(super) fn assign(&mut self, name: String, value: String) {
        let value = if value.len() > VALUE_MAX { UNKNOWN.to_string() } else { value };
        let variables = &mut Rc::make_mut(&mut self.shell).variables;
        variables.retain(|(set, _)| *set != name);
        variables.push((name, value));
    }

    /// Returns a variable's value, with [`LIST`] between the members of a list.
    pub(super) fn list_variable(&self, name: &str) -> Option<&str> {
        match name {
            "PWD" => Some(self.dir()),
            "OLDPWD" => self.old(),
            _ => self
                .shell
                .variables
                .iter()
                .rev()
                .find(|(set, _)| set == name)
                .map(|(_, value)| value.as_str()),
        }
    }

    /// Returns a variable's value, or the first member of a list.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.list_variable(name)?.split(LIST).next()
    }
}

/// Returns the identity of a repository: its git folder, or the folder itself if git knows none.
fn repository(dir: &str, world: &dyn World) -> String {
    match world.git(dir, &GitQuestion::Repository) {
        Answer::Is(repository) => repository,
        Answer::None | Answer::Fault(_) => dir.to_owned(),
    }
}
