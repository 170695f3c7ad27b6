//! A simple command: expands its words and assignments, and runs the scripts inside them.

use brush_parser::ast::{
    AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, IoFileRedirectTarget, IoRedirect,
    SimpleCommand,
};

use super::place::{Endings, Place};
use super::walk::Walk;
use super::word::{Expanded, LIST, UNKNOWN, expand, expand_document};

/// A simple command: its words, its assignments and its input.
#[derive(Default)]
struct Line {
    words: Vec<String>,
    assignments: Vec<(String, String)>,
    input: Option<String>,
}

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        command: &SimpleCommand,
        mut place: Place,
        piped: Option<String>,
    ) -> Endings {
        let outer = std::mem::take(&mut self.aside);
        let line = self.line(command, &mut place);
        let aside = std::mem::replace(&mut self.aside, outer);
        let git_dir = line.assignments.iter().rev().find(|(name, _)| name == "GIT_DIR");
        let endings = if line.words.is_empty() {
            let before = place.clone();
            line.assignments.into_iter().for_each(|(name, value)| place.assign(name, value));
            Endings::normally(place, before)
        } else if let Some((_, dir)) = git_dir {
            let before = place.git_dir().map(str::to_owned);
            place.set_git_dir(Some(dir));
            let endings = self.run(line.words, line.input.or(piped), place);
            endings.map(|mut place| {
                place.set_git_dir(before.as_deref());
                place
            })
        } else {
            self.run(line.words, line.input.or(piped), place)
        };
        self.merge(endings, Endings::either(aside))
    }

    fn line(&mut self, command: &SimpleCommand, place: &mut Place) -> Line {
        let mut line = Line::default();
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut line, place);
        }
        if let Some(word) = &command.word_or_name {
            line.words.extend(self.expand_word(&word.value, place).words().map(str::to_owned));
        }
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut line, place);
        }
        line
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, line: &mut Line, place: &mut Place) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) => {
                line.words.extend(self.expand_word(&word.value, place).words().map(str::to_owned));
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => match &assignment.name {
                AssignmentName::VariableName(name) if line.words.is_empty() => {
                    let value = self.assigned_value(&assignment.value, place);
                    let value = if assignment.append { UNKNOWN.to_string() } else { value };
                    line.assignments.push((name.clone(), value));
                }
                _ => line.words.push(self.text(&word.value, place)),
            },
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                self.aside_from(place, |walk, places| walk.list(&subshell.list, places));
            }
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect, line, place),
        }
    }

    fn assigned_value(&mut self, value: &AssignmentValue, place: &mut Place) -> String {
        match value {
            AssignmentValue::Scalar(word) => self.text(&word.value, place),
            AssignmentValue::Array(members) => {
                let mut words = Vec::new();
                for (_, word) in members {
                    words.push(self.expand_word(&word.value, place).text);
                }
                words.join(&LIST.to_string())
            }
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect, line: &mut Line, place: &mut Place) {
        match redirect {
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                let expanded = expand_document(&document.doc.value, place);
                line.input = Some(self.run_scripts(expanded, place).text);
            }
            IoRedirect::HereDocument(_, document) => line.input = Some(document.doc.value.clone()),
            IoRedirect::HereString(_, word) => line.input = Some(self.text(&word.value, place)),
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => {
                self.aside_from(place, |walk, places| walk.list(&subshell.list, places));
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word))
            | IoRedirect::OutputAndError(word, _) => {
                self.text(&word.value, place);
            }
            IoRedirect::File(..) => {}
        }
    }

    /// Expands a word that is not split.
    pub(super) fn text(&mut self, word: &str, place: &mut Place) -> String {
        self.expand_word(word, place).text.replace(LIST, " ")
    }

    fn expand_word(&mut self, word: &str, place: &mut Place) -> Expanded {
        let expanded = expand(word, place);
        self.run_scripts(expanded, place)
    }

    fn run_scripts(&mut self, expanded: Expanded, place: &mut Place) -> Expanded {
        for script in &expanded.scripts {
            self.aside_from(place, |walk, places| walk.script(script, places));
        }
        expanded
    }

    /// Runs something in a subshell inside a command. Its changes to branches apply to the command itself.
    fn aside_from(&mut self, place: &mut Place, run: impl FnOnce(&mut Self, Vec<Place>) -> Endings) {
        let endings = self.untold(true, |walk| walk.apart(vec![place.clone()], run));
        let mut places = self.after(endings).into_iter();
        if let Some(first) = places.next() {
            *place = first;
        }
        let rest = places.collect();
        let aside = std::mem::take(&mut self.aside);
        self.aside = self.union(aside, rest);
    }
}
