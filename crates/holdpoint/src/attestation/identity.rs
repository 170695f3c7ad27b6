//! The names of contents in an attestation: git's ids and SHA-256 digests. A text that is neither is refused where it is
//! read, so that none becomes an option of git or a path.

use holdpoint_core::digest::sha256;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The id of a git object, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectId(String);

/// A SHA-256 digest, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

/// A text that should be an id or a digest and is neither.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum IdentityError {
    /// It is no id of a git object.
    #[error("not the id of a git object")]
    NotAnId,
    /// It is no digest.
    #[error("not a SHA-256 digest")]
    NotADigest,
}

impl ObjectId {
    /// The number of digits that people are shown.
    const SHORT: usize = 10;

    /// Reads an id: 40 or 64 digits.
    pub fn read(text: &str) -> Result<ObjectId, IdentityError> {
        let is_id = matches!(text.len(), 40 | 64) && is_hexadecimal(text);
        if is_id { Ok(ObjectId(text.to_owned())) } else { Err(IdentityError::NotAnId) }
    }

    /// The id as git prints it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its first digits.
    pub fn short(&self) -> &str {
        &self.0[..Self::SHORT]
    }
}

impl Digest {
    /// Returns the digest of a content.
    pub fn of(content: &[u8]) -> Digest {
        Digest(sha256(content))
    }

    /// Reads a digest.
    pub fn read(text: &str) -> Result<Digest, IdentityError> {
        let is_digest = text.len() == 64 && is_hexadecimal(text);
        if is_digest { Ok(Digest(text.to_owned())) } else { Err(IdentityError::NotADigest) }
    }
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl TryFrom<String> for ObjectId {
    type Error = IdentityError;

    fn try_from(text: String) -> Result<ObjectId, IdentityError> {
        ObjectId::read(&text)
    }
}

impl TryFrom<String> for Digest {
    type Error = IdentityError;

    fn try_from(text: String) -> Result<Digest, IdentityError> {
        Digest::read(&text)
    }
}

impl From<ObjectId> for String {
    fn from(id: ObjectId) -> String {
        id.0
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.0
    }
}
