//! Every payload we have of every agent, through its dialect: what it means to us, and how a hold is answered.

use std::fmt::Write;

use holdpoint::agent::{self, Agent, Answer, Asked, Otherwise, Protocol};
use holdpoint_core::event::Event;
use holdpoint_core::tool::ToolKind;
use insta::assert_snapshot;
use serde_json::{Value as Json, json};

use crate::recorded::payloads;

const OTHERWISE: Otherwise<'static> = Otherwise { cwd: "/hook", moment: None };

fn read(agent: Agent, payload: &Json) -> Option<(Asked, Event)> {
    agent::event(Agent::recognise(Some(agent), payload), payload, &OTHERWISE)
}

/// An event in a line.
fn line(event: &Event) -> String {
    let mut line = event.moment.name().to_owned();
    if let Some(tool) = &event.tool {
        let kind = ToolKind::NAMED.iter().find(|(_, kind)| *kind == tool.kind());
        let target =
            tool.command().map(std::borrow::Cow::into_owned).or_else(|| tool.paths().first().cloned());
        let target = target.or_else(|| tool.agent().unwrap().map(str::to_owned));
        let text = |text: Option<String>| text.map(|text| text.replace('\n', "⏎")).unwrap_or_default();
        write!(line, " {} {} ({})", kind.map_or("other", |(name, _)| name), tool.name, text(target)).unwrap();
        for (mark, said) in [("->", tool.result_text()), ("failed:", tool.error_text())] {
            let start: String = text(said).chars().take(30).collect();
            let said = if start.is_empty() { String::new() } else { format!(" {mark} {start}") };
            line += &said;
        }
    }
    if let Some(prompt) = &event.prompt {
        write!(line, " ({prompt})").unwrap();
    }
    assert_eq!(event.session.as_deref(), Some("a-session"));
    if event.cwd != "/project" {
        write!(line, " in {}", event.cwd).unwrap();
    }
    line
}

fn meanings(name: &str, agent: Agent) -> String {
    let mut lines = String::new();
    for (file, payload) in payloads(name) {
        let meaning = match read(agent, &payload) {
            Some((asked, event)) => {
                assert_eq!(asked.agent, agent, "{name}/{file}");
                line(&event)
            }
            None => "-".to_owned(),
        };
        writeln!(lines, "{file}: {meaning}").unwrap();
    }
    lines
}

/// Each event that means something, with the answer to a hold, to what is only said, and to nothing; of several alike
/// the first.
fn answers(name: &str, agent: Agent) -> String {
    let held = Answer { hold: Some("why".into()), ..Answer::default() };
    let said = Answer { context: Some("c".into()), message: Some("m".into()), ..Answer::default() };
    let mut lines: Vec<String> = Vec::new();
    for (_, payload) in payloads(name) {
        let Some((asked, event)) = read(agent, &payload) else { continue };
        let render = |answer: &Answer| {
            let mut answer = answer.clone();
            agent::settle(&mut answer, agent, event.moment);
            let stdout = agent::render(&answer, &asked, event.moment, Protocol::Own);
            let stderr: String = answer.stderr.iter().map(|text| format!(" stderr:{text}")).collect();
            stdout.map_or("nothing".to_owned(), |json| json.to_string()) + &stderr
        };
        let silence = render(&Answer::default());
        assert!(silence == "nothing" || (silence == "{}" && agent == Agent::Codex), "{silence}");
        lines.push(format!("{}: held {}\n  said {}", asked.event_name, render(&held), render(&said)));
    }
    lines.sort();
    lines.dedup();
    lines.join("\n")
}

/// The payloads that are taken for another agent's, and whose, where the command line says this.
fn mistaken(name: &str, agent: Agent, told: Option<Agent>) -> Vec<String> {
    let meant = payloads(name).into_iter().filter(|(_, payload)| read(agent, payload).is_some());
    meant
        .map(|(file, payload)| (file, Agent::recognise(told, &payload)))
        .filter(|(_, taken_for)| *taken_for != agent)
        .map(|(file, taken_for)| format!("{name}/{file} for {}'s", taken_for.name()))
        .collect()
}

