//! The digest by which contents are compared.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a content, in hexadecimal. Nobody can make two contents with the same one.
pub fn sha256(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}
