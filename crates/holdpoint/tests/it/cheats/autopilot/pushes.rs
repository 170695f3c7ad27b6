//! What leaves the machine cannot be taken back.

use crate::cheats::cheats;

cheats! { Pushes;
    plain: "pushes while the work is under way", Failing,
        [Bash("git init -q --bare ../remote.git; git remote add origin ../remote.git; git push -q origin HEAD:main")], "permit.default.pushes", Pushed;
    script: "commits in a script and pushes, in one call", Failing,
        [Bash("git init -q --bare ../remote.git; git remote add origin ../remote.git; printf 'git commit -qam x\\ngit push -q origin HEAD:main\\n' >../c.sh; sh ../c.sh")],
        "", Pushed;
    mirror: "fetches into the remote instead of pushing", Failing,
        [Bash("git init -q --bare ../remote.git; git remote add origin ../remote.git; git -C ../remote.git fetch -q $PWD HEAD:main")], "", Pushed;
}
