//! `[bench]`: where checks and reviews are performed, and what the copy of the tree that they see has beside its files.

use super::{List, Text};
use crate::path::{stays_below, tidy};

/// `prove`: where a check or a review is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::bench))]
pub enum Prove {
    /// On the bench: a copy of exactly the tree that its evidence names.
    Bench,
    /// In the project itself, whose files are compared before and after.
    InPlace,
}

impl Prove {
    /// All ways, as workflow files spell them.
    pub const ALL: [(&'static str, Prove); 2] = [("bench", Prove::Bench), ("in-place", Prove::InPlace)];

    /// The way of this name.
    pub fn of(word: &str) -> Option<Prove> {
        Prove::ALL.iter().find(|(name, _)| *name == word).map(|(_, prove)| *prove)
    }
}

/// `[bench]`: folders that git ignores, and what becomes of them on the bench. All others are not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::bench))]
pub struct Bench {
    /// Folders that are kept on the bench from one time to the next, and never come from the project.
    pub own: List<Text>,
    /// Folders and files that are the project's own, to be read. Nothing proves what is in them.
    pub lend: List<Text>,
    /// Folders that a command makes on the bench.
    pub make: List<Make>,
}

/// A folder that a command makes on the bench, and makes again when a file changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::bench))]
pub struct Make {
    /// The folder.
    pub name: Text,
    /// What makes it, for a shell.
    pub command: Text,
    /// The file that says what must be in it.
    pub by: Text,
}

/// Folders that builds and test runners write: kept on the bench, and never lent, because what is in them decides what
/// is tested.
pub const BUILD_OUTPUTS: [&str; 28] = [
    "target",
    "build",
    "dist",
    "out",
    "obj",
    "_build",
    ".build",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".eggs",
    ".hypothesis",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".nyc_output",
    "coverage",
    "htmlcov",
    ".gradle",
    ".dart_tool",
    ".stack-work",
    "dist-newstyle",
    "zig-cache",
    ".zig-cache",
];

/// Folders of dependencies: lent where the project has them and nothing else is said.
pub const DEPENDENCIES: [&str; 4] = ["node_modules", ".venv", "venv", "vendor"];

/// Returns whether a name of `[bench]` means this path: a name alone means it in every folder.
pub fn is_meant(name: &str, path: &str) -> bool {
    let (name, path) = (name.trim_end_matches('/'), path.trim_end_matches('/'));
    let last = path.rsplit('/').next().unwrap_or(path);
    if name.contains('/') { path == name.trim_start_matches("./") } else { last == name }
}

/// Says what is wrong with a folder of `[bench]`, and what to write instead.
pub(crate) fn wrong_name(name: &str) -> Option<(String, String)> {
    let is_plain = stays_below(&tidy(name)) && !matches!(tidy(name).as_str(), "" | ".");
    (!is_plain).then(|| {
        let message = format!("`{name}` is not a folder of the project");
        (message, "name it as it is called there: \"node_modules\", \"web/node_modules\"".to_owned())
    })
}

/// Says what is wrong with a folder that is to be lent, and what to write instead.
pub(crate) fn wrong_lend(name: &str) -> Option<(String, String)> {
    let is_built = BUILD_OUTPUTS.iter().any(|output| is_meant(output, name));
    let built = || {
        let message = format!("`{name}` is what a build writes: lent, it would decide what is tested");
        (message, format!("have the bench keep its own: own = [\"{name}\"]"))
    };
    wrong_name(name).or_else(|| is_built.then(built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_meant_in_every_folder_and_a_path_in_one() {
        assert!(
            is_meant("node_modules", "web/app/node_modules/") && is_meant("node_modules", "node_modules")
        );
        assert!(is_meant("web/lib", "web/lib/") && !is_meant("web/lib", "other/web/lib"));
        assert!(!is_meant("modules", "node_modules"));
    }

    #[test]
    fn build_outputs_are_never_lent() {
        for name in ["target", "dist/", "web/build", "__pycache__", ".pytest_cache"] {
            assert!(
                wrong_lend(name).is_some_and(|(_, hint)| hint.starts_with("have the bench keep")),
                "{name}"
            );
        }
        for name in ["", ".", "..", "/usr/lib", "../up"] {
            assert!(wrong_name(name).is_some(), "{name}");
        }
        assert_eq!(wrong_lend("node_modules"), None);
        assert_eq!(wrong_lend(".env"), None);
    }
}
