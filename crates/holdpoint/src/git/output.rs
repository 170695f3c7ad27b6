//! What a program prints, read while it runs: more than a pipe holds would stop it otherwise.

use std::process::Child;
use std::time::Instant;

/// The most that is read of an answer: half a million names.
const BYTES_MAX: usize = 32 * 1024 * 1024;
/// The most that is kept of what it says on standard error.
const SAID_MAX: usize = 4096;

/// Why there is no output.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It did not end in time.
    Late,
    /// There is more of it than is read.
    TooLong,
}

/// Reads what a program prints until it closes its output, or has ended, or the time is over. What it says meanwhile on
/// standard error is read, too, and its beginning kept in `said`.
#[cfg(unix)]
pub(super) fn read(child: &mut Child, until: Instant, said: &mut Vec<u8>) -> Result<Vec<u8>, Unread> {
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// How long is waited for output before somebody looks whether the program is still there: what it has started may
    /// keep its output open.
    const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    let Some(out) = child.stdout.take() else { return Ok(Vec::new()) };
    let mut errors = child.stderr.take();
    let (mut bytes, mut part) = (Vec::new(), [0; 16 * 1024]);
    loop {
        // One that is not there any more is never ready.
        let error = errors.as_ref().map_or(out.as_fd(), AsFd::as_fd);
        let mut ready = [PollFd::new(&out, PollFlags::IN), PollFd::from_borrowed_fd(error, PollFlags::IN)];
        let has_any = poll(&mut ready, Some(&LOOK)).unwrap_or(0) > 0;
        let is_ready = ready.map(|one| !one.revents().is_empty());
        if let Some(stream) = errors.as_ref().filter(|_| is_ready[1]) {
            match rustix::io::read(stream, &mut part) {
                Ok(0) | Err(_) => errors = None,
                Ok(count) => said.extend_from_slice(&part[..count.min(SAID_MAX.saturating_sub(said.len()))]),
            }
        }
        match is_ready[0].then(|| rustix::io::read(&out, &mut part)) {
            Some(Ok(0) | Err(_)) => break,
            Some(Ok(count)) => bytes.extend_from_slice(&part[..count]),
            None if !has_any && child.try_wait().is_ok_and(|status| status.is_some()) => break,
            None => {}
        }
        if bytes.len() > BYTES_MAX {
            return Err(Unread::TooLong);
        }
        if Instant::now() >= until {
            return Err(Unread::Late);
        }
    }
    child.stderr = errors;
    Ok(bytes)
}

/// The same where nobody can wait for output and for time at once: the output is read to its end.
#[cfg(not(unix))]
pub(super) fn read(child: &mut Child, _: Instant, _: &mut Vec<u8>) -> Result<Vec<u8>, Unread> {
    use std::io::Read;

    let mut bytes = Vec::new();
    if let Some(out) = child.stdout.take() {
        let _ = out.take(BYTES_MAX as u64).read_to_end(&mut bytes);
    }
    Ok(bytes)
}

/// What a program that has ended has said on standard error, as far as it is there: what it has started may keep that open.
#[cfg(unix)]
pub(super) fn last_words(child: &mut Child) -> String {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let Some(said) = child.stderr.take() else { return String::new() };
    let mut part = [0; 4096];
    let mut ready = [PollFd::new(&said, PollFlags::IN)];
    let is_there = poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap_or(0) > 0;
    let count = if is_there { rustix::io::read(&said, &mut part).unwrap_or(0) } else { 0 };
    String::from_utf8_lossy(&part[..count]).into_owned()
}

/// The same where nobody can look whether something is there.
#[cfg(not(unix))]
pub(super) fn last_words(child: &mut Child) -> String {
    use std::io::Read;

    let mut said = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        let _ = stderr.take(4096).read_to_end(&mut said);
    }
    String::from_utf8_lossy(&said).into_owned()
}
