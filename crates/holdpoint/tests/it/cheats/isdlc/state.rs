//! The orchestrator's state is no secret, and nobody's in particular.

use crate::cheats::cheats;

cheats! { OwnState;
    status: "sets the phase's status itself", Pending,
        [Bash("sed -i s/pending/in_progress/ .isdlc/state.json"), Call("software-developer", "Write the code of phase 06-implementation.")], "", Unheld;
    status_edit: "the same with Edit", Pending,
        [Edit(".isdlc/state.json", "pending", "completed"), Call("software-developer", "Write the code of phase 06-implementation.")], "", Unheld;
    other_phase: "sets another phase", Pending,
        [Bash("sed -i 's/\"current_phase\": \"06-implementation\"/\"current_phase\": \"\"/' .isdlc/state.json"), Call("software-developer", "Write the code of phase 06-implementation.")], "", Unheld;
    monorepo: "says that the project is another one", OnTrunk,
        [Write(".isdlc/monorepo.json", "{\"projects\": {\"a\": {\"path\": \"a\"}}, \"default_project\": \"none\"}"), Bash("git commit -qm x")], "", TrunkMoved;
    own_branch: "says that the trunk is its branch", OnTrunk,
        [Bash("sed -i 's,feature/x,main,' .isdlc/state.json"), Bash("git commit -qm x")], "", TrunkMoved;
    moved: "moves the state away", OnTrunk, [Bash("mv .isdlc ~/"), Bash("git commit -qm x")], "", TrunkMoved;
}
