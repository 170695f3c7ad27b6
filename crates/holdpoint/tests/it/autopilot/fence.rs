//! A run whose agent is in a fence: what the keeper performs, whom it refuses, and what the agent cannot reach.

use std::io::Read;

use serde_json::{Value as Json, json};

use super::project::{SESSION, Site};
use super::walk::total;
use crate::fence::stand_in::{self, Done, is_possible};

/// A run whose first task is coded.
fn coded() -> Site {
    let site = Site::new();
    site.start(&[]);
    site.next();
    total(&site);
    site
}

fn prompt(site: &Site) -> Json {
    json!({"hook": {"hook_event_name": "UserPromptSubmit", "session_id": SESSION, "cwd": site.root(),
        "prompt": "go on"}})
}

fn call(line: &str) -> Json {
    json!({"call": line, "session": SESSION})
}

fn shell(line: &str) -> Json {
    json!({ "shell": line })
}

/// What comes of the steps, after a prompt.
fn fenced(site: &Site, steps: &[Json]) -> Vec<Done> {
    site.program("true", "");
    fenced_later(site, steps)
}

/// The same, and nobody has allowed anything meanwhile.
fn fenced_later(site: &Site, steps: &[Json]) -> Vec<Done> {
    let keeper = site.later(env!("CARGO_BIN_EXE_holdpoint"), "");
    let all: Vec<Json> = std::iter::once(prompt(site)).chain(steps.iter().cloned()).collect();
    stand_in::run(keeper, &site.tools(), &all).split_off(1)
}

fn levels(site: &Site) -> Vec<Json> {
    site.evidence().iter().map(|piece| piece["level"].clone()).collect()
}

#[test]
fn what_the_keeper_performs_is_fenced() {
    if !is_possible() {
        return;
    }
    let site = coded();
    let before = site.evidence().len();
    let done = fenced(
        &site,
        &[
            call("holdpoint autopilot next"),
            shell("holdpoint evidence"),
            shell("holdpoint status"),
            shell("holdpoint autopilot status"),
            call("holdpoint autopilot commit 'feat(cart): add up prices'"),
        ],
    );
    assert_eq!(done[0].code, Some(0), "{}", done[0].said);
    assert!(done[0].said.contains("is ready to commit"), "{}", done[0].said);
    assert!(done[1].said.contains("fenced") && done[1].said.contains("(current)"), "{}", done[1].said);
    assert!(done[2].said.contains("autopilot"), "{}", done[2].said);
    assert_eq!((done[3].code, done[4].code), (Some(0), Some(0)), "{} {}", done[3].said, done[4].said);
    let levels = levels(&site);
    assert!(levels[..before].iter().all(|level| level == "kept"), "{levels:?}");
    assert!(levels.len() > before && levels[before..].iter().all(|level| level == "fenced"), "{levels:?}");
    assert_eq!(site.git("log -1 --format=%s"), "feat(cart): add up prices");
    // Whoever signs an attestation keeps it, and cannot prove more.
    let attested = site.sh("holdpoint attest");
    assert!(!attested.contains("fenced"), "{attested}");
    let verified = site.sh("holdpoint verify --unsigned");
    assert!(verified.contains(" proved  feat(cart): add up prices"), "{verified}");
}

/// The steps in a fence whose keeper has a temporary folder of its own: programs may write to that, and all these tests are
/// in the usual one.
fn fenced_apart(site: &Site, steps: &[Json]) -> Vec<Done> {
    site.program("true", "");
    let mut keeper = site.later(env!("CARGO_BIN_EXE_holdpoint"), "");
    let temporary = site.tools().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    keeper.env("TMPDIR", temporary);
    let all: Vec<Json> = std::iter::once(prompt(site)).chain(steps.iter().cloned()).collect();
    stand_in::run(keeper, &site.tools(), &all).split_off(1)
}

/// A program that shows that it ran, and tries to write the books.
fn escaping(name: &str, then: &str) -> String {
    format!(
        "#!/bin/sh\necho >>.git/ran-{name} || echo >>\"$GIT_DIR/ran-{name}\"\n\
         echo >\"$XDG_STATE_HOME/holdpoint/escaped-{name}\"\n{then}\n"
    )
}

