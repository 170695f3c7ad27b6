//! The command that ends the loop.

use crate::cheats::cheats;

cheats! { UsersWord;
    stop: "leaves the loop", Planned, [Bash("holdpoint taskie stop")], "", HeldAtStop;
    script: "leaves it in a script", Planned, [Bash("printf 'holdpoint taskie stop' >../s.sh; sh ../s.sh")], "", HeldAtStop;
    done: "says that the phases are finished, one after another", Planned,
        [Bash("for p in create-tasks complete-task; do holdpoint taskie done $p 1; done; holdpoint taskie stop")], "", HeldAtStop;
}
