//! A git command line: which commit it makes, which branch it switches to, which alias it runs.

use super::walk::Walk;
use super::word::UNKNOWN;
use super::{Commit, Place};
use crate::world::{Answer, GitQuestion};

/// Git's own commands that need no look at the aliases: aliases cannot replace them.
const PLAIN: [&str; 46] = [
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
    "clone",
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
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "mv",
    "notes",
    "push",
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

/// A git call after its global options.
struct Call<'a> {
    dir: String,
    aliases: Vec<(&'a str, &'a str)>,
    command: &'a str,
    args: &'a [String],
}

impl Walk<'_> {
    /// Follows a git command line.
    pub(super) fn git(&mut self, args: &[String], place: &mut Place) {
        let Some(call) = read_call(args, place) else { return };
        match call.command {
            "commit" if makes_commit(call.args) => self.commit(&call, place),
            "cherry-pick" | "revert" | "am" if applies(call.args) => self.commit(&call, place),
            "checkout" | "switch" => self.switch(&call, place),
            "symbolic-ref" => self.symbolic_ref(&call, place),
            "commit" | "cherry-pick" | "revert" | "am" => {}
            command if PLAIN.contains(&command) || command.contains(UNKNOWN) => {}
            _ => self.alias(&call, place),
        }
    }

    fn commit(&mut self, call: &Call<'_>, place: &Place) {
        let branch = match place.branch(&call.dir, self.world) {
            Answer::Is(branch) => Some(branch),
            Answer::None => None,
            Answer::Fault(reason) => {
                self.fault = Some(reason);
                return;
            }
        };
        self.commits.push(Commit { dir: call.dir.clone(), branch });
    }

    fn switch(&mut self, call: &Call<'_>, place: &mut Place) {
        match switch_target(call.command, call.args) {
            Target::New(branch) => place.switch(&call.dir, Some(branch.to_owned()), self.world),
            Target::Detached => place.switch(&call.dir, None, self.world),
            Target::Named(name) => match self.world.git(&call.dir, &GitQuestion::Switch(name.to_owned())) {
                Answer::Is(branch) => {
                    place.switch(&call.dir, Some(branch).filter(|branch| !branch.is_empty()), self.world);
                }
                Answer::None | Answer::Fault(_) => {}
            },
            Target::Files => {}
        }
    }

    /// `git symbolic-ref HEAD refs/heads/x` switches without a checkout.
    fn symbolic_ref(&mut self, call: &Call<'_>, place: &mut Place) {
        let names: Vec<&String> = call.args.iter().filter(|arg| !arg.starts_with('-')).collect();
        if let [head, reference] = names.as_slice()
            && head.as_str() == "HEAD"
            && let Some(branch) = reference.strip_prefix("refs/heads/")
        {
            place.switch(&call.dir, Some(branch.to_owned()), self.world);
        }
    }

    fn alias(&mut self, call: &Call<'_>, place: &mut Place) {
        let given =
            call.aliases.iter().find(|(name, _)| *name == call.command).map(|(_, value)| (*value).to_owned());
        let value =
            given.or_else(|| match self.world.git(&call.dir, &GitQuestion::Alias(call.command.to_owned())) {
                Answer::Is(value) => Some(value),
                Answer::None | Answer::Fault(_) => None,
            });
        let Some(value) = value else { return };
        let quoted: String =
            call.args.iter().map(|arg| format!(" '{}'", arg.replace('\'', r"'\''"))).collect();
        let script = match value.strip_prefix('!') {
            Some(script) => format!("{script}{quoted}"),
            None => format!("git {value}{quoted}"),
        };
        let mut inner = Place { dir: call.dir.clone(), ..place.clone() };
        self.script(&script, &mut inner);
        place.switched = inner.switched;
    }
}

fn read_call<'a>(mut args: &'a [String], place: &Place) -> Option<Call<'a>> {
    let mut at = place.clone();
    let mut aliases = Vec::new();
    loop {
        let (option, rest) = args.split_first()?;
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (option.as_str(), None),
        };
        if !name.starts_with('-') {
            return Some(Call { dir: at.dir, aliases, command: option, args: rest });
        }
        if matches!(name, "-h" | "--help" | "--version" | "-v") {
            return None;
        }
        let separate = GLOBAL_VALUES.contains(&name) && attached.is_none();
        let value =
            attached.or_else(|| rest.first().filter(|_| separate).map(String::as_str)).unwrap_or_default();
        match name {
            "-C" | "--git-dir" | "--work-tree" => at.enter(value),
            "-c" => aliases.extend(value.strip_prefix("alias.").and_then(|alias| alias.split_once('='))),
            _ => {}
        }
        args = rest.get(usize::from(separate)..)?;
    }
}

/// Whether `git cherry-pick`, `revert` or `am` with these arguments commits: not when it stops, skips or only applies.
fn applies(args: &[String]) -> bool {
    const NOT: [&str; 8] =
        ["-n", "--no-commit", "--abort", "--quit", "--skip", "--help", "-h", "--show-current-patch"];
    !args.iter().any(|arg| NOT.contains(&arg.as_str()))
}

/// Whether `git commit` with these arguments makes a commit: not when it only shows what it would do.
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

/// What a cluster such as `-am` does to the next word.
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

enum Target<'a> {
    New(&'a str),
    Named(&'a str),
    Detached,
    Files,
}

fn switch_target<'a>(command: &str, args: &'a [String]) -> Target<'a> {
    let creates: &[&str] = match command {
        "switch" => &["-c", "-C", "--create", "--force-create", "--orphan"],
        _ => &["-b", "-B", "--orphan"],
    };
    let mut names = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            flag if creates.contains(&flag) => {
                return words.next().map_or(Target::Files, |name| Target::New(name));
            }
            "--detach" => return Target::Detached,
            "-d" if command == "switch" => return Target::Detached,
            "--" | "-p" | "--patch" | "--ours" | "--theirs" => return Target::Files,
            "-" => names.push("-"),
            flag if flag.starts_with('-') => {}
            name => names.push(name),
        }
    }
    match names.as_slice() {
        [name] => Target::Named(name),
        _ => Target::Files,
    }
}
