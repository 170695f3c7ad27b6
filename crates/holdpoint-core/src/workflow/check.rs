//! What parsing cannot see: names that nobody defines, filters that do not exist, texts that are never said or that
//! send the agent where it cannot go.

mod approvals;
mod circle;
mod fields;
mod held;
mod lets;
mod limits;
mod meaning;
mod mention;
mod named;
mod patterns;
mod routes;
mod shape;
mod stretch;
mod turns;
mod unsealed;
mod worst_case;

pub use worst_case::reviews_at_most;

use std::collections::HashSet;

use self::shape::Known;
use super::parse::parts::placed;
use super::parse::{Extent, FILE, Parsed};
use super::table::Piece;
use crate::diagnostic::{Diagnostic, nearest, nearest_path};
use crate::expression::{NameUse, Use};
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
    /// The environment variables that a workflow can read; `None` where they are not known: then any goes.
    pub variables: Option<&'a [&'a str]>,
}

/// Everything that is wrong with a parsed workflow. With an error among it, the workflow is not run.
pub fn check(parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let mut problems: Vec<Diagnostic> =
        parsed.problems.iter().map(|problem| with_nearest_text(problem, around)).collect();
    problems.extend(taken_name(parsed, around));
    if parsed.extent == Extent::Little {
        return problems;
    }
    let names = Names::of(parsed);
    let mut found = Found::default();
    for piece in &parsed.pieces {
        check_piece(piece, &names, &mut found);
    }
    problems.append(&mut found.problems);
    let meanings = meanings(parsed, around);
    found.is_understood &= meanings.is_empty();
    problems.extend(meanings);
    problems.extend(lets::check(parsed));
    found.used.extend(parsed.used_names.iter().cloned());
    problems.extend(names.clashes(parsed));
    problems.extend(named::check(parsed, around));
    problems.extend(limits::check(parsed));
    problems.extend(unsealed::check(parsed));
    if parsed.extent == Extent::Whole {
        problems.extend(approvals::check(parsed));
        problems.extend(routes::check(parsed));
        problems.extend(held::check(parsed));
        problems.extend(unsaid(parsed, around, &problems));
    }
    if parsed.error().is_none() && found.is_understood {
        problems.extend(names.unused(parsed, &found.used));
    }
    once(problems.into_iter().map(|problem| placed(problem, &parsed.places)).collect())
}

/// What is wrong with what expressions mean, and with the fields that they and others name.
fn meanings(parsed: &Parsed, around: &Surroundings<'_>) -> Vec<Diagnostic> {
    let known = Known::of(parsed, around.variables);
    let mut problems = fields::undeclared(parsed, &known);
    problems.extend(parsed.pieces.iter().flat_map(|piece| meaning::check(piece, &known)));
    // A problem of a list is reported where the list is, not again wherever it is used.
    problems.retain(|problem| !parsed.problems.iter().any(|told| told.message == problem.message));
    fields::once_each(problems)
}

/// A workflow whose commands could not be called, because the engine has a command of its name.
fn taken_name(parsed: &Parsed, around: &Surroundings<'_>) -> Option<Diagnostic> {
    let name = parsed.workflow.name.as_ref();
    around.commands.filter(|commands| commands.iter().any(|command| command == name)).map(|_| {
        let message = format!("`{name}` is a command of holdpoint, and no name for a workflow");
        Diagnostic::error(FILE, 0..0, message).hinted("rename the workflow's folder")
    })
}

const NO_TEXT: &str = "there is no text file `";

/// A problem; one about a text file that is not there, with the one that may be meant.
fn with_nearest_text(problem: &Diagnostic, around: &Surroundings<'_>) -> Diagnostic {
    match meant_text(problem, around) {
        Some(near) => problem.clone().hinted(format!("did you mean `{near}`?")),
        None => problem.clone(),
    }
}

fn meant_text<'a>(problem: &Diagnostic, around: &Surroundings<'a>) -> Option<&'a str> {
    let name = problem.message.strip_prefix(NO_TEXT)?.strip_suffix('`')?;
    nearest_path(name, around.files.iter().map(|(file, _)| file.as_str()))
}

