//! The entries of an index file. They are read here because git needs more than a fifth of the time of `git status` to
//! print the nanoseconds and flags of twenty thousand files.
//!
//! The format is git's own, versions 2 to 4 (gitformat-index). Split indexes are not supported: git writes ours whole.

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

/// Parses an index file. Returns `None` if the format is unknown.
pub fn read(file: &[u8]) -> Option<Vec<Entry>> {
    // Ids have 20 bytes, or 32 in a repository that uses SHA-256. The wrong length never ends at the end of the file.
    [20, 32].into_iter().find_map(|id_length| Reader { rest: file, id_length }.all())
}

struct Reader<'a> {
    rest: &'a [u8],
    id_length: usize,
}

impl Reader<'_> {
    fn all(mut self) -> Option<Vec<Entry>> {
        if self.take(4)? != b"DIRC" {
            return None;
        }
        let version = self.number().filter(|version| matches!(version, 2..=4))?;
        let count = usize::try_from(self.number()?).ok()?;
        let mut entries: Vec<Entry> = Vec::new();
        for _ in 0..count {
            let last = entries.last().map_or(&[][..], |entry| &entry.path);
            let entry = self.entry(version, last)?;
            entries.push(entry);
        }
        self.end().map(|()| entries)
    }

    fn entry(&mut self, version: u32, last: &[u8]) -> Option<Entry> {
        let before = self.rest.len();
        let (changed, modified) = (self.time()?, self.time()?);
        let [_device, _inode, mode, _user, _group, _size] = self.numbers()?;
        let id = self.take(self.id_length)?.to_vec();
        let flags = self.short()?;
        let extended = if flags & 0x4000 == 0 { 0 } else { self.short()? };
        let path = if version == 4 { self.shortened_name(last)? } else { self.padded_name(before)? };
        let (is_assumed_unchanged, is_skipped) = (flags & 0x8000 != 0, extended & 0x4000 != 0);
        let stage = flags >> 12 & 3;
        Some(Entry { path, mode, changed, modified, is_assumed_unchanged, is_skipped, id, stage })
    }

    /// Index v2 and v3: a NUL-terminated path, padded until the entry's length is a multiple of eight.
    fn padded_name(&mut self, before: usize) -> Option<Vec<u8>> {
        let name = self.name()?;
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
        let kept = last.get(..last.len().checked_sub(cut)?)?.to_vec();
        Some([kept, self.name()?].concat())
    }

    fn name(&mut self) -> Option<Vec<u8>> {
        let end = self.rest.iter().position(|byte| *byte == 0)?;
        let name = self.take(end)?.to_vec();
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

    fn take(&mut self, length: usize) -> Option<&[u8]> {
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
