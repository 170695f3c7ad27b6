//! Faults that the agent brings about, because a fault lets go.

use crate::cheats::cheats;

cheats! { Faults;
    broken: "breaks the state file", Planned, [Bash("echo '{' >.taskie/plans/shop/state.json")], "", Told("could not judge this and let it pass");
    deleted: "deletes it", Planned, [Bash("rm .taskie/plans/shop/state.json")], "", Told("did not perform");
    locks: "holds our locks while it stops", Planned,
        [Bash("for l in .hold*/locks/* .taskie/plans/shop/*.lock; do test -f $l || continue; flock $l sleep 12 >/dev/null 2>&1 & while flock -n $l true; do :; done; echo locked; done")], "", Told("could not judge this and let it pass");
}
