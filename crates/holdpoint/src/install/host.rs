//! An agent as a target of an installation: its files, its events, its tools, and the form of its entries.

use holdpoint_core::event::Moment;
use holdpoint_core::tool::ToolKind;
use serde_json::Value as Json;

use super::prompt::Form;
use super::{claude, codex, copilot, cursor, gemini};
use crate::env::Env;
use crate::program;

/// An agent, as the installation needs to know it.
#[derive(Debug)]
pub struct Host {
    /// Its name, as `--agent` spells it.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The programs it may be.
    pub programs: &'static [&'static str],
    /// The command that installs it.
    pub get: &'static str,
    /// Files that show that a project uses it.
    pub marks: &'static [&'static str],
    /// Its folder in a project.
    pub folder: &'static str,
    /// Its folder in the user's home.
    pub user_folder: &'static str,
    /// The variable that overrides this folder.
    pub user_variable: Option<&'static str>,
    /// The file in that folder that its hooks are written to.
    pub settings: &'static str,
    /// Other files in that folder that can register hooks.
    pub also: &'static [&'static str],
    /// How its hooks are nested.
    pub shape: Shape,
    /// What the file must contain besides its hooks.
    pub preamble: &'static [(&'static str, i64)],
    /// The file in that folder that is the user's alone, in a project.
    pub local: Option<&'static str>,
    /// The keys that lead to the rules of what it may call without asking.
    pub allows: Option<&'static [&'static str]>,
    /// What of the client's own settings lets a Stop be held more often than it would by itself.
    pub cap: Option<Cap>,
    /// Its events and their moments.
    pub events: &'static [(&'static str, Moment)],
    /// Moments at which it ignores a hook's output. A hook still runs there, for what the engine remembers.
    pub ignores_output_at: &'static [Moment],
    /// The language of its matchers.
    pub matching: Matching,
    /// Renders one entry of its hooks.
    pub handler: fn(&Handler<'_>) -> Json,
    /// How it runs a hook's command line.
    pub runs: Runs,
    /// The form of its slash commands.
    pub prompts: Form,
    /// What the user has to do after `init`.
    pub next: Option<&'static str>,
}

/// A client's own limit of holds in a row, and the key that raises it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap {
    /// The keys that lead to it in the settings.
    pub path: &'static [&'static str],
    /// The value: more than the engine ever holds.
    pub value: &'static str,
    /// What it is without.
    pub usual: u32,
}

/// How hooks are nested in a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An event has groups with a matcher, and each group has handlers.
    Grouped,
    /// An event has handlers, each with its own matcher.
    Flat,
}

/// The language of a matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Names separated by bars.
    Names,
    /// A regular expression that may match part of the name.
    Pattern,
}

/// How an agent runs a hook's command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// `sh -c`, or without a shell if the entry has `args`.
    Shell,
    /// `bash -c`.
    Bash,
    /// The user's shell as a login shell.
    LoginShell,
}

/// The parts of an entry.
#[derive(Debug)]
pub struct Handler<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The program.
    pub program: &'a str,
    /// Its timeout.
    pub seconds: u32,
    /// The moment.
    pub moment: Moment,
    /// What the client may show while it waits, where that may take long.
    pub status: Option<&'a str>,
    /// The tools, if the shape has the matcher in the entry.
    pub matcher: Option<&'a str>,
}

impl Handler<'_> {
    /// Renders the command line for a shell.
    pub fn line(&self) -> String {
        format!("{} hook --agent {}", quoted(self.program), self.agent)
    }
}

/// All agents, in the order in which messages list them.
pub const ALL: [&Host; 5] = [&claude::HOST, &codex::HOST, &gemini::HOST, &cursor::HOST, &copilot::HOST];

/// Returns the agent of this name.
pub fn named(name: &str) -> Option<&'static Host> {
    ALL.into_iter().find(|host| host.name == name)
}

impl Host {
    /// Returns the names of its tools of a kind.
    pub fn tools(&self, kind: ToolKind) -> impl Iterator<Item = &'static str> {
        kind.registered_for(self.name)
    }

    /// Renders the matcher for these tools, or for every tool if there are none.
    pub fn matcher(&self, tools: &[String]) -> String {
        match (self.matching, tools) {
            (Matching::Names, []) => "*".to_owned(),
            (Matching::Pattern, []) => ".*".to_owned(),
            // With anything but names in it, it is a pattern for these agents, too.
            (Matching::Names, tools) if !tools.iter().any(|tool| tool.contains('*')) => tools.join("|"),
            (Matching::Names | Matching::Pattern, tools) => format!("^({})$", tools.join("|")),
        }
    }

    /// Finds its program, if it is installed.
    pub fn program(&self, env: &dyn Env) -> Option<std::path::PathBuf> {
        self.programs.iter().find_map(|name| program::on_path(name, env))
    }
}

/// Says how to get a program that a workflow needs.
pub fn get(program: &str) -> String {
    let host = ALL.into_iter().find(|host| host.programs.contains(&program));
    host.map_or_else(|| format!("install `{program}`, or put its folder on PATH"), |host| host.get.to_owned())
}

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+-,:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use holdpoint_core::tool::TOOLS;

    use super::*;

    #[test]
    fn every_registered_tool_is_recognized() {
        for host in ALL {
            for (word, kind) in ToolKind::NAMED {
                let tools: Vec<&str> = host.tools(kind).collect();
                assert!(!tools.is_empty(), "{} has no {word} tool", host.name);
                assert!(tools.iter().all(|tool| ToolKind::of(tool) == kind), "{}: {tools:?}", host.name);
            }
        }
    }

    #[test]
    fn every_tool_has_one_row_and_belongs_to_known_agents() {
        for (at, tool) in TOOLS.iter().enumerate() {
            assert!(!TOOLS[..at].iter().any(|other| other.name == tool.name), "{} twice", tool.name);
            assert!(tool.registered_for.iter().all(|agent| named(agent).is_some()), "{tool:?}");
        }
    }
}
