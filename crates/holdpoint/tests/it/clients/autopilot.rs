//! A whole run in Claude Code at a terminal, from the slash command to the end, with two setbacks: a bug that the tests find,
//! and a reviewer who wants a decision. docs/walks/autopilot.md is what came of it. Only the model and the reviewers are scripted.

use rustix::process::Signal;
use serde_json::json;

use super::commits;
use super::walk::Walk;
use crate::approval::typed;
use crate::clients::cheats::commit_with_scripts;
use crate::clients::held::ask;
use crate::clients::install::claude;
use crate::clients::seat::{Puppet, Seat};
use crate::clients::session::at_work;
use crate::generated::assert_kept;
use crate::project::Project;

const SPEC: &str = "ai/features/FTR-1-cart.md";

/// Approves, but for one question; explains the one failure.
const REVIEWER: &str = r#"#!/bin/sh
for prompt; do :; done
say() { echo "{\"structured_output\":{\"verdict\":\"$1\",\"notes\":\"$2\"}}"; }
case $prompt in
  "You are a debugger"*) say fix_proposed 'cart.js:2: the sum begins at 1 and not at 0';;
  *"does the code do what the spec asks"*) say approved 'total adds up, tests/total.test.js shows it';;
  *) say needs_discussion 'May a price be negative? The spec does not say, and total takes it.';;
esac
"#;

const ABOUT: &str = "A run in the real Claude Code at a terminal, from the slash command to the end, in a JavaScript project that nobody had \
told\nHoldpoint about. Two things go wrong: the tests find a bug, and a reviewer wants a decision that is not the agent's. The \
model\nand the reviewers are scripted; the client, the hooks, npm, node and git are real. A test walks it and writes this page\n\
(`crates/holdpoint/tests/it/clients/autopilot.rs`), so every line was shown to the agent or to you.\n\n`>` is typed or said, `$` is run in a shell, `…` stands for lines that are left out.";

fn project() -> Project {
    let project = Project::new();
    project.write(
        "package.json",
        "{\"name\": \"cart\", \"private\": true, \"scripts\": {\"test\": \"node --test\"}}\n",
    );
    project.write("cart.js", "exports.total = () => 0;\n");
    project.write(
        "tests/base.test.js",
        "require('node:test')('is there', () => require('../cart').total([]));\n",
    );
    let spec = "# Cart\n\n**Status:** queued\n\n## Allowed Files\n\n1. `cart.js`\n2. `tests/*.test.js`\n\n\
        ## Implementation Plan\n\n### Task 1: total\n**Files:** `cart.js`, `tests/total.test.js`\nThe sum of the prices.\n";
    project.write(SPEC, spec).write("test", "").write("bin/claude", REVIEWER);
    // What the helper makes executable, and this project does not have: its tests are npm's.
    project.write(".gitignore", "autopilot-state.json\nbin/\n.holdpoint/\n.claude/\nnode_modules/\ntest\n");
    commit_with_scripts(&project);
    std::fs::remove_file(project.root().join("test")).unwrap();
    project
}

/// The agent writes a file.
fn write(walk: &mut Walk, project: &Project, puppet: &Puppet, file: &str, text: &str, lines: &[&str]) {
    let told = puppet.calls("Write", json!({"file_path": project.root().join(file), "content": text}));
    walk.acts(&format!("writes {file}"), &told, lines);
}

/// The user types the slash command, is asked what runs the tests, and says yes.
fn begins(walk: &mut Walk, seat: &mut Seat, puppet: &Puppet) {
    let asked = walk.types(seat, puppet, "/autopilot:autopilot FTR-1");
    assert!(asked.contains("The user wants a spec worked through."), "{asked}");
    walk.runs(puppet, "ls ai/features", &["FTR-1-cart.md"]);
    walk.runs(
        puppet,
        &format!("holdpoint autopilot start '{SPEC}'"),
        &["No run was started", "This looks like it: npm test.", "--test 'npm test'"],
    );
    walk.says(puppet, "Is `npm test` what runs the tests here?");
    seat.sees("what runs the tests here?");
    walk.types(seat, puppet, "yes, that is it");
    walk.runs(
        puppet,
        &format!("holdpoint autopilot start '{SPEC}' --test 'npm test'"),
        &["Autopilot run started.", "Tests: ", "Files: ", "the plan comes first", "has a plan of 1 task"],
    );
    walk.runs(
        puppet,
        "holdpoint autopilot next",
        &["task 1 of 1, total", "Test first:", "Keep to these files:"],
    );
}

const SUM: &str = "exports.total = (prices) =>\n  prices.reduce((sum, price) => sum + price, 0);\n";

