//! `holdpoint check` on a project's own files.

use crate::project::Project;
use crate::shown::{reviewed, shown};

#[test]
fn a_projects_choices_are_checked_too() {
    let project = reviewed();
    project.write(".holdpoint/holdpoint.toml", "# ours\nworkflows = [\"reviewed\"]\n");
    let printed = project.run(&["check"]);
    assert!(printed.stdout.starts_with("holdpoint.toml: ok\n"), "{}", printed.stdout);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);

    let choices = "# ours\nworkflows = [\"reviewd\", 7]\nworkflow = 1\n";
    project.write(".holdpoint/holdpoint.toml", choices);
    let rows = project.run(&["check", "--json"]);
    let found: Vec<String> = rows
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{}:{} {} ({})", row["line"], row["column"], row["message"], row["hint"]))
        .collect();
    assert_eq!(
        found,
        [
            r#"2:14 "there is no workflow `reviewd`" ("did you mean `reviewed`?")"#,
            r#"2:25 "`workflows` must be a list of names" ("write workflows = [\"name\"]")"#,
            r#"3:1 "unknown key `workflow` in holdpoint.toml" ("did you mean `workflows`?")"#,
        ]
    );
    assert_eq!(rows.code, Some(1));
}

#[test]
fn choices_that_are_no_toml_are_shown_with_their_place() {
    let project = Project::new();
    project.write(".holdpoint/holdpoint.toml", "workflows = [\n");
    let printed = project.run(&["check"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stdout.contains(".holdpoint/holdpoint.toml:"), "{}", printed.stdout);
    for wrong in ["workflows = \"one\"\n", "workflows = 1\n"] {
        project.write(".holdpoint/holdpoint.toml", wrong);
        let printed = project.run(&["check"]);
        assert!(printed.stdout.contains("`workflows` must be a list of names"), "{}", printed.stdout);
        assert_eq!(printed.code, Some(1), "{wrong}");
    }
}

#[test]
fn an_unknown_filter_is_answered_with_those_there_are() {
    let project = Project::new();
    let rule = "name = \"a\"\non = \"stop\"\nwhen = \"1 | zzzz\"\nsay = \"x\"\n";
    project.workflow("own", &format!("about = \"x\"\n[run]\nhome = \".own\"\n[[hold]]\n{rule}"));
    let printed = shown(&project, &["check", "own"]);
    assert!(printed.contains("hint: the filters there are: default, first, "), "{printed}");
}
