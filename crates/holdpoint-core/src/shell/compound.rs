//! Loops, conditions and groups: every path that a script may take.

use brush_parser::ast::{Command, CompoundCommand, CompoundList, ExtendedTestExpr, IfClauseCommand};

use super::place::{Endings, Place};
use super::walk::Walk;

impl Walk<'_> {
    /// Walks a command. `input` comes from a pipe.
    pub(super) fn command(
        &mut self,
        command: &Command,
        places: Vec<Place>,
        input: Option<String>,
    ) -> Endings {
        match command {
            Command::Simple(simple) => {
                self.each(&places, |walk, place| walk.simple(simple, place, input.clone()))
            }
            Command::Compound(compound, _) => self.compound(compound, places),
            // A function's body counts where it is defined, assuming that the script calls it.
            Command::Function(function) => {
                let done = self.untold(true, |walk| {
                    walk.apart(places.clone(), |walk, places| walk.compound(&function.body.0, places))
                });
                self.perhaps(places, done)
            }
            Command::ExtendedTest(test, _) => self.each(&places, |walk, mut place| {
                walk.test(&test.expr, &mut place);
                Endings::either(vec![place])
            }),
        }
    }

    /// Returns the endings of something that may or may not have run.
    fn perhaps(&mut self, places: Vec<Place>, done: Endings) -> Endings {
        let done = self.after(done);
        Endings::either(self.union(places, done))
    }

    fn test(&mut self, test: &ExtendedTestExpr, place: &mut Place) {
        match test {
            ExtendedTestExpr::And(one, other) | ExtendedTestExpr::Or(one, other) => {
                self.test(one, place);
                self.test(other, place);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => self.test(inner, place),
            ExtendedTestExpr::UnaryTest(_, word) => {
                self.text(&word.value, place);
            }
            ExtendedTestExpr::BinaryTest(_, one, other) => {
                self.text(&one.value, place);
                self.text(&other.value, place);
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, places: Vec<Place>) -> Endings {
        let is_group = matches!(compound, CompoundCommand::BraceGroup(_) | CompoundCommand::Subshell(_));
        self.untold(!is_group, |walk| walk.parts(compound, places))
    }

    fn parts(&mut self, compound: &CompoundCommand, places: Vec<Place>) -> Endings {
        match compound {
            CompoundCommand::Arithmetic(_) => Endings::either(places),
            CompoundCommand::BraceGroup(group) => self.list(&group.list, places),
            CompoundCommand::Subshell(subshell) => {
                self.apart(places, |walk, places| walk.list(&subshell.list, places))
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                self.repeat(places, |walk, places| walk.list(&clause.body.list, places))
            }
            CompoundCommand::ForClause(clause) => {
                let places =
                    self.texts(clause.values.iter().flatten().map(|word| word.value.as_str()), places);
                self.repeat(places, |walk, places| walk.list(&clause.body.list, places))
            }
            CompoundCommand::CaseClause(clause) => {
                let places = self.texts([clause.value.value.as_str()].into_iter(), places);
                let mut all = Endings::either(places.clone());
                for list in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    let one = self.list(list, places.clone());
                    all = self.merge(all, one);
                }
                all
            }
            CompoundCommand::IfClause(clause) => self.condition(clause, places),
            CompoundCommand::WhileClause(clause) => self.repeat(places, |walk, places| {
                let condition = walk.list(&clause.0, places);
                let body = walk.list(&clause.1.list, condition.ok.clone());
                walk.merge(condition, body)
            }),
            CompoundCommand::UntilClause(clause) => self.repeat(places, |walk, places| {
                let condition = walk.list(&clause.0, places);
                let failed = walk.union(condition.failed.clone(), condition.rare.clone());
                let body = walk.list(&clause.1.list, failed);
                walk.merge(condition, body)
            }),
            CompoundCommand::Coprocess(coprocess) => {
                let done =
                    self.apart(places.clone(), |walk, places| walk.command(&coprocess.body, places, None));
                self.perhaps(places, done)
            }
        }
    }

    /// Runs the scripts in words that are not commands.
    fn texts<'a>(&mut self, words: impl Iterator<Item = &'a str> + Clone, places: Vec<Place>) -> Vec<Place> {
        let endings = self.each(&places, |walk, mut place| {
            words.clone().for_each(|word| {
                walk.text(word, &mut place);
            });
            Endings::either(vec![place])
        });
        self.after(endings)
    }

    fn condition(&mut self, clause: &IfClauseCommand, places: Vec<Place>) -> Endings {
        let (mut all, mut rest) = self.arm(&clause.condition, &clause.then, places);
        for other in clause.elses.iter().flatten() {
            let one = match &other.condition {
                Some(condition) => {
                    let (one, failed) = self.arm(condition, &other.body, rest);
                    rest = failed;
                    one
                }
                None => self.list(&other.body, std::mem::take(&mut rest)),
            };
            all = self.merge(all, one);
        }
        all.ok = self.union(all.ok, rest);
        all
    }

    /// Walks a condition and its body. Also returns the places after the condition is false.
    fn arm(
        &mut self,
        condition: &CompoundList,
        then: &CompoundList,
        places: Vec<Place>,
    ) -> (Endings, Vec<Place>) {
        let condition = self.list(condition, places);
        let endings = self.list(then, condition.ok);
        (endings, self.union(condition.failed, condition.rare))
    }

    /// Walks a loop: zero times, once, and a second time if the first led to new places. Loops inside a second round run
    /// once, so that nested loops do not multiply.
    fn repeat(
        &mut self,
        places: Vec<Place>,
        mut body: impl FnMut(&mut Self, Vec<Place>) -> Endings,
    ) -> Endings {
        let before = places.len();
        let once = body(self, places.clone());
        let once = self.after(once);
        let mut all = self.union(places, once);
        if all.len() > before && self.loops == 0 {
            self.loops += 1;
            let twice = body(self, all.clone());
            self.loops -= 1;
            let twice = self.after(twice);
            all = self.union(all, twice);
        }
        Endings::either(all)
    }
}
