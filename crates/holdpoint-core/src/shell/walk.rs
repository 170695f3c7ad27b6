//! The walk through a parsed script in execution order, with the places that each command may run in.

use brush_parser::ast::{
    AndOr, AndOrList, Command, CompoundList, CompoundListItem, Pipeline, SeparatorOperator,
};

use super::place::{Endings, Place};
use super::{Commits, Program, ShellError, document, within_limits};
use crate::world::World;

/// The deepest nesting of scripts in scripts (`sh -c`, `eval`, aliases).
const SCRIPTS_MAX: usize = 8;
/// The most bytes read from nested scripts in all, and the least that each counts for, because they multiply.
const SCRIPT_BYTES_MAX: usize = 256 * 1024;
const SCRIPT_BYTES_MIN: usize = 256;
/// The most places that are followed at once.
const PLACES_MAX: usize = 16;
/// How many programs are listed.
const PROGRAMS_MAX: usize = 1_000;

pub(super) struct Walk<'a> {
    pub(super) world: &'a dyn World,
    pub(super) found: Commits,
    /// The branches that are pushed to.
    pub(super) pushed: Vec<String>,
    /// The programs that are run.
    pub(super) ran: Vec<Program>,
    /// How much stands around the current command that keeps its exit code to itself.
    untold: usize,
    /// What the last simple command prints, where that is plain to see: a shell may read it through a pipe.
    pub(super) output: Option<String>,
    /// The places where `exit` left the current shell.
    pub(super) exits: Endings,
    /// Further places that the command substitutions of a simple command may lead to.
    pub(super) aside: Vec<Place>,
    /// The number of surrounding loops that are in their second round.
    pub(super) loops: usize,
    scripts: usize,
    script_bytes: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(world: &'a dyn World) -> Walk<'a> {
        Walk {
            world,
            found: Commits::default(),
            pushed: Vec::new(),
            ran: Vec::new(),
            untold: 0,
            output: None,
            exits: Endings::default(),
            aside: Vec::new(),
            loops: 0,
            scripts: 0,
            script_bytes: 0,
        }
    }

    /// Walks a script. One that does not parse is read word by word.
    pub(super) fn script(&mut self, script: &str, places: Vec<Place>) -> Endings {
        self.script_bytes += script.len().max(SCRIPT_BYTES_MIN);
        if self.scripts >= SCRIPTS_MAX || (self.scripts > 0 && self.script_bytes > SCRIPT_BYTES_MAX) {
            return Endings::either(places);
        }
        self.scripts += 1;
        let shorter = (!within_limits(script)).then(|| document::cut(script));
        let script = shorter.as_deref().unwrap_or(script);
        let options = brush_parser::ParserOptions::default();
        let parsed = within_limits(script)
            .then(|| brush_parser::Parser::new(std::io::Cursor::new(script), &options).parse_program().ok())
            .flatten();
        let endings = match parsed {
            Some(program) => self.sequence(program.complete_commands.iter().flat_map(|list| &list.0), places),
            None => self.plain_words(script, places),
        };
        self.scripts -= 1;
        endings
    }

    /// Reads a script as commands between separators. It is unknown which of them run, so `exit` does not end it.
    fn plain_words(&mut self, script: &str, mut places: Vec<Place>) -> Endings {
        for command in script.split([';', '\n', '&', '|', '(', ')', '{', '}', '`']) {
            let words: Vec<String> =
                command.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
            let endings = self
                .untold(true, |walk| walk.each(&places, |walk, place| walk.run(words.clone(), None, place)));
            let after = self.after(endings);
            places = if after.is_empty() { places } else { after };
        }
        Endings::either(places)
    }

    pub(super) fn list(&mut self, list: &CompoundList, places: Vec<Place>) -> Endings {
        self.sequence(list.0.iter(), places)
    }

    fn sequence<'b>(
        &mut self,
        items: impl Iterator<Item = &'b CompoundListItem>,
        places: Vec<Place>,
    ) -> Endings {
        let mut endings = Endings { ok: places, ..Endings::default() };
        let mut items = items.peekable();
        while let Some(item) = items.next() {
            let places = self.after(endings);
            let is_last = items.peek().is_none();
            endings = match item.1 {
                SeparatorOperator::Async => self.untold(true, |walk| {
                    let done = walk.apart(places.clone(), |walk, places| walk.and_or(&item.0, places));
                    let done = walk.after(done);
                    Endings::either(walk.union(places, done))
                }),
                SeparatorOperator::Sequence => self.untold(!is_last, |walk| walk.and_or(&item.0, places)),
            };
        }
        endings
    }

    /// Walks something whose exit code is not that of the whole command, if `is_so`.
    pub(super) fn untold<T>(&mut self, is_so: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.untold += usize::from(is_so);
        let done = walk(self);
        self.untold -= usize::from(is_so);
        done
    }

    /// Notes a program that is run, each once: in one of its places its exit code may be hidden.
    pub(super) fn note(&mut self, words: &[String]) {
        let is_told = self.untold == 0;
        if let Some(known) = self.ran.iter_mut().find(|program| program.words == words) {
            known.is_told &= is_told;
        } else if self.ran.len() < PROGRAMS_MAX {
            self.ran.push(Program { words: words.to_vec(), is_told });
        }
    }

    fn and_or(&mut self, list: &AndOrList, places: Vec<Place>) -> Endings {
        let has_or = list.additional.iter().any(|next| matches!(next, AndOr::Or(_)));
        self.untold(has_or, |walk| walk.and_then(list, places))
    }

    fn and_then(&mut self, list: &AndOrList, places: Vec<Place>) -> Endings {
        let mut endings = self.pipeline(&list.first, places);
        for next in &list.additional {
            endings = match next {
                AndOr::And(pipeline) => {
                    let then = self.pipeline(pipeline, endings.ok);
                    Endings {
                        ok: then.ok,
                        failed: self.union(endings.failed, then.failed),
                        rare: self.union(endings.rare, then.rare),
                    }
                }
                AndOr::Or(pipeline) => {
                    let failed = self.union(endings.failed, endings.rare);
                    let or = self.pipeline(pipeline, failed);
                    Endings { ok: self.union(endings.ok, or.ok), ..or }
                }
            };
        }
        endings
    }

    fn pipeline(&mut self, pipeline: &Pipeline, places: Vec<Place>) -> Endings {
        let endings = self.untold(pipeline.bang, |walk| match pipeline.seq.as_slice() {
            [command] => walk.command(command, places, None),
            commands => walk.piped(commands, places),
        });
        if pipeline.bang {
            let ok = self.union(endings.failed, endings.rare);
            return Endings { ok, failed: endings.ok, rare: Vec::new() };
        }
        endings
    }

    /// Walks commands of which each reads what the one before it prints. The last one's exit code is theirs.
    fn piped(&mut self, commands: &[Command], mut places: Vec<Place>) -> Endings {
        let mut input = None;
        for (at, command) in commands.iter().enumerate() {
            self.output = None;
            let is_last = at + 1 == commands.len();
            let endings = self.untold(!is_last, |walk| {
                walk.apart(places, |walk, places| walk.command(command, places, input.take()))
            });
            places = self.after(endings);
            input = self.output.take();
        }
        Endings::either(places)
    }

    /// Merges two lists, with each place once.
    pub(super) fn union(&mut self, mut places: Vec<Place>, others: Vec<Place>) -> Vec<Place> {
        for other in others {
            if places.contains(&other) {
                continue;
            }
            if places.len() >= PLACES_MAX {
                self.found.fault = Some(ShellError::TooManyBranches);
                break;
            }
            places.push(other);
        }
        places
    }

    /// Returns the places that the next command may run in, assuming that what normally works has worked. Failures come
    /// first, so that the starting place is not dropped if there are too many.
    pub(super) fn after(&mut self, endings: Endings) -> Vec<Place> {
        self.union(endings.failed, endings.ok)
    }

    /// Merges the endings of two alternatives.
    pub(super) fn merge(&mut self, one: Endings, other: Endings) -> Endings {
        Endings {
            ok: self.union(one.ok, other.ok),
            failed: self.union(one.failed, other.failed),
            rare: self.union(one.rare, other.rare),
        }
    }

    /// Runs the same command in each place.
    pub(super) fn each(
        &mut self,
        places: &[Place],
        mut run: impl FnMut(&mut Self, Place) -> Endings,
    ) -> Endings {
        let mut endings = Endings::default();
        for place in places {
            let one = run(self, place.clone());
            endings = self.merge(endings, one);
        }
        endings
    }

    /// Runs something in a subshell.
    pub(super) fn apart(
        &mut self,
        places: Vec<Place>,
        run: impl FnOnce(&mut Self, Vec<Place>) -> Endings,
    ) -> Endings {
        let outer = std::mem::take(&mut self.exits);
        let endings = run(self, places.into_iter().map(Place::fork).collect());
        let exits = std::mem::replace(&mut self.exits, outer);
        self.merge(endings, exits).map(Place::join)
    }
}
