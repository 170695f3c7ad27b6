//! The digest by which contents are compared.

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a content, in hexadecimal. Nobody can make two contents with the same one.
pub fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// The SHA-256 of a content that comes in parts.
#[derive(Debug, Default)]
pub struct Parts(Sha256);

impl Parts {
    /// Takes in the next part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// Returns the digest of all parts, in hexadecimal.
    pub fn digest(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_digest_of_the_whole() {
        let mut parts = Parts::default();
        parts.add(b"one ");
        parts.add(b"two");
        assert_eq!(parts.digest(), sha256(b"one two"));
    }
}
