#!/usr/bin/env python3
"""Times what looking at a shell call's effects costs, against `git status` in the same repository and the same run.

    bench/effects.py [--files 1000 20000 100000] [--runs 40] [--binary PATH]

A shell call is two hooks, one before and one after it. They are timed under a workflow that has commits and files watched
(with 200 loose branches, of which one is held), under one that watches nearly every file instead of a folder, and under one that
looks at the same events and has nothing watched; the difference is what watching costs. Everything is asked in turn, so that a busy machine is busy for all. Of wall time there is the
median and the least: what else runs on the machine only adds to it, so the least of many runs is the nearest to what a call
takes by itself. CPU time is the least that the kernel charged, of all threads together. The aim: at most 15 ms more wall time
at 20,000 files, the least against the least. An answer that is not the expected one fails, a time does not.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hook

AIM_MS = 15
BRANCHES = 200
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
WATCHED = """
about = "commits and files watched"
[run]
home = ".bench"
[holds.trunk]
on   = "before shell"
when = "'main' in tool.commits_to"
say  = "no"
[holds.contracts]
on   = "before edit"
when = "tool.files | only(['src/p00/**'])"
say  = "no"
"""
EVERY = WATCHED.replace("only(['src/p00/**'])", "except(['src/p00/**'])")
PLAIN = """
about = "the same events, nothing watched"
[run]
home = ".bench"
[witnesses.trunk]
on   = ["before shell", "after shell"]
when = "tool.command == 'never'"
say  = "no"
"""
LINE = "{:<34} {:>9} {:>9} {:>9}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, nargs="+", default=[1_000, 20_000, 100_000])
    arguments.add_argument("--runs", type=int, default=40)
    arguments.add_argument("--binary", type=Path, help="a program that is built already")
    options = arguments.parse_args()
    binary = options.binary.resolve() if options.binary else hook.build(hook.ROOT, "holdpoint", hook.STATIC)
    for files in options.files:
        with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
            measure(Path(folder), files, options.runs, binary)
    print(f"ms: wall (median, least) and CPU (least) of {options.runs} runs; aim: at most {AIM_MS} ms more at 20,000 files")


def measure(folder, files, runs, binary):
    """Makes a repository of so many files, and prints what everything takes in it."""
    root = folder / "repository"
    for number in range(files):
        path = root / f"src/p{number % 40:02}/m{number // 40 % 25:02}/f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"number = {number}\n")
    (root / ".gitignore").write_text(".holdpoint/\n.bench\n")
    (root / ".bench").write_text("")
    run(root, "git", "init", "--quiet", "--initial-branch", "main", ".")
    run(root, "git", "add", "--all")
    run(root, "git", "commit", "--quiet", "--message", "all")
    head = run(root, "git", "rev-parse", "HEAD").strip()
    for number in range(BRANCHES):
        branch = root / f".git/refs/heads/topic/{number}"
        branch.parent.mkdir(exist_ok=True)
        branch.write_text(head + "\n")
    times = {"git status": [], "nothing watched": [], "watched": [], "watched, one file changed": [], "nearly every file": []}
    workflow = root / ".holdpoint/workflows/bench/workflow.toml"
    workflow.parent.mkdir(parents=True)
    states = {}
    for name, text in (("nothing watched", PLAIN), ("watched", WATCHED), ("nearly every file", EVERY)):
        workflow.write_text(text)
        states[name] = (text, folder / name.replace(" ", "-"))
        allow(binary, root, states[name][1])
    states["watched, one file changed"] = states["watched"]
    for at in range(runs + 1):
        for name, taken in times.items():
            if name == "git status":
                one = timed(["git", "status", "--porcelain"], root, "", {})
            else:
                text, state = states[name]
                if workflow.read_text() != text:
                    workflow.write_text(text)
                    call(binary, root, state, lambda: None)
                change = (lambda: (root / "src/p01/m00/f1.py").write_text(f"number = {at}\n")) if "changed" in name else lambda: None
                one = call(binary, root, state, change)
            if at:
                taken.append(one)
    print(LINE.format(f"{files:,} files", "median", "least", "CPU"))
    found = {}
    for name, taken in times.items():
        walls = [wall for wall, _ in taken]
        found[name] = (statistics.median(walls), min(walls), min(cpu for _, cpu in taken))
        print(LINE.format(f"  {name}", *(f"{value:.1f}" for value in found[name])))
    for what, name in (("watching costs", "watched"), ("watching every file costs", "nearly every file")):
        more = [watched - plain for watched, plain in zip(found[name], found["nothing watched"])]
        print(LINE.format(f"  {what}", *(f"{value:.1f}" for value in more)))


def call(binary, root, state, change):
    """The two hooks of a shell call, with what the call does in between."""
    event = {"session_id": "s", "cwd": str(root), "tool_use_id": "c", "tool_name": "Bash", "tool_input": {"command": "make"}}
    total = (0.0, 0.0)
    for name in ("PreToolUse", "PostToolUse"):
        text = json.dumps({"hook_event_name": name, **event})
        one = timed([binary, "hook", "--agent", "claude"], root, text, {"XDG_STATE_HOME": str(state)})
        total = (total[0] + one[0], total[1] + one[1])
        if name == "PreToolUse":
            change()
    return total


def timed(command, root, stdin, more):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=stdin, cwd=root, env=ENVIRONMENT | more, capture_output=True, text=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0 or (stdin and done.stdout.strip()):
        sys.exit(f"error: not the answer that was expected: {done}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall * 1000, cpu * 1000


def allow(binary, root, state):
    """Allows the project, as its user would."""
    def say(*words):
        return run(root, binary, "allow", *words, XDG_STATE_HOME=str(state))
    say("--digest", say("--print").strip())


def run(root, *command, **more):
    done = subprocess.run(command, cwd=root, env=ENVIRONMENT | more, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {command}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
