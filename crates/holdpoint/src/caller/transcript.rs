//! Claude Code's own record of a session, the transcript: whether a prompt was typed by somebody at the session. What the
//! agent schedules, what its shell sends to the client, and what a client without a screen is given stands there as that.

use std::path::Path;

use serde_json::Value as Json;

use super::tail::{head, tail};

/// The most that is read of a transcript, from its end: a line can have a whole request in it.
const TAIL_BYTES: u64 = 4 * 1024 * 1024;

/// The most that is read of its beginning.
const HEAD_BYTES: u64 = 256 * 1024;

/// What a transcript says of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typing {
    /// Somebody typed it.
    Typed,
    /// It came in another way.
    Otherwise(String),
    /// Nothing yet.
    Unsaid,
}

/// Looks a prompt up in a transcript, by its text and the client's id of it.
pub fn look_up(transcript: &Path, prompt: &str, prompt_id: &str) -> Typing {
    tail(transcript, TAIL_BYTES).map_or(Typing::Unsaid, |text| read(&text, prompt, prompt_id))
}

/// How many messages of a session are looked for in the record of another.
const SHARED_MAX: usize = 8;

/// Returns whether the session with this transcript began as a copy of another: a copy keeps its messages' ids. Their records
/// stand side by side.
pub fn descends(transcript: &Path, from: &str) -> bool {
    let is_name = !from.is_empty() && from.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let other = transcript.with_file_name(format!("{from}.jsonl"));
    if !is_name || other == transcript {
        return false;
    }
    let Some(text) = head(transcript, HEAD_BYTES) else { return false };
    let ids: Vec<String> = text.lines().filter_map(message_id).take(SHARED_MAX).collect();
    let is_shared = |other: String| ids.iter().any(|id| other.contains(&format!("\"uuid\":\"{id}\"")));
    !ids.is_empty() && tail(&other, TAIL_BYTES).is_some_and(is_shared)
}

fn message_id(line: &str) -> Option<String> {
    let line: Json = serde_json::from_str(line).ok()?;
    line["uuid"].as_str().filter(|id| id.len() >= 32).map(str::to_owned)
}

/// All lines about the prompt must say so: what the client wrote is not taken back by a line that somebody adds.
fn read(text: &str, prompt: &str, prompt_id: &str) -> Typing {
    // Most lines are no prompts, and need not be read.
    let lines = text.lines().filter(|line| line.contains(prompt_id));
    let lines = lines.filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let mut typing = Typing::Unsaid;
    for line in lines.filter(|line| line["type"] == "user" && line["promptId"] == prompt_id) {
        let Some(form) = form(&line["message"]["content"], prompt) else { continue };
        match otherwise(&line, form) {
            Some(why) => return Typing::Otherwise(why),
            None => typing = Typing::Typed,
        }
    }
    typing
}

/// How a line has the prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it is.
    Plain,
    /// As a command of the client's, with its name and its arguments apart.
    Command,
}

fn form(content: &Json, prompt: &str) -> Option<Form> {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    let text = content.as_str().map_or_else(|| parts.collect::<Vec<_>>().concat(), str::to_owned);
    let inner = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.to_owned())
    };
    if text.trim() == prompt.trim() {
        return Some(Form::Plain);
    }
    let name = inner("command-name").filter(|_| text.trim_start().starts_with("<command-"))?;
    let whole = format!("{name} {}", inner("command-args").unwrap_or_default());
    (whole.trim() == prompt.trim()).then_some(Form::Command)
}

/// How a line's prompt came, if not by typing.
fn otherwise(line: &Json, form: Form) -> Option<String> {
    let says = |field: &str, word: &str| line[field].as_str() == Some(word);
    // A command has no source of its own; only newer versions say whose turn it is.
    let is_typed = match form {
        Form::Plain => says("promptSource", "typed"),
        Form::Command => says("turnOrigin", "human"),
    };
    let is_other = |field: &str, word: &str| line[field].as_str().is_some_and(|said| said != word);
    let is_human = line["origin"]["kind"] == "human" && !is_other("turnOrigin", "human");
    if is_typed && is_human && line["isMeta"] != true && line["isSidechain"] != true {
        return None;
    }
    let named = [&line["turnOrigin"], &line["origin"]["kind"], &line["promptSource"]];
    let named = named.into_iter().filter_map(Json::as_str).find(|said| *said != "human");
    Some(named.unwrap_or("not said").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that Claude Code 2.1.325 and 2.1.197 wrote.
    const LINES: &str = include_str!("../../tests/payloads/claude-transcript.jsonl");

    #[test]
    fn only_what_was_typed_is_the_users() {
        let plain = "holdpoint flow resume retry";
        let command = "/flow resume retry";
        let otherwise = |why: &str| Typing::Otherwise(why.to_owned());
        for (what, prompt, id, expect) in [
            ("typed", plain, "typed", Typing::Typed),
            ("typed as a command", command, "typed-command", Typing::Typed),
            ("typed in an older version", plain, "typed-197", Typing::Typed),
            (
                "a command, of which an older version does not say who gave it",
                command,
                "command-197",
                otherwise("not said"),
            ),
            ("scheduled by CronCreate", plain, "cron", otherwise("scheduled")),
            ("scheduled by CronCreate as a command", command, "cron-command", otherwise("scheduled")),
            ("sent to the messaging socket", plain, "peer", otherwise("peer")),
            ("given to a client without a screen", plain, "print", otherwise("sdk")),
            ("the same in an older version", plain, "print-197", otherwise("sdk")),
            ("not there", plain, "nowhere", Typing::Unsaid),
            ("another text", "holdpoint flow abandon", "typed", Typing::Unsaid),
            ("another's id", plain, "typed-command", Typing::Unsaid),
        ] {
            assert_eq!(read(LINES, prompt, id), expect, "{what}");
        }
    }

    #[test]
    fn a_line_that_is_added_takes_nothing_back() {
        let plain = "holdpoint flow resume retry";
        let forged = LINES.lines().next().unwrap().replace("\"typed\",\"type\"", "\"cron\",\"type\"");
        assert!(forged.contains("\"promptId\":\"cron\""));
        let text = format!("{LINES}\n{forged}\n");
        assert_eq!(read(&text, plain, "cron"), Typing::Otherwise("scheduled".into()));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "foreign files")]
    fn a_copy_of_a_session_has_its_messages() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(format!("{name}.jsonl"));
        let line =
            |id: &str| format!("{{\"type\":\"user\",\"uuid\":\"{id}-5f99-46e2-b749-5cd23fb87a43\"}}\n");
        std::fs::write(file("one"), format!("{{}}\n{}{}", line("355c9b45"), line("455c9b45"))).unwrap();
        std::fs::write(file("fork"), format!("nonsense\n{}{}", line("355c9b45"), line("555c9b45"))).unwrap();
        std::fs::write(file("other"), line("655c9b45")).unwrap();
        assert!(descends(&file("fork"), "one"));
        for (transcript, from) in [
            ("other", "one"),
            ("fork", "other"),
            ("fork", "fork"),
            ("fork", "../one"),
            ("none", "one"),
            ("fork", ""),
        ] {
            assert!(!descends(&file(transcript), from), "{transcript} {from}");
        }
    }

    #[test]
    fn rubbish_says_nothing() {
        for text in [
            "",
            "\0",
            "cron",
            "{\"promptId\":\"cron\"}",
            "[\"cron\"]",
            "{\"type\":\"user\",\"promptId\":\"cron\"}",
        ] {
            assert_eq!(read(text, "go", "cron"), Typing::Unsaid, "{text}");
        }
    }
}