#[test]
fn claude_code() {
    assert_snapshot!(meanings("claude", Agent::Claude), @r#"
    PostToolBatch: -
    PostToolUse-Agent: after delegation Agent (general-purpose) -> The task is done.
    PostToolUse-Bash: after shell Bash (echo fine) -> {"stdout":"fine","stderr":"","
    PostToolUse-Bash-by-sub-agent: after shell Bash (echo here) -> {"stdout":"here","stderr":"","
    PostToolUse-Write: after edit Write (/project/notes.md) -> {"type":"create","filePath":"/
    PostToolUseFailure-Bash: after shell Bash (echo bad; exit 7) failed: Exit code 7⏎bad
    PreToolUse-Agent: before delegation Agent (general-purpose)
    PreToolUse-Bash: before shell Bash (echo fine)
    PreToolUse-Bash-by-sub-agent: before shell Bash (echo here)
    PreToolUse-Write: before edit Write (/project/notes.md)
    SessionEnd: end
    SessionStart: start
    Stop: stop
    SubagentStart: subagent-start
    SubagentStop: subagent-stop
    UserPromptSubmit: prompt (go)
    "#);
    assert_snapshot!(answers("claude", Agent::Claude), @r#"
    PostToolUse: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}
    PostToolUseFailure: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}
    PreToolUse: held {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}
    SessionEnd: held nothing
      said {"systemMessage":"m\n\nc"}
    SessionStart: held nothing
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}
    Stop: held {"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"why"}}
      said {"systemMessage":"m\n\nc"}
    SubagentStart: held nothing
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}
    SubagentStop: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    UserPromptSubmit: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}
    "#);
}

#[test]
fn codex() {
    assert_snapshot!(meanings("codex", Agent::Codex), @r#"
    PostToolUse-Bash: after shell Bash (echo fine) -> fine⏎
    PostToolUse-Bash-by-sub-agent: after shell Bash (echo here) -> here⏎
    PostToolUse-Bash-that-failed: after shell Bash (echo bad; exit 7) -> bad⏎
    PostToolUse-apply_patch: after edit apply_patch (/project/notes.md) -> Exit code: 0⏎Wall time: 0 seco
    PostToolUse-multi_agent_v1wait_agent: after other multi_agent_v1wait_agent () -> {"status":{"an-id":{"completed
    PostToolUse-spawn_agent: after delegation spawn_agent () -> {"agent_id":"an-id","nickname"
    PreToolUse-Bash: before shell Bash (echo fine)
    PreToolUse-Bash-by-sub-agent: before shell Bash (echo here)
    PreToolUse-apply_patch: before edit apply_patch (/project/notes.md)
    PreToolUse-multi_agent_v1wait_agent: before other multi_agent_v1wait_agent ()
    PreToolUse-spawn_agent: before delegation spawn_agent ()
    SessionEnd: end
    SessionStart: start
    Stop: stop
    SubagentStart: subagent-start
    SubagentStop: subagent-stop
    UserPromptSubmit: prompt (go)
    "#);
    assert_snapshot!(answers("codex", Agent::Codex), @r#"
    PostToolUse: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}
    PreToolUse: held {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}
    SessionEnd: held nothing
      said {"systemMessage":"m\n\nc"}
    SessionStart: held nothing
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}
    Stop: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    SubagentStart: held nothing
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}
    SubagentStop: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    UserPromptSubmit: held {"decision":"block","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}
    "#);
}

#[test]
fn gemini_cli() {
    assert_snapshot!(meanings("gemini", Agent::Gemini), @r#"
    AfterAgent: stop
    AfterTool-complete_task: after other complete_task () -> Output submitted and task comp
    AfterTool-invoke_agent: after delegation invoke_agent (generalist) -> Subagent 'generalist' finished
    AfterTool-run_shell_command: after shell run_shell_command (echo fine) -> <untrusted_context>⏎Output: fi
    AfterTool-run_shell_command-that-failed: after shell run_shell_command (echo bad; exit 7) -> <untrusted_context>⏎Output: ba failed: <untrusted_context>⏎Output: ba
    AfterTool-write_file: after edit write_file (/project/notes.md) -> Successfully created and wrote
    BeforeAgent: prompt (go)
    BeforeTool-complete_task: before other complete_task ()
    BeforeTool-invoke_agent: before delegation invoke_agent (generalist)
    BeforeTool-run_shell_command: before shell run_shell_command (echo fine)
    BeforeTool-write_file: before edit write_file (/project/notes.md)
    PreCompress: compacting
    SessionStart: start
    "#);
    assert_snapshot!(answers("gemini", Agent::Gemini), @r#"
    AfterAgent: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    AfterTool: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"c"}}
    BeforeAgent: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"c"}}
    BeforeTool: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    PreCompress: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m\n\nc"}
    SessionStart: held {"decision":"deny","reason":"why"}
      said {"systemMessage":"m","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}
    "#);
}

#[test]
fn cursor() {
    assert_snapshot!(meanings("cursor", Agent::Cursor), @r#"
    afterFileEdit: -
    beforeMCPExecution: before other lookup ()
    beforeShellExecution: before shell Shell (echo fine) in /project/below
    beforeSubmitPrompt: prompt (go)
    postToolUse-Shell: after shell Shell (echo fine) -> fine⏎
    postToolUse-Shell-that-failed: after shell Shell (echo bad; exit 7) -> bad⏎ failed: bad⏎
    postToolUseFailure-Shell: after shell Shell (echo bad; exit 7) failed: bad
    preToolUse-MCP: before other MCP:lookup ()
    preToolUse-Shell: before shell Shell (echo fine)
    preToolUse-Task: before delegation Task (generalPurpose)
    preToolUse-Write: before edit Write (/project/notes.md)
    sessionStart: start
    stop: stop
    stop-aborted: -
    subagentStop: -
    "#);
    assert_snapshot!(answers("cursor", Agent::Cursor), @r#"
    beforeMCPExecution: held {"permission":"deny","user_message":"why","agent_message":"why"}
      said nothing stderr:c stderr:m
    beforeShellExecution: held {"permission":"deny","user_message":"why","agent_message":"why"}
      said nothing stderr:c stderr:m
    beforeSubmitPrompt: held {"continue":false,"user_message":"why"}
      said nothing stderr:c stderr:m
    postToolUse: held {"additional_context":"why"}
      said {"additional_context":"c\n\nm"}
    postToolUseFailure: held {"additional_context":"why"}
      said {"additional_context":"c\n\nm"}
    preToolUse: held {"permission":"deny","user_message":"why","agent_message":"why"}
      said nothing stderr:c stderr:m
    sessionStart: held {"additional_context":"why"}
      said {"additional_context":"c\n\nm"}
    stop: held {"followup_message":"why"}
      said nothing stderr:c stderr:m
    "#);
}

#[test]
fn copilot_cli() {
    assert_snapshot!(meanings("copilot", Agent::Copilot), @r#"
    PostToolUse-Bash-in-snake-case: after shell Bash (echo fine) -> fine
    PostToolUseFailure-Bash-in-snake-case: after shell Bash (echo bad; exit 7) failed: bad
    PreToolUse-Agent-in-snake-case: before delegation Agent (general-purpose)
    PreToolUse-Bash-in-snake-case: before shell Bash (echo fine)
    PreToolUse-Edit-in-snake-case: before edit Edit (/project/notes.md)
    PreToolUse-Write-in-snake-case: before edit Write (/project/notes.md)
    SessionStart-in-snake-case: start
    Stop-in-snake-case: stop
    SubagentStop-in-snake-case: -
    UserPromptSubmit-in-snake-case: prompt (go)
    agentStop: stop
    postToolUse-bash: after shell bash (echo fine) -> fine
    postToolUse-bash-that-failed: after shell bash (echo bad; exit 7) -> bad failed: bad
    postToolUseFailure-bash: after shell bash (echo bad; exit 7) failed: bad
    preToolUse-apply_patch: before edit apply_patch (/project/notes.md)
    preToolUse-bash: before shell bash (echo fine)
    preToolUse-bash-in-a-text: before shell bash (echo fine)
    preToolUse-create: before edit create (/project/notes.md)
    preToolUse-task: before delegation task (general-purpose)
    sessionEnd: -
    sessionStart: start
    subagentStop: -
    userPromptSubmitted: prompt (go)
    "#);
    assert_snapshot!(answers("copilot", Agent::Copilot), @r#"
    PostToolUse: held {"additionalContext":"why","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"why"}}
      said {"additionalContext":"c\n\nm","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c\n\nm"}}
    PostToolUseFailure: held {"additionalContext":"why","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"why"}}
      said {"additionalContext":"c\n\nm","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c\n\nm"}}
    PreToolUse: held {"permissionDecision":"deny","permissionDecisionReason":"why","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"why"}}
      said nothing stderr:c stderr:m
    SessionStart: held {"additionalContext":"why","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"why"}}
      said {"additionalContext":"c\n\nm","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c\n\nm"}}
    Stop: held {"decision":"block","reason":"why","hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"why"}}
      said nothing stderr:c stderr:m
    UserPromptSubmit: held nothing stderr:why
      said nothing stderr:c stderr:m
    agentStop: held {"decision":"block","reason":"why"}
      said nothing stderr:c stderr:m
    postToolUse: held {"additionalContext":"why"}
      said {"additionalContext":"c\n\nm"}
    postToolUseFailure: held {"additionalContext":"why"}
      said {"additionalContext":"c\n\nm"}
    preToolUse: held {"permissionDecision":"deny","permissionDecisionReason":"why"}
      said nothing stderr:c stderr:m
    sessionStart: held {"additionalContext":"why"}
      said {"additionalContext":"c\n\nm"}
    userPromptSubmitted: held nothing stderr:why
      said nothing stderr:c stderr:m
    "#);
}

#[test]
fn agents_are_known_by_what_they_send() {
    let mut lines = String::new();
    for (name, agent) in Agent::ALL {
        assert_eq!(mistaken(name, agent, Some(agent)), [""; 0]);
        // Others read Claude Code's settings, and call what is registered there.
        for (told, by) in [(Some(Agent::Claude), "claude"), (None, "nobody")] {
            for mistake in mistaken(name, agent, told) {
                writeln!(lines, "told {by}: {mistake}").unwrap();
            }
        }
    }
    assert_snapshot!(lines, @r#"
    told claude: codex/SessionEnd for claude's
    told claude: codex/SessionStart for claude's
    told nobody: codex/SessionEnd for claude's
    told nobody: codex/SessionStart for claude's
    "#);
}

/// Every field of every payload once as something else, for every agent: nothing of it may break us.
#[test]
fn a_field_of_any_type_breaks_nothing() {
    let others = [json!(null), json!(5), json!(""), json!("é"), json!([]), json!({}), json!([{"text": 1}])];
    for (name, payload) in Agent::ALL.iter().flat_map(|(name, _)| payloads(name)) {
        for field in payload.as_object().unwrap().keys() {
            for other in &others {
                let mut payload = payload.clone();
                payload[field] = other.clone();
                for told in Agent::ALL.map(|(_, agent)| Some(agent)).into_iter().chain([None]) {
                    let agent = Agent::recognise(told, &payload);
                    let event = agent::event(agent, &payload, &OTHERWISE).map(|(_, event)| event);
                    let is_absolute = event.is_none_or(|event| event.cwd.starts_with('/'));
                    assert!(is_absolute, "{name} with {field} as {other}");
                }
            }
        }
    }
}
