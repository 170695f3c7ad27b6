//! What the user is asked before a command that is the user's: by every such command, in one way. Where an agent's client
//! works, that is a word that is shown in the terminal and typed back: a stray keypress, a text that was piped, or an option
//! confirms nothing there.

use std::io::{BufRead, Read};
use std::path::Path;

use super::{Context, phrase};
use crate::error::{CommandError, Kind};
use crate::user::{self, Word};

/// The most that is read of what is typed.
const TYPED_BYTES_MAX: u64 = 200;

/// The most that is read of a reason, and the most that is kept.
const REASON_BYTES_MAX: u64 = 4_000;
const REASON_CHARS_MAX: usize = 500;

/// A command that is the user's, given by somebody who may be the user.
pub(super) struct Users<'a> {
    /// The command, as it is typed.
    what: &'a str,
    word: Word,
}

impl<'a> Users<'a> {
    /// Takes a command that is about the project in this folder. Refuses whoever cannot be the user.
    pub(super) fn command(context: &Context, place: &Path, what: &'a str) -> Result<Users<'a>, CommandError> {
        Ok(Users { what, word: user::word(context.env.as_ref(), place, what)? })
    }

    /// Returns whether nobody but the user can have given it, so that nothing need be asked.
    pub(super) fn is_plain(&self) -> bool {
        self.word == Word::Plain
    }

    /// Asks for the word, where an agent's client works.
    pub(super) fn confirm(&self, context: &Context) -> Result<(), CommandError> {
        if self.is_plain() {
            return Ok(());
        }
        let asks = "An agent's client works in this project, so you are asked whether this is you.\n";
        let does = format!("run `{}`", self.what);
        confirm(context, asks, &does, "does nothing").map_err(|error| error.hinted("run it again"))
    }

    /// The same, and elsewhere asks a question that is answered with yes or no, unless the user does not want to be asked.
    /// `otherwise` is what is said if the answer is no.
    pub(super) fn agree(
        &self,
        context: &Context,
        question: Option<&str>,
        otherwise: &str,
    ) -> Result<(), CommandError> {
        self.confirm(context)?;
        match question.filter(|_| self.is_plain()) {
            Some(question) if !is_yes(context, question) => Err(CommandError::new(Kind::Failed, otherwise)),
            _ => Ok(()),
        }
    }
}

/// Returns why a command is given: as its option says, or as the user answers at a terminal.
pub(super) fn reason(context: &Context, given: Option<&str>, what: &str) -> Result<String, CommandError> {
    let mut reason = given.unwrap_or_default().to_owned();
    if given.is_none() && user::is_there(context.env.as_ref()) {
        context.ui.ask(format!("Why is it {what}? "));
        let _ = std::io::stdin().lock().take(REASON_BYTES_MAX).read_line(&mut reason);
    }
    let reason: String = phrase::printable(reason.trim()).chars().take(REASON_CHARS_MAX).collect();
    if reason.is_empty() {
        return Err(CommandError::new(Kind::Usage, format!("nothing was {what}: it needs a reason"))
            .hinted("say why: --reason \"only the docs\""));
    }
    Ok(reason)
}

fn is_yes(context: &Context, question: &str) -> bool {
    context.ui.ask(format!("\n{question} [y/N] "));
    let mut answer = String::new();
    let _ = std::io::stdin().lock().take(TYPED_BYTES_MAX).read_line(&mut answer);
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

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
