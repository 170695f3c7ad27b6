//! The journal: one JSON line for every event that concerned a run, appended in one write, rotated by size.

mod entry;
mod number;

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::books::Books;
use super::error::StoreError;
use super::folder::{Access, FileError, Folder};
use number::{End, is_locked};

use entry::Places;
pub use entry::{
    BegunSession, Decision, Door, Entry, Job, Kind, Move, ReleasedHold, Reviewed, SettledHold, Speech,
    Spoken, below,
};

/// The size at which the journal is set aside.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// The most that is read of one journal: it is set aside long before, but for a line that is very long.
const READ_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How many old journals are kept: `journal.1.jsonl` is the youngest.
const KEPT: u32 = 3;

/// How much of the journal's end is looked at where only the last lines matter.
const TAIL_BYTES: u64 = 64 * 1024;

/// Appends a line to the journal of a home. A shell that may not write outside of the project leaves it there.
pub fn append(books: &Books, entry: &Entry) -> Result<(), StoreError> {
    match append_to(books, entry) {
        Err(StoreError::File(error)) if books.are_outside() && error.is_refused() => {
            append_to(&Books::in_project(books.home()), entry)
        }
        appended => appended,
    }
}

fn append_to(books: &Books, entry: &Entry) -> Result<(), StoreError> {
    let path = &books.journal();
    // Nearly always its folder is there. In a project, our folder is looked at all the same.
    let there = if books.are_outside() { books.opened()? } else { None };
    let there = there.and_then(|folder| Some((folder, folder.append(path, Access::Ours).ok()?)));
    let (folder, mut file) = match there {
        Some(there) => there,
        None => {
            let folder = books.prepare(path)?;
            (folder, folder.append(path, Access::Ours)?)
        }
    };
    let mut line = serde_json::to_vec(&*entry.as_kept(&Places::of(books)))?;
    let mut is_alone = is_locked(&file);
    let mut length = length(&file);
    if is_alone && length > BYTES_MAX {
        // It was set aside while it was waited for: the numbers go on in the new one.
        file = folder.append(path, Access::Ours)?;
        is_alone = is_locked(&file);
        length = self::length(&file);
    }
    let end = End::of(&mut file, length);
    if is_alone {
        let last = end.seq.or_else(|| number::before(books, folder, &mut file, length)).unwrap_or(0);
        line.pop();
        line.extend_from_slice(format!(",\"seq\":{}}}", last.saturating_add(1)).as_bytes());
    }
    line.push(b'\n');
    if end.is_torn {
        line.insert(0, b'\n');
    }
    file.write_all(&line).map_err(FileError::io(path))?;
    if length + line.len() as u64 > BYTES_MAX {
        rotate(books, folder, path)?;
    }
    Ok(())
}

fn length(file: &File) -> u64 {
    file.metadata().map_or(0, |metadata| metadata.len())
}

/// Sets the journal aside. Whoever still has it open writes on into the old one: nothing is lost.
fn rotate(books: &Books, folder: &Folder, path: &Path) -> Result<(), StoreError> {
    let lock = books.lock("journal");
    folder.make_folder_of(&lock, Access::Ours)?;
    let Ok(_lock) = super::lock::take(folder, &lock, std::time::Duration::ZERO) else { return Ok(()) };
    if folder.open(path)?.is_none_or(|file| length(&file) <= BYTES_MAX) {
        return Ok(());
    }
    for number in (1..KEPT).rev() {
        let _ = folder.rename(&books.old_journal(number), &books.old_journal(number + 1));
    }
    Ok(folder.rename(path, &books.old_journal(1))?)
}

/// The journal's files, oldest first. Those in the project come first where the journal is elsewhere.
pub fn files(books: &Books) -> Vec<PathBuf> {
    let in_project = books.are_outside().then(|| Books::in_project(books.home()));
    in_project.iter().chain([books]).flat_map(own_files).collect()
}

