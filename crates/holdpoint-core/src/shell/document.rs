//! Removes here-documents from a command that is too long for the parser. Notes written with `cat` contain no commands,
//! however long they are.

use super::wrapper::program;

/// Commands that read a script from their input.
const READERS: [&str; 14] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ash",
    "fish",
    "pwsh",
    "powershell",
    "eval",
    "source",
    "xargs",
    "busybox",
    "su",
];

/// Removes the here-documents of a command. One that a shell may read, or that contains scripts, stays.
pub(super) fn cut(command: &str) -> String {
    let mut kept = String::with_capacity(command.len());
    let mut lines = command.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let Some(start) = start(line) else {
            kept.push_str(line);
            continue;
        };
        let mut rest = lines.clone();
        let mut body = String::new();
        let ended = rest.by_ref().any(|line| {
            let ends = start.ends_at(line);
            if !ends {
                body.push_str(line);
            }
            ends
        });
        if !ended || reads_script(line) || (!start.quoted && body.contains(['$', '`'])) {
            kept.push_str(line);
            continue;
        }
        kept.push_str(&line[..start.from]);
        kept.push_str(&line[start.to..]);
        lines = rest;
    }
    kept
}

/// The `<<WORD` of a here-document in a line.
struct Start<'a> {
    from: usize,
    to: usize,
    word: &'a str,
    quoted: bool,
    tabs: bool,
}

impl Start<'_> {
    fn ends_at(&self, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', '\r']);
        (if self.tabs { line.trim_start_matches('\t') } else { line }) == self.word
    }
}

/// Finds the `<<WORD` of a line. A line with several of them is left to the word-by-word reading.
fn start(line: &str) -> Option<Start<'_>> {
    let from = line.find("<<")?;
    let after = &line[from + 2..];
    if after.starts_with('<') || after.contains("<<") {
        return None;
    }
    let tabs = after.starts_with('-');
    let after = after[usize::from(tabs)..].trim_start_matches([' ', '\t']);
    let quote = after.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let text = after.trim_start_matches(['\'', '"', '\\']);
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if length == 0 {
        return None;
    }
    let closing = usize::from(quote.is_some_and(|quote| text[length..].starts_with(quote)));
    if quote.is_some() && closing == 0 {
        return None;
    }
    Some(Start {
        from,
        to: line.len() - text.len() + length + closing,
        word: &text[..length],
        quoted: quote.is_some() || after.starts_with('\\'),
        tabs,
    })
}

fn reads_script(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || ";|&(){}\"'`$".contains(c));
    words.map(program).any(|word| READERS.contains(&word.to_ascii_lowercase().as_str()))
}
