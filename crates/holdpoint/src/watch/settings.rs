//! How the agents' settings, and files that a workflow has put back, stand: a digest of each, and its text where it may have
//! to be written again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::store::layout;

/// The largest file that is looked at.
const BYTES_MAX: u64 = 1024 * 1024;

/// How a file stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// A digest of what counts; none if there is no file.
    pub digest: Option<String>,
    /// What is in it, if it may have to be put back and is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// How files stand, by their paths from the project's home.
pub type Standings = BTreeMap<String, Standing>;

/// Looks at files. With `keeps` their text is kept.
pub fn look(home: &Path, paths: impl Iterator<Item = String>, keeps: impl Fn(&str) -> bool) -> Standings {
    let one = |path: String| {
        let keeps = keeps(&path);
        let standing = standing(home, &path, keeps);
        (path, standing)
    };
    paths.map(one).collect()
}

fn standing(home: &Path, path: &str, keeps: bool) -> Standing {
    match crate::world::read_file(&home.join(path), BYTES_MAX) {
        Ok(None) => Standing::default(),
        Ok(Some(bytes)) => {
            let text = if keeps { String::from_utf8(bytes.clone()).ok() } else { None };
            Standing { digest: Some(digest(path, &bytes)), text }
        }
        // What cannot be read is something else than what could.
        Err(error) => Standing { digest: Some(error.to_string()), text: None },
    }
}

/// A digest of what counts in a file. What a client is allowed to do without asking is the user's to say at any time, and
/// the client writes it there itself.
fn digest(path: &str, bytes: &[u8]) -> String {
    const OF_CLIENT: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
    let other = || {
        let mut settings: Json = serde_json::from_slice(bytes).ok().filter(|_| OF_CLIENT.contains(&path))?;
        settings.as_object_mut()?.remove("permissions");
        Some(settings.to_string())
    };
    match other() {
        Some(text) => layout::content_digest(text.as_bytes()),
        None => layout::content_digest(bytes),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "foreign files")]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_may_do_is_the_users_to_say() {
        let of = |text: &str| digest(".claude/settings.local.json", text.as_bytes());
        assert_eq!(of(r#"{"permissions":{"allow":["Bash(ls)"]}}"#), of("{}"));
        assert_ne!(of(r#"{"hooks":{}}"#), of("{}"));
        assert_ne!(of(r#"{"disableAllHooks":true,"permissions":{}}"#), of("{}"));
        assert_ne!(of("rubbish"), of("other rubbish"));
        assert_ne!(digest("plan.md", br#"{"permissions":1}"#), digest("plan.md", b"{}"));
    }

    #[test]
    fn a_file_that_is_not_there_has_no_digest() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("a"), "text").unwrap();
        let found = look(home.path(), ["a", "b"].map(str::to_owned).into_iter(), |path| path == "a");
        assert_eq!(found["b"], Standing::default());
        assert_eq!(found["a"].text.as_deref(), Some("text"));
    }
}
