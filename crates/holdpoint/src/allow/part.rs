//! The parts of a project's content. Each is allowed by itself, so that a change to one leaves the others as they were.

use std::collections::BTreeMap;

use holdpoint_core::workflow::parse::FILE;

use crate::catalog;
use crate::store::layout::CONFIG;

/// A part of a project's content: its settings, or one of its own workflows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// `holdpoint.toml`.
    Settings,
    /// The folder of the workflow with this name.
    Workflow(String),
}

impl Part {
    /// Returns the part that a file of the content belongs to.
    pub fn of(file: &str) -> Option<Part> {
        if file == CONFIG {
            return Some(Part::Settings);
        }
        let (name, _) = file.strip_prefix("workflows/")?.split_once('/')?;
        catalog::is_name(name).then(|| Part::Workflow(name.to_owned()))
    }

    /// Returns its path in our folder, by which the registry knows it.
    pub fn path(&self) -> String {
        match self {
            Part::Settings => CONFIG.to_owned(),
            Part::Workflow(name) => format!("workflows/{name}"),
        }
    }

    /// Returns the workflow whose file this is.
    pub(super) fn workflow_of(file: &str) -> Option<String> {
        let name = file.strip_prefix("workflows/")?.strip_suffix(FILE)?.strip_suffix('/')?;
        catalog::is_name(name).then(|| name.to_owned())
    }
}

/// The digests of a content: of all of it, which users name, and of each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digests {
    /// That of all of it.
    pub whole: String,
    /// That of each part.
    pub parts: BTreeMap<Part, String>,
}

impl Digests {
    /// Renders them as a line. Neither paths of parts nor digests have spaces.
    pub(super) fn line(&self) -> String {
        let parts = self.parts.iter().map(|(part, digest)| format!(" {} {digest}", part.path()));
        format!("{}{}", self.whole, parts.collect::<String>())
    }

    /// Reads such a line.
    pub(super) fn read(line: &str) -> Option<Digests> {
        let mut words = line.split(' ');
        let whole = words.next()?.to_owned();
        let mut parts = BTreeMap::new();
        while let Some(path) = words.next() {
            let part = Part::of(path).or_else(|| Part::of(&format!("{path}/")))?;
            parts.insert(part, words.next()?.to_owned());
        }
        (!parts.is_empty()).then_some(Digests { whole, parts })
    }
}

/// A part that has no effect, because the user has not allowed it as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The part.
    pub part: Part,
    /// Its digest.
    pub digest: String,
    /// Whether the user has allowed it as it was before.
    pub is_changed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_folder_of_its_workflow() {
        let workflow = |name: &str| Some(Part::Workflow(name.to_owned()));
        for (file, part) in [
            ("holdpoint.toml", Some(Part::Settings)),
            ("workflows/a/workflow.toml", workflow("a")),
            ("workflows/a/texts/workflow.toml", workflow("a")),
            ("workflows/holdpoint.toml/x", workflow("holdpoint.toml")),
            ("workflows/notes.md", None),
            ("workflows/$(x)/workflow.toml", None),
            ("journal.jsonl", None),
        ] {
            assert_eq!(Part::of(file), part, "{file}");
        }
        assert_eq!(Part::workflow_of("workflows/a/workflow.toml").as_deref(), Some("a"));
        assert_eq!(Part::workflow_of("workflows/a/texts/workflow.toml"), None);
    }

    #[test]
    fn digests_are_read_as_they_were_written() {
        let parts = [(Part::Settings, "1".to_owned()), (Part::Workflow("holdpoint.toml".into()), "2".into())];
        let digests = Digests { whole: "0".into(), parts: parts.into() };
        assert_eq!(Digests::read(&digests.line()), Some(digests));
        assert_eq!(Digests::read("0"), None);
        assert_eq!(Digests::read("0 workflows/a"), None);
    }
}
