//! Embeds the built-in workflows: parses and checks each folder of `workflows/` and writes it as a Rust static, so that
//! loading one at run time costs nothing. Also records what `--version` prints about the build.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a build that cannot read its files must stop"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use databake::{Bake, CrateEnv};
use holdpoint_core::diagnostic::Severity;
use holdpoint_core::workflow::check::{Surroundings, check};
use holdpoint_core::workflow::parse::{FILE, parse};

fn main() {
    println!("cargo::rustc-env=HOLDPOINT_BUILD={}", build());
    let root = Path::new(holdpoint_workflows::FOLDER);
    println!("cargo::rerun-if-changed={}", root.display());
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join(FILE).is_file());
    folders.sort();
    let mut source = String::from("pub(crate) static BUILT_IN: &[BuiltIn] = &[\n");
    let variables = variables(root);
    let variables: Vec<&str> = variables.iter().map(String::as_str).collect();
    for folder in &folders {
        source.push_str(&built_in(folder, &variables));
    }
    source.push_str("];\n");
    writeln!(source, "pub(crate) static VARIABLES: &[&str] = &{variables:?};").unwrap();
    let out = Path::new(&std::env::var("OUT_DIR").unwrap()).join("built_in.rs");
    std::fs::write(out, source).unwrap();
}

/// Describes the build: the commit and its date if this is a checkout, the target and the profile.
fn build() -> String {
    let mut words = Vec::new();
    // A downloaded package may lie below someone else's repository, whose commits say nothing about it.
    if git(&["ls-files", "--error-unmatch", "build.rs"]).is_some() {
        words.extend(git(&["log", "-1", "--format=%h %cs"]).filter(|commit| !commit.is_empty()));
        // A new commit is a new build. In a worktree this log is not below `.git`.
        let log = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from);
        if let Some(log) = log.and_then(|log| log.canonicalize().ok()) {
            println!("cargo::rerun-if-changed={}", log.display());
        }
    }
    words.extend(["TARGET", "PROFILE"].map(|name| std::env::var(name).unwrap()));
    words.join(", ")
}

fn git(args: &[&str]) -> Option<String> {
    let output = std::process::Command::new("git").args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Reads the names of the environment variables that workflows can read.
fn variables(root: &Path) -> Vec<String> {
    let list = std::fs::read_to_string(root.join(holdpoint_workflows::VARIABLES)).unwrap();
    let names = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    names.map(str::to_owned).collect()
}

fn built_in(folder: &Path, variables: &[&str]) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let parsed = parse(name, &read(FILE).unwrap(), &read);
    let mut paths = Vec::new();
    files_below(folder, &mut paths);
    let files: Vec<(String, String)> =
        paths.iter().map(|path| (below(folder, path), std::fs::read_to_string(path).unwrap())).collect();
    // The program's own commands are not known before it is built: a test checks the texts against them.
    let around = Surroundings { files: &files, variables: Some(variables), ..Surroundings::default() };
    let errors: Vec<_> =
        check(&parsed, &around).into_iter().filter(|p| p.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "workflows/{name}: {errors:#?}");
    let mut source =
        format!("BuiltIn {{ workflow: {}, files: &[\n", parsed.workflow.bake(&CrateEnv::default()));
    for file in paths {
        println!("cargo::rerun-if-changed={}", file.display());
        let path = below(folder, &file);
        let full = file.canonicalize().unwrap();
        writeln!(source, "({path:?}, include_str!({:?})),", full.to_str().unwrap()).unwrap();
    }
    source + "] },\n"
}

/// A file's path from the folder.
fn below(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files_below(&entry, files);
        } else {
            files.push(entry);
        }
    }
}
