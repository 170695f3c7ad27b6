//! As a new user would: install, start the agent, be held, ask why, do it right, and remove everything again.

use std::process::Stdio;

use serde_json::{Value as Json, json};

use super::{commits, committer, git, on_main};
use crate::clients::install::{claude, codex, gemini};
use crate::clients::session::{HOLDPOINT, run_claude, run_codex, run_gemini};
use crate::init::snapshot;
use crate::model::Model;
use crate::project::{Printed, Project};

fn run(project: &Project, args: &[&str]) -> String {
    let printed = project.run(args);
    assert_eq!(printed.code, Some(0), "{args:?}: {}{}", printed.stdout, printed.stderr);
    printed.stdout
}

/// All files but git's own.
fn files(project: &Project) -> Vec<(String, String)> {
    snapshot(project.root()).into_iter().filter(|(path, _)| !path.starts_with(".git")).collect()
}

/// From `init` to `uninstall`; the client works with a model that commits.
fn from_first_to_last(agent: &str, mut work: impl FnMut(&Project) -> Model) {
    let project = on_main();
    let before = files(&project);
    run(&project, &["init", "--agent", agent]);
    let model = work(&project);
    assert!(model.shown()[1].contains("COMMIT TO MAIN BLOCKED"), "{:#?}", model.shown());
    assert_eq!(commits(&project), ["first"]);
    assert!(run(&project, &["why"]).contains("branch-guard"));
    git(&project, &["switch", "--quiet", "--create", "feature/x"]);
    work(&project);
    assert_eq!(commits(&project), ["second", "first"], "released");
    run(&project, &["uninstall"]);
    assert_eq!(files(&project), before);
}

#[test]
fn claude_code_from_first_to_last() {
    let Some(claude) = claude() else { return };
    from_first_to_last("claude", |project| {
        let model = committer("Bash", "command");
        run_claude(&claude, project, &model);
        model
    });
}

#[test]
fn codex_from_first_to_last() {
    let Some(codex) = codex() else { return };
    from_first_to_last("codex", |project| {
        let model = committer("exec_command", "cmd");
        run_codex(&codex, project, &model, &json!({"hooks": {}}));
        model
    });
}

#[test]
fn gemini_from_first_to_last() {
    let Some(gemini) = gemini() else { return };
    from_first_to_last("gemini", |project| {
        let model = committer("run_shell_command", "command");
        run_gemini(&gemini, project, &model, &json!({}));
        model
    });
}

#[test]
fn codex_itself_is_asked_what_it_trusts() {
    let Some(codex) = codex() else { return };
    let project = Project::new();
    git(&project, &["init", "--quiet"]);
    run(&project, &["init", "--agent", "codex"]);
    let home = tempfile::tempdir().unwrap();
    let trust = || -> Vec<Json> {
        let mut doctor = project.command(&["doctor", "--json"]);
        let folders = [codex.parent().unwrap(), std::path::Path::new(HOLDPOINT).parent().unwrap()];
        let path = std::env::var_os("PATH").unwrap();
        let folders =
            folders.into_iter().map(std::path::Path::to_path_buf).chain(std::env::split_paths(&path));
        doctor.env("PATH", std::env::join_paths(folders).unwrap()).env("CODEX_HOME", home.path());
        let printed: Printed = doctor.stdin(Stdio::null()).output().unwrap().into();
        assert_eq!(printed.code, Some(1), "{}", printed.stderr);
        let report = printed.json();
        let untrusted = report["findings"].as_array().unwrap().iter().any(|finding| {
            finding["what"]
                .as_str()
                .unwrap()
                .starts_with("Codex does not run hooks that you have not trusted")
        });
        assert!(untrusted, "{report:#}");
        report["agents"][0]["hooks"].as_array().unwrap().iter().map(|hook| hook["trust"].clone()).collect()
    };
    let settings: Json = serde_json::from_str(&project.read(".codex/hooks.json")).unwrap();
    let registered = settings["hooks"].as_object().unwrap().len();
    assert_eq!(trust(), vec!["not loaded"; registered], "the folder is not trusted");
    let config = format!("[projects.'{}']\ntrust_level = \"trusted\"\n", project.root().display());
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    assert_eq!(trust(), vec!["untrusted"; registered], "the hooks are not");
}
