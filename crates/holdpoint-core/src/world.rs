//! What the core may ask: read-only questions about files, git and the environment.

/// Answers about the project at hand. Paths are relative to the run's home, or absolute below it.
pub trait World: Send + Sync {
    /// The content of a file.
    fn read(&self, path: &str) -> Answer<Vec<u8>>;

    /// What a document says, as a reader of this name understands it with these arguments; none if it is not there or
    /// says nothing of the kind. The readers are no part of the core: it only passes on what they give.
    fn read_as(&self, reader: &str, path: &str, args: &[serde_json::Value]) -> Answer<serde_json::Value> {
        let _ = (reader, path, args);
        Answer::None
    }

    /// Whether a file or folder is there.
    fn exists(&self, path: &str) -> Answer<()>;

    /// Whether an absolute path, wherever it leads, is a folder: what a shell's `cd` would find.
    fn is_folder(&self, dir: &str) -> bool {
        let _ = dir;
        true
    }

    /// The run's folder from the project's home; empty if it is the home itself.
    fn folder(&self) -> String {
        String::new()
    }

    /// The run's id, where each run is a file that is named by its id.
    fn run_id(&self) -> Option<String> {
        None
    }

    /// The state file of such a run.
    fn state_file(&self) -> Option<String> {
        None
    }

    /// The time, in seconds since 1970.
    fn now(&self) -> i64 {
        0
    }

    /// Whether a report is there that was not there already when its phase was entered.
    fn is_new(&self, path: &str) -> Answer<()> {
        self.exists(path)
    }

    /// A file as it was when the run was made: its content, or none if it was not there; no answer if nothing was kept.
    fn kept(&self, path: &str) -> Answer<Option<Vec<u8>>> {
        let _ = path;
        Answer::None
    }

    /// Whether two absolute paths lead to the same place.
    fn is_same_place(&self, one: &str, other: &str) -> bool {
        one == other
    }

    /// Whether a file below the project could be written in this folder.
    fn is_writable(&self, folder: &str) -> bool {
        let _ = folder;
        true
    }

    /// Where a program of this name is found.
    fn program(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// What a program says its version is.
    fn version(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// The files below a folder, as paths from it.
    fn list(&self, path: &str) -> Answer<Vec<String>> {
        let _ = path;
        Answer::None
    }

    /// Waits a moment for whoever may be writing this file in place; false if there is nothing to wait for.
    fn settle(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// The hash of the working tree as it is now, without what is `aside`; none where there is no repository.
    fn tree(&self, aside: &[String]) -> Answer<String> {
        let _ = aside;
        Answer::None
    }

    /// The files that differ between that tree and the working tree as it is now.
    fn changed_since(&self, tree: &str, aside: &[String]) -> Answer<Vec<String>> {
        let _ = (tree, aside);
        Answer::None
    }

    /// The last commit.
    fn head(&self) -> Answer<Head> {
        Answer::None
    }

    /// A commit's tree without what is aside.
    fn tree_without(&self, tree: &str, aside: &[String]) -> Answer<String> {
        let _ = (tree, aside);
        Answer::None
    }

    /// What the engine saw itself in this workflow's runs here, oldest first.
    fn evidence(&self) -> Vec<serde_json::Value> {
        Vec::new()
    }

    /// A number that nobody can foresee.
    fn chance(&self) -> u64 {
        0
    }

    /// A digest of files, of their contents and of which are there.
    fn digest(&self, paths: &[String]) -> String {
        let _ = paths;
        String::new()
    }

    /// A digest of a text.
    fn text_digest(&self, text: &str) -> String {
        let _ = text;
        String::new()
    }

    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// A question to git about the repository that `dir` (absolute) lies in.
    fn git(&self, dir: &str, question: &GitQuestion) -> Answer<String>;
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: String,
    /// Its first parent; none for a first commit, and for the last one that a shallow clone has.
    pub parent: Option<String>,
    /// How many it has.
    pub parents: usize,
    /// Its tree.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The files that it changed against its first parent, sorted; a renamed file is both of its names.
    pub paths: Vec<String>,
}

/// An answer: there, not there, or impossible to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// This is it.
    Is(T),
    /// There is none.
    None,
    /// A fault kept us from knowing; the reason is for people.
    Fault(String),
}

/// The questions the core has for git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitQuestion {
    /// The repository itself: its git folder. Two folders with the same answer share a branch.
    Repository,
    /// The branch that is checked out, unborn ones included; none when detached.
    Branch,
    /// The branch `git checkout` of this name would end on, if it names one.
    Switch(String),
    /// What an alias stands for.
    Alias(String),
}
