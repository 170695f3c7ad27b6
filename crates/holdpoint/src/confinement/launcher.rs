//! `holdpoint confine FOLDER… -- PROGRAM ARGUMENT…`: gives up every write outside the folders, and becomes the program.
//!
//! It is a process of its own because a process that goes on as itself must not give anything up, and because code
//! between fork and exec cannot be written without `unsafe`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

/// The hidden subcommand.
pub const WORD: &str = "confine";
/// Parts the folders from the program.
const END: &str = "--";
/// This program, even if its file was replaced since it was started.
const SELF: &str = "/proc/self/exe";
/// The exit code of a program that is there and cannot be run, as shells have it.
const CANNOT_RUN: u8 = 126;

/// Whether this process is `holdpoint`, and so can be started again as a launcher.
static IS_HOLDPOINT: AtomicBool = AtomicBool::new(false);

/// Says that this process is `holdpoint`, and not a test or another program that uses its library.
pub fn is_holdpoint() {
    IS_HOLDPOINT.store(true, Ordering::Relaxed);
}

/// Returns whether programs are started through the launcher.
pub(super) fn is_here() -> bool {
    cfg!(target_os = "linux") && IS_HOLDPOINT.load(Ordering::Relaxed)
}

/// Returns the command of the launcher for a program, without the program's arguments.
pub(super) fn command(name: &str, folders: &[PathBuf]) -> Command {
    let mut command = Command::new(SELF);
    command.arg(WORD).args(folders).arg(END).arg(name);
    command
}

/// Becomes the program. Where the system cannot confine it, it runs all the same; `doctor` says so.
#[cfg(unix)]
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = args.collect();
    let mut parts = words.splitn(2, |word| word == END);
    let folders = parts.next().unwrap_or_default();
    let Some((name, rest)) = parts.next().and_then(<[OsString]>::split_first) else {
        return left(OsStr::new("a program"), "no program is named");
    };
    if !is_started_by_holdpoint() {
        return left(name, "only Holdpoint itself starts programs this way");
    }
    confine(folders);
    let error = std::os::unix::process::CommandExt::exec(Command::new(name).args(rest));
    left(name, &error.to_string())
}

/// There is nothing to become elsewhere.
#[cfg(not(unix))]
pub fn main(_: impl Iterator<Item = OsString>) -> ExitCode {
    left(OsStr::new("a program"), "this system has no launcher")
}

/// Whether the process that started this one is the same program: for anybody else this would be one more way to hide a
/// command from the holds.
#[cfg(target_os = "linux")]
fn is_started_by_holdpoint() -> bool {
    let program = |process: &str| std::fs::read_link(format!("/proc/{process}/exe")).ok();
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().to_string());
    let parent = parent.and_then(|parent| program(&parent));
    parent.is_some() && parent == program("self")
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_started_by_holdpoint() -> bool {
    false
}

fn left(name: &OsStr, why: &str) -> ExitCode {
    let text = format!("holdpoint: {} cannot be started: {why}\n", name.to_string_lossy());
    let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    ExitCode::from(CANNOT_RUN)
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::ffi::OsString;

    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
        RulesetError, path_beneath_rules,
    };

    /// Older kernels refuse every rename from one folder to another, which builds cannot do without.
    const LEAST: ABI = ABI::V2;
    /// From here on truncating is a write, too.
    const WANTED: ABI = ABI::V3;

    fn ruleset() -> Result<RulesetCreated, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(LEAST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_write(WANTED))?
            .create()
    }

    /// Gives up every write outside the folders, for this process and all that it becomes. A folder that cannot be
    /// opened is left out.
    pub(super) fn restrict(folders: &[OsString]) -> Result<(), RulesetError> {
        let rules = path_beneath_rules(folders, AccessFs::from_write(WANTED));
        ruleset()?.add_rules(rules)?.restrict_self().map(|_| ())
    }

    /// Whether the kernel can do it.
    pub(super) fn is_able() -> bool {
        ruleset().is_ok()
    }
}

#[cfg(target_os = "linux")]
fn confine(folders: &[OsString]) {
    let _ = kernel::restrict(folders);
}

#[cfg(all(unix, not(target_os = "linux")))]
fn confine(_: &[OsString]) {}

/// Returns whether this system can confine programs.
#[cfg(target_os = "linux")]
pub fn can_confine() -> bool {
    kernel::is_able()
}

/// Returns whether this system can confine programs.
#[cfg(not(target_os = "linux"))]
pub fn can_confine() -> bool {
    false
}
