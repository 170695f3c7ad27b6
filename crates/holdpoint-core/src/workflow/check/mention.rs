//! The commands of ours that a text names: `holdpoint …` in code marks, on a line of its own, or after "run:". What else
//! prose says of us names no command.

use std::ops::Range;

use super::stretch::{END, FILLED, Stretch, UNKNOWN, stretches};

/// What our commands begin with.
const PROGRAM: &str = "holdpoint";

/// A command that a text names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Whether prose may go on after it: then only so many of its words are sure as the command takes.
    pub(super) is_in_prose: bool,
    /// What follows the program's name. In prose it goes on to the end of the clause.
    pub(super) words: Vec<Word>,
    /// Where all of it stands in the text.
    pub(super) span: Range<usize>,
}

/// A word of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Where it stands in the text.
    pub(super) span: Range<usize>,
}

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Itself.
    Plain,
    /// One argument: `<TASK>`, `[TASK]`, `TASK`, `this|that`.
    Placeholder,
    /// One argument, filled in when the text is said.
    Filled,
    /// Any number of arguments: `…`, `$ARGUMENTS`, what is said or not.
    Any,
    /// An option.
    Option,
}

/// The commands that a text names.
pub(super) fn mentions(source: &str) -> Vec<Mention> {
    if !source.contains(PROGRAM) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for stretch in stretches(source) {
        let tokens = tokens(&stretch.text, stretch.is_code);
        for at in (0..tokens.len()).filter(|at| is_program(tokens[*at].text)) {
            found.extend(mention(&stretch, &tokens, at));
        }
    }
    found
}

fn is_program(text: &str) -> bool {
    text.trim_start_matches(['(', '"', '\'', '“', '‘', '[']) == PROGRAM
}

fn mention(stretch: &Stretch, tokens: &[Token<'_>], at: usize) -> Option<Mention> {
    let line = line_of(&tokens[at..]);
    let is_line = !stretch.is_code && is_own_line(&tokens[..at], line);
    let is_command = is_line || stretch.is_code && is_command_position(&tokens[..at]);
    if !is_command && !tokens[..at].last().is_some_and(is_told) {
        return None;
    }
    let follow = if is_line { &line[1..] } else { &tokens[at + 1..] };
    let mut words = Vec::new();
    let mut end = tokens[at].end();
    for token in follow {
        let (text, is_last) = if is_command { shell_word(token) } else { prose_word(token) };
        if !text.is_empty() {
            end = token.start + text.len();
            let span = stretch.place(token.start..end);
            words.push(Word { kind: kind(text), text: unquoted(text).to_owned(), span });
        }
        if is_last {
            break;
        }
    }
    let start = tokens[at].end() - PROGRAM.len();
    Some(Mention { is_in_prose: !is_command, words, span: stretch.place(start..end) })
}

/// The tokens up to the end of the first one's line.
fn line_of<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let next = tokens.iter().skip(1).position(|token| token.is_first_of_line);
    &tokens[..next.map_or(tokens.len(), |next| next + 1)]
}

/// Whether a line is nothing but a command: a sentence has punctuation.
fn is_own_line(before: &[Token<'_>], line: &[Token<'_>]) -> bool {
    let is_mark =
        |token: &Token<'_>| token.text.trim_end_matches(END).ends_with(['.', ',', ';', ':', '!', '?']);
    let is_sentence = line.iter().any(|token| is_mark(token) && !token.text.ends_with("..."));
    let is_first = line.first().is_some_and(|token| token.is_first_of_line) || before.is_empty();
    is_first && !is_sentence
}

/// Whether what follows is something to run.
fn is_told(last: &Token<'_>) -> bool {
    last.text.trim_start_matches(['(', '*']).eq_ignore_ascii_case("run:")
}

/// Whether a shell would run what follows: nothing stands before it, or only what may stand before a command.
fn is_command_position(before: &[Token<'_>]) -> bool {
    const LEADS: [&str; 13] =
        ["$", "%", ">", "!", "(", "{", "sudo", "env", "exec", "time", "then", "do", "npx"];
    let ends = |token: &Token<'_>| shell_word(token).1;
    let own = before.iter().rposition(ends).map_or(before, |end| &before[end + 1..]);
    let is_comment = before.iter().any(|token| token.text.starts_with('#'));
    let may_lead = |token: &Token<'_>| {
        let is_setting = token.text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        is_setting || LEADS.contains(&token.text)
    };
    !is_comment && own.iter().all(may_lead)
}

