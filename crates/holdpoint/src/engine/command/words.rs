//! The words after a workflow's command: its arguments and flags.

use std::collections::BTreeMap;

use holdpoint_core::diagnostic::nearest;
use holdpoint_core::workflow::command::{Argument, Command, Flag};
use serde_json::{Value as Json, json};
use thiserror::Error;

use crate::error::{CommandError, Kind};

/// What was given, by name.
#[derive(Debug, Default, PartialEq)]
pub struct Words {
    /// The arguments.
    pub args: BTreeMap<String, String>,
    /// The flags: `true`, or their value.
    pub flags: BTreeMap<String, Json>,
    /// The run that was named with `--run`, which every command takes that has no flag of that name.
    pub run: Option<String>,
}

/// A mistake in the words.
#[derive(Debug, Error)]
enum WordError {
    #[error("`{0}` is one argument too many")]
    TooMany(String),
    #[error("`{command}` has no flag `{flag}`")]
    UnknownFlag { command: String, flag: String },
    #[error("`--{0}` takes no value")]
    TakesNoValue(String),
    #[error("`--{0}` needs a value")]
    NeedsValue(String),
    #[error("{name} is missing{}", because(.help))]
    Missing { name: String, help: String },
    #[error("{name} cannot be {value:?}{}", because(.help))]
    Unfit { name: String, value: String, help: String },
}

/// Reads the words for a command of a workflow.
///
/// An argument that takes the rest takes everything from its first word on; `--` ends the flags before it.
pub fn read(workflow: &str, command: &Command, words: &[String]) -> Result<Words, CommandError> {
    let wrong = |error: WordError| {
        CommandError::new(Kind::Usage, error.to_string())
            .hinted(format!("holdpoint {workflow} {}", command.usage()))
    };
    let mut given = Words::default();
    let mut expected = command.args.iter();
    let (mut at, mut ended) = (0, false);
    while let Some(word) = words.get(at) {
        if word == "--" && !ended {
            ended = true;
            at += 1;
            continue;
        }
        if let Some((flag, value)) = flag(command, word).filter(|_| !ended) {
            at += read_flag(flag, value, words.get(at + 1), &mut given).map_err(wrong)?;
            continue;
        }
        if let Some(named) = named_run(word, words.get(at + 1)).filter(|_| !ended) {
            let (name, length) = named.map_err(wrong)?;
            given.run = Some(name.to_owned());
            at += length;
            continue;
        }
        let argument = expected.next().ok_or_else(|| wrong(WordError::TooMany(word.clone())))?;
        if argument.is_rest {
            given.args.insert(argument.name.to_string(), words[at..].join(" "));
            break;
        }
        if word.starts_with("--") && !ended {
            return Err(unknown_flag(command, word, wrong));
        }
        given.args.insert(argument.name.to_string(), word.clone());
        at += 1;
    }
    for argument in command.args.iter() {
        check(argument, &given).map_err(wrong)?;
    }
    Ok(given)
}

/// The flag that names a run.
const RUN: &str = "run";

/// The run that a word names, and how many words that took.
fn named_run<'w>(word: &'w str, next: Option<&'w String>) -> Option<Result<(&'w str, usize), WordError>> {
    let named = word.strip_prefix("--")?.strip_prefix(RUN)?;
    if named.is_empty() {
        let value = next.ok_or_else(|| WordError::NeedsValue(RUN.to_owned()));
        return Some(value.map(|value| (value.as_str(), 2)));
    }
    named.strip_prefix('=').map(|value| Ok((value, 1)))
}

/// The flag that a word names, and the value that is part of the word.
fn flag<'a, 'w>(command: &'a Command, word: &'w str) -> Option<(&'a Flag, Option<&'w str>)> {
    let (name, value) = match word.strip_prefix("--")?.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word.strip_prefix("--")?, None),
    };
    command.flags.iter().find(|flag| flag.name == name).map(|flag| (flag, value))
}

/// Reads a flag; returns how many words it took.
fn read_flag(
    flag: &Flag,
    value: Option<&str>,
    next: Option<&String>,
    given: &mut Words,
) -> Result<usize, WordError> {
    if flag.value.is_none() {
        if value.is_some() {
            return Err(WordError::TakesNoValue(flag.name.to_string()));
        }
        given.flags.insert(flag.fact(), json!(true));
        return Ok(1);
    }
    let length = if value.is_some() { 1 } else { 2 };
    let needs_value = || WordError::NeedsValue(flag.name.to_string());
    let value = value.or(next.map(String::as_str)).ok_or_else(needs_value)?;
    if !fits(flag.pattern.as_deref(), value) {
        return Err(unfit(format!("`--{}`", flag.name), value, &flag.help));
    }
    given.flags.insert(flag.fact(), json!(value));
    Ok(length)
}

