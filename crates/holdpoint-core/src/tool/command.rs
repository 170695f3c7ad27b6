//! The shell command of a tool call: a text, a list of words, or what is typed into a shell that is open.

use std::borrow::Cow;

use serde_json::Value as Json;

/// The names under which agents give a command.
const NAMES: [&str; 5] = ["command", "cmd", "chars", "command_line", "commandLine"];

/// The command that an input gives.
pub(super) fn given(input: &Json) -> Option<Cow<'_, str>> {
    match NAMES.iter().find_map(|name| input.get(*name))? {
        Json::String(text) => Some(Cow::Borrowed(text)),
        Json::Array(words) => {
            let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(quoted)).collect();
            Some(Cow::Owned(words?.join(" ")))
        }
        _ => None,
    }
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The patch that a call of a shell consists of: `apply_patch` with a here-document, or with its text as a word. Agents
/// apply such a patch themselves, as if their tool had been called.
pub(super) fn patch(input: &Json) -> Option<&str> {
    match NAMES.iter().find_map(|name| input.get(*name))? {
        Json::String(text) => here_document(text),
        Json::Array(words) => match words.as_slice() {
            [name, patch] if PROGRAMS.contains(&name.as_str()?) => patch.as_str(),
            [_, _, text] => here_document(text.as_str()?),
            _ => None,
        },
        _ => None,
    }
}

const PROGRAMS: [&str; 2] = ["apply_patch", "applypatch"];

/// The text of the here-document, if nothing else is run.
fn here_document(command: &str) -> Option<&str> {
    let rest = PROGRAMS.iter().find_map(|program| command.trim_start().strip_prefix(program))?;
    let (opened, patch) = rest.trim_start_matches([' ', '\t']).strip_prefix("<<")?.split_once('\n')?;
    let end = opened.trim().trim_matches(['\'', '"']);
    let is_word = !end.is_empty() && end.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let (patch, after) = patch.rsplit_once(&format!("\n{end}")).filter(|_| is_word)?;
    (after.trim().is_empty() && !patch.lines().any(|line| line == end)).then_some(patch)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_is_a_text_or_a_list() {
        for (input, command) in [
            (json!({"command": "git commit"}), Some("git commit")),
            (
                json!({"command": ["bash", "-lc", "git commit -m 'a b'"]}),
                Some(r"bash -lc 'git commit -m '\''a b'\'''"),
            ),
            (json!({"cmd": ["git", "commit", ""]}), Some("git commit ''")),
            (json!({"chars": "ls\n", "session_id": 1}), Some("ls\n")),
            (json!({"command": [1]}), None),
            (json!({"command": 1}), None),
        ] {
            assert_eq!(given(&input).as_deref(), command, "{input}");
        }
    }

    #[test]
    fn a_patch_in_a_shell_is_a_patch_if_it_is_all() {
        let text = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        let here = |word: &str, more: &str| format!("apply_patch <<{word}\n{text}\nE{more}");
        for (input, found) in [
            (json!({"cmd": here("'E'", "\n")}), true),
            (json!({"command": ["bash", "-lc", here("E", "")]}), true),
            (json!({"command": ["apply_patch", text]}), true),
            (json!({"cmd": here("E", "\ngit commit")}), false),
            (json!({"cmd": format!("git commit; {}", here("E", ""))}), false),
            (json!({"cmd": format!("apply_patch <<E\nE\ngit commit\n{text}\nE")}), false),
            (json!({"cmd": "git commit -m '*** Begin Patch'"}), false),
        ] {
            assert_eq!(patch(&input), found.then_some(text), "{input}");
        }
    }
}
