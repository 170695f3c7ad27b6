use proptest::prelude::*;

use super::*;

/// Cases in plain files: `--- path: what it is about`, the source, and `>>> line CODE` for every finding. They are
/// no Rust, because no Rust file here may have the words that they are about.
const CASES: [&str; 4] = [
    include_str!("scan/cases/python.txt"),
    include_str!("scan/cases/javascript.txt"),
    include_str!("scan/cases/rust.txt"),
    include_str!("scan/cases/go.txt"),
];

fn codes(path: &str, text: &str) -> Vec<String> {
    let found = scan(path, text, &Scan::default());
    found.iter().map(|finding| format!("{} {}", finding.line, finding.code)).collect()
}

#[test]
fn cases() {
    let mut count = 0;
    for case in CASES.iter().flat_map(|file| file.split("--- ").skip(1)) {
        let (title, body) = case.split_once('\n').unwrap();
        let (path, about) = title.split_once(": ").unwrap();
        let (wanted, source): (Vec<&str>, Vec<&str>) =
            body.lines().partition(|line| line.starts_with(">>> "));
        let wanted: Vec<&str> = wanted.iter().map(|line| &line[4..]).collect();
        let source = source.join("\n").replace("\\r\n", "\r\n");
        assert_eq!(codes(path, &source), wanted, "{path}: {about}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn files_may_be_as_long_as_the_limit() {
    for (path, lines, expect) in [
        ("a.py", 400, None),
        ("a.py", 401, Some("401 LOC_LIMIT")),
        ("latest.py", 401, Some("401 LOC_LIMIT")),
        ("contest.py", 401, Some("401 LOC_LIMIT")),
        ("tests/a.py", 600, None),
        ("tests/a.py", 601, Some("601 LOC_LIMIT")),
        ("test_a.py", 601, Some("601 LOC_LIMIT")),
        ("a.test.ts", 600, None),
        ("script.sh", 401, Some("401 LOC_LIMIT")),
        ("Makefile", 401, Some("401 LOC_LIMIT")),
        ("Cargo.lock", 9000, None),
        ("docs/a.md", 9000, None),
        ("package-lock.JSON", 9000, None),
    ] {
        let text = "x\n".repeat(lines);
        assert_eq!(codes(path, &text).first().map(String::as_str), expect, "{path} {lines}");
        // The last line need not end.
        assert_eq!(codes(path, text.trim_end()).is_empty(), expect.is_none(), "{path} {lines}");
    }
    let own = Scan { code_lines: 1, test_lines: 2 };
    assert_eq!(scan("a.go", "a\nb", &own)[0].line, 2);
}

#[test]
fn a_finding_says_where_and_what() {
    let text = format!("x = 1\n  # {}: pay   \n", "TODO");
    let found = scan("src/a.py", &text, &Scan::default());
    assert_eq!(found[0].to_string(), "src/a.py:2: [TODO] `TODO: pay`: do it, or leave the remark out");
}

#[test]
fn other_languages_are_only_measured() {
    assert!(codes("a.rb", "# TODO\nbegin\nrescue\nend").is_empty());
}

proptest! {
    #[test]
    fn any_text_can_be_scanned(
        text in "(except|catch|todo|!|\\(|\\)|\\{|\\}|:|raise|#|//|_ = |f|err != nil|\n|    |try|\\[|\\]|test|as|é|'){0,40}",
        path in "(tests/)?a\\.(py|js|ts|rs|go|x)",
    ) {
        let lines = text.lines().count();
        for finding in scan(&path, &text, &Scan::default()) {
            prop_assert!((1..=lines).contains(&finding.line));
        }
    }
}