fn check(argument: &Argument, given: &Words) -> Result<(), WordError> {
    let name = format!("<{}>", argument.name.to_uppercase());
    match given.args.get(argument.name.as_ref()) {
        None if argument.is_optional => Ok(()),
        None => Err(WordError::Missing { name, help: argument.help.to_string() }),
        Some(value) if fits(argument.pattern.as_deref(), value) => Ok(()),
        Some(value) => Err(unfit(name, value, &argument.help)),
    }
}

fn unfit(name: String, value: &str, help: &str) -> WordError {
    WordError::Unfit { name, value: value.to_owned(), help: help.to_owned() }
}

fn because(help: &str) -> String {
    if help.is_empty() { String::new() } else { format!(" (expected: {help})") }
}

/// Whether the whole value is as the pattern says. A line's end is a part of the value like any other.
fn fits(pattern: Option<&str>, value: &str) -> bool {
    let Some(pattern) = pattern else { return true };
    regex_lite::Regex::new(&format!("\\A(?:{pattern})\\z")).is_ok_and(|regex| regex.is_match(value))
}

fn unknown_flag(command: &Command, word: &str, wrong: impl Fn(WordError) -> CommandError) -> CommandError {
    let names = command.flags.iter().map(|flag| flag.name.as_ref());
    let near = nearest(word.trim_start_matches('-'), names).map(|near| format!("did you mean `--{near}`?"));
    let error = wrong(WordError::UnknownFlag { command: command.name.to_string(), flag: word.to_owned() });
    match near {
        Some(near) => error.hinted(near),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        let argument = |name: &str, is_rest, pattern: Option<&'static str>| Argument {
            name: name.to_owned().into(),
            is_optional: false,
            is_rest,
            pattern: pattern.map(Into::into),
            help: "plan or review".into(),
        };
        let flag = |name: &str, value: Option<&'static str>| Flag {
            name: name.to_owned().into(),
            value: value.map(Into::into),
            pattern: value.map(|_| "[1-9][0-9]?".into()),
            help: "".into(),
        };
        Command {
            name: "start".into(),
            about: "".into(),
            run: None,
            args: vec![argument("mode", false, Some("plan|review")), argument("topic", true, None)].into(),
            flags: vec![flag("rounds", Some("N")), flag("from-draft", None)].into(),
            is_users: false,
            through: Vec::new().into(),
            until: None,
            steps: Vec::new().into(),
        }
    }

    fn given(line: &str) -> Result<Words, CommandError> {
        let words: Vec<String> = line.split('|').map(str::to_owned).collect();
        read("flow", &command(), &words)
    }

    #[test]
    fn flags_come_before_the_topic_and_the_rest_is_the_topic() {
        let words = given("plan|--rounds|5|--from-draft|add|--rounds|x").unwrap();
        assert_eq!(words.args["topic"], "add --rounds x");
        assert_eq!(words.flags["rounds"], json!("5"));
        assert_eq!(words.flags["from_draft"], json!(true));
        assert_eq!(given("plan|--rounds=7|a").unwrap().flags["rounds"], json!("7"));
        assert_eq!(given("plan|--|--from-draft|--").unwrap().args["topic"], "--from-draft --");
        assert_eq!(given("plan|--nonsense|a").unwrap().args["topic"], "--nonsense a");
        let named = given("plan|--run|cart|a").unwrap();
        assert_eq!((named.run.as_deref(), named.args["topic"].as_str()), (Some("cart"), "a"));
        assert_eq!(given("--run=cart|plan|a|--run|b").unwrap().args["topic"], "a --run b");
        assert_eq!(given("plan|a").unwrap().run, None);
        assert_eq!(command().usage(), "start [--rounds <N>] [--from-draft] <MODE> <TOPIC>...");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        for (line, part) in [
            ("plan", "<TOPIC> is missing"),
            ("paln|a", "<MODE> cannot be \"paln\" (expected: plan or review)"),
            ("plan|--rounds|0|a", "`--rounds` cannot be \"0\""),
            ("plan|--rounds|5\nphase: done|a", "`--rounds` cannot be"),
            ("plan|--rounds|99999999999999999999|a", "`--rounds` cannot be"),
            ("plan|--rounds", "`--rounds` needs a value"),
            ("plan|--from-draft=1|a", "takes no value"),
            ("plan|--run", "`--run` needs a value"),
            ("--round|plan|a", "has no flag `--round`"),
            ("--runs|plan|a", "has no flag `--runs`"),
        ] {
            assert!(given(line).unwrap_err().what().contains(part), "{line}");
        }
    }
}
