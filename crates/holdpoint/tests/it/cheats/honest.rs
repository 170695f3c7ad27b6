//! A run in which nobody cheats is not disturbed: not by its own guards, and not by a user who works in the same
//! repository meanwhile. The user commits, switches branches, pushes, edits by hand and installs packages.

use serde_json::json;

use super::Stage;
use super::stage::prepared;
use crate::autopilot::project::{SESSION, Site};
use crate::autopilot::proof::agrees_with_git;
use crate::autopilot::walk::{commit_1, commit_2, discount, total};
use crate::project::{Printed, feed};

/// The user's own terminal: a shell that no agent's variable is in.
fn user(site: &Site, line: &str) -> String {
    let mut shell = site.later("sh", "");
    shell.args(["-c", line]);
    let Printed { code, stdout, stderr } = feed(shell, b"");
    assert_eq!(code, Some(0), "{line}: {stdout}{stderr}");
    stdout
}

/// A package of Python's and one of npm's, made and installed without a network, into folders that git ignores.
fn installs_packages(site: &Site) {
    user(
        site,
        r"python3 - <<'END'
import zipfile
wheel = zipfile.ZipFile('../till-1.0-py3-none-any.whl', 'w')
wheel.writestr('till.py', 'OPEN = True\n')
wheel.writestr('till-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: till\nVersion: 1.0\n')
wheel.writestr('till-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
wheel.writestr('till-1.0.dist-info/RECORD', 'till.py,,\ntill-1.0.dist-info/METADATA,,\ntill-1.0.dist-info/WHEEL,,\ntill-1.0.dist-info/RECORD,,\n')
wheel.close()
END
rm -rf .venv
python3 -m pip install --quiet --no-index --no-cache-dir --disable-pip-version-check --root-user-action=ignore --target .venv/lib ../till-1.0-py3-none-any.whl
test -f .venv/lib/till.py",
    );
    user(
        site,
        r#"mkdir -p ../pkg && echo '{"name": "till", "version": "1.0.0"}' >../pkg/package.json
npm install --silent --offline --no-save --no-package-lock --no-audit --no-fund ../pkg >/dev/null 2>&1
test -e node_modules/till"#,
    );
}

/// A branch of the user's, pushed with its upstream, and back again: that writes to git's settings.
fn pushes_a_branch(site: &Site) {
    user(
        site,
        "git init --quiet --bare ../origin.git; git remote add mine ../origin.git; git stash --quiet --include-untracked; \
         git switch --quiet --create notes; echo '# Notes' >NOTES.md; git add NOTES.md; git commit --quiet --message 'docs(cart): notes'; \
         git push --quiet --set-upstream mine notes; git switch --quiet work; git stash pop --quiet || test -z \"$(git stash list)\"",
    );
    assert_eq!(user(site, "git config branch.notes.remote").trim(), "mine");
}

#[test]
fn a_run_goes_on_while_its_user_pushes_switches_and_installs() {
    let site = prepared(Stage::Coding);
    user(&site, "printf 'node_modules/\\n.venv/\\n' >>.gitignore");
    total(&site);
    pushes_a_branch(&site);
    installs_packages(&site);
    let due = site.next();
    assert!(due.contains("is ready to commit"), "{due}");
    // The user looks, and changes a line by hand: what was proved is proved again.
    user(&site, "sed -i 's/sum(prices)/sum(list(prices))/' cart.py; git push --quiet mine work");
    let due = site.next();
    assert!(due.contains("is ready to commit"), "{due}");
    commit_1(&site);
    assert!(site.next().contains("task 2 of 2"));
    installs_packages(&site);
    discount(&site);
    assert!(site.next().contains("is ready to commit"));
    commit_2(&site);
    user(&site, "git push --quiet --set-upstream mine work");
    assert!(site.next().contains("every task is committed (2)"));
    assert_eq!(site.stop(), "", "the agent may go");
    agrees_with_git(&site);
}

/// A commit of the user's on the run's own branch is not the task's. The run says so, and goes on when it lies on a branch
/// of its own.
#[test]
fn a_user_may_commit_in_the_middle_of_a_run() {
    let site = prepared(Stage::Coding);
    user(
        &site,
        "echo 'CLOSED = False' >>shop.py; git commit --quiet --message 'feat(shop): closing time' shop.py",
    );
    assert!(site.next().contains("HEAD has moved"));
    user(&site, "git branch closing && git reset --quiet --hard HEAD~1");
    total(&site);
    let due = site.next();
    assert!(due.contains("is ready to commit"), "{due}");
    commit_1(&site);
    site.next();
    discount(&site);
    site.next();
    commit_2(&site);
    assert!(site.next().contains("every task is committed (2)"));
}

/// Or the task builds on it: the user says so, and the run proves what comes on top.
#[test]
fn a_task_can_build_on_a_commit_of_the_users() {
    let site = prepared(Stage::Coding);
    total(&site);
    user(
        &site,
        "echo 'CLOSED = False' >>shop.py; git commit --quiet --message 'feat(shop): closing time' shop.py",
    );
    let due = site.next();
    assert!(
        due.contains("HEAD has moved") && due.contains("holdpoint autopilot resume \"it is mine\""),
        "{due}"
    );
    let told = user(&site, "holdpoint autopilot resume \"it is mine\"");
    assert!(
        told.contains("(feat(shop): closing time)") && told.contains("This run has not proved it"),
        "{told}"
    );
    let due = site.next();
    assert!(due.contains("is ready to commit"), "{due}");
    commit_1(&site);
    // And once more between a task's commit and the next task.
    user(&site, "echo 'LATE = True' >>shop.py; git commit --quiet --message 'feat(shop): late' shop.py");
    let due = site.next();
    assert!(due.contains("HEAD has moved") && due.contains("resume"), "{due}");
    user(&site, "holdpoint autopilot resume \"it is mine\"");
    assert!(site.next().contains("task 2 of 2"));
    discount(&site);
    assert!(site.next().contains("is ready to commit"));
    commit_2(&site);
    assert!(site.next().contains("every task is committed (2)"));
    assert!(!user(&site, "holdpoint evidence").contains("no proof of its own"));
    // What comes after the end has no proof, and that is said.
    user(&site, "echo '# x' >>cart.py; git commit --quiet --all --amend --no-edit");
    let shown = user(&site, "holdpoint evidence").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("has no proof of its own: nothing here is about its files"), "{shown}");
}

