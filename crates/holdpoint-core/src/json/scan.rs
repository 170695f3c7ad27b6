//! Finds where the parts of a JSON text are, without building them. It is as strict as `serde_json` about what is JSON,
//! and a few times faster: most of a manifest or a state file is only passed over.

use std::borrow::Cow;
use std::ops::Range;

/// Eight bytes are looked at as one word: the same byte in all places, and the highest bit of each.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
const SPACES: [u8; 8] = *b"        ";

/// The number of bytes before the next quote, backslash or control character.
pub(super) fn plain(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // With this bit changed, a quote and the control characters are the ones below 0x21.
        let low = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
        let ends = (low | backslash) & !word & HIGH;
        if ends != 0 {
            // A borrow can only mark bytes after the first one that is meant.
            return at * 8 + ends.trailing_zeros() as usize / 8;
        }
    }
    let is_end = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    words.len() * 8 + rest.iter().position(is_end).unwrap_or(rest.len())
}

/// Goes through the fields of the object that begins at `at`: `each` gets a field's name and where its value begins,
/// and says where that ends. Returns the end of the object; none if it is no object, or not JSON.
pub(crate) fn fields<'a>(
    text: &'a [u8],
    at: usize,
    mut each: impl FnMut(Cow<'a, str>, usize) -> Option<usize>,
) -> Option<usize> {
    let start = space(text, at);
    if text.get(start) != Some(&b'{') {
        return None;
    }
    separated(text, start, b'}', |at| {
        let name = name(text, at)?;
        let value = space(text, colon(text, name.end)?);
        each(string(text, name)?, value)
    })
}

/// The same for the elements of a list.
pub(super) fn elements(text: &[u8], at: usize, each: impl FnMut(usize) -> Option<usize>) -> Option<usize> {
    let start = space(text, at);
    (text.get(start) == Some(&b'[')).then(|| separated(text, start, b']', each)).flatten()
}

/// Goes through what commas separate, up to the bracket that closes it.
fn separated(
    text: &[u8],
    open: usize,
    close: u8,
    mut each: impl FnMut(usize) -> Option<usize>,
) -> Option<usize> {
    let mut at = space(text, open + 1);
    if text.get(at) == Some(&close) {
        return Some(at + 1);
    }
    loop {
        at = space(text, each(at)?);
        match text.get(at)? {
            b',' => at = space(text, at + 1),
            byte if *byte == close => return Some(at + 1),
            _ => return None,
        }
    }
}

/// The text of a string at this place. None if it is no text.
pub(crate) fn string(text: &[u8], place: Range<usize>) -> Option<Cow<'_, str>> {
    let quoted = text.get(place)?;
    let inner = quoted.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return serde_json::from_slice(quoted).ok().map(Cow::Owned);
    }
    std::str::from_utf8(inner).ok().map(Cow::Borrowed)
}

/// The first place from `at` on that is no white space.
pub(super) fn space(text: &[u8], mut at: usize) -> usize {
    while let Some(byte @ (b' ' | b'\n' | b'\t' | b'\r')) = text.get(at) {
        at += 1;
        if *byte == b'\n' {
            at = indented(text, at);
        }
    }
    at
}

/// The first place from `at` on that is no space, or before it.
fn indented(text: &[u8], mut at: usize) -> usize {
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let others = u64::from_le_bytes(*word) ^ u64::from_le_bytes(SPACES);
        at += others.trailing_zeros() as usize / 8;
        if others != 0 {
            break;
        }
    }
    at
}

/// The end of the value that begins at `at`; none if it is not JSON.
pub(crate) fn value_end(text: &[u8], mut at: usize) -> Option<usize> {
    let mut open: Vec<u8> = Vec::new();
    loop {
        at = space(text, at);
        match text.get(at)? {
            b'"' => at = string_end(text, at + 1)?,
            b'{' => {
                at = space(text, at + 1);
                if text.get(at) == Some(&b'}') {
                    at += 1;
                } else {
                    at = colon(text, name(text, at)?.end)?;
                    open.push(b'}');
                    continue;
                }
            }
            b'[' => {
                at = space(text, at + 1);
                if text.get(at) == Some(&b']') {
                    at += 1;
                } else {
                    open.push(b']');
                    continue;
                }
            }
            b't' => at = literal(text, at, b"true")?,
            b'f' => at = literal(text, at, b"false")?,
            b'n' => at = literal(text, at, b"null")?,
            _ => at = number_end(text, at)?,
        }
        loop {
            let Some(close) = open.last() else { return Some(at) };
            at = space(text, at);
            match text.get(at)? {
                b',' if *close == b'}' => {
                    at = space(text, at + 1);
                    at = colon(text, name(text, at)?.end)?;
                    break;
                }
                b',' => {
                    at += 1;
                    break;
                }
                byte if byte == close => {
                    at += 1;
                    open.pop();
                }
                _ => return None,
            }
        }
    }
}

/// The place of the name that begins at `at`, with its quotes.
fn name(text: &[u8], at: usize) -> Option<Range<usize>> {
    (text.get(at)? == &b'"').then(|| string_end(text, at + 1)).flatten().map(|end| at..end)
}

/// The place after the colon that comes next.
fn colon(text: &[u8], at: usize) -> Option<usize> {
    let at = space(text, at);
    (text.get(at)? == &b':').then_some(at + 1)
}

/// The end of a string, from after its first quote.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += plain(text.get(at..)?);
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += escape(text.get(at + 1..)?)?,
            _ => return None,
        }
    }
}

/// The length of an escape, by what follows its backslash.
fn escape(after: &[u8]) -> Option<usize> {
    match after.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' if after.get(1..5)?.iter().all(u8::is_ascii_hexdigit) => Some(6),
        _ => None,
    }
}

fn literal(text: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    text.get(at..)?.starts_with(word).then_some(at + word.len())
}

/// The end of a number, such as `-1.5e+3`. There is no zero before another digit.
fn number_end(text: &[u8], mut at: usize) -> Option<usize> {
    at += usize::from(text.get(at) == Some(&b'-'));
    at = if text.get(at) == Some(&b'0') { at + 1 } else { digits(text, at)? };
    if text.get(at).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    if text.get(at) == Some(&b'.') {
        at = digits(text, at + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        at = digits(text, at)?;
    }
    Some(at)
}

/// The end of one or more digits.
fn digits(text: &[u8], at: usize) -> Option<usize> {
    let count = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + count)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod scan_tests;
