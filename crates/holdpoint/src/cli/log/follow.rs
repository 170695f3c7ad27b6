//! Follows journals as they grow, across rotation.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cli::journals::{self, Line};
use crate::error::CommandError;
use crate::store::books::Books;
use crate::store::journal;

/// The pause between two reads.
const PAUSE: Duration = Duration::from_millis(100);

/// A set of journals that are being followed.
pub(super) struct Follower {
    tails: Vec<Tail>,
}

/// Returns all lines so far, and a follower that continues exactly there.
pub(super) fn start(books: &[Books]) -> Result<(Vec<Line>, Follower), CommandError> {
    let current: Vec<PathBuf> = books.iter().map(Books::journal).collect();
    let mut set_aside: Vec<PathBuf> = books.iter().flat_map(journal::files).collect();
    set_aside.retain(|path| !current.contains(path));
    let mut so_far = journals::read_files(set_aside)?;
    let mut follower = Follower { tails: current.into_iter().map(Tail::of).collect() };
    so_far.extend(follower.news());
    Ok((journals::in_order(so_far), follower))
}

/// Waits a moment. Returns false once the reader of standard output is gone.
pub(super) fn wait() -> bool {
    std::thread::sleep(PAUSE);
    !reader_is_gone()
}

#[cfg(unix)]
fn reader_is_gone() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let out = std::io::stdout();
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let asked = poll(&mut ends, Some(&at_once));
    asked.is_ok() && ends.iter().any(|end| end.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// Returns false, because other systems cannot tell. Ctrl-C ends the command.
#[cfg(not(unix))]
fn reader_is_gone() -> bool {
    false
}

impl Follower {
    /// Returns the lines added since the last call.
    pub(super) fn news(&mut self) -> Vec<Line> {
        journals::in_order(self.tails.iter_mut().flat_map(Tail::news).collect())
    }
}

/// The end of one journal. A hook that had the file open during rotation still writes to it, so the previous file is
/// read along with the new one.
struct Tail {
    path: PathBuf,
    current: Option<Open>,
    set_aside: Option<Open>,
}

impl Tail {
    fn of(path: PathBuf) -> Tail {
        Tail { path, current: None, set_aside: None }
    }

    fn news(&mut self) -> Vec<Line> {
        if self.current.as_ref().is_some_and(|open| open.is_replaced(&self.path)) {
            self.set_aside = self.current.take();
        }
        if self.current.is_none() {
            self.current = journal::open(&self.path).ok().flatten().map(|file| Open {
                file,
                read: 0,
                partial: Vec::new(),
            });
        }
        [&mut self.set_aside, &mut self.current].into_iter().flatten().flat_map(Open::news).collect()
    }
}

/// A journal file and the position up to which it was read.
struct Open {
    file: File,
    read: u64,
    /// The start of an incomplete line.
    partial: Vec<u8>,
}

impl Open {
    fn news(&mut self) -> Vec<Line> {
        let mut bytes = std::mem::take(&mut self.partial);
        let from = bytes.len();
        let read = self.file.seek(SeekFrom::Start(self.read)).and_then(|_| self.file.read_to_end(&mut bytes));
        if read.is_err() {
            bytes.truncate(from);
        }
        self.read += (bytes.len() - from) as u64;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.partial = bytes.split_off(whole);
        journals::lines(&bytes)
    }

    /// Returns whether the path now leads to another file. A journal only grows, so a shorter file is a new one.
    fn is_replaced(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|metadata| metadata.len() < self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::journal::Entry;

    fn append(books: &Books, about: &str) {
        journal::append(books, &Entry { about: Some(about.into()), ..Entry::default() }).unwrap();
    }

    fn abouts(lines: &[Line]) -> Vec<&str> {
        lines.iter().filter_map(|line| line.entry.about.as_deref()).collect()
    }

    #[test]
    fn lines_are_seen_once_across_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let books = &Books::in_project(home);
        append(books, "before");
        let (so_far, mut follower) = start(std::slice::from_ref(books)).unwrap();
        assert_eq!(abouts(&so_far), ["before"]);
        assert!(follower.news().is_empty());
        let big = "x".repeat(5 * 1024 * 1024);
        append(books, &big);
        assert_eq!(follower.news().len(), 1, "the journal has been set aside after this one");
        append(books, "after");
        assert_eq!(abouts(&follower.news()), ["after"]);
        let late = std::fs::OpenOptions::new().append(true).open(home.join(".holdpoint/journal.1.jsonl"));
        std::io::Write::write_all(&mut late.unwrap(), b"{\"about\":\"late\"}\n").unwrap();
        append(books, "last");
        assert_eq!(abouts(&follower.news()), ["late", "last"]);
        let (so_far, _) = start(std::slice::from_ref(books)).unwrap();
        assert_eq!(so_far.len(), 5);
    }

    #[test]
    fn a_line_is_shown_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let books = &Books::in_project(folder.path());
        let (_, mut follower) = start(std::slice::from_ref(books)).unwrap();
        append(books, "one");
        assert_eq!(abouts(&follower.news()), ["one"]);
        let path = books.journal();
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, b"{\"about\":").unwrap();
        assert!(follower.news().is_empty());
        std::io::Write::write_all(&mut file, b"\"two\"}\n").unwrap();
        assert_eq!(abouts(&follower.news()), ["two"]);
    }
}
