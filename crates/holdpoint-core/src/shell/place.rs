//! Where a command stands, and where it may stand after commands that may or may not have worked.

use std::rc::Rc;

use super::word::{LIST, UNKNOWN};
use crate::world::{Answer, GitQuestion, World};

/// The longest value a variable is remembered with: `a=$a$a` doubles it each time.
const VALUE_MAX: usize = 4 * 1024;
/// How many folders `pushd` keeps, and how many that are made or switched are remembered: each place has its copy.
const FOLDERS_MAX: usize = 64;
/// No system opens a longer path.
const PATH_MAX: usize = 4 * 1024;

/// What a shell keeps for itself: a subshell starts with a copy, and its changes end with it.
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
    /// The one that is checked out as we look.
    Now,
    /// One the script was on; none: no branch.
    Was(Option<String>),
}

/// A repository that was switched: to which branch (none: to no branch), and from which.
#[derive(Clone, PartialEq, Eq)]
struct Switched {
    repository: String,
    branch: Option<String>,
    before: Before,
}

/// Where a command stands: its shell, the branches that repositories were switched to so far, the folders made so far.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    shell: Rc<Shell>,
    outer: Vec<Rc<Shell>>,
    switched: Vec<Switched>,
    made: Vec<String>,
    repositories: Vec<String>,
}

/// Where a command may leave us: after it worked, after it failed, and after it failed although it normally works.
#[derive(Clone, Default)]
pub(super) struct Outcome {
    pub(super) ok: Vec<Place>,
    pub(super) failed: Vec<Place>,
    pub(super) rare: Vec<Place>,
}

impl Outcome {
    /// A command that changes nothing, whether it works or not.
    pub(super) fn either(places: Vec<Place>) -> Outcome {
        Outcome { ok: places.clone(), failed: places, rare: Vec::new() }
    }

    /// A command that normally works.
    pub(super) fn normally(worked: Place, before: Place) -> Outcome {
        Outcome { ok: vec![worked], failed: Vec::new(), rare: vec![before] }
    }

    /// A command that may well fail.
    pub(super) fn perhaps(worked: Place, before: Place) -> Outcome {
        Outcome { ok: vec![worked], failed: vec![before], rare: Vec::new() }
    }

    pub(super) fn map(self, change: impl Fn(Place) -> Place) -> Outcome {
        let each = |places: Vec<Place>| places.into_iter().map(&change).collect();
        Outcome { ok: each(self.ok), failed: each(self.failed), rare: each(self.rare) }
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

    /// The place a subshell starts in.
    pub(super) fn fork(mut self) -> Place {
        self.outer.push(Rc::clone(&self.shell));
        self
    }

    /// The place after a subshell: what it did to repositories stays.
    pub(super) fn join(mut self) -> Place {
        if let Some(shell) = self.outer.pop() {
            self.shell = shell;
        }
        self
    }

    /// Takes over what another place's shell keeps.
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

    /// What `GIT_DIR` says from here on; nothing that can be known, or empty: git looks itself.
    pub(super) fn set_git_dir(&mut self, dir: Option<&str>) {
        let dir = dir.filter(|dir| !dir.is_empty() && !dir.contains(UNKNOWN));
        Rc::make_mut(&mut self.shell).git_dir = dir.map(str::to_owned);
    }

    /// The folder a path leads to; one that cannot be known is taken for the one we are in.
    pub(super) fn toward(&self, dir: &str) -> String {
        if dir.is_empty() || dir.contains(UNKNOWN) {
            return self.shell.dir.clone();
        }
        crate::path::join(&self.shell.dir, dir)
    }

    /// Follows a change of the folder.
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

    /// Remembers a folder that is made, and whether it becomes a repository of its own.
    pub(super) fn make(&mut self, dir: String, repository: bool) {
        let list = if repository { &mut self.repositories } else { &mut self.made };
        if !list.contains(&dir) && list.len() < FOLDERS_MAX {
            list.push(dir);
        }
    }

    /// Whether a folder is there, or was made on the way.
    pub(super) fn has_folder(&self, dir: &str, world: &dyn World) -> bool {
        let mut made = self.made.iter().chain(&self.repositories);
        made.any(|made| crate::path::below(dir, made).is_some()) || world.is_folder(dir)
    }

    /// The folder to ask git about: a folder that is yet to be made belongs to the repository around it.
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

    /// The branch a commit in `dir` would land on.
    pub(super) fn branch(&self, dir: &str, world: &dyn World) -> Answer<String> {
        match self.switched_at(dir, world) {
            Some(Switched { branch: Some(branch), .. }) => Answer::Is(branch.clone()),
            Some(Switched { branch: None, .. }) => Answer::None,
            None => world.git(dir, &GitQuestion::Branch),
        }
    }

    /// The branch before the last switch in `dir`, as `git checkout -` takes it: empty for no branch.
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

    /// Follows a switch of the branch in `dir`; none: to no branch.
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

    /// Remembers a variable; a value too long is one that cannot be known.
    pub(super) fn assign(&mut self, name: String, value: String) {
        let value = if value.len() > VALUE_MAX { UNKNOWN.to_string() } else { value };
        let variables = &mut Rc::make_mut(&mut self.shell).variables;
        variables.retain(|(set, _)| *set != name);
        variables.push((name, value));
    }

    /// A variable's value: a list's members stand apart by [`LIST`].
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

    /// A variable's value; of a list, its first.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.list_variable(name)?.split(LIST).next()
    }
}

/// What tells one repository from another: its git folder, or the folder itself where git knows none.
fn repository(dir: &str, world: &dyn World) -> String {
    match world.git(dir, &GitQuestion::Repository) {
        Answer::Is(repository) => repository,
        Answer::None | Answer::Fault(_) => dir.to_owned(),
    }
}
