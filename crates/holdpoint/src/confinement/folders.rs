//! The folders that a confined program may write to.

use std::path::{Path, PathBuf};

use holdpoint_core::workflow::grants::{ANYWHERE, Grants, PROJECT};

use super::{Child, Role, home};
use crate::env::Env;
use crate::store::state_folder::StateFolder;
use crate::worktree;

/// What every program writes to: the devices that are no device, terminals of its own, memory that is shared.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];
/// The temporary folders where no variable names one.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];
const TEMPORARY_VARIABLE: &str = "TMPDIR";

/// Caches of toolchains: a variable that names the folder, and the folder in the home without it. Where a folder has
/// settings that run code as well, only its caches are meant.
const CACHES: [(&str, &[&str]); 16] = [
    ("XDG_CACHE_HOME", &[".cache"]),
    ("CARGO_TARGET_DIR", &[]),
    (
        "",
        &[
            ".cargo/registry",
            ".cargo/git",
            ".cargo/.package-cache",
            ".cargo/.package-cache-mutate",
            ".cargo/.global-cache",
        ],
    ),
    ("GOCACHE", &[]),
    ("GOMODCACHE", &["go/pkg"]),
    ("npm_config_cache", &[".npm"]),
    ("", &[".local/share/pnpm/store", ".yarn/berry/cache", ".bun/install/cache"]),
    ("DENO_DIR", &[]),
    ("UV_CACHE_DIR", &[]),
    ("PIP_CACHE_DIR", &[]),
    ("", &[".gradle/caches", ".gradle/daemon", ".gradle/native", ".gradle/wrapper", ".gradle/notifications"]),
    ("", &[".m2/repository", ".ivy2/cache", ".sbt/boot"]),
    ("NUGET_PACKAGES", &[".nuget/packages", ".local/share/NuGet"]),
    ("", &[".bundle/cache", ".pub-cache", ".hex/cache"]),
    ("", &[".cabal/packages", ".stack/pantry"]),
    ("", &[".julia/compiled", ".julia/logs"]),
];

/// What reviewers' tools keep, by their program's name: a variable that names the tool's folder, the folder in the home
/// without it, and what is written below it.
///
/// Claude Code works with nothing of its own to write to. It gets what it keeps of sessions and its login, and none of its
/// settings, instructions, commands and plugins, which would steer the user's next session. Codex and Gemini CLI do not
/// start without their whole folder.
const TOOLS: [(&str, &str, &str, &[&str]); 3] = [
    (
        "claude",
        "CLAUDE_CONFIG_DIR",
        ".claude",
        &[
            "projects",
            "sessions",
            "session-env",
            "todos",
            "tasks",
            "statsig",
            "debug",
            "telemetry",
            "cache",
            "file-history",
            "history.jsonl",
            "stats-cache.json",
            ".credentials.json",
        ],
    ),
    ("codex", "CODEX_HOME", ".codex", &[""]),
    ("gemini", "", ".gemini", &[""]),
];

/// Returns whether a program may write anywhere.
pub(super) fn is_anywhere(grants: &Grants) -> bool {
    grants.writes.iter().any(|path| path == ANYWHERE)
}

/// Returns whether a program may write to the project, as those do that build it.
fn is_builder(child: &Child<'_>) -> bool {
    child.role == Role::Check || child.grants.writes.iter().any(|path| path == PROJECT)
}

/// Returns the folders and files that a program may write to; none if it may write anywhere.
pub(super) fn writable(child: &Child<'_>) -> Option<Vec<PathBuf>> {
    if is_anywhere(child.grants) {
        return None;
    }
    let mut folders: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    folders.extend(temporary(child.env));
    // Only the file: its folder may be the project.
    folders.extend(child.report.map(Path::to_path_buf));
    if is_builder(child) {
        folders.push(child.folder.to_path_buf());
        // A linked working tree is to build and test as the main one does, where this lies in the project.
        let has_books = |folder: &PathBuf| {
            let real = folder.canonicalize().ok();
            StateFolder::of(child.env).ok().zip(real).is_some_and(|(state, real)| {
                state.root().canonicalize().is_ok_and(|state| state.starts_with(&real))
            })
        };
        // It is a file of the project that names it.
        folders.extend(worktree::shared_git_folder(child.folder).filter(|folder| !has_books(folder)));
        folders.extend(caches(child.env));
    }
    if child.role == Role::Reviewer {
        folders.extend(kept_by(child.name, child.env));
    }
    folders.extend(child.grants.writes.iter().filter_map(|path| granted(path, child)));
    Some(folders)
}

fn temporary(env: &dyn Env) -> Vec<PathBuf> {
    match named(TEMPORARY_VARIABLE, env) {
        Some(folder) => vec![folder],
        None => TEMPORARY.iter().map(PathBuf::from).collect(),
    }
}

/// The folder that a variable names. One that has the home in it would open all of that.
fn named(variable: &str, env: &dyn Env) -> Option<PathBuf> {
    let folder = env.var(variable).map(PathBuf::from).filter(|folder| folder.is_absolute())?;
    let is_above = home(env).unwrap_or_else(|| PathBuf::from("/")).starts_with(&folder);
    (!is_above).then_some(folder)
}

