//! A project's settings, `.holdpoint/holdpoint.toml`, with workflows added to those that it enables.

use toml_edit::{Array, DocumentMut, Item, Value};

use super::error::ProjectSettingsError;

const KEY: &str = "workflows";

/// Adds workflows to the list. Without a list all workflows are enabled, so a new one must name the project's `own` as
/// well.
pub fn with(text: &str, chosen: &[String], own: &[String]) -> Result<String, ProjectSettingsError> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        ProjectSettingsError::Toml { message: error.message().to_owned() }
    })?;
    match document.get_mut(KEY) {
        None => {
            let mut names: Vec<&String> = own.iter().collect();
            names.extend(chosen.iter().filter(|name| !own.contains(name)));
            let list: Array = names.into_iter().map(String::as_str).collect();
            document.insert(KEY, Item::Value(Value::Array(list)));
        }
        Some(item) => {
            let list = item.as_array_mut().ok_or(ProjectSettingsError::NotAList)?;
            for name in chosen {
                if !list.iter().any(|there| there.as_str() == Some(name)) {
                    list.push(name.as_str());
                }
            }
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_grows_and_keeps_its_comments() {
        let chosen = ["b".to_owned()];
        assert_eq!(with("", &chosen, &["a".to_owned()]).unwrap(), "workflows = [\"a\", \"b\"]\n");
        let text = "# ours\nworkflows = [\"a\"] # one\n";
        assert_eq!(with(text, &chosen, &[]).unwrap(), "# ours\nworkflows = [\"a\", \"b\"] # one\n");
        assert_eq!(with("workflows = [\"b\"]\n", &chosen, &[]).unwrap(), "workflows = [\"b\"]\n");
        assert!(with("workflows = 5", &chosen, &[]).is_err());
        assert!(with("workflows = [", &chosen, &[]).is_err());
    }
}
