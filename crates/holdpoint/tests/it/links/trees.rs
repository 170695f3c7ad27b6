//! Random trees of links, pipes and folders in files' places: whatever a repository looks like, no call writes outside
//! of it, none hangs, and none loses a file of the user's.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use holdpoint::store::books::Books;
use holdpoint::store::layout;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use super::{PLAN_STATE, Site, contents};
use crate::gate::{COUNTING, ISDLC_STATE, STATE};
use crate::project::Printed;

const TREES: u32 = 40;

/// Far more than any call needs, even on a busy machine: what takes longer hangs.
const HANGS_AFTER: Duration = Duration::from_mins(2);
/// The time that agents give a hook, in seconds. No call works for longer, however little of the machine it gets.
const WORKS_FOR_S: u32 = 30;

/// What is put in a place.
#[derive(Clone, Copy, Debug)]
enum Planted {
    LinkToFile,
    LinkToFolder,
    LinkToNothing,
    LinkInside,
    LinkToItself,
    Pipe,
    Device,
    Folder,
    Nonsense,
    Empty,
}

const ALL: [Planted; 10] = [
    Planted::LinkToFile,
    Planted::LinkToFolder,
    Planted::LinkToNothing,
    Planted::LinkInside,
    Planted::LinkToItself,
    Planted::Pipe,
    Planted::Device,
    Planted::Folder,
    Planted::Nonsense,
    Planted::Empty,
];

/// Places of Holdpoint's own.
const OURS: [&str; 32] = [
    ".holdpoint",
    ".holdpoint/.gitignore",
    ".holdpoint/journal.jsonl",
    ".holdpoint/locks",
    ".holdpoint/sessions",
    ".holdpoint/owners",
    ".holdpoint/told",
    ".holdpoint/reports",
    ".holdpoint/evidence",
    ".holdpoint/logs",
    ".holdpoint/evidence/taskie.jsonl",
    ".holdpoint/evidence/autopilot.jsonl",
    ".holdpoint/sealed",
    ".holdpoint/sealed/autopilot.json",
    ".holdpoint/checked",
    ".holdpoint/checked/gate",
    ".holdpoint/kept",
    ".holdpoint/git",
    ".holdpoint/git/objects",
    ".holdpoint/git/objects/ab",
    ".holdpoint/git/scratch",
    ".holdpoint/git/looked",
    ".holdpoint/git/cleared",
    ".holdpoint/messages",
    ".holdpoint/tmp",
    ".holdpoint/aside",
    ".holdpoint/installed.json",
    ".holdpoint/holdpoint.toml",
    ".holdpoint/workflows",
    ".holdpoint/workflows/gate",
    ".holdpoint/workflows/gate/workflow.toml",
    ".holdpoint/backups",
];

/// Places of runs, and the agents' settings.
const THEIR_FILES: [&str; 32] = [
    ".gitignore",
    ".gitattributes",
    ".taskie",
    ".taskie/plans",
    ".taskie/plans/p",
    ".taskie/plans/p/state.json",
    ".taskie/plans/p/plan.md",
    ".taskie/plans/p/plan-review-1.md",
    ".taskie/plans/p/.review-1.log",
    ".claude/claudex",
    ".claude/claudex/log",
    ".claude/claudex/odd.state",
    ".claude/claudex/20261116-101010-abcdef.state",
    ".isdlc",
    ".isdlc/state.json",
    ".gate",
    STATE,
    "autopilot-state.json",
    "ai",
    "ai/features",
    "ai/features/FTR-7-cart.md",
    ".claude",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/commands",
    ".claude/commands/taskie",
    ".codex",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".github/hooks",
];

/// The places: ours, and those of runs.
fn places() -> Vec<String> {
    let home = Path::new("/p");
    let place = |path: PathBuf| path.strip_prefix(home).unwrap().to_string_lossy().into_owned();
    let plan = home.join(".taskie/plans/p");
    // Where they would be without a state folder.
    let books = Books::in_project(home);
    let review = format!("review {}", layout::name(home, &plan));
    let computed = [
        layout::lock(home, &layout::name(home, &plan)),
        layout::lock(home, &layout::name(home, home)),
        layout::lock(home, &review),
        layout::lock(home, "sessions"),
        layout::lock(home, "owners"),
        books.owner(&plan),
        books.memory("s1", "taskie"),
        books.memory("s1", "gate"),
        books.report(&plan.join("plan-review-1.md")),
    ];
    // What Holdpoint keeps for the user: links there are the user's own mistake, and still lead nowhere.
    let kept = ["", "/projects", "/told", "/projects/0"].map(|part| format!("../state/holdpoint{part}"));
    let named = OURS.iter().chain(&THEIR_FILES).map(|path| (*path).to_owned()).chain(kept);
    computed.into_iter().map(place).chain(named).collect()
}

