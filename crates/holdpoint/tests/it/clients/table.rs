//! docs/reference/agents.md: what each agent can be held to, by the tests that prove it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::clients::install::{CLAUDE, CODEX, Client, GEMINI};
use crate::clients::{capabilities, taken_up, word};
use crate::recorded::is_recording;

/// What a capability comes to in one agent.
#[derive(Clone, Copy)]
struct Cell {
    level: &'static str,
    /// The test that shows it, with the client itself.
    test: Option<&'static str>,
    /// What else there is to know.
    note: Option<&'static str>,
}

/// The client does it whatever the model makes of it.
const ENFORCED: Cell = Cell { level: "enforced", test: None, note: None };
/// Somebody is told, and may ignore it.
const ADVISORY: Cell = Cell { level: "advisory", test: None, note: None };
/// The client has no way for it.
const IMPOSSIBLE: Cell = Cell { level: "impossible", test: None, note: None };
/// Nothing is written about it.
const NOT_KNOWN: Cell = Cell { level: "not known", test: None, note: None };

const fn enforced(test: &'static str) -> Cell {
    Cell { test: Some(test), ..ENFORCED }
}

const fn advisory(test: &'static str) -> Cell {
    Cell { test: Some(test), ..ADVISORY }
}

impl Cell {
    const fn but(self, note: &'static str) -> Cell {
        Cell { note: Some(note), ..self }
    }
}

const AGENTS: [&str; 5] = ["Claude Code", "Codex", "Gemini CLI", "Cursor", "Copilot CLI"];

/// The versions: of the clients that are tested, oldest and newest, and those that the documentation was written for.
fn versions() -> [String; 5] {
    let range = |client: &Client| {
        let (oldest, newest) = (client.oldest, client.newest);
        if oldest == newest { oldest.to_owned() } else { format!("{oldest} to {newest}") }
    };
    [range(&CLAUDE), range(&CODEX), range(&GEMINI), "3.9".to_owned(), "1.0".to_owned()]
}

/// The tests that prove something about a client.
const NAMES: [&[&str]; 3] = [capabilities::NAMES, &taken_up::NAMES, &word::NAMES];