/// What a token begins with that is a word of a shell command, and whether the command ends with it.
fn shell_word<'t>(token: &Token<'t>) -> (&'t str, bool) {
    let text = token.text;
    let is_operator = text.starts_with(['#', '>', '|', '&', ';', ')'])
        || text == "<"
        || text.strip_prefix(['1', '2']).is_some_and(|rest| rest.starts_with('>'));
    if is_operator {
        return ("", true);
    }
    let quoted = text.starts_with(['"', '\'']);
    let cut = text.find([';', '&']).filter(|_| !quoted).unwrap_or(text.len());
    let word = &text[..cut];
    let word = if word.contains('(') { word } else { word.trim_end_matches([')', END]) };
    (word, word.len() < text.len())
}

/// What a token begins with that is a word of a command in prose, and whether what is named ends with it.
fn prose_word<'t>(token: &Token<'t>) -> (&'t str, bool) {
    let text = token.text;
    let is_aside = text.starts_with(['(', '—', '–', '→', '=', '"', '“']) || text == "-";
    if is_aside {
        return ("", true);
    }
    if text.ends_with("...") {
        return (text, true);
    }
    let word = text.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '”', '’', END]);
    (word, word.len() < text.len())
}

fn kind(text: &str) -> Kind {
    let is_between = |open, close| text.starts_with(open) && text.ends_with(close);
    if text.contains([UNKNOWN, '$', '…', '\\']) || text.contains("...") {
        Kind::Any
    } else if text.contains(FILLED) {
        Kind::Filled
    } else if text.starts_with('-') || text.starts_with("[-") {
        Kind::Option
    } else if is_between('<', '>') || is_between('[', ']') || text.contains('|') || is_in_capitals(text) {
        Kind::Placeholder
    } else {
        Kind::Plain
    }
}

fn is_in_capitals(text: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    text.len() > 1 && text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(is_capital)
}

fn unquoted(text: &str) -> &str {
    let quoted = ['"', '\''].iter().find_map(|mark| text.strip_prefix(*mark)?.strip_suffix(*mark));
    quoted.unwrap_or(text)
}

/// What stands between white space; brackets keep theirs, and in code quotes do.
#[derive(Debug)]
struct Token<'t> {
    text: &'t str,
    start: usize,
    is_first_of_line: bool,
}

impl Token<'_> {
    fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

fn tokens(text: &str, is_code: bool) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut end = 0;
    while let Some(skip) = text[end..].find(|c: char| !c.is_whitespace()) {
        let start = end + skip;
        let is_first_of_line = start == 0 || text[end..start].contains('\n');
        end = start + length(&text[start..], is_code);
        tokens.push(Token { text: &text[start..end], start, is_first_of_line });
    }
    tokens
}