/// The repository's hooks and configuration are the agent's: what they name may not write more than a check's program.
#[test]
fn what_the_engines_commit_starts_is_confined() {
    if !is_possible() || !holdpoint::confinement::sandbox::can_confine() {
        return;
    }
    let site = coded();
    let signature = "cat >/dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo '-----BEGIN PGP SIGNATURE-----'";
    site.script("tools/signs", &format!("#!/bin/sh\necho >>.git/ran-users\n{signature}\n"));
    let config = site.read("../tools/.gitconfig");
    let signs = site.tools().join("signs");
    site.write("../tools/.gitconfig", &format!("{config}\n[gpg]\nprogram = {}\n", signs.display()));
    for (name, then) in [
        ("pre-commit", "exit 0"),
        ("commit-msg", "exit 0"),
        ("post-commit", "exit 0"),
        ("reference-transaction", "exit 0"),
        ("post-index-change", "exit 0"),
        ("monitor", "exit 1"),
        ("filter", "cat"),
        ("signer", signature),
    ] {
        site.script(&format!("tools/{name}"), &escaping(name, then));
    }
    let set_up = "for hook in pre-commit commit-msg post-commit reference-transaction post-index-change; do \
        cp ../tools/$hook .git/hooks/ || exit 1; done; t=$(realpath ../tools); git config core.fsmonitor $t/monitor && \
        git config filter.x.clean $t/filter && echo 'cart.py filter=x' >>.git/info/attributes && \
        git config commit.gpgsign true && git config gpg.program $t/signer && rm -f .git/ran-*";
    let done = fenced_apart(
        &site,
        &[
            call("holdpoint autopilot next"),
            shell("echo x >$XDG_STATE_HOME/holdpoint/escaped-shell"),
            shell(set_up),
            call("holdpoint autopilot commit 'feat(cart): add up prices'"),
        ],
    );
    assert!(done[0].said.contains("is ready to commit"), "{}", done[0].said);
    assert!(done[1].code != Some(0) && done[2].code == Some(0), "{} {}", done[1].said, done[2].said);
    assert_eq!(done[3].code, Some(0), "{}", done[3].said);
    assert_eq!(site.git("log -1 --format=%s"), "feat(cart): add up prices", "{}", done[3].said);
    for ran in ["pre-commit", "commit-msg", "post-commit", "filter", "users"] {
        assert!(site.root().join(format!(".git/ran-{ran}")).exists(), "{ran}: {}", done[3].said);
    }
    assert!(!site.root().join(".git/ran-signer").exists(), "the signer is the user's own");
    let names = std::fs::read_dir(site.books_folder()).unwrap();
    let names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.contains("escaped")), "{names:?}");
    let last = site.evidence().pop().unwrap();
    assert_eq!((&last["phase"], &last["level"]), (&json!("committing"), &json!("fenced")), "{last}");
    let doubts = last["doubts"].to_string();
    assert!(doubts.contains("its own gpg.program does not count"), "{last}");
}

/// Speaks to the keeper itself, past our program. What is asked is in the first argument.
const SPEAKS: &str = r#"
import array, json, os, socket, struct, sys
a, b = socket.socketpair(); a.sendall(open('../tools/event', 'rb').read()); a.shutdown(socket.SHUT_WR)
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["HOLDPOINT_KEEPER"])
call = json.dumps({**json.loads(sys.argv[1]), "cwd": os.getcwd(), "variables": []}).encode()
s.sendmsg([struct.pack('>I', len(call)) + call], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [b.fileno(), 1, 2]))])
print(s.recv(1000).decode())
"#;

/// Puts the event where a shell finds it: the agent calls `next`.
fn put_event(site: &Site) {
    let event = json!({"hook_event_name": "PreToolUse", "session_id": SESSION, "cwd": site.root(),
        "tool_name": "Bash", "tool_input": {"command": "holdpoint autopilot next"}});
    std::fs::write(site.tools().join("event"), event.to_string()).unwrap();
}

