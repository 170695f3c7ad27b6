//! Names in a workflow's file that must be there: phases, limits, reviewers, checks, approvals, steps and lists of paths.

use std::ops::Range;

use super::super::step::END;
use super::super::table::listed;
use super::Parser;
use crate::diagnostic::nearest;

/// What a name in the file must be one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Phase,
    Limit,
    Reviewer,
    Check,
    Approval,
    Step,
    Path,
}

/// A name that must be there, and where it is used.
pub(super) struct Link {
    target: Target,
    name: String,
    span: Range<usize>,
}

impl Parser<'_> {
    /// Notes that a name must be there.
    pub(super) fn link(&mut self, target: Target, name: &str, span: Range<usize>) {
        self.links.push(Link { target, name: name.to_owned(), span });
    }

    /// Complains about names that are nowhere. A file that is not TOML has none.
    pub(super) fn resolve_links(&mut self) {
        for Link { target, name, span } in std::mem::take(&mut self.links) {
            let (what, names): (&str, Vec<&str>) = match target {
                Target::Phase => {
                    ("phase", self.phase_names.iter().map(String::as_str).chain([END]).collect())
                }
                Target::Limit => ("limit", self.limit_names.iter().map(String::as_str).collect()),
                Target::Reviewer => ("reviewer", self.reviewer_names.iter().map(String::as_str).collect()),
                Target::Check => ("check", self.checks.iter().map(|check| check.name.as_ref()).collect()),
                Target::Approval => {
                    ("approval", self.approval_spans.iter().map(|(name, _)| name.as_str()).collect())
                }
                Target::Step => ("step", self.steps.iter().map(|(name, _)| name.as_str()).collect()),
                Target::Path => {
                    ("list in [paths]", self.paths.iter().map(|(name, _)| name.as_str()).collect())
                }
            };
            // What is no template, and a check that does not say what it does, are told as such.
            let is_told = name.contains("{{") || target == Target::Check && self.unclear.contains(&name);
            if names.contains(&name.as_str()) || is_told {
                self.reader.is_partial |= is_told;
                continue;
            }
            self.reader.is_partial |=
                matches!(target, Target::Limit | Target::Step | Target::Check | Target::Approval);
            let near = nearest(&name, names.iter().copied());
            if target == Target::Phase {
                self.misspelt.extend(near.map(str::to_owned));
            }
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => format!("this workflow has no {what}s"),
                None => format!("the {what}s are {}", listed(&names)),
            };
            self.reader.error(span, format!("there is no {what} `{name}`")).hint = Some(hint);
        }
    }
}