/// How long the first word is.
fn length(text: &str, is_code: bool) -> usize {
    const PAIRS: [(char, char); 4] = [('<', '>'), ('[', ']'), ('"', '"'), ('\'', '\'')];
    let first = text.chars().next().unwrap_or_default();
    let pair = PAIRS.iter().take(if is_code { 4 } else { 2 }).find(|(open, _)| *open == first);
    let inner = pair.and_then(|(_, close)| {
        let inner = text[first.len_utf8()..].split('\n').next()?;
        let is_name = first != '<' || inner.starts_with(char::is_alphabetic);
        inner.find(*close).filter(|_| is_name).map(|at| first.len_utf8() + at)
    });
    let from = inner.unwrap_or(0);
    text[from..].find(char::is_whitespace).map_or(text.len(), |at| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each mention as `Code: words` or `Told: words`, with a mark for what a word stands for.
    fn found(source: &str) -> Vec<String> {
        let word = |word: &Word| match word.kind {
            Kind::Plain => word.text.clone(),
            Kind::Placeholder => format!("<{}>", word.text.trim_matches(['<', '>', '[', ']'])),
            Kind::Filled => "{}".into(),
            Kind::Any => "*".into(),
            Kind::Option => format!("-{}", word.text.trim_start_matches('-')),
        };
        let told = |mention: &Mention| {
            let words: Vec<String> = mention.words.iter().map(word).collect();
            let manner = if mention.is_in_prose { "Told" } else { "Code" };
            format!("{manner}: {}", words.join(" "))
        };
        mentions(source).iter().map(told).collect()
    }

    #[test]
    fn commands_in_code_are_their_words() {
        for (source, expected) in [
            ("`holdpoint x stop`", "Code: x stop"),
            ("`holdpoint x done PHASE [TASK]`", "Code: x done <PHASE> <TASK>"),
            ("`holdpoint x done <the phase> {{ task.id }}`", "Code: x done <the phase> {}"),
            ("`holdpoint x add 'two words' \"$(pwd)\"`", "Code: x add two words *"),
            ("`holdpoint x ...`", "Code: x *"),
            ("```\n$ A=1 holdpoint x done a && ls -l\n```", "Code: x done a"),
            ("    cd a; holdpoint status --json | jq .", "Code: status -json"),
            ("`holdpoint x stop > out`", "Code: x stop"),
            ("`(holdpoint x stop)`", "Code: x stop"),
            ("`holdpoint x done {% if a %}b{% endif %}`", "Code: x done *"),
            ("| a |\n|---|\n| `holdpoint x done a\\|b` |", "Code: x done <a|b>"),
        ] {
            assert_eq!(found(source), [expected], "{source}");
        }
        assert_eq!(found("`cargo install holdpoint now`"), [""; 0]);
        assert_eq!(found("`holdpoint` and `myholdpoint x`"), ["Code: "]);
    }

    #[test]
    fn commands_in_prose_are_told_or_have_a_line() {
        for (source, expected) in [
            ("Only then run: holdpoint x done a", "Told: x done a"),
            ("(Run: holdpoint x done a, then stop.)", "Told: x done a"),
            ("run: **holdpoint x stop** to end", "Told: x stop"),
            ("run: holdpoint x done `a`", "Told: x done *"),
            ("```\nThen run: holdpoint x stop.\n```", "Told: x stop"),
            ("a\nholdpoint x stop\nb", "Code: x stop"),
            ("holdpoint x done <PHASE> [TASK]", "Code: x done <PHASE> <TASK>"),
        ] {
            assert_eq!(found(source), [expected], "{source}");
        }
        for prose in [
            "Holdpoint holds. A holdpoint-like thing.",
            "what holdpoint x is about",
            "holdpoint x is young.",
            "Run holdpoint x done a, then stop.",
            "The way out: holdpoint x stop (it ends here)",
            "then holdpoint x done <PHASE>",
        ] {
            assert_eq!(found(prose), [""; 0], "{prose}");
        }
    }

    #[test]
    fn a_mention_has_its_place() {
        let source = "é: **a** `holdpoint x done {{ b }}` and run: holdpoint why.";
        let found = mentions(source);
        assert_eq!(&source[found[0].span.clone()], "holdpoint x done {{ b }}");
        assert_eq!(&source[found[0].words[1].span.clone()], "done");
        assert_eq!(&source[found[1].span.clone()], "holdpoint why");
    }

    #[test]
    fn any_text_is_read_and_every_place_is_in_it() {
        const PARTS: [&str; 26] = [
            "holdpoint",
            "holdpoint x ",
            " ",
            "\n",
            "\n\n",
            "`",
            "```",
            "    ",
            "é",
            "<",
            ">",
            "[",
            "]",
            "|",
            "\\|",
            "{{ a }}",
            "{% if",
            "%}",
            "*",
            "&lt;",
            "'",
            "\"",
            ";",
            "(",
            "- ",
            "\n|---|\n",
        ];
        let texts = proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..24);
        proptest::proptest!(|(parts in texts)| {
            let source = parts.concat();
            for mention in mentions(&source) {
                let places = mention.words.iter().map(|word| &word.span).chain([&mention.span]);
                for place in places {
                    assert!(source.get(place.clone()).is_some(), "{source:?}: {mention:?}");
                }
            }
        });
    }
}
