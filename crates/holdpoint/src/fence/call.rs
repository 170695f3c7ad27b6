//! A call from inside the fence: what a process there hands to the keeper, and what it gets back.
//!
//! The three streams go along as descriptors: whoever answers reads and writes what the caller would have. So the keeper can
//! ask the system who made the socket on the caller's standard input, and no answer is copied.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::stdio::{stderr, stdin, stdout};
use serde::{Deserialize, Serialize};

use crate::env_vars::{AGENTS, COLUMNS, NO_COLOR, PROJECT_DIRS, REVIEWER, SESSIONS};

/// The largest call: its arguments may be a text.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// The number of streams.
const STREAMS: usize = 3;

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// The fence stands: the caller is about to become the client.
    Ready,
    /// A hook was called.
    Hook,
    /// A command was typed.
    Command,
}

/// A call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Call {
    /// What is asked.
    pub kind: Wanted,
    /// The arguments.
    pub args: Vec<String>,
    /// The folder.
    pub cwd: PathBuf,
    /// The variables that say whose shell it is.
    pub variables: Vec<(String, String)>,
}

/// The variables that go along: whose shell it is, which review a reviewer belongs to, and how wide its output is.
pub(super) fn passed() -> impl Iterator<Item = &'static str> {
    PROJECT_DIRS.into_iter().chain(SESSIONS).chain(AGENTS).chain([REVIEWER, COLUMNS, NO_COLOR])
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    /// It was answered, on the streams, and ends with this code.
    Exit(u8),
    /// It was not, because of this.
    Refused(String),
}

/// Connects to a keeper. A path may be longer than an address can be, so the folder is opened first.
pub fn connect(socket: &Path) -> io::Result<UnixStream> {
    let (folder, name) = split(socket)?;
    UnixStream::connect(short(&folder, &name))
}

/// The folder of a socket, held open, and its name there.
pub(super) fn split(socket: &Path) -> io::Result<(OwnedFd, PathBuf)> {
    use rustix::fs::{Mode, OFlags, open};
    let parts = socket.parent().zip(socket.file_name());
    let (folder, name) = parts.ok_or(io::ErrorKind::InvalidInput)?;
    let folder = open(folder, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    Ok((folder, name.into()))
}

/// A path by way of an open folder.
pub(super) fn short(folder: &OwnedFd, name: &Path) -> PathBuf {
    let number = std::os::fd::AsRawFd::as_raw_fd(folder);
    Path::new("/proc/self/fd").join(number.to_string()).join(name)
}

/// Makes a call, and waits for what comes of it.
pub fn make(stream: &mut UnixStream, call: &Call) -> io::Result<Answered> {
    let bytes = serde_json::to_vec(call)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?.to_be_bytes();
    let streams = [stdin(), stdout(), stderr()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&streams));
    let sent = sendmsg(&*stream, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?;
    stream.write_all(&length[sent..])?;
    stream.write_all(&bytes)?;
    let mut answered = Vec::new();
    stream.read_to_end(&mut answered)?;
    Ok(serde_json::from_slice(&answered)?)
}

/// Receives a call with its streams.
pub(super) fn receive(stream: &mut UnixStream) -> io::Result<(Call, [OwnedFd; STREAMS])> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(STREAMS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(&*stream, &mut [IoSliceMut::new(&mut length)], &mut control, flags)?;
    let rights = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(rights) => Some(rights),
        _ => None,
    });
    let streams: Vec<OwnedFd> = rights.flatten().collect();
    let streams = streams.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    stream.read_exact(&mut length[received.bytes.min(4)..])?;
    let length = usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?;
    if length > BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok((serde_json::from_slice(&bytes)?, streams))
}

/// Answers a call. A caller that has gone is no fault.
pub(super) fn answer(stream: &mut UnixStream, answered: &Answered) {
    let _ = serde_json::to_vec(answered).map(|bytes| stream.write_all(&bytes));
}
