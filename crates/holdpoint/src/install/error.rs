//! What can go wrong when settings and the record of an installation are read or edited.

use std::path::PathBuf;

use thiserror::Error;

/// A settings file that cannot be read or edited.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] jsonc_parser::errors::ParseError),
    /// It is not TOML.
    #[error("{message}")]
    Toml {
        /// The parser's message.
        message: String,
    },
    /// It is too deeply nested.
    #[error("it is nested more than {max} deep")]
    TooDeep {
        /// The limit.
        max: usize,
    },
    /// It is another JSON value than an object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// Its `hooks` has the wrong type.
    #[error("its `hooks` is not {expected}")]
    Hooks {
        /// The right type, with an article.
        expected: &'static str,
    },
    /// A key of its `hooks` is not valid.
    #[error("a name in its `hooks` cannot be read")]
    HookName,
    /// An event's hooks have the wrong type.
    #[error("its `hooks.{event}` is not a list")]
    NotAList {
        /// The event.
        event: String,
    },
    /// Another key of its has the wrong type.
    #[error("its `{key}` is not {expected}")]
    NotA {
        /// The key, with those that lead to it.
        key: String,
        /// The right type, with an article.
        expected: &'static str,
    },
    /// An edit would change more than Holdpoint's entries.
    #[error("it could not be edited without a change to something else")]
    OtherChange,
}

/// A settings file that stays as it is, because it cannot be edited.
#[derive(Debug, Error)]
#[error("{} cannot be edited: {why}; nothing was {}", path.display(), .purpose.done())]
pub struct NotEdited {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it. The message has it in the middle, so it is not a source.
    pub why: SettingsError,
    /// What the edit was for.
    pub purpose: Purpose,
}

/// The purpose of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `init` adds entries.
    Install,
    /// `uninstall` removes them.
    Uninstall,
}

impl Purpose {
    fn done(self) -> &'static str {
        match self {
            Purpose::Install => "written",
            Purpose::Uninstall => "changed",
        }
    }
}

/// A project's `holdpoint.toml` that cannot be edited.
#[derive(Debug, Error)]
pub enum ProjectSettingsError {
    /// It is not TOML.
    #[error("{message}")]
    Toml {
        /// The parser's message.
        message: String,
    },
    /// Its list of workflows has the wrong type.
    #[error("its `workflows` is not a list")]
    NotAList,
}

/// A record of an installation that cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It is not valid JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It names a path outside the project.
    #[error("it names `{path}`, which is elsewhere")]
    Elsewhere {
        /// The path.
        path: String,
    },
}

/// A file of an installation that cannot be used, and why.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is a folder or too large.
    #[error("{} is not a file of at most {} MiB", path.display(), max / 1024 / 1024)]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The limit.
        max: u64,
    },
    /// It is not UTF-8.
    #[error("{}: it is not UTF-8 text", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// It is the record, and is not valid.
    #[error("{} cannot be used", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why.
        source: RecordError,
    },
}
