//! Who calls the hook: the agent's client, by a socket of its own, or somebody below it.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;
use crate::project::{Printed, feed};

/// A run whose first task is coded, in a session whose client is this process.
fn coded() -> Site {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": site.root(),
        "prompt": "go on"});
    by_socket(&site, &prompt);
    site
}

/// Calls the hook as a client does.
pub(super) fn by_socket(site: &Site, event: &Json) -> Json {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut hook = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
    hook.args(["hook", "--agent", "claude"]).stdin(Stdio::from(OwnedFd::from(theirs)));
    let child = hook.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    ours.write_all(event.to_string().as_bytes()).unwrap();
    drop(ours);
    Printed::from(child.wait_with_output().unwrap()).json()
}

/// Runs a script in a shell below the client.
pub(super) fn below(site: &Site, program: &str, script: &str) -> Printed {
    let mut shell = site.program(program, "");
    shell.args(["-c", script]);
    feed(shell, b"")
}

fn next(site: &Site) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(), "tool_name": "Bash",
        "tool_input": {"command": "holdpoint autopilot next"}})
}

#[test]
fn a_call_from_a_shell_below_the_client_performs_nothing() {
    let site = coded();
    let stop = json!({"hook_event_name": "Stop", "session_id": SESSION, "cwd": site.root()});
    for event in [next(&site), stop] {
        std::fs::write(site.tools().join("event"), event.to_string()).unwrap();
        for (program, script) in [
            ("sh", "holdpoint hook --agent claude <../tools/event"),
            ("sh", "cat ../tools/event | holdpoint hook --agent claude"),
            ("sh", "exec holdpoint hook --agent claude <../tools/event"),
            (
                "sh",
                "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" holdpoint hook <../tools/event",
            ),
            (
                "python3",
                "import socket, subprocess\na, b = socket.socketpair()\na.sendall(open('../tools/event', 'rb').read()); a.close()\nsubprocess.run(['holdpoint', 'hook', '--agent', 'claude'], stdin=b)",
            ),
        ] {
            let printed = below(&site, program, script);
            assert!(printed.stdout.contains("not from the agent's client"), "{script}: {}", printed.stdout);
            assert!(!printed.stdout.contains("updatedInput"), "{script}: {}", printed.stdout);
            assert_eq!(site.phase(), "coder", "{script}");
        }
    }
    assert!(by_socket(&site, &next(&site))["hookSpecificOutput"]["updatedInput"].is_object());
    assert_eq!(site.phase(), "commit");
}

/// Without its variables, a shell below the client is still the agent's.
#[test]
fn a_shell_below_the_client_is_not_the_users() {
    let site = coded();
    for script in [
        "holdpoint autopilot next",
        "unset CLAUDECODE CLAUDE_CODE_SESSION_ID; holdpoint autopilot next",
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" holdpoint autopilot next",
        "sh -c 'sh -c \"holdpoint autopilot next; true\"; true' 2>&1",
    ] {
        let printed = below(&site, "sh", script);
        let said = format!("{}{}", printed.stdout, printed.stderr);
        assert!(said.contains("nothing was performed"), "{script}: {said}");
    }
    let printed = below(&site, "sh", "holdpoint autopilot abandon");
    assert!(printed.stderr.contains("the user's to call"), "{}", printed.stderr);
    assert_eq!(site.phase(), "coder");
}

/// A client that the agent starts is no client of the user's.
#[test]
fn a_client_below_a_client_performs_nothing() {
    let site = coded();
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": site.root(),
        "prompt": "go on"});
    std::fs::write(site.tools().join("prompt"), prompt.to_string()).unwrap();
    std::fs::write(site.tools().join("event"), next(&site).to_string()).unwrap();
    let nested = "import socket, subprocess\nfor name in ['prompt', 'event']:\n    a, b = socket.socketpair()\n    a.sendall(open('../tools/' + name, 'rb').read()); a.close()\n    subprocess.run(['holdpoint', 'hook', '--agent', 'claude'], stdin=b)";
    let printed = below(&site, "python3", nested);
    assert_eq!(printed.stdout.matches("not from the agent's client").count(), 2, "{}", printed.stdout);
    assert_eq!(site.phase(), "coder");
}
