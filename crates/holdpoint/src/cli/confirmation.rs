//! A word that is shown in a terminal and typed back: a stray keypress, or a text that was piped, confirms nothing.

use std::io::{BufRead, Read};

use super::Context;
use crate::error::{CommandError, Kind};

/// The most that is read of what is typed.
const TYPED_BYTES_MAX: u64 = 200;

/// Asks for a word that is shown here. `asks` is what is said before it, `does` what typing it does.
pub(super) fn confirm(
    context: &Context,
    asks: &str,
    does: &str,
    otherwise: &str,
) -> Result<(), CommandError> {
    let word = word(context.env.random_u64());
    context.ui.note(format!("\n{asks}Type `{word}` to {does}. Anything else {otherwise}."));
    let mut typed = String::new();
    let read = std::io::stdin().lock().take(TYPED_BYTES_MAX).read_line(&mut typed);
    if read.is_ok() && typed.trim() == word {
        return Ok(());
    }
    Err(CommandError::new(Kind::Failed, "the word was not typed, so nothing was recorded"))
}

/// A short word that nobody types by accident.
fn word(random: u64) -> String {
    const WORDS: [&str; 16] = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "ivory", "jade", "kelp",
        "lotus", "maple", "north", "ochre", "pearl",
    ];
    let at = usize::try_from(random % 16).unwrap_or_default();
    format!("{}-{}", WORDS[at], 10 + (random >> 8) % 90)
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn the_word_differs_from_one_time_to_the_next() {
        assert_eq!(word(0), "amber-10");
        assert_eq!(word(2 | 37 << 8), "cedar-47");
        assert_eq!(word(u64::MAX).len(), "pearl-10".len());
    }
}