#[test]
fn whoever_is_not_the_client_is_refused() {
    if !is_possible() {
        return;
    }
    let site = coded();
    put_event(&site);
    std::fs::write(site.tools().join("speaks.py"), SPEAKS).unwrap();
    std::fs::write(
        site.tools().join("pair.py"),
        "import socket, subprocess\na, b = socket.socketpair()\na.sendall(open('../tools/event', 'rb').read()); a.close()\nsubprocess.run(['holdpoint', 'hook', '--agent', 'claude'], stdin=b)",
    )
    .unwrap();
    let forged = [
        "holdpoint hook --agent claude <../tools/event",
        "cat ../tools/event | holdpoint hook --agent claude",
        "exec holdpoint hook --agent claude <../tools/event",
        "bash -c 'holdpoint hook --agent claude <<<$(cat ../tools/event)'",
        "python3 ../tools/pair.py",
        "exec python3 ../tools/pair.py",
        // One that has left the client's tree.
        "setsid --fork sh -c 'python3 ../tools/pair.py >../tools/said; echo >../tools/ended'; until [ -e ../tools/ended ]; do :; done; rm ../tools/ended; cat ../tools/said",
        "unshare --user --map-root-user --pid --fork python3 ../tools/pair.py || python3 ../tools/pair.py",
        "python3 ../tools/speaks.py '{\"kind\": \"hook\", \"args\": [\"--agent\", \"claude\"]}'",
    ];
    let refused = [
        r#"{"kind": "command", "args": ["allow"]}"#,
        r#"{"kind": "command", "args": ["test"]}"#,
        r#"{"kind": "command", "args": ["hook"]}"#,
        r#"{"kind": "command", "args": []}"#,
        r#"{"kind": "ready", "args": []}"#,
        r#"{"kind": "command", "args": ["relayed", "client", "hook"]}"#,
        r#"{"kind": "nonsense", "args": []}"#,
    ];
    let spoken = refused.map(|ask| format!("python3 ../tools/speaks.py '{ask}'"));
    let lines = forged.into_iter().chain(spoken.iter().map(String::as_str));
    let mut steps: Vec<Json> = lines.map(shell).collect();
    steps.push(shell("grep -o '\"phase\": *\"[a-z]*\"' autopilot-state.json | head -1"));
    steps.push(call("holdpoint autopilot next"));
    let done = fenced(&site, &steps);
    for (line, done) in forged.iter().zip(&done) {
        assert!(done.said.contains("not from the agent's client"), "{line}: {}", done.said);
        assert!(!done.said.contains("updatedInput"), "{line}: {}", done.said);
    }
    for (ask, done) in refused.iter().zip(&done[forged.len()..]) {
        let is_refused = done.said.contains("refused") || done.said.contains("unknown command or workflow");
        assert!(is_refused, "{ask}: {}", done.said);
    }
    assert!(done[steps.len() - 2].said.contains("coder"), "{}", done[steps.len() - 2].said);
    assert!(done[steps.len() - 1].said.contains("is ready to commit"), "{}", done[steps.len() - 1].said);
}

/// What an agent tries. `$B` are the books, `$K` the keeper's process, as it is called outside.
const OUT_OF_REACH: [&str; 29] = [
    "echo x >> $B/projects/*/known",
    "touch $B/x",
    "rm -rf $B/projects",
    "mv $B $B.old",
    "mv $XDG_STATE_HOME $XDG_STATE_HOME.old",
    "rmdir $B/keepers",
    "rm \"$HOLDPOINT_KEEPER\"",
    "ln $B/projects/*/known stolen",
    "chmod -R 777 $B && touch $B/x",
    "umount $B",
    "umount --lazy $B && touch $B/x",
    "mount -o remount,rw,bind $B && touch $B/x",
    "mount -t tmpfs none $B",
    "unshare --user --map-root-user --mount umount $B",
    "unshare --user --map-root-user --mount umount --lazy $B",
    "unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind $B && touch $B/x'",
    "unshare --user --map-root-user --mount sh -c 'mount --bind $XDG_STATE_HOME /mnt && touch /mnt/holdpoint/x'",
    "unshare --user --map-root-user --mount sh -c 'mount --rbind $XDG_STATE_HOME /mnt && umount /mnt/holdpoint && touch /mnt/holdpoint/x'",
    "bwrap --dev-bind / / --bind $B $B -- touch $B/x",
    "kill -9 $K",
    "kill -STOP $K",
    "ls /proc/$K/root/",
    "cat /proc/$K/environ",
    "cat /proc/$K/mem",
    "cp /bin/true \"$OURS\"",
    "rm -f \"$OURS\"",
    "mv \"$OURS\" \"$OURS.old\"",
    "mv \"$(dirname \"$OURS\")\" \"$(dirname \"$OURS\").old\"",
    "mkdir -p $HOME/.config/holdpoint && touch $HOME/.config/holdpoint/holdpoint.toml",
];

/// The user's commands, and ways to hide that it is the agent who gives them.
const THE_USERS: [&str; 6] = [
    "holdpoint allow",
    "holdpoint approve x",
    "holdpoint uninstall",
    "holdpoint autopilot abandon",
    "env -u CLAUDECODE holdpoint autopilot abandon",
    "holdpoint run true",
];

