//! Files of the repository that are made from the code: the Claude Code plugins and the reference pages. With
//! `HOLDPOINT_BLESS=1` these tests write them anew instead of failing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::project::Project;

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the names of the built-in workflows: the folders of `workflows/`, which is a package as well.
pub(crate) fn workflow_names() -> Vec<String> {
    let entries = std::fs::read_dir(repository().join("workflows")).unwrap();
    let folders = entries.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn is_blessed() -> bool {
    std::env::var_os("HOLDPOINT_BLESS").is_some_and(|value| value == "1")
}

/// A file of the repository must be what was made; it is written anew where that is asked for.
pub(crate) fn assert_kept(path: &str, made: &str) {
    let file = repository().join(path);
    if is_blessed() {
        std::fs::write(&file, made).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = made.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "{path} is not what the code says ({differs:#?}); run this test with HOLDPOINT_BLESS=1"
    );
}

/// All files below a folder, by their paths.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for path in std::fs::read_dir(&next).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn the_plugins_are_those_of_the_workflows() {
    let project = Project::new();
    let printed = project.run(&["workflow", "plugin", "plugin"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let (made, kept) = (project.root().join("plugin"), repository().join("plugin"));
    if is_blessed() {
        let _ = std::fs::remove_dir_all(&kept);
        for (path, text) in files(&made) {
            let file = kept.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
    }
    let (made, kept) = (files(&made), files(&kept));
    for path in made.keys().chain(kept.keys()) {
        assert!(
            made.get(path) == kept.get(path),
            "plugin/{path} is not what `holdpoint workflow plugin` writes; run this test with HOLDPOINT_BLESS=1"
        );
    }
    assert!(made.contains_key("taskie/ground-rules.md"), "what commands point to is there");
    assert!(!made.keys().any(|path| path.contains("cases")), "what nobody points to is not");
}

#[test]
fn a_plugin_never_overwrites() {
    let project = Project::new();
    project.write("mine/x", "");
    let printed = project.run(&["workflow", "plugin", "mine"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("already exists"), "{}", printed.stderr);
    assert_eq!(project.run(&["workflow", "plugin", "new", "nosuch"]).code, Some(2));
    assert!(!project.root().join("new").exists());
}

#[test]
fn a_projects_own_workflow_becomes_a_plugin() {
    let project = Project::new();
    let rule = |name: &str, on: &str| format!("[holds.{name}]\non = {on}\nsay = 'x'\n");
    let rules = [rule("a", "['before shell', 'before Read']"), rule("b", "'prompt'"), rule("c", "'after'")];
    project.workflow("mine", &format!("about = 'Mine.'\n[run]\nhome = '.mine'\n{}", rules.concat()));
    project.write(".holdpoint/workflows/mine/commands/go.md", "Read @${CLAUDE_PLUGIN_ROOT}/texts/a.md now.");
    project.write(".holdpoint/workflows/mine/agents/judge.md", "---\nname: judge\n---\n");
    project.write(".holdpoint/workflows/mine/texts/a.md", "See `${CLAUDE_PLUGIN_ROOT}/texts/b.md`.");
    project.write(".holdpoint/workflows/mine/texts/b.md", "See ${CLAUDE_PLUGIN_ROOT}/texts/a.md");
    project.write(".holdpoint/workflows/mine/texts/c.md", "");
    assert_eq!(project.run(&["workflow", "plugin", "out", "mine"]).stdout, "out: mine in 7 files\n");
    let made = files(&project.root().join("out/mine"));
    let expected = [
        ".claude-plugin/plugin.json",
        "agents/judge.md",
        "commands/go.md",
        "hooks/hooks.json",
        "texts/a.md",
        "texts/b.md",
    ];
    assert_eq!(made.keys().collect::<Vec<_>>(), expected);
    let hooks: serde_json::Value = serde_json::from_str(&made["hooks/hooks.json"]).unwrap();
    let matcher = |event: &str| hooks["hooks"][event][0]["matcher"].clone();
    assert_eq!(matcher("PreToolUse"), "^(Bash|PowerShell|Read|mcp__.*)$");
    assert_eq!(matcher("PostToolUseFailure"), serde_json::Value::Null, "every tool");
    assert_eq!(hooks["hooks"].as_object().unwrap().len(), 4, "{hooks}");
}
