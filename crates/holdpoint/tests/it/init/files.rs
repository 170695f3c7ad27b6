//! Settings files as people have them: what is theirs stays, and comes back byte for byte.

use serde_json::Value as Json;

use super::{HOLDPOINT, init, snapshot, well};
use crate::project::Project;

const FILE: &str = ".claude/settings.json";

/// Settings with all that an editor may stumble over.
const FOREIGN: &str = r#"// My settings
{
    "model": "opus",   // the good one
    "env": {"A": "1", "B": "\u00e9"},
    /* hooks of mine */
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "say done"}]}, // loud
        ],
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [
                {"type": "command", "command": "check.sh", "timeout": 5},
            ]},
        ],
        "Notification": [],
    },
    "permissions": {"allow": ["Bash(ls:*)"],},
}
"#;

/// Installs, looks, uninstalls: what was there is there again.
fn round_trip(text: &str) -> String {
    let project = Project::new();
    project.write(FILE, text);
    let before = snapshot(project.root());
    init(&project, &["claude"]);
    let edited = project.read(FILE);
    assert!(edited.contains(HOLDPOINT), "{edited}");
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before);
    edited
}

#[test]
fn comments_order_commas_and_other_hooks_stay() {
    let edited = round_trip(FOREIGN);
    let mut rest = edited.lines();
    for line in FOREIGN.lines() {
        // The client's own limit goes into the line of an `env` that is in one.
        let ours = format!("{}, \"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP\": \"60\"}}", line.trim_end_matches("},"));
        let is_there = rest.any(|there| {
            let there = there.trim_end_matches(',');
            there == line.trim_end_matches(',') || (line.contains("\"env\"") && there == ours)
        });
        assert!(is_there, "`{line}` is gone, or in another place:\n{edited}");
    }
}

#[test]
fn other_forms_of_a_file() {
    for text in [
        "",
        "\n",
        "{}",
        "{}\n",
        "{\"a\":1}",
        "{\n}",
        "// nothing\n{\n  // here\n}\n",
        "{\"hooks\":{}}",
        "{\"hooks\":{\"Stop\":[]}}",
    ] {
        round_trip(text);
    }
    let edited = round_trip("\u{feff}{\"a\": 1}\n");
    assert!(edited.starts_with('\u{feff}'), "the mark at its start stays");
    let edited = round_trip("{\r\n\t\"a\": 1\r\n}\r\n");
    assert!(
        edited.lines().count() > 10 && edited.split('\n').all(|line| line.is_empty() || line.ends_with('\r')),
        "{edited:?}"
    );
    assert!(edited.contains("\r\n\t\"hooks\""), "indented as the file is: {edited}");
}

#[test]
fn what_the_user_wrote_since_stays_and_ours_goes() {
    for original in [None, Some(FOREIGN)] {
        let project = Project::new();
        if let Some(text) = original {
            project.write(FILE, text);
        }
        init(&project, &["claude"]);
        let edited = project.read(FILE).replacen('{', "{ \"mine\": true,", 1);
        project.write(FILE, edited);
        well(&project, &["uninstall"]);
        let after = project.read(FILE);
        assert!(!after.contains("holdpoint") && after.contains("\"mine\": true"), "{after}");
        assert_eq!(after.contains("say done"), original.is_some(), "{after}");
        assert_eq!(
            after.contains("hooks"),
            original.is_some(),
            "what was made for ours goes with it: {after}"
        );
    }
}

#[test]
fn an_edit_between_two_installations_is_kept() {
    let project = Project::new();
    project.write(FILE, "{\"a\": 1}");
    init(&project, &["claude"]);
    project
        .write(FILE, project.read(FILE).replace("\"a\": 1", "\"a\": 2").replace(HOLDPOINT, "/old/holdpoint"));
    init(&project, &["claude"]);
    well(&project, &["uninstall"]);
    let after: Json = serde_json::from_str(&project.read(FILE)).unwrap();
    assert_eq!(after, serde_json::json!({"a": 2}));
}

