//! Walks a parsed script in the order it would run, keeping the places each command may run in.

use brush_parser::ast::{AndOr, AndOrList, CompoundList, CompoundListItem, Pipeline, SeparatorOperator};

use super::place::{Outcome, Place};
use super::{Commits, document, within_limits};
use crate::world::World;

/// How deep scripts may start scripts (`sh -c`, `eval`, aliases).
const SCRIPTS_MAX: usize = 8;
/// How much of such scripts is read in all, and what each counts for at least: scripts that start scripts multiply.
const SCRIPT_BYTES_MAX: usize = 256 * 1024;
const SCRIPT_BYTES_MIN: usize = 256;
/// How many places are followed at once.
const PLACES_MAX: usize = 16;
/// How many programs are listed.
pub(super) const PROGRAMS_MAX: usize = 1_000;

pub(super) struct Walk<'a> {
    pub(super) world: &'a dyn World,
    pub(super) found: Commits,
    /// The programs that are run, with their arguments.
    pub(super) ran: Vec<Vec<String>>,
    /// What the last simple command prints, where that is plain to see: a shell may read it through a pipe.
    pub(super) output: Option<String>,
    /// Where `exit` left the shell at hand.
    pub(super) exits: Outcome,
    /// Other places that the command substitutions of a simple command may have led to.
    pub(super) aside: Vec<Place>,
    /// How many loops we are in the second round of.
    pub(super) loops: usize,
    scripts: usize,
    script_bytes: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(world: &'a dyn World) -> Walk<'a> {
        Walk {
            world,
            found: Commits::default(),
            ran: Vec::new(),
            output: None,
            exits: Outcome::default(),
            aside: Vec::new(),
            loops: 0,
            scripts: 0,
            script_bytes: 0,
        }
    }

    /// Walks a script; one that does not parse is read word by word.
    pub(super) fn script(&mut self, script: &str, places: Vec<Place>) -> Outcome {
        self.script_bytes += script.len().max(SCRIPT_BYTES_MIN);
        if self.scripts >= SCRIPTS_MAX || (self.scripts > 0 && self.script_bytes > SCRIPT_BYTES_MAX) {
            return Outcome::either(places);
        }
        self.scripts += 1;
        let shorter = (!within_limits(script)).then(|| document::cut(script));
        let script = shorter.as_deref().unwrap_or(script);
        let options = brush_parser::ParserOptions::default();
        let parsed = within_limits(script)
            .then(|| brush_parser::Parser::new(std::io::Cursor::new(script), &options).parse_program().ok())
            .flatten();
        let outcome = match parsed {
            Some(program) => self.sequence(program.complete_commands.iter().flat_map(|list| &list.0), places),
            None => self.plain_words(script, places),
        };
        self.scripts -= 1;
        outcome
    }

    /// Reads a script as commands between separators. Which of them run cannot be told: no `exit` ends it.
    fn plain_words(&mut self, script: &str, mut places: Vec<Place>) -> Outcome {
        for command in script.split([';', '\n', '&', '|', '(', ')', '{', '}', '`']) {
            let words: Vec<String> =
                command.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
            let outcome = self.each(&places, |walk, place| walk.run(words.clone(), None, place));
            let after = self.after(outcome);
            places = if after.is_empty() { places } else { after };
        }
        Outcome::either(places)
    }

    pub(super) fn list(&mut self, list: &CompoundList, places: Vec<Place>) -> Outcome {
        self.sequence(list.0.iter(), places)
    }

    fn sequence<'b>(
        &mut self,
        items: impl Iterator<Item = &'b CompoundListItem>,
        places: Vec<Place>,
    ) -> Outcome {
        let mut outcome = Outcome { ok: places, ..Outcome::default() };
        for item in items {
            let places = self.after(outcome);
            outcome = match item.1 {
                SeparatorOperator::Async => {
                    let done = self.apart(places.clone(), |walk, places| walk.and_or(&item.0, places));
                    let done = self.after(done);
                    Outcome::either(self.union(places, done))
                }
                SeparatorOperator::Sequence => self.and_or(&item.0, places),
            };
        }
        outcome
    }

    fn and_or(&mut self, list: &AndOrList, places: Vec<Place>) -> Outcome {
        let mut outcome = self.pipeline(&list.first, places);
        for next in &list.additional {
            outcome = match next {
                AndOr::And(pipeline) => {
                    let then = self.pipeline(pipeline, outcome.ok);
                    Outcome {
                        ok: then.ok,
                        failed: self.union(outcome.failed, then.failed),
                        rare: self.union(outcome.rare, then.rare),
                    }
                }
                AndOr::Or(pipeline) => {
                    let failed = self.union(outcome.failed, outcome.rare);
                    let or = self.pipeline(pipeline, failed);
                    Outcome { ok: self.union(outcome.ok, or.ok), ..or }
                }
            };
        }
        outcome
    }

    fn pipeline(&mut self, pipeline: &Pipeline, mut places: Vec<Place>) -> Outcome {
        let outcome = match pipeline.seq.as_slice() {
            [command] => self.command(command, places, None),
            commands => {
                let mut input = None;
                for command in commands {
                    self.output = None;
                    let outcome =
                        self.apart(places, |walk, places| walk.command(command, places, input.take()));
                    places = self.after(outcome);
                    input = self.output.take();
                }
                Outcome::either(places)
            }
        };
        if pipeline.bang {
            let ok = self.union(outcome.failed, outcome.rare);
            return Outcome { ok, failed: outcome.ok, rare: Vec::new() };
        }
        outcome
    }

    /// Both lists as one, each place once.
    pub(super) fn union(&mut self, mut places: Vec<Place>, others: Vec<Place>) -> Vec<Place> {
        for other in others {
            if places.contains(&other) {
                continue;
            }
            if places.len() >= PLACES_MAX {
                self.found.fault = Some("the command may end on too many branches to follow".into());
                break;
            }
            places.push(other);
        }
        places
    }

    /// Where the next command of a list may stand: what normally works is taken to have worked. Failures come first:
    /// the place we started in is not the one to drop if there are too many.
    pub(super) fn after(&mut self, outcome: Outcome) -> Vec<Place> {
        self.union(outcome.failed, outcome.ok)
    }

    /// Two ways it may go.
    pub(super) fn merge(&mut self, one: Outcome, other: Outcome) -> Outcome {
        Outcome {
            ok: self.union(one.ok, other.ok),
            failed: self.union(one.failed, other.failed),
            rare: self.union(one.rare, other.rare),
        }
    }

    /// Runs the same in each place.
    pub(super) fn each(
        &mut self,
        places: &[Place],
        mut run: impl FnMut(&mut Self, Place) -> Outcome,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        for place in places {
            let one = run(self, place.clone());
            outcome = self.merge(outcome, one);
        }
        outcome
    }

    /// Runs something in a shell of its own.
    pub(super) fn apart(
        &mut self,
        places: Vec<Place>,
        run: impl FnOnce(&mut Self, Vec<Place>) -> Outcome,
    ) -> Outcome {
        let outer = std::mem::take(&mut self.exits);
        let outcome = run(self, places.into_iter().map(Place::fork).collect());
        let exits = std::mem::replace(&mut self.exits, outer);
        self.merge(outcome, exits).map(Place::join)
    }
}
