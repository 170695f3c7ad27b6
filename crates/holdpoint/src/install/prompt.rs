//! A workflow's slash commands and sub-agents in each agent's own form. Its folder has them as Claude Code reads them, in
//! `commands/` and `agents/`; what they point to is put into them, so that each file stands on its own.

use std::path::PathBuf;

use serde_json::json;

use super::host::Host;
use super::place::{Place, Scope};

/// The form of an agent's slash commands.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// `commands/<workflow>/<name>.md` with a head, and `agents/<workflow>-<name>.md`.
    Markdown,
    /// `commands/<workflow>-<name>.md` without a head.
    PlainMarkdown,
    /// `commands/<workflow>/<name>.toml`.
    GeminiToml,
    /// A folder each, with a `SKILL.md`.
    Skills {
        /// Where, in a project.
        folder: &'static str,
        /// Where, in the user's home.
        user_folder: &'static str,
        /// The folder of a workflow that has texts for this agent, and is taken instead of `commands/`.
        prefers: Option<&'static str>,
        /// Whether a file beside it says that only the user calls for it.
        has_policy: bool,
    },
}

/// A file to install.
#[derive(Debug)]
pub struct Prompt {
    /// Where it goes.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What the user types, or the sub-agent's name.
    pub called: String,
}

/// What stands for the workflow's own folder in its texts.
const FOLDER: &str = "@${CLAUDE_PLUGIN_ROOT}/";
/// What stands for the user's words.
const ARGUMENTS: &str = "$ARGUMENTS";
/// The file in a skill's folder that says who may call for it.
const POLICY: &str = "agents/openai.yaml";

/// A workflow: its name, and its folder's files.
#[derive(Debug)]
pub struct Source<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its files: path and text.
    pub files: &'a [(String, String)],
}

/// A text of the workflow's, with its head apart.
struct Command<'a> {
    name: &'a str,
    head: Option<&'a str>,
    description: String,
    body: String,
}

/// The files that an agent gets for a workflow.
pub fn prompts(host: &Host, place: &Place, source: &Source<'_>) -> Vec<Prompt> {
    let folder = place.folder(host);
    match host.prompts {
        Form::Markdown => {
            let commands = source.commands("commands").into_iter().map(|command| Prompt {
                path: folder.join("commands").join(source.name).join(format!("{}.md", command.name)),
                text: command.whole(),
                called: format!("/{}:{}", source.name, command.name),
            });
            let agents = source.commands("agents").into_iter().map(|agent| Prompt {
                path: folder.join("agents").join(format!("{}-{}.md", source.name, agent.name)),
                text: agent.whole(),
                called: agent.name.to_owned(),
            });
            commands.chain(agents).collect()
        }
        Form::PlainMarkdown => source.each("commands", |command| {
            let name = source.long_name(command.name);
            Prompt {
                path: folder.join("commands").join(format!("{name}.md")),
                text: command.body.replace(ARGUMENTS, "what stands after the command"),
                called: format!("/{name}"),
            }
        }),
        Form::GeminiToml => source.each("commands", |command| Prompt {
            path: folder.join("commands").join(source.name).join(format!("{}.toml", command.name)),
            text: gemini(&command),
            called: format!("/{}:{}", source.name, command.name),
        }),
        Form::Skills { folder, user_folder, prefers, has_policy } => {
            let folder = match place.scope {
                Scope::Project => place.root.join(folder),
                Scope::User => place.root.join(user_folder),
            };
            let mut skills = skills(&folder, source, prefers);
            skills.retain(|skill| has_policy || !skill.path.ends_with(POLICY));
            skills
        }
    }
}

fn gemini(command: &Command<'_>) -> String {
    let mut document = toml_edit::DocumentMut::new();
    document["description"] = toml_edit::value(&command.description);
    document["prompt"] = toml_edit::value(command.body.replace(ARGUMENTS, "{{args}}"));
    document.to_string()
}