#[test]
fn a_registration_by_hand_is_taken_over_and_comes_back() {
    let by_hand = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"},
        {"type": "command", "command": "holdpoint hook --agent claude", "timeout": 600}]}],
        "PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command",
        "command": "holdpoint hook --workflow isdlc --only state-write-validator --protocol legacy"}]}]}}"#;
    let edited = round_trip(by_hand);
    assert!(!edited.contains("\"holdpoint hook --agent claude\"") && edited.contains("say done"), "{edited}");
    assert!(edited.contains("--only state-write-validator"), "what names a rule is the user's: {edited}");
}

#[test]
fn without_a_record_our_entries_are_found_all_the_same() {
    let project = Project::new();
    project.write(FILE, FOREIGN);
    init(&project, &["claude"]);
    std::fs::remove_file(project.root().join(".holdpoint/installed.json")).unwrap();
    well(&project, &["uninstall"]);
    let after = project.read(FILE);
    assert!(
        !after.contains("holdpoint") && after.contains("say done") && after.contains("// loud"),
        "{after}"
    );
}

#[test]
fn hooks_in_codex_config_toml_are_joined() {
    let project = Project::new();
    let config = "# mine\nmodel = \"x\" # best\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"say done\"\n\n[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = \"1\"\n\n[tui]\ntheme = \"dark\"\n";
    project.write(".codex/config.toml", config);
    let before = snapshot(project.root());
    init(&project, &["codex"]);
    assert!(!project.root().join(".codex/hooks.json").exists(), "two files for hooks make Codex complain");
    let edited = project.read(".codex/config.toml");
    for line in config.lines() {
        assert!(edited.lines().any(|there| there == line), "{line}: {edited}");
    }
    let value: Json = toml::from_str(&edited).unwrap();
    assert_eq!(
        value["hooks"]["Stop"][0]["hooks"][0]["command"], "say done",
        "others keep their places: {edited}"
    );
    assert_eq!(value["hooks"]["Stop"][1]["hooks"][0]["command"], format!("{HOLDPOINT} hook --agent codex"));
    assert_eq!(value["hooks"]["state"]["a:stop:0:0"]["trusted_hash"], "1");
    assert!(init(&project, &["codex"]).stdout.contains("Nothing to change"), "{edited}");
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before);
    init(&project, &["codex"]);
    project.write(".codex/config.toml", project.read(".codex/config.toml").replace("dark", "light"));
    well(&project, &["uninstall"]);
    assert_eq!(project.read(".codex/config.toml"), config.replace("dark", "light"));
}

#[cfg(unix)]
#[test]
fn links_are_written_through() {
    let project = Project::new();
    project.write("dotfiles/claude.json", "{\"a\": 1}\n").write(".claude/x", "");
    std::os::unix::fs::symlink("../dotfiles/claude.json", project.root().join(FILE)).unwrap();
    let before = snapshot(project.root());
    init(&project, &["claude"]);
    assert!(project.root().join(FILE).symlink_metadata().unwrap().is_symlink());
    assert!(project.read("dotfiles/claude.json").contains(HOLDPOINT));
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before);
}

#[cfg(unix)]
#[test]
fn one_file_for_two_agents_gets_both() {
    let project = Project::new();
    project.write(FILE, "{}\n").write(".gemini/x", "");
    std::os::unix::fs::symlink("../.claude/settings.json", project.root().join(".gemini/settings.json"))
        .unwrap();
    let before = snapshot(project.root());
    init(&project, &["claude", "gemini"]);
    let text = project.read(FILE);
    assert!(text.contains("\"PreToolUse\"") && text.contains("\"BeforeTool\""), "{text}");
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before);
}

#[cfg(unix)]
#[test]
fn the_copy_is_as_closed_as_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.write(FILE, "{\"env\": {\"TOKEN\": \"secret\"}}");
    let path = project.root().join(FILE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    init(&project, &["claude"]);
    let copies = std::fs::read_dir(project.root().join(".holdpoint/backups")).unwrap();
    let modes: Vec<u32> =
        copies.map(|copy| copy.unwrap().metadata().unwrap().permissions().mode() & 0o777).collect();
    assert_eq!(modes, [0o600]);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
