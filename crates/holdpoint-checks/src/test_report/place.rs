//! Places in source files that an output points to: `src/a.js:3:5`.

/// The endings of source files. Without them a host and its port would be a place.
const ENDINGS: [&str; 30] = [
    "py", "rs", "go", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "java", "kt",
    "kts", "scala", "groovy", "rb", "php", "c", "cc", "cpp", "h", "hpp", "cs", "swift", "ex", "exs", "dart",
];

/// Folders of code that is not the project's.
const FOREIGN: [&str; 7] = [
    "node_modules/",
    "site-packages/",
    "/lib/python",
    "/rustc/",
    "/.cargo/registry/",
    "rustdoctest",
    "testing/testing.go",
];

/// The file of the first place in a line that is the project's own.
pub(super) fn in_line(line: &str) -> Option<String> {
    words(line).filter_map(path_of).find(|path| is_own(path)).map(tidy)
}

/// The file that a line names without a place in it.
pub(super) fn named_in(line: &str) -> Option<String> {
    words(line)
        .map(|word| word.trim_end_matches([':', '.']))
        .find(|word| is_source(word) && is_own(word))
        .map(tidy)
}

/// The file of the first place in these lines.
pub(super) fn first(lines: &[&str]) -> Option<String> {
    lines.iter().find_map(|line| in_line(line))
}

/// The file of the last place in these lines: in a stack that begins inside, the test's own.
pub(super) fn last(lines: &[&str]) -> Option<String> {
    lines.iter().rev().find_map(|line| in_line(line))
}

/// Whether a path has the ending of a source file.
pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && ENDINGS.contains(&ending))
}

/// A path as it is kept: without `./` and `file://`.
pub(super) fn tidy(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| letter.is_whitespace() || "()[]{}<>'\"`,;".contains(letter))
}

/// The path in `path:3:5`.
fn path_of(word: &str) -> Option<&str> {
    let is_place =
        |(at, _): &(usize, &str)| word[at + 1..].starts_with(|letter: char| letter.is_ascii_digit());
    let (at, _) = word.match_indices(':').find(is_place)?;
    Some(&word[..at]).filter(|path| is_source(path))
}

fn is_own(path: &str) -> bool {
    !FOREIGN.iter().any(|part| path.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_whatever_stands_around_them() {
        let cases = [
            ("    at Context.<anonymous> (test/cart.js:6:12)", Some("test/cart.js")),
            ("thread 'x' (1) panicked at beta/src/lib.rs:15:9:", Some("beta/src/lib.rs")),
            ("thread 'x' panicked at 'no', src/lib.rs:15:9", Some("src/lib.rs")),
            ("    cart_test.go:4: total = 3", Some("cart_test.go")),
            ("tests/a.py:9: AssertionError", Some("tests/a.py")),
            ("at file:///home/dev/shop/a.mjs:3:5", Some("/home/dev/shop/a.mjs")),
            ("at f (C:\\shop\\a.ts:3:5)", Some("C:\\shop\\a.ts")),
            (" ❯ total ./src/cart.js:1:53", Some("src/cart.js")),
            ("at node:internal/timers:483:21", None),
            ("at f (node_modules/x/a.js:3:5)", None),
            ("http://localhost:8080, example.com:80, 10.0.0.1:22", None),
            ("a.rs: 5, .rs:5, b.rs:x, :5", None),
        ];
        for (line, file) in cases {
            assert_eq!(in_line(line).as_deref(), file, "{line}");
        }
    }
}
