//! Paths as text: joined and normalized without asking the file system.

/// Returns whether a path starts at a root, on Unix or on Windows.
pub(crate) fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first().is_some_and(|b| matches!(b, b'/' | b'\\'))
        || (bytes.len() > 2 && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\'))
}

/// Resolves `path` against `dir` and normalizes it as [`tidy`] does.
pub fn join(dir: &str, path: &str) -> String {
    if is_absolute(path) { tidy(path) } else { tidy(&format!("{dir}/{path}")) }
}

/// Normalizes a path: forward slashes, no `.`, no empty parts, `..` resolved where possible.
pub fn tidy(path: &str) -> String {
    let rooted = path.starts_with(['/', '\\']);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

/// Returns `path` relative to `dir` if it is inside it (empty for `dir` itself). Both must be normalized.
pub fn below<'a>(dir: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(dir)?;
    if rest.is_empty() || dir.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns whether a name or path matches a glob (`*` within a name, `**` across folders).
pub fn fits(glob: &str, path: &str) -> bool {
    // Most globs are `*.md` and most paths a name: no need to go through them letter by letter.
    match glob.strip_prefix('*') {
        Some(ending) if !ending.bytes().any(is_special) && !path.bytes().any(is_separator) => {
            path.ends_with(ending)
        }
        _ => fast_glob::glob_match(glob, path),
    }
}

/// Whether this means more than itself in a glob.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b'!' | b'/' | b'\\')
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// Returns whether a normalized path stays inside its folder: it is relative and has no `..`.
pub fn stays_below(path: &str) -> bool {
    !is_absolute(path) && !path.split('/').any(|part| part == "..")
}

/// Returns whether a name is a plain one, which no folder is a part of.
pub(crate) fn is_bare_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\\', ':', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_an_ending_as_any_glob() {
        for glob in ["*", "*.md", "*-1.md", "*.", "*.m?", "**.md", "*.{md,txt}", "*!x", "*/a", "a*"] {
            for path in ["", "a", "a.md", ".md", "a-1.md", "b/a.md", r"b\a.md", "a.mdx", "a!x", "b/a", "ä.md"]
            {
                assert_eq!(fits(glob, path), fast_glob::glob_match(glob, path), "{glob} {path}");
            }
        }
    }

    #[test]
    fn paths_are_tidied_and_stay_where_they_are() {
        for (path, expect) in [
            ("a/./b//c", "a/b/c"),
            ("/a/../../b", "/b"),
            ("../a", "../a"),
            (r".flow\projects\x\state.json", ".flow/projects/x/state.json"),
            (r"C:\w\.flow\state.json", "C:/w/.flow/state.json"),
            ("", ""),
        ] {
            assert_eq!(tidy(path), expect);
        }
        assert!(stays_below("a/b") && !stays_below("../a") && !stays_below("/a") && !stays_below("C:/a"));
        assert_eq!(below("/w", "/w/a"), Some("a"));
        assert_eq!(below("/w", "/wx/a"), None);
        assert_eq!(below("/", "/a"), Some("a"));
        assert_eq!(join("/w", r"..\x"), "/x");
    }
}
