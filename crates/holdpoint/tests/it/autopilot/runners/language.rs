//! Projects of several languages, each with the code and the tests of two tasks.

use super::{File, Language};
use crate::clients::install::{JEST, VITEST};

const IGNORED: File = (
    ".gitignore",
    "autopilot-state.json\n.holdpoint/\n__pycache__/\n.pytest_cache/\ntarget/\nnode_modules/\n",
);

pub(super) static PYTHON: Language = Language {
    runner: "pytest",
    package: None,
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

pub(super) const NODE: Language = Language {
    runner: "node",
    package: None,
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

pub(super) static WITH_JEST: Language = Language {
    package: Some(&JEST),
    files: &[
        IGNORED,
        ("package.json", "{\"name\": \"cart\", \"private\": true, \"scripts\": {\"test\": \"jest\"}}\n"),
        ("cart.js", "exports.total = () => 0;\n"),
        ("tests/base.test.js", "test('is there', () => expect(require('../cart').total).toBeDefined());\n"),
    ],
    bug: [
        ("cart.js", CART_JS_BUG),
        ("tests/total.test.js", "test('total', () => expect(require('../cart').total([1, 2])).toBe(3));\n"),
    ],
    regression: (
        "nothing is nothing",
        (
            "tests/regression/nothing.test.js",
            "test('nothing is nothing', () => expect(require('../../cart').total([])).toBe(0));\n",
        ),
    ),
    second: [
        ("cart.js", CART_JS_OFF),
        ("tests/off.test.js", "test('off', () => expect(require('../cart').off(100)).toBe(90));\n"),
    ],
    old: (("tests/old.test.js", "test('old', () => expect(1).toBe(2));\n"), "tests/old.test.js::old"),
    ..NODE
};

pub(super) static WITH_VITEST: Language = Language {
    package: Some(&VITEST),
    files: &[
        IGNORED,
        (
            "package.json",
            "{\"name\": \"cart\", \"private\": true, \"scripts\": {\"test\": \"vitest run\"}}\n",
        ),
        ("cart.js", "exports.total = () => 0;\n"),
        (
            "tests/base.test.mjs",
            "import { expect, test } from 'vitest';\nimport cart from '../cart';\n\
             test('is there', () => expect(cart.total).toBeDefined());\n",
        ),
    ],
    allowed: &["cart.js", "tests/*.test.mjs"],
    bug: [
        ("cart.js", CART_JS_BUG),
        (
            "tests/total.test.mjs",
            "import { expect, test } from 'vitest';\nimport cart from '../cart';\n\
             test('total', () => expect(cart.total([1, 2])).toBe(3));\n",
        ),
    ],
    regression: (
        "nothing is nothing",
        (
            "tests/regression/nothing.test.mjs",
            "import { expect, test } from 'vitest';\nimport cart from '../../cart';\n\
             test('nothing is nothing', () => expect(cart.total([])).toBe(0));\n",
        ),
    ),
    second: [
        ("cart.js", CART_JS_OFF),
        (
            "tests/off.test.mjs",
            "import { expect, test } from 'vitest';\nimport cart from '../cart';\n\
             test('off', () => expect(cart.off(100)).toBe(90));\n",
        ),
    ],
    old: (
        (
            "tests/old.test.mjs",
            "import { expect, test } from 'vitest';\ntest('old', () => expect(1).toBe(2));\n",
        ),
        "tests/old.test.mjs > old",
    ),
    ..NODE
};

pub(super) static RUST: Language = Language {
    runner: "cargo",
    package: None,
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

pub(super) static GO: Language = Language {
    runner: "go",
    package: None,
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
