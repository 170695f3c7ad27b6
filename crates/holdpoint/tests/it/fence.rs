//! The fence: `holdpoint run` around a program, with the user's terminal and signals, and without a fence.

pub(crate) mod stand_in;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::project::{Project, feed};
use crate::terminal::Terminal;
use stand_in::is_possible;

/// A project with a home.
fn project() -> Project {
    let project = Project::new();
    project.write("no-home/.profile", "");
    project
}

fn run(project: &Project, words: &[&str]) -> Command {
    let mut command = project.stranger(&["run", "--require", "--"]);
    command.args(words).stdin(Stdio::null());
    command
}

#[test]
fn it_ends_as_its_client_does() {
    if !is_possible() {
        return;
    }
    let project = project();
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let output = run(&project, &["sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{script}: {output:?}");
    }
    let output = run(&project, &["sh", "-c", "cat; echo \"$0 $*\"; pwd; echo err >&2", "a b", "--c"]);
    let printed = feed(output, b"typed\n");
    assert_eq!(printed.stdout, format!("typed\na b --c\n{}\n", project.root().display()));
    assert_eq!(printed.stderr, "err\n");
    let sockets = std::fs::read_dir(project.state().join("holdpoint/keepers")).unwrap();
    assert_eq!(sockets.count(), 0, "no keeper leaves anything behind");
    let output = run(&project, &["no-such-agent"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

const WAITS: &str = "import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
signal.signal(signal.SIGINT, lambda *_: os._exit(5))
print('ready', flush=True)
while True: signal.pause()";

#[test]
fn signals_reach_the_client() {
    if !is_possible() {
        return;
    }
    let project = project();
    for (signal, code) in [(Signal::TERM, 9), (Signal::INT, 5)] {
        // Whoever starts the tests in the background has these ignored, and what was ignored stays so.
        let mut command = Command::new("env");
        command.args(["--default-signal=INT,TERM", "setsid", "--wait"]).arg(env!("CARGO_BIN_EXE_holdpoint"));
        let keeper = run(&project, &["python3", "-c", WAITS]);
        command.args(keeper.get_args()).env_clear().current_dir(project.root());
        command.envs(keeper.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut String::new()).unwrap();
        let keeper = keeper_of(&project);
        kill_process(keeper, signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal:?}");
    }
}

/// The one keeper that is at work, by its socket's name.
fn keeper_of(project: &Project) -> Pid {
    let sockets = std::fs::read_dir(project.state().join("holdpoint/keepers")).unwrap();
    let names: Vec<String> = sockets.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let [name] = names.as_slice() else { panic!("{names:?}") };
    Pid::from_raw(name.split_once('-').unwrap().0.parse().unwrap()).unwrap()
}

#[test]
fn a_keeper_that_is_killed_takes_its_client_along() {
    if !is_possible() {
        return;
    }
    let project = project();
    let mut child = run(&project, &["python3", "-c", WAITS]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    child.kill().unwrap();
    // The stream ends when nobody has it any more.
    lines.read_to_end(&mut Vec::new()).unwrap();
    child.wait().unwrap();
    let output = run(&project, &["true"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let sockets = std::fs::read_dir(project.state().join("holdpoint/keepers")).unwrap();
    assert_eq!(sockets.count(), 0, "what the killed one left behind is cleared away");
}

/// A shell with job control, as far as this test needs one: it starts a job in front, and continues it when it stops.
const SHELL: &str = "import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0); os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    status = os.waitpid(job, os.WUNTRACED)[1]
    if not os.WIFSTOPPED(status): break
    os.tcsetpgrp(0, os.getpid()); print('stopped', flush=True)
    os.tcsetpgrp(0, job); os.killpg(job, signal.SIGCONT)
print('ended with', os.waitstatus_to_exitcode(status), flush=True)";

/// Runs a client's script in a fence at a terminal, types this once it says that it is ready, and returns what is shown.
fn at_terminal(project: &Project, script: &str, typed: &[u8]) -> String {
    let terminal = Terminal::new();
    let side = terminal.users_side();
    let keeper = run(project, &["python3", "-c", script]);
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", "python3", "-c", SHELL]).arg(env!("CARGO_BIN_EXE_holdpoint"));
    command.args(keeper.get_args()).env_clear().current_dir(project.root());
    command.envs(keeper.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(side.try_clone().unwrap()).stdout(side.try_clone().unwrap()).stderr(side);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut shown = String::new();
    let mut controller = terminal.controller();
    let mut bytes = [0; 1024];
    let mut has_typed = false;
    // The terminal is closed when nobody holds the other side any more.
    while let Ok(length @ 1..) = controller.read(&mut bytes) {
        shown.push_str(&String::from_utf8_lossy(&bytes[..length]));
        if shown.contains("ready") && !std::mem::replace(&mut has_typed, true) {
            controller.write_all(typed).unwrap();
        }
    }
    child.wait().unwrap();
    shown
}

#[test]
fn the_terminal_is_the_clients() {
    if !is_possible() {
        return;
    }
    let project = project();
    let shown = at_terminal(&project, WAITS, b"\x03");
    assert!(shown.contains("ended with 5"), "Ctrl-C: {shown}");
    let stops =
        "import os, signal\nprint('ready', flush=True)\nos.kill(os.getpid(), signal.SIGSTOP)\nos._exit(4)";
    let shown = at_terminal(&project, stops, b"");
    assert!(shown.contains("stopped") && shown.contains("ended with 4"), "it stops itself: {shown}");
    let waits = "import sys\nprint('ready', flush=True)\nline = sys.stdin.readline()\nsys.exit(len(line))";
    let shown = at_terminal(&project, waits, b"\x1a12345\n");
    assert!(shown.contains("stopped") && shown.contains("ended with 6"), "Ctrl-Z: {shown}");
    let types = "import fcntl, os, sys, termios
print('ready', flush=True)
try: fcntl.ioctl(0, termios.TIOCSTI, b'x'); os._exit(1)
except OSError as error: os._exit(3)";
    let shown = at_terminal(&project, types, b"");
    assert!(shown.contains("ended with 3"), "it types for the user: {shown}");
}

#[test]
fn without_bubblewrap_it_says_so_and_goes_on() {
    let project = project();
    let folder = project.root().join("bin");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/bin/sh", folder.join("sh")).unwrap();
    let start = |args: &[&str]| {
        let mut command = project.stranger(args);
        command.env("PATH", &folder).env("COLUMNS", "80").stdin(Stdio::null());
        crate::project::Printed::from(command.output().unwrap())
    };
    let printed = start(&["run", "sh", "-c", "echo \"${HOLDPOINT_KEEPER-none}\"; exit 6"]);
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(6), "none\n"));
    assert!(printed.stderr.contains("bubblewrap is not installed"), "{}", printed.stderr);
    assert!(printed.stderr.contains("sudo apt install bubblewrap"), "{}", printed.stderr);
    let printed = start(&["run", "--require", "sh", "-c", "echo started"]);
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(1), ""), "{}", printed.stderr);
    assert!(printed.stderr.contains("sh was not started"), "{}", printed.stderr);
}

#[test]
fn an_agent_starts_no_fence() {
    let project = project();
    let mut command = run(&project, &["true"]);
    let output = command.env("CLAUDECODE", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the user's to call"), "{said}");
}

/// Where the keeper does not answer, nothing is judged inside in its place.
#[test]
fn a_hook_whose_keeper_is_gone_holds() {
    let project = project();
    let call = |event: &serde_json::Value| {
        let mut command = project.command(&["hook", "--agent", "claude"]);
        command.env("HOLDPOINT_KEEPER", project.root().join("no-such-socket"));
        feed(command, event.to_string().as_bytes()).json()
    };
    let mut event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(),
        "tool_name": "Bash", "tool_input": {"command": "ls"}});
    let answer = call(&event);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{answer}");
    event["hook_event_name"] = json!("Stop");
    assert_eq!(call(&event)["decision"], "block");
    event["stop_hook_active"] = json!(true);
    let answer = call(&event);
    assert!(answer["decision"].is_null() && answer["systemMessage"].is_string(), "once: {answer}");
    let mut command = project.command(&["status"]);
    command.env("HOLDPOINT_KEEPER", project.root().join("no-such-socket"));
    let printed = feed(command, b"");
    assert_eq!(printed.code, Some(3), "{}", printed.stderr);
    assert!(printed.stderr.contains("does not answer"), "{}", printed.stderr);
}

#[test]
fn nobody_else_is_a_keeper() {
    let project = project();
    let printed = project.run(&["relayed", "client", "status"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("only a keeper calls this"), "{}", printed.stderr);
    let printed = project.run(&["fenced", "15", "true"]);
    assert_eq!(printed.code, Some(1), "{}", printed.stderr);
}

#[test]
fn a_link_on_the_way_to_the_state_folder_is_no_fence() {
    if !is_possible() {
        return;
    }
    let project = project();
    let link = project.root().join("state");
    std::os::unix::fs::symlink(project.state(), &link).unwrap();
    let mut command = run(&project, &["true"]);
    let output = command.env("XDG_STATE_HOME", &link).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("a link that an agent could replace"), "{said}");
}
