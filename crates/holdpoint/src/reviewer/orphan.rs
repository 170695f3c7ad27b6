//! A reviewer that has outlived the hook that started it, because that was killed: it would write its report over the next
//! one's. It is ended before another begins.

use std::path::Path;

use crate::env::Env;

#[cfg(target_os = "linux")]
pub(super) use system::end_all;

/// Where the system does not tell, none is known.
#[cfg(not(target_os = "linux"))]
pub(super) fn end_all(_at: &Path, _env: &dyn Env) {}

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::{Env, Path};
    use crate::caller;
    use crate::caller::process::StartedWith;
    use crate::env_vars::REVIEWER;
    use crate::store::review_token;

    /// How often it is looked whether one has ended, and how long between two looks.
    const LOOKS: u32 = 100;
    const BETWEEN: Duration = Duration::from_millis(10);

    /// Ends every reviewer in this folder whose own hook is gone, with all that it started.
    pub(in super::super) fn end_all(at: &Path, env: &dyn Env) {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        for number in numbers.filter(|number| is_orphan(*number, at, env)) {
            let Some(group) = Pid::from_raw(number) else { continue };
            let _ = kill_process_group(group, Signal::KILL);
            for _ in 0..LOOKS {
                if Stat::of(number).is_none_or(|stat| stat.state == "Z") {
                    break;
                }
                std::thread::sleep(BETWEEN);
            }
        }
    }

    /// Whether a process is the first of a reviewer's group, works here, and is below no hook of ours. The token that it was
    /// given still counts, because nobody was left to take it back.
    fn is_orphan(number: i32, at: &Path, env: &dyn Env) -> bool {
        let is_here = || {
            let cwd = std::fs::read_link(format!("/proc/{number}/cwd"));
            cwd.is_ok_and(|cwd| at.canonicalize().is_ok_and(|at| cwd == at))
        };
        let is_given = || {
            let value = u32::try_from(number).ok().and_then(|pid| StartedWith::of(pid).var(REVIEWER));
            value.is_some_and(|value| !value.contains('/') && review_token::is_under_way(env, &value))
        };
        let leads = Stat::of(number).is_some_and(|stat| stat.group == number && stat.state != "Z");
        leads && is_here() && is_given() && !has_hook(number)
    }

    /// Whether a hook of ours is above a process: a reviewer's own shells may lead groups, too.
    fn has_hook(number: i32) -> bool {
        let above = u32::try_from(number).map(caller::above).unwrap_or_default();
        above.iter().any(|process| i32::try_from(process.pid).is_ok_and(|pid| name(pid) == name(0)))
    }

    /// The name of a process; 0 is this one.
    fn name(number: i32) -> Option<String> {
        let number = if number == 0 { "self".to_owned() } else { number.to_string() };
        std::fs::read_to_string(format!("/proc/{number}/comm")).ok()
    }

    /// What the system tells of a process.
    struct Stat {
        state: String,
        group: i32,
    }

    impl Stat {
        fn of(number: i32) -> Option<Stat> {
            let text = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            let mut fields = text.rsplit_once(") ")?.1.split(' ');
            let state = fields.next()?.to_owned();
            Some(Stat { state, group: fields.nth(1)?.parse().ok()? })
        }
    }
}
