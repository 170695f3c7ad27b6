//! The world as facts ask it: each question uses up work, so that no condition can ask for ever.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::budget::Budget;
use crate::level::Level;
use crate::world::{Answer, GitQuestion, Head, World, WorldError};

/// What a question counts for besides the bytes of its answer.
const QUESTION: usize = 4 * 1024;
/// What hashing a file, or reading a document, counts for.
const FILE: usize = 64 * 1024;
/// What asking git counts for.
const GIT: usize = 256 * 1024;
/// What starting another program counts for.
const PROGRAM: usize = 8 * 1024 * 1024;

/// A world whose answers are counted.
pub(super) struct Questions {
    pub(super) world: Arc<dyn World>,
    pub(super) budget: Arc<Budget>,
}

impl Questions {
    /// Asks a question that counts for at least this much.
    fn ask<T>(&self, work: usize, question: impl FnOnce(&dyn World) -> Answer<T>) -> Answer<T> {
        match self.budget.spend(work) {
            Ok(()) => question(self.world.as_ref()),
            Err(_) => Answer::Fault(WorldError::TooManyQuestions),
        }
    }

    /// The same answer, unless it is too much.
    fn counted<T>(&self, answer: Answer<T>, length: impl FnOnce(&T) -> usize) -> Answer<T> {
        match answer {
            Answer::Is(value) if self.budget.spend(length(&value)).is_err() => {
                Answer::Fault(WorldError::TooManyQuestions)
            }
            answer => answer,
        }
    }
}

impl World for Questions {
    fn read(&self, path: &str) -> Answer<Vec<u8>> {
        self.counted(self.ask(QUESTION, |world| world.read(path)), Vec::len)
    }

    fn state(&self, path: &str) -> Answer<Vec<u8>> {
        self.counted(self.ask(QUESTION, |world| world.state(path)), Vec::len)
    }

    fn read_as(&self, reader: &str, path: &str, args: &[Json]) -> Answer<Json> {
        self.ask(FILE, |world| world.read_as(reader, path, args))
    }

    fn tests(&self, output: &str, exit: Option<i64>) -> Answer<Json> {
        self.ask(FILE, |world| world.tests(output, exit))
    }

    fn exists(&self, path: &str) -> Answer<()> {
        self.ask(QUESTION, |world| world.exists(path))
    }

    fn is_folder(&self, dir: &str) -> bool {
        self.world.is_folder(dir)
    }

    fn folder(&self) -> String {
        self.world.folder()
    }

    fn run_id(&self) -> Option<String> {
        self.world.run_id()
    }

    fn state_file(&self) -> Option<String> {
        self.world.state_file()
    }

    fn level(&self) -> Option<Level> {
        self.world.level()
    }

    fn now_millis(&self) -> i64 {
        self.world.now_millis()
    }

    fn is_new(&self, path: &str) -> Answer<()> {
        self.ask(QUESTION, |world| world.is_new(path))
    }

    fn kept(&self, path: &str) -> Answer<Option<Vec<u8>>> {
        self.counted(self.ask(QUESTION, |world| world.kept(path)), |file| file.as_ref().map_or(0, Vec::len))
    }

    fn real(&self, path: &str) -> Option<String> {
        self.world.real(path)
    }

    fn is_same_place(&self, one: &str, other: &str) -> bool {
        self.world.is_same_place(one, other)
    }

    fn is_writable(&self, folder: &str) -> Answer<()> {
        self.ask(FILE, |world| world.is_writable(folder))
    }

    fn program(&self, name: &str) -> Answer<String> {
        self.ask(FILE, |world| world.program(name))
    }

    fn version(&self, program: &str) -> Answer<String> {
        self.ask(PROGRAM, |world| world.version(program))
    }

    fn list(&self, path: &str) -> Answer<Vec<String>> {
        let length = |names: &Vec<String>| names.iter().map(|name| QUESTION + name.len()).sum();
        self.counted(self.ask(QUESTION, |world| world.list(path)), length)
    }

    fn settle(&self, path: &str) -> bool {
        self.world.settle(path)
    }

    fn tree(&self, aside: &[String]) -> Answer<String> {
        self.ask(QUESTION, |world| world.tree(aside))
    }

    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        self.ask(FILE, |world| world.changed_since(tree, aside))
    }

    fn head(&self) -> Answer<Head> {
        self.ask(QUESTION, |world| world.head())
    }

    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        self.ask(GIT, |world| world.tree_without(tree, aside))
    }

    fn evidence(&self) -> Arc<Vec<Json>> {
        self.world.evidence()
    }

    fn random_u64(&self) -> u64 {
        self.world.random_u64()
    }

    fn digest(&self, paths: &[String]) -> Answer<String> {
        self.ask(FILE.saturating_mul(paths.len()), |world| world.digest(paths))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.world.env(name)
    }

    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        self.ask(GIT, |world| world.git(dir, question))
    }
}
