//! Runs in projects of several languages, with the test runner that each has: what `start` proposes, a bug that is found and
//! kept as a test, a failure that was there before. A runner that is not installed is told of and passed by.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::project::{SPEC, Site};
use super::proof::{agrees_with_git, log};
use super::walk::{BACK_1, END, READY_1, READY_2, Step, TASK_1, TASK_2, commit_1, commit_2, follow, nothing};
use crate::project::Printed;

type File = (&'static str, &'static str);

/// A project, and what an agent writes in it.
struct Language {
    /// The program without which nothing is walked.
    runner: &'static str,
    /// What `start` proposes.
    tests: &'static str,
    files: &'static [File],
    allowed: &'static [&'static str],
    /// The first task's code with a bug, and its test, which shows it.
    bug: [File; 2],
    /// The bug is gone.
    repair: File,
    /// The name of a test of it, and the file.
    regression: (&'static str, File),
    /// The second task.
    second: [File; 2],
    /// A test that fails from the start, next to the others; and what it is called.
    old: (File, &'static str),
}

/// Where a program is.
fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Says that something is not walked, and why; under `HOLDPOINT_REQUIRE_RUNNERS=1` that is a failure.
fn pass_by(what: &str, why: &str) {
    let is_required = std::env::var_os("HOLDPOINT_REQUIRE_RUNNERS").is_some_and(|value| value == "1");
    assert!(!is_required, "{what} is required: {why}");
    // Not by a macro: the harness would hide it.
    let _ = writeln!(std::io::stderr(), "skipped a run with {what}: {why}");
}

impl Language {
    /// Its project; none where its runner is missing.
    fn site(&self, more: &[File]) -> Option<Site> {
        let Some(runner) = on_path(self.runner) else {
            pass_by(self.runner, "it is not installed");
            return None;
        };
        let site = Site::of(&[self.files, more].concat(), self.allowed);
        std::fs::create_dir(site.tools().join(".cache")).unwrap();
        if self.runner == "cargo" {
            // What is on PATH may choose a toolchain by the user's home, which is another one here.
            let cargo = std::env::var_os("CARGO").map_or(runner, PathBuf::from);
            for tool in ["cargo", "rustc", "rustdoc"] {
                link(&cargo.with_file_name(tool), &site.tools().join(tool));
            }
        }
        Some(site)
    }

    /// A run begins: without a word on the tests none does, and the right command is proposed.
    fn begin(&self, site: &Site) {
        let Printed { code, stdout, stderr, .. } = site.tell(&["start", SPEC]);
        let said = stdout + &stderr;
        let proposed = format!("holdpoint autopilot start {SPEC} --test '{}'", self.tests);
        assert!(code == Some(1) && said.contains(&proposed), "{said}");
        site.start(&["--test", self.tests]);
    }

    /// Two tasks, with a bug that the tests find, a debugger explains, and a test keeps from coming back.
    fn walk(&self) {
        let Some(site) = self.site(&[]) else { return };
        self.walk_in(&site);
    }

    fn walk_in(&self, site: &Site) {
        let (name, (file, text)) = self.regression;
        let regression = json!({"test_name": name, "test_file": file, "test_code": text});
        site.answers(
            "debugger",
            &[json!({"verdict": "fix_proposed", "notes": "one too many", "regression": regression})],
        );
        self.begin(site);
        let steps: &[Step<'_>] = &[
            (TASK_1, &|site| write(site, &self.bug)),
            (BACK_1, &|site| write(site, &[self.repair])),
            (": task 1, keep the bug from coming back", &|site| write(site, &[(file, text)])),
            (READY_1, &commit_1),
            (TASK_2, &|site| write(site, &self.second)),
            (READY_2, &commit_2),
            (END, &nothing),
        ];
        follow(site, Site::next, steps);
        agrees_with_git(site);
        assert_eq!(site.task(1)["regression_test"], json!(file), "{}", log(site));
        let log = log(site);
        assert!(log.contains(&format!("- Regression test: {file}\n- Tester: pass\n")), "{log}");
        let shown = site.evidence();
        let counts = shown.iter().filter(|piece| piece["phase"] == "tester" && piece["passed"] == true);
        assert!(counts.clone().all(|piece| piece["details"]["passed"].as_u64() > Some(0)), "{shown:#?}");
    }

    /// A failure that was there before is named, and nobody's; a new one next to it is the task's.
    fn walk_past_an_old_failure(&self) {
        let (file, name) = self.old;
        let Some(site) = self.site(&[file]) else { return };
        self.begin(&site);
        assert_eq!(site.state()["baseline"], json!([name]));
        follow(&site, Site::next, &[(TASK_1, &|site| write(site, &self.bug))]);
        let back = site.next();
        assert!(back.contains(BACK_1), "{back}");
        assert!(
            back.contains(&format!("Failed before the run began, and not yours to repair: {name}.")),
            "{back}"
        );
        write(&site, &[self.repair]);
        follow(&site, Site::next, &[(READY_1, &commit_1), (TASK_2, &nothing)]);
        assert_eq!(site.task(1)["tester"], json!("fail_out_of_scope"), "{}", log(&site));
    }
}

fn write(site: &Site, files: &[File]) {
    for (path, text) in files {
        site.write(path, text);
    }
}

fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

const IGNORED: File = (
    ".gitignore",
    "autopilot-state.json\n.holdpoint/\n__pycache__/\n.pytest_cache/\ntarget/\nnode_modules/\n",
);

static PYTHON: Language = Language {
    runner: "pytest",
    tests: "pytest",
    files: &[
        IGNORED,
        ("pytest.ini", "[pytest]\npythonpath = .\n"),
        ("cart.py", "def total(prices):\n    return 0\n"),
        ("tests/test_base.py", "import cart\n\n\ndef test_is_there():\n    assert cart.total\n"),
    ],
    allowed: &["cart.py", "tests/*.py", "pytest.ini"],
    bug: [
        ("cart.py", "def total(prices):\n    return sum(prices) + 1\n"),
        ("tests/test_total.py", "import cart\n\n\ndef test_total():\n    assert cart.total([1, 2]) == 3\n"),
    ],
    repair: ("cart.py", "def total(prices):\n    return sum(prices)\n"),
    regression: (
        "test_nothing_is_nothing",
        (
            "tests/regression/test_nothing.py",
            "import cart\n\n\ndef test_nothing_is_nothing():\n    assert cart.total([]) == 0\n",
        ),
    ),
    second: [
        (
            "cart.py",
            "def total(prices):\n    return sum(prices)\n\n\ndef off(price):\n    return price * 9 // 10\n",
        ),
        ("tests/test_off.py", "import cart\n\n\ndef test_off():\n    assert cart.off(100) == 90\n"),
    ],
    old: (("tests/test_old.py", "def test_old():\n    assert 1 == 2\n"), "tests/test_old.py::test_old"),
};

const CART_JS: &str = "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n";
const CART_JS_BUG: &str = "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 1);\n";
const CART_JS_OFF: &str = "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n\
    exports.off = (price) => Math.floor((price * 9) / 10);\n";

static NODE: Language = Language {
    runner: "node",
    tests: "npm test",
    files: &[
        IGNORED,
        (
            "package.json",
            "{\"name\": \"cart\", \"private\": true, \"scripts\": {\"test\": \"node --test\"}}\n",
        ),
        ("cart.js", "exports.total = () => 0;\n"),
        ("tests/base.test.js", "require('node:test')('is there', () => require('../cart').total([]));\n"),
    ],
    allowed: &["cart.js", "tests/*.test.js"],
    bug: [
        ("cart.js", CART_JS_BUG),
        (
            "tests/total.test.js",
            "const assert = require('node:assert');\n\
             require('node:test')('total', () => assert.equal(require('../cart').total([1, 2]), 3));\n",
        ),
    ],
    repair: ("cart.js", CART_JS),
    regression: (
        "nothing is nothing",
        (
            "tests/regression/nothing.test.js",
            "const assert = require('node:assert');\n\
             require('node:test')('nothing is nothing', () => assert.equal(require('../../cart').total([]), 0));\n",
        ),
    ),
    second: [
        ("cart.js", CART_JS_OFF),
        (
            "tests/off.test.js",
            "const assert = require('node:assert');\n\
             require('node:test')('off', () => assert.equal(require('../cart').off(100), 90));\n",
        ),
    ],
    old: (
        ("tests/old.test.js", "require('node:test')('old', () => require('node:assert').equal(1, 2));\n"),
        "tests/old.test.js::old",
    ),
};

static RUST: Language = Language {
    runner: "cargo",
    tests: "cargo test --no-fail-fast",
    files: &[
        IGNORED,
        ("Cargo.toml", "[package]\nname = \"cart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        (
            "Cargo.lock",
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 3\n\n[[package]]\nname = \"cart\"\nversion = \"0.1.0\"\n",
        ),
        ("src/lib.rs", "pub fn total(_: &[u32]) -> u32 {\n    0\n}\n"),
        ("tests/base.rs", "#[test]\nfn is_there() {\n    cart::total(&[]);\n}\n"),
    ],
    allowed: &["src/*.rs", "tests/*.rs"],
    bug: [
        ("src/lib.rs", "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum::<u32>() + 1\n}\n"),
        ("tests/total.rs", "#[test]\nfn total() {\n    assert_eq!(cart::total(&[1, 2]), 3);\n}\n"),
    ],
    repair: ("src/lib.rs", "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n"),
    regression: (
        "nothing_is_nothing",
        (
            "tests/regression_nothing.rs",
            "#[test]\nfn nothing_is_nothing() {\n    assert_eq!(cart::total(&[]), 0);\n}\n",
        ),
    ),
    second: [
        (
            "src/lib.rs",
            "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n\npub fn off(price: u32) -> u32 {\n    price * 9 / 10\n}\n",
        ),
        ("tests/off.rs", "#[test]\nfn off() {\n    assert_eq!(cart::off(100), 90);\n}\n"),
    ],
    old: (("tests/aged.rs", "#[test]\nfn old() {\n    assert_eq!(1, 2);\n}\n"), "tests/aged.rs::old"),
};

static GO: Language = Language {
    runner: "go",
    tests: "go test -v ./...",
    files: &[
        IGNORED,
        ("go.mod", "module example.com/cart\n\ngo 1.19\n"),
        ("cart.go", "package cart\n\nfunc Total(prices []int) int {\n\treturn 0\n}\n"),
        (
            "base_test.go",
            "package cart\n\nimport \"testing\"\n\nfunc TestIsThere(t *testing.T) {\n\tTotal(nil)\n}\n",
        ),
    ],
    allowed: &["*.go"],
    bug: [
        (
            "cart.go",
            "package cart\n\nfunc Total(prices []int) int {\n\tsum := 1\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n",
        ),
        (
            "total_test.go",
            "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total([]int{1, 2}) != 3 {\n\t\tt.Fatal(\"not 3\")\n\t}\n}\n",
        ),
    ],
    repair: (
        "cart.go",
        "package cart\n\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n",
    ),
    regression: (
        "TestNothingIsNothing",
        (
            "tests/regression/nothing_test.go",
            "package regression\n\nimport (\n\t\"testing\"\n\n\t\"example.com/cart\"\n)\n\nfunc TestNothingIsNothing(t *testing.T) {\n\tif cart.Total(nil) != 0 {\n\t\tt.Fatal(\"not 0\")\n\t}\n}\n",
        ),
    ),
    second: [
        ("off.go", "package cart\n\nfunc Off(price int) int {\n\treturn price * 9 / 10\n}\n"),
        (
            "off_test.go",
            "package cart\n\nimport \"testing\"\n\nfunc TestOff(t *testing.T) {\n\tif Off(100) != 90 {\n\t\tt.Fatal(\"not 90\")\n\t}\n}\n",
        ),
    ],
    old: (
        (
            "old_test.go",
            "package cart\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tt.Fatal(\"as ever\")\n}\n",
        ),
        "example.com/cart/old_test.go::example.com/cart TestOld",
    ),
};

#[test]
fn a_python_project_with_pytest() {
    PYTHON.walk();
}

#[test]
fn a_python_project_with_an_old_failure() {
    PYTHON.walk_past_an_old_failure();
}

#[test]
fn a_javascript_project_with_node() {
    NODE.walk();
}

#[test]
fn a_javascript_project_with_an_old_failure() {
    NODE.walk_past_an_old_failure();
}

#[test]
fn a_rust_project_with_cargo() {
    RUST.walk();
}

#[test]
fn a_rust_project_with_an_old_failure() {
    RUST.walk_past_an_old_failure();
}

#[test]
fn a_go_project() {
    GO.walk();
}

#[test]
fn a_go_project_with_an_old_failure() {
    GO.walk_past_an_old_failure();
}
