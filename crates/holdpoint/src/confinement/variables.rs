//! The variables that programs of checks and reviewers get. Everything else that Holdpoint was started with stays behind:
//! it is the agent's, or the user's own.
//!
//! A variable is on the list if common programs do not work without it, and if it only names a folder, a language, a
//! proxy or a login. Left out on purpose, though some projects want them (`pass` names them then):
//! - what makes a program load or run other code: `PYTHONPATH`, `NODE_PATH`, `RUBYLIB`, `RUSTFLAGS`, `RUSTC_WRAPPER`,
//!   `GOFLAGS`, `MAVEN_OPTS`, `npm_config_*` other than the cache, `CARGO_*` other than its folders;
//! - sockets at which other programs of the user obey: `SSH_AUTH_SOCK`, `DBUS_SESSION_BUS_ADDRESS`, `DOCKER_HOST`,
//!   `XDG_RUNTIME_DIR`;
//! - whatever tells an agent's session: a program is not a part of it.
//!
//! A folder such as `CARGO_HOME` can hold settings that run code, too. It stays: without it no toolchain outside of the
//! home is found.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

use holdpoint_core::workflow::Text;
use holdpoint_core::workflow::grants::is_never_passed;

use super::Role;
use crate::env::Env;
use crate::env_vars::{PATH, SESSIONS};
use crate::program;

/// Every program gets these. `*` stands for any ending.
pub const EVERY: &str = "\
    PATH HOME USER LOGNAME SHELL HOSTNAME TERM COLORTERM NO_COLOR TZ CI LANG LANGUAGE LC_* LOCALE_ARCHIVE \
    TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_CACHE_HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME \
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE \
    CURL_CA_BUNDLE NIX_SSL_CERT_FILE PYTHONDONTWRITEBYTECODE";
/// Every program gets these of common toolchains: where they and their caches are, and which version is meant.
pub const TOOLCHAINS: &str = "\
    CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN GOPATH GOROOT GOCACHE GOMODCACHE GOTOOLCHAIN \
    JAVA_HOME GRADLE_USER_HOME MAVEN_HOME ANDROID_HOME SDKMAN_DIR NODE_ENV NVM_DIR VOLTA_HOME FNM_DIR PNPM_HOME \
    BUN_INSTALL DENO_DIR npm_config_cache VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV PYENV_ROOT PYENV_VERSION \
    UV_CACHE_DIR PIP_CACHE_DIR GEM_HOME GEM_PATH BUNDLE_PATH RBENV_ROOT DOTNET_ROOT NUGET_PACKAGES ASDF_DIR \
    ASDF_DATA_DIR MISE_DATA_DIR";
/// Reviewers get these as well: how their tools are set up, and the login that they use.
pub const REVIEWERS: &str = "\
    ANTHROPIC_* CLAUDE_* OPENAI_* CODEX_* GEMINI_* GOOGLE_* VERTEX_* CLOUD_ML_REGION AZURE_* DISABLE_* \
    IS_SANDBOX";
/// Reviewers get these where `CLAUDE_CODE_USE_BEDROCK` is set: they are the login there.
pub const BEDROCK: &str = "\
    AWS_*";
/// The agent's session, and what puts a command before each of a shell: no program gets these, nor ids of sessions.
const SESSION: &str = "\
    CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_MESSAGING_* CLAUDE_CODE_SHELL* CLAUDE_CODE_SSE_PORT CLAUDE_ENV_FILE CLAUDE_PID \
    CLAUDE_PROJECT_DIR CLAUDE_PLUGIN_* CODEX_SANDBOX*";
/// Windows starts no program without these.
#[cfg(windows)]
const SYSTEM: &str = "\
    APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA \
    PROGRAMFILES* SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR";
#[cfg(not(windows))]
const SYSTEM: &str = "";

/// Turns on Amazon's Bedrock in Claude Code.
const USES_BEDROCK: &str = "CLAUDE_CODE_USE_BEDROCK";

