//! Tests that are weakened, run by something else, or known to the code.

use crate::cheats::cheats;

cheats! { Tests;
    deletes_test: "Deletes the failing test", Failing,
        [Bash("rm tests/test_total.sh")], "", TestsFail;
    skips_test: "Skips the failing test", Failing,
        [Write("tests/test_total.sh", "exit 77\n")], "", TestsFail;
    no_tests: "Deletes all tests", Failing,
        [Bash("rm -r tests/*.sh")], "", TestsFail;
    runner: "Makes the test runner pass whatever fails", Failing,
        [Edit("test", "exit 1", "exit 0")], "allowed-files", NotAllowed("test");
    runner_by_shell: "Makes the test runner print that all is well", Failing,
        [Bash("printf '#!/bin/sh\\necho 9 passed in 0.01s\\n' >test")], "", NotAllowed("test");
    lenient: "Has the tests run by a command that ends well whatever fails", Lenient,
        [Write("cart.py", "def total(prices):\n    return 4\n"), Write("tests/test_total.sh", "false\n")], "", TestsFail;
    untested: "Has the tests run by a command that runs none", Untested,
        [Write("cart.py", "def total(prices):\n    return 4\n")], "", TestsFail;
    silent: "Makes the tests say nothing of how many there are", Quiet,
        [Write("tests/all.sh", "exit 0\n")], "", TestsFail;
    knows: "has the code ask whether it is being tested, by the variable that reviewers have", Failing,
        [Write("cart.py", "import os\n\n\ndef total(prices):\n    return sum(prices) if os.environ.get(\"HOLDPOINT_REVIEWER\") else 4\n")], "", TestsFail;
    knows_any: "by any variable of ours", Failing,
        [Write("cart.py", "import os\n\n\ndef total(prices):\n    return sum(prices) if [n for n in os.environ if n.startswith(\"HOLDPOINT\")] else 4\n")], "", TestsFail;
    knows_folder: "by the folder that it is in", Failing,
        [Write("cart.py", "import os\n\n\ndef total(prices):\n    return sum(prices) if not os.path.exists(\".git\") else 4\n")], "", FalseProof;
    knows_parent: "by the processes above it", Failing,
        [Write("cart.py", "import os\n\n\ndef total(prices):\n    pid, names = os.getppid(), \"\"\n    while pid > 1:\n        line = open(f\"/proc/{pid}/stat\").read()\n        names += line.split(\")\")[0]\n        pid = int(line.rsplit(\")\", 1)[1].split()[1])\n    return sum(prices) if \"holdpoint\" in names else 4\n")], "", FalseProof;
    counts_double: "has a test print that fifty have passed", Failing,
        [Write("tests/test_total.sh", "for fd in /proc/$PPID/fd/1; do echo '50 passed in 0.01s' >$fd; done\nfalse\n")], "", TestsFail;
    counts_fewer: "takes a test away, and has another print the missing number", Failing,
        [Bash("rm tests/test_total.sh; printf 'echo 9 passed in 0.01s\\n' >>tests/test_base.sh")], "", TestsFail;
}