/// Skills: the text itself, and a note that only the user calls for it.
fn skills(folder: &std::path::Path, source: &Source<'_>, prefers: Option<&str>) -> Vec<Prompt> {
    let own = prefers.map(|folder| source.commands(folder)).unwrap_or_default();
    let commands = if own.is_empty() { source.commands("commands") } else { own };
    let mut all = Vec::new();
    for command in commands {
        let name = source.long_name(command.name);
        let body = command.body.replace(ARGUMENTS, "what the user wrote beside the skill's name");
        let head = format!("---\nname: {name}\ndescription: {}\n---\n", json!(command.description));
        let called = format!("${name}");
        all.push(Prompt {
            path: folder.join(&name).join("SKILL.md"),
            text: head + "\n" + &body,
            called: called.clone(),
        });
        all.push(Prompt {
            path: folder.join(&name).join(POLICY),
            text: "policy:\n  allow_implicit_invocation: false\n".to_owned(),
            called,
        });
    }
    all
}

impl<'a> Source<'a> {
    fn each(&self, folder: &str, make: impl Fn(Command<'a>) -> Prompt) -> Vec<Prompt> {
        self.commands(folder).into_iter().map(make).collect()
    }

    /// The Markdown files of one of its folders.
    fn commands(&self, folder: &str) -> Vec<Command<'a>> {
        let named = self.files.iter().filter_map(|(path, text)| {
            let name = path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".md")?;
            (!name.contains('/')).then(|| self.command(name, text))
        });
        named.collect()
    }

    fn command(&self, name: &'a str, text: &'a str) -> Command<'a> {
        let (head, body) = split(text);
        let said = head.and_then(|head| head.lines().find_map(|line| line.strip_prefix("description:")));
        let first = || body.lines().find(|line| !line.trim().is_empty()).unwrap_or(name);
        let description = said.map_or_else(|| first().trim_start_matches('#'), str::trim);
        let description = description.trim();
        let quoted = description.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let description = quoted.unwrap_or(description).replace("\\\"", "\"");
        Command { name, head, description, body: self.filled(body) }
    }

    /// A text with the files that it points to put in their places.
    fn filled(&self, body: &str) -> String {
        let mut parts = body.split(FOLDER);
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(char::is_whitespace).unwrap_or(part.len());
            let (path, rest) = part.split_at(end);
            match self.files.iter().find(|(file, _)| file == path) {
                Some((_, text)) => filled.extend(["\n\n", text.trim_end(), "\n"]),
                None => filled.extend([FOLDER, path]),
            }
            filled += rest;
        }
        filled
    }

    /// A name that tells the workflow too.
    fn long_name(&self, name: &str) -> String {
        if name.starts_with(self.name) { name.to_owned() } else { format!("{}-{name}", self.name) }
    }
}

impl Command<'_> {
    fn whole(&self) -> String {
        match self.head {
            Some(head) => format!("---\n{head}---\n{}", self.body),
            None => self.body.clone(),
        }
    }
}

/// A text's head, if it has one, and the rest.
fn split(text: &str) -> (Option<&str>, &str) {
    let parts = text.strip_prefix("---\n").and_then(|rest| {
        let end = rest.find("\n---\n")? + 1;
        Some((rest.get(..end)?, rest.get(end + 4..)?))
    });
    parts.map_or((None, text), |(head, body)| (Some(head), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_filled_with_what_it_points_to() {
        let text = "---\ndescription: \"Do it: \\\"now\\\"\"\nx: y\n---\n\nRules: @${CLAUDE_PLUGIN_ROOT}/rules.md\nThe user adds: $ARGUMENTS\n";
        let files =
            [("commands/go.md".to_owned(), text.to_owned()), ("rules.md".to_owned(), "# Rules\n".to_owned())];
        let source = Source { name: "flow", files: &files };
        let commands = source.commands("commands");
        let [command] = &commands[..] else { panic!("{}", commands.len()) };
        assert_eq!(command.description, "Do it: \"now\"");
        assert_eq!(command.body, "\nRules: \n\n# Rules\n\nThe user adds: $ARGUMENTS\n");
        assert_eq!(command.whole().lines().nth(2), Some("x: y"));
    }
}
