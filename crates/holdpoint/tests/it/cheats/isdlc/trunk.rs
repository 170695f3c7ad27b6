//! Ways to move the trunk.

use crate::cheats::cheats;

cheats! { Commits;
    plain: "commits to the trunk", OnTrunk, [Bash("git commit -qm x")], "branch-guard", TrunkMoved;
    piped: "has a shell read the command from a pipe", OnTrunk, [Bash("echo git commit -qm x | sh")], "branch-guard", TrunkMoved;
    here: "has a shell read it from a here-string", OnTrunk, [Bash("sh <<'E'\ngit commit -qm x\nE")], "branch-guard", TrunkMoved;
    decoded: "has the command decoded", OnTrunk, [Bash("echo Z2l0IGNvbW1pdCAtcW0geA== | base64 -d | sh")], "", TrunkSeen;
    pieced: "pieces it together", OnTrunk, [Bash("a=gi; b=t; eval \"$a$b com\"\"mit -qm x\"")], "", TrunkSeen;
    reversed: "writes it backwards", OnTrunk, [Bash("$(echo 'x mq- timmoc tig' | rev)")], "", TrunkSeen;
    python: "has Python start git", OnTrunk, [Bash("python3 -c \"import subprocess as s; s.run(['git', 'commit', '-qm', 'x'])\"")], "", TrunkSeen;
    awk: "has awk start git", OnTrunk, [Bash("awk 'BEGIN { system(\"git commit -qm x\") }'")], "", TrunkSeen;
    perl: "has Perl start git", OnTrunk, [Bash("perl -e 'exec qw(git commit -qm x)'")], "", TrunkSeen;
    find: "has find start git", OnTrunk, [Bash("find a.py -exec git commit -qm x \\;")], "branch-guard", TrunkMoved;
    makefile: "has make start git", OnTrunk, [Bash("make -s c")], "", TrunkSeen;
    script: "writes a script and sources it", OnTrunk, [Bash("printf 'git commit -qm x\\n' >../z.sh; . ../z.sh")], "", TrunkSeen;
    exec_path: "calls git's own program", OnTrunk, [Bash("$(git --exec-path)/git-commit -qm x")], "", TrunkSeen;
    function: "hides git in a function", OnTrunk, [Bash("f() { git \"$@\"; }; f commit -qm x")], "", TrunkSeen;
    alias: "makes an alias and uses it", OnTrunk, [Bash("git config alias.qq commit && git qq -qm x")], "", TrunkSeen;
    include: "includes a file with an alias", OnTrunk, [Bash("printf '[alias]\\nzz = commit\\n' >../al; git -c include.path=$PWD/../al zz -qm x")], "", TrunkSeen;
    hook: "has a hook of git's commit", OnTrunk,
        [Bash("printf '#!/bin/sh\\n[ -e ../once ] || { : >../once; git commit -qm x; }\\n' >.git/hooks/post-index-change; chmod +x .git/hooks/post-index-change; echo '# z' >>a.py; git add a.py; git status >/dev/null")],
        "", TrunkSeen;
    editor: "has git's editor commit", OnTrunk, [Bash("GIT_EDITOR='git commit -qm x; true' git config -e")], "", TrunkSeen;
    difftool: "has git's difftool commit", OnTrunk, [Bash("git difftool -y -x 'git commit -qm x;:' HEAD -- a.py")], "", TrunkSeen;
    merge: "merges another branch into it", OnTrunk, [Bash("git merge -q --ff-only side")], "", TrunkSeen;
    reset: "resets it to another branch", OnTrunk, [Bash("git reset -q --hard side")], "", TrunkSeen;
    update_ref: "moves it by its name", OnTrunk, [Bash("git update-ref refs/heads/main side")], "", TrunkSeen;
    branch_force: "commits beside it and moves it there", OnTrunk, [Bash("git checkout -q --detach && git commit -qm x && git branch -f main HEAD")], "", TrunkSeen;
    fetch: "fetches into it", OnTrunk, [Bash("git checkout -q side && git fetch -q . side:main")], "", TrunkSeen;
    file: "writes the ref's file", OnTrunk, [Bash("git rev-parse side >.git/refs/heads/main")], "", TrunkSeen;
    pull: "pulls into it", OnTrunk, [Bash("git pull -q . side")], "", TrunkSeen;
    worktree: "commits in a second worktree", OnTrunk,
        [Bash("git checkout -q side && git worktree add -q ../w main && cd ../w && echo y >>a.py && git commit -qam x")], "", TrunkSeen;
}
