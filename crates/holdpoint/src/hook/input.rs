//! The hook's input: read up to the end of the first JSON value, because some agents never close the pipe; no longer
//! than a deadline, and no more than a limit.

use std::time::Duration;

use holdpoint_core::json::Completeness;

use crate::env_vars::{Env, INPUT_TIMEOUT_MS};

/// The most that is read: tools may carry whole files.
const BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long to wait for more.
const PATIENCE: Duration = Duration::from_secs(3);

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A whole value, or everything up to the end of the input.
    Whole(Vec<u8>),
    /// The sender went silent in the middle, or sent nothing at all.
    Late(Vec<u8>),
    /// More than the limit.
    TooLarge,
    /// It could not be read.
    Broken(String),
}

/// How long to wait, as the environment says.
pub fn patience(env: &dyn Env) -> Duration {
    let told = env.var(INPUT_TIMEOUT_MS).and_then(|ms| ms.parse().ok());
    told.map_or(PATIENCE, Duration::from_millis)
}

/// Reads standard input.
pub fn read(patience: Duration) -> Input {
    let mut bytes = Vec::new();
    let mut seen = Completeness::default();
    let mut source = source::open(patience);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        match source.next(&mut chunk) {
            source::Next::Bytes(0) => return Input::Whole(bytes),
            source::Next::Bytes(length) => {
                let part = &chunk[..length];
                bytes.extend_from_slice(part);
                if seen.feed(part) {
                    return Input::Whole(bytes);
                }
                if bytes.len() > BYTES_MAX {
                    return Input::TooLarge;
                }
            }
            source::Next::Late => return Input::Late(bytes),
            source::Next::Failed(error) => return Input::Broken(error.to_string()),
        }
    }
}

/// Waiting with `poll`: no thread is needed for a deadline.
#[cfg(unix)]
mod source {
    use std::io;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    pub(super) enum Next {
        Bytes(usize),
        Late,
        Failed(io::Error),
    }

    pub(super) struct Source {
        deadline: Instant,
    }

    pub(super) fn open(patience: Duration) -> Source {
        Source { deadline: Instant::now() + patience }
    }

    impl Source {
        pub(super) fn next(&mut self, chunk: &mut [u8]) -> Next {
            let stdin = rustix::stdio::stdin();
            loop {
                let left = self.deadline.saturating_duration_since(Instant::now());
                let Ok(left) = Timespec::try_from(left) else { return Next::Late };
                match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&left)) {
                    Ok(0) => return Next::Late,
                    Ok(_) => break,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Next::Failed(error.into()),
                }
            }
            match rustix::io::read(stdin, chunk) {
                Ok(length) => Next::Bytes(length),
                Err(error) => Next::Failed(error.into()),
            }
        }
    }
}

/// Waiting for a thread that reads.
#[cfg(not(unix))]
mod source {
    use std::io::{self, Read};
    use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
    use std::time::{Duration, Instant};

    pub(super) enum Next {
        Bytes(usize),
        Late,
        Failed(io::Error),
    }

    pub(super) struct Source {
        parts: Receiver<io::Result<Vec<u8>>>,
        deadline: Instant,
    }

    pub(super) fn open(patience: Duration) -> Source {
        let (send, parts) = channel();
        std::thread::spawn(move || {
            let mut chunk = vec![0; 64 * 1024];
            loop {
                let read = io::stdin().read(&mut chunk).map(|length| chunk[..length].to_vec());
                let last = !matches!(&read, Ok(part) if !part.is_empty());
                if send.send(read).is_err() || last {
                    return;
                }
            }
        });
        Source { parts, deadline: Instant::now() + patience }
    }

    impl Source {
        pub(super) fn next(&mut self, chunk: &mut [u8]) -> Next {
            match self.parts.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
                Ok(Ok(part)) => {
                    chunk[..part.len()].copy_from_slice(&part);
                    Next::Bytes(part.len())
                }
                Ok(Err(error)) => Next::Failed(error),
                Err(RecvTimeoutError::Timeout) => Next::Late,
                Err(RecvTimeoutError::Disconnected) => Next::Bytes(0),
            }
        }
    }
}
