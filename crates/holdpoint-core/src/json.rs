//! Reads JSON that other programs wrote: first strictly, and if that fails once more after repairing what agents and
//! editors are known to get wrong (byte order marks, lone surrogates, raw control characters, bad escapes, bytes
//! that are not UTF-8, numbers out of range, deep nesting).

use std::fmt::Write;

pub(crate) mod lazy;
pub(crate) mod scan;

use serde::de::DeserializeOwned;
use thiserror::Error;

/// The deepest nesting that is read. Deeper values are refused, so that no input can exhaust the stack.
const DEPTH_MAX: usize = 512;

/// The reason why bytes are not the JSON that was expected.
#[derive(Debug, Error)]
pub enum JsonError {
    /// They are not JSON, or not of the type that was asked for.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// The nesting could exhaust the stack.
    #[error("nested more than {} levels deep", DEPTH_MAX)]
    TooDeep,
    /// They are another value than an object.
    #[error("it is not an object")]
    NotAnObject,
}

/// Parses the first value in `bytes` and ignores the rest.
pub fn first<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    read(bytes, Rest::Ignored)
}

/// Parses `bytes` as one value and nothing else.
pub fn whole<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    read(bytes, Rest::Refused)
}

/// How text after the value is treated.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Ignored,
    Refused,
}

fn read<T: DeserializeOwned>(bytes: &[u8], rest: Rest) -> Result<T, JsonError> {
    let mut strict = serde_json::Deserializer::from_slice(bytes);
    if let Ok(value) = T::deserialize(&mut strict)
        && (rest == Rest::Ignored || strict.end().is_ok())
    {
        return Ok(value);
    }
    let repaired = repaired(bytes)?;
    let mut lenient = serde_json::Deserializer::from_str(&repaired);
    lenient.disable_recursion_limit();
    let value = T::deserialize(&mut lenient)?;
    if rest == Rest::Refused {
        lenient.end()?;
    }
    Ok(value)
}

/// Repairs what can be: the text is JSON then, or it never was.
fn repaired(bytes: &[u8]) -> Result<String, JsonError> {
    repair(&String::from_utf8_lossy(bytes))
}

/// Detects, chunk by chunk, when the first value (an object or a list) is complete.
#[derive(Default)]
pub struct Completeness {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Completeness {
    /// Reads the next bytes. Returns true once the outermost bracket has closed.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        let mut at = 0;
        loop {
            if self.in_string && !self.escaped {
                at += scan::plain(bytes.get(at..).unwrap_or_default());
            }
            let Some(byte) = bytes.get(at) else { return false };
            if self.closes(*byte) {
                return true;
            }
            at += 1;
        }
    }

    fn closes(&mut self, byte: u8) -> bool {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// Repairs the text as far as possible, or returns the reason why it cannot be repaired.
fn repair(text: &str) -> Result<String, JsonError> {
    let mut repaired = String::with_capacity(text.len() + 16);
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut depth = 0_usize;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => repair_string(rest, &mut repaired),
            '-' | '0'..='9' => repair_number(rest, &mut repaired),
            '\0' => 1,
            other => {
                depth = match other {
                    '{' | '[' => depth + 1,
                    '}' | ']' => depth.saturating_sub(1),
                    _ => depth,
                };
                repaired.push(other);
                other.len_utf8()
            }
        };
        if depth > DEPTH_MAX {
            return Err(JsonError::TooDeep);
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    Ok(repaired)
}

/// Copies a string literal, repaired. Returns its length in the source.
fn repair_string(text: &str, out: &mut String) -> usize {
    out.push('"');
    let mut at = 1;
    while let Some(next) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match next {
            '"' => {
                out.push('"');
                return at + 1;
            }
            '\\' => at += repair_escape(&text[at..], out),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
                at += 1;
            }
            other => {
                out.push(other);
                at += other.len_utf8();
            }
        }
    }
    at
}

/// Copies an escape, repaired. Returns its length in the source.
fn repair_escape(text: &str, out: &mut String) -> usize {
    match text.as_bytes().get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            out.push_str(&text[..2]);
            2
        }
        Some(b'u') => match (code_unit(text), text.get(6..).and_then(code_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => {
                out.push_str(&text[..12]);
                12
            }
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                6
            }
            (Some(_), _) => {
                out.push_str(&text[..6]);
                6
            }
            (None, _) => escape_backslash(out),
        },
        _ => escape_backslash(out),
    }
}

fn escape_backslash(out: &mut String) -> usize {
    out.push_str("\\\\");
    1
}

fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

/// Copies a number, replacing one out of range by the largest possible. Returns its length in the source.
fn repair_number(text: &str, out: &mut String) -> usize {
    let length =
        text.bytes().take_while(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')).count();
    let number = &text[..length];
    match number.parse::<f64>() {
        Ok(value) if value == f64::INFINITY => out.push_str("1e308"),
        Ok(value) if value == f64::NEG_INFINITY => out.push_str("-1e308"),
        _ => out.push_str(number),
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn known_mistakes_of_agents_are_repaired() {
        for (text, expect) in [
            (&b"\xef\xbb\xbf{\"a\":1}"[..], json!({"a": 1})),
            (br#"{"a":"\ud800x"}"#, json!({"a": "\u{fffd}x"})),
            (br#"{"a":"\udc00"}"#, json!({"a": "\u{fffd}"})),
            (br#"{"a":"\ud83d\ude00"}"#, json!({"a": "\u{1f600}"})),
            (b"{\"a\":\"x\ny\"}", json!({"a": "x\ny"})),
            (br#"{"a":"C:\qx"}"#, json!({"a": "C:\\qx"})),
            (br#"{"a":"\u12"}"#, json!({"a": "\\u12"})),
            (b"{\"a\":\"\xff\"}", json!({"a": "\u{fffd}"})),
            (br#"{"a":1e400,"b":-1e400}"#, json!({"a": 1e308, "b": -1e308})),
            (b"{\"a\":1}\0", json!({"a": 1})),
            (br#"{"a":1,"a":2}"#, json!({"a": 2})),
            (br#"{"a":1} trailing"#, json!({"a": 1})),
        ] {
            assert_eq!(first::<Value>(text).unwrap(), expect, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn invalid_json_stays_invalid() {
        for text in ["", "   ", "{", "nonsense", "{\"a\":", "\"open", "{'a':1}"] {
            assert!(first::<Value>(text.as_bytes()).is_err(), "{text}");
        }
        assert!(whole::<Value>(br#"{"a":1} trailing"#).is_err());
    }

    #[test]
    fn deep_nesting_is_read_up_to_a_limit() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(first::<Value>(nested(400).as_bytes()).is_ok());
        assert!(first::<Value>(nested(600).as_bytes()).is_err());
        assert!(first::<Value>("[".repeat(1_000_000).as_bytes()).is_err());
    }

    #[test]
    fn the_end_of_the_first_value_is_seen() {
        let mut seen = Completeness::default();
        assert!(!seen.feed(br#"  {"a":"}\"}","b":["#));
        assert!(!seen.feed(b"1]"));
        assert!(seen.feed(b"}\nmore"));
    }
}
