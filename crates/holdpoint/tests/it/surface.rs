//! What the command line says of itself: version, completions, manual pages.

use std::process::{Command, Stdio};

use crate::project::Project;
use crate::reference::own_commands;

#[test]
fn the_version_says_what_was_built() {
    let project = Project::new();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(project.run(&["-V"]).stdout, format!("holdpoint {version}\n"));
    let long = project.run(&["--version"]).stdout;
    let build = long.strip_prefix(&format!("holdpoint {version} (")).unwrap().trim_end();
    let words: Vec<&str> = build.strip_suffix(')').unwrap().split(", ").collect();
    let [.., target, profile] = words[..] else { panic!("{long}") };
    assert!(target.contains('-') && ["debug", "release"].contains(&profile), "{long}");
    // Without git there is no commit to tell.
    if let [commit, _, _] = words[..] {
        let (hash, day) = commit.split_once(' ').unwrap();
        assert!(hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{long}");
        assert!(day.len() == "2026-11-15".len() && day.starts_with("20"), "{long}");
    }
}

#[test]
fn every_shell_can_complete_commands_and_workflows() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = project.run(&["shell", "completions", shell]).stdout;
        for part in ["statusline", "protocol", "taskie", "new-plan", "from-draft"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    assert_eq!(project.run(&["shell", "completions", "dos"]).code, Some(2));
}

/// Bash itself completes: `holdpoint sta` has two ends.
#[cfg(unix)]
#[test]
fn bash_completes_what_is_typed() {
    let script = Project::new().run(&["shell", "completions", "bash"]).stdout;
    let ask = "\nCOMP_WORDS=(holdpoint sta); COMP_CWORD=1\n_holdpoint holdpoint sta holdpoint\necho \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &(script + ask)]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "status stats statusline\n", "{output:?}");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let project = Project::new();
    assert!(project.run(&["shell", "man"]).stdout.contains(".TH holdpoint 1"));
    let written = project.run(&["shell", "man", "--to", "man/man1"]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    assert!(project.read("man/man1/holdpoint-why.1").contains("\\fBholdpoint why\\fR"));
    assert!(project.read("man/man1/holdpoint-hook.1").contains("protocol"));
    assert!(project.read("man/man1/holdpoint-workflow-eject.1").contains("\\fBholdpoint workflow eject\\fR"));
    let names = own_commands(&project.run(&["help"]).stdout);
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(project.root().join(format!("man/man1/holdpoint-{name}.1")).is_file(), "{name}");
    }
}

#[test]
fn help_knows_commands_and_workflows_alike() {
    let project = Project::new();
    project.workflow("mine", "about = 'Mine.'\n[run]\nhome = '.mine'\nstate = '.mine/state.json'\n[commands.go]\nabout = 'Go on'\nargs = ['to']\nsteps = [ { say = 'x' } ]\n");
    let says = |args: &[&str]| {
        let printed = project.run(args);
        assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""), "{args:?}");
        printed.stdout
    };
    for (asked, same) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "init"], &["init", "--help"]),
        (&["help", "workflow", "graph"], &["workflow", "graph", "--help"]),
        (&["help", "hook"], &["hook", "--help"]),
        (&["help", "taskie"], &["taskie", "--help"]),
        (&["help", "taskie"], &["taskie"]),
        (&["help", "mine", "go"], &["mine", "go", "--help"]),
    ] {
        assert_eq!(says(asked), says(same), "{asked:?}");
    }
    assert!(says(&["help"]).contains("holdpoint [WORKFLOW] COMMAND  (autopilot, "));
    assert!(says(&["help", "mine"]).contains("Usage: holdpoint mine COMMAND\n\nCommands:\n  go <TO>"));
    for (args, hint) in [
        (&["help", "taksie"][..], "did you mean `holdpoint taskie`?"),
        (&["help", "taskie", "new-plna"], "did you mean `holdpoint taskie new-plan`?"),
        (&["taskie", "--nosuch"], "see `holdpoint taskie`"),
    ] {
        let printed = project.run(args);
        assert_eq!(printed.code, Some(2), "{args:?}");
        assert!(printed.stderr.contains(hint), "{}", printed.stderr);
    }
}
