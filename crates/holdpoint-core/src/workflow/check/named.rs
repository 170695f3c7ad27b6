//! The commands that texts name, against those there are: workflows' own, the engine's, and slash commands.

use std::ops::Range;

use super::super::Workflow;
use super::super::command::Command;
use super::super::parse::Parsed;
use super::super::table::Language;
use super::Surroundings;
use super::mention::{Kind, Mention, Word, mentions};
use crate::diagnostic::{Diagnostic, Severity, nearest};

/// What texts name that does not exist, or is not written as it must be typed.
pub(super) fn check(parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let judge = Judge { workflow: &parsed.workflow, around };
    for piece in parsed.pieces.iter().filter(|piece| piece.language == Language::Template) {
        let wrong = judge.text(&piece.source).into_iter();
        problems.extend(wrong.map(|wrong| wrong.diagnostic(&piece.file, |span| super::place(piece, span))));
    }
    let is_said = |file: &str| parsed.pieces.iter().any(|piece| piece.file == file);
    for (file, text) in around.files.iter().filter(|(file, _)| file.ends_with(".md") && !is_said(file)) {
        // The engine never says these: what is wrong there keeps nothing from running.
        let wrong = judge.text(text).into_iter().map(|wrong| wrong.diagnostic(file, |span| span));
        problems.extend(wrong.map(|wrong| Diagnostic { severity: Severity::Warning, ..wrong }));
    }
    problems
}

/// What is wrong with a command in a text, and where.
struct Wrong {
    span: Range<usize>,
    message: String,
    hint: String,
    severity: Severity,
}

impl Wrong {
    fn diagnostic(self, file: &str, place: impl Fn(Range<usize>) -> Range<usize>) -> Diagnostic {
        let told = Diagnostic::error(file, place(self.span), self.message).hinted(self.hint);
        Diagnostic { severity: self.severity, ..told }
    }
}

struct Judge<'a> {
    workflow: &'a Workflow,
    around: &'a Surroundings<'a>,
}

