//! A shell command that is nothing but one program with literal words: what it runs can be told from its text alone.

/// Characters that mean something to a shell outside of quotes.
const SPECIAL: &str = "|&;<>()$`*?[]{}~#!\n\r";

/// Returns the words of a command that consists of one program and literal words. None if a shell would do anything
/// else with it: expand, redirect, connect, repeat, or run more than one.
pub fn plain_words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    // What else Unicode calls white space is part of a word for a shell.
    let mut rest = command.trim_matches([' ', '\t', '\n']);
    while !rest.is_empty() {
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after.trim_start_matches([' ', '\t']);
    }
    (!words.is_empty() && !words[0].contains('=')).then_some(words)
}

/// Reads the first word. Returns it without its quotes, and the rest.
fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        rest = match first {
            ' ' | '\t' => break,
            '\'' => {
                let (quoted, after) = after.split_once('\'')?;
                word.push_str(quoted);
                after
            }
            '"' => quoted(after, &mut word)?,
            '\\' => {
                let escaped = after.chars().next().filter(|escaped| *escaped != '\n')?;
                word.push(escaped);
                &after[escaped.len_utf8()..]
            }
            special if SPECIAL.contains(special) => return None,
            plain => {
                word.push(plain);
                after
            }
        };
    }
    Some((word, rest))
}

/// Reads what stands between double quotes, from behind the first. Returns the rest.
fn quoted<'a>(text: &'a str, word: &mut String) -> Option<&'a str> {
    let mut rest = text;
    loop {
        let first = rest.chars().next()?;
        let after = &rest[first.len_utf8()..];
        rest = match first {
            '"' => return Some(after),
            '$' | '`' => return None,
            '\\' => {
                let escaped = after.chars().next()?;
                match escaped {
                    '"' | '\\' | '$' | '`' => word.push(escaped),
                    '\n' => return None,
                    other => word.extend(['\\', other]),
                }
                &after[escaped.len_utf8()..]
            }
            plain => {
                word.push(plain);
                after
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_words_are_told() {
        for (command, words) in [
            ("holdpoint flow next", &["holdpoint", "flow", "next"][..]),
            ("  holdpoint\tflow  next ", &["holdpoint", "flow", "next"]),
            (
                "holdpoint flow commit 'feat: it\nworks; $x'",
                &["holdpoint", "flow", "commit", "feat: it\nworks; $x"],
            ),
            (
                r#"holdpoint flow commit "it's \"new\" \$5 \d""#,
                &["holdpoint", "flow", "commit", "it's \"new\" $5 \\d"],
            ),
            (r"/a/hold\ point x''y --test=z", &["/a/hold point", "xy", "--test=z"]),
            ("a ''", &["a", ""]),
            ("a b\u{a0}", &["a", "b\u{a0}"]),
        ] {
            assert_eq!(plain_words(command).unwrap(), words, "{command}");
        }
    }

    #[test]
    fn what_a_shell_would_do_more_with_is_not_plain() {
        for command in [
            "",
            "  ",
            "a; b",
            "a && b",
            "a | b",
            "a &",
            "a\nb",
            "a > f",
            "a < f",
            "a $x",
            "a \"$x\"",
            "a `b`",
            "a \"`b`\"",
            "a $(b)",
            "(a)",
            "{ a; }",
            "a *",
            "a ?",
            "a [b]",
            "a ~",
            "a {b,c}",
            "a # b",
            "! a",
            "X=1 a",
            "a 'b",
            "a \"b",
            "a \\",
            "a \\\nb",
            "a \"b\\\nc\"",
            "a\r\nb",
        ] {
            assert_eq!(plain_words(command), None, "{command:?}");
        }
    }
}
