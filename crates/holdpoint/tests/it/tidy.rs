//! What the project promises of its own code.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::generated::workflow_names;

/// The most lines a source file may have.
const LINES_MAX: usize = 500;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![repository().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(repository()).unwrap().display().to_string();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

#[test]
fn no_source_file_is_too_long_or_named_for_nothing() {
    for (name, text) in sources() {
        assert!(
            text.lines().count() <= LINES_MAX,
            "{name} has more than {LINES_MAX} lines: split it by what it owns"
        );
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy().into_owned();
        for word in ["util", "utils", "helper", "helpers", "common", "manager", "misc"] {
            assert_ne!(stem, word, "{name}: name the file for the noun it owns");
        }
    }
}

#[test]
fn every_file_says_what_it_owns() {
    for (name, text) in sources().into_iter().filter(|(name, _)| !name.ends_with("_tests.rs")) {
        assert!(text.starts_with("//! "), "{name} does not begin with what it owns");
    }
}

/// The most lines of the map: it is read, not searched.
const MAP_LINES_MAX: usize = 250;

#[test]
fn the_map_has_every_module_of_a_crate_and_every_folder() {
    let map = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    assert!(map.lines().count() <= MAP_LINES_MAX, "ARCHITECTURE.md is too long to be a map");
    for (name, _) in
        sources().into_iter().filter(|(name, _)| name.contains("/src/") && !name.ends_with("_tests.rs"))
    {
        let short = name.split("/src/").last().unwrap();
        let place = match short.rsplit_once('/') {
            Some((folder, _)) => format!("{}/", folder.rsplit('/').next().unwrap()),
            None => short.to_owned(),
        };
        assert!(map.contains(&place), "ARCHITECTURE.md does not mention `{place}` ({name})");
    }
}

/// The name of the function, constant, trait or module that a line makes public.
fn public_item(line: &str) -> Option<&str> {
    let item = line.trim_start().strip_prefix("pub ")?;
    let item = item.strip_prefix("const fn ").or_else(|| {
        ["fn ", "const ", "static ", "trait ", "mod "].into_iter().find_map(|kind| item.strip_prefix(kind))
    })?;
    item.split(|char: char| !(char.is_alphanumeric() || char == '_')).next()
}

/// A source without comments and texts: what a sentence says is no use of a function. A text of several lines stays.
fn code(text: &str) -> String {
    let is_comment = |line: &&str| !line.trim_start().starts_with("//");
    let without_texts = |line: &str| line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    text.lines().filter(is_comment).map(|line| without_texts(line) + "\n").collect()
}

/// What only the core needs is `pub(crate)`. Types are left to the compiler: a public signature names them.
#[test]
fn the_core_offers_only_what_others_use() {
    let (core, others): (Vec<_>, Vec<_>) =
        sources().into_iter().partition(|(file, _)| file.starts_with("crates/holdpoint-core/"));
    let words = |code: &str| -> Vec<String> {
        code.split(|char: char| !(char.is_alphanumeric() || char == '_')).map(str::to_owned).collect()
    };
    let used: HashSet<String> = others.iter().flat_map(|(_, text)| words(&code(text))).collect();
    for (file, text) in core.iter().filter(|(file, _)| !file.ends_with("_tests.rs")) {
        let program = text.split("#[cfg(test)]").next().unwrap();
        for item in program.lines().filter_map(public_item) {
            assert!(used.contains(item), "{file}: only the core uses `{item}`, so make it `pub(crate)`");
        }
    }
}

/// How many public items a module of the core may have, and what for. Whoever needs more says so here.
const SURFACE: [(&str, usize, &str); 34] = [
    ("lib", 33, "the modules themselves"),
    ("workflow", 125, "a workflow as data, of which the built-in ones are statics; `parse`, `check`"),
    ("phase", 40, "whose turn it is, the request for a review, and the route of its verdict"),
    ("facts", 30, "the facts of an event, which the program makes and asks"),
    ("settings", 30, "what a `holdpoint.toml` says, and what counts of several"),
    ("document", 20, "Markdown, for the readers of documents in holdpoint-checks"),
    ("tool", 15, "the tools of all agents"),
    ("effects", 15, "what a step comes to, for the one writer"),
    ("shell", 10, "the words of a command; `commits` is fuzzed"),
    ("world", 10, "the questions that the program answers"),
    ("command", 10, "a workflow's command"),
    ("diagnostic", 10, "messages with places"),
    ("graph", 10, "drawings"),
    ("event", 10, "what an agent does"),
    ("door", 20, "what the user opens: grants and a pause"),
    ("tally", 10, "what became of a rule's holds"),
    ("holds", 12, "open holds with their ids, and how they are settled"),
    ("release", 10, "why a hold does not hold, and how that is told"),
    ("standing", 10, "how a run stands, for all that shows it"),
    ("json", 5, "lenient JSON"),
    ("path", 5, "paths as text"),
    ("supposition", 5, "rules asked about what was done"),
    ("digest", 5, "hashes"),
    ("filters", 5, "the names that the reference lists"),
    ("secret", 5, "secrets in texts"),
    ("delegation", 5, "the manifest of sub-agents, which is fuzzed"),
    ("level", 5, "what can be believed of a proof"),
    ("verdict", 5, "verdicts"),
    ("transition", 5, "where a step comes from"),
    ("layout", 5, "a part of embedded workflows"),
    ("lines", 5, "a state in lines"),
    ("run_id", 5, "the names of runs"),
    ("decide", 5, "the decision"),
    ("protection", 5, "the engine's own files"),
];

#[test]
fn the_core_offers_little() {
    let kinds = ["const ", "fn ", "struct ", "enum ", "trait ", "type ", "mod ", "static ", "use "];
    let is_public = |line: &&str| {
        line.trim_start()
            .strip_prefix("pub ")
            .is_some_and(|item| kinds.iter().any(|kind| item.starts_with(kind)))
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (file, text) in sources() {
        let Some(path) = file.strip_prefix("crates/holdpoint-core/src/") else { continue };
        if !path.ends_with("_tests.rs") {
            let module = path.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
            let program = text.split("#[cfg(test)]").next().unwrap();
            *counts.entry(module).or_default() += program.lines().filter(is_public).count();
        }
    }
    for (module, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        let most = SURFACE.iter().find(|(name, _, _)| *name == module).map_or(0, |(_, most, _)| *most);
        assert!(count <= most, "`{module}` of the core has {count} public items, {most} are allowed for");
    }
}

#[test]
fn the_engine_knows_no_workflow_by_name() {
    let names = workflow_names();
    assert!(!names.is_empty());
    for (file, text) in sources().into_iter().filter(|(file, _)| file.contains("/src/")) {
        assert!(!names.iter().any(|name| text.contains(name.as_str())), "{file} names a workflow");
    }
}

#[test]
fn the_engine_knows_no_workflow_by_its_words() {
    let words = [
        "allowed files",
        "implementation plan",
        "av-s",
        "av-f",
        "substantive",
        "blueprint reference",
        "cross-cutting",
        "domain-map",
        "kopecks",
        "salary",
        "payout",
    ];
    for (file, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap().to_lowercase();
        let is_program = file.contains("/src/") && !file.ends_with("_tests.rs");
        let found = words.iter().find(|word| is_program && code.contains(**word));
        assert_eq!(found, None, "{file}: let the workflow say it");
    }
}

#[test]
fn nothing_is_left_undone() {
    for (name, text) in sources().into_iter().filter(|(name, _)| !name.ends_with("tidy.rs")) {
        for word in ["todo!(", "unimplemented!(", "FIXME", "#[ignore"] {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

/// Texts of others are made harmless in one place; who prints past it has only texts of ours, or an agent as its reader.
#[test]
fn commands_print_in_one_place() {
    let allowed = ["ui.rs", "hook.rs", "cli.rs", "cli/statusline.rs"];
    for (file, text) in sources().into_iter().filter(|(file, _)| file.contains("holdpoint/src/")) {
        let code = text.split("#[cfg(test)]").next().unwrap();
        let prints = code.contains("io::stdout()") || code.contains("io::stderr()");
        // These ask the terminal something.
        let asks = ["cli/log/follow.rs", "cli/log/row.rs"].iter().any(|asks| file.ends_with(asks));
        let is_allowed = allowed.iter().any(|name| file.ends_with(&format!("/src/{name}")));
        assert!(!prints || asks || is_allowed, "{file} prints by itself: let `Ui` do it");
    }
}

/// Reads TOML 1.0 as other tools do: every file that is named, and every block of the pages that is marked so.
const OTHER_READER: &str = r#"
import re, sys, tomllib
read = 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"```toml\n(.*?)```", text, re.S) if path.endswith(".md") else [text]
    for block in blocks:
        try:
            tomllib.loads(block)
        except tomllib.TOMLDecodeError as why:
            sys.exit(f"{path}: {why}\n{block[:200]}")
        read += 1
print(read)
"#;

/// The files of the repository with one of these endings.
fn files(endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![repository()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let ending =
                path.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if endings.contains(&ending.as_str()) && path.is_file() {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_toml_is_toml_1_0() {
    let files = files(&["toml", "md"]);
    let mut python = std::process::Command::new("python3");
    let output = python.args(["-c", OTHER_READER]).args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: usize = String::from_utf8_lossy(&output.stdout).trim().parse().unwrap();
    assert!(read > 80, "only {read} were read");
}

/// The longest line of a workflow file.
const WORKFLOW_COLUMNS_MAX: usize = 140;
/// The most lines of a workflow file.
const WORKFLOW_LINES_MAX: usize = 450;

#[test]
fn a_workflow_file_can_be_read_on_a_screen() {
    let is_workflow = |path: &&PathBuf| {
        let has_names = path.parent().is_some_and(|folder| folder.ends_with("names"));
        (path.ends_with("workflow.toml") || has_names) && path.starts_with(repository().join("workflows"))
    };
    let files = files(&["toml"]);
    let mut seen = 0;
    for path in files.iter().filter(is_workflow) {
        let text = std::fs::read_to_string(path).unwrap();
        let shown = path.display();
        assert!(
            text.lines().count() <= WORKFLOW_LINES_MAX,
            "{shown} has more than {WORKFLOW_LINES_MAX} lines"
        );
        let long = text.lines().position(|line| line.chars().count() > WORKFLOW_COLUMNS_MAX);
        assert_eq!(long.map(|at| at + 1), None, "a line of {shown} is longer than {WORKFLOW_COLUMNS_MAX}");
        seen += usize::from(path.ends_with("workflow.toml"));
    }
    assert_eq!(seen, workflow_names().len());
}
