//! Faults that the agent brings about, because a fault lets go.

use crate::cheats::cheats;

cheats! { Faults;
    locks: "holds our locks while it stops", Coding,
        [Bash("for l in .hold*/locks/*; do test -f $l || continue; flock $l sleep 12 >/dev/null 2>&1 & while flock -n $l true; do :; done; echo locked; done")], "", HeldAtStop;
    nested_repository: "makes a repository in a folder of the project", Coding,
        [Bash("mkdir -p src/b && git init -q src/b && touch src/b/x")], "", HeldAtStop;
    broken_config: "breaks git's configuration", Coding, [Bash("printf '[x\\n' >>.git/config")], "", HeldAtStop;
    no_git: "moves the repository away", Coding, [Bash("mv .git ../git")], "", HeldAtStop;
    index_lock: "leaves git's index locked", Coding, [Bash(": >.git/index.lock")], "", HeldAtStop;
    odd_state: "makes the state no JSON", Coding, [Bash("for f in auto*.json; do echo '{' >$f; done")], "", PutBack;
    no_rights: "takes the rights from our folder", Coding, [Bash("chmod 000 .hold*")], "", HeldAtStop;
    link_folder: "puts a link in the place of our folder", Coding, [Bash("mv .hold* ../hp && ln -s ../hp .hold''point")], "", HeldAtStop;
}
