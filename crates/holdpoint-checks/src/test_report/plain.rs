//! A terminal's output as plain text.

use std::iter::Peekable;
use std::str::Chars;

/// The text without colours, links and other control sequences, with every line as it last stood: what a carriage
/// return wrote over is gone.
pub(super) fn text(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    for line in without_sequences(output).split('\n') {
        let line = line.trim_end_matches('\r');
        plain.push_str(line.rsplit('\r').next().unwrap_or(line));
        plain.push('\n');
    }
    plain
}

fn without_sequences(output: &str) -> String {
    let mut kept = String::with_capacity(output.len());
    let mut letters = output.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\n' | '\r' | '\t' => kept.push(letter),
            _ if letter.is_control() => {}
            _ => kept.push(letter),
        }
    }
    kept
}

/// Skips the rest of a sequence that an escape began.
fn skip_sequence(letters: &mut Peekable<Chars>) {
    match letters.next_if(|letter| !letter.is_control()) {
        // CSI: up to its final byte. Whatever cannot be a part of it ends it, so that no text is lost after a cut.
        Some('[') => {
            while letters.next_if(|letter| matches!(letter, ' '..='?')).is_some() {}
            letters.next_if(|letter| matches!(letter, '@'..='~'));
        }
        // OSC: up to a bell or an escape and a backslash, in this line.
        Some(']') => {
            while letters.next_if(|letter| !matches!(letter, '\u{7}' | '\u{1b}' | '\n')).is_some() {}
        }
        // A choice of character set: one letter more.
        Some('(' | ')') => {
            letters.next_if(char::is_ascii_alphanumeric);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn sequences_go_and_text_stays() {
        let cases = [
            ("\u{1b}[1m\u{1b}[31mFAIL\u{1b}[39m\u{1b}[22m x", "FAIL x\n"),
            ("\u{1b}[38;5;196mred\u{1b}[0m", "red\n"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{7}!", "link!\n"),
            ("\u{1b}(B\u{1b}[?25lx\u{1b}[K", "x\n"),
            ("cut \u{1b}[3", "cut \n"),
            ("cut \u{1b}[3\nnext", "cut \nnext\n"),
            ("cut \u{1b}]0;title\nnext", "cut \nnext\n"),
            ("10%\r50%\r100% done\r\nnext\r\n", "100% done\nnext\n\n"),
            ("tab\there\u{0}\u{8}", "tab\there\n"),
        ];
        for (output, plain) in cases {
            assert_eq!(text(output), plain, "{output:?}");
        }
    }
}
