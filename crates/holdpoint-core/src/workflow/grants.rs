//! What a program of a check or a reviewer gets beyond what every one gets: variables, and folders that it may write to.

use super::{List, Text};

/// `pass` and `writes` of a reviewer or a check.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::grants))]
pub struct Grants {
    /// The names of variables that are passed on.
    pub pass: List<Text>,
    /// Folders and files that it may write to: from the project, `~/…` from the user's home, or absolute.
    pub writes: List<Text>,
}

/// The one word of `writes` that means everywhere: then there is no sandbox.
pub const ANYWHERE: &str = "/";
/// The one that means the project.
pub const PROJECT: &str = ".";

/// Variables that make a program run or load other code than its command line says, whatever the program is.
const NEVER: [&str; 17] = [
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "GCONV_PATH",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_OPTIONS",
    "PERL5DB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
    "_JAVA_OPTIONS",
];
/// The beginnings of such names: the loader's, git's (which say what it runs, and on which repository), exported shell
/// functions, and Holdpoint's own.
const NEVER_BEGINNINGS: [&str; 5] = ["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "HOLDPOINT_"];

/// Returns whether a variable is passed to no program, whatever a workflow or a project says.
pub fn is_never_passed(name: &str) -> bool {
    NEVER.contains(&name) || NEVER_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Says what is wrong with a name under `pass`, and what to write instead.
pub(crate) fn wrong_variable(name: &str) -> Option<(String, String)> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = name.chars().all(is_letter) && name.starts_with(|c: char| !c.is_ascii_digit());
    if !is_name {
        let beginning: String = name.chars().take_while(|c| is_letter(*c)).collect();
        let is_part = beginning.is_empty() || beginning.ends_with('_');
        let example = if is_part { "DATABASE_URL" } else { &beginning };
        return Some((
            format!("`{name}` is not the name of a variable"),
            format!("write each name in full: pass = [\"{example}\"]"),
        ));
    }
    is_never_passed(name).then(|| {
        (
            format!("`{name}` is never passed on: it can change what a program runs"),
            format!("set it in the command line, where it is seen: [\"env\", \"{name}=…\", …]"),
        )
    })
}

/// Says what is wrong with a path under `writes`, and what to write instead.
pub(crate) fn wrong_folder(path: &str) -> Option<(String, String)> {
    let below_home = path.strip_prefix("~/");
    let rest = below_home.unwrap_or(path);
    if path.is_empty() || path == "~" || below_home.is_some_and(|rest| rest.trim_matches('/').is_empty()) {
        let what =
            if path.is_empty() { "an empty path".to_owned() } else { format!("`{path}`, the whole home,") };
        return Some((
            format!("{what} is no folder to write to"),
            "name the folder itself: writes = [\"~/.cache/tool\"]".to_owned(),
        ));
    }
    if path.starts_with('~') && below_home.is_none() || rest.split('/').any(|part| part == "..") {
        return Some((
            format!("`{path}` is no plain path"),
            "start at the project (\"out\"), the home (\"~/.cache\") or the root (\"/srv\"), without `..`"
                .to_owned(),
        ));
    }
    None
}

impl Grants {
    /// Returns these and others.
    #[must_use]
    pub fn and(&self, more: &Grants) -> Grants {
        let both = |one: &[Text], other: &[Text]| one.iter().chain(other).cloned().collect::<Vec<_>>().into();
        Grants { pass: both(&self.pass, &more.pass), writes: both(&self.writes, &more.writes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaders_shells_git_and_our_own_variables_are_never_passed() {
        for name in
            ["LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PYTHONSTARTUP", "NODE_OPTIONS"]
        {
            assert!(is_never_passed(name), "{name}");
        }
        for name in ["GIT_DIR", "GIT_CONFIG_COUNT", "BASH_FUNC_ls%%", "HOLDPOINT_REVIEWER"] {
            assert!(is_never_passed(name), "{name}");
        }
        for name in ["DATABASE_URL", "PYTHONPATH", "ENVIRONMENT", "GITHUB_TOKEN", "LDAP_URL"] {
            assert!(!is_never_passed(name), "{name}");
        }
    }

    #[test]
    fn folders_are_named_plainly() {
        for path in ["out", ".", "/", "~/.cache/tool", "/srv/data", "a..b/c"] {
            assert_eq!(wrong_folder(path), None, "{path}");
        }
        for path in ["", "~", "~/", "~//", "~root/x", "../up", "a/../../b", "~/../x", "/srv/.."] {
            assert!(wrong_folder(path).is_some(), "{path}");
        }
    }
}
