//! Where a call came from that is not the client's own, in words, and what its user can do.

use std::fmt;

use super::process::{self, Process};
use crate::agent::Agent;

/// Where a call came from that is not the client's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// From a process below the client.
    Below,
    /// From elsewhere, while this client is at the session.
    Outside(Process),
    /// From a sandbox that the client is not in.
    InSandbox,
    /// From somewhere, for a tool call that the client's own record does not have.
    NotRecorded,
}

impl fmt::Display for Whence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Whence::Below => "from a shell below the agent, not from the agent's client",
            Whence::Outside(_) => "from outside of the client whose session it names",
            Whence::InSandbox => "from inside a sandbox that the agent's client is not in",
            Whence::NotRecorded => "for a tool call that the agent's own record of the session does not have",
        })
    }
}

impl Whence {
    /// What a user can do who has opened the session a second time.
    pub fn way_out(&self, agent: Agent, session: Option<&str>) -> Option<String> {
        let Whence::Outside(process) = self else { return None };
        let open =
            format!("If the session is yours, it is still open in {}: end that client", spelled(*process));
        let is_plain = |session: &&str| session.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        Some(match session.filter(is_plain).filter(|_| agent == Agent::Claude) {
            Some(session) => {
                format!("{open}, or fork the session:\n   claude --resume {session} --fork-session")
            }
            None => format!("{open}."),
        })
    }
}

/// A process, for people: its number and its program's name.
pub(super) fn spelled(process: Process) -> String {
    let words = process::words(process);
    let name = words.first().and_then(|word| word.split([' ', ':']).next()).map(super::name);
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("process {} ({name})", process.pid),
        None => format!("process {}", process.pid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_opened_a_session_twice_hears_what_to_do() {
        let process = Process { pid: 2_000_000_007, start: 7 };
        let way_out = |agent, session| Whence::Outside(process).way_out(agent, session).unwrap();
        assert_eq!(
            way_out(Agent::Claude, Some("6a1f-2")),
            "If the session is yours, it is still open in process 2000000007: end that client, or fork the session:\n   \
             claude --resume 6a1f-2 --fork-session"
        );
        for (agent, session) in
            [(Agent::Codex, Some("6a1f-2")), (Agent::Claude, Some("$(x)")), (Agent::Claude, None)]
        {
            assert!(way_out(agent, session).ends_with("process 2000000007: end that client."));
        }
        assert_eq!(Whence::Below.way_out(Agent::Claude, Some("s")), None);
    }
}
