//! The branches that `git checkout` and `git switch` lead to.

use super::ShellError;
use super::git::Call;
use super::place::{Endings, Place};
use super::walk::Walk;
use crate::world::{Answer, GitQuestion};

/// Options that do not affect the target of a switch.
const HARMLESS: [&str; 20] = [
    "-q",
    "--quiet",
    "-f",
    "--force",
    "-m",
    "--merge",
    "-l",
    "--progress",
    "--no-progress",
    "--guess",
    "--no-guess",
    "--no-track",
    "--ignore-other-worktrees",
    "--recurse-submodules",
    "--no-recurse-submodules",
    "--overwrite-ignore",
    "--no-overwrite-ignore",
    "--discard-changes",
    "--conflict=merge",
    "--conflict=diff3",
];

#[derive(Clone, Copy)]
enum Target<'a> {
    /// A new branch, created by force or not.
    New {
        name: &'a str,
        force: bool,
    },
    Named(&'a str),
    Detached,
    Files,
}

impl Walk<'_> {
    pub(super) fn switch(&mut self, call: &Call<'_>, place: Place) -> Endings {
        let (target, odd) = switch_target(call.command, call.args);
        let Some(dir) = place.anchor(&call.dir, self.world) else { return Endings::either(vec![place]) };
        let (branch, fails) = match target {
            Target::New { name, force } => {
                let exists = || {
                    self.world.git(dir, &GitQuestion::Switch(name.to_owned())) == Answer::Is(name.to_owned())
                };
                (Some(name.to_owned()), !force && exists())
            }
            Target::Detached => (None, false),
            Target::Named(name) => {
                let answer = match name {
                    "-" | "@{-1}" => place.branch_before(dir, self.world),
                    // A pattern names files: a branch name cannot contain one.
                    name if name.contains(['*', '?', '[']) => Answer::None,
                    name => self.world.git(dir, &GitQuestion::Switch(name.to_owned())),
                };
                match answer {
                    Answer::Is(branch) => {
                        let branch = Some(branch).filter(|branch| !branch.is_empty());
                        // `git switch` detaches only with `--detach`.
                        let refused = branch.is_none() && call.command == "switch";
                        (branch, refused)
                    }
                    Answer::None => return Endings::either(vec![place]),
                    Answer::Fault(why) => {
                        self.found.fault = Some(ShellError::World(why));
                        return Endings::either(vec![place]);
                    }
                }
            }
            Target::Files => return Endings::either(vec![place]),
        };
        self.follow_switch(dir, branch, place.clone(), odd || fails)
    }

    /// Follows a switch. `fails` means that it may well fail.
    pub(super) fn follow_switch(
        &self,
        dir: &str,
        branch: Option<String>,
        place: Place,
        fails: bool,
    ) -> Endings {
        let mut there = place.clone();
        there.switch(dir, branch, self.world);
        if fails { Endings::perhaps(there, place) } else { Endings::normally(there, place) }
    }
}

/// Returns the target of a switch, and whether it has unknown options, which git may refuse.
fn switch_target<'a>(command: &str, args: &'a [String]) -> (Target<'a>, bool) {
    let mut names = Vec::new();
    let (mut odd, mut track, mut detach, mut made) = (false, false, false, None);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word.as_str(), None),
        };
        match name {
            "--create" | "--force-create" | "--orphan" => {
                let value = attached.or_else(|| words.next().map(String::as_str));
                made = value.map(|branch| (branch, name == "--force-create"));
            }
            "--detach" => detach = true,
            "--track" => track = true,
            "--" if words.as_slice().is_empty() => {}
            "--" | "-p" | "--patch" | "--ours" | "--theirs" => return (Target::Files, odd),
            "-" => names.push("-"),
            flag if HARMLESS.contains(&flag) || HARMLESS.contains(&word.as_str()) => {}
            long if long.starts_with("--") => odd = true,
            short if short.starts_with('-') => match cluster(command, short) {
                Cluster::Makes { attached, force } => {
                    let value = attached.or_else(|| words.next().map(String::as_str));
                    made = value.map(|branch| (branch, force));
                }
                Cluster::Detaches => detach = true,
                Cluster::Tracks => track = true,
                Cluster::Patches => return (Target::Files, odd),
                Cluster::Plain => {}
                Cluster::Odd => odd = true,
            },
            name => names.push(name),
        }
    }
    let target = match (made, names.as_slice()) {
        (Some((name, force)), _) => Target::New { name, force },
        (None, _) if detach => Target::Detached,
        (None, [name]) if track => {
            Target::New { name: name.split_once('/').map_or(*name, |(_, branch)| branch), force: false }
        }
        (None, [name]) => Target::Named(name),
        (None, _) => Target::Files,
    };
    (target, odd)
}

enum Cluster<'a> {
    Makes { attached: Option<&'a str>, force: bool },
    Detaches,
    Tracks,
    Patches,
    Plain,
    Odd,
}

/// Reads combined short options such as `-qb` or `-bname`.
fn cluster<'a>(command: &str, options: &'a str) -> Cluster<'a> {
    let makes = if command == "switch" { ['c', 'C'] } else { ['b', 'B'] };
    let mut sum = Cluster::Plain;
    for (at, flag) in options.char_indices().skip(1) {
        match flag {
            flag if makes.contains(&flag) => {
                let attached = options.get(at + 1..).filter(|name| !name.is_empty());
                return Cluster::Makes { attached, force: flag.is_ascii_uppercase() };
            }
            'd' => sum = Cluster::Detaches,
            't' => sum = Cluster::Tracks,
            'p' => return Cluster::Patches,
            'q' | 'f' | 'm' | 'l' => {}
            _ => return Cluster::Odd,
        }
    }
    sum
}
