//! The real binary, killed with SIGKILL before and after every system call it makes: whatever the instruction, the
//! files are the old ones or the new ones, and the next hook works.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use holdpoint::store::journal;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::{Value as Json, json};

use crate::parallel::COUNTER;
use crate::project::Project;

/// A state with fields nobody knows, in an order and a spelling that no serialiser would choose.
const OLD: &str =
    "{ \"z\": 1.0, \"count\": 41,\n  \"a\": {\"big\": 12345678901234567890123, \"e\": \"\\u00e9\"} }\n";
const STATE: &str = ".counter/state.json";

fn prepared() -> Project {
    let project = Project::new();
    project.workflow("counter", COUNTER).write(STATE, OLD);
    project
}

fn new_state(count: u32) -> String {
    OLD.replace("41", &count.to_string())
}

fn before(project: &Project) -> Json {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project.root(), "tool_name": "Bash",
        "tool_input": {"command": "ls"}})
}

fn stop(project: &Project) -> Json {
    json!({"hook_event_name": "Stop", "session_id": "s", "cwd": project.root(), "stop_hook_active": false})
}

#[test]
fn a_kill_at_any_system_call_leaves_the_old_state_or_the_new_one() {
    let (mut old, mut new, mut torn_off) = (0, 0, 0);
    let kills = for_every_kill(prepared, before, |project, at| {
        let state = project.read(STATE);
        let count = if state == OLD { 41 } else { 42 };
        assert_eq!(state, new_state(count), "killed at stop {at}");
        *(if count == 41 { &mut old } else { &mut new }) += 1;
        torn_off += usize::from(!temporary_files(project, ".holdpoint/tmp").is_empty());
        assert!(
            temporary_files(project, ".counter").is_empty(),
            "what is left is not among the user's files"
        );
        assert_eq!(project.hook(&before(project)).stdout, "", "killed at stop {at}");
        assert_eq!(project.read(STATE), new_state(count + 1), "the next hook counts on, killed at stop {at}");
    });
    assert!(old > 20 && new > 5 && torn_off > 3, "{kills} kills: {old} old, {new} new, {torn_off} cut off");
}

#[test]
fn a_kill_at_any_system_call_of_a_stop_leaves_the_memory_whole() {
    let held_once = || {
        let project = prepared();
        assert_eq!(project.hook(&stop(&project)).json()["decision"], "block");
        project
    };
    let (mut old, mut new) = (0, 0);
    for_every_kill(held_once, stop, |project, at| {
        let holds = memory(project)["stop_holds"].as_u64().unwrap();
        assert!(matches!(holds, 1 | 2), "{holds} holds, killed at stop {at}");
        *(if holds == 1 { &mut old } else { &mut new }) += 1;
        for more in holds..3 {
            assert_eq!(
                project.hook(&stop(project)).json()["decision"],
                "block",
                "{more}, killed at stop {at}"
            );
        }
        assert_eq!(
            project.hook(&stop(project)).json()["decision"],
            Json::Null,
            "patience, killed at stop {at}"
        );
        assert_eq!(project.read(STATE), OLD, "killed at stop {at}");
    });
    assert!(old > 20 && new > 5, "{old} old, {new} new");
}

/// The state of a sealed run, its copy, its record, the head, the witness: whichever was written last, no step is lost and
/// nothing looks as if others had been at it.
#[test]
fn a_kill_at_any_system_call_leaves_the_books_whole() {
    let begun = || {
        let project = Project::new();
        project.git(&["init", "--quiet"]);
        let sealed = "sealed = true\n[fields]\ncount = 41\nfinished = false\n[commands.begin]\nabout = \"Begin.\"\n\
            steps = [{ create = \"x\", say = \"Begun.\" }]\n[witnesses.count]";
        project.workflow("counter", &COUNTER.replace("[witnesses.count]", sealed));
        assert_eq!(project.run(&["counter", "begin"]).stdout, "Begun.\n");
        project
    };
    let count = |project: &Project| -> u64 {
        let state: Json = serde_json::from_str(&project.read(STATE)).unwrap();
        state["count"].as_u64().unwrap()
    };
    let (mut old, mut new) = (0, 0);
    for_kills(2, begun, before, |project, at| {
        let printed = project.hook(&before(project));
        let now = count(project);
        assert!(matches!(now, 42 | 43), "{now}, killed at stop {at}: {}", printed.stdout);
        *(if now == 42 { &mut old } else { &mut new }) += 1;
        let held = project.hook(&stop(project)).json();
        assert_eq!(held["reason"], "UNFINISHED", "killed at stop {at}: {held}");
        assert_eq!(count(project), now, "killed at stop {at}");
    });
    assert!(old > 20 && new > 5, "{old} old, {new} new");
}

/// A hold that the user has released: whoever is killed after it was used has let it pass, and nobody else does.
#[test]
fn a_kill_at_any_system_call_lets_no_release_pass_twice() {
    const APART: usize = 60;
    let gate =
        "about = \"x\"\n[run]\nhome = \".gate\"\n[holds.wait]\non = \"before shell\"\nsay = \"WAIT\"\n";
    let is_held = |project: &Project| {
        project.hook(&before(project)).json()["hookSpecificOutput"]["permissionDecision"] == "deny"
    };
    let granted = || {
        let project = Project::new();
        project.workflow("gate", gate).write(".gate/x", "");
        assert!(is_held(&project));
        let lines = project.journal();
        let hold = lines.last().unwrap()["rules"][0]["hold"].as_str().unwrap().to_owned();
        assert_eq!(project.run(&["release", &hold, "--reason", "x"]).code, Some(0));
        project
    };
    let is_used = |project: &Project| !project.book("door").is_dir() || grants(project).contains("\"used\"");
    // Until it is used, every so often; from then on at each system call.
    let stops = |at: usize| {
        let project = granted();
        (Traced::hook(&project, &before(&project)).run_to(at), project)
    };
    let first = (1..).step_by(APART).find(|at| is_used(&stops(*at).1)).unwrap();
    let (mut old, mut new) = (0, 0);
    for at in (first - APART..).step_by(2) {
        let (Reached::Stop, project) = stops(at) else { break };
        let passed = usize::from(!is_held(&project));
        assert!(is_held(&project), "killed at stop {at}");
        *(if passed == 1 { &mut old } else { &mut new }) += 1;
        // Whoever looks next writes down what was used, once.
        project.run(&["status"]);
        let evidence = project.read_book("evidence/gate.jsonl");
        assert_eq!(evidence.matches("\"release\"").count(), 1, "killed at stop {at}: {evidence}");
    }
    assert!(old > 5 && new > 20, "{old} old, {new} new");
}

