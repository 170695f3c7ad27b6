//! A git command line: the commit it makes, the branch it switches to, the alias it runs.

use super::place::{Endings, Place};
use super::walk::Walk;
use super::word::UNKNOWN;
use super::{Commit, ShellError};
use crate::world::{Answer, GitQuestion, World};

/// Git's own commands. Aliases cannot replace them, so they need no alias lookup.
const PLAIN: [&str; 43] = [
    "add",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "clean",
    "commit-graph",
    "commit-tree",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "mv",
    "notes",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "rm",
    "shortlog",
    "show",
    "stash",
    "status",
    "submodule",
    "tag",
];

/// Git's global options that take the next word as their value.
const GLOBAL_VALUES: [&str; 7] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix"];

/// `git commit`'s options that take the next word as their value.
const COMMIT_VALUES: [&str; 12] = [
    "--message",
    "--file",
    "--reuse-message",
    "--reedit-message",
    "--template",
    "--author",
    "--date",
    "--cleanup",
    "--fixup",
    "--squash",
    "--trailer",
    "--pathspec-from-file",
];

/// A git call with its global options applied.
pub(super) struct Call<'a> {
    pub(super) dir: String,
    aliases: Vec<(&'a str, &'a str)>,
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
}

impl Walk<'_> {
    /// Follows a git command line.
    pub(super) fn git(&mut self, args: &[String], place: Place) -> Endings {
        let Some(call) = read_call(args, &place) else { return Endings::either(vec![place]) };
        match call.command {
            "commit" if makes_commit(call.args) => self.commit(&call, &place),
            "cherry-pick" | "revert" | "am" if applies(call.args) => self.commit(&call, &place),
            "push" | "send-pack" => self.push(&call, &place),
            "checkout" | "switch" => return self.switch(&call, place),
            "symbolic-ref" => return self.symbolic_ref(&call, place),
            "init" | "clone" => return make_repository(&call, place, self.world),
            "commit" | "cherry-pick" | "revert" | "am" => {}
            command if PLAIN.contains(&command) || command.contains(UNKNOWN) => {}
            _ => return self.alias(&call, place),
        }
        Endings::either(vec![place])
    }

    fn commit(&mut self, call: &Call<'_>, place: &Place) {
        let dir = place.anchor(&call.dir, self.world);
        let branch = match dir.map_or(Answer::None, |dir| place.branch(dir, self.world)) {
            Answer::Is(branch) => Some(branch),
            Answer::None => None,
            Answer::Fault(why) => {
                self.found.fault = Some(ShellError::World(why));
                return;
            }
        };
        let commit = Commit { dir: dir.unwrap_or(&call.dir).to_owned(), branch };
        if !self.found.list.contains(&commit) {
            self.found.list.push(commit);
        }
    }

    /// Follows `git symbolic-ref HEAD refs/heads/x`, which switches without a checkout.
    fn symbolic_ref(&mut self, call: &Call<'_>, place: Place) -> Endings {
        let names: Vec<&String> = call.args.iter().filter(|arg| !arg.starts_with('-')).collect();
        match (names.as_slice(), place.anchor(&call.dir, self.world)) {
            ([head, reference], Some(dir)) if head.as_str() == "HEAD" => {
                match reference.strip_prefix("refs/heads/") {
                    Some(branch) => self.follow_switch(dir, Some(branch.to_owned()), place.clone(), false),
                    None => Endings::either(vec![place]),
                }
            }
            _ => Endings::either(vec![place]),
        }
    }

    fn alias(&mut self, call: &Call<'_>, place: Place) -> Endings {
        let given =
            call.aliases.iter().find(|(name, _)| *name == call.command).map(|(_, value)| (*value).to_owned());
        let dir = place.anchor(&call.dir, self.world).unwrap_or(&call.dir);
        let value =
            given.or_else(|| match self.world.git(dir, &GitQuestion::Alias(call.command.to_owned())) {
                Answer::Is(value) => Some(value),
                Answer::None => None,
                Answer::Fault(why) => {
                    self.found.fault = Some(ShellError::World(why));
                    None
                }
            });
        let Some(value) = value else { return Endings::either(vec![place]) };
        let quoted: String =
            call.args.iter().map(|arg| format!(" '{}'", arg.replace('\'', r"'\''"))).collect();
        let script = match value.strip_prefix('!') {
            Some(script) => format!("{script}{quoted}"),
            None => format!("git {value}{quoted}"),
        };
        self.apart(vec![place], |walk, mut places| {
            for place in &mut places {
                place.enter(call.dir.clone());
            }
            walk.script(&script, places)
        })
    }
}

