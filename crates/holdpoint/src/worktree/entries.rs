//! The entries of an index file. They are read here because git needs more than a fifth of the time of `git status` to
//! print the nanoseconds and flags of twenty thousand files.
//!
//! The format is git's own, versions 2 to 4 (gitformat-index). Split indexes are not supported: git writes ours whole.

use std::borrow::Cow;

/// The mark of an entry whose path is too long for its length to be noted.
const LENGTH_UNKNOWN: u16 = 0xfff;

/// One path in an index.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// The path from the top of the working tree.
    pub path: Vec<u8>,
    /// The type: a file, an executable, a link, a submodule.
    pub mode: u32,
    /// The file's change time, which covers its name and permissions, when the index was last updated.
    pub changed: Time,
    /// The file's modification time.
    pub modified: Time,
    /// Whether git should assume that the file is unchanged.
    pub is_assumed_unchanged: bool,
    /// Whether git should ignore that the file is missing.
    pub is_skipped: bool,
    id: Vec<u8>,
    stage: u16,
}

/// Seconds and nanoseconds, as an index keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Since 1970, in 32 bits.
    pub seconds: u32,
    /// Zero if unknown.
    pub nanoseconds: u32,
}

impl Entry {
    /// Renders the entry for `git update-index --index-info`, without times.
    pub fn line(&self) -> Vec<u8> {
        let id: String = self.id.iter().map(|byte| format!("{byte:02x}")).collect();
        [format!("{:o} {id} {}\t", self.mode, self.stage).as_bytes(), &self.path].concat()
    }
}

/// The name of one path in an index.
#[derive(Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The path from the top of the working tree.
    pub path: Cow<'a, [u8]>,
    /// Whether git should ignore that the file is missing.
    pub is_skipped: bool,
}

/// Parses an index file. Returns `None` if the format is unknown.
pub fn read(file: &[u8]) -> Option<Vec<Entry>> {
    parsed(file, |raw| Entry {
        path: raw.path.to_vec(),
        mode: raw.mode,
        changed: raw.changed,
        modified: raw.modified,
        is_assumed_unchanged: raw.flags & 0x8000 != 0,
        is_skipped: raw.is_skipped(),
        id: raw.id.to_vec(),
        stage: raw.flags >> 12 & 3,
    })
}

/// Only the names, in the file's order, without copying them where the format has them whole.
pub fn names(file: &[u8]) -> Option<Vec<Name<'_>>> {
    parsed(file, |raw| Name { path: raw.path.clone(), is_skipped: raw.is_skipped() })
}

fn parsed<'a, T>(file: &'a [u8], make: impl Fn(&Raw<'a>) -> T) -> Option<Vec<T>> {
    // Ids have 20 bytes, or 32 in a repository that uses SHA-256. The wrong length never ends at the end of the file.
    [20, 32].into_iter().find_map(|id_length| Reader { rest: file, id_length }.all(&make))
}

/// An entry as it stands in the file.
struct Raw<'a> {
    changed: Time,
    modified: Time,
    mode: u32,
    id: &'a [u8],
    flags: u16,
    extended: u16,
    path: Cow<'a, [u8]>,
}

impl Raw<'_> {
    fn is_skipped(&self) -> bool {
        self.extended & 0x4000 != 0
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    id_length: usize,
}

impl<'a> Reader<'a> {
    fn all<T>(mut self, make: &impl Fn(&Raw<'a>) -> T) -> Option<Vec<T>> {
        if self.take(4)? != b"DIRC" {
            return None;
        }
        let version = self.number().filter(|version| matches!(version, 2..=4))?;
        let count = usize::try_from(self.number()?).ok()?;
        // No more than the file can hold, whatever it says.
        let mut entries = Vec::with_capacity(count.min(self.rest.len() / 62));
        let mut last = Cow::Borrowed(&[][..]);
        for _ in 0..count {
            let raw = self.entry(version, &last)?;
            entries.push(make(&raw));
            last = raw.path;
        }
        self.end().map(|()| entries)
    }

    fn entry(&mut self, version: u32, last: &[u8]) -> Option<Raw<'a>> {
        let before = self.rest.len();
        let (changed, modified) = (self.time()?, self.time()?);
        let [_device, _inode, mode, _user, _group, _size] = self.numbers()?;
        let id = self.take(self.id_length)?;
        let flags = self.short()?;
        let extended = if flags & 0x4000 == 0 { 0 } else { self.short()? };
        let path = if version == 4 {
            Cow::Owned(self.shortened_name(last)?)
        } else {
            Cow::Borrowed(self.padded_name(before, flags & LENGTH_UNKNOWN)?)
        };
        Some(Raw { changed, modified, mode, id, flags, extended, path })
    }

    /// Index v2 and v3: a NUL-terminated path, padded until the entry's length is a multiple of eight.
    fn padded_name(&mut self, before: usize, length: u16) -> Option<&'a [u8]> {
        let name = if length == LENGTH_UNKNOWN {
            self.name()?
        } else {
            let name = self.take(usize::from(length))?;
            self.take(1).filter(|end| *end == [0])?;
            name
        };
        let taken = before - self.rest.len();
        self.take(taken.next_multiple_of(8) - taken)?;
        Some(name)
    }

    /// Index v4: bytes to drop from the previous path, then a NUL-terminated suffix.
    fn shortened_name(&mut self, last: &[u8]) -> Option<Vec<u8>> {
        let mut byte = self.take(1)?[0];
        let mut cut = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            cut = cut.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        let kept = last.get(..last.len().checked_sub(cut)?)?;
        Some([kept, self.name()?].concat())
    }

    fn name(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        let name = self.take(end)?;
        self.take(1)?;
        Some(name)
    }

    /// The rest must be extensions and a checksum. An extension in lower case changes what the entries mean.
    fn end(mut self) -> Option<()> {
        while self.rest.len() > self.id_length {
            let is_optional = self.take(4)?[0].is_ascii_uppercase();
            let length = usize::try_from(self.number()?).ok()?;
            self.take(length).filter(|_| is_optional)?;
        }
        (self.rest.len() == self.id_length).then_some(())
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn numbers<const COUNT: usize>(&mut self) -> Option<[u32; COUNT]> {
        let mut numbers = [0; COUNT];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn time(&mut self) -> Option<Time> {
        let [seconds, nanoseconds] = self.numbers()?;
        Some(Time { seconds, nanoseconds })
    }
}

#[cfg(all(test, unix))]
#[path = "entries_tests.rs"]
mod entries_tests;
