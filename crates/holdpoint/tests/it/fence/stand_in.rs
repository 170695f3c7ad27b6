//! A client in the place of Claude Code: it hands events over by sockets of its own, and has a shell for the agent.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

/// Does the steps of its first argument and writes what came of each to its second. `hook` hands an event over; `shell` runs
/// a line as the agent's tool does; `call` does both, with the line that the hook gives instead.
const CLIENT: &str = r#"
import json, os, socket, subprocess, sys
PIPE = subprocess.PIPE
def hand_over(event):
    ours, theirs = socket.socketpair()
    hook = subprocess.Popen([os.environ["OURS"], "hook", "--agent", "claude"], stdin=theirs, stdout=PIPE, stderr=PIPE)
    theirs.close(); ours.sendall(json.dumps(event).encode()); ours.shutdown(socket.SHUT_WR)
    out, err = hook.communicate()
    return {"code": hook.returncode, "stdout": out.decode(), "stderr": err.decode()}
def shell(line):
    done = subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=PIPE, stderr=PIPE, env={**os.environ, "CLAUDECODE": "1"})
    return {"code": done.returncode, "stdout": done.stdout.decode(), "stderr": done.stderr.decode()}
def step(one):
    if "hook" in one: return hand_over(one["hook"])
    if "shell" in one: return shell(one["shell"])
    event = {"hook_event_name": "PreToolUse", "session_id": one["session"], "cwd": os.getcwd(), "tool_name": "Bash", "tool_input": {"command": one["call"]}}
    answer = json.loads(hand_over(event)["stdout"] or "{}").get("hookSpecificOutput", {})
    if answer.get("permissionDecision") == "deny": return {"code": None, "stdout": answer["permissionDecisionReason"], "stderr": ""}
    return shell(answer.get("updatedInput", {}).get("command", one["call"]))
done = [step(one) for one in json.load(open(sys.argv[1]))]
json.dump(done, open(sys.argv[2], "w"))
"#;

/// What came of a step.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i64>,
    pub(crate) said: String,
}

/// Runs the client in a fence, in the surroundings of this command, and returns what came of each step.
pub(crate) fn run(mut keeper: Command, folder: &Path, steps: &[Json]) -> Vec<Done> {
    let file = |name: &str| folder.join(name);
    std::fs::write(file("client.py"), CLIENT).unwrap();
    std::fs::write(file("steps"), json!(steps).to_string()).unwrap();
    keeper.args(["run", "--require", "--", "python3"]).args([file("client.py"), file("steps"), file("done")]);
    keeper.env("OURS", env!("CARGO_BIN_EXE_holdpoint")).stdin(Stdio::null());
    let printed = crate::project::Printed::from(keeper.output().unwrap());
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let done: Json = serde_json::from_str(&std::fs::read_to_string(file("done")).unwrap()).unwrap();
    let text = |step: &Json, name: &str| step[name].as_str().unwrap().to_owned();
    let read = |step: &Json| Done {
        code: step["code"].as_i64(),
        said: text(step, "stdout") + &text(step, "stderr"),
    };
    done.as_array().unwrap().iter().map(read).collect()
}

/// Whether a fence can be made here. Where not, the test says that it is skipped, or fails where `HOLDPOINT_REQUIRE_FENCE=1`
/// is set.
pub(crate) fn is_possible() -> bool {
    let tried = Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--", "true"])
        .stdin(Stdio::null())
        .output();
    let why = match tried {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    let is_required = std::env::var_os("HOLDPOINT_REQUIRE_FENCE").is_some_and(|value| value == "1");
    assert!(!is_required, "a fence is required and cannot be made: {why}");
    // Not by a macro: the harness would hide it.
    let _ = writeln!(std::io::stderr(), "skipped a test with a fence: {why}");
    false
}
