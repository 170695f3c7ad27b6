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
    if Path::new(path).is_absolute() {
        return layout::content_digest(steering(path, bytes).unwrap_or_default().as_bytes());
    }
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

/// What of a user's settings says whether, and how, hooks are called. Clients write much else there by themselves.
fn steering(path: &str, bytes: &[u8]) -> Option<String> {
    const KEYS: [&str; 6] = ["hooks", "disableAllHooks", "hooksConfig", "env", "enabledPlugins", "features"];
    let text = std::str::from_utf8(bytes).ok()?;
    let is_toml = path.ends_with(".toml");
    let settings: Json =
        if is_toml { toml::from_str(text).ok()? } else { serde_json::from_str(text).ok()? };
    let mut kept: Vec<(&str, Json)> =
        KEYS.iter().filter_map(|key| Some((*key, settings.get(key)?.clone()))).collect();
    // Which hooks the user trusts is noted among them by the client.
    for (_, value) in &mut kept {
        value.as_object_mut().map(|value| value.remove("state"));
    }
    Some(format!("{kept:?}"))
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
    fn of_the_users_settings_only_what_steers_hooks_counts() {
        let json = |text: &str| digest("/home/me/.claude/settings.json", text.as_bytes());
        assert_eq!(json(r#"{"model":"opus","hooks":{}}"#), json(r#"{"theme":"dark","hooks":{}}"#));
        assert_ne!(json(r#"{"disableAllHooks":true,"hooks":{}}"#), json(r#"{"hooks":{}}"#));
        let toml = |text: &str| digest("/home/me/.codex/config.toml", text.as_bytes());
        assert_eq!(toml("[hooks.state.x]\ntrusted_hash = '1'\n"), toml("[hooks]\n"));
        assert_ne!(toml("[features]\nhooks = false\n"), toml("model = 'x'\n"));
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
