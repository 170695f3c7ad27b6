//! Whatever comes in, the answer is the right one: held where the event can be understood, let go where it cannot, and
//! never exit code 2, a panic or broken JSON.

use std::io::Write;
#[cfg(unix)]
use std::process::Command;
use std::process::Stdio;

use serde_json::{Value as Json, json};

use crate::gate::{COUNTING, ISDLC_STATE, STATE, event, gate, held, last_faults, message, sound};
#[cfg(unix)]
use crate::links::trees::within_the_deadline;
use crate::project::{Printed, Project, feed};

#[test]
fn what_is_no_event_is_let_go_noted_and_told_once() {
    let deep = format!("{{\"tool_name\":\"Bash\",\"x\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for (about, input, fault) in [
        ("empty", &b""[..], "not JSON (0 bytes)"),
        ("blank", b" \n\t ", "not JSON (4 bytes)"),
        ("null", b"null", "not a JSON object"),
        ("a list", b"[{\"hook_event_name\":\"PreToolUse\"}]", "not a JSON object"),
        ("a number", b"5", "not a JSON object"),
        ("a text", b"\"PreToolUse\"", "not a JSON object"),
        ("broken", b"{hook_event_name: PreToolUse}", "not JSON"),
        ("single quotes", b"{'hook_event_name': 'PreToolUse'}", "not JSON"),
        ("truncated", b"{\"hook_event_name\":\"PreToolUse\",\"tool_na", "not JSON"),
        ("only a mark", b"\xef\xbb\xbf", "not JSON"),
        ("only zeros", b"\0\0\0\0", "not JSON"),
        ("another encoding", b"\xff\xfe{\0\"\0a\0\"\0:\x001\0}\0", "not JSON"),
        ("a banner before it", b"Welcome!\n{\"hook_event_name\":\"PreToolUse\"}", "not JSON"),
        ("too deep", deep.as_bytes(), "nested more than 512 levels deep"),
        ("too deep and cut off", &deep.as_bytes()[..90_000], "nested more than 512 levels deep"),
    ] {
        let project = gate();
        let printed = project.run_with(&["hook"], input);
        sound(&printed, about);
        assert!(message(&printed).contains(fault), "{about}: {}", printed.stdout);
        assert_eq!(printed.stderr.trim_end(), message(&printed), "{about}");
        assert!(last_faults(&project).contains(fault), "{about}: {}", last_faults(&project));
        let again = project.run_with(&["hook"], input);
        assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", ""), "{about}");
        assert_eq!(project.journal().len(), 2, "{about}");
    }
}

#[test]
fn what_is_no_event_is_not_told_where_nothing_of_ours_is() {
    let printed = Project::new().run_with(&["hook"], b"nonsense");
    sound(&printed, "no project");
    assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", ""));
}

#[test]
fn a_folder_that_is_not_there_is_noted_and_told_once_a_session() {
    let project = gate();
    let mut event = event(&project);
    event["cwd"] = json!("/nonexistent");
    assert!(message(&project.hook(&event)).contains("/nonexistent"));
    assert_eq!(project.hook(&event).stdout, "");
    event["session_id"] = json!("another");
    assert!(message(&project.hook(&event)).contains("/nonexistent"));
    assert_eq!(project.journal().len(), 3);
}

