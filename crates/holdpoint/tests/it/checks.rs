//! The engine's own checks, and what they leave behind: in a workflow of its own, with real programs in a real
//! repository.

use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::project::{Printed, Project};

const WORKFLOW: &str = r#"
about = "Each check by itself."

[run]
home   = "state.json"
state  = "state.json"
sealed = true
due    = "phase"
aside  = ["state.json", ".holdpoint/**", "notes.md"]
record = { file = "notes.md", under = "Log" }

[mirror]
status = { file = "notes.md", find = 'Status: (\w+)' }

[phases.tests]
by    = "check"
check = "suite"
then.pass         = { go = "idle", set = { status = "passed", output = "{{ output }}" }, log = "tests: {{ verdict }}" }
then.out-of-scope = { go = "idle", set = { status = "excused", output = "{{ output }}" }, log = "tests: {{ verdict }}" }
then.fail         = { go = "idle", set = { status = "failed", output = "{{ output }}" }, log = "tests: {{ verdict }}" }

[phases.scan]
by    = "check"
check = "remarks"
then.pass = { go = "idle", set = { status = "clean" } }
then.fail = { go = "idle", set = { status = "dirty", output = "{{ output }}" } }

[phases.blueprint]
by    = "check"
check = "blueprint"
then.pass = { go = "idle", set = { status = "fits" } }
then.fail = { go = "idle", set = { status = "astray", output = "{{ output }}" } }

[phases.rows]
by    = "check"
check = "rows"
then.skip = { go = "idle", set = { status = "skipped" } }
then.warn = { go = "idle", set = { status = "warned", output = "{{ output }}" } }
then.pass = { go = "idle", set = { status = "accepted", output = "{{ output }}" } }
then.fail = { go = "idle", set = { status = "refused", output = "{{ output }}" } }

[phases.committing]
by    = "check"
check = "commit"
then.pass = { go = "idle", set = { status = "committed", commit = "{{ result.commit }}" } }
then.fail = { go = "idle", set = { status = "uncommitted", output = "{{ output }}" } }

[phases.idle]
by = "user"

[checks.suite]
tests   = ["sh", "-c", "{{ state.suite }}"]
scope   = "['src/a.py']"
known   = "['tests/test_old.py::test_old']"
never_fewer = true
timeout = 20

[checks.remarks]
scan       = "['src/a.py', 'gone.py']"
code_lines = "3"

[checks.blueprint]
blueprint = "blueprint"
domains = "domain-map*"
money = { documents = "cross-cutting*", about = ["money"], names = ["price"] }
reference = "Blueprint Reference"
fields = ["Domain", "Cross-cutting", "Data model"]
files     = "['src/domains/users/a.py']"
spec      = "'spec.md'"

[checks.rows]
acceptance = "AV-S*"
spec       = "'spec.md'"
section    = "Acceptance Verification"

[checks.commit]
commit  = "['src/a.py']"
message = "'feat(a): b'"
landed  = "git.head.subject == 'feat(a): b' and git.head.id != state.commit"

[fields]
phase  = ""
status = "new"
suite  = "true"
output = ""
commit = ""
[commands.go]
about   = "Performs a phase"
args    = ["phase", "suite?"]
through = ["all"]
steps   = [
  { when = "not run.has_state", create = true, set = { phase = "{{ args.phase }}", suite = "{{ args.suite }}" }, say = "" },
  { set = { phase = "{{ args.phase }}", suite = "{{ args.suite }}" }, say = "" },
]

[commands.fresh]
about = "What is proved"
steps = [ { say = "{{ evidence.tests.fresh | spell }} {{ evidence.tests.passed | spell }}" } ]
"#;

