//! Bubblewrap: whether it can make a fence here, and the fence as its arguments.

use crate::env::Env;
use crate::fence::FenceError;

/// Finds out whether a fence is possible here.
pub fn is_possible(env: &dyn Env) -> Result<(), FenceError> {
    #[cfg(target_os = "linux")]
    return linux::Bubblewrap::find(env)?.attempt(&[]);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = env;
        Err(FenceError::System)
    }
}

/// What to do where the system refuses: the setting that forbids it, if one does.
pub(super) fn remedy() -> String {
    const SETTINGS: [(&str, &str, &str); 3] = [
        (
            "kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("user/max_user_namespaces", "0", "user.max_user_namespaces=15000"),
    ];
    let forbids = |(file, value, _): &&(&str, &str, &str)| {
        std::fs::read_to_string(format!("/proc/sys/{file}")).is_ok_and(|text| text.trim() == *value)
    };
    match SETTINGS.iter().find(forbids) {
        Some((_, _, setting)) => format!("allow user namespaces: sudo sysctl {setting}"),
        None => "allow user namespaces; a container needs to be started with that permission".to_owned(),
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::Bubblewrap;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use crate::env::Env;
    use crate::fence::FenceError;
    use crate::fence::places::Places;

    /// The program.
    #[derive(Debug)]
    pub(in crate::fence) struct Bubblewrap {
        pub(in crate::fence) program: PathBuf,
    }

    impl Bubblewrap {
        /// Finds it.
        pub(in crate::fence) fn find(env: &dyn Env) -> Result<Bubblewrap, FenceError> {
            let program = env.program("bwrap").ok_or(FenceError::NoProgram)?;
            Ok(Bubblewrap { program })
        }

        /// Tries to make a fence with these mounts around a program that does nothing.
        pub(in crate::fence) fn attempt(&self, mounts: &[OsString]) -> Result<(), FenceError> {
            let mut command = Command::new(&self.program);
            command.args(["--dev-bind", "/", "/"]).args(mounts).args(fixed());
            command.args(["--", "/bin/sh", "-c", ":"]).stdin(Stdio::null()).stdout(Stdio::null());
            let ended = command.output().map_err(FenceError::Start)?;
            let said = String::from_utf8_lossy(&ended.stderr);
            let why = said.lines().next().unwrap_or("it ended without a word");
            let why = why.trim_start_matches("bwrap: ").to_owned();
            if ended.status.success() { Ok(()) } else { Err(FenceError::Refused { why }) }
        }
    }

    /// The mounts of a fence. The folders on the way come first, so that what is closed lies upon them.
    pub(in crate::fence) fn mounts(places: &Places) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut mount = |how: &str, from: &Path, to: &Path| {
            arguments.extend([how.into(), from.into(), to.into()]);
        };
        // What is mounted somewhere can be neither moved nor removed.
        places.held.iter().for_each(|folder| mount("--dev-bind", folder, folder));
        places.closed.iter().for_each(|place| mount("--ro-bind", place, place));
        for path in &places.hidden {
            if !path.is_dir() {
                mount("--ro-bind", Path::new("/dev/null"), path);
            }
        }
        let folders = places.hidden.iter().filter(|path| path.is_dir());
        arguments.extend(folders.flat_map(|folder| ["--tmpfs".into(), folder.into()]));
        arguments
    }

    /// What every fence has: processes outside are not there, and it ends with its keeper. Root keeps no rights but a
    /// user's own, or it could take the fence down.
    pub(in crate::fence) fn fixed() -> Vec<OsString> {
        let fixed = ["--proc", "/proc", "--unshare-pid", "--die-with-parent"];
        let drop = rustix::process::getuid().is_root().then_some(["--cap-drop", "ALL"]);
        fixed.into_iter().chain(drop.into_iter().flatten()).map(OsString::from).collect()
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{fixed, mounts};