/// A clone with runs of all kinds, and files of the user's among them, or only beside them: what they are in stays.
fn site(is_among: bool) -> Site {
    let autopilot = r#"{"spec_id":"FTR-7","spec_path":"ai/features/FTR-7-cart.md","plan_exists":true,"phase":"tester",
        "spec_status":"in_progress","current_task":1,"test_command":"echo 9 passed in 0.1s",
        "tasks":[{"id":1,"name":"total","status":"in_progress","coder":"done","files_changed":["x"]}]}"#;
    let spec = "# Cart\n\n**Status:** queued\n\n## Implementation Plan\n\n### Task 1: total\nSum.\n";
    let sealed = format!("{} none\n{autopilot}", layout::content_digest(autopilot.as_bytes()));
    let site = Site::new()
        .upstream(".holdpoint/workflows/gate/workflow.toml", COUNTING)
        .upstream(STATE, "{\"locked\": true, \"count\": 7}")
        .upstream(".taskie/plans/p/plan.md", "# A plan\n")
        .upstream(".taskie/plans/p/state.json", PLAN_STATE)
        .upstream(".isdlc/state.json", ISDLC_STATE)
        .upstream(".claude/claudex/20261116-101010-abcdef.state", "phase: drafting\nmode: plan\n")
        .upstream("autopilot-state.json", autopilot)
        .upstream(".holdpoint/sealed/autopilot.json", &sealed)
        .upstream("ai/features/FTR-7-cart.md", spec);
    let mut site = site;
    let among: &[&str] = if is_among { &[".taskie/plans/p/", ".claude/claudex/", ".isdlc/"] } else { &[] };
    for folder in among.iter().chain(&["", "elsewhere/"]) {
        site = site.upstream(&format!("{folder}notes.txt"), &format!("{THEIRS}notes in {folder}"));
    }
    site = site.upstream(".claude/claudex/odd.state", &format!("{THEIRS}a game")).cloned();
    std::fs::create_dir_all(site.home("stuff")).unwrap();
    std::fs::write(site.home("stuff/old.state"), format!("{THEIRS}another game")).unwrap();
    let aged = File::create(site.home("stuff/old.json")).unwrap();
    aged.set_modified(std::time::SystemTime::now() - Duration::from_hours(24 * 60)).unwrap();
    std::fs::write(site.home("state.json"), PLAN_STATE).unwrap();
    site
}

/// Puts something in a place of the clone. What was there is taken for the stranger's own, but for the notes.
fn plant(site: &Site, path: &str, planted: Planted) {
    let place = site.clone().join(path);
    // A place behind what was planted before, or one with notes in it, stays as it is.
    let is_behind = |folder: &&Path| folder.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir());
    let has_notes = contents(&place).iter().any(|(path, _)| path.ends_with("notes.txt"));
    if place.ancestors().skip(1).any(|folder| is_behind(&folder)) || has_notes {
        return;
    }
    let _ = std::fs::remove_file(&place);
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    match planted {
        Planted::LinkToFile => symlink(site.home("state.json"), &place).unwrap(),
        Planted::LinkToFolder => symlink(site.home("stuff"), &place).unwrap(),
        Planted::LinkToNothing => symlink(site.home("new"), &place).unwrap(),
        Planted::LinkInside => symlink(site.clone().join("elsewhere"), &place).unwrap(),
        Planted::LinkToItself => symlink(place.file_name().unwrap(), &place).unwrap(),
        Planted::Pipe => assert!(made(Command::new("mkfifo").arg(&place))),
        // Endless, and the test's own: a device of the machine must not be within reach. Only root can make one.
        Planted::Device => {
            let is_made = made(Command::new("mknod").arg(&place).args(["c", "1", "5"]));
            assert!(is_made || made(Command::new("mkfifo").arg(&place)));
        }
        Planted::Folder => {
            std::fs::create_dir(&place).unwrap();
            std::fs::write(place.join("notes.txt"), format!("{THEIRS}notes in {path}")).unwrap();
        }
        Planted::Nonsense => {
            std::fs::write(&place, [b"\xff{ nonsense".as_slice(), &[b'x'; 3000]].concat()).unwrap();
        }
        Planted::Empty => std::fs::write(&place, "").unwrap(),
    }
}

fn made(command: &mut Command) -> bool {
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What texts of the user's begin with.
const THEIRS: &str = "Belongs to the user: ";

/// What is the user's in the clone: texts that must be somewhere afterwards.
fn belongings(site: &Site) -> Vec<String> {
    let texts = contents(&site.clone()).into_iter().map(|(_, what)| what);
    let mut theirs: Vec<String> =
        texts.filter_map(|what| what.find(THEIRS).map(|at| what[at..].to_owned())).collect();
    theirs.sort();
    theirs
}

/// The same command in a process that is killed once it has worked for too long.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("/bin/sh");
    limited.arg("-c").arg(format!("ulimit -t {WORKS_FOR_S}; exec \"$0\" \"$@\"")).arg(command.get_program());
    limited.args(command.get_args()).env_clear();
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.current_dir(command.get_current_dir().unwrap());
    limited
}

