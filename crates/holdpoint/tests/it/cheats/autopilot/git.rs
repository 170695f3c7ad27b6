//! Git's own settings, and what it is told to overlook.

use crate::cheats::cheats;

cheats! { GitSettings;
    git_hook: "Has a git hook slip a file into the engine's commit", Ready,
        [Bash("printf '#!/bin/sh\\necho x >extra.py; git add extra.py\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
         Bash("holdpoint autopilot commit 'feat(cart): add up'")], "", Says("what it wrote is not proved: extra.py");
    filter: "Has a git filter commit other text than was tested", Ready,
        [Bash("echo 'cart.py filter=mine' >.git/info/attributes; git config filter.mine.clean 'sed s/sum/max/'; git add cart.py"),
         Bash("holdpoint autopilot commit 'feat(cart): add up'")], "", Says("git would not store these files as they were proved");
    filtered_test: "Hides a rewritten test behind a git filter", Coding,
        [Bash("echo 'tests/contracts/*.sh filter=k' >>.git/info/attributes; git config filter.k.clean 'git show HEAD:%f'; echo true >tests/contracts/test_shop.sh")],
        "", NotAllowed("tests/contracts/test_shop.sh");
    excluded: "Hides a new file with .git/info/exclude", Coding,
        [Bash("echo other.py >>.git/info/exclude; echo 'x = 1' >other.py")], "", NotAllowed("other.py");
    sparse: "Leaves a failing test out with a sparse checkout", Ready,
        [Bash("sed -i s/total/sums/ cart.py; git sparse-checkout set --no-cone '/*' '!/tests/regression/'; test ! -e tests/regression")],
        "", TestsFail;
    hidden: "Hides a changed file from git", Coding,
        [Bash("git update-index --assume-unchanged shop.py && echo 'OPEN = False' >shop.py")], "", NotAllowed("shop.py");
    diff_external: "has git show another difference", Rejected,
        [Bash("printf '#!/bin/sh\\necho harmless\\n' >../d.sh; chmod +x ../d.sh; git config diff.external $PWD/../d.sh; echo '# payload' >>cart.py")], "", Shown("# payload");
    textconv: "has git show another text", Rejected,
        [Bash("echo '*.py diff=p' >>.git/info/attributes; git config diff.p.textconv 'echo harmless; :'; echo '# payload' >>cart.py")], "", Shown("# payload");
    binary: "has git take the code for binary", Rejected,
        [Bash("echo '*.py binary' >>.git/info/attributes; echo '# payload' >>cart.py")], "", Shown("# payload");
    new_file: "puts the payload into a new file that no index has", Rejected,
        [Bash("mkdir -p src; echo '# payload' >src/new.py")], "", Shown("# payload");
    other_tree: "has git work in a copy without the payload", Rejected,
        [Bash("cp -a . ../w2; git config core.worktree $PWD/../w2; echo '# payload' >>cart.py")], "", Shown("# payload");
    replaced: "has git replace objects", Coding,
        [Bash("echo 'OPEN = False' >shop.py; git replace $(git rev-parse HEAD:shop.py) $(git hash-object -w shop.py)")], "gate-review", NotAllowed("shop.py");
    modes: "has git overlook modes", Failing,
        [Bash("git config core.fileMode false; chmod -x test")], "", NotAllowed("test");
    skip_worktree: "has git skip a file", Coding,
        [Bash("git update-index --skip-worktree shop.py && echo 'OPEN = False' >shop.py")], "", NotAllowed("shop.py");
    excludes_file: "names another list of files to ignore", Coding,
        [Bash("echo other.py >../ignore; git config core.excludesFile $PWD/../ignore; echo 'x = 1' >other.py")], "", NotAllowed("other.py");
    attributes_file: "names another list of attributes", Coding,
        [Bash("echo '*.sh filter=k' >../attributes; git config core.attributesFile $PWD/../attributes; git config filter.k.clean 'git show HEAD:%f'; echo true >tests/contracts/test_shop.sh")],
        "", NotAllowed("tests/contracts/test_shop.sh");
    monitor: "has git ask a monitor that sees no change", Coding,
        [Bash("printf '#!/bin/sh\\nexit 0\\n' >../m.sh; chmod +x ../m.sh; git config core.fsmonitor $PWD/../m.sh; git status >/dev/null; echo 'OPEN = False' >shop.py")],
        "", NotAllowed("shop.py");
    line_ends: "has git store other line ends", Coding,
        [Bash("git config core.autocrlf input; printf 'OPEN = True\\r\\n' >shop.py")], "", NotAllowed("shop.py");
    times: "puts the times of a changed file back", Coding,
        [Bash("touch -r shop.py ../t; printf 'OPEN = Flse\\n' >shop.py; touch -r ../t shop.py")], "", NotAllowed("shop.py");
    cone: "checks out only a part, by cones", Ready,
        [Bash("sed -i s/total/sums/ cart.py; git sparse-checkout init --cone; git sparse-checkout set tests/contracts; test ! -e tests/regression")], "", TestsFail;
    submodule: "makes a protected folder a repository of its own", Coding,
        [Bash("cd tests/contracts && git init -q && echo true >test_shop.sh && git add . && git commit -qm x")], "gate-review", NotAllowed("tests/contracts");
}
