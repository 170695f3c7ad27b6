//! Gives up every write outside some folders, for one piece of work and whatever it starts.
//!
//! Landlock binds the thread that asks for it, and what that thread starts. So the work is done in a thread of its own, and
//! Holdpoint itself gives nothing up.

use std::io;
use std::path::PathBuf;

/// What this system can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// It can confine programs.
    Able,
    /// It cannot, by its kind or by its age.
    Unable,
}

/// Returns whether this system can confine programs. Where it can, a program that cannot be confined is not started.
pub fn can_confine() -> bool {
    kernel::support() == Support::Able
}

/// Does the work in a thread that can write to these folders and files only, where the system can confine it.
///
/// Fails without doing it if the system can, and it did not work this time.
pub fn within<T: Send>(writable: &[PathBuf], work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    if !can_confine() {
        return work();
    }
    let confined = || {
        kernel::restrict(writable)
            .map_err(|why| io::Error::other(format!("it cannot be confined: {why}")))?;
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, confined)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::path::PathBuf;

    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
        RulesetError, RulesetStatus, path_beneath_rules,
    };

    use super::Support;

    /// Older kernels refuse every rename from one folder to another, which builds cannot do without.
    const LEAST: ABI = ABI::V2;
    /// From here on truncating is a write, too.
    const WANTED: ABI = ABI::V3;

    /// Why a thread was not restricted.
    #[derive(Debug, thiserror::Error)]
    pub(super) enum RestrictError {
        #[error(transparent)]
        Kernel(#[from] RulesetError),
        #[error("the kernel does not enforce it")]
        NotEnforced,
    }

    fn ruleset() -> Result<RulesetCreated, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(LEAST))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_write(WANTED))?
            .create()
    }

    /// Only an access that the kernel does not know tells that it is unable. Whatever else fails, fails this time.
    pub(super) fn support() -> Support {
        match ruleset() {
            Err(RulesetError::HandleAccesses(_)) => Support::Unable,
            _ => Support::Able,
        }
    }

    /// Restricts this thread and all that it starts. What cannot be opened is left out.
    pub(super) fn restrict(writable: &[PathBuf]) -> Result<(), RestrictError> {
        let rules = path_beneath_rules(writable, AccessFs::from_write(WANTED));
        let status = ruleset()?.add_rules(rules)?.restrict_self()?;
        if status.ruleset == RulesetStatus::NotEnforced { Err(RestrictError::NotEnforced) } else { Ok(()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::path::PathBuf;

    use super::Support;

    pub(super) fn support() -> Support {
        Support::Unable
    }

    pub(super) fn restrict(_: &[PathBuf]) -> Result<(), std::convert::Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel stacks sixteen restrictions.
    #[cfg(target_os = "linux")]
    fn nested(depth: u32, ran: &std::sync::atomic::AtomicU32) -> io::Result<()> {
        within(&[PathBuf::from("/")], || {
            ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if depth == 0 { Ok(()) } else { nested(depth - 1, ran) }
        })
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_cannot_be_confined_though_the_system_can_is_not_done() {
        if !can_confine() {
            return;
        }
        let ran = std::sync::atomic::AtomicU32::new(0);
        let error = nested(20, &ran).unwrap_err();
        assert!(error.to_string().starts_with("it cannot be confined: "), "{error}");
        assert!(ran.into_inner() <= 16, "the innermost was not done");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a write that is refused, or not")]
    fn only_the_work_is_confined() {
        let (open, closed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let place = open.path().canonicalize().unwrap();
        let written = within(std::slice::from_ref(&place), || {
            std::fs::write(open.path().join("a"), "x")?;
            Ok(std::fs::write(closed.path().join("a"), "x").is_ok())
        });
        assert_eq!(written.unwrap(), !can_confine());
        std::fs::write(closed.path().join("b"), "x").unwrap();
    }
}
