//! With which program and key a commit is signed: as the user has it outside of the repository. What is in the repository's own
//! configuration an agent can have written, and it would name a program.

/// What decides it, with what git takes where nobody says anything. The last names a program that says which key; without
/// one, none does.
const KEYS: [(&str, Option<&str>); 7] = [
    ("gpg.format", Some("openpgp")),
    ("gpg.program", Some("gpg")),
    ("gpg.openpgp.program", None),
    ("gpg.x509.program", Some("gpgsm")),
    ("gpg.ssh.program", Some("ssh-keygen")),
    ("gpg.ssh.defaultkeycommand", Some("false")),
    ("user.signingkey", None),
];

/// The arguments by which git is asked for it.
pub(super) const ASKED: [&str; 5] =
    ["config", "--show-scope", "-z", "--get-regexp", r"^(gpg\..*|user\.signingkey)$"];

/// How a commit is signed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Signing {
    /// Configuration for git, each after a `-c`.
    pub(super) settings: Vec<String>,
    /// What the repository says, and does not count.
    pub(super) ignored: Vec<String>,
}

impl Signing {
    /// Reads what git has answered.
    pub(super) fn of(answer: &str) -> Signing {
        let mut words = answer.split('\0');
        let mut said = Vec::new();
        while let (Some(scope), Some(setting)) = (words.next(), words.next()) {
            let (key, value) = setting.split_once('\n').unwrap_or((setting, "true"));
            said.push((matches!(scope, "system" | "global"), key, value));
        }
        let last = |key: &str, of_user: bool| {
            let is_it = |(is_users, named, _): &&(bool, &str, &str)| *is_users == of_user && *named == key;
            said.iter().rfind(is_it).map(|(_, _, value)| *value)
        };
        let mut signing = Signing::default();
        for (key, usual) in KEYS {
            let (users, repositorys) = (last(key, true), last(key, false));
            signing.ignored.extend(repositorys.filter(|value| Some(*value) != users).map(|_| key.to_owned()));
            // An older name of the same thing counts where the newer one says nothing.
            let usual = if key == "gpg.openpgp.program" { last("gpg.program", true) } else { usual };
            match users.or(usual) {
                Some(value) => signing.settings.push(format!("{key}={value}")),
                None if repositorys.is_some() => signing.settings.push(format!("{key}=")),
                None => {}
            }
        }
        signing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_outside_of_the_repository_counts() {
        let none = Signing::of("");
        assert!(none.ignored.is_empty());
        assert!(none.settings.contains(&"gpg.program=gpg".to_owned()), "{none:?}");
        let answer = "global\0user.signingkey\nABC\0local\0user.signingkey\nDEF\0local\0gpg.program\n/tmp/x\0\
            worktree\0gpg.ssh.program\n/tmp/y\0system\0gpg.format\nssh\0command\0gpg.x509.program\n/tmp/z\0\
            local\0gpg.openpgp.program\n/tmp/w\0";
        let Signing { settings, ignored } = Signing::of(answer);
        for one in ["user.signingkey=ABC", "gpg.program=gpg", "gpg.ssh.program=ssh-keygen", "gpg.format=ssh"]
        {
            assert!(settings.contains(&one.to_owned()), "{one}: {settings:?}");
        }
        assert!(settings.iter().all(|one| !one.contains("/tmp")), "{settings:?}");
        assert_eq!(
            ignored,
            ["gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program", "user.signingkey"]
        );
    }
}
