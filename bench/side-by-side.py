#!/usr/bin/env python3
"""Times two events, each answered by scripts and by one `holdpoint hook`.

    bench/side-by-side.py [RUNS]       (20 by default)

A held PreToolUse delegation, by seven node scripts; and a Stop with a plan of 200 documents and nothing due, by a bash
script in two forms. CPU time is what the kernel charges each process and the children it waited for (user + system,
from wait4). For people to see: no time fails here, but an answer that is not the expected one does.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import hook
import plans
import projects

GUARDS = [
    "phase-loop-controller", "plan-surfacer", "phase-sequence-guard", "branch-guard", "state-write-validator",
    "walkthrough-tracker", "discover-menu-guard",
]


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    ours = [hook.build(hook.ROOT, "holdpoint", hook.STATIC), "hook"]
    for compare, needs in ((delegation, ["node"]), (stop, ["bash", "jq"])):
        missing = [program for program in needs if not shutil.which(program, path=hook.ENVIRONMENT["PATH"])]
        if missing:
            print(f"{compare.__name__}: {', '.join(missing)} is not installed: there is nothing to compare with")
            continue
        with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
            folder = Path(folder)
            hook.ENVIRONMENT["XDG_STATE_HOME"] = str(folder / "state")
            (folder / "projects").mkdir()
            hook.allow(ours[0], folder / "projects")
            compare(ours, folder / "projects", runs)


def delegation(ours, folder, runs):
    projects.make(folder, 5 * 1024)
    event = projects.delegation(folder)
    scripts = [["node", hook.HERE / "node/guard.cjs", guard] for guard in GUARDS]
    assert any("out of order" in answer(command, event).stdout for command in scripts), "the scripts do not hold"
    assert "deny" in answer(ours, event).stdout, "holdpoint does not hold"
    report("one held delegation", event, runs, {"seven node scripts": scripts, "one holdpoint hook": [ours]})


def stop(ours, folder, runs):
    script = ["bash", hook.HERE / "bash/stop.sh"]
    sides = {"a bash script, grep for each name": script, "the same, names compared by bash": [*script, "builtin"],
             "one holdpoint hook": ours}
    for name, command in sides.items():
        plans.require_judgement(name, lambda event: answer(command, event), folder / name)
    projects.make_plan(folder / "plan", 200)
    event = projects.stop(folder / "plan")
    report("one Stop, a plan of 200 documents", event, runs, {name: [command] for name, command in sides.items()})


def report(what, event, runs, sides):
    """Prints what each side takes, and how much more than the last one: ours."""
    times = {name: [sum(cpu_ms(command, event) for command in commands) for _ in range(runs)]
             for name, commands in sides.items()}
    ours = statistics.median(list(times.values())[-1])
    print(f"{f'CPU time of {what}':<48} {'median':>12} {f'{runs} runs':>13} {'ratio':>8}")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:<48} {median:>9.2f} ms {sum(each):>10.1f} ms {median / ours:>6.0f} x")
    print()


def answer(command, event):
    return subprocess.run(command, input=event, env=hook.ENVIRONMENT, capture_output=True, text=True)


def cpu_ms(command, event):
    """User and system time of one process with its children, as the kernel charges it."""
    with tempfile.TemporaryFile() as stdin, open(os.devnull, "wb") as nowhere:
        stdin.write(event.encode())
        stdin.seek(0)
        child = subprocess.Popen(command, stdin=stdin, stdout=nowhere, stderr=nowhere, env=hook.ENVIRONMENT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000


if __name__ == "__main__":
    main()