#[test]
fn what_agents_get_wrong_is_mended_and_held() {
    let project = gate();
    let cwd = project.root().to_str().unwrap();
    let head = format!(
        "{{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"{cwd}\",\"tool_name\":\"Bash\","
    );
    let with = |rest: &[u8]| [head.as_bytes(), rest].concat();
    let nested =
        format!("\"tool_input\":{{\"command\":\"ls\",\"x\":{}{}}}}}", "[".repeat(400), "]".repeat(400));
    for (about, input, reason) in [
        ("as it should be", with(b"\"tool_input\":{\"command\":\"ls\"}}"), "ANY\n\nSHELL ls"),
        (
            "a mark",
            [b"\xef\xbb\xbf", with(b"\"tool_input\":{\"command\":\"ls\"}}").as_slice()].concat(),
            "ANY\n\nSHELL ls",
        ),
        (
            "lone surrogates",
            with(b"\"tool_input\":{\"command\":\"\\ud800 \\udc00\"}}"),
            "ANY\n\nSHELL \u{fffd} \u{fffd}",
        ),
        (
            "bytes that are no text",
            with(b"\"tool_input\":{\"command\":\"l\xffs\"}}"),
            "ANY\n\nSHELL l\u{fffd}s",
        ),
        ("a zero after it", with(b"\"tool_input\":{\"command\":\"ls\"}}\0"), "ANY\n\nSHELL ls"),
        ("control characters", with(b"\"tool_input\":{\"command\":\"a\nb\x01\"}}"), "ANY\n\nSHELL a\nb\u{1}"),
        ("a bad escape", with(b"\"tool_input\":{\"command\":\"C:\\dir\"}}"), "ANY\n\nSHELL C:\\dir"),
        (
            "a number out of range",
            with(b"\"tool_input\":{\"command\":\"ls\",\"timeout\":1e400}}"),
            "ANY\n\nSHELL ls",
        ),
        ("depth 400", with(nested.as_bytes()), "ANY\n\nSHELL ls"),
        ("the same key twice", with(b"\"tool_name\":\"Read\",\"tool_input\":{}}"), "ANY"),
        ("text after it", with(b"\"tool_input\":{\"command\":\"ls\"}}\ngoodbye"), "ANY\n\nSHELL ls"),
    ] {
        let printed = project.run_with(&["hook"], &input);
        sound(&printed, about);
        assert_eq!(held(&printed), reason, "{about}");
    }
    assert!(project.journal().iter().all(|entry| entry["faults"].is_null()));
}

#[test]
fn fields_of_the_wrong_type_do_not_open_the_gate() {
    let project = gate();
    project.write("a-file", "");
    let below = |name: &str| json!(project.root().join(name));
    let wrong = [json!(null), json!(true), json!(5), json!([1]), json!({"a": 1}), json!("")];
    for (field, reason) in [
        ("hook_event_name", "ANY\n\nSHELL ls"),
        ("session_id", "ANY\n\nSHELL ls"),
        ("cwd", "ANY\n\nSHELL ls"),
        ("tool_name", "ANY"),
        ("tool_input", "ANY\n\nSHELL"),
        ("prompt", "ANY\n\nSHELL ls"),
        ("transcript_path", "ANY\n\nSHELL ls"),
        ("stop_hook_active", "ANY\n\nSHELL ls"),
        ("tool_use_id", "ANY\n\nSHELL ls"),
    ] {
        for value in &wrong {
            let mut event = event(&project);
            event[field] = value.clone();
            let printed = project.hook(&event);
            sound(&printed, &format!("{field} = {value}"));
            // A text is an event's name of some agent, if not of one we know.
            let unknown_event = field == "hook_event_name" && value == "";
            // A tool without a name that is given a command is a shell, for all that can be told.
            let nameless = field == "tool_name" && value == "";
            let reason = if nameless { "ANY\n\nSHELL ls" } else { reason };
            assert_eq!(held(&printed), if unknown_event { "" } else { reason }, "{field} = {value}");
        }
        let mut event = event(&project);
        event.as_object_mut().unwrap().remove(field);
        sound(&project.hook(&event), field);
    }
    for cwd in [
        json!("relative/path"),
        json!("."),
        below("a-file"),
        below("gone/far"),
        below(".gate"),
        json!("/\u{0}"),
    ] {
        let mut event = event(&project);
        event["cwd"] = cwd.clone();
        let printed = project.hook(&event);
        sound(&printed, &cwd.to_string());
        assert_eq!(held(&printed).is_empty(), cwd == "/\u{0}", "{cwd}");
    }
    for value in &wrong {
        let mut event = event(&project);
        event["tool_input"]["command"] = value.clone();
        sound(&project.hook(&event), &value.to_string());
    }
}

