//! The guide: the commands of each page are run in order, and what it shows of them is what they print. With
//! `HOLDPOINT_BLESS=1` these tests write what is shown anew instead of failing.

#![cfg(unix)]

mod page;
mod reader;

use std::path::Path;

use crate::generated::{assert_kept, repository};
use page::Page;
use reader::Reader;

const FOLDER: &str = "docs/guide";

/// Does what a page says, in a new project.
fn follow(name: &str) {
    let path = format!("{FOLDER}/{name}.md");
    let text = std::fs::read_to_string(repository().join(&path)).unwrap();
    assert_kept(&path, &Page::new(&text, &Reader::new()).followed());
}

macro_rules! pages {
    ($($test:ident = $name:literal),*) => {
        $(#[test] fn $test() { follow($name); })*

        #[test]
        fn every_page_is_followed_and_in_the_contents() {
            let contents = std::fs::read_to_string(repository().join(FOLDER).join("README.md")).unwrap();
            for path in markdown(&repository().join(FOLDER)) {
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!([$($name),*].contains(&name), "no test follows {name}.md");
                assert!(name == "README" || contents.contains(&format!("({name}.md)")), "{name}.md");
            }
        }
    };
}

pages!(
    contents = "README",
    install = "install",
    first_workflow = "first-workflow",
    taskie = "taskie",
    claudex = "claudex",
    isdlc = "isdlc",
    autopilot = "autopilot",
    writing_your_own = "writing-your-own",
    held = "held",
    door = "door",
    settings = "settings",
    fence = "fence",
    verify_in_ci = "verify-in-ci",
    what_it_runs = "what-it-runs"
);

/// The documents of a folder.
fn markdown(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// A heading as links name it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_leads_somewhere() {
    let folders = ["", FOLDER, "docs/reference", "docs/design"];
    for document in folders.iter().flat_map(|folder| markdown(&repository().join(folder))) {
        let text = std::fs::read_to_string(&document).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|link| !link.contains("://") && !link.contains(' ')) {
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { document.clone() } else { document.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: nothing is at {link}", document.display());
            let has_place = || {
                let text = std::fs::read_to_string(&target).unwrap();
                text.lines()
                    .any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == place)
            };
            assert!(place.is_empty() || has_place(), "{}: no heading for {link}", document.display());
        }
    }
}
