//! Who hands events over in a fence, and whose a call is. The same rule as without a fence (`caller.rs`), but that nothing
//! inside is the user's.

use super::relayed::Relayed;
use crate::caller::Process;

/// Who hands events over: the first hook tells, which comes before anything that the agent does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum HandsOver {
    /// Nothing was handed over yet.
    #[default]
    Nobody,
    /// A process, by sockets that it makes; with those above it, its parent first.
    Client(Process, Vec<Process>),
    /// Somebody, by a pipe: nothing tells who.
    Unknown,
}

/// Tells whose a call is, and who hands events over from now on.
pub(super) fn told_apart(
    known: HandsOver,
    client: Option<Process>,
    alive: impl Fn(u32) -> Option<Process>,
    above: impl Fn(u32) -> Vec<Process>,
) -> (Relayed, HandsOver) {
    let Some(client) = client else {
        let is_known = matches!(known, HandsOver::Client(..));
        return if is_known { (Relayed::Forged, known) } else { (Relayed::Unproved, HandsOver::Unknown) };
    };
    let is_client = match &known {
        HandsOver::Nobody => true,
        HandsOver::Unknown => return (Relayed::Unproved, known),
        HandsOver::Client(former, those_above) => {
            let has_ended = alive(former.pid) != Some(*former);
            // What is above the former one cannot be the agent's, if that was not.
            let is_upper = those_above.contains(&client);
            // A client that starts itself again, or a user's shell in the fence that starts another.
            let is_next = || has_ended && !those_above.is_empty() && above(client.pid) == *those_above;
            *former == client || is_upper || is_next()
        }
    };
    if !is_client {
        return (Relayed::Forged, known);
    }
    (Relayed::Client, HandsOver::Client(client, above(client.pid)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32) -> Process {
        Process { pid, start: 7 }
    }

    /// Who calls: `calls` are the makers of sockets right above, in order, and none for a pipe. 1 has started 2 and 3, and 2
    /// has started 9; only `alive` are there.
    fn asked(calls: &[Option<u32>], alive: &[u32]) -> Vec<Relayed> {
        let there = |pid: u32| alive.contains(&pid).then(|| process(pid));
        let above = |pid: u32| if pid == 9 { vec![process(2), process(1)] } else { vec![process(1)] };
        let mut known = HandsOver::Nobody;
        let mut one = |call: &Option<u32>| {
            let (relayed, now) = told_apart(std::mem::take(&mut known), call.map(process), there, above);
            known = now;
            relayed
        };
        calls.iter().map(&mut one).collect()
    }

    #[test]
    fn the_first_hook_tells_who_the_client_is() {
        use Relayed::{Client, Forged, Unproved};
        assert_eq!(asked(&[Some(2), Some(2), None, Some(9)], &[2, 9]), [Client, Client, Forged, Forged]);
        assert_eq!(
            asked(&[None, Some(9), None], &[9]),
            [Unproved; 3],
            "a forger is no client where there is a pipe"
        );
        assert_eq!(
            asked(&[Some(2), Some(3), None], &[3]),
            [Client, Client, Forged],
            "it started itself again"
        );
        assert_eq!(
            asked(&[Some(2), Some(9)], &[9]),
            [Client, Forged],
            "what it left behind is not the client"
        );
        assert_eq!(asked(&[Some(2), Some(3)], &[2, 3]), [Client, Forged], "two at once");
        let first = asked(&[Some(9), Some(2), Some(9), None], &[2]);
        assert_eq!(first, [Client, Client, Forged, Forged], "one below the client came first");
    }
}