#[test]
fn wrong_types_everywhere_pass_the_built_in_workflow_too() {
    let project = Project::new();
    project.write(".isdlc/state.json", ISDLC_STATE);
    let wrong = [json!(null), json!(5), json!([1]), json!({"a": 1})];
    let fields = ["prompt", "subagent_type", "description", "command", "file_path"];
    for tool in ["Task", "Bash", "Write", "apply_patch"] {
        for (field, value) in fields.iter().flat_map(|field| wrong.iter().map(move |value| (field, value))) {
            for name in ["PreToolUse", "PostToolUse"] {
                let event = json!({"hook_event_name": name, "session_id": "s", "cwd": project.root(),
                    "tool_name": tool, "tool_input": {*field: value}, "tool_response": value});
                sound(&project.hook(&event), &event.to_string());
            }
        }
    }
}

#[test]
fn fifty_megabytes_are_judged_and_more_than_the_limit_is_told() {
    let project = gate();
    let patient = || {
        let mut command = project.command(&["hook"]);
        command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "600000");
        command
    };
    let mut event = event(&project);
    event["tool_input"]["content"] = json!("x".repeat(50 * 1024 * 1024));
    let printed = feed(patient(), event.to_string().as_bytes());
    sound(&printed, "50 MB");
    assert_eq!(held(&printed), "ANY\n\nSHELL ls");
    assert!(project.read_book("journal.jsonl").len() < 2_000, "nothing of it is kept");

    event["tool_input"]["content"] = json!("x".repeat(65 * 1024 * 1024));
    for _ in 0..2 {
        let printed = feed(patient(), event.to_string().as_bytes());
        sound(&printed, "65 MB");
        assert!(message(&printed).contains("too large"), "told each time: {}", printed.stdout);
        assert!(last_faults(&project).contains("too large"), "{}", last_faults(&project));
    }
}

#[test]
fn what_is_too_long_to_judge_is_told() {
    let project = Project::new();
    project.write(".isdlc/state.json", ISDLC_STATE);
    let call = |session: &str, tool: &str, field: &str, text: String| {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": session, "cwd": project.root(),
            "tool_name": tool, "tool_input": {field: text, "subagent_type": "x"}});
        project.hook(&event)
    };
    for (session, tool, field, text) in [
        ("a", "Bash", "command", "git commit; ".repeat(100_000)),
        ("b", "Bash", "command", "git $x ".repeat(100_000)),
        ("c", "Bash", "command", format!("git commit -m {}", "x".repeat(1_000_000))),
        ("d", "Task", "prompt", "06-implementation ".repeat(400_000)),
    ] {
        let printed = call(session, tool, field, text);
        sound(&printed, session);
        let is_held = !held(&printed).is_empty();
        assert!(
            is_held || message(&printed).contains("could not judge this"),
            "{session}: {}",
            printed.stdout
        );
        assert!(is_held || last_faults(&project).contains("too "), "{session}: {}", last_faults(&project));
    }
}

/// The sizes that once took a hook longer than agents wait for it. Work is counted, not seconds: the machine may be busy.
#[cfg(unix)]
#[test]
fn the_largest_inputs_are_answered_within_the_hooks_time() {
    let project = Project::new();
    project.write(".isdlc/state.json", ISDLC_STATE);
    let mega = 1024 * 1024;
    let call = |name: &str, tool: &str, input: Json, response: Json| {
        let event = json!({"hook_event_name": name, "session_id": name, "cwd": project.root(), "tool_name": tool,
            "tool_input": input, "tool_response": response});
        let mut command = project.command(&["hook"]);
        command.env("HOLDPOINT_INPUT_TIMEOUT_MS", "600000");
        within_the_deadline(command, &event.to_string())
    };
    let commits = json!({"command": "git commit; ".repeat(48 * mega / 12)});
    let words = json!({"command": "$x ".repeat(30 * mega / 3)});
    let result = json!({"content": [{"type": "text", "text": "VERDICT 1 approved ".repeat(36 * mega / 19)}]});
    for (about, printed) in [
        ("48 MB of commits", call("PreToolUse", "Bash", commits, Json::Null)),
        ("30 MB of words", call("PreToolUse", "Bash", words, Json::Null)),
        (
            "a result of 36 MB",
            call("PostToolUse", "Agent", json!({"subagent_type": "x", "prompt": "y"}), result),
        ),
    ] {
        sound(&printed, about);
        let is_judged = !held(&printed).is_empty() || printed.stdout.is_empty();
        assert!(
            is_judged || message(&printed).contains("could not judge this"),
            "{about}: {}",
            printed.stdout
        );
    }
}

