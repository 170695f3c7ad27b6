//! Seals against those who write what only the engine may write, and against crashes.

#![expect(clippy::disallowed_methods, reason = "a foreign writer")]

use std::fs::{create_dir, read_to_string, remove_file, rename, write};

use super::*;

struct Sealed {
    home: tempfile::TempDir,
    seal: Seal,
}

impl Sealed {
    /// A run whose state is sealed.
    fn new() -> Sealed {
        let home = tempfile::tempdir().unwrap();
        let (place, books) = (home.path().to_path_buf(), Books::in_project(home.path()));
        let seal = Seal { books, workflow: "flow".into(), origin: Origin::BuiltIn, place };
        let sealed = Sealed { home, seal };
        assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas, "nothing is sealed yet");
        sealed.step(1);
        sealed
    }

    fn step(&self, number: u32) {
        self.seal.close(text(number).as_bytes()).unwrap();
        write(self.view(), text(number)).unwrap();
    }

    fn view(&self) -> PathBuf {
        self.home.path().join("state.json")
    }

    fn uphold(&self) -> Result<Upheld, SealError> {
        self.seal.uphold(&self.view(), Look::Close)
    }

    fn copy(&self) -> PathBuf {
        self.seal.copy()
    }

    /// What counts, as conditions see it.
    fn counts(&self) -> Option<String> {
        let state = state(&self.seal.books, "flow").unwrap();
        state.map(|state| String::from_utf8(state).unwrap())
    }

    /// Writes a copy with the right digest, and this much added to its counter.
    fn forge(&self, state: &str, ahead: u64) {
        let head = Copy::read(&self.seal.books, &self.copy()).unwrap().unwrap().head;
        let digest = layout::content_digest(state.as_bytes());
        let counter = head.counter.saturating_add(ahead);
        write(self.copy(), format!("{digest} {} {counter}\n{state}", head.workflow)).unwrap();
    }
}

fn text(number: u32) -> String {
    format!("{{\"n\": {number}}}")
}

#[test]
fn what_others_change_is_put_back() {
    let sealed = Sealed::new();
    let view = sealed.view();
    assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas);
    let changes: [&dyn Fn(); 4] = [
        &|| write(&view, text(2)).unwrap(),
        &|| remove_file(&view).unwrap(),
        &|| {
            remove_file(&view).unwrap();
            create_dir(&view).unwrap();
        },
        &|| std::fs::File::options().write(true).open(&view).unwrap().set_len(BYTES_MAX + 1).unwrap(),
    ];
    for change in changes {
        change();
        assert_eq!(sealed.counts(), Some(text(1)), "the view is not read");
        assert_ne!(sealed.uphold().unwrap(), Upheld::AsItWas);
        assert_eq!(read_to_string(&view).unwrap(), text(1));
    }
    let forge =
        |path: &Path| write(path, read_to_string(path).unwrap().replace("\"n\": 1", "\"n\": 2")).unwrap();
    forge(&sealed.copy());
    assert!(state(&sealed.seal.books, "flow").is_err());
    assert_eq!(sealed.uphold().unwrap(), Upheld::PutBack, "the copy was forged: the state is true");
    assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas);
    forge(&sealed.copy());
    forge(&view);
    assert!(matches!(sealed.uphold(), Err(SealError::BothChanged { .. })));
    remove_file(sealed.copy()).unwrap();
    assert!(sealed.uphold().is_err(), "a state that the engine has not written");
    vouch(&sealed.seal.books, "flow", Origin::BuiltIn, &view).unwrap();
    assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas);
}

#[test]
fn a_copy_without_its_record_counts_for_nothing() {
    for ahead in [0, 1, 2, 99, u64::MAX - 1] {
        let sealed = Sealed::new();
        sealed.forge(&text(9), ahead);
        assert_eq!(sealed.uphold().unwrap(), Upheld::PutBack, "{ahead}");
        assert_eq!((sealed.counts(), sealed.uphold().unwrap()), (Some(text(1)), Upheld::AsItWas), "{ahead}");
        sealed.forge(&text(9), ahead);
        assert!(sealed.seal.recorded().is_err(), "nothing is written on top of it");
        write(sealed.view(), text(9)).unwrap();
        assert!(matches!(sealed.uphold(), Err(SealError::BothChanged { .. })), "{ahead}");
    }
    let sealed = Sealed::new();
    let head = read_to_string(sealed.copy()).unwrap();
    write(sealed.copy(), head.replace(" none ", " 0123 ")).unwrap();
    assert_eq!(
        sealed.uphold().unwrap(),
        Upheld::PutBack,
        "which workflow it was begun with is recorded, too"
    );
    assert_eq!(read_to_string(sealed.copy()).unwrap().split(' ').nth(1), Some("none"));
}

#[test]
fn where_no_run_is_a_copy_begins_none() {
    let sealed = Sealed::new();
    let copy = read_to_string(sealed.copy()).unwrap();
    sealed.seal.retire(&sealed.view()).unwrap();
    assert_eq!((sealed.counts(), sealed.uphold().unwrap()), (None, Upheld::AsItWas));
    write(sealed.copy(), &copy).unwrap();
    assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas, "cut off while it was retired");
    assert_eq!(sealed.counts(), None);
    write(sealed.copy(), copy.replace(" 1\n", " 7\n")).unwrap();
    assert!(matches!(sealed.uphold(), Err(SealError::Unrecorded { .. })));
}

#[test]
fn a_step_that_was_cut_off_is_completed() {
    let sealed = Sealed::new();
    let before = read_to_string(sealed.copy()).unwrap();
    sealed.seal.close(text(2).as_bytes()).unwrap();
    rename(sealed.copy(), next(&sealed.copy())).unwrap();
    write(sealed.copy(), &before).unwrap();
    assert_eq!(sealed.uphold().unwrap(), Upheld::AsItWas, "nobody else was at it");
    assert_eq!((sealed.counts(), read_to_string(sealed.view()).unwrap()), (Some(text(2)), text(2)));
    assert!(!next(&sealed.copy()).exists());
    // The first of all, and one that writes on top of it.
    let sealed = Sealed::new();
    rename(sealed.copy(), next(&sealed.copy())).unwrap();
    assert_eq!(sealed.seal.recorded().unwrap(), Some(text(1).into_bytes()));
    rename(sealed.copy(), next(&sealed.copy())).unwrap();
    assert_eq!((sealed.uphold().unwrap(), sealed.counts()), (Upheld::AsItWas, Some(text(1))));
    // Before its record was written it is no step.
    write(next(&sealed.copy()), "0123 none 2\n{}").unwrap();
    assert_eq!((sealed.uphold().unwrap(), sealed.counts()), (Upheld::AsItWas, Some(text(1))));
}
