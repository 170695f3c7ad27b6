#!/usr/bin/env python3
"""Times the hash of a working tree against `git status` in the same repository and the same run.

    bench/tree.py [--files 20000] [--runs 15] [--binary PATH]

Both are asked in turn, so that a busy machine is busy for both. Wall time is the median; CPU time is the least that the
kernel charged the process and the children it waited for, which differs less from run to run. The aim, on 20,000 files,
first time and with nothing changed: at most twice `git status`. An answer that is not git's own fails, a time does not.
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hook

AIM = 2.0
ASIDE = [".holdpoint/**", "docs/**", "*.md"]
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
    **{f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
STATUS = ["git", "status", "--porcelain"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--files", type=int, default=20_000)
    arguments.add_argument("--runs", type=int, default=15)
    arguments.add_argument("--binary", type=Path, help="an example `tree` that is built already")
    options = arguments.parse_args()
    binary = options.binary.resolve() if options.binary else build()
    with tempfile.TemporaryDirectory(prefix="holdpoint-bench-", dir="/tmp") as folder:
        repository = Repository(Path(folder) / "repository", options.files, options.runs, binary)
        print(LINE.format(f"{options.files:,} files", "status", "hash", "ratio", "status", "hash", "ratio"))
        untracked(repository)
        repository.git("add", "--all")
        repository.git("commit", "--quiet", "--message", "all")
        committed(repository)
    print(f"wall ms (median), then CPU ms (least), of {options.runs} runs; aim: at most {AIM:.1f} times")


def untracked(repository):
    """Where nothing is committed every file is untracked: it is read each time."""
    all_named = [*STATUS, "--untracked-files=all"]
    repository.compare("no commit yet", repository.forget, status=all_named)
    repository.compare("no commit yet, again", status=all_named)


def committed(repository):
    repository.compare("first time", repository.forget)
    repository.compare("nothing changed")
    repository.compare("nothing changed, paths aside", aside=ASIDE)
    repository.compare("one file changed", lambda: repository.edit(1))
    repository.compare("100 files changed", lambda: repository.edit(100))
    repository.compare("100 files changed, again")
    repository.git("checkout", "--quiet", ".")
    repository.compare("index without times", lambda: repository.git("read-tree", "HEAD"))


LINE = "{:<30} {:>8} {:>8} {:>6}   {:>8} {:>8} {:>6}"


class Repository:
    def __init__(self, root, files, runs, binary):
        self.root, self.runs, self.binary, self.chance = root, runs, binary, random.Random(5)
        words = [f"{self.chance.getrandbits(24):06x}" for _ in range(5000)]
        self.files = [root / f"src/p{i % 40:02}/m{i // 40 % 25:02}/f{i}.py" for i in range(files)]
        for path in self.files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(" ".join(self.chance.choices(words, k=self.chance.randrange(20, 700))) + "\n")
        (root / ".gitignore").write_text("*.log\nbuild/\n")
        (root / "README.md").write_text("A repository to be measured.\n")
        self.git("init", "--quiet")

    def git(self, *args, **variables):
        command = ["git", "-C", self.root, *args]
        return subprocess.run(command, env=ENVIRONMENT | variables, check=True, capture_output=True, text=True).stdout

    def forget(self):
        shutil.rmtree(self.root / ".holdpoint/git", ignore_errors=True)

    def edit(self, count):
        """Changes so many files, always the same ones."""
        for path in self.files[:: len(self.files) // count][:count]:
            path.write_text(f"{self.chance.random()}\n")

    def compare(self, what, before=lambda: None, status=STATUS, aside=()):
        """Prints a line. The state is made anew for each of the two, because `git status` writes the index."""
        ours = [self.binary, self.root, *aside]
        times = {"status": [], "ours": []}
        for _ in range(self.runs):
            before()
            times["status"].append(self.timed(status)[:2])
            before()
            *took, printed = self.timed(ours)
            times["ours"].append(took)
        if not aside and printed.strip() != self.expected():
            sys.exit(f"error: {what}: {printed} is not what git says")
        wall = [statistics.median(wall for wall, _ in times[name]) for name in times]
        cpu = [min(cpu for _, cpu in times[name]) for name in times]
        print(LINE.format(what, *row(wall), *row(cpu)), flush=True)

    def timed(self, command):
        used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ran = subprocess.run(command, cwd=self.root, env=ENVIRONMENT, capture_output=True, text=True)
        wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if ran.returncode != 0:
            sys.exit(f"error: {command}: {ran.stderr}")
        cpu = sum(getattr(now, name) - getattr(used, name) for name in ("ru_utime", "ru_stime"))
        return wall * 1000, cpu * 1000, ran.stdout

    def expected(self):
        """What `git add` and `git write-tree` say, with an index and objects that are thrown away."""
        git = self.root / ".git"
        with tempfile.TemporaryDirectory() as scratch:
            apart = {"GIT_INDEX_FILE": f"{scratch}/index", "GIT_OBJECT_DIRECTORY": scratch,
                     "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(git / "objects")}
            if (git / "index").exists():
                shutil.copy2(git / "index", apart["GIT_INDEX_FILE"])
            self.git("add", "--all", **apart)
            return self.git("write-tree", **apart).strip()


def row(pair):
    status, ours = pair
    return f"{status:.1f}", f"{ours:.1f}", f"{ours / status:.2f}"


def build():
    target_dir = Path(os.environ.get("CARGO_TARGET_DIR", hook.ROOT / "target"))
    command = ["cargo", "build", "--quiet", "--release", "--locked", "--package", "holdpoint", "--example", "tree",
               "--manifest-path", hook.ROOT / "Cargo.toml", "--target-dir", target_dir]
    subprocess.run(command, check=True)
    return target_dir / "release/examples/tree"


if __name__ == "__main__":
    main()
