//! What parsing cannot see: names that nobody defines, filters that do not exist, texts that are never said or that
//! send the agent where it cannot go.

mod circle;
mod held;
mod mention;
mod named;
mod routes;
mod stretch;
pub mod worst_case;

use std::collections::HashSet;

use super::parse::Parsed;
use super::table::{Language, Piece};
use crate::diagnostic::{Diagnostic, nearest};
use crate::expression::{NameUse, Use, names_in_expression, names_in_template};
use crate::facts::NOUNS;
use crate::filters::{FILTERS, TESTS};

/// What there is beside a workflow's own file, for what its texts name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// The files of its folder: path and text.
    pub files: &'a [(String, String)],
    /// The engine's commands; `None` where they are not known: then any goes.
    pub commands: Option<&'a [String]>,
    /// The workflows there are.
    pub workflows: &'a [String],
}

/// Everything that is wrong with a parsed workflow.
pub fn check(parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let mut problems = parsed.problems.clone();
    let names = Names::of(parsed);
    let mut used = HashSet::new();
    for piece in &parsed.pieces {
        check_piece(piece, &names, &mut used, &mut problems);
    }
    used.extend(parsed.used_names.iter().cloned());
    problems.extend(names.unused(&used));
    problems.extend(names.clashes());
    problems.extend(routes::check(parsed));
    problems.extend(named::check(parsed, around));
    problems.extend(held::check(parsed));
    problems.extend(unsaid(parsed, around));
    once(problems)
}

fn unsaid(parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let texts = around.files.iter().map(|(file, _)| file).filter(|file| file.starts_with("texts/"));
    texts
        .filter(|file| !parsed.texts.contains(file))
        .map(|file| {
            let message = "no rule says this text";
            Diagnostic::warning(file, 0..0, message).hinted("say it in a rule, or delete the file")
        })
        .collect()
}

/// Each problem once: a text that several phases say is looked at for each of them.
fn once(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen: Vec<Diagnostic> = Vec::new();
    for problem in problems {
        if !seen.contains(&problem) {
            seen.push(problem);
        }
    }
    seen
}

/// The names a workflow defines.
struct Names<'a> {
    defined: Vec<&'a str>,
    /// What the element at hand is called.
    item: Option<&'a str>,
    /// Whether the names that steps and reviewers give can be meant.
    has_phases: bool,
}

impl<'a> Names<'a> {
    fn of(parsed: &'a Parsed) -> Names<'a> {
        let named = parsed.workflow.lets.iter().chain(parsed.workflow.data.iter());
        let has_phases = !parsed.workflow.phases.is_empty();
        let mut defined: Vec<&str> = named.map(|named| named.name.as_ref()).collect();
        // Whatever refers to the item at hand may do so: it is no name of the engine, and nobody's to leave out.
        let item = parsed.workflow.run.item.as_ref().map(|item| item.name.as_ref());
        defined.retain(|name| Some(*name) != item);
        Names { defined, item, has_phases }
    }

    fn has(&self, name: &str, has_element: bool) -> bool {
        let given = match name {
            "key" | "value" => has_element,
            "target" | "prompt" | "schema" | "command" | "output" | "result" | "verdict" => self.has_phases,
            _ => false,
        };
        given || NOUNS.contains(&name) || self.defined.contains(&name) || self.item == Some(name)
    }

    fn unused(&self, used: &HashSet<String>) -> Vec<Diagnostic> {
        let idle = self.defined.iter().filter(|name| !used.contains(**name));
        idle.map(|name| Diagnostic::warning(super::parse::FILE, 0..0, format!("nothing uses `{name}`")))
            .collect()
    }

    fn clashes(&self) -> Vec<Diagnostic> {
        let mut seen = HashSet::new();
        let clash = self.defined.iter().filter(|name| NOUNS.contains(name) || !seen.insert(**name));
        clash
            .map(|name| {
                let message = format!("`{name}` is taken: it is one of the engine's names, or defined twice");
                Diagnostic::error(super::parse::FILE, 0..0, message).hinted("give it another name")
            })
            .collect()
    }
}

fn check_piece(piece: &Piece, names: &Names<'_>, used: &mut HashSet<String>, problems: &mut Vec<Diagnostic>) {
    let found = match piece.language {
        Language::Expression => names_in_expression(&piece.source),
        Language::Template => names_in_template(&piece.source),
    };
    match found {
        Ok(found) => {
            for name in found {
                problems.extend(unknown(piece, &name, names));
                used.insert(name.name);
            }
        }
        Err(error) => problems.push(Diagnostic::error(&piece.file, place(piece, error.span), error.message)),
    }
}

fn unknown(piece: &Piece, name: &NameUse, names: &Names<'_>) -> Option<Diagnostic> {
    let (what, known) = match name.used_as {
        Use::Variable => ("name", names.has(&name.name, piece.has_element)),
        Use::Filter => ("filter", FILTERS.contains(&name.name.as_str())),
        Use::Test => ("test", TESTS.contains(&name.name.as_str())),
    };
    if known {
        return None;
    }
    let candidates: Vec<&str> = match name.used_as {
        Use::Variable => NOUNS.iter().chain(&names.defined).copied().collect(),
        Use::Filter => FILTERS.to_vec(),
        Use::Test => TESTS.to_vec(),
    };
    let former = super::parse::former::name(&name.name);
    let hint = match (nearest(&name.name, candidates.iter().copied()), name.used_as) {
        (_, Use::Variable) if former.is_some() => former.unwrap_or_default().to_owned(),
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Use::Variable) => "define it under [let] or [data]".to_owned(),
        (None, _) => format!("the {what}s there are: {}", candidates.join(", ")),
    };
    let message = format!("unknown {what} `{}`", name.name);
    Some(Diagnostic::error(&piece.file, place(piece, name.span.clone()), message).hinted(hint))
}

/// A place in the piece as a place in its file.
fn place(piece: &Piece, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    piece.start.map_or_else(|| piece.span.clone(), |start| start + span.start..start + span.end)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod check_tests;
