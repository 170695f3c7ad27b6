//! A network of its own for each test with a client: loopback and nothing else, where the system allows it.

use std::cell::Cell;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use nix::sched::{CloneFlags, unshare};

/// Takes the test at hand off the network: its thread, and all threads and programs that it starts from now on. Where the
/// system does not allow that, clients are kept apart by their settings alone.
pub(super) fn leave_network() {
    static IS_POSSIBLE: OnceLock<bool> = OnceLock::new();
    thread_local!(static HAS_LEFT: Cell<bool> = const { Cell::new(false) });
    if HAS_LEFT.replace(true) {
        return;
    }
    // Tried by others first: a thread that has left and lacks loopback could not go back.
    if *IS_POSSIBLE
        .get_or_init(|| succeeds(Command::new("unshare").args(["--net", "ip", "link", "set", "lo", "up"])))
    {
        assert!(unshare(CloneFlags::CLONE_NEWNET).is_ok(), "what another program may do, this one may");
        assert!(succeeds(Command::new("ip").args(["link", "set", "lo", "up"])), "there is no loopback");
    }
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

#[test]
fn nothing_but_loopback_is_left() {
    leave_network();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert!(std::net::TcpStream::connect(listener.local_addr().unwrap()).is_ok());
    let links = Command::new("ip").args(["-oneline", "link"]).output();
    let has_left =
        std::fs::read_link("/proc/thread-self/ns/net").ok() != std::fs::read_link("/proc/self/ns/net").ok();
    if let Some(links) = links.ok().filter(|_| has_left) {
        assert_eq!(String::from_utf8(links.stdout).unwrap().lines().count(), 1, "loopback alone");
    }
}
