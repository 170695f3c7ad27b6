//! What a file imports, read from its code: the module, where it is to be looked for, and the line.

mod go;
mod javascript;
mod python;
mod rust;

use super::map::{Map, Place, segments};
use crate::source::{Code, Language};

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The line it stands on, from 1.
    pub(super) line: usize,
    /// The module as the code names it.
    pub(super) name: String,
    target: Target,
}

/// Where the module is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// At this path in the project.
    Path(String),
    /// Where the language looks for modules of this path.
    Module(Vec<String>),
}

impl Import {
    fn at_path(line: usize, name: impl Into<String>, path: String) -> Import {
        Import { line, name: name.into(), target: Target::Path(path) }
    }

    fn of_module(line: usize, name: impl Into<String>, module: &str) -> Import {
        Import { line, name: name.into(), target: Target::Module(segments(module)) }
    }

    /// The parts that the module belongs to.
    pub(super) fn place(&self, file: &str, map: &Map) -> Place {
        match &self.target {
            Target::Path(path) => map.of_file(path),
            Target::Module(module) => map.of_module(module, file),
        }
    }
}

/// The imports of a file, in order.
pub(super) fn imports(file: &str, text: &str) -> Vec<Import> {
    let file = holdpoint_core::path::tidy(file);
    let Some(code) = Code::read(&file, text) else { return Vec::new() };
    match code.language {
        Language::Python => python::imports(&file, &code),
        Language::JavaScript => javascript::imports(&file, &code),
        Language::Rust => rust::imports(&file, &code),
        Language::Go => go::imports(&code),
    }
}

/// The folder of a file; empty at the project's own.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod imports_tests;
