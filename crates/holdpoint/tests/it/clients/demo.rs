//! `holdpoint demo --agent`: the demonstrations inside the clients themselves.

use std::path::Path;

use crate::clients::kind::Kind;
use crate::demo::demo_with;
use crate::generated::workflow_names;
use crate::project::Project;

/// Plays one, and says what is wrong with it.
fn played(name: &str, kind: Kind, client: &Path) {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", client.parent().unwrap().display());
    let printed = demo_with(&Project::new(), &["--agent", kind.agent(), name], &path);
    assert_eq!(printed.code, Some(0), "{name}: {}\n{}", printed.stderr, printed.stdout);
    let title = match kind {
        Kind::Claude => "(Claude Code)",
        Kind::Codex => "codex-cli",
        Kind::Gemini => "Gemini CLI",
    };
    for part in [title, "HELD", "What was proved", "0 faults"] {
        assert!(printed.stdout.contains(part), "{name}: {part}\n{}", printed.stdout);
    }
}

/// Plays them all in one client.
fn all_played(kind: Kind) {
    let Some(client) = kind.program() else { return };
    let names = workflow_names();
    std::thread::scope(|scope| {
        let plays: Vec<_> = names.iter().map(|name| scope.spawn(|| played(name, kind, &client))).collect();
        for play in plays {
            play.join().unwrap();
        }
    });
}

#[test]
fn every_demonstration_can_be_played_in_claude_code() {
    all_played(Kind::Claude);
}

#[test]
fn every_demonstration_can_be_played_in_codex() {
    all_played(Kind::Codex);
}

#[test]
fn every_demonstration_can_be_played_in_gemini_cli() {
    all_played(Kind::Gemini);
}

#[test]
fn a_client_that_fails_ends_the_demonstration() {
    let project = Project::new();
    project.write("bin/claude", "#!/bin/sh\necho 'no model for you'\nexit 3\n");
    let program = project.root().join("bin/claude");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let printed = demo_with(&project, &["--agent", "claude"], &path);
    assert_eq!(printed.code, Some(1), "{}", printed.stdout);
    assert!(printed.stderr.contains("Claude Code failed") && printed.stderr.contains("no model for you"));
}
