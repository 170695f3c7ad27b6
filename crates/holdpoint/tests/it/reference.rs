//! The reference pages: commands and environment are made from the code, and the page on workflow files must know every
//! key, fact, filter and test that there is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::generated::{assert_kept, repository, workflow_names};
use crate::project::{Printed, Project};

/// What is between quotes in a piece of source.
fn quoted(source: &str) -> impl Iterator<Item = &str> {
    source.split('"').skip(1).step_by(2)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

/// The names in the groups of commands that the program's help has: a column of them, after that of the groups.
pub(crate) fn own_commands(help: &str) -> Vec<String> {
    const GROUP: usize = "  authors ".len();
    let rows = help.lines().filter(|line| line.starts_with("  ")).filter_map(|line| line.get(GROUP..));
    let names = rows.filter_map(|row| row.strip_prefix(' ')?.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// The names in the list of commands that a help has.
pub(crate) fn commands(help: &str) -> Vec<String> {
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A line that goes on has no name in its first column.
    let first =
        list.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    first.map(str::to_owned).collect()
}

#[test]
fn the_page_of_commands_is_what_help_says() {
    let project = Project::new();
    let help = |words: &[&str]| {
        let mut command = project.command(&[words, &["--help"]].concat());
        let printed = Printed::from(command.env("COLUMNS", "80").output().unwrap());
        assert_eq!(printed.code, Some(0), "{words:?}: {}", printed.stderr);
        let lines: Vec<&str> = printed.stdout.lines().map(str::trim_end).collect();
        lines.join("\n").trim().to_owned()
    };
    let mut page = String::from(
        "# Commands\n\nMade from the program's own help by `tests/it/reference.rs`; do not edit.\n",
    );
    let mut section = |mark: &str, words: &[&str], text: &str| {
        write!(page, "\n{mark} `{}`\n\n```text\n{text}\n```\n", [&["holdpoint"], words].concat().join(" "))
            .unwrap();
    };
    let whole = help(&[]);
    section("##", &[], &whole);
    for name in own_commands(&whole) {
        let text = help(&[&name]);
        section("##", &[&name], &text);
        for command in commands(&text) {
            section("###", &[&name, &command], &help(&[&name, &command]));
        }
    }
    for workflow in workflow_names() {
        let text = help(&[&workflow]);
        section("##", &[&workflow], &text);
        for command in commands(&text) {
            section("###", &[&workflow, &command], &help(&[&workflow, &command]));
        }
    }
    assert_kept("docs/reference/commands.md", &page);
}

/// The variables of each constant, and what is written above it.
fn variables(source: &str) -> Vec<(String, String)> {
    let pieces: Vec<&str> = source.split("\npub const ").collect();
    let about = |piece: &str| {
        let lines = piece.lines().rev().map_while(|line| line.strip_prefix("/// "));
        lines.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(" ")
    };
    let names = |piece: &str| {
        let definition = piece.split(";\n").next().unwrap();
        quoted(definition).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    pieces.windows(2).map(|pair| (names(pair[1]), about(pair[0]))).collect()
}

#[test]
fn the_page_of_the_environment_has_every_variable() {
    let source = read("crates/holdpoint/src/env_vars.rs");
    let constants = source.split("\npub trait").next().unwrap();
    let mut page = String::from(
        "# Environment\n\nMade from `env_vars.rs` and the workflow files by `tests/it/reference.rs`; do not edit.\n\n\
         | variable | is |\n| --- | --- |\n",
    );
    for (names, about) in variables(constants) {
        writeln!(page, "| {names} | {about} |").unwrap();
    }
    page.push_str("\nWorkflows look at some of their own:\n\n| workflow | variables |\n| --- | --- |\n");
    for workflow in workflow_names() {
        let text = workflow_files(&workflow);
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let after = |before: &'static str| text.split(before).skip(1);
        let uses = after("env.").chain(after("variable = \""));
        let names = uses.filter_map(|rest| rest.split(|c| !is_name(c)).next());
        let names: BTreeSet<String> =
            names.filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
        if !names.is_empty() {
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            writeln!(page, "| `{workflow}` | {names} |").unwrap();
        }
    }
    page.push_str(&what_programs_get());
    assert!(page.contains("| `HOLDPOINT_REVIEWER` |") && page.contains("`CODEX_THREAD_ID`"), "{page}");
    assert_kept("docs/reference/environment.md", &page);
}

/// A workflow's own file, and those of its names.
fn workflow_files(workflow: &str) -> String {
    let folder = format!("workflows/{workflow}");
    let names = std::fs::read_dir(repository().join(&folder).join("names")).into_iter().flatten().flatten();
    let mut files: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    files.sort();
    let names = files.iter().map(|file| read(&format!("{folder}/names/{file}")));
    [read(&format!("{folder}/workflow.toml"))].into_iter().chain(names).collect()
}

/// The variables that programs of reviewers and checks get.
fn what_programs_get() -> String {
    use holdpoint::confinement::variables::{BEDROCK, EVERY, REVIEWERS, TOOLCHAINS};
    let rows = [
        ("every program", EVERY),
        ("every program, for its toolchain", TOOLCHAINS),
        ("reviewers", REVIEWERS),
        ("reviewers, if `CLAUDE_CODE_USE_BEDROCK` is set", BEDROCK),
    ];
    let mut text = String::from(
        "\n## What programs get\n\nPrograms of reviewers and checks get these if they are set, those that their workflow or \
         `holdpoint.toml` [names](workflow.md#what-programs-get); a reviewer also gets `HOLDPOINT_REVIEWER`. `*` stands for any ending. \
         An agent's session (`CLAUDE_CODE_SESSION_ID` and its like) stays behind. `PATH`, those of toolchains and those that \
         say whom a reviewer asks (`ANTHROPIC_BASE_URL` and its like) are not the caller's, but \
         [pinned](../design/013-pinned-programs.md).\n\n| who | variables |\n| --- | --- |\n",
    );
    for (who, list) in rows {
        let names: Vec<String> = list.split_whitespace().map(|name| format!("`{name}`")).collect();
        writeln!(text, "| {who} | {} |", names.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_page_of_settings_has_every_key() {
    let page = read("docs/reference/settings.md");
    for file in ["parse.rs", "lock.rs"] {
        let source = read(&format!("crates/holdpoint-core/src/settings/{file}"));
        let lists = source.split("KEYS: [&str; ").skip(1);
        let keys: Vec<&str> = lists.flat_map(|list| quoted(list.split("];").next().unwrap())).collect();
        assert!(keys.len() >= 5, "{keys:?}");
        for key in keys {
            let is_there =
                page.split('`').skip(1).step_by(2).any(|code| code.ends_with(key) || code.starts_with(key));
            assert!(is_there, "docs/reference/settings.md says nothing of `{key}`");
        }
    }
}

/// Every word of the parser's lists of keys.
fn keys() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let folder = repository().join("crates/holdpoint-core/src/workflow");
    let files = std::fs::read_dir(folder.join("parse")).unwrap().map(|entry| entry.unwrap().path());
    for path in files.chain([folder.join("parse.rs")]) {
        let source = std::fs::read_to_string(path).unwrap();
        for list in source.split("KEYS: [&str; ").skip(1) {
            found.extend(quoted(list.split("];").next().unwrap()).map(str::to_owned));
        }
        // Short lists stand where they are used.
        for call in source.split(".known_keys(").skip(1) {
            let list = call.split(';').next().unwrap().split_once("&[");
            found.extend(list.into_iter().flat_map(|(_, list)| quoted(list)).map(str::to_owned));
        }
    }
    found
}

#[test]
fn the_page_of_workflow_files_has_every_key_fact_filter_and_test() {
    let page = read("docs/reference/workflow.md");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // In code marks, in a block, or in the list of what comes from MiniJinja: words of prose do not count.
    let code = page.split('`').skip(1).step_by(2).chain(page.split("```").skip(1).step_by(2));
    let known: BTreeSet<&str> = code.flat_map(|text| text.split(|c| !is_word(c))).collect();
    let keys = keys();
    assert!(keys.len() > 60 && keys.contains("satisfied_by") && keys.contains("verdict_at"), "{keys:?}");
    let names = [
        holdpoint_core::facts::NOUNS.as_slice(),
        holdpoint_core::filters::FILTERS.as_slice(),
        holdpoint_core::filters::TESTS.as_slice(),
    ];
    let missing: Vec<&str> =
        keys.iter().map(String::as_str).chain(names.concat()).filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty(), "docs/reference/workflow.md says nothing of {missing:?}");
}
