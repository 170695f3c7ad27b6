//! Python's handlers that catch every error and raise none.

use super::Found;
use crate::source::line::{Line, lines};
use crate::source::{Kind, Token};

/// `tokens` are those of `text`, without comments.
pub(super) fn find(text: &str, tokens: &[Token<'_>]) -> Vec<Found> {
    let lines = lines(text, tokens);
    let mut found = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some(colon) = line.find(":").filter(|_| line.begins("except")) else { continue };
        let Some(caught) = everything(&line.tokens[1..colon]) else { continue };
        if !raises(&line.tokens[colon..]) && !block_raises(&lines[place + 1..], line.indent) {
            let message = format!("`{caught}` swallows every error: name the errors meant, or raise again");
            found.push((line.tokens[0].line, "BARE_EXCEPT", message));
        }
    }
    found
}

/// How a handler that catches everything is spelled; nothing if it names the errors it means.
fn everything(caught: &[Token<'_>]) -> Option<String> {
    let star = usize::from(caught.first().is_some_and(|token| token.is_mark("*")));
    let name_starts = caught.iter().position(|token| token.is_word("as")).unwrap_or(caught.len());
    let types = caught[star.min(name_starts)..name_starts].iter();
    let types: Vec<_> = types.filter(|token| token.kind != Kind::Break && !token.is_mark("\\")).collect();
    if types.is_empty() {
        return Some("except:".to_owned());
    }
    let bare = |part: &&[&Token<'_>]| {
        let words: Vec<&str> =
            part.iter().map(|token| token.text).filter(|text| !matches!(*text, "(" | ")")).collect();
        matches!(
            words[..],
            ["Exception" | "BaseException"] | ["builtins", ".", "Exception" | "BaseException"]
        )
    };
    let part = types.split(|token| token.is_mark(",")).find(bare)?;
    let name = part.iter().rev().find(|token| token.kind == Kind::Word)?;
    Some(format!("except {}:", name.text))
}

/// Whether the block that follows raises: the lines that are indented further, without functions and classes in it,
/// which raise when they are called and not here.
fn block_raises(following: &[Line<'_, '_>], indent: usize) -> bool {
    let mut inner: Option<usize> = None;
    for line in following.iter().take_while(|line| line.indent > indent) {
        if inner.is_some_and(|inner| line.indent > inner) {
            continue;
        }
        inner = ["def", "class", "async"]
            .into_iter()
            .any(|word| is_definition(line, word))
            .then_some(line.indent);
        if inner.is_none() && raises(line.tokens) {
            return true;
        }
    }
    false
}

fn is_definition(line: &Line<'_, '_>, word: &str) -> bool {
    line.begins(word) && (word != "async" || line.tokens.get(1).is_some_and(|token| token.is_word("def")))
}

fn raises(tokens: &[Token<'_>]) -> bool {
    let follows_dot = |place: usize| place > 0 && tokens[place - 1].is_mark(".");
    tokens.iter().enumerate().any(|(place, token)| token.is_word("raise") && !follows_dot(place))
}