/// Runs a command that must end by itself.
pub(crate) fn within_the_deadline(command: Command, input: &str) -> Printed {
    let mut command = limited(&command);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (done, ended) = channel();
    std::thread::spawn(move || {
        let (mut said, mut told) = (Vec::new(), Vec::new());
        let _ = stdout.read_to_end(&mut said).and_then(|_| stderr.read_to_end(&mut told));
        let _ = done.send((said, told));
    });
    let Ok((said, told)) = ended.recv_timeout(HANGS_AFTER) else {
        child.kill().unwrap();
        panic!("{command:?} hangs");
    };
    let status = child.wait().unwrap();
    assert!(status.code().is_some(), "{command:?} was killed: {status}");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Printed { code: status.code(), stdout: text(said), stderr: text(told) }
}

const BEFORE: [&str; 3] = ["UserPromptSubmit", "PreToolUse", "Stop"];
const AFTER: [&str; 6] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "Stop"];
/// The commands that look at a project, the user's start and end of it last.
const COMMANDS: [&[&str]; 19] = [
    &["status"],
    &["why"],
    &["log"],
    &["evidence"],
    &["statusline"],
    &["check", "gate"],
    &["review"],
    &["approve"],
    &["attest"],
    &["verify"],
    &["workflow", "graph", "gate"],
    &["workflow", "eject", "isdlc"],
    &["claudex", "status"],
    &["taskie", "status"],
    &["autopilot", "next"],
    &["allow", "--list"],
    &["allow"],
    &["init", "--agent", "claude", "--agent", "codex"],
    &["uninstall"],
];

/// Everything beside the clone but what Holdpoint keeps for the user.
fn outside(site: &Site) -> Vec<(PathBuf, String)> {
    let (clone, state) = (site.clone(), site.top.root().join("state"));
    let all = contents(site.top.root()).into_iter();
    all.filter(|(path, _)| !path.starts_with(&clone) && !path.starts_with(&state)).collect()
}

/// Has every event come by, before and after the clone is allowed, and then these commands.
fn try_all(site: &Site, commands: &[&[&str]]) -> Result<(), TestCaseError> {
    let (beside, inside) = (outside(site), belongings(site));
    let hooks = |session: &str, events: &[&str]| {
        for name in events {
            let mut event = site.event(name);
            event["session_id"] = session.into();
            let printed =
                within_the_deadline(site.stranger(&["hook", "--agent", "claude"]), &event.to_string());
            prop_assert_eq!(printed.code, Some(0), "{}: {}", name, printed.stderr);
        }
        Ok(())
    };
    hooks("before it is allowed", &BEFORE)?;
    // As its user, by the digest of what is there now: without a terminal that is the way.
    let digest = within_the_deadline(site.stranger(&["allow", "--print"]), "").stdout;
    within_the_deadline(site.stranger(&["allow", "--digest", digest.trim()]), "");
    hooks("s1", &AFTER)?;
    for args in commands {
        within_the_deadline(site.stranger(args), "{}");
    }
    prop_assert_eq!(outside(site), beside);
    prop_assert_eq!(belongings(site), inside);
    Ok(())
}

#[test]
fn no_tree_makes_a_call_write_elsewhere_hang_or_lose_a_file() {
    let config = Config {
        cases: TREES,
        rng_seed: RngSeed::Fixed(12),
        failure_persistence: None,
        max_shrink_iters: 20,
        ..Config::default()
    };
    let planted = prop::collection::vec((select(places()), select(ALL.to_vec())), 1..8);
    let tried = TestRunner::new(config).run(&(any::<bool>(), planted), |(is_among, planted)| {
        let site = site(is_among);
        for (path, what) in &planted {
            plant(&site, path, *what);
        }
        try_all(&site, &COMMANDS)
    });
    tried.unwrap();
}

/// The random trees have some places each; here all files are of one kind at once.
#[test]
fn no_kind_of_file_in_every_place_makes_a_call_write_elsewhere_hang_or_lose_a_file() {
    let places = places();
    let is_file = |place: &&String| !places.iter().any(|other| other.starts_with(&format!("{place}/")));
    for what in ALL {
        let site = site(false);
        for path in places.iter().filter(is_file) {
            plant(&site, path, what);
        }
        // It starts a dozen hooks itself, so once for each kind has to do.
        let commands = [&[&["doctor"][..]], &COMMANDS[..]].concat();
        try_all(&site, &commands).unwrap_or_else(|error| panic!("{what:?}: {error}"));
    }
}
