//! A program run to its end: in its own process group, within a deadline, with its output kept up to a limit. Nothing
//! that it started survives it.

use std::io::{self, PipeReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::env::Env;
use crate::env_vars::PATH;
use crate::process_group::{self, Group};
use crate::world::is_program;

/// The limit on a program's output. The rest is read and dropped.
const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How long to wait for the last of its output after it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a program ended.
#[derive(Debug)]
pub enum How {
    /// It exited.
    Exit(ExitStatus),
    /// It took too long.
    Late,
    /// Holdpoint was interrupted, by Ctrl-C or by an agent that gave up waiting.
    Interrupted,
}

/// A program that has ended, with everything it started.
#[derive(Debug)]
pub struct Ended {
    /// How.
    pub how: How,
    /// Its output.
    pub output: Vec<u8>,
    /// How long it took.
    pub took: Duration,
}

/// Returns a time in whole milliseconds, as it is recorded.
pub fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// Finds a program on `PATH`.
pub fn on_path(name: &str, env: &dyn Env) -> Option<PathBuf> {
    env.program(name)
}

/// Finds a program in the folders of a PATH. One that is not absolute is left out: it would be whatever lies where somebody
/// happens to be.
pub fn on(path: &str, name: &str) -> Option<PathBuf> {
    folders(path).map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// Returns a PATH without the folders that are not absolute.
pub fn absolute(path: &str) -> String {
    let joined = std::env::join_paths(folders(path)).ok();
    joined.and_then(|path| path.into_string().ok()).unwrap_or_default()
}

fn folders(path: &str) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute())
}

/// Gives a program Holdpoint's own PATH.
pub fn with_path(command: &mut Command, env: &dyn Env) {
    if let Some(path) = env.var(PATH) {
        command.env(PATH, absolute(&path));
    }
}

/// The output channels that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// Standard output.
    Output,
    /// Standard output and standard error, interleaved.
    Both,
}

/// Runs a program to its end, with `input` on its standard input. Kills everything that it started.
pub fn run(
    command: &mut Command,
    input: Option<String>,
    deadline: Duration,
    channels: Channels,
) -> io::Result<Ended> {
    process_group::own(command);
    to_end(command, input, deadline, channels, |child| process_group::kill(child))
}

/// Runs a program to its end in a group that outlives it: what it started stays until the group is dropped.
pub fn run_in(
    command: &mut Command,
    group: &Group,
    deadline: Duration,
    channels: Channels,
) -> io::Result<Ended> {
    group.take_in(command);
    to_end(command, None, deadline, channels, |child| {
        let _ = child.kill();
    })
}

fn to_end(
    command: &mut Command,
    input: Option<String>,
    deadline: Duration,
    channels: Channels,
    kill: impl FnOnce(&mut Child),
) -> io::Result<Ended> {
    let interrupted = interruption();
    let started = Instant::now();
    if is_interrupted() {
        return Ok(Ended { how: How::Interrupted, output: Vec::new(), took: Duration::ZERO });
    }
    let (reader, writer) = io::pipe()?;
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    if channels == Channels::Both {
        command.stderr(writer.try_clone()?);
    }
    command.stdout(writer);
    let mut child = command.spawn()?;
    // The command holds the writing ends until it gets others, and until then the output does not end.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let output = listen(reader);
    let how = wait(&mut child, deadline, interrupted);
    kill(&mut child);
    let _ = child.wait();
    Ok(Ended { how, output: printed(&output), took: started.elapsed() })
}

/// The signals that end Holdpoint, and so everything it started.
pub(crate) const SIGNALS: [i32; 3] =
    [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP];

/// The signal that interrupted Holdpoint, or 0. Unset until the first program runs.
static TOLD: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Returns where an interruption is noted, and starts to listen. A signal between two programs counts for the next.
fn interruption() -> &'static AtomicUsize {
    TOLD.get_or_init(|| {
        let told = Arc::new(AtomicUsize::new(0));
        for signal in SIGNALS.into_iter().filter(|signal| !is_ignored(*signal)) {
            let number = usize::try_from(signal).unwrap_or_default();
            // If this fails, the signal ends Holdpoint at once.
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&told), number);
        }
        told
    })
}

/// Whether Holdpoint was started with a signal ignored, as by `nohup`: then it stays so.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signal == signal_hook::consts::SIGHUP && mask & (1 << (signal - 1)) != 0
}

/// Where the system does not tell, it is not.
#[cfg(not(target_os = "linux"))]
fn is_ignored(_signal: i32) -> bool {
    false
}

/// Starts to listen for an interruption, before the first program runs.
pub fn listen_for_interruption() {
    interruption();
}

/// Returns the signal that interrupted Holdpoint while or after a program ran. Nothing more is started then.
pub fn interrupted_by() -> Option<u8> {
    let signal = TOLD.get()?.load(Ordering::Relaxed);
    u8::try_from(signal).ok().filter(|signal| *signal != 0)
}

/// Returns whether Holdpoint was interrupted.
pub fn is_interrupted() -> bool {
    interrupted_by().is_some()
}

/// Waits until the child ends, the deadline passes, or Holdpoint is interrupted.
fn wait(child: &mut Child, deadline: Duration, interrupted: &AtomicUsize) -> How {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return How::Exit(status),
            Ok(None) if interrupted.load(Ordering::Relaxed) != 0 => return How::Interrupted,
            Ok(None) if started.elapsed() < deadline => std::thread::sleep(pause),
            Ok(None) | Err(_) => return How::Late,
        }
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Reads everything that a child prints, and sends the part that is kept as it arrives.
fn listen(mut output: PipeReader) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut room = OUTPUT_BYTES_MAX;
        let mut part = vec![0; 64 * 1024];
        while let Ok(length) = output.read(&mut part) {
            if length == 0 {
                break;
            }
            let kept = room.min(length);
            room -= kept;
            if kept > 0 {
                let _ = send.send(part[..kept].to_vec());
            }
        }
    });
    receive
}

/// Collects the output of a child that has ended. A process that it left behind may keep its output open; this does
/// not wait for that.
fn printed(output: &Receiver<Vec<u8>>) -> Vec<u8> {
    let gone = Instant::now();
    let mut text = Vec::new();
    while let Ok(part) = output.recv_timeout(LAST_WORDS.saturating_sub(gone.elapsed())) {
        text.extend(part);
    }
    text
}
