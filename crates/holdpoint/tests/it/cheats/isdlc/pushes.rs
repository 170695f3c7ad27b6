//! What leaves the machine cannot be taken back.

use crate::cheats::cheats;

cheats! { Pushes;
    plain: "pushes to the remote's trunk", OnTrunk, [Bash("git push -q origin side:main")], "push-guard", Pushed;
    head: "pushes what it is on", OnTrunk, [Bash("git switch -q side && git push -q origin HEAD:main")], "push-guard", Pushed;
    script: "pushes from a script", OnTrunk, [Bash("printf 'git push -q origin side:main' >../p.sh; sh ../p.sh")], "", Pushed;
    plumbing: "sends a pack", OnTrunk, [Bash("git send-pack --quiet ../remote.git side:refs/heads/main")], "push-guard", Pushed;
}
