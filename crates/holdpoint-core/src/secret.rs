//! Secrets in texts: tokens of known shapes, values of names such as `API_KEY`, logins in URLs and headers. They are
//! replaced before a text is kept or shown.
//!
//! One pass over the words, without a regular expression: every event's text comes by here.

mod assignment;
mod shape;

use std::borrow::Cow;

use serde_json::Value as Json;

/// What stands in a secret's place.
pub(crate) const REPLACEMENT: &str = "[secret]";

/// How often a text is looked at again after something was replaced: what followed one secret may be another.
const PASSES_MAX: usize = 16;

/// Returns the text with its secrets replaced. Doing it twice changes nothing more.
pub fn replaced(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for _ in 0..PASSES_MAX {
        match pass(&clean) {
            Some(next) => clean = Cow::Owned(next),
            None => break,
        }
    }
    clean
}

/// Returns whether there is a secret in a text.
pub fn is_in(text: &str) -> bool {
    pass(text).is_some()
}

/// Looks at each word once; none if there is no secret.
fn pass(text: &str) -> Option<String> {
    let mut scan = Scan { text, at: 0, kept: 0, result: String::new() };
    while let Some(word) = scan.next_word() {
        if let Some((start, end)) = found(text, &word) {
            scan.replace(start, end);
        }
    }
    scan.finish()
}

/// Replaces the secrets in a text.
pub fn replace(text: &mut String) {
    if let Cow::Owned(clean) = replaced(text) {
        *text = clean;
    }
}

/// Replaces the secrets in all texts of a JSON value. A field's name counts as the name of its value.
pub fn replace_in(name: &str, value: &mut Json) {
    match value {
        Json::String(text) if assignment::is_field_secret(name, text) => REPLACEMENT.clone_into(text),
        Json::String(text) => replace(text),
        Json::Array(items) => items.iter_mut().for_each(|item| replace_in(name, item)),
        Json::Object(fields) => fields.iter_mut().for_each(|(name, value)| replace_in(name, value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// A word and its place: letters, digits, `_`, `-` and `.`.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// The place of the secret that begins with this word or follows it.
fn found(text: &str, word: &Word<'_>) -> Option<(usize, usize)> {
    let shape = shape::end(text, word).map(|end| (word.start, end));
    shape.or_else(|| assignment::value(text, word)).filter(|(start, end)| start < end)
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Up to where the text is in the result.
    kept: usize,
    result: String,
}

impl<'a> Scan<'a> {
    fn next_word(&mut self) -> Option<Word<'a>> {
        let bytes = self.text.as_bytes();
        let start = self.at + bytes[self.at..].iter().position(|byte| is_word(*byte))?;
        let length = bytes[start..].iter().position(|byte| !is_word(*byte)).unwrap_or(bytes.len() - start);
        self.at = start + length;
        Some(Word { text: &self.text[start..self.at], start, end: self.at })
    }

    fn replace(&mut self, start: usize, end: usize) {
        self.result.push_str(&self.text[self.kept..start]);
        self.result.push_str(REPLACEMENT);
        (self.kept, self.at) = (end, end);
    }

    fn finish(mut self) -> Option<String> {
        if self.kept == 0 {
            return None;
        }
        self.result.push_str(&self.text[self.kept..]);
        Some(self.result)
    }
}

fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

/// For each byte, whether it is part of a word.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

#[cfg(test)]
#[path = "secret_tests.rs"]
mod secret_tests;