impl Judge<'_> {
    fn text(&self, source: &str) -> Vec<Wrong> {
        let commands = mentions(source).into_iter().filter_map(|mention| self.mention(&mention));
        commands.chain(self.slash_commands(source)).collect()
    }

    fn mention(&self, mention: &Mention) -> Option<Wrong> {
        let (first, rest) = mention.words.split_first()?;
        if first.kind != Kind::Plain {
            return None;
        }
        if first.text != self.workflow.name {
            return self.engine_command(first);
        }
        let (name, rest) = rest.split_first().filter(|(name, _)| name.kind == Kind::Plain)?;
        match self.workflow.commands.iter().find(|command| command.name == name.text) {
            Some(command) => self.arguments(mention, command, rest),
            None => Some(self.no_such_command(name)),
        }
    }

    fn engine_command(&self, name: &Word) -> Option<Wrong> {
        let there = self.around.commands?;
        let names = || there.iter().chain(self.around.workflows).map(String::as_str);
        let near = nearest(&name.text, names().chain([self.workflow.name.as_ref()]));
        if names().any(|known| known == name.text) {
            return None;
        }
        let hint = match near {
            Some(near) => format!("did you mean `holdpoint {near}`?"),
            None => format!("the commands there are: {}", there.join(", ")),
        };
        let message = format!("there is no command or workflow `{}`", name.text);
        Some(Wrong { span: name.span.clone(), message, hint, severity: Severity::Error })
    }

    fn no_such_command(&self, name: &Word) -> Wrong {
        let workflow = &self.workflow.name;
        let names: Vec<&str> = self.workflow.commands.iter().map(|command| command.name.as_ref()).collect();
        let hint = match nearest(&name.text, names.iter().copied()) {
            Some(near) => format!("did you mean `holdpoint {workflow} {near}`?"),
            None if names.is_empty() => format!("{workflow} has no commands of its own"),
            None => format!("its commands are: {}", names.join(", ")),
        };
        let message = format!("{workflow} has no command `{}`", name.text);
        Wrong { span: name.span.clone(), message, hint, severity: Severity::Error }
    }

    fn arguments(&self, mention: &Mention, command: &Command, words: &[Word]) -> Option<Wrong> {
        let needed = command.args.iter().filter(|arg| !arg.is_optional).count();
        let is_known = !words.iter().any(|word| matches!(word.kind, Kind::Any | Kind::Option));
        let is_short = words.len() < needed;
        // Prose may go on after the arguments: only what cannot be anything else is one too many.
        let sure = if mention.is_in_prose {
            words.iter().take_while(|word| word.kind == Kind::Placeholder).count()
        } else {
            words.len()
        };
        let takes_all = command.args.iter().any(|arg| arg.is_rest);
        if is_known && (is_short || (sure > command.args.len() && !takes_all)) {
            let written = if is_short { words.len() } else { sure };
            let message = format!("`{}` takes {}, {written} written", command.name, taken(needed, command));
            let hint = format!("it is `holdpoint {} {}`", self.workflow.name, command.usage());
            return Some(Wrong { span: mention.span.clone(), message, hint, severity: Severity::Error });
        }
        let mut pairs = command.args.iter().zip(words).filter(|(arg, _)| command.finishes(&arg.name));
        pairs.find_map(|(_, word)| self.no_such_phase(command, word))
    }

    fn no_such_phase(&self, command: &Command, word: &Word) -> Option<Wrong> {
        let is_looked_for =
            |when: &str| ["'", "\""].iter().any(|q| when.contains(&format!("{q}{}{q}", word.text)));
        let mut conditions = command.steps.iter().filter_map(|step| step.when.as_deref());
        if word.kind != Kind::Plain || self.is_phase(&word.text) || conditions.any(is_looked_for) {
            return None;
        }
        let names: Vec<&str> = self.workflow.phases.iter().map(|phase| phase.name.as_ref()).collect();
        let near = nearest(&word.text, names.iter().copied());
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the phases there are: {}", names.join(", ")),
        };
        let message = format!("there is no phase `{}` that `{}` could finish", word.text, command.name);
        Some(Wrong { span: word.span.clone(), message, hint, severity: Severity::Error })
    }

    fn is_phase(&self, name: &str) -> bool {
        self.workflow.phases.iter().any(|phase| phase.name == name)
    }

    /// `/<workflow>:<command>` that the folder has no file for.
    fn slash_commands(&self, source: &str) -> Vec<Wrong> {
        let there: Vec<&str> = self
            .around
            .files
            .iter()
            .filter_map(|(file, _)| file.strip_prefix("commands/")?.strip_suffix(".md"))
            .collect();
        let start = format!("/{}:", self.workflow.name);
        let mut wrong = Vec::new();
        // A path with the same text is not a slash command.
        let stands_alone =
            |at: usize| !source[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/~".contains(c));
        let found = source.match_indices(&start).map(|(at, _)| at);
        for at in found.filter(|at| !there.is_empty() && stands_alone(*at)) {
            let from = at + start.len();
            let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let length = source[from..].find(|c| !is_part(c)).unwrap_or(source.len() - from);
            let name = &source[from..from + length];
            let is_pattern =
                name.ends_with('-') || source[from + length..].starts_with(['*', '<', '{', '[', '…']);
            if name.starts_with(|c: char| c.is_ascii_lowercase()) && !is_pattern && !there.contains(&name) {
                let hint = match nearest(name, there.iter().copied()) {
                    Some(near) => format!("did you mean `{start}{near}`?"),
                    None => format!("write it into commands/{name}.md"),
                };
                let message = format!("there is no slash command `{start}{name}`");
                let severity = Severity::Warning;
                wrong.push(Wrong { span: at..from + name.len(), message, hint, severity });
            }
        }
        wrong
    }
}

/// `1 argument`, `1 to 2 arguments`.
fn taken(needed: usize, command: &Command) -> String {
    match (needed, command.args.len()) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod named_tests;