/// Each capability, and what it comes to in each agent.
#[rustfmt::skip]
const TABLE: [(&str, [Cell; 5]); 20] = [
    ("A project's own hooks run without being trusted first", [
        enforced("claude_is_held_before_a_tool").but("In `claude -p`; else the folder must be trusted."),
        IMPOSSIBLE.but("Each is passed over in silence until the user trusts it with `/hooks`, and again when it changes."),
        IMPOSSIBLE.but("They are passed over in silence until the folder is trusted, and with `--skip-trust`."),
        NOT_KNOWN.but("Nothing is documented."),
        NOT_KNOWN.but("Nothing is documented."),
    ]),
    ("A tool call is held, and the model sees why", [
        enforced("claude_is_held_before_a_tool"),
        enforced("codex_is_held_before_a_tool"),
        enforced("gemini_is_held_before_a_tool"),
        ENFORCED,
        ENFORCED,
    ]),
    ("A file's edit is held by the file's name", [
        enforced("claude_is_held_before_an_edit"),
        enforced("codex_is_held_before_an_edit"),
        enforced("gemini_is_held_before_an_edit"),
        ENFORCED,
        ENFORCED,
    ]),
    ("A sub-agent's tool call is held", [
        enforced("claude_has_its_sub_agents_held"),
        enforced("codex_has_its_sub_agents_held"),
        enforced("gemini_has_its_sub_agents_held").but("Hooks are not told that it is a sub-agent's call."),
        NOT_KNOWN.but("The call that starts a sub-agent is held; its own calls are not documented."),
        NOT_KNOWN.but("The call that starts a sub-agent is held; its own calls are not documented."),
    ]),
    ("A hold after a tool reaches the model", [
        advisory("claude_sees_a_hold_beside_the_result").but("Beside the tool's result."),
        enforced("codex_sees_a_hold_for_the_result").but("In place of the tool's result."),
        enforced("gemini_sees_a_hold_for_the_result").but("In place of the tool's result."),
        ADVISORY.but("Beside the tool's result."),
        ADVISORY.but("Beside the tool's result."),
    ]),
    ("A witness before a tool reaches the model", [
        advisory("claude_hears_a_witness"),
        advisory("codex_hears_a_witness"),
        IMPOSSIBLE.but("The user is told instead."),
        IMPOSSIBLE.but("It goes to standard error, which the client logs."),
        IMPOSSIBLE.but("It goes to standard error, which the client logs."),
    ]),
    ("A witness after a tool reaches the model", [
        advisory("claude_hears_a_witness"),
        advisory("codex_hears_a_witness"),
        advisory("gemini_hears_a_witness_after_a_tool"),
        ADVISORY,
        ADVISORY,
    ]),
    ("A rule can tell that a command failed", [
        advisory("claude_tells_that_a_command_failed"),
        IMPOSSIBLE.but("Its hooks are not given a command's exit code."),
        advisory("gemini_tells_that_a_command_failed"),
        ADVISORY,
        ADVISORY,
    ]),
    ("A Stop is held, the agent goes on, and is released", [
        enforced("claude_is_held_at_stop").but("By itself the client ends the turn after 8 holds without a tool call between them: `init` raises that to 60, by `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` (`claude_is_held_as_often_as_it_takes`). The hold is context for the model, shown as feedback; to clients before 2.1.196, which do not name the prompt in their events, it is a block, shown as an error."),
        enforced("codex_is_held_at_stop"),
        enforced("gemini_is_held_at_stop").but("By its documentation, the client ends the turn after 100 rounds."),
        ENFORCED.but("By its documentation, the client ends the turn after 5 holds, unless `loop_limit` says otherwise."),
        ENFORCED.but("By its documentation, the client ends the turn after 8 holds."),
    ]),
    ("A Stop that nothing satisfies is released", [
        enforced("claude_is_let_go_in_the_end"),
        enforced("codex_is_let_go_in_the_end"),
        enforced("gemini_is_let_go_in_the_end"),
        ENFORCED,
        ENFORCED,
    ]),
    ("A run that is left open holds the next session, which is told where it stands", [
        enforced("claude_is_held_in_the_next_session").but("Also after `/clear`, a compaction and the end of the terminal (`clients::across`, `clients::at_terminal`), and after a fork (`clients::sessions`)."),
        enforced("codex_is_held_in_the_next_session"),
        enforced("gemini_is_held_in_the_next_session"),
        NOT_KNOWN.but("Nothing of it was tried."),
        NOT_KNOWN.but("Nothing of it was tried."),
    ]),
    ("A session that is resumed is held again", [
        enforced("claude_is_held_in_a_session_that_is_resumed"),
        enforced("codex_is_held_in_a_session_that_is_resumed"),
        enforced("gemini_is_held_in_a_session_that_is_resumed"),
        NOT_KNOWN.but("Nothing of it was tried."),
        NOT_KNOWN.but("Nothing of it was tried."),
    ]),
    ("A sub-agent is held at the end of its own work", [
        enforced("claude_has_a_sub_agent_held_until_its_tests_ran"),
        enforced("codex_has_a_sub_agent_held_until_its_tests_ran"),
        IMPOSSIBLE.but("Its hooks are not told of it."),
        NOT_KNOWN.but("Nothing of it was tried."),
        NOT_KNOWN.but("Nothing of it was tried."),
    ]),
    ("A prompt is held", [
        enforced("claude_is_held_at_a_prompt"),
        enforced("codex_is_held_at_a_prompt"),
        enforced("gemini_is_held_at_a_prompt"),
        ENFORCED,
        IMPOSSIBLE.but("The client drops the answer; it goes to standard error, too."),
    ]),
    ("Context at a session's start reaches the model", [
        advisory("claude_is_given_context"),
        advisory("codex_is_given_context"),
        advisory("gemini_is_given_context"),
        ADVISORY,
        ADVISORY,
    ]),
    ("The user sees a message", [
        advisory("claude_shows_its_user_a_message"),
        advisory("codex_takes_a_message_for_its_user").but("`codex exec` does not print it."),
        advisory("gemini_shows_its_user_a_message"),
        IMPOSSIBLE.but("After a tool and at a session's start the agent is told instead; else it goes to standard error."),
        IMPOSSIBLE.but("After a tool and at a session's start the agent is told instead; else it goes to standard error."),
    ]),
    ("A workflow's command knows the session it runs in", [
        enforced("claude_names_its_session_to_commands"),
        enforced("codex_names_its_session_to_commands"),
        IMPOSSIBLE.but("Its shell is not told: what is begun there holds every session in the project."),
        NOT_KNOWN.but("Without it, what is begun in its shell holds every session in the project."),
        NOT_KNOWN.but("Without it, what is begun in its shell holds every session in the project."),
    ]),
    ("A hook that faults lets the agent go on", [
        enforced("claude_goes_on_after_a_fault"),
        enforced("codex_goes_on_after_a_fault"),
        enforced("gemini_goes_on_after_a_fault"),
        ENFORCED,
        ENFORCED.but("A hook that cannot be started at all refuses every tool call: the client's own choice."),
    ]),
    ("A forged call of the hook is told from the client's own", [
        enforced("claude_has_forged_calls_told_apart"),
        enforced("codex_has_forged_calls_told_apart").but("By its own record of the session. Where its commands run outside of a sandbox they can write that, and evidence says \"caller not proved\"."),
        enforced("gemini_has_forged_calls_told_apart"),
        NOT_KNOWN.but("How it hands events over was not looked at: a call counts as the user's own."),
        NOT_KNOWN.but("How it hands events over was not looked at: a call counts as the user's own."),
    ]),
    ("A prompt gives a user's command, and only if it was typed", [
        enforced("claude_takes_no_users_command_that_was_not_typed"),
        IMPOSSIBLE.but("No record of its tells what was typed: the user's commands are taken in a terminal alone."),
        IMPOSSIBLE.but("No record of its tells what was typed: the user's commands are taken in a terminal alone."),
        IMPOSSIBLE.but("No record of its tells what was typed: the user's commands are taken in a terminal alone."),
        IMPOSSIBLE.but("No record of its tells what was typed: the user's commands are taken in a terminal alone."),
    ]),
];