/// What the books have of the user's grants; nothing once they are used and recorded.
fn grants(project: &Project) -> String {
    let files = std::fs::read_dir(project.book("door")).unwrap().map(|entry| entry.unwrap().path());
    let mut grants = files.filter(|path| path.to_string_lossy().ends_with(".grants.json"));
    grants.next().map_or_else(|| "\"used\"".to_owned(), |path| std::fs::read_to_string(path).unwrap())
}

/// Runs the hook once for each of its stops and kills it there; `look` judges what is left. Returns how many there
/// were.
fn for_every_kill(
    prepare: impl Fn() -> Project,
    event: fn(&Project) -> Json,
    look: impl FnMut(&Project, usize),
) -> usize {
    for_kills(1, prepare, event, look)
}

/// The same for every so many stops. With two, once for each system call: no file changes between one's end and the next.
fn for_kills(
    step: usize,
    prepare: impl Fn() -> Project,
    event: fn(&Project) -> Json,
    mut look: impl FnMut(&Project, usize),
) -> usize {
    for at in (1..).step_by(step) {
        let project = prepare();
        let lines = journal_lines(&project);
        match Traced::hook(&project, &event(&project)).run_to(at) {
            Reached::Stop => {
                assert!(matches!(journal_lines(&project) - lines, 0 | 1), "killed at stop {at}");
                look(&project, at);
            }
            Reached::End(code) => {
                assert_eq!(code, 0);
                assert!(at > 100, "only {at} stops were seen: this is not the hook");
                return at - 1;
            }
        }
    }
    0
}

/// How many lines the journal has: all of them readable.
fn journal_lines(project: &Project) -> usize {
    let text = std::fs::read_to_string(project.book("journal.jsonl")).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "one write for a line, so none is torn: {text}");
    let readable = journal::read(&project.books()).len();
    assert_eq!(readable, text.lines().count());
    readable
}

fn temporary_files(project: &Project, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project.root().join(folder)).into_iter().flatten();
    let entries = entries.map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect()
}

/// What the engine remembers of the one session.
fn memory(project: &Project) -> Json {
    let folder = project.book("sessions");
    let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let memory = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    serde_json::from_slice(&std::fs::read(memory).unwrap()).unwrap()
}

/// How a traced run ended.
pub(crate) enum Reached {
    /// At the stop asked for; it was killed there.
    Stop,
    /// By itself, before it, with this exit code.
    End(i32),
}

/// The hook under ptrace: it stops before and after every system call.
pub(crate) struct Traced {
    child: Child,
    pid: Pid,
    has_ended: bool,
}

impl Traced {
    /// A shell stops itself, is seized, and becomes the hook: `PTRACE_TRACEME` would need unsafe code here.
    pub(crate) fn hook(project: &Project, event: &Json) -> Traced {
        project.write("event.json", event.to_string());
        Traced::program(project, &["hook"], &project.root().join("event.json"))
    }

    /// The same for any command of the program.
    pub(crate) fn program(project: &Project, args: &[&str], input: &Path) -> Traced {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "kill -STOP $$; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_holdpoint")]).args(args);
        command.current_dir(project.root()).env_clear().env("HOME", "/nowhere").env("PATH", "/usr/bin:/bin");
        command.env("XDG_STATE_HOME", project.state()).stdin(File::open(input).unwrap());
        project.allow();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let traced = Traced { child, pid, has_ended: false };
        let stopped = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
        assert_eq!(stopped, WaitStatus::Stopped(pid, Signal::SIGSTOP));
        let options =
            Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL;
        ptrace::seize(pid, options).unwrap();
        kill(pid, Signal::SIGCONT).unwrap();
        traced
    }

    /// Lets it run to its `at`-th stop after it became the hook, and kills it there.
    pub(crate) fn run_to(self, at: usize) -> Reached {
        self.run_until(|seen| seen == at)
    }

    /// Lets it run from stop to stop until the one, counted from when it became the hook, at which it is to be killed.
    pub(crate) fn run_until(mut self, mut is_last: impl FnMut(usize) -> bool) -> Reached {
        let (mut is_hook, mut seen) = (false, 0);
        loop {
            match waitpid(self.pid, Some(WaitPidFlag::__WALL)).unwrap() {
                WaitStatus::PtraceEvent(_, _, event) => {
                    is_hook |= event == ptrace::Event::PTRACE_EVENT_EXEC as i32;
                }
                WaitStatus::PtraceSyscall(_) => seen += usize::from(is_hook),
                WaitStatus::Stopped(..) => {}
                WaitStatus::Exited(_, code) => {
                    self.has_ended = true;
                    return Reached::End(code);
                }
                other => panic!("an unexpected end: {other:?}"),
            }
            if seen > 0 && is_last(seen) {
                return Reached::Stop;
            }
            ptrace::syscall(self.pid, None).unwrap();
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if !self.has_ended {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}
