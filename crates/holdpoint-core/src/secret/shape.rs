//! Tokens that are known by how they begin.

use super::Word;

/// How many of its characters a token has at least after its beginning, and what they are.
struct Shape {
    beginning: &'static str,
    least: usize,
    is_part: fn(u8) -> bool,
}

const fn shape(beginning: &'static str, least: usize, is_part: fn(u8) -> bool) -> Shape {
    Shape { beginning, least, is_part }
}

/// The shapes of one first letter: most words are of none, and are done with here.
fn shapes(first: u8) -> &'static [Shape] {
    const S: [Shape; 4] = [
        shape("sk-", 8, is_dashed),
        shape("sk_live_", 10, is_dashed),
        shape("sk_test_", 10, is_dashed),
        shape("shpat_", 16, is_plain),
    ];
    const G: [Shape; 7] = [
        shape("ghp_", 16, is_plain),
        shape("gho_", 16, is_plain),
        shape("ghu_", 16, is_plain),
        shape("ghs_", 16, is_plain),
        shape("ghr_", 16, is_plain),
        shape("github_pat_", 16, is_dashed),
        shape("glpat-", 16, is_dashed),
    ];
    const A: [Shape; 4] = [
        shape("AKIA", 16, is_capital),
        shape("ASIA", 16, is_capital),
        shape("AIza", 30, is_dashed),
        shape("AGE-SECRET-KEY-", 16, is_dashed),
    ];
    const X: [Shape; 6] = [
        shape("xoxb-", 10, is_dashed),
        shape("xoxp-", 10, is_dashed),
        shape("xoxa-", 10, is_dashed),
        shape("xoxr-", 10, is_dashed),
        shape("xoxs-", 10, is_dashed),
        shape("xapp-", 10, is_dashed),
    ];
    match first {
        b's' => &S,
        b'g' => &G,
        b'A' => &A,
        b'x' => &X,
        b'r' => const { &[shape("rk_live_", 10, is_dashed)] },
        b'w' => const { &[shape("whsec_", 16, is_dashed)] },
        b'n' => const { &[shape("npm_", 30, is_plain)] },
        b'p' => const { &[shape("pypi-", 30, is_dashed)] },
        b'h' => const { &[shape("hf_", 20, is_plain)] },
        b'S' => const { &[shape("SG.", 20, is_dotted)] },
        b'y' => const { &[shape("ya29.", 20, is_dotted)] },
        b'd' => const { &[shape("dop_v1_", 20, is_plain)] },
        _ => &[],
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_dotted(byte: u8) -> bool {
    is_dashed(byte) || byte == b'.'
}

/// Where the token that begins with this word ends, if it is one.
pub(super) fn end(text: &str, word: &Word<'_>) -> Option<usize> {
    let first = *word.text.as_bytes().first()?;
    match first {
        b'-' => private_key(text, word),
        b'e' => is_web_token(word.text).then_some(word.end),
        _ => shapes(first).iter().find_map(|shape| fitting(shape, word)),
    }
}

fn fitting(shape: &Shape, word: &Word<'_>) -> Option<usize> {
    let rest = word.text.strip_prefix(shape.beginning)?.as_bytes();
    let length = rest.iter().position(|byte| !(shape.is_part)(*byte)).unwrap_or(rest.len());
    // `sk-learn-contrib` is a name; a token is not all small letters.
    let is_random = rest[..length].iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    (length >= shape.least && is_random).then_some(word.start + shape.beginning.len() + length)
}

/// A JSON Web Token: two or three parts in Base64, of which the first is an object.
fn is_web_token(word: &str) -> bool {
    const LEAST: usize = 20;
    word.starts_with("eyJ") && word.len() >= LEAST && word.trim_end_matches('.').contains('.')
}

/// A private key, up to its end, or to the end of a text that was cut.
fn private_key(text: &str, word: &Word<'_>) -> Option<usize> {
    const BEGIN: &str = "-----BEGIN";
    const KEY: &str = "PRIVATE KEY";
    const END: &str = "-----END";
    const LAST: &str = "-----";
    if word.text != BEGIN {
        return None;
    }
    let rest = &text[word.end..];
    let name = rest.find(LAST)?;
    if !rest[..name].contains(KEY) {
        return None;
    }
    let Some(end) = rest.find(END) else { return Some(text.len()) };
    let after = word.end + end + END.len();
    Some(text[after..].find(LAST).map_or(text.len(), |last| after + last + LAST.len()))
}