#[test]
fn events_and_tools_nobody_knows() {
    let project = gate();
    let names = [
        "PostToolBatch",
        "UserPromptExpansion",
        "MessageDisplay",
        "WorktreeCreate",
        "BeforeModel",
        "afterFileEdit",
        "tool.execute.before",
        "pretooluse",
        "p",
        "é",
        "PreToolUse ",
        "",
    ];
    for name in names {
        let mut event = event(&project);
        event["hook_event_name"] = json!(name);
        let printed = project.hook(&event);
        sound(&printed, name);
        assert_eq!((printed.stdout.as_str(), printed.stderr.as_str()), ("", ""), "{name}");
    }
    assert!(project.journal().is_empty(), "what is not ours leaves no trace");
    for name in ["BeforeTool", "preToolUse", "beforeShellExecution"] {
        let mut event = event(&project);
        event["hook_event_name"] = json!(name);
        assert!(
            project.hook(&event).stdout.contains("ANY"),
            "{name} is another agent's, and we speak for it"
        );
    }
    for tool in ["Frobnicate", "mcp__server__tool", "", "BASH", "Bash\0", "😀"] {
        let mut event = event(&project);
        event["tool_name"] = json!(tool);
        let printed = project.hook(&event);
        sound(&printed, tool);
        assert_eq!(held(&printed), "ANY\n\nSHELL ls", "{tool} is given a command");
        event["tool_input"] = json!({"city": "Rome"});
        assert_eq!(held(&project.hook(&event)), "ANY", "{tool}");
    }
}

#[test]
fn no_environment_at_all() {
    let project = gate();
    let mut command = project.command(&["hook"]);
    command.env_clear();
    let printed = feed(command, event(&project).to_string().as_bytes());
    sound(&printed, "no environment");
    assert_eq!(held(&printed), "", "without a home nobody can have allowed anything");
    let told = message(&printed);
    assert!(told.contains("can be looked up") && told.contains("XDG_STATE_HOME"), "{}", printed.stdout);
    let mut command = project.command(&["hook"]);
    command.env_clear().env("XDG_STATE_HOME", project.state());
    let printed = feed(command, event(&project).to_string().as_bytes());
    assert_eq!(held(&printed), "ANY\n\nSHELL ls");
}

#[test]
fn a_reader_that_is_gone_is_no_fault() {
    let project = gate();
    project.workflow("gate", COUNTING);
    let mut command = project.command(&["hook"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(event(&project).to_string().as_bytes()).unwrap();
    let printed: Printed = child.wait_with_output().unwrap().into();
    assert_eq!((printed.code, printed.stderr.as_str()), (Some(0), ""));
    assert_eq!(project.journal().len(), 1);
}

/// Files that are opened later must not get the numbers of closed streams: an answer would land in them.
#[cfg(unix)]
#[test]
fn closed_streams_neither_break_nor_leak() {
    for (about, closing, is_read) in [
        ("stdin", "<&-", false),
        ("stdout", ">&-", true),
        ("stderr", "2>&-", true),
        ("stdout and stderr", ">&- 2>&-", true),
        ("all", "<&- >&- 2>&-", false),
    ] {
        let project = gate();
        project.workflow("gate", COUNTING);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("exec \"$0\" hook {closing}"), env!("CARGO_BIN_EXE_holdpoint")]);
        command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(project.root());
        command.env("XDG_STATE_HOME", project.state());
        project.allow();
        let printed = feed(command, event(&project).to_string().as_bytes());
        sound(&printed, about);
        let expected = if about == "stderr" { "ANY" } else { "" };
        assert_eq!(held(&printed), expected, "{about}");
        let state: Json = serde_json::from_str(&project.read(STATE)).unwrap();
        assert_eq!(state["count"] == json!(1), is_read, "{about}: {state}");
        assert_eq!(project.journal().len(), 1, "{about}");
    }
}
