#!/usr/bin/env python3
"""Times what the bench costs, by the calls of git that it makes: filling it, bringing it up to date, comparing it.

    bench/copy.py [--files 1000 20000] [--runs 5]

Wall time is the median; CPU time is the least that the kernel charged git. `git status` in the project is there for scale.
"""

import argparse
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, nargs="*", default=[1_000, 20_000])
    arguments.add_argument("--runs", type=int, default=5)
    options = arguments.parse_args()
    for files in options.files:
        with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
            measure(Path(folder), files, options.runs)


def measure(folder, files, runs):
    project, bench = folder / "project", folder / "bench"
    bench.mkdir()
    paths = [project / f"src/p{i % 40:02}/m{i // 40 % 25:02}/f{i}.py" for i in range(files)]
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"x = {number}\n" * 40)
    git(project, "init", "--quiet")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "all")
    on_bench = {"GIT_DIR": str(project / ".git"), "GIT_WORK_TREE": str(bench), "GIT_INDEX_FILE": str(folder / "index")}

    def lay():
        tree = git(project, "write-tree").strip()
        return timed(lambda: git(bench, "read-tree", "--reset", "-u", tree, **on_bench))

    def change(count):
        for path in paths[:count]:
            path.write_text(path.read_text() + "y = 1\n")
        git(project, "add", "--all")

    def compare():
        git(bench, "diff-files", "--name-only", "-z", **on_bench)
        git(bench, "ls-files", "--others", "--directory", "-z", **on_bench)

    print(f"{files:,} files")
    show("first fill", [lay()])
    show("ten files changed", [(change(10), lay())[1] for _ in range(runs)])
    show("compared", [timed(compare) for _ in range(runs)])
    show("git status", [timed(lambda: git(project, "status", "--porcelain")) for _ in range(runs)])


def git(folder, *words, **environment):
    done = subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT | environment, check=True, capture_output=True)
    return done.stdout.decode()


def timed(action):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    action()
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (end - start) * 1000, cpu * 1000


def show(what, times):
    wall, cpu = statistics.median(time[0] for time in times), min(time[1] for time in times)
    print(f"  {what:<20} {wall:8.0f} ms wall {cpu:8.0f} ms CPU")


if __name__ == "__main__":
    os.umask(0o022)
    main()
