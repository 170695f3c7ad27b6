//! Base64, as envelopes have it: both alphabets are read, the standard one is written.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes with the standard alphabet, with padding.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let byte = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = usize::try_from(bits >> (18 - 6 * at) & 63).unwrap_or(0);
            text.push(if at <= part.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    text
}

/// Decodes a text with padding. None if it is anything else than what `encode` writes, in either alphabet.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    for part in digits.as_bytes().chunks(4) {
        let bits = part.iter().try_fold(0_u32, |bits, letter| Some(bits << 6 | value(*letter)?))?;
        let bits = bits << (6 * (4 - part.len()));
        let [_, whole @ ..] = bits.to_be_bytes();
        let (kept, rest) = whole.split_at(part.len() - 1);
        // What is left over has no meaning, so it must be nothing: one content has one text.
        if rest.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend(kept);
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    let digit = match letter {
        b'-' => 62,
        b'_' => 63,
        _ => ALPHABET.iter().position(|known| *known == letter)?,
    };
    u32::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_the_standard_are_read_and_written() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text), Some(bytes.as_bytes().to_vec()));
        }
        assert_eq!(encode(&[0xfb, 0xff]), "+/8=");
        assert_eq!(decode("-_8="), Some(vec![0xfb, 0xff]));
    }

    #[test]
    fn everything_else_is_refused() {
        for text in ["Zg", "Zg=", "Zh==", "Z===", "====", "Zm9", "Zm9v\n", "Zm 9", "Z=9v", "Zg==Zg==", "Zm9ä"]
        {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