fn caches(env: &dyn Env) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for (variable, usual) in CACHES {
        match (named(variable, env), home(env)) {
            (Some(folder), _) => folders.push(folder),
            (None, Some(home)) => folders.extend(usual.iter().map(|folder| home.join(folder))),
            (None, None) => {}
        }
    }
    let cargo = named("CARGO_HOME", env);
    folders.extend(cargo.into_iter().flat_map(|cargo| ["registry", "git"].map(|part| cargo.join(part))));
    folders
}

/// What a reviewer's tool keeps of its own.
fn kept_by(program: &str, env: &dyn Env) -> Vec<PathBuf> {
    let name = Path::new(program).file_name().and_then(|name| name.to_str());
    let tool = TOOLS.iter().find(|(tool, ..)| Some(*tool) == name);
    let Some((_, variable, usual, parts)) = tool else { return Vec::new() };
    let folder = named(variable, env).or_else(|| Some(home(env)?.join(usual)));
    let parts = folder.iter().flat_map(|folder| parts.iter().map(|part| folder.join(part)));
    parts.collect()
}

/// Makes the folders that a program would make itself, and cannot: only what is there can be opened for it. That is what a
/// reviewer's tool keeps, where the user has used it before, and the one folder that most toolchains have their caches in.
pub(super) fn make_missing(child: &Child<'_>) {
    let Some(home) = home(child.env).filter(|home| home.is_dir()) else { return };
    let missing = match child.role {
        Role::Reviewer => kept_by(child.name, child.env),
        Role::Check => vec![home.join(".cache")],
    };
    let folders = missing.into_iter().filter(|part| part.extension().is_none());
    // One level only: nothing appears in a home that has no folder of the tool's.
    folders.for_each(|folder| drop(std::fs::create_dir(folder)));
}

/// A path of `writes`. One in the project stays there: a link that leads out of it opens nothing.
fn granted(path: &str, child: &Child<'_>) -> Option<PathBuf> {
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(home(child.env)?.join(rest));
    }
    if Path::new(path).is_absolute() {
        return Some(PathBuf::from(path));
    }
    let (top, place) = (child.folder.canonicalize().ok()?, child.folder.join(path).canonicalize().ok()?);
    place.starts_with(top).then_some(place)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::env::FixedEnv;

    fn writable_by(
        role: Role,
        name: &str,
        writes: &[&'static str],
        variables: &[(&str, &str)],
    ) -> Option<Vec<String>> {
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        std::os::unix::fs::symlink("/etc", root.join("astray")).unwrap();
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let env = FixedEnv { variables, now: None };
        let writes: Vec<_> = writes.iter().map(|path| std::borrow::Cow::Borrowed(*path)).collect();
        let grants = Grants { writes: writes.into(), ..Grants::default() };
        let report = root.join("plans/report.md");
        let child = Child { name, role, folder: &root, report: Some(&report), grants: &grants, env: &env };
        let text = |folder: PathBuf| folder.display().to_string().replace(&*root.to_string_lossy(), "[ROOT]");
        let all = writable(&child)?.into_iter().map(text);
        Some(all.filter(|folder| !folder.starts_with("/dev/")).collect())
    }

    #[test]
    fn a_reviewer_writes_its_report_and_what_its_tool_keeps() {
        let found =
            writable_by(Role::Reviewer, "codex", &[], &[("HOME", "/home/me"), ("TMPDIR", "/scratch")]);
        assert_eq!(found.unwrap(), ["/scratch", "[ROOT]/plans/report.md", "/home/me/.codex/"]);
        let found = writable_by(Role::Reviewer, "/opt/claude", &[], &[("HOME", "/home/me")]).unwrap();
        assert!(found.contains(&"/home/me/.claude/projects".to_owned()), "{found:?}");
        assert!(
            !found.contains(&"[ROOT]".to_owned()) && !found.contains(&"/home/me/.claude".to_owned()),
            "{found:?}"
        );
        let found =
            writable_by(Role::Reviewer, "my-review", &["out", "~/.mine", "/srv/x"], &[("HOME", "/home/me")]);
        assert_eq!(
            found.unwrap(),
            ["/tmp", "/var/tmp", "[ROOT]/plans/report.md", "[ROOT]/out", "/home/me/.mine", "/srv/x"]
        );
    }

    #[test]
    fn a_check_writes_the_project_and_the_caches() {
        let variables = [("HOME", "/home/me"), ("CARGO_TARGET_DIR", "/fast/target")];
        let found = writable_by(Role::Check, "cargo", &[], &variables).unwrap();
        for folder in ["[ROOT]", "/fast/target", "/home/me/.cargo/registry", "/home/me/.cache"] {
            assert!(found.iter().any(|there| there == folder), "{folder} is not in {found:?}");
        }
        assert!(
            !found.iter().any(|folder| folder == "/home/me/.cargo" || folder.contains(".codex")),
            "{found:?}"
        );
    }

    #[test]
    fn nothing_opens_the_home_or_leads_out_of_the_project() {
        let variables =
            [("HOME", "/home/me"), ("TMPDIR", "/"), ("XDG_CACHE_HOME", "/home/me"), ("GOCACHE", "/home")];
        let found = writable_by(Role::Check, "go", &["astray", "gone"], &variables).unwrap();
        for folder in ["/", "/home", "/home/me", "/etc", "[ROOT]/astray"] {
            assert!(!found.iter().any(|there| there == folder), "{folder} is in {found:?}");
        }
        assert_eq!(writable_by(Role::Check, "go", &["/"], &variables), None, "no sandbox was asked for");
    }
}
