//! `init` and `uninstall` killed at system calls all along their way, or failing halfway: what was there can always be
//! had back.

use std::process::Stdio;

use super::{AGENTS, snapshot, well};
use crate::project::Project;

const FILE: &str = ".claude/settings.json";
const TEXT: &str = "{\"a\": 1, // one\n}";

/// All files but our own: what is killed before it wrote its record leaves our folder behind.
fn others(project: &Project) -> Vec<(String, String)> {
    snapshot(project.root()).into_iter().filter(|(path, _)| !path.starts_with(".holdpoint")).collect()
}

#[cfg(target_os = "linux")]
mod at_system_calls {
    use std::path::Path;

    use super::{FILE, TEXT, others};
    use crate::init::well;
    use crate::kill::{Reached, Traced};
    use crate::project::Project;

    /// A small installation: the fewer files, the more of its system calls can be tried.
    const INIT: [&str; 5] = ["init", "--agent", "claude,codex", "--workflow", "isdlc"];

    /// Kills a command at every few of its stops and has what is left judged, until it comes to its end.
    fn for_many_kills(prepare: impl Fn() -> Project, args: &[&str], look: impl Fn(&Project, usize)) {
        for at in (1..).step_by(7) {
            let project = prepare();
            match Traced::program(&project, args, Path::new("/dev/null")).run_to(at) {
                Reached::Stop => look(&project, at),
                Reached::End(code) => {
                    assert_eq!(code, 0);
                    assert!(at > 100, "only {at} stops were seen");
                    return;
                }
            }
        }
    }

    fn prepared() -> Project {
        let project = Project::new();
        project.write(FILE, TEXT);
        project
    }

    fn is_whole(project: &Project, at: usize) {
        let text = project.read(FILE);
        assert!(text == TEXT || text.contains("PostToolUseFailure"), "killed at stop {at}: {text}");
    }

    #[test]
    fn a_killed_init_is_undone() {
        let before = others(&prepared());
        for_many_kills(prepared, &INIT, |project, at| {
            is_whole(project, at);
            well(project, &["uninstall"]);
            assert_eq!(clean(project), before, "killed at stop {at}");
        });
    }

    #[test]
    fn a_killed_init_is_finished_by_the_next() {
        let before = others(&prepared());
        for_many_kills(prepared, &INIT, |project, at| {
            well(project, &INIT);
            assert!(well(project, &INIT).stdout.contains("Nothing to change"), "killed at stop {at}");
            well(project, &["uninstall"]);
            assert_eq!(clean(project), before, "killed at stop {at}");
        });
    }

    #[test]
    fn a_killed_uninstall_is_finished_by_the_next() {
        let before = others(&prepared());
        let installed = || {
            let project = prepared();
            well(&project, &INIT);
            project
        };
        for_many_kills(installed, &["uninstall"], |project, at| {
            is_whole(project, at);
            well(project, &["uninstall"]);
            assert_eq!(clean(project), before, "killed at stop {at}");
        });
    }

    /// Without what a killed process was just writing beside a file that was there before.
    fn clean(project: &Project) -> Vec<(String, String)> {
        others(project).into_iter().filter(|(path, _)| !path.ends_with(".tmp")).collect()
    }
}

#[cfg(unix)]
#[test]
fn what_fails_halfway_is_put_back() {
    let project = Project::new();
    // A link to nowhere stands where a folder is needed: that shows only when it is made.
    project.write(FILE, TEXT).write(".github/x", "");
    std::os::unix::fs::symlink("nowhere", project.root().join(".github/skills")).unwrap();
    let before = others(&project);
    let printed = project.run(&["init", "--agent", &AGENTS.join(",")]);
    assert_eq!(printed.code, Some(3), "{}", printed.stdout);
    assert!(printed.stderr.contains("hint: everything is as it was before"), "{}", printed.stderr);
    assert_eq!(others(&project), before);
    assert!(!project.root().join(".holdpoint/installed.json").exists());
}

#[test]
fn many_at_once_make_one_installation() {
    let project = Project::new();
    project.write(FILE, TEXT);
    let before = snapshot(project.root());
    let agents = AGENTS.join(",");
    let start = || {
        let mut command = project.command(&["init", "--agent", &agents]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..6).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(project.read(FILE).matches("PreToolUse\"").count(), 1);
    well(&project, &["uninstall"]);
    assert_eq!(snapshot(project.root()), before);
}
