//! Approvals as data: whose word is asked for, what it applies to, and how long it counts.

use serde::{Deserialize, Serialize};

use super::{List, Text};

/// `[approvals] X = …`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::approval))]
pub struct Approval {
    /// Its name, as somebody types it.
    pub name: Text,
    /// Who gives it, for people to read.
    pub who: Text,
    /// What it applies to.
    pub of: Of,
    /// The ways in which it can be given.
    pub through: List<Channel>,
    /// After how many seconds it no longer counts.
    pub expires_s: Option<u32>,
}

/// A way in which a person's word reaches Holdpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::approval))]
pub enum Channel {
    /// Typed in a terminal that is no agent's.
    #[default]
    Terminal,
    /// Typed into an agent's session, and confirmed by the client's own record.
    Prompt,
}

impl Channel {
    /// All of them.
    pub const ALL: [Channel; 2] = [Channel::Terminal, Channel::Prompt];

    /// Returns its name in workflow files and in the evidence.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Terminal => "terminal",
            Channel::Prompt => "prompt",
        }
    }
}

/// What an approval applies to: it counts until that changes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::approval))]
pub enum Of {
    /// All files.
    Tree,
    /// The last commit, whatever the working tree holds.
    Commit,
    /// The files that fit these globs; `!glob` leaves out what fits it.
    Paths(List<Text>),
}

impl Of {
    /// Whether a change of this file is a change of what was approved.
    pub fn covers(&self, file: &str) -> bool {
        let fits = |glob: &str| fast_glob::glob_match(glob, file);
        match self {
            Of::Tree => true,
            Of::Commit => false,
            Of::Paths(globs) => {
                globs.iter().any(|glob| !glob.starts_with('!') && fits(glob))
                    && !globs.iter().filter_map(|glob| glob.strip_prefix('!')).any(fits)
            }
        }
    }
}

/// The units that `expires` is written in, with their seconds.
const UNITS: [(char, u32); 3] = [('m', 60), ('h', 3_600), ('d', 86_400)];

/// Reads a time such as `30m`, `12h` or `3d`, in seconds.
pub(super) fn seconds(text: &str) -> Option<u32> {
    let (number, seconds) =
        UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds)))?;
    let is_plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u32 = number.parse().ok().filter(|number| is_plain && *number > 0)?;
    number.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, expect) in [
            ("30m", Some(1_800)),
            ("12h", Some(43_200)),
            ("3d", Some(259_200)),
            ("0d", None),
            ("+3d", None),
            ("3", None),
            ("d", None),
            ("3 d", None),
            ("3w", None),
            ("-1h", None),
            ("99999999d", None),
            ("", None),
        ] {
            assert_eq!(seconds(text), expect, "{text}");
        }
    }

    #[test]
    fn paths_cover_what_fits_them_and_is_not_left_out() {
        let of = Of::Paths(vec!["docs/**".into(), "*.md".into(), "!docs/old/**".into()].into());
        for (file, expect) in
            [("docs/a.md", true), ("README.md", true), ("docs/old/a.md", false), ("src/a.rs", false)]
        {
            assert_eq!(of.covers(file), expect, "{file}");
        }
    }
}