/// Texts that nothing says. One that somebody tried to name is told there.
fn unsaid(parsed: &Parsed, around: &Surroundings<'_>, problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let texts = around.files.iter().map(|(file, _)| file).filter(|file| file.starts_with("texts/"));
    let is_meant = |file: &str| problems.iter().any(|problem| meant_text(problem, around) == Some(file));
    texts
        .filter(|file| !parsed.texts.contains(file) && !is_meant(file))
        .map(|file| {
            let message = "no rule says this text";
            Diagnostic::warning(file, 0..0, message).hinted("say it in a rule, or delete the file")
        })
        .collect()
}

/// Where a name of `[let]` or `[data]` is given.
fn name_place(parsed: &Parsed, name: &str) -> std::ops::Range<usize> {
    parsed.names.iter().find(|(named, _)| named == name).map_or(0..0, |(_, span)| span.clone())
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
    /// What the current element is called.
    item: Option<&'a str>,
    /// Whether the names that steps and reviewers give can be meant.
    has_phases: bool,
}

impl<'a> Names<'a> {
    fn of(parsed: &'a Parsed) -> Names<'a> {
        let named = parsed.workflow.lets.iter().chain(parsed.workflow.data.iter());
        let has_phases = !parsed.workflow.phases.is_empty();
        let mut defined: Vec<&str> = named.map(|named| named.name.as_ref()).collect();
        // Whatever refers to the current item may do so: it is no name of the engine, and nobody's to leave out.
        let item = parsed.workflow.run.item.as_ref().map(|item| item.name.as_ref());
        defined.retain(|name| Some(*name) != item);
        Names { defined, item, has_phases }
    }

    fn has(&self, name: &str, piece: &Piece) -> bool {
        let given = match name {
            "key" | "value" => piece.has_element,
            "said" => !piece.moments.is_empty(),
            "target" | "left" | "prompt" | "schema" | "command" | "output" | "result" | "verdict" => {
                self.has_phases
            }
            _ => false,
        };
        given || NOUNS.contains(&name) || self.defined.contains(&name) || self.item == Some(name)
    }

    fn unused(&self, parsed: &Parsed, used: &HashSet<String>) -> Vec<Diagnostic> {
        let idle = self.defined.iter().filter(|name| !used.contains(**name));
        idle.map(|name| {
            Diagnostic::warning(FILE, name_place(parsed, name), format!("nothing uses `{name}`"))
                .hinted("use it, or delete it")
        })
        .collect()
    }

    fn clashes(&self, parsed: &Parsed) -> Vec<Diagnostic> {
        let mut seen = HashSet::new();
        let clash = self.defined.iter().filter(|name| NOUNS.contains(name) || !seen.insert(**name));
        clash
            .map(|name| {
                let message = format!("`{name}` is taken: it is one of the engine's names, or defined twice");
                Diagnostic::error(FILE, name_place(parsed, name), message).hinted("give it another name")
            })
            .collect()
    }
}

/// What the names in a workflow's pieces came to.
struct Found {
    problems: Vec<Diagnostic>,
    /// The names that are used, or that somebody tried to use and misspelt.
    used: HashSet<String>,
    /// Whether every piece could be read.
    is_understood: bool,
}

impl Default for Found {
    fn default() -> Found {
        Found { problems: Vec::new(), used: HashSet::new(), is_understood: true }
    }
}

fn check_piece(piece: &Piece, names: &Names<'_>, found: &mut Found) {
    let all = piece.names();
    match all {
        Ok(all) => {
            for name in all {
                found.problems.extend(unknown(piece, &name, names, &mut found.used));
                found.used.insert(name.name);
            }
        }
        Err(error) => {
            found.is_understood = false;
            let problem = Diagnostic::error(&piece.file, place(piece, error.span), error.message);
            found.problems.push(Diagnostic { hint: error.hint.map(str::to_owned), ..problem });
        }
    }
}

fn unknown(
    piece: &Piece,
    name: &NameUse,
    names: &Names<'_>,
    used: &mut HashSet<String>,
) -> Option<Diagnostic> {
    let (what, known) = match name.used_as {
        Use::Variable => ("name", names.has(&name.name, piece)),
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
        (Some(near), _) => {
            used.insert(near.to_owned());
            format!("did you mean `{near}`?")
        }
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
#[cfg(test)]
#[path = "mistakes_tests.rs"]
mod mistakes_tests;