/// These decide which programs run, and whom a reviewer's tool asks. They are pinned with the programs, not the caller's;
/// none of them is a login.
const ENDPOINTS: &str = "\
    ANTHROPIC_BASE_URL ANTHROPIC_BEDROCK_BASE_URL ANTHROPIC_VERTEX_BASE_URL ANTHROPIC_MODEL OPENAI_BASE_URL \
    GOOGLE_GEMINI_BASE_URL CLAUDE_CONFIG_DIR CODEX_HOME";

/// Returns whether a variable is pinned.
pub fn is_pinned(name: &str) -> bool {
    name == PATH || pinned_names().any(|pinned| pinned == name)
}

fn pinned_names() -> impl Iterator<Item = &'static str> {
    TOOLCHAINS.split_whitespace().chain(ENDPOINTS.split_whitespace())
}

/// Returns the variables that are pinned, with their values. PATH has absolute folders only.
pub fn pinned(env: &dyn Env) -> BTreeMap<String, String> {
    let path = env.var(PATH).map(|path| program::absolute(&path)).filter(|path| !path.is_empty());
    let path = path.map(|path| (PATH.to_owned(), path));
    let others = pinned_names().filter_map(|name| Some((name.to_owned(), env.var(name)?)));
    path.into_iter().chain(others).collect()
}

/// Gives a program the pinned variables as they are in these surroundings, which need not be the process's own.
pub fn pass_pinned(command: &mut Command, role: Role, env: &dyn Env) {
    for name in pinned_names().filter(|name| is_usual(name, role, false)) {
        match env.var(name) {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    program::with_path(command, env);
}

/// Returns the variables of this process that a program gets, with those that are named for it.
pub fn passed(role: Role, named: &[Text]) -> Vec<(OsString, OsString)> {
    let all: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    let uses_bedrock = all.iter().any(|(name, _)| name == USES_BEDROCK);
    let is_passed = |name: &str| {
        !is_never_passed(name)
            && (named.iter().any(|named| named == name) || is_usual(name, role, uses_bedrock))
    };
    all.into_iter().filter(|(name, _)| name.to_str().is_some_and(is_passed)).collect()
}

fn is_usual(name: &str, role: Role, uses_bedrock: bool) -> bool {
    let is_of = |list: &str| list.split_whitespace().any(|entry| fits(entry, name));
    let is_reviewers = is_of(REVIEWERS) || (uses_bedrock && is_of(BEDROCK));
    let is_sessions = is_of(SESSION) || SESSIONS.contains(&name);
    is_of(EVERY)
        || is_of(TOOLCHAINS)
        || is_of(SYSTEM)
        || (role == Role::Reviewer && is_reviewers && !is_sessions)
}

/// Whether a name is the entry, or begins as it does. Proxies, and everything on Windows, may be written in any case.
fn fits(entry: &str, name: &str) -> bool {
    let is_any_case = cfg!(windows) || entry.ends_with("_PROXY");
    let (expected, there) = match entry.strip_suffix('*') {
        Some(beginning) => (beginning, name.get(..beginning.len()).unwrap_or_default()),
        None => (entry, name),
    };
    there == expected || (is_any_case && there.eq_ignore_ascii_case(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_on_the_list_is_usual() {
        for name in ["PATH", "LC_ALL", "https_proxy", "NO_PROXY", "CARGO_HOME", "VIRTUAL_ENV"] {
            assert!(is_usual(name, Role::Check, false), "{name}");
            assert!(is_usual(name, Role::Reviewer, false), "{name}");
        }
        for name in ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "CODEX_HOME", "GOOGLE_API_KEY"] {
            assert!(is_usual(name, Role::Reviewer, false), "{name}");
            assert!(!is_usual(name, Role::Check, false), "{name}");
        }
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "DATABASE_URL",
            "PYTHONPATH",
            "RUSTFLAGS",
            "SSH_AUTH_SOCK",
            "LD_PRELOAD",
            "NODE_OPTIONS",
            "CLAUDECODE",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_MESSAGING_SOCKET",
            "CODEX_THREAD_ID",
            "GEMINI_SESSION_ID",
            "XDG_RUNTIME_DIR",
            "npm_config_node_options",
        ] {
            assert!(!is_usual(name, Role::Reviewer, false), "{name}");
        }
        assert!(is_usual("AWS_REGION", Role::Reviewer, true) && !is_usual("AWS_REGION", Role::Check, true));
    }
}
