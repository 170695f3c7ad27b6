#!/usr/bin/env python3
"""Counts the instructions of `holdpoint hook` and `holdpoint statusline` with callgrind and fails when an answer has
become too dear.

    bench/hook.py                  build, count, compare with the limits and with the counts last accepted
    bench/hook.py --accept         the same, and take these counts as the accepted ones
    bench/hook.py --binary PATH    count this binary instead of building one

Two rules. A case that has a limit costs at most that many times what an empty Rust program costs, as cargo links it
by default. And no case costs over 10 % more than the counts last accepted, in accepted.json. Instructions are counted,
never seconds: they hardly differ from one machine to the next.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import projects

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ACCEPTED = HERE / "accepted.json"
GROWTH_MAX = 0.10
TARGET = "x86_64-unknown-linux-gnu"
STATIC = "-C target-feature=+crt-static -C relocation-model=static"
# Nothing of the caller's environment may count.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
# Nor may the processes above: a hook looks at each of them. So each call has the same four shells above it, which nothing
# of ours is above: the outermost is given to the system's first process. It leaves the exit code in the file $CODE.
SHELLS = 4
CHAIN = """n=$1; shift
if [ "$n" -gt 1 ]; then sh -c "$CHAIN" sh $((n - 1)) "$@"; else "$@"; fi
code=$?; if [ "$n" -eq %d ]; then echo $code >"$CODE"; fi; exit $code""" % SHELLS


def cases(folder):
    """Name, what it is, event, part of the answer (empty: no answer), limit, and the command if it is not the hook."""
    names = ("nothing", "small", "large", "plan", "own", "watched")
    nothing, small, large, plan, own, watched = (folder / name for name in names)
    nothing.mkdir()
    projects.make(small, 5 * 1024)
    projects.make(large, 100 * 1024)
    projects.make_plan(plan, 200)
    projects.make_own(own)
    projects.make(watched, 5 * 1024)
    projects.make_repository(watched, 20)
    held = '"permissionDecision":"deny"'
    git = "git status && git log --oneline"
    return [
        ("a", "nothing active", projects.shell(nothing, "cargo test --workspace"), "", 2),
        ("b", "delegation held, 5 KB state", projects.delegation(small), held, 8),
        ("c", "delegation held, 100 KB state", projects.delegation(large), held, 20),
        ("d", "shell command without git", projects.shell(small, "cargo test --workspace"), "", 5),
        ("e", "shell command with git, no commit", projects.shell(small, git), "", None),
        ("f", "an ordinary file was edited", projects.edited(small), "", None),
        # A turn's end settles what was held in it: so the line is asked before.
        ("j", "status line, a hold, 5 KB state", json.dumps({"cwd": str(small)}), " · held ", 3, "statusline"),
        ("g", "stop, nothing to say", projects.stop(small), "", None),
        ("h", "stop, a plan of 200 documents", projects.stop(plan), "validated", 10),
        # What the hooks above left in the journals is part of it. 5 ms are some 50 times the empty program.
        ("i", "status line, nothing active", json.dumps({"cwd": str(nothing)}), "", 2, "statusline"),
        ("k", "status line, 200 documents", json.dumps({"cwd": str(plan)}), " · ", 5, "statusline"),
        # It was found good by the first call, so it is not judged again.
        ("l", "a workflow of the project's own", projects.shell(own, "cargo test --workspace"), "", 5),
        # What the call before has done is compared, and what is there before this one noted.
        ("m", "shell command, 20 branches watched", projects.shell(watched, "cargo test --workspace"), "", 12),
    ]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--accept", action="store_true", help="take these counts as the accepted ones")
    arguments.add_argument("--binary", type=Path, help="count this binary instead of building one")
    options = arguments.parse_args()
    require_valgrind()
    require_same_profile()
    empty, empty_static = build(HERE / "empty", "empty", ""), build(HERE / "empty", "empty", STATIC)
    binary = options.binary.resolve() if options.binary else build(ROOT, "holdpoint", STATIC)
    with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
        folder = Path(folder)
        ENVIRONMENT["XDG_STATE_HOME"] = str(folder / "state")
        all_cases = cases(folder)
        for project in ("small", "large", "plan", "own", "watched"):
            allow(binary, folder / project)
        rows = [(*case[:5], count_case(binary, folder, case)) for case in all_cases]
        yardsticks = [count([empty], "", folder), count([empty_static], "", folder)]
    accepted = json.loads(ACCEPTED.read_text()) if ACCEPTED.exists() else {}
    failures = report(rows, yardsticks, {} if options.accept else accepted)
    if options.accept:
        counts = {"empty": yardsticks[0], "empty static": yardsticks[1]} | {row[0]: row[-1] for row in rows}
        ACCEPTED.write_text(json.dumps(counts, indent=2) + "\n")
        print(f"accepted: {ACCEPTED.relative_to(ROOT)}")
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


def report(rows, yardsticks, accepted):
    """Prints the table; returns what is wrong."""
    empty, empty_static = yardsticks
    failures = []
    line = "{:<2} {:<34} {:>12} {:>9} {:>7} {:>10} {:>9}  {}"
    print(line.format("", "case", "instructions", "x empty", "limit", "x static", "accepted", ""))
    print(line.format("", "empty program, as cargo links it", f"{empty:,}", "1.0", "", "", "", ""))
    print(line.format("", "empty program, static", f"{empty_static:,}", "", "", "1.0", "", ""))
    for name, what, _, _, limit, counted in rows:
        ratio, growth = counted / empty, counted / accepted[name] - 1 if name in accepted else None
        wrong = []
        if limit and ratio > limit:
            wrong.append(f"{ratio:.2f} times the empty program, {limit} at most")
        if growth is not None and growth > GROWTH_MAX:
            wrong.append(f"{growth:+.1%} over the accepted {accepted[name]:,}, {GROWTH_MAX:+.0%} at most")
        failures += [f"{name} ({what}): {problem}" for problem in wrong]
        print(line.format(
            name, what, f"{counted:,}", f"{ratio:.2f}", limit or "", f"{counted / empty_static:.2f}",
            "new" if growth is None else f"{growth:+.1%}", "TOO DEAR" if wrong else "ok"))
    return failures


def allow(binary, project):
    """Allows a project, as its user would."""
    def call(*words):
        return subprocess.run([binary, "allow", *words], env=ENVIRONMENT, cwd=project, capture_output=True, text=True, check=True)
    call("--digest", call("--print").stdout.strip())


def count_case(binary, folder, case):
    """Instructions of one call; the first, which makes the journal, is not counted but checked."""
    _, what, event, expected, _, *other = case
    command = [binary, *(other or ["hook"])]
    answer = call(command, event, folder)
    if answer.returncode != 0 or (expected not in answer.stdout if expected else answer.stdout):
        sys.exit(f"error: {what}: not the answer this case is about: {answer}")
    return count(command, event, folder)


def call(command, stdin, folder):
    """Calls a program below shells that are the same everywhere."""
    code = folder / "code"
    env = ENVIRONMENT | {"CHAIN": CHAIN, "CODE": str(code)}
    chain = ["setsid", "--fork", "sh", "-c", CHAIN, "sh", str(SHELLS), *command]
    # Its output ends when the outermost shell does, which has then written the code.
    called = subprocess.run(chain, input=stdin, env=env, cwd="/", capture_output=True, text=True)
    called.returncode = int(code.read_text())
    code.unlink()
    return called


def count(command, stdin, folder):
    """Instructions of one process, without its children."""
    out = folder / "callgrind.out"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *command]
    ran = call(valgrind, stdin, folder)
    totals = [line for line in out.read_text().splitlines() if line.startswith(("totals:", "summary:"))]
    if ran.returncode != 0 or not totals:
        sys.exit(f"error: valgrind failed: {ran.stderr}")
    return int(totals[-1].split()[1])


def build(crate, name, rustflags):
    """Builds a release binary: with flags for our target, without them as cargo does it by itself."""
    target_dir = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    target = ["--target", TARGET] if rustflags else []
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--bin", name,
               "--manifest-path", crate / "Cargo.toml", "--target-dir", target_dir, *target]
    subprocess.run(command, env=os.environ | {"RUSTFLAGS": rustflags}, check=True)
    return target_dir / (TARGET if rustflags else "") / "release" / name


def require_same_profile():
    ours, empty = [tomllib.loads((crate / "Cargo.toml").read_text())["profile"]["release"]
                   for crate in (ROOT, HERE / "empty")]
    if ours != empty:
        sys.exit("error: [profile.release] of Cargo.toml and of bench/empty/Cargo.toml differ")


def require_valgrind():
    if shutil.which("valgrind"):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit("error: valgrind is missing\nhint: apt-get install valgrind")
    subprocess.run(["apt-get", "update", "--quiet"], check=True)
    subprocess.run(["apt-get", "install", "--yes", "--quiet", "valgrind"], check=True)


if __name__ == "__main__":
    main()
