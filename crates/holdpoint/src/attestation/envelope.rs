//! A DSSE envelope around a statement, and the bundle of a commit's envelopes: one line of JSON each.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::base64;
use super::statement::brief;

/// The type of what envelopes hold.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The largest bundle that is read.
pub const BYTES_MAX: usize = 1024 * 1024;
/// The most envelopes of a bundle.
pub const ENVELOPES_MAX: usize = 500;
/// The most signatures of an envelope.
const SIGNATURES_MAX: usize = 4;

/// A DSSE envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Envelope {
    payload_type: String,
    payload: String,
    /// The signatures; none if nobody has signed.
    pub signatures: Vec<Signature>,
}

/// A signature in an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// A hint at the key. It proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyid: Option<String>,
    /// The signature in Base64.
    pub sig: String,
}

/// All envelopes about a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// The envelopes, in order.
    pub envelopes: Vec<Envelope>,
}

/// The reason why bytes are no bundle, or an envelope holds no statement.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum EnvelopeError {
    /// The bundle is too large.
    #[error("larger than {BYTES_MAX} bytes")]
    TooLarge,
    /// The bundle has too many envelopes.
    #[error("more than {ENVELOPES_MAX} envelopes")]
    TooMany,
    /// There is nothing in it.
    #[error("empty")]
    Empty,
    /// The bundle is not UTF-8.
    #[error("not text")]
    NotText,
    /// A line is no envelope.
    #[error("line {line} is not an envelope: {why}")]
    Line {
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// An envelope holds something else than a statement.
    #[error("an envelope that does not hold {PAYLOAD_TYPE}")]
    Type,
    /// The payload is not Base64 of a text.
    #[error("an envelope whose payload cannot be decoded")]
    Payload,
    /// An envelope has too many signatures.
    #[error("an envelope with more than {SIGNATURES_MAX} signatures")]
    Signatures,
}

impl Envelope {
    /// Puts a statement into an envelope.
    pub fn around(statement: &str, signatures: Vec<Signature>) -> Envelope {
        let payload = base64::encode(statement.as_bytes());
        Envelope { payload_type: PAYLOAD_TYPE.to_owned(), payload, signatures }
    }

    /// Takes the statement's text out.
    pub fn statement(&self) -> Result<String, EnvelopeError> {
        if self.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeError::Type);
        }
        if self.signatures.len() > SIGNATURES_MAX {
            return Err(EnvelopeError::Signatures);
        }
        let bytes = base64::decode(&self.payload).ok_or(EnvelopeError::Payload)?;
        String::from_utf8(bytes).map_err(|_| EnvelopeError::Payload)
    }
}

/// Returns what is signed of a payload: DSSE's pre-authentication encoding, version 1.
pub fn signed_text(payload_type: &str, payload: &str) -> String {
    format!("DSSEv1 {} {payload_type} {} {payload}", payload_type.len(), payload.len())
}

impl Bundle {
    /// Reads a bundle.
    pub fn read(bytes: &[u8]) -> Result<Bundle, EnvelopeError> {
        if bytes.len() > BYTES_MAX {
            return Err(EnvelopeError::TooLarge);
        }
        let text = str::from_utf8(bytes).map_err(|_| EnvelopeError::NotText)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let mut envelopes = Vec::new();
        for (at, line) in lines {
            if envelopes.len() == ENVELOPES_MAX {
                return Err(EnvelopeError::TooMany);
            }
            let wrong = |error| EnvelopeError::Line { line: at + 1, why: brief(&error) };
            envelopes.push(serde_json::from_str(line).map_err(wrong)?);
        }
        if envelopes.is_empty() { Err(EnvelopeError::Empty) } else { Ok(Bundle { envelopes }) }
    }
}

impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for envelope in &self.envelopes {
            writeln!(f, "{}", serde_json::to_string(envelope).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the DSSE specification.
    #[test]
    fn what_is_signed_is_as_the_specification_says() {
        let signed = signed_text("http://example.com/HelloWorld", "hello world");
        assert_eq!(signed, "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
        assert_eq!(signed_text("ä", "ö"), "DSSEv1 2 ä 2 ö", "lengths are in bytes");
    }

    #[test]
    fn a_bundle_is_read_as_it_was_written() {
        let signature = Signature { keyid: None, sig: "Zg==".to_owned() };
        let envelopes = vec![Envelope::around("{}", vec![signature]), Envelope::around("é", Vec::new())];
        let bundle = Bundle { envelopes };
        assert_eq!(Bundle::read(bundle.to_string().as_bytes()), Ok(bundle.clone()));
        assert_eq!(bundle.envelopes[1].statement().as_deref(), Ok("é"));
    }

    #[test]
    fn whatever_is_no_bundle_has_a_clear_answer() {
        let good = Envelope::around("{}", Vec::new());
        let line = serde_json::to_string(&good).unwrap();
        let deep = "[".repeat(100_000);
        let rows: [(Vec<u8>, &str); 9] = [
            (Vec::new(), "empty"),
            (b"\n \n".to_vec(), "empty"),
            (vec![b'x'; BYTES_MAX + 1], "larger than"),
            (vec![0xff, 0xfe], "not text"),
            (b"nonsense".to_vec(), "line 1 is not an envelope: expected"),
            (deep.into_bytes(), "line 1 is not an envelope"),
            (format!("{line}\n{{\"payload\":1}}").into_bytes(), "line 2 is not an envelope: invalid type"),
            (line.replace("\"payload\"", "\"payload\":\"x\",\"payload\"").into_bytes(), "duplicate field"),
            (line.replace("\"payload\"", "\"more\":1,\"payload\"").into_bytes(), "unknown field `more`"),
        ];
        for (bytes, why) in rows {
            let error = Bundle::read(&bytes).unwrap_err().to_string();
            assert!(error.contains(why) && error.len() < 400, "{why}: {error}");
        }
        let many = format!("{line}\n").repeat(ENVELOPES_MAX + 1);
        assert_eq!(Bundle::read(many.as_bytes()), Err(EnvelopeError::TooMany));
        let other = Envelope { payload_type: "text/plain".to_owned(), ..good.clone() };
        assert_eq!(other.statement(), Err(EnvelopeError::Type));
        let other = Envelope { payload: "!".to_owned(), ..good };
        assert_eq!(other.statement(), Err(EnvelopeError::Payload));
    }
}
