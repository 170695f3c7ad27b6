//! What a settings file gets beside its hooks: a value of the client's own settings that holding needs.

/// A text in a settings file: the value of a key, or an element of a list.
///
/// In a record it is the path to it with the text itself at the end, so that `uninstall` can tell ours from one that the
/// user has put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    /// The keys that lead to it from the top.
    pub path: &'static [&'static str],
    /// What it is in.
    pub form: Form,
    /// The text.
    pub text: String,
}

/// What the last key of a path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text.
    Value,
    /// A list with the text in it.
    Element,
}

impl Extra {
    /// Makes the value of a key. One that the user has set stays.
    pub fn value(path: &'static [&'static str], text: &str) -> Extra {
        Extra { path, form: Form::Value, text: text.to_owned() }
    }

    /// Makes an element of a list.
    pub fn element(path: &'static [&'static str], text: &str) -> Extra {
        Extra { path, form: Form::Element, text: text.to_owned() }
    }

    /// Returns the path of the record.
    pub fn made(&self) -> Vec<String> {
        self.path.iter().map(|key| (*key).to_owned()).chain([self.text.clone()]).collect()
    }

    /// Renders it for people.
    pub fn shown(&self) -> String {
        format!("{} = {}", self.path.join("."), self.text)
    }
}
