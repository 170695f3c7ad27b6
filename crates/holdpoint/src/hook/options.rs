//! The hook's options. They are parsed by hand, because clap would cost more than most answers.

use std::ffi::OsString;

use thiserror::Error;

use crate::agent::{Agent, Protocol};

/// The help text of `holdpoint hook --help`.
pub const HELP: &str = "\
Answer one event of a coding agent (called by its hooks)

Reads JSON from standard input, and prints the answer to standard output.

Usage: holdpoint hook [OPTIONS]

Options:
      --agent <AGENT>        The agent that calls: claude, codex, gemini,
                             cursor, copilot [default: recognized by its input]
      --workflow <WORKFLOW>  Apply only this workflow
      --only <RULE>          Apply only the rules of this name
      --protocol <PROTOCOL>  The form of the answer: own (current agents),
                             legacy (older hook scripts) [default: own]
  -h, --help                 Print help

Exits with 0. Prints nothing if the event is allowed without a message. A
workflow's [legacy] table can change both for --protocol legacy.

Examples:
  Answer Claude Code (in .claude/settings.json, for PreToolUse and PostToolUse):
    holdpoint hook --agent claude
  Register one guard of a workflow as a separate hook:
    holdpoint hook --workflow <WORKFLOW> --only <RULE> --protocol legacy
  See the answer to an event:
    echo '{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",
      \"tool_input\":{\"command\":\"git commit\"}}' | holdpoint hook
";

/// The options of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The agent that the command line names.
    pub agent: Option<Agent>,
    /// The only workflow to apply.
    pub workflow: Option<String>,
    /// The name of the only rules to apply.
    pub only: Option<String>,
    /// The form of the answer.
    pub protocol: Protocol,
    /// Whether to print help instead.
    pub help: bool,
}

/// A mistake in the options.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// There is no such option.
    #[error("unknown argument `{0}`")]
    UnknownArgument(String),
    /// The option's value is missing or empty.
    #[error("`{0}` needs a value")]
    NoValue(String),
    /// There is no such agent.
    #[error("unknown agent `{0}`")]
    UnknownAgent(String),
    /// There is no such form of the answer.
    #[error("unknown protocol `{0}`")]
    UnknownProtocol(String),
}

impl Options {
    /// Reads the options.
    pub fn read(args: impl Iterator<Item = OsString>) -> Result<Options, OptionsError> {
        let mut options = Options::default();
        let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
        while let Some(arg) = args.next() {
            let (name, attached) = match arg.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (arg.clone(), None),
            };
            if matches!(name.as_str(), "-h" | "--help") {
                options.help = true;
                continue;
            }
            options.set(&name, || attached.or_else(|| args.next()).filter(|value| !value.is_empty()))?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: impl FnOnce() -> Option<String>) -> Result<(), OptionsError> {
        if !matches!(name, "--agent" | "--workflow" | "--only" | "--protocol") {
            return Err(OptionsError::UnknownArgument(name.to_owned()));
        }
        let value = value().ok_or_else(|| OptionsError::NoValue(name.to_owned()))?;
        match name {
            "--agent" => {
                let known = Agent::ALL.iter().find(|(agent, _)| *agent == value);
                self.agent = Some(known.ok_or(OptionsError::UnknownAgent(value))?.1);
            }
            "--workflow" => self.workflow = Some(value),
            "--only" => self.only = Some(value),
            _ => {
                self.protocol = match value.as_str() {
                    "own" => Protocol::Own,
                    "legacy" => Protocol::Legacy,
                    _ => return Err(OptionsError::UnknownProtocol(value)),
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, OptionsError> {
        Options::read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_are_read_in_both_forms() {
        let options = read("--agent codex --workflow=w --only rule --protocol=legacy").unwrap();
        assert_eq!(options.agent, Some(Agent::Codex));
        assert_eq!((options.workflow.as_deref(), options.only.as_deref()), (Some("w"), Some("rule")));
        assert_eq!(options.protocol, Protocol::Legacy);
        assert!(read("-h").unwrap().help);
    }

    #[test]
    fn problems_are_named() {
        for (line, part) in [
            ("--agnet x", "unknown argument `--agnet`"),
            ("--agent", "`--agent` needs a value"),
            ("--agent nobody", "unknown agent `nobody`"),
            ("--protocol new", "unknown protocol `new`"),
            ("--only=", "`--only` needs a value"),
            ("stray", "unknown argument `stray`"),
        ] {
            assert!(read(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }
}