/// What a call of the agent's shell is held by; empty: it is let through.
fn held(site: &Site, line: &str) -> String {
    site.held(SESSION, "Bash", &json!({"command": line})).map(|(rule, _)| rule).unwrap_or_default()
}

#[test]
fn guards_let_the_workflows_own_branch_and_its_user_alone() {
    let site = prepared(Stage::OnTrunk);
    user(&site, "printf 'node_modules/\\n.venv/\\n' >>.git/info/exclude");
    user(&site, "git commit --quiet --message 'the user may' && git push --quiet --set-upstream origin main");
    installs_packages(&site);
    site.has_client();
    site.sh("git branch feature/x");
    for line in [
        "git switch --create feature/y",
        "git switch feature/x && git add --all && git commit --message 'feat: x'",
        "git push --set-upstream origin feature/x",
        "git switch feature/x && git merge main",
        "git fetch origin && git switch feature/x && git rebase main",
    ] {
        assert_eq!(held(&site, line), "", "{line}");
    }
    site.sh("git switch --quiet feature/x && echo '# y' >>a.py && git commit --quiet --all --message y && git push --quiet --set-upstream origin feature/x");
    let call = json!({"subagent_type": "software-developer", "description": "code", "prompt": "Phase 06-implementation."});
    assert_eq!(site.held(SESSION, "Task", &call), None);
    assert_eq!(site.stop(), "");
}

/// A reviewer that finds fault once and is then content.
const CONTENT: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
for prompt; do :; done
count=$(($(cat "$here/reviewer.count" 2>/dev/null || echo 0) + 1))
echo $count >"$here/reviewer.count"
report=$(printf '%s' "$prompt" | grep -o '[^ `]*review-[0-9]*\.md' | grep -v post | tail -1)
echo 'Read.' >"$report"
verdict=PASS; [ $count -gt 1 ] || verdict=FAIL
printf '{"structured_output":{"verdict":"%s"},"result":"{}"}' $verdict
"#;

fn reviews(site: &Site) -> String {
    std::fs::read_to_string(site.tools().join("reviewer.count")).unwrap().trim().to_owned()
}

#[test]
fn a_plan_is_reviewed_while_its_user_works() {
    let site = prepared(Stage::Planned);
    site.script("tools/claude", CONTENT);
    let begin = "printf 'node_modules/\\n.venv/\\n.holdpoint/\\n' >.gitignore; git add --all; git commit --quiet --message 'chore: begin'";
    user(&site, begin);
    assert!(site.stop().contains("REVIEW 1 OF THE PLAN IS WRITTEN"));
    pushes_a_branch(&site);
    user(
        &site,
        "echo 'The buyer pays.' >>.taskie/plans/shop/plan.md; git add --all; git commit --quiet --message 'docs: who pays'",
    );
    installs_packages(&site);
    for round in 1..=2 {
        site.write(&format!(".taskie/plans/shop/plan-post-review-{round}.md"), "Settled.\n");
        let held = site.stop();
        assert_eq!(held.is_empty(), round == 2, "{held}");
    }
    assert_eq!(reviews(&site), "3");
}

#[test]
fn a_loop_is_run_while_its_user_works() {
    let site = prepared(Stage::Reviewing);
    let id = site.read("../id");
    let begin = "printf 'node_modules/\\n.venv/\\n.claude/\\n.holdpoint/\\n' >.gitignore; git add --all; git commit --quiet --message 'chore: begin'";
    user(&site, begin);
    pushes_a_branch(&site);
    installs_packages(&site);
    site.sh(&format!("bash .claude/claudex/{id}-runner.sh >/dev/null"));
    user(&site, "echo 'The buyer pays.' >>PLAN.md; git commit --quiet --all --message 'docs: who pays'");
    assert_ne!(site.stop(), "", "another round");
    site.sh(&format!("bash .claude/claudex/{id}-runner.sh >/dev/null"));
    site.sh(&format!("holdpoint claudex mark-done {id}"));
    assert_eq!(site.stop(), "", "the loop is done");
    assert_eq!(reviews(&site), "2");
}
