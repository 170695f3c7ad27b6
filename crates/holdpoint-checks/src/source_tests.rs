use holdpoint_core::workflow::performer::MoneyWords;
use proptest::prelude::*;

use super::*;
use crate::blueprint::blueprint_tests::money_words;
use crate::blueprint::{Blueprint, Compliance, Words};
use crate::lint::Linter;
use crate::scan::Scan;

/// What a file's comments are.
fn comments(path: &str, text: &str) -> Vec<String> {
    let code = Code::read(path, text).unwrap();
    code.comments().map(|node| code.text(node).trim_end().to_owned()).collect()
}

#[test]
fn comments_are_told_from_strings_and_signs() {
    for (path, text, expect) in [
        ("a.py", "x = 1  # c\n'# no' \"it's\" # d", &["# c", "# d"][..]),
        ("a.py", r"r'\' # c' # d", &["# d"]),
        ("a.py", "'''a\n# 'no'\n''' # c", &["# c"]),
        ("a.py", "f'{a[\"b\"]:>{w}.2f} # no' # d", &["# d"]),
        ("a.py", "f'''{\n  a # c\n}'''", &["# c"]),
        ("a.py", "\u{feff}# c", &["# c"]),
        ("a.py", "a // b", &[]),
        ("a.ts", "'// no' \"/* no\" // c", &["// c"]),
        ("a.ts", "`a // no ${b /* c */ + `d ${e}`} f`", &["/* c */"]),
        ("a.ts", "x = /['\"`]/g.test(y) // c", &["// c"]),
        ("a.ts", "if (x) /'/.test(y) // c", &["// c"]),
        ("a.ts", "f(x) / 2 / '/' // c", &["// c"]),
        ("a.ts", "const f = <T>(x: T) => x // c", &["// c"]),
        ("a.js", "#!/usr/bin/env node\na", &["#!/usr/bin/env node"]),
        ("a.tsx", "<p>It's // no</p> // c", &["// c"]),
        ("a.tsx", "x = <A b='x' c={d}>{/* f */}<br/>g</A>", &["/* f */"]),
        ("a.tsx", "const f = <T,>(x: T) => 'y' // c", &["// c"]),
        ("a.jsx", "<p>{`it's ${<b>x // no</b>}`}</p> // c", &["// c"]),
        ("a.rs", "a // c\n/* b /* c */ d */ e", &["// c", "/* b /* c */ d */"]),
        ("a.rs", "r##\"a \"# // no\"## // c", &["// c"]),
        ("a.rs", "'a' '\\'' '\"' b'/' // c", &["// c"]),
        ("a.rs", "fn f<'a>(x: &'a str) {} // c", &["// c"]),
        ("a.go", "a := `// no\n\\` // c", &["// c"]),
        ("a.go", "\"/* \\\" no\" '\\'' '\"' /* c */", &["/* c */"]),
        // What is never closed ends with its line.
        ("a.go", "\"open\n// c", &["// c"]),
    ] {
        assert_eq!(comments(path, text), expect, "{path}: {text}");
    }
}

#[test]
fn strings_without_holes_are_known() {
    for (path, text, expect) in [
        ("a.py", "f(rb'a.b')", Some("a.b")),
        ("a.py", "f('''a''')", Some("a")),
        ("a.py", "f(f'{a}')", None),
        ("a.py", "f(a)", None),
        ("a.ts", "f(`a`)", Some("a")),
        ("a.ts", "f(`a${b}`)", None),
        ("a.ts", "f('')", Some("")),
    ] {
        let code = Code::read(path, text).unwrap();
        let arguments = code.nodes().into_iter().find(|node| node.kind().contains("argument")).unwrap();
        assert_eq!(code.quoted(arguments.named_child(0).unwrap()), expect, "{text}");
    }
}

#[test]
fn tests_are_told_by_whole_names() {
    for path in [
        "tests/a.py",
        "src/test/A.java",
        "./x/__tests__/a.js",
        "test_a.py",
        "x/a_test.go",
        "a.test.tsx",
        "a.spec.ts",
        "src/shell_tests.rs",
        "src/x/tests.rs",
        r"tests\a.py",
    ] {
        assert!(is_test(path), "{path}");
    }
    for path in [
        "latest.py",
        "contest.py",
        "src/attest/a.py",
        "testing/a.py",
        "test_a.js",
        "a_test",
        "_test.go",
        "src/spec.ts",
        "tester.py",
        "src/protest.test/../a.py",
        "",
    ] {
        assert!(!is_test(path), "{path}");
    }
}

#[test]
fn what_nests_deeper_than_a_stack_is_read() {
    let files = [
        ("a.rs", format!("use {};", "a::{".repeat(20_000))),
        ("a.rs", format!("use {}", "{".repeat(20_000))),
        ("a.py", format!("price = {}1.5", "-".repeat(20_000))),
        ("a.py", format!("price = f(x){}", " + 1".repeat(20_000))),
        ("a.py", format!("try: x\nexcept {}", "(".repeat(20_000))),
        ("a.ts", format!("x = {}", "{a:[".repeat(20_000))),
        ("a.go", format!("func f() {{ if {}err != nil {{ }} }}", "x && (".repeat(20_000))),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text));
    let money = MoneyWords { documents: "*".into(), ..money_words() };
    let words = Words { money, ..Words::default() };
    let blueprint = Blueprint::read(&[("a.md".to_owned(), "Money is int".to_owned())], &words);
    assert_eq!(Scan::default().findings(&files), []);
    assert_eq!(Compliance { blueprint, ..Compliance::default() }.findings(&files).len(), 1);
}

proptest! {
    #[test]
    fn any_text_is_read_to_its_end(
        text in "([a-z'\"`\\\\/*#{}<>()$:;\n é]|f'|r#|b\"|'''|\"\"\"|\\$\\{|</|/>|/\\*|\\\\N\\{){0,60}",
        path in "a\\.(py|js|ts|rs|go)",
    ) {
        let code = Code::read(&path, &text).unwrap();
        prop_assert_eq!(code.root().end_byte(), text.len());
        for node in code.nodes() {
            prop_assert_eq!(line(node), 1 + text[..node.start_byte()].matches('\n').count());
            code.quoted(node);
        }
    }
}
