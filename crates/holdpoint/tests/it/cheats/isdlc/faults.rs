//! Faults that the agent brings about, because a fault lets go.

use crate::cheats::cheats;

cheats! { Faults;
    broken: "breaks the state file", OnTrunk, [Bash("echo '{' >.isdlc/state.json"), Bash("git commit -qm x")], "", TrunkMoved;
    binary: "makes it no text", OnTrunk, [Bash("head -c 64 /dev/zero >.isdlc/state.json"), Bash("git commit -qm x")], "", TrunkMoved;
    unreadable: "puts a folder in its place", OnTrunk, [Bash("rm .isdlc/state.json; mkdir .isdlc/state.json"), Bash("git commit -qm x")], "", TrunkMoved;
}
