//! How a project's test runner is told to run one test of its suite.

use serde_json::Value as Json;

use crate::world::{Answer, World};

/// What is known of how a project runs its tests.
pub(super) struct Suite {
    /// The words of the command that runs all of them.
    words: Vec<String>,
    /// What the manifest's script for tests says.
    script: String,
    /// Whether pytest is a program of its own here.
    has_pytest: bool,
}

/// What ends a command of a shell, and begins another.
const SEPARATORS: [&str; 4] = ["&&", "||", ";", "|"];

/// Whether a word says the same to a shell and without one: no variable is set or read in it, nothing is quoted, and no
/// other command begins in it.
fn is_plain(word: &str) -> bool {
    !word.contains([
        '=', '$', '\'', '"', '`', '\\', ';', '&', '|', '(', ')', '{', '}', '<', '>', '*', '?', '~', '!', '#',
    ])
}

impl Suite {
    /// Looks at the command of the whole suite, and at what the project has.
    pub(super) fn of(command: &[String], world: &dyn World) -> Suite {
        let words = command.iter().flat_map(|word| word.split_whitespace()).map(str::to_owned).collect();
        let manifest = match world.read("package.json") {
            Answer::Is(bytes) => serde_json::from_slice::<Json>(&bytes).unwrap_or_default(),
            Answer::None | Answer::Fault(_) => Json::Null,
        };
        let script = manifest["scripts"]["test"].as_str().unwrap_or_default().to_owned();
        Suite { words, script, has_pytest: matches!(world.program("pytest"), Answer::Is(_)) }
    }

    /// The command that runs the test of this name in this file; none where no runner is known for it.
    pub(super) fn one_test(&self, file: &str, name: &str) -> Option<Vec<String>> {
        let (folder, base) = file.rsplit_once('/').unwrap_or((".", file));
        let (stem, ending) = base.rsplit_once('.')?;
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        Some(match ending {
            "py" if self.names("unittest") => own(&["python3", "-m", "unittest", file]),
            "py" => [self.pytest(), vec![format!("{file}::{name}"), "-v".to_owned()]].concat(),
            "go" => own(&["go", "test", "-v", "-run", &format!("^{name}$"), &format!("./{folder}")]),
            // A folder of tests is one target, and begins with its `main.rs`.
            "rs" if stem == "main" => own(&["cargo", "test", "--test", folder.rsplit('/').next()?, name]),
            "rs" => own(&["cargo", "test", "--test", stem, name]),
            "js" | "cjs" | "mjs" | "jsx" | "ts" | "cts" | "mts" | "tsx" => self.script_test(file, ending)?,
            _ => return None,
        })
    }

    /// Whether the suite is run by this program.
    fn names(&self, program: &str) -> bool {
        let is_it = |word: &str| word.rsplit('/').next() == Some(program);
        self.words.iter().any(|word| is_it(word)) || self.script.split_whitespace().any(is_it)
    }

    /// How the suite calls pytest: `.venv/bin/pytest`, `uv run pytest`, `python3 -m pytest`.
    fn pytest(&self) -> Vec<String> {
        let is_it = |word: &String| word == "pytest" || word.ends_with("/pytest");
        if let Some(at) = self.words.iter().position(is_it) {
            let before = &self.words[..at];
            let is_end = |word: &String| SEPARATORS.iter().any(|end| word.ends_with(end)) || word == "-c";
            let from = before.iter().rposition(is_end).map_or(0, |end| end + 1);
            let words = &self.words[from..=at];
            if words.iter().all(|word| is_plain(word)) {
                return words.to_vec();
            }
        }
        let words: &[&str] = if self.has_pytest { &["pytest"] } else { &["python3", "-m", "pytest"] };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// A test file of JavaScript or TypeScript, by the runner that the project has; node's own reads no TypeScript.
    fn script_test(&self, file: &str, ending: &str) -> Option<Vec<String>> {
        let npx = |words: &[&str]| {
            let words = ["npx", "--no-install"].iter().chain(words).chain([&file]);
            words.map(|word| (*word).to_owned()).collect()
        };
        Some(match () {
            () if self.names("vitest") => npx(&["vitest", "run"]),
            () if self.names("jest") => npx(&["jest"]),
            () if self.names("mocha") => npx(&["mocha"]),
            () if ["js", "cjs", "mjs"].contains(&ending) => {
                ["node", "--test", file].map(str::to_owned).to_vec()
            }
            () => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Suite;

    fn command(suite: &str, script: &str, file: &str) -> Option<String> {
        let words = ["sh", "-c", suite].into_iter().flat_map(str::split_whitespace).map(str::to_owned);
        let suite = Suite { words: words.collect(), script: script.to_owned(), has_pytest: true };
        suite.one_test(file, "sums").map(|words| words.join(" "))
    }

    #[test]
    fn a_test_is_run_by_its_runner() {
        for (file, expect) in [
            ("tests/regression/test_sum.py", Some("pytest tests/regression/test_sum.py::sums -v")),
            ("tests/regression/sum_test.go", Some("go test -v -run ^sums$ ./tests/regression")),
            ("sum_test.go", Some("go test -v -run ^sums$ ./.")),
            ("tests/sum.rs", Some("cargo test --test sum sums")),
            ("tests/regression/main.rs", Some("cargo test --test regression sums")),
            ("tests/sum.mjs", Some("node --test tests/sum.mjs")),
            ("tests/sum.ts", None),
            ("tests/sum.sh", None),
            ("tests/py", None),
            ("", None),
        ] {
            assert_eq!(command("./test fast", "", file).as_deref(), expect, "{file}");
        }
    }

    #[test]
    fn the_runner_is_the_projects_own() {
        for (suite, script, file, expect) in [
            ("python3 -m pytest -q", "", "tests/a.py", "python3 -m pytest tests/a.py::sums -v"),
            ("cd x && .venv/bin/pytest -q", "", "tests/a.py", ".venv/bin/pytest tests/a.py::sums -v"),
            ("uv run pytest", "", "tests/a.py", "uv run pytest tests/a.py::sums -v"),
            ("PYTHONPATH=src pytest -q", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("cd x && A=1 B=2 uv run pytest", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("$VENV/bin/pytest -q", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("'my venv/bin/pytest' -q", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("true;env pytest", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("(cd x&&uv run pytest -q)", "", "tests/a.py", "pytest tests/a.py::sums -v"),
            ("python3 -m unittest", "", "tests/a.py", "python3 -m unittest tests/a.py"),
            ("npm test", "jest --ci", "tests/a.test.js", "npx --no-install jest tests/a.test.js"),
            ("npm test", "vitest run", "tests/a.test.ts", "npx --no-install vitest run tests/a.test.ts"),
            ("npx mocha", "", "tests/a.js", "npx --no-install mocha tests/a.js"),
            ("npm test", "node --test", "tests/a.js", "node --test tests/a.js"),
        ] {
            assert_eq!(command(suite, script, file).as_deref(), Some(expect), "{suite} {script}");
        }
    }
}
