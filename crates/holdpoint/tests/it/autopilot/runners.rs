//! Runs in projects of several languages, with the test runner that each has: what `start` proposes, a bug that is found and
//! kept as a test, a failure that was there before. A runner that is not installed is told of and passed by.

mod language;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use self::language::{GO, NODE, PYTHON, RUST, WITH_JEST, WITH_VITEST};
use super::project::{SPEC, Site};
use super::proof::{agrees_with_git, log};
use super::walk::{BACK_1, END, READY_1, READY_2, Step, TASK_1, TASK_2, commit_1, commit_2, follow, nothing};
use crate::clients::install::Client;
use crate::project::Printed;

type File = (&'static str, &'static str);

/// A project, and what an agent writes in it.
struct Language {
    /// The program without which nothing is walked.
    runner: &'static str,
    /// The package that has its runner, where that comes with the project.
    package: Option<&'static Client>,
    /// What `start` proposes.
    tests: &'static str,
    files: &'static [File],
    allowed: &'static [&'static str],
    /// The first task's code with a bug, and its test, which shows it.
    bug: [File; 2],
    /// The bug is gone.
    repair: File,
    /// The name of a test of it, and the file.
    regression: (&'static str, File),
    /// The second task.
    second: [File; 2],
    /// A test that fails from the start, next to the others; and what it is called.
    old: (File, &'static str),
}

/// Where a program is.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Says that something is not walked, and why; under `HOLDPOINT_REQUIRE_RUNNERS=1` that is a failure.
fn pass_by(what: &str, why: &str) {
    let is_required = std::env::var_os("HOLDPOINT_REQUIRE_RUNNERS").is_some_and(|value| value == "1");
    assert!(!is_required, "{what} is required: {why}");
    // Not by a macro: the harness would hide it.
    let _ = writeln!(std::io::stderr(), "skipped a run with {what}: {why}");
}

impl Language {
    /// Its project; none where its runner is missing.
    fn site(&self, more: &[File]) -> Option<Site> {
        let Some(runner) = on_path(self.runner) else {
            pass_by(self.runner, "it is not installed");
            return None;
        };
        let modules = match self.package {
            Some(package) => Some(package.modules()?),
            None => None,
        };
        let site = Site::of(&[self.files, more].concat(), self.allowed);
        if let Some(modules) = modules {
            let mut copying = Command::new("cp");
            assert!(copying.arg("-a").arg(modules).arg(site.root()).status().unwrap().success());
        }
        std::fs::create_dir(site.tools().join(".cache")).unwrap();
        if self.runner == "cargo" {
            // What is on PATH may choose a toolchain by the user's home, which is another one here.
            let cargo = std::env::var_os("CARGO").map_or(runner, PathBuf::from);
            for tool in ["cargo", "rustc", "rustdoc"] {
                link(&cargo.with_file_name(tool), &site.tools().join(tool));
            }
        }
        Some(site)
    }

    /// A run begins: without a word on the tests none does, and the right command is proposed.
    fn begin(&self, site: &Site) {
        let Printed { code, stdout, stderr, .. } = site.tell(&["start", SPEC]);
        let said = stdout + &stderr;
        let proposed = format!("holdpoint autopilot start {SPEC} --test '{}'", self.tests);
        assert!(code == Some(1) && said.contains(&proposed), "{said}");
        site.start(&["--test", self.tests]);
    }

    /// Two tasks, with a bug that the tests find, a debugger explains, and a test keeps from coming back.
    fn walk(&self) {
        let Some(site) = self.site(&[]) else { return };
        self.walk_in(&site);
    }

    fn walk_in(&self, site: &Site) {
        let (name, (file, text)) = self.regression;
        let regression = json!({"test_name": name, "test_file": file, "test_code": text});
        site.answers(
            "debugger",
            &[json!({"verdict": "fix_proposed", "notes": "one too many", "regression": regression})],
        );
        self.begin(site);
        let steps: &[Step<'_>] = &[
            (TASK_1, &|site| write(site, &self.bug)),
            (BACK_1, &|site| write(site, &[self.repair])),
            (": task 1, keep the bug from coming back", &|site| write(site, &[(file, text)])),
            (READY_1, &commit_1),
            (TASK_2, &|site| write(site, &self.second)),
            (READY_2, &commit_2),
            (END, &nothing),
        ];
        follow(site, Site::next, steps);
        agrees_with_git(site);
        assert_eq!(site.task(1)["regression_test"], json!(file), "{}", log(site));
        let log = log(site);
        assert!(log.contains(&format!("- Regression test: {file}\n- Tester: pass\n")), "{log}");
        let shown = site.evidence();
        let counts = shown.iter().filter(|piece| piece["phase"] == "tester" && piece["passed"] == true);
        assert!(counts.clone().all(|piece| piece["details"]["passed"].as_u64() > Some(0)), "{shown:#?}");
    }

    /// A failure that was there before is named, and nobody's; a new one next to it is the task's.
    fn walk_past_an_old_failure(&self) {
        let (file, name) = self.old;
        let Some(site) = self.site(&[file]) else { return };
        self.begin(&site);
        assert_eq!(site.state()["baseline"], json!([name]));
        follow(&site, Site::next, &[(TASK_1, &|site| write(site, &self.bug))]);
        let back = site.next();
        assert!(back.contains(BACK_1), "{back}");
        assert!(
            back.contains(&format!("Failed before the run began, and not yours to repair: {name}.")),
            "{back}"
        );
        write(&site, &[self.repair]);
        follow(&site, Site::next, &[(READY_1, &commit_1), (TASK_2, &nothing)]);
        assert_eq!(site.task(1)["tester"], json!("fail_out_of_scope"), "{}", log(&site));
    }
}

fn write(site: &Site, files: &[File]) {
    for (path, text) in files {
        site.write(path, text);
    }
}

fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

#[test]
fn a_python_project_with_pytest() {
    PYTHON.walk();
}

#[test]
fn a_python_project_with_an_old_failure() {
    PYTHON.walk_past_an_old_failure();
}

#[test]
fn a_javascript_project_with_node() {
    NODE.walk();
}

#[test]
fn a_javascript_project_with_an_old_failure() {
    NODE.walk_past_an_old_failure();
}

#[test]
fn a_javascript_project_with_jest() {
    WITH_JEST.walk();
}

#[test]
fn a_javascript_project_with_jest_and_an_old_failure() {
    WITH_JEST.walk_past_an_old_failure();
}

#[test]
fn a_javascript_project_with_vitest() {
    WITH_VITEST.walk();
}

#[test]
fn a_javascript_project_with_vitest_and_an_old_failure() {
    WITH_VITEST.walk_past_an_old_failure();
}

#[test]
fn a_rust_project_with_cargo() {
    RUST.walk();
}

#[test]
fn a_rust_project_with_an_old_failure() {
    RUST.walk_past_an_old_failure();
}

#[test]
fn a_go_project() {
    GO.walk();
}

#[test]
fn a_go_project_with_an_old_failure() {
    GO.walk_past_an_old_failure();
}
