//! What counts as a change of a project's content.

use std::path::PathBuf;

use holdpoint::allow::{Allowance, Standing};
use holdpoint::env::{Env, ProcessEnv};
use holdpoint::env_vars::XDG_STATE_HOME;

use crate::project::Project;

/// A user to whom every file is old, so that what content looks like is relied on.
struct Later(PathBuf);

impl Env for Later {
    fn var(&self, name: &str) -> Option<String> {
        (name == XDG_STATE_HOME).then(|| self.0.display().to_string())
    }

    fn now(&self) -> i64 {
        ProcessEnv.now() + 3600
    }
}

#[test]
fn content_that_looks_the_same_is_not_read_again_and_a_change_is_seen() {
    let project = Project::new();
    let user = Later(project.state().to_path_buf());
    let standing = || Allowance::of(&user).standing(project.root());
    assert_eq!(standing(), Standing::Empty);
    let text = ".holdpoint/workflows/a/texts/a.md";
    project.workflow("a", "about = \"x\"\n").write(text, "one");
    assert_eq!(standing(), Standing::Waiting);
    Allowance::of(&user).allow_all(project.root()).unwrap();
    for _ in 0..2 {
        assert_eq!(standing(), Standing::Allowed);
    }
    let change = |text: &str, file: &str| {
        // A new file of the same size, as editors and git write one.
        project.write("new", text);
        std::fs::rename(project.root().join("new"), project.root().join(file)).unwrap();
    };
    change("two", text);
    assert_eq!(standing(), Standing::Waiting);
    change("one", text);
    assert_eq!(standing(), Standing::Allowed, "it is the same content again");
    project.write(".holdpoint/holdpoint.toml", "");
    assert_eq!(standing(), Standing::Waiting, "a file more");
    project.remove(".holdpoint/holdpoint.toml");
    assert_eq!(standing(), Standing::Allowed);
    project.write_book("journal.jsonl", "x");
    assert_eq!(standing(), Standing::Allowed, "what Holdpoint keeps is no content");
    let registry = Allowance::of(&user).registry().clone();
    registry.forget(&registry.list()[0].id).unwrap();
    assert_eq!(standing(), Standing::Waiting);
}

/// Two files that share a name in what is shown and allowed could take each other's place.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_could_pass_for_another_is_unusable() {
    use std::os::unix::ffi::OsStrExt;
    let names: [&[u8]; 2] = [b"a\\workflow.toml", b"a/\xff.md"];
    for name in names {
        let project = Project::new();
        let user = Later(project.state().to_path_buf());
        project.workflow("a", "about = \"x\"\n");
        let file = project.root().join(".holdpoint/workflows").join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(file, "about = \"y\"\n").unwrap();
        let standing = Allowance::of(&user).standing(project.root());
        assert!(matches!(&standing, Standing::Unusable(why) if why.contains("name")), "{standing:?}");
        assert!(Allowance::of(&user).allow_all(project.root()).is_err());
    }
}

/// Only what a command of ours adds is allowed with it, whatever else appears meanwhile.
#[test]
fn what_somebody_else_writes_meanwhile_is_not_carried_along() {
    let (ours, text) = ("workflows/b/workflow.toml", "about = \"b\"\n");
    let carry = |meanwhile: Option<(&str, &str)>| {
        let project = Project::new();
        let user = Later(project.state().to_path_buf());
        project.workflow("a", "about = \"x\"\n");
        Allowance::of(&user).allow_all(project.root()).unwrap();
        let added = [(ours.to_owned(), text.as_bytes().to_vec())].into();
        let carried = Allowance::of(&user).carry(project.root(), added, || {
            for (path, text) in [(ours, text)].into_iter().chain(meanwhile) {
                project.write(&format!(".holdpoint/{path}"), text);
            }
            Ok::<(), ()>(())
        });
        (carried.unwrap(), Allowance::of(&user).standing(project.root()))
    };
    assert_eq!(carry(None), (true, Standing::Allowed));
    for meanwhile in [("holdpoint.toml", ""), ("workflows/a/workflow.toml", "about = \"y\"\n"), (ours, "")] {
        assert_eq!(carry(Some(meanwhile)), (false, Standing::Waiting), "{meanwhile:?}");
    }
}

/// What is revoked only in part must not count any more.
#[test]
fn what_was_allowed_is_forgotten_first() {
    let project = Project::new();
    let user = Later(project.state().to_path_buf());
    project.workflow("a", "about = \"x\"\n");
    Allowance::of(&user).allow_all(project.root()).unwrap();
    let registry = Allowance::of(&user).registry().clone();
    let id = registry.list()[0].id.clone();
    let known = project.state().join("holdpoint/projects").join(&id).join("known");
    std::fs::remove_file(&known).unwrap();
    std::fs::create_dir_all(known.join("in-the-way")).unwrap();
    assert!(registry.forget(&id).is_err());
    assert_eq!(Allowance::of(&user).standing(project.root()), Standing::Waiting);
}

/// What is loaded is what was judged, whatever is put there meanwhile.
#[test]
fn a_change_or_a_link_that_comes_after_the_judgement_is_not_loaded() {
    let file = ".holdpoint/workflows/a/workflow.toml";
    let change = |project: &Project| {
        project.write(file, "about = \"evil\"\n");
    };
    let link = |project: &Project| {
        project.write("evil.toml", "about = \"evil\"\n").remove(file);
        std::os::unix::fs::symlink(project.root().join("evil.toml"), project.root().join(file)).unwrap();
    };
    let swaps: [&dyn Fn(&Project); 2] = [&change, &link];
    for swap in swaps {
        // The first judgement reads the files, the second one only looks at them.
        for judgements in [0, 1] {
            let project = Project::new();
            let user = Later(project.state().to_path_buf());
            project.workflow("a", "about = \"good\"\n[run]\nhome = \"x\"\n");
            Allowance::of(&user).allow_all(project.root()).unwrap();
            for _ in 0..judgements {
                Allowance::of(&user).judge(project.root());
            }
            let content = Allowance::of(&user).judge(project.root()).allowed.unwrap();
            let (name, folder) = content.workflows().remove(0);
            swap(&project);
            match content.load(&name, &folder, &[]) {
                Ok(workflow) => assert_eq!((workflow.about.as_ref(), judgements), ("good", 0)),
                Err(unusable) => assert_eq!(judgements, 1, "{unusable:?}"),
            }
        }
    }
}
