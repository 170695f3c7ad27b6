//! Random changes, each followed by the same question to git in a copy.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::*;

const SEQUENCES: u32 = 12;
const STEPS_MAX: usize = 10;
const PATHS: [&str; 8] =
    ["a.py", "src/b.py", "src/deep/c.py", "src", "x.log", ".gitignore", "src/.gitignore", "new\n\"line\""];

/// Something that a person or an agent does.
#[derive(Clone, Debug)]
enum Step {
    Write(&'static str, u8),
    Remove(&'static str),
    Link(&'static str, &'static str),
    Mode(&'static str),
    Rename(&'static str, &'static str),
    Add(&'static str),
    Untrack(&'static str),
    Commit,
    Status,
    Reset(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let path = || select(&PATHS[..]);
    prop_oneof![
        4 => (path(), 0..4_u8).prop_map(|(path, number)| Step::Write(path, number)),
        2 => path().prop_map(Step::Remove),
        1 => (path(), path()).prop_map(|(path, to)| Step::Link(path, to)),
        1 => path().prop_map(Step::Mode),
        1 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        3 => path().prop_map(Step::Add),
        1 => path().prop_map(Step::Untrack),
        1 => Just(Step::Commit),
        1 => Just(Step::Status),
        1 => any::<bool>().prop_map(Step::Reset),
    ]
}

/// All texts of a path are of the same length: nothing but what is in the file tells one from the other.
fn text(path: &str, number: u8) -> String {
    let ignored = ["*.log\n", "src/\n#", "new*\n#", "*.py\n#"][usize::from(number)];
    if path.ends_with("ignore") { format!("{ignored:7}") } else { format!("{number}\n") }
}

/// Does it; what cannot be done is left.
fn take(repo: &Repo, step: &Step) {
    let full = |path: &str| repo.root.join(path);
    let gone = |path: &str| {
        let _ = std::fs::remove_file(full(path)).or_else(|_| std::fs::remove_dir_all(full(path)));
        let _ = full(path).parent().map(std::fs::create_dir_all);
    };
    let tried = |args: &[&str]| {
        let _ = git_command(&repo.root).args(args).output().unwrap();
    };
    match step {
        Step::Write(path, number) => {
            gone(path);
            let _ = std::fs::write(full(path), text(path, *number));
        }
        Step::Remove(path) => gone(path),
        Step::Link(path, to) => {
            gone(path);
            let _ = std::os::unix::fs::symlink(to, full(path));
        }
        Step::Mode(path) => {
            let _ = Command::new("chmod").arg("+x").arg(full(path)).output().unwrap();
        }
        Step::Rename(from, to) => {
            let _ = std::fs::rename(full(from), full(to));
        }
        Step::Add(path) => tried(&["add", "--force", "--", path]),
        Step::Untrack(path) => tried(&["rm", "-r", "--quiet", "--cached", "--force", "--", path]),
        Step::Commit => repo.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]).clear(),
        Step::Status => tried(&["status"]),
        Step::Reset(hard) => tried(&["reset", "--quiet", if *hard { "--hard" } else { "--mixed" }]),
    }
}

#[test]
fn random_changes_give_what_git_gives_in_a_copy() {
    let config = Config {
        cases: SEQUENCES,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(5),
        ..Config::default()
    };
    let steps = proptest::collection::vec(step(), 1..STEPS_MAX);
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&steps, |steps| {
        let repo = Repo::new();
        repo.hash();
        for step in &steps {
            take(&repo, step);
            let index = std::fs::read(repo.root.join(".git/index")).unwrap();
            prop_assert_eq!(repo.hash(), repo.expected(), "after {:?}", step);
            prop_assert_eq!(index, std::fs::read(repo.root.join(".git/index")).unwrap());
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