fn own_files(books: &Books) -> Vec<PathBuf> {
    let all = (1..=KEPT).rev().map(|number| books.old_journal(number)).chain([books.journal()]);
    all.filter(|path| books.has(path)).collect()
}

/// Opens one of the journal's files; none if it is missing.
pub fn open(path: &Path) -> Result<Option<File>, FileError> {
    // Its folder is opened from the one above: a link in its place is not followed.
    let home = path.parent().and_then(Path::parent).unwrap_or(path);
    Folder::project(home)?.open(path)
}

/// Reads one of the journal's files.
pub fn contents(path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    if let Some(file) = open(path)? {
        file.take(READ_BYTES_MAX).read_to_end(&mut bytes).map_err(FileError::io(path))?;
    }
    Ok(bytes)
}

/// The lines of a journal file; a torn or foreign line is passed over.
pub fn lines(text: &str) -> impl Iterator<Item = Entry> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

/// Everything in the journal, oldest first.
pub fn read(books: &Books) -> Vec<Entry> {
    read_files(files(books))
}

/// The same without what lies in the project, if the books are elsewhere.
pub fn read_own(books: &Books) -> Vec<Entry> {
    read_files(own_files(books))
}

fn read_files(files: Vec<PathBuf>) -> Vec<Entry> {
    let texts = files.into_iter().filter_map(|path| contents(&path).ok());
    texts.flat_map(|bytes| lines(&String::from_utf8_lossy(&bytes)).collect::<Vec<_>>()).collect()
}

/// The time now, as the journal writes it.
pub fn now() -> String {
    written(jiff::Timestamp::now())
}

/// A time, as the journal writes it.
pub fn written(time: jiff::Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_appended_read_and_rotated() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let entry = |text: &str| Entry { about: Some(text.into()), ..Entry::default() };
        append(&books, &entry("first")).unwrap();
        let big = "x".repeat(1024 * 1024);
        for _ in 0..5 {
            append(&books, &entry(&big)).unwrap();
        }
        append(&books, &entry("last")).unwrap();
        assert_eq!(files(&books).len(), 2);
        let all = read(&books);
        assert_eq!(all.len(), 7);
        assert_eq!(all[0].about.as_deref(), Some("first"));
        assert_eq!(all[6].about.as_deref(), Some("last"));
        assert!(home.path().join(".holdpoint/.gitignore").is_file());
    }

    #[test]
    fn paths_are_kept_as_they_are_below_the_home() {
        let home = tempfile::tempdir().unwrap();
        let (books, root) = (Books::in_project(home.path()), home.path().display());
        let about = Some(format!("cat {root}/src/a.rs {root}"));
        append(&books, &Entry { about, ..Entry::default() }).unwrap();
        assert_eq!(read(&books)[0].about.as_deref(), Some("cat src/a.rs ."));
    }

    #[test]
    fn tokens_are_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let books = Books::in_project(home.path());
        let spoken = Spoken { text: "TOKEN=abc123".into(), ..Spoken::default() };
        let facts = vec![("tool.command".into(), "\"PGPASSWORD=abc123 psql\"".into())];
        let entry = Entry {
            about: Some("curl -H 'Authorization: Bearer abc123'".into()),
            faults: vec!["https://me:abc123@host cannot be read".into()],
            rules: vec![Spoken { facts, satisfied_by: Some("--token abc123".into()), ..spoken }],
            set: [("api_key".to_owned(), "abc123".into()), ("n".to_owned(), 1.into())].into_iter().collect(),
            ..Entry::default()
        };
        append(&books, &entry).unwrap();
        let text = std::fs::read_to_string(books.journal()).unwrap();
        assert!(!text.contains("abc123"), "{text}");
        assert_eq!(text.matches("[secret]").count(), 6, "{text}");
    }

    #[test]
    fn torn_lines_are_passed_over() {
        assert_eq!(lines("{\"at\":\"1\"}\n{\"at\":\n\nnonsense\n{\"at\":\"2\",\"later\":1}").count(), 2);
    }
}
