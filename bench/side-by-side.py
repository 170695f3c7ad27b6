#!/usr/bin/env python3
"""Times one event, a held PreToolUse delegation, answered by seven node scripts and by one `holdpoint hook`.

    bench/side-by-side.py [RUNS]       (20 by default)

CPU time is what the kernel charges each process (user + system, from wait4). For people to see: nothing here fails.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import hook
import projects

GUARDS = [
    "phase-loop-controller", "plan-surfacer", "phase-sequence-guard", "branch-guard", "state-write-validator",
    "walkthrough-tracker", "discover-menu-guard",
]


def main():
    node = shutil.which("node")
    if not node:
        sys.exit("node is not installed: there is nothing to compare with")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    binary = hook.build(hook.ROOT, "holdpoint", hook.STATIC)
    with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
        projects.make(folder, 5 * 1024)
        event = projects.delegation(folder)
        scripts = [[node, hook.HERE / "node/guard.cjs", guard] for guard in GUARDS]
        ours = [[binary, "hook"]]
        assert any(b"out of order" in answer(command, event) for command in scripts), "the scripts do not hold"
        assert b"deny" in answer(ours[0], event), "holdpoint does not hold"
        times = {
            "seven node scripts": [sum(cpu_ms(command, event) for command in scripts) for _ in range(runs)],
            "one holdpoint hook": [sum(cpu_ms(command, event) for command in ours) for _ in range(runs)],
        }
    print(f"{'CPU time of one held delegation':<32} {'median':>12} {f'{runs} runs':>12}")
    for name, each in times.items():
        print(f"{name:<32} {statistics.median(each):>9.2f} ms {sum(each):>9.1f} ms")
    node_ms, our_ms = times.values()
    print(f"{'node : holdpoint':<32} {statistics.median(node_ms) / statistics.median(our_ms):>9.0f} x  "
          f"{sum(node_ms) / sum(our_ms):>9.0f} x")


def answer(command, event):
    return subprocess.run(command, input=event.encode(), env=hook.ENVIRONMENT, capture_output=True).stdout


def cpu_ms(command, event):
    """User and system time of one process, as the kernel charges it."""
    with tempfile.TemporaryFile() as stdin, open(os.devnull, "wb") as nowhere:
        stdin.write(event.encode())
        stdin.seek(0)
        child = subprocess.Popen(command, stdin=stdin, stdout=nowhere, stderr=nowhere, env=hook.ENVIRONMENT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000


if __name__ == "__main__":
    main()
