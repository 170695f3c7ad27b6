//! Which registered command is ours: `holdpoint hook`, by whatever path, with no option but `--agent`. One that names a
//! workflow, a rule or a protocol was registered by hand, and stays the user's.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// A registered command that is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The program, as it is written there.
    pub program: String,
    /// The agent it names.
    pub agent: Option<String>,
    /// Whether it is run without a shell.
    pub is_exec: bool,
    /// The whole command line for a shell; for one without, its words.
    pub text: String,
}

/// Whose entries are meant.
#[derive(Clone, Copy, Debug)]
pub struct Ours<'a> {
    /// Programs of ours under other names.
    pub known: &'a [PathBuf],
    /// The agent whose entries are meant; none: all of ours. Two agents may share a file.
    pub agent: Option<&'a str>,
}

impl Ours<'_> {
    /// Whether an entry is one of them.
    pub fn has(&self, handler: &Json) -> bool {
        let is_for =
            |line: Line| line.agent.is_none() || self.agent.is_none() || line.agent.as_deref() == self.agent;
        read(handler, self.known).is_some_and(is_for)
    }
}

/// Reads an entry: none if it is not ours. `known` are programs of ours under other names.
pub fn read(handler: &Json, known: &[PathBuf]) -> Option<Line> {
    let text = |name: &str| handler.get(name).and_then(Json::as_str);
    let command = text("command").or_else(|| text("bash"))?;
    let (words, is_exec) = match handler.get("args").and_then(Json::as_array) {
        Some(args) => {
            let args = args.iter().map(|arg| arg.as_str().map(str::to_owned));
            (std::iter::once(Some(command.to_owned())).chain(args).collect::<Option<Vec<_>>>()?, true)
        }
        None => (words(command)?, false),
    };
    let (program, rest) = words.split_first()?;
    let agent = match &rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["hook"] => None,
        ["hook", "--agent", agent] => Some((*agent).to_owned()),
        ["hook", agent] => Some(agent.strip_prefix("--agent=")?.to_owned()),
        _ => return None,
    };
    let text = if is_exec { words.join(" ") } else { command.to_owned() };
    is_program(program, known).then(|| Line { program: program.clone(), agent, is_exec, text })
}

fn is_program(program: &str, known: &[PathBuf]) -> bool {
    let path = Path::new(program);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(name, "holdpoint" | "holdpoint.exe") || known.iter().any(|known| known == path)
}

/// What an entry may have behind our command, so that a program that is gone fails nothing.
const GUARD: &str = " || true";

/// The words of a simple command line; none if it is more than that. It need not understand more than what we write
/// ourselves and what people write in its place, and it must not: a command that does more is not ours to run.
fn words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.strip_suffix(GUARD).unwrap_or(line).chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let quoted: String = chars.by_ref().take_while(|inner| *inner != c).collect();
                if c == '"' && quoted.contains(['$', '`', '\\']) {
                    return None;
                }
                word.get_or_insert_default().push_str(&quoted);
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            '|' | ';' | '&' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' | '*' | '?' | '[' | '{' | '~'
            | '#' => return None,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn our_commands_are_known_in_every_form() {
        for (handler, program) in [
            (json!({"command": "/a/holdpoint", "args": ["hook", "--agent", "claude"]}), "/a/holdpoint"),
            (json!({"command": "holdpoint hook --agent claude"}), "holdpoint"),
            (json!({"command": "holdpoint hook"}), "holdpoint"),
            (json!({"command": "'/a b/it'\\''s/holdpoint' hook --agent codex"}), "/a b/it's/holdpoint"),
            (json!({"command": "\"/a b/holdpoint\" hook --agent=codex"}), "/a b/holdpoint"),
            (json!({"bash": "/a/holdpoint hook --agent copilot || true"}), "/a/holdpoint"),
            (json!({"command": "/b/hp hook --agent claude"}), "/b/hp"),
        ] {
            let line = read(&handler, &["/b/hp".into()]).unwrap_or_else(|| panic!("{handler}"));
            assert_eq!(line.program, program);
        }
    }

    #[test]
    fn others_are_not() {
        for handler in [
            json!({"command": "holdpoint hook --workflow w --only rule --protocol legacy"}),
            json!({"command": "holdpoint status"}),
            json!({"command": "/a/other hook --agent claude"}),
            json!({"command": "node holdpoint hook"}),
            json!({"command": "holdpoint hook --agent claude; rm -rf x"}),
            json!({"command": "holdpoint hook --agent claude | tee x"}),
            json!({"command": "holdpoint hook --agent $(touch x)"}),
            json!({"command": "\"$(touch x)/holdpoint\" hook"}),
            json!({"command": "holdpoint hook\ntouch x"}),
            json!({"command": "holdpoint hook || true || touch x"}),
            json!({"command": "FOO=1 holdpoint hook"}),
            json!({"command": "/a/holdpoint", "args": ["hook", "--agent", 5]}),
            json!({"prompt": "holdpoint hook"}),
            json!("holdpoint hook"),
        ] {
            assert_eq!(read(&handler, &[]), None, "{handler}");
        }
    }
}