/// Follows `git init` and `git clone` into a new folder, which create a repository separate from the one around it.
fn make_repository(call: &Call<'_>, mut place: Place, world: &dyn World) -> Endings {
    let before = place.clone();
    let names: Vec<&String> = call.args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let folder = match (call.command, names.as_slice()) {
        ("init", []) => Some("."),
        (_, [.., last]) => {
            last.trim_end_matches('/').rsplit(['/', ':']).next().filter(|_| names.len() == 1).map_or(
                Some(last.as_str()),
                |name| {
                    if call.command == "clone" {
                        name.strip_suffix(".git").or(Some(name))
                    } else {
                        Some(last.as_str())
                    }
                },
            )
        }
        _ => None,
    };
    if let Some(dir) = folder.map(|folder| crate::path::join(&call.dir, folder))
        && !world.is_folder(&dir)
    {
        place.make(dir, true);
    }
    Endings::normally(place, before)
}

fn read_call<'a>(mut args: &'a [String], place: &Place) -> Option<Call<'a>> {
    let mut at = place.clone();
    let mut git_dir = place.git_dir().map(str::to_owned);
    let mut aliases = Vec::new();
    loop {
        let (option, rest) = args.split_first()?;
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (option.as_str(), None),
        };
        if !name.starts_with('-') {
            let dir = git_dir.map_or_else(|| at.dir().to_owned(), |git_dir| at.toward(&git_dir));
            return Some(Call { dir, aliases, command: option, args: rest });
        }
        if matches!(name, "-h" | "--help" | "--version" | "-v") {
            return None;
        }
        let separate = GLOBAL_VALUES.contains(&name) && attached.is_none();
        let value =
            attached.or_else(|| rest.first().filter(|_| separate).map(String::as_str)).unwrap_or_default();
        match name {
            "-C" => {
                let dir = at.toward(value);
                at.enter(dir);
            }
            // `--work-tree` names the files, not the repository.
            "--git-dir" => git_dir = Some(value.to_owned()),
            "-c" => aliases.extend(value.strip_prefix("alias.").and_then(|alias| alias.split_once('='))),
            _ => {}
        }
        args = rest.get(usize::from(separate)..)?;
    }
}

/// The words of a call that follow its global options: its command first.
pub(super) fn past_options(mut args: &[String]) -> &[String] {
    while let [option, rest @ ..] = args
        && option.starts_with('-')
    {
        let is_separate = GLOBAL_VALUES.contains(&option.as_str());
        args = rest.get(usize::from(is_separate)..).unwrap_or_default();
    }
    args
}

/// Returns whether `git cherry-pick`, `revert` or `am` commits with these arguments, rather than aborting, skipping or
/// only applying.
fn applies(args: &[String]) -> bool {
    const NOT: [&str; 8] =
        ["-n", "--no-commit", "--abort", "--quit", "--skip", "--help", "-h", "--show-current-patch"];
    !args.iter().any(|arg| NOT.contains(&arg.as_str()))
}

/// Returns whether `git commit` makes a commit with these arguments, rather than only showing what it would do.
fn makes_commit(args: &[String]) -> bool {
    let mut makes = true;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => break,
            "--no-dry-run" => makes = true,
            "--short" | "--porcelain" | "--long" | "--help" => makes = false,
            long if long.len() > 4 && "--dry-run".starts_with(long) => makes = false,
            long if COMMIT_VALUES.contains(&long) => {
                words.next();
            }
            long if long.starts_with("--") => {}
            short if short.starts_with('-') => match short_value(short) {
                Short::TakesNext => {
                    words.next();
                }
                Short::Help => makes = false,
                Short::Plain => {}
            },
            _ => {}
        }
    }
    makes
}

enum Short {
    TakesNext,
    Help,
    Plain,
}

/// Returns how a cluster such as `-am` uses the next word.
fn short_value(cluster: &str) -> Short {
    for (at, flag) in cluster.char_indices().skip(1) {
        match flag {
            'm' | 'F' | 'c' | 'C' | 't' if at + 1 == cluster.len() => return Short::TakesNext,
            'm' | 'F' | 'c' | 'C' | 't' | 'u' | 'S' => return Short::Plain,
            'h' => return Short::Help,
            _ => {}
        }
    }
    Short::Plain
}