const HEAD: &str = "\
# What each agent can be held to

Made by the tests from what they show: `HOLDPOINT_RECORD=1 cargo test --test it clients::table` writes it anew.

*Enforced*: the client does it whatever the model makes of it. *Advisory*: somebody is told, and may ignore it.
*Impossible*: the client has no way for it; the note says what happens instead.

Of Claude Code, Codex and Gemini CLI this is shown in the clients themselves, in the oldest and in the newest version
named, by the tests below (`crates/holdpoint/tests/it/clients`): they run on the oldest ones, and with
`HOLDPOINT_CLIENTS=newest` on the newest that the npm registry has. Of Cursor and Copilot CLI it is known by recorded payloads, written after their
documentation: no client was asked.
";

fn rendered() -> String {
    let mut notes: Vec<&str> = Vec::new();
    let mut rows = vec![
        "| *known by* | *its client* | *its client* | *its client* | *recorded payloads* | \
        *recorded payloads* |"
            .to_owned(),
    ];
    for (capability, cells) in TABLE {
        let cells = cells.map(|cell| match cell.note {
            Some(note) => format!("{} ({})", cell.level, number(note, &mut notes)),
            None => cell.level.to_owned(),
        });
        rows.push(format!("| {capability} | {} |", cells.join(" | ")));
    }
    let notes: Vec<String> =
        notes.iter().zip(1..).map(|(note, number)| format!("{number}. {note}")).collect();
    let tests = TABLE.map(|(capability, cells)| {
        let tests: Vec<String> =
            cells.iter().filter_map(|cell| cell.test).map(|test| format!("`{test}`")).collect();
        format!("- {capability}: {}", tests.join(", "))
    });
    let titles: Vec<String> =
        AGENTS.iter().zip(versions()).map(|(agent, version)| format!("{agent} {version}")).collect();
    let head = format!("| | {} |\n|{}", titles.join(" | "), " --- |".repeat(AGENTS.len() + 1));
    let (rows, notes, tests) = (rows.join("\n"), notes.join("\n"), tests.join("\n"));
    format!("{HEAD}\n{head}\n{rows}\n\n{notes}\n\n## Tests\n\n{tests}\n")
}

/// The number of a note, which is added if it is new.
fn number<'a>(note: &'a str, notes: &mut Vec<&'a str>) -> usize {
    let known = notes.iter().position(|known| *known == note);
    known.unwrap_or_else(|| {
        notes.push(note);
        notes.len() - 1
    }) + 1
}

#[test]
fn the_page_on_agents_says_what_the_tests_prove() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/agents.md");
    if is_recording() {
        std::fs::write(&page, rendered()).unwrap();
    }
    let kept = std::fs::read_to_string(page).unwrap();
    assert_eq!(kept, rendered(), "HOLDPOINT_RECORD=1 cargo test --test it clients::table writes it anew");
}

#[test]
fn what_is_said_of_a_client_is_proved_by_a_test_of_it() {
    let clients = ["claude_", "codex_", "gemini_"];
    let mut named = BTreeSet::new();
    for (capability, cells) in TABLE {
        for (cell, client) in cells.iter().zip(clients) {
            let Some(test) = cell.test else {
                assert_eq!(cell.level, "impossible", "{capability}: {client} needs a test");
                continue;
            };
            let is_one = NAMES.iter().any(|names| names.contains(&test));
            assert!(test.starts_with(client) && is_one, "{capability}: {test}");
            named.insert(test);
        }
        assert!(cells[clients.len()..].iter().all(|cell| cell.test.is_none()), "{capability}");
    }
    let all: BTreeSet<&str> = NAMES.iter().copied().flatten().copied().collect();
    assert_eq!(named, all, "a test that proves something stands in the table");
}
