//! What the command line says of itself: version, completions, manual pages.

use std::process::{Command, Stdio};

use crate::project::Project;

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
        let script = project.run(&["completions", shell]).stdout;
        for part in ["statusline", "protocol", "taskie", "new-plan", "from-draft"] {
            assert!(script.contains(part), "{shell}: {part}");
        }
    }
    assert_eq!(project.run(&["completions", "dos"]).code, Some(2));
}

/// Bash itself completes: `holdpoint sta` has two ends.
#[cfg(unix)]
#[test]
fn bash_completes_what_is_typed() {
    let script = Project::new().run(&["completions", "bash"]).stdout;
    let ask = "\nCOMP_WORDS=(holdpoint sta); COMP_CWORD=1\n_holdpoint holdpoint sta holdpoint\necho \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &(script + ask)]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "status statusline\n", "{output:?}");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let project = Project::new();
    assert!(project.run(&["man"]).stdout.contains(".TH holdpoint 1"));
    let written = project.run(&["man", "--to", "man/man1"]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    assert!(project.read("man/man1/holdpoint-why.1").contains("\\fBholdpoint why\\fR"));
    assert!(project.read("man/man1/holdpoint-hook.1").contains("protocol"));
    let help = project.run(&["help"]).stdout;
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A line that goes on has no name in its first column.
    let names =
        commands.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| *name != "help") {
        assert!(project.root().join(format!("man/man1/holdpoint-{name}.1")).is_file(), "{name}");
    }
}
