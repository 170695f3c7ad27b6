//! The hook's input. It is read up to the end of the first JSON value, because some agents never close the pipe, and
//! within a limit of time and size.

use std::io;
use std::time::{Duration, Instant};

use holdpoint_core::json::Completeness;

use crate::env::Env;
use crate::env_vars::INPUT_TIMEOUT_MS;

/// The largest input that is read. Tool calls may contain whole files.
const BYTES_MAX: usize = 64 * 1024 * 1024;
/// The size of one read: as much as a pipe holds.
const PART_BYTES: usize = 64 * 1024;
/// The default time to wait for the sender.
const PATIENCE: Duration = Duration::from_secs(3);

/// The input, or the reason why it is incomplete.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A whole value, or everything up to the end of the input.
    Whole(Vec<u8>),
    /// The sender stopped in the middle of a value, or sent nothing at all.
    Late(Vec<u8>),
    /// More than the limit.
    TooLarge,
    /// Reading failed.
    Broken(String),
}

/// Returns the time to wait for the sender, which the environment can set.
pub fn patience(env: &dyn Env) -> Duration {
    let set = env.var(INPUT_TIMEOUT_MS).and_then(|ms| ms.parse().ok());
    set.map_or(PATIENCE, Duration::from_millis)
}

/// Reads standard input.
pub fn read(patience: Duration) -> Input {
    let mut bytes = Vec::new();
    let mut seen = Completeness::default();
    let mut too_large = false;
    let whole = |bytes, too_large| if too_large { Input::TooLarge } else { Input::Whole(bytes) };
    let mut source = source::open(Instant::now() + patience * 3);
    loop {
        match source.next(&mut bytes, patience) {
            Next::Bytes(0) => return whole(bytes, too_large),
            Next::Bytes(length) => {
                let start = bytes.len().saturating_sub(length);
                if seen.feed(&bytes[start..]) {
                    return whole(bytes, too_large);
                }
                // Read on, so that the sender does not see its pipe break, but keep nothing more.
                if bytes.len() > BYTES_MAX {
                    too_large = true;
                    bytes.clear();
                }
            }
            Next::Late if too_large => return Input::TooLarge,
            Next::Late => return Input::Late(bytes),
            Next::Failed(error) => return Input::Broken(error.to_string()),
        }
    }
}

/// The result of one wait. `Bytes` is the number of bytes appended.
enum Next {
    Bytes(usize),
    Late,
    Failed(io::Error),
}

/// Waits with `poll`, which needs no thread for a deadline.
#[cfg(unix)]
mod source {
    use std::time::{Duration, Instant};

    use rustix::buffer::spare_capacity;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::{Next, PART_BYTES};

    /// Standard input. A slow sender is waited for until `end`.
    pub(super) struct Source {
        end: Instant,
    }

    pub(super) fn open(end: Instant) -> Source {
        Source { end }
    }

    impl Source {
        pub(super) fn next(&mut self, bytes: &mut Vec<u8>, patience: Duration) -> Next {
            let deadline = (Instant::now() + patience).min(self.end);
            let stdin = rustix::stdio::stdin();
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                let Ok(left) = Timespec::try_from(left) else { return Next::Late };
                match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left)) {
                    Ok(0) => return Next::Late,
                    Ok(_) => break,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Next::Failed(error.into()),
                }
            }
            bytes.reserve(PART_BYTES);
            match rustix::io::read(stdin, spare_capacity(bytes)) {
                Ok(length) => Next::Bytes(length),
                Err(error) => Next::Failed(error.into()),
            }
        }
    }
}

/// Waits for a thread that reads.
#[cfg(not(unix))]
mod source {
    use std::io::{self, Read};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::time::{Duration, Instant};

    use super::{Next, PART_BYTES};

    pub(super) struct Source {
        parts: Receiver<io::Result<Vec<u8>>>,
        end: Instant,
    }

    pub(super) fn open(end: Instant) -> Source {
        let (send, parts) = channel();
        std::thread::spawn(move || {
            let mut chunk = vec![0; PART_BYTES];
            loop {
                let read = io::stdin().read(&mut chunk).map(|length| chunk[..length].to_vec());
                let last = !matches!(&read, Ok(part) if !part.is_empty());
                if send.send(read).is_err() || last {
                    return;
                }
            }
        });
        Source { parts, end }
    }

    impl Source {
        pub(super) fn next(&mut self, bytes: &mut Vec<u8>, patience: Duration) -> Next {
            let deadline = (Instant::now() + patience).min(self.end);
            match self.parts.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Ok(part)) => {
                    bytes.extend_from_slice(&part);
                    Next::Bytes(part.len())
                }
                Ok(Err(error)) => Next::Failed(error),
                Err(RecvTimeoutError::Timeout) => Next::Late,
                Err(RecvTimeoutError::Disconnected) => Next::Bytes(0),
            }
        }
    }
}