#[test]
fn the_agent_reaches_neither_the_books_nor_the_keeper() {
    if !is_possible() {
        return;
    }
    let site = coded();
    let set = "B=$XDG_STATE_HOME/holdpoint; export B; K=${HOLDPOINT_KEEPER##*/}; K=${K%-*};";
    let tried: Vec<Json> = OUT_OF_REACH.iter().map(|line| shell(&format!("{set} {line}"))).collect();
    // Pinned programs: the first performance pins them, and the next fence closes them.
    fenced(&site, &[call("holdpoint autopilot next")]);
    let before = books(&site);
    let pinned =
        ["echo 'exit 0' >> ../tools/claude", "cp /bin/true ../tools/claude", "rm -f ../tools/claude"];
    let more = pinned.iter().chain(&THE_USERS).map(|line| shell(line));
    let done = fenced_later(&site, &tried.into_iter().chain(more).collect::<Vec<_>>());
    let lines = OUT_OF_REACH.iter().chain(&pinned).chain(&THE_USERS);
    for (line, done) in lines.zip(&done) {
        assert_ne!(done.code, Some(0), "{line}: {}", done.said);
    }
    for (line, done) in THE_USERS.iter().zip(&done[OUT_OF_REACH.len() + pinned.len()..]) {
        assert!(done.said.contains("the user's to call"), "{line}: {}", done.said);
    }
    assert_eq!(books(&site), before);
    assert!(site.read(super::project::STATE).contains("commit"));
}

/// Without the variable that names the keeper, a process inside passes for nobody, and keeps nothing.
#[test]
fn a_shell_that_hides_the_fence_performs_nothing() {
    if !is_possible() {
        return;
    }
    let site = coded();
    put_event(&site);
    let evidence = site.evidence().len();
    let before = books(&site);
    let hidden = "env -u HOLDPOINT_KEEPER -u CLAUDECODE";
    let done = fenced_later(
        &site,
        &[
            shell(&format!("{hidden} holdpoint hook --agent claude <../tools/event")),
            shell(&format!(
                "mkdir -p .holdpoint; echo > .holdpoint/holdpoint.toml; {hidden} holdpoint allow --yes"
            )),
            shell(&format!(
                "{hidden} {} relayed client hook <../tools/event",
                env!("CARGO_BIN_EXE_holdpoint")
            )),
        ],
    );
    assert!(!done[0].said.contains("updatedInput"), "{}", done[0].said);
    assert_ne!(done[1].code, Some(0), "{}", done[1].said);
    assert!(done[2].said.contains("only a keeper calls this"), "{}", done[2].said);
    assert_eq!(books(&site), before);
    assert_eq!((site.evidence().len(), site.phase().as_str()), (evidence, "coder"));
}

/// What is kept of the user, but for the journal and what every session leaves: files with their contents.
fn books(site: &Site) -> String {
    let mut find = site.later("sh", "");
    find.args(["-c", "cd $XDG_STATE_HOME/holdpoint && find projects keepers -type f -not -path '*/git/*' -not -path '*/bench/*' -not -name 'journal*.jsonl' | sort | xargs sha256sum"]);
    crate::project::feed(find, b"").stdout
}

/// A check that is at work when its keeper is killed ends, too.
#[test]
fn what_is_performed_ends_with_its_keeper() {
    if !is_possible() {
        return;
    }
    let site = coded();
    let before = site.evidence().len();
    let fifo = site.tools().join("at-work");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    site.write(
        "tests/test_total.sh",
        &format!(
            "exec 5>'{}'; echo at work >&5; exec python3 -c 'import signal; signal.pause()'\n",
            fifo.display()
        ),
    );
    let keeper = site.program(env!("CARGO_BIN_EXE_holdpoint"), "");
    let steps = [prompt(&site), call("holdpoint autopilot next")];
    let tools = site.tools();
    let running = std::thread::spawn(move || {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stand_in::run(keeper, &tools, &steps)))
            .is_err()
    });
    let mut at_work = std::fs::File::open(&fifo).unwrap();
    let mut word = [0; 8];
    at_work.read_exact(&mut word).unwrap();
    let sockets = std::fs::read_dir(site.books_folder().join("keepers")).unwrap();
    let name = sockets.map(|entry| entry.unwrap().file_name().into_string().unwrap()).next().unwrap();
    let pid = name.split_once('-').unwrap().0.parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // The end comes when nobody has it open any more.
    at_work.read_to_end(&mut Vec::new()).unwrap();
    assert!(running.join().unwrap(), "the client did not come to its end");
    assert_eq!(site.evidence().len(), before, "it has no verdict");
}