/// The first setback: the code has a bug, which the tests find and a debugger explains.
fn is_sent_back(walk: &mut Walk, project: &Project, puppet: &Puppet) {
    let test = "const assert = require('node:assert');\n\
        require('node:test')('total', () => assert.equal(require('../cart').total([1, 2]), 3));\n";
    write(walk, project, puppet, "tests/total.test.js", test, &[]);
    puppet.calls("Read", json!({"file_path": project.root().join("cart.js")}));
    write(walk, project, puppet, "cart.js", &SUM.replace(", 0)", ", 1)"), &[]);
    walk.runs(
        puppet,
        "git add --all && git commit -m 'feat(cart): add up prices'",
        &["HARD-GATE 3: no commit now.", "The command that brings it:", "holdpoint autopilot test"],
    );
    walk.runs(
        puppet,
        "holdpoint autopilot next",
        &[
            "task 1 of 1 comes back, total",
            "FAIL: 1 failed, 1 passed",
            "The debugger sent it back:",
            "the sum begins at 1",
        ],
    );
    write(walk, project, puppet, "cart.js", SUM, &[]);
}

/// The second setback: a reviewer wants a decision, and the user makes it.
fn is_decided(walk: &mut Walk, seat: &mut Seat, project: &Project, puppet: &Puppet) {
    walk.runs(
        puppet,
        "holdpoint autopilot next",
        &[
            "is blocked: task 1 of 1, total",
            "ACTION REQUIRED: the code quality reviewer wants a decision",
            "May a price be negative?",
            "holdpoint autopilot resume \"what to do now\"",
            "holdpoint autopilot overrule \"why\"",
        ],
    );
    walk.runs(puppet, "holdpoint autopilot overrule 'it is fine'", &["is the user's"]);
    walk.says(puppet, "The reviewer asks: may a price be negative? That is yours to decide.");
    seat.sees("That is yours to decide.");
    let words = ["autopilot", "overrule", "prices are credits as well: negative ones stay"];
    let told = typed(project.command(&words), |word| format!("{word}\n"));
    assert_eq!(told.code, Some(0), "{}{}", told.stdout, told.stderr);
    let word = told.stderr.split('`').nth(1).unwrap_or_default().to_owned();
    walk.writes("WORD", &word);
    walk.user_runs(
        "holdpoint autopilot overrule 'prices are credits as well: negative ones stay'",
        &(told.stderr + &told.stdout),
        &[
            "so you are asked whether this is you.",
            "Type `",
            "goes on with task 1 of 1, total",
            "Next, for the agent:",
        ],
    );
    walk.types(seat, puppet, "I have decided it, go on");
}

/// It commits, is told so, and the run is over.
fn commits_and_ends(walk: &mut Walk, seat: &mut Seat, project: &Project, puppet: &Puppet) {
    walk.says(puppet, "It is all there.");
    let held = puppet.hears();
    let asked = ask(&held).unwrap_or_else(|| panic!("not held: {held}"));
    walk.ends("held", asked, &["task 1 of 1 is ready to commit, total", "the user has overruled a reviewer"]);
    let commit = "holdpoint autopilot commit 'feat(cart): add up prices'";
    let told = puppet.runs(commit);
    assert_eq!(commits(project), ["feat(cart): add up prices", "first"], "{told}");
    let hash = super::git(project, &["rev-parse", "HEAD"]).trim().to_owned();
    walk.writes("HASH", &hash);
    walk.writes("HASH", &hash[..10]);
    walk.ran(commit, &told, &["Committed: "]);
    walk.runs(
        puppet,
        "holdpoint autopilot next",
        &[
            "every task is committed (1)",
            "- Task 1, total:",
            "Nothing was pushed or merged.",
            "Agent: tell the user this",
        ],
    );
    let before = project.journal().len();
    walk.says(puppet, "The cart adds up, and is committed.");
    let is_over = |entry: &serde_json::Value| entry["event"] == "stop" && entry["decision"] != "hold";
    seat.waits("the Stop that is not held", |_| project.journal().iter().skip(before).any(is_over));
    walk.ends("the agent may go", "", &[]);
}

#[test]
fn a_run_in_claude_code_from_the_slash_command_to_the_end() {
    let Some(claude) = claude() else { return };
    let project = project();
    let printed = project.run(&["init", "--agent", "claude", "--workflow", "autopilot"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let (puppet, home) = (Puppet::new(), tempfile::tempdir().unwrap());
    let mut seat = Seat::claude(&claude, &project, &puppet.model, home.path(), &[]);
    let mut walk = Walk::new();

    begins(&mut walk, &mut seat, &puppet);
    is_sent_back(&mut walk, &project, &puppet);
    is_decided(&mut walk, &mut seat, &project, &puppet);
    commits_and_ends(&mut walk, &mut seat, &project, &puppet);

    assert!(project.read(SPEC).contains("**Status:** done"), "{}", project.read(SPEC));
    assert!(
        project.read(SPEC).contains("- User overruled code-quality: prices are credits"),
        "{}",
        project.read(SPEC)
    );
    let evidence = project.run(&["evidence"]).stdout;
    assert!(!evidence.contains("caller not proved"), "{evidence}");
    seat.ends_by(Signal::HUP);
    assert_eq!(at_work(&project), [""; 0], "nothing is left running");
    assert_kept("docs/walks/autopilot.md", &walk.page("autopilot in Claude Code", ABOUT));
}
