//! The one fake World of the core's tests: it knows nothing but what a test says.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{Answer, GitQuestion, Head, World};

/// How a fake World answers a question about a file.
type OfFile<T> = Box<dyn Fn(&str) -> Answer<T> + Send + Sync>;
/// The same about a list of paths.
type OfPaths<T> = Box<dyn Fn(&[String]) -> Answer<T> + Send + Sync>;
/// The same about a tree without a list of paths.
type OfTree<T> = Box<dyn Fn(&str, &[String]) -> Answer<T> + Send + Sync>;
/// The same about the repository of a folder.
type OfGit = Box<dyn Fn(&str, &GitQuestion) -> Answer<String> + Send + Sync>;

/// A World whose answers a test gives. Nothing exists, and nothing is known, unless it says so.
pub(crate) struct FakeWorld {
    /// The content of a file. What can be read exists.
    pub(crate) read: OfFile<Vec<u8>>,
    pub(crate) git: OfGit,
    pub(crate) is_folder: fn(&str) -> bool,
    pub(crate) variables: &'static [(&'static str, &'static str)],
    pub(crate) now: i64,
    pub(crate) random: u64,
    pub(crate) tree: OfPaths<String>,
    pub(crate) changed_since: OfTree<Vec<String>>,
    pub(crate) tree_without: OfTree<String>,
    pub(crate) digest: OfPaths<String>,
    pub(crate) head: Option<Head>,
    pub(crate) evidence: Vec<Json>,
}

impl Default for FakeWorld {
    fn default() -> FakeWorld {
        FakeWorld {
            read: Box::new(|_| Answer::None),
            git: Box::new(|_, _| Answer::None),
            is_folder: |_| true,
            variables: &[],
            now: 0,
            random: 0,
            tree: Box::new(|_| Answer::None),
            changed_since: Box::new(|_, _| Answer::None),
            tree_without: Box::new(|_, _| Answer::None),
            digest: Box::new(|_| Answer::Is(String::new())),
            head: None,
            evidence: Vec::new(),
        }
    }
}

impl FakeWorld {
    /// A World with nothing but one file, the state.
    pub(crate) fn with_state(path: &'static str, state: &Json) -> FakeWorld {
        let bytes = state.to_string().into_bytes();
        let read = move |asked: &str| if asked == path { Answer::Is(bytes.clone()) } else { Answer::None };
        FakeWorld { read: Box::new(read), ..FakeWorld::default() }
    }

    /// A World with nothing but git.
    pub(crate) fn with_git(
        git: impl Fn(&str, &GitQuestion) -> Answer<String> + Send + Sync + 'static,
    ) -> FakeWorld {
        FakeWorld { git: Box::new(git), ..FakeWorld::default() }
    }
}

impl World for FakeWorld {
    fn read(&self, path: &str) -> Answer<Vec<u8>> {
        (self.read)(path)
    }

    fn exists(&self, path: &str) -> Answer<()> {
        match self.read(path) {
            Answer::Is(_) => Answer::Is(()),
            Answer::None => Answer::None,
            Answer::Fault(why) => Answer::Fault(why),
        }
    }

    fn is_folder(&self, dir: &str) -> bool {
        (self.is_folder)(dir)
    }

    fn now_millis(&self) -> i64 {
        self.now * 1_000
    }

    fn tree(&self, aside: &[String]) -> Answer<String> {
        (self.tree)(aside)
    }

    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        (self.changed_since)(tree, aside)
    }

    fn head(&self) -> Answer<Head> {
        self.head.clone().map_or(Answer::None, Answer::Is)
    }

    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        (self.tree_without)(tree, aside)
    }

    fn evidence(&self) -> Arc<Vec<Json>> {
        Arc::new(self.evidence.clone())
    }

    fn random_u64(&self) -> u64 {
        self.random
    }

    fn digest(&self, paths: &[String]) -> Answer<String> {
        (self.digest)(paths)
    }

    fn env(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String> {
        (self.git)(dir, question)
    }
}