fn project() -> Project {
    let project = Project::new();
    project.workflow("checked", WORKFLOW);
    project.write("notes.md", "# Notes\n\nStatus: queued\n");
    project.write("src/a.py", "x = 1\n");
    project.git(&["init", "--quiet", "--initial-branch", "main"]);
    project.git(&["config", "user.name", "T"]);
    project.git(&["config", "user.email", "t@example.invalid"]);
    project.git(&["add", "src"]);
    project.git(&["commit", "--quiet", "--message", "first"]);
    project
}

fn go(project: &Project, words: &[&str]) -> Json {
    let printed = project.run(&[&["checked", "go"], words].concat());
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    serde_json::from_str(&project.read("state.json")).unwrap()
}

fn text<'a>(state: &'a Json, field: &str) -> &'a str {
    state[field].as_str().unwrap_or_default()
}

fn evidence(project: &Project) -> Vec<Json> {
    let printed = project.run(&["evidence", "--json"]);
    printed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tests_are_judged_by_their_exit_code_and_by_what_they_print() {
    let project = project();
    let rows = [
        ("echo '3 passed in 0.1s'", "passed", "PASS: 3 passed"),
        ("echo '3 passed in 0.1s'; exit 1", "failed", "FAIL: "),
        ("echo '1 failed, 2 passed in 0.1s'", "failed", "FAIL: 1 failed"),
        ("echo 'no tests ran in 0.1s'; exit 5", "failed", "FAIL: no tests were run"),
        ("no-such-program", "failed", "FAIL: the command was not found"),
        ("kill -9 $$", "failed", "FAIL: the command was ended"),
        (
            "echo '=== short test summary info ==='; echo 'FAILED tests/test_old.py::test_old - no'; echo '1 failed, 2 passed in 0.1s'; exit 1",
            "excused",
            "FAIL: 1 failed",
        ),
        (
            "echo '=== short test summary info ==='; echo 'FAILED src/test_old.py::test_old - no'; echo '1 failed, 2 passed in 0.1s'; exit 1",
            "failed",
            "FAIL: 1 failed",
        ),
    ];
    for (suite, status, output) in rows {
        let state = go(&project, &["tests", suite]);
        assert_eq!(text(&state, "status"), status, "{suite}");
        assert!(text(&state, "output").starts_with(output), "{suite}: {}", text(&state, "output"));
    }
    assert_eq!(evidence(&project).len(), rows.len());
    let notes = project.read("notes.md");
    assert!(notes.contains("Status: failed\n"), "the word follows the state: {notes}");
    assert_eq!(notes.matches("- tests: ").count(), rows.len(), "{notes}");
}

#[test]
fn evidence_is_fresh_until_a_file_changes() {
    let project = project();
    let says = || project.run(&["checked", "fresh"]).stdout.trim().to_owned();
    go(&project, &["tests", "echo '3 passed in 0.1s'"]);
    assert_eq!(says(), "true true");
    project.write("notes.md", "Status: passed, and more\n");
    assert_eq!(says(), "true true", "what is aside does not count");
    project.write("new.py", "");
    assert_eq!(says(), "false true", "a file that git does not know counts");
    project.remove("new.py");
    assert_eq!(says(), "true true");
    project.write("src/a.py", "x = 2\n");
    assert_eq!(says(), "false true");
}

#[test]
fn a_suite_that_changes_the_tree_each_time_proves_nothing() {
    let project = project();
    let once = go(&project, &["tests", "touch cache; echo '3 passed in 0.1s'"]);
    assert_eq!(text(&once, "status"), "failed", "each run begins with the tree alone");
    assert!(text(&once, "output").contains("cache. What a run leaves behind belongs in .gitignore"));
    assert_eq!(evidence(&project)[0]["tree"], Json::Null);
    project.write(".gitignore", "cache\n");
    let ignored = go(&project, &["tests", "date +%N >> cache; echo '3 passed in 0.1s'"]);
    assert_eq!(text(&ignored, "status"), "passed");
    assert!(!project.root().join("cache").exists(), "nothing was run in the project");
}

#[test]
fn a_suite_that_changes_the_project_each_time_proves_nothing() {
    let project = project();
    project.write(".holdpoint/holdpoint.toml", "[bench]\nprove = \"in-place\"\n");
    let once = go(&project, &["tests", "touch cache; echo '3 passed in 0.1s'"]);
    assert_eq!(text(&once, "status"), "passed", "the second run found it there");
    let always = go(&project, &["tests", "date +%N >> cache; echo '3 passed in 0.1s'"]);
    assert_eq!(text(&always, "status"), "failed");
    assert!(text(&always, "output").contains("cache. What a run leaves behind belongs in .gitignore"));
    assert_eq!(evidence(&project)[1]["tree"], Json::Null);
    let swapped = "cp src/a.py b; echo 'x = 7' >src/a.py; cp b src/a.py; rm b; echo '3 passed in 0.1s'";
    let swapped = go(&project, &["tests", swapped]);
    assert_eq!(text(&swapped, "status"), "failed", "a file that was another for a moment");
    assert!(text(&swapped, "output").contains("src/a.py"), "{swapped}");
}

#[test]
fn tests_see_the_tree_and_nothing_else_of_the_project() {
    let project = project();
    project.write(".gitignore", "secret\nnode_modules/\n").write("secret", "x").write("node_modules/m", "m");
    project.write("src/a.py", "x = 5\n");
    let at = project.root().display().to_string();
    let script = format!(
        "test \"$PWD\" != {at} && test ! -e secret && test ! -e .git && grep -q m node_modules/m && grep -q 5 src/a.py \
         && echo '3 passed in 0.1s'"
    );
    let state = go(&project, &["tests", &script]);
    assert_eq!(text(&state, "status"), "passed", "{state}");
    let piece = evidence(&project).remove(0);
    assert_eq!(piece["lent"], serde_json::json!(["node_modules"]));
    assert!(piece["tree"].is_string());
    let shown = project.run(&["evidence"]).stdout;
    assert!(shown.contains("not proved: node_modules"), "{shown}");
}

#[test]
fn fewer_tests_than_there_were_are_a_failure() {
    let project = project();
    assert_eq!(text(&go(&project, &["tests", "echo '4 passed in 0.1s'"]), "status"), "passed");
    let state = go(&project, &["tests", "echo '3 passed, 1 skipped in 0.1s'"]);
    assert_eq!(text(&state, "status"), "failed");
    assert!(text(&state, "output").starts_with("FAIL: only 3 tests ran, and there must be 4"), "{state}");
    assert_eq!(text(&go(&project, &["tests", "echo '4 passed in 0.1s'"]), "status"), "passed");
}

#[test]
fn a_scan_names_what_it_found_and_passes_over_what_is_gone() {
    let project = project();
    assert_eq!(text(&go(&project, &["scan"]), "status"), "clean");
    project.write("src/a.py", "x = 1  # TODO: y\n\n\n\n");
    let state = go(&project, &["scan"]);
    assert_eq!(text(&state, "status"), "dirty");
    let output = text(&state, "output");
    assert!(output.contains("src/a.py:1: [TODO]") && output.contains("[LOC_LIMIT]"), "{output}");
}

#[test]
fn a_scan_passes_over_what_is_no_text_and_is_not_stopped_by_its_size() {
    let project = project();
    let files = "scan       = \"['picture.png', 'large.bin', 'large.py', 'folder', 'link.py']\"";
    project.workflow("checked", &WORKFLOW.replace("scan       = \"['src/a.py', 'gone.py']\"", files));
    project.write("picture.png", [&b"\x89PNG\0"[..], &b"\n".repeat(500)].concat());
    project.write("large.bin", vec![0; 5 << 20]).write("folder/x", "");
    #[cfg(unix)]
    std::os::unix::fs::symlink("folder", project.root().join("link.py")).unwrap();
    assert_eq!(text(&go(&project, &["scan"]), "status"), "clean");
    project.write("large.py", "x = 1\n".repeat(1 << 20));
    let state = go(&project, &["scan"]);
    assert!(text(&state, "output").starts_with("FAIL: 1 finding\nlarge.py:4: [LOC_LIMIT]"), "{state}");
}

#[test]
fn a_blueprint_is_read_from_its_folder() {
    let project = project();
    project.write("blueprint/domain-map.md", "| Domain | Path | May import |\n|---|---|---|\n| users | `src/domains/users/**` | none |\n| billing | `src/domains/billing/**` | none |\n");
    project.write("src/domains/users/a.py", "from domains.billing import b\n");
    project.write(
        "spec.md",
        "## Blueprint Reference\n**Domain:** users\n**Cross-cutting:** none\n**Data model:** none\n",
    );
    let state = go(&project, &["blueprint"]);
    assert!(text(&state, "output").contains("[IMPORT_DIRECTION]"), "{state}");
    project.write("src/domains/users/a.py", "x = 1\n");
    assert_eq!(text(&go(&project, &["blueprint"]), "status"), "fits");
}

#[test]
fn rows_are_run_and_all_they_start_is_ended() {
    let project = project();
    let spec = |rows: &str| {
        let head = "## Acceptance Verification\n\n| ID | Check | Command / Action | Expected | Timeout |\n|---|---|---|---|---|\n";
        project.write("spec.md", format!("{head}{rows}"));
    };
    project.write("spec.md", "# none\n");
    assert_eq!(text(&go(&project, &["rows"]), "status"), "skipped");
    spec("| AV-S1 | a | `echo hello` | prints `hello` | 5s |\n| AV-S2 | b | `false` | exit 1 | 5s |\n");
    assert_eq!(text(&go(&project, &["rows"]), "status"), "accepted");
    spec("| AV-S1 | a | `echo hello` | prints `other` | 5s |\n| AV-S2 | b | look at it | it is nice | |\n");
    let state = go(&project, &["rows"]);
    assert_eq!(text(&state, "status"), "refused");
    assert!(text(&state, "output").contains("AV-S1 (a): ended with 0; expected: prints other"), "{state}");
    spec("| AV-S2 | b | look at it | it is nice | |\n");
    assert_eq!(text(&go(&project, &["rows"]), "status"), "warned");
    // What the first row starts serves the second, and is gone afterwards.
    let kept = tempfile::tempdir().unwrap();
    let at = kept.path().join("pid").display().to_string();
    spec(&format!(
        "| AV-S1 | start | `sleep 300 >/dev/null 2>&1 & echo $! > {at}` | exit 0 | 5s |\n| AV-S2 | ask | `kill -0 $(cat {at})` | exit 0 | 5s |\n"
    ));
    let state = go(&project, &["rows"]);
    assert_eq!(text(&state, "status"), "accepted", "{state}");
    let pid = std::fs::read_to_string(at).unwrap();
    let is_there = std::path::Path::new("/proc").join(pid.trim()).join("exe").read_link().is_ok();
    assert!(!is_there, "{pid} is still there");
    let started = Instant::now();
    spec("| AV-S1 | hangs | `sleep 300` | exit 0 | 1s |\n");
    assert!(text(&go(&project, &["rows"]), "output").contains("not done within 1 s"));
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
#[cfg(unix)]
fn whoever_is_told_to_end_between_two_programs_ends() {
    use rustix::process::{Pid, Signal, kill_process};

    let project = project();
    let again = "then.fail = { go = \"rows\", wait = 60, round = \"again\" }\n[limits]\nagain = { most = 9, then = \"idle\" }\n";
    let refused =
        "then.fail = { go = \"idle\", set = { status = \"refused\", output = \"{{ output }}\" } }\n";
    project.workflow("checked", &WORKFLOW.replace(refused, again));
    project.write("spec.md", "## Acceptance Verification\n| AV-S1 | a | `false` | exit 0 | 5s |\n");
    let started = Instant::now();
    let mut waiting = project.command(&["checked", "go", "rows"]).spawn().unwrap();
    let state = project.root().join("state.json");
    while !std::fs::read_to_string(&state).is_ok_and(|state| state.contains("\"again\": 1")) {
        assert!(waiting.try_wait().unwrap().is_none(), "it did not wait");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&waiting), Signal::TERM).unwrap();
    waiting.wait().unwrap();
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    assert!(project.read("state.json").contains("\"rows\""), "the next try is still due");
}

#[test]
fn a_commit_takes_exactly_its_files() {
    let project = project();
    project.write("src/a.py", "x = 2\n");
    project.write("other.py", "");
    project.git(&["add", "other.py"]);
    let state = go(&project, &["committing"]);
    assert_eq!(text(&state, "status"), "committed");
    assert_eq!(text(&state, "commit"), project.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(project.git(&["show", "--name-only", "--format=%s", "HEAD"]).trim(), "feat(a): b\n\nsrc/a.py");
    assert_eq!(
        project.git(&["diff", "--cached", "--name-only"]).trim(),
        "other.py",
        "what was staged stays so"
    );
    let again = go(&project, &["committing"]);
    assert_eq!(text(&again, "status"), "uncommitted", "there is nothing to commit");
}

#[test]
fn a_commit_takes_names_for_names() {
    let project = project();
    project.workflow(
        "checked",
        &WORKFLOW.replace(
            "commit  = \"['src/a.py']\"",
            "commit  = \"['src/*.py', 'src/gone.py', ':(top)x', 'was git']\"",
        ),
    );
    project.write("was git", "").git(&["add", "was git"]);
    project.git(&["commit", "--quiet", "--message", "second"]);
    project.remove("was git");
    project.write("src/*.py", "").write(":(top)x", "").write("src/a.py", "x = 2\n");
    // Somebody calls us from a hook of another repository.
    let printed: Printed = project
        .command(&["checked", "go", "committing"])
        .env("GIT_DIR", "/nowhere")
        .env("GIT_INDEX_FILE", "/nowhere/index")
        .output()
        .unwrap()
        .into();
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert!(project.read("state.json").contains("\"committed\""), "{}", project.read("state.json"));
    let names = project.git(&["show", "-z", "--no-renames", "--name-only", "--format=", "HEAD"]);
    assert_eq!(names.trim_matches(['\0', '\n']), ":(top)x\0src/*.py\0was git");
}

#[test]
fn a_document_that_cannot_be_written_stops_nobody_and_is_told() {
    let project = project();
    let foreign = b"caf\xe9\n\nStatus: queued\n";
    project.write("notes.md", foreign);
    let printed = project.run(&["checked", "go", "tests", "echo '3 passed in 0.1s'"]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    assert!(printed.stdout.contains("documents are behind its state: notes.md: it is not UTF-8"));
    let state: Json = serde_json::from_str(&project.read("state.json")).unwrap();
    assert_eq!(text(&state, "status"), "passed");
    assert_eq!(std::fs::read(project.root().join("notes.md")).unwrap(), foreign);
}

#[test]
fn what_cannot_be_put_on_record_or_locked_is_told() {
    let project = project();
    let locks = || -> Vec<std::path::PathBuf> {
        let folder = project.book("locks").read_dir().unwrap();
        folder.map(|entry| entry.unwrap().path()).collect()
    };
    go(&project, &["idle"]);
    let others = locks();
    project.write_book("evidence/checked.jsonl/x", "a folder in its place");
    let printed = project.run(&["checked", "go", "tests", "echo '3 passed in 0.1s'"]);
    assert!(printed.stdout.contains("the verdict of tests was not recorded"), "{}", printed.stdout);
    for lock in locks().into_iter().filter(|lock| !others.contains(lock)) {
        std::fs::remove_file(&lock).unwrap();
        std::fs::create_dir(&lock).unwrap();
    }
    let printed = project.run(&["checked", "go", "tests", "echo '3 passed in 0.1s'"]);
    assert!(printed.stderr.contains("tests was not performed"), "{} {}", printed.stdout, printed.stderr);
}

#[test]
fn a_proof_below_the_level_that_is_asked_for_is_not_made() {
    let asking = |level: &str| {
        let project = project();
        project.workflow(
            "checked",
            &WORKFLOW.replace("sealed = true", &format!("sealed = true\nlevel = \"{level}\"")),
        );
        project
    };
    for (level, remedy) in [
        ("fenced", "the user starts the agent in a fence, in the project: holdpoint run claude"),
        ("notarised", "set `level` in the workflow's [run] to \"fenced\" or lower"),
    ] {
        let project = asking(level);
        let printed = project.run(&["checked", "go", "tests", "echo '3 passed in 0.1s'"]);
        let said = format!("asks for the level `{level}`, and here it would be `kept`");
        assert!(printed.code != Some(0) && printed.stderr.contains(&said), "{}", printed.stderr);
        assert!(printed.stderr.contains(remedy), "{}", printed.stderr);
        let held = project.hook(&json!({"hook_event_name": "Stop", "session_id": level})).json();
        assert!(held["reason"].as_str().unwrap_or_default().contains(&said), "{held}");
        assert!(!project.book("evidence/checked.jsonl").exists(), "nothing was performed");
    }
    let project = asking("kept");
    go(&project, &["tests", "echo '3 passed in 0.1s'"]);
    let evidence = project.read_book("evidence/checked.jsonl");
    let piece: Json = serde_json::from_str(evidence.lines().next().unwrap()).unwrap();
    assert_eq!(piece["level"], "kept");
    assert!(project.run(&["evidence"]).stdout.contains("  kept  "));
}

#[test]
fn without_a_state_folder_the_books_are_in_the_project_and_that_is_said() {
    let project = project();
    let digest = project.run(&["allow", "--print"]).stdout.trim().to_owned();
    let run = |words: &[&str]| {
        let mut command = project.stranger(words);
        command.env_remove("XDG_STATE_HOME").env("HOME", "/nonexistent").env("HOLDPOINT_ALLOW", &digest);
        crate::project::feed(command, b"")
    };
    let printed = run(&["checked", "go", "tests", "echo '3 passed in 0.1s'"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    for book in ["sealed/checked.json", "evidence/checked.jsonl", "journal.jsonl", "head", "records.jsonl"] {
        assert!(project.root().join(".holdpoint").join(book).is_file(), "{book}");
    }
    let evidence = run(&["evidence"]);
    assert!(evidence.stdout.contains("  none  "), "{}{}", evidence.stdout, evidence.stderr);
    let doctor = run(&["doctor"]);
    assert!(
        doctor.stdout.contains("the books are kept in the project"),
        "{}{}",
        doctor.stdout,
        doctor.stderr
    );
    project.remove("state.json");
    let again = run(&["checked", "fresh"]);
    assert!(project.root().join("state.json").is_file(), "{}{}", again.stdout, again.stderr);
}

#[test]
fn only_the_engine_writes_a_sealed_state() {
    let project = project();
    go(&project, &["tests", "echo '3 passed in 0.1s'"]);
    let before = project.read("state.json");
    let hook = || project.hook(&json!({"hook_event_name": "Stop", "session_id": "s"}));
    project.write("state.json", "{\"phase\": \"idle\", \"status\": \"all done\"}");
    hook();
    assert_eq!(project.read("state.json"), before);
    project.remove("state.json");
    let printed = project.run(&["checked", "fresh"]).stdout;
    assert!(
        printed.starts_with("Note: `state.json` was gone") && printed.ends_with("\n\ntrue true\n"),
        "{printed}"
    );
    assert_eq!(project.read("state.json"), before);
    let journal = project.read_book("journal.jsonl");
    assert!(journal.contains("is written by the engine alone"), "{journal}");
}
