//! What of a machine's texts may travel with a commit: no path of the machine, no secret.

use holdpoint_core::secret;

/// The longest text that travels.
const CHARS_MAX: usize = 200;
/// The most words of a command, and the most bytes of them all.
const WORDS_MAX: usize = 100;
const COMMAND_BYTES_MAX: usize = 4_000;

/// Returns a short text as it travels.
pub(super) fn text(text: &str) -> String {
    let text = secret::replaced(text);
    if names_place(&text) { String::new() } else { text.chars().take(CHARS_MAX).collect() }
}

/// Returns a test's name as it travels; none if it tells of the machine.
pub(super) fn name(name: &str) -> Option<String> {
    let is_plain = !names_place(name) && secret::replaced(name) == name && !name.is_empty();
    is_plain.then(|| name.chars().take(CHARS_MAX).collect())
}

/// Returns a command as it travels; none if a word of it must stay, because then it would be another command.
pub(super) fn command(words: &[String]) -> Option<Vec<String>> {
    let is_short =
        words.len() <= WORDS_MAX && words.iter().map(String::len).sum::<usize>() <= COMMAND_BYTES_MAX;
    // Evidence is kept without secrets already, and a command with one cannot be run again.
    let stays =
        |word: &String| names_place(word) || secret::replaced(word) != *word || word.contains("[secret]");
    (is_short && !words.is_empty() && !words.iter().any(stays)).then(|| words.to_vec())
}

/// Returns whether a text names a place of the machine: a path from the root or from a drive.
fn names_place(text: &str) -> bool {
    let is_part_of_path =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '/' | '*' | '}' | ')' | ']');
    let mut before = None;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let begins = c == '/' && !before.is_some_and(is_part_of_path);
        // The two slashes of a URL are no root.
        let is_url = begins && before == Some(':') && rest.starts_with('/');
        let is_drive = c == ':' && before.is_some_and(|c| c.is_ascii_alphabetic()) && rest.starts_with('\\');
        if begins && !is_url || is_drive {
            return true;
        }
        before = Some(c);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_the_machine_travels() {
        for text in
            ["/home/me/x", "--x=/home/me", "cd /tmp && y", "PATH=a:/b", "'/x'", r"C:\x", "a >/dev/null"]
        {
            assert!(names_place(text), "{text}");
        }
        for text in
            ["./test", "tests/a.py::x", "sed s/a/b/", "https://example.com/x", "a b", "../x", "~/x", "**/x"]
        {
            assert!(!names_place(text), "{text}");
        }
    }

    #[test]
    fn a_command_travels_whole_or_not_at_all() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(command(&words(&["./test", "fast"])), Some(words(&["./test", "fast"])));
        assert_eq!(command(&words(&["./test", "/home/me/x"])), None);
        assert_eq!(command(&words(&["./test", "--token", "[secret]"])), None);
        assert_eq!(command(&[]), None);
    }
}
