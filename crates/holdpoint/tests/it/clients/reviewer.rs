//! Claude Code itself as the reviewer, in its sandbox: with all rights, and with none. Only the model is scripted.

use serde_json::{Value as Json, json};

use crate::clients::install::claude;
use crate::cycle::{self, PLAN};
use crate::model::{Block, Model};
use crate::project::{Printed, Project};

/// A project `app` whose plan is to be reviewed, with a home and a temporary folder beside it.
struct Planned {
    all: Project,
    app: Project,
}

impl Planned {
    fn new() -> Planned {
        let (all, app) = (Project::new(), Project::new());
        for folder in ["home/.claude", "temporary", "outside"] {
            std::fs::create_dir_all(all.root().join(folder)).unwrap();
        }
        all.write("home/.claude/settings.json", "{}");
        cycle::tell(&app, &["new-plan", "shop"]);
        app.write(&format!("{PLAN}/plan.md"), "# Shop\n\n## Overview\n\nSell things.\n");
        Planned { all, app }
    }

    /// Has the review done by the real client.
    fn review(&self, model: &Model) -> Option<Printed> {
        let claude = claude()?;
        let own = claude.parent().unwrap().to_owned();
        let path =
            std::env::join_paths([own].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH")?)));
        let mut command = self.app.command(&["review"]);
        command.env("PATH", path.unwrap()).env("HOME", self.all.root().join("home"));
        command.env("TMPDIR", self.all.root().join("temporary")).env("ANTHROPIC_BASE_URL", model.url());
        for (name, value) in [
            ("ANTHROPIC_API_KEY", "none"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("CLAUDE_CODE_MAX_RETRIES", "0"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("IS_SANDBOX", "1"),
            ("NO_PROXY", "127.0.0.1"),
        ] {
            command.env(name, value);
        }
        for name in ["HTTP_PROXY", "HTTPS_PROXY"] {
            command.env(name, model.url());
        }
        Some(command.output().unwrap().into())
    }
}

/// The tools that the model was offered.
fn tools(request: &Json) -> Vec<&str> {
    let tools = request["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn a_reviewer_with_all_rights_has_them_inside_its_sandbox() {
    let planned = Planned::new();
    let outside = planned.all.root().join("outside").display().to_string();
    let report = planned.app.root().join(PLAN).join("plan-review-1.md");
    let script = format!(
        "echo evil > ~/.claude/settings.json; echo x > {outside}/x; echo x > $TMPDIR/x; echo x > built"
    );
    let mut turns = vec![
        Block::ToolUse { name: "Bash", input: json!({"command": script, "description": "tries"}) },
        Block::ToolUse { name: "Write", input: json!({"file_path": report, "content": "# Fine\n"}) },
        Block::ToolUse { name: "StructuredOutput", input: json!({"verdict": "PASS"}) },
        Block::Text("Done."),
    ]
    .into_iter();
    let model = Model::start(move |_| vec![turns.next().unwrap_or(Block::Text("Done."))]);
    let Some(printed) = planned.review(&model) else { return };
    assert_eq!(printed.code, Some(0), "{}{}\n{:#?}", printed.stdout, printed.stderr, model.shown());
    assert_eq!(planned.app.read(&format!("{PLAN}/plan-review-1.md")), "# Fine\n");
    assert_eq!(planned.app.read("built"), "x\n", "it runs what the tasks name, and that builds");
    assert_eq!(planned.all.read("temporary/x"), "x\n");
    if holdpoint::confinement::sandbox::can_confine() {
        assert_eq!(planned.all.read("home/.claude/settings.json"), "{}");
        assert!(!planned.all.root().join("outside/x").exists());
    }
}

#[test]
fn a_careful_reviewer_can_only_read_and_its_report_is_written_for_it() {
    let planned = Planned::new();
    planned.app.write(".holdpoint/holdpoint.toml", "[reviewers.taskie]\nclaude = \"careful\"\n");
    let plan = planned.app.root().join(PLAN).join("plan.md");
    let mut turns = vec![
        Block::ToolUse { name: "Read", input: json!({"file_path": plan}) },
        Block::ToolUse {
            name: "StructuredOutput",
            input: json!({"verdict": "FAIL", "report": "1. Minor: sell what?"}),
        },
        Block::Text("Done."),
    ]
    .into_iter();
    let model = Model::start(move |_| vec![turns.next().unwrap_or(Block::Text("Done."))]);
    let Some(printed) = planned.review(&model) else { return };
    assert_eq!(printed.code, Some(0), "{}{}\n{:#?}", printed.stdout, printed.stderr, model.shown());
    assert_eq!(planned.app.read(&format!("{PLAN}/plan-review-1.md")), "1. Minor: sell what?\n");
    assert_eq!(cycle::state(&planned.app)["next_phase"], "post-plan-review");
    let turns = model.requests();
    let offered =
        turns.iter().map(|request| tools(&request.body)).find(|tools| tools.contains(&"StructuredOutput"));
    let mut offered = offered.unwrap();
    offered.sort_unstable();
    // Newer clients offer a name that stands for tools which there are none of here.
    offered.retain(|tool| *tool != "DeferredToolPlaceholder");
    assert_eq!(offered, ["Glob", "Grep", "Read", "StructuredOutput"]);
}
