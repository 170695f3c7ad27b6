//! `holdpoint log`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;

use crate::project::Project;
use crate::shown::{reviewed, shell, shown};

/// A project with one entry of each kind but a release.
fn worked_in() -> Project {
    let project = reviewed();
    for (session, command) in [("s1", "ls"), ("s1", "git commit"), ("s2", "git push")] {
        project.hook(&shell(&project, session, command));
    }
    project.write(".reviewed/state.json", "{ broken");
    project.hook(&shell(&project, "s2", "git commit"));
    project.run_with(&["hook"], b"nonsense");
    project
}

#[test]
fn it_shows_one_line_an_entry() {
    assert_snapshot!(shown(&worked_in(), &["log"]), @"
    [DATE]
    [TIME]  none     before Bash: ls  [reviewed]
    [TIME]  hold     before Bash: git commit  [reviewed no-commit NC-1]  NOT REVIEWED: phase code.
    [TIME]  witness  before Bash: git push  [reviewed pushes]  A push.
    [TIME]  fault    before Bash: git commit  [reviewed no-commit]  the state file `.reviewed/state.json` is not valid JSON: key must be a string at line 1 column 3
    [TIME]  fault    no event  the hook's input is not JSON (8 bytes): expected ident at line 1 column 2
    Now, reviewed: no-commit released: it could not be judged. Next: `holdpoint log --faults`.
    [exit 0]
    ");
    assert_snapshot!(shown(&Project::new(), &["log"]), @"
    The journal here is empty. See `holdpoint status` for the workflows that are active here.
    [exit 0]
    ");
}

#[test]
fn outside_a_project_there_is_nothing_to_follow() {
    assert_snapshot!(shown(&Project::new(), &["log", "--follow"]), @"
    error: nothing to follow: no workflow is active in [ROOT] or above it, so there is no journal here
    hint: see `holdpoint status` for where a workflow would be active
    [exit 1]
    ");
}

#[test]
fn filters_choose_entries() {
    let project = worked_in();
    let count = |args: &[&str]| project.run(&[&["log", "--json"], args].concat()).stdout.lines().count();
    for (args, expected) in [
        (&[][..], 5),
        (&["-n", "2"], 2),
        (&["--lines", "0"], 5),
        (&["--holds"], 1),
        (&["--faults"], 2),
        (&["--holds", "--faults"], 3),
        (&["--decision", "witness"], 1),
        (&["--decision", "none"], 1),
        (&["--decision", "release"], 0),
        (&["--rule", "no-commit"], 1),
        (&["--rule", "NC-1"], 1),
        (&["--session", "s2"], 2),
        (&["--workflow", "reviewed"], 4),
        (&["--workflow", "other"], 0),
        (&["--since", "10m"], 5),
        (&["--since", "2020-01-01"], 5),
        (&["--since", "2999-01-01T00:00:00Z"], 0),
        (&["--session", "s2", "--faults"], 1),
    ] {
        assert_eq!(count(args), expected, "{args:?}");
    }
    assert_snapshot!(shown(&project, &["log", "--decision", "release"]), @"
    No entry matches. Try `holdpoint log` without filters.
    [exit 0]
    ");
    assert_snapshot!(shown(&project, &["log", "--since", "soon"]), @"
    error: invalid value 'soon' for '--since <WHEN>': not a time

      tip: an age (90s, 10m, 2h, 3d), a date ([DATE]), or [DATE]T[TIME]Z

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn json_is_the_journals_own_lines() {
    let project = worked_in();
    assert_eq!(project.run(&["log", "--json", "-n", "0"]).stdout, project.read_book("journal.jsonl"));
}

#[test]
fn follow_prints_what_is_added() {
    let project = worked_in();
    let mut follow = project.command(&["log", "--follow", "--holds", "--json"]);
    let mut child = follow.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut command = || {
        let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        line["about"].as_str().unwrap().to_owned()
    };
    assert_eq!(command(), "git commit");
    project.write(".reviewed/state.json", "{}");
    project.hook(&shell(&project, "s3", "ls"));
    project.hook(&shell(&project, "s3", "git commit later"));
    assert_eq!(command(), "git commit later");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn follow_ends_when_nobody_reads() {
    let project = worked_in();
    let mut child = project.command(&["log", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// What an agent calls is kept and shown without its tokens, also where only half of one would be kept.
#[test]
fn tokens_are_neither_kept_nor_shown() {
    let project = crate::shown::reviewed();
    let token = "ghp_0123456789abcdefABCDEF0123456789";
    let long = format!("{} {token}", "x".repeat(100));
    for command in [
        "git commit -m x && curl -H \"Authorization: Bearer sk-live-SECRET\" https://api",
        "GITHUB_TOKEN=sk-live-SECRET git commit -m x",
        &long,
    ] {
        project.hook(&crate::shown::shell(&project, "s", command));
    }
    let kept = project.read_book("journal.jsonl");
    let told: String =
        [&["log"][..], &["why"], &["log", "--json"]].map(|args| project.run(args).stdout).concat();
    for text in [&kept, &told] {
        assert!(text.contains("[secret]"), "{text}");
        assert!(!text.contains("SECRET") && !text.contains("ghp_"), "{text}");
    }
}
