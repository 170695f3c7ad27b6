//! Questions to git: each is one short process with a deadline. Names are arguments, never shell text.

pub mod folders;
mod output;

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use holdpoint_core::world::{Answer, GitError, GitQuestion, WorldError};

use crate::process_group;

/// How long git may take for one answer.
const QUESTION_MAX: Duration = Duration::from_secs(3);
/// An answer within this time is normal and does not count towards the total: `holdpoint test` asks thousands.
const PROMPT: Duration = Duration::from_millis(250);

/// How many files are named to git at once: a command line has an end.
const FILES_AT_ONCE: usize = 500;

/// The total time that this process waits for git.
static PATIENCE: Patience = Patience::new(Duration::from_secs(5));

/// Variables that would lead git to another repository than the one in question.
const INHERITED: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// A time budget for git. Slow answers use it up, and after the first timeout git is not called again.
struct Patience {
    total: Duration,
    waited: AtomicU64,
    hung: AtomicBool,
}

/// Answers a question about the repository that `dir` lies in.
pub fn ask(dir: &str, question: &GitQuestion) -> Answer<String> {
    match question {
        GitQuestion::Repository => run(dir, &["rev-parse", "--absolute-git-dir"]),
        GitQuestion::Branch => run(dir, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
        GitQuestion::Alias(name) => run(dir, &["config", "--get", &format!("alias.{name}")]),
        GitQuestion::PushTarget => push_target(dir),
        GitQuestion::Switch(name) => switch(dir, name),
        GitQuestion::Contains(commit) => contains(dir, commit),
    }
}

/// Says whether the last commit is this one, or comes after it; one that the repository does not have is not.
fn contains(dir: &str, commit: &str) -> Answer<String> {
    no_if_well(dir, run(dir, &["merge-base", "--is-ancestor", commit, "HEAD"]))
}

/// Returns where git's hooks are, if the configuration says so.
pub fn hooks_path(dir: &str) -> Answer<String> {
    run(dir, &["config", "--get", "core.hooksPath"])
}

/// Lists the branches, each after the commit that it points to: for repositories whose refs are no files.
pub fn branches(dir: &str) -> Answer<String> {
    run(dir, &["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"])
}

/// Returns the full name of the branch that is checked out, or the commit.
pub fn head(dir: &str) -> Answer<String> {
    match run(dir, &["symbolic-ref", "--quiet", "HEAD"]) {
        Answer::None => run(dir, &["rev-parse", "--verify", "--quiet", "HEAD"]),
        head => head,
    }
}

/// Lists those of the files, by their paths from `dir`, that are not as a commit has them. What git ignores is not listed.
/// Neither the repository's index nor its filters are believed: whoever changes a file can change these, too.
/// Once there are `most` of them, no more are looked for.
pub fn differing(dir: &str, commit: &str, files: &[String], most: usize) -> Answer<Vec<String>> {
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => return unlisted(fault(GitError::NotStarted(error.to_string()))),
    };
    let filters = match run(dir, &["config", "--list", "--show-scope", "--name-only"]) {
        Answer::Is(names) => filters(&names),
        other => return unlisted(other),
    };
    let index = scratch.path().join("index");
    let settings = ["--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.sparseCheckout=false"];
    let ask = |question: &[&str], files: &[&str]| {
        let args = [&settings, question, files].concat();
        PATIENCE.run_with(without(&filters), dir, &args, Some(&index))
    };
    if let failed @ (Answer::None | Answer::Fault(_)) = ask(&["read-tree", commit], &[]) {
        return unlisted(failed);
    }
    let known = ["diff", "--no-ext-diff", "--no-textconv", "--relative", "--name-only", "-z", commit, "--"];
    let new = ["ls-files", "--others", "--exclude-standard", "-z", "--"];
    let mut found = Vec::new();
    for part in files.chunks(FILES_AT_ONCE) {
        let part: Vec<&str> = part.iter().map(String::as_str).collect();
        for question in [known.as_slice(), &new] {
            match ask(question, &part) {
                Answer::Is(list) => {
                    found.extend(list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned));
                }
                other => return unlisted(other),
            }
        }
        if found.len() >= most {
            break;
        }
    }
    Answer::Is(found)
}

/// Git without these filters.
fn without(filters: &[String]) -> Command {
    let mut git = Command::new("git");
    git.env("GIT_CONFIG_COUNT", filters.len().to_string());
    for (number, key) in filters.iter().enumerate() {
        let value = if key.ends_with(".required") { "false" } else { "" };
        git.env(format!("GIT_CONFIG_KEY_{number}"), key).env(format!("GIT_CONFIG_VALUE_{number}"), value);
    }
    git
}

/// The keys of the filters that the repository itself has set: programs that say what is in a file.
fn filters(names: &str) -> Vec<String> {
    let own = names.lines().filter_map(|line| match line.split_once('\t')? {
        ("system" | "global", _) => None,
        (_, name) => Some(name),
    });
    own.filter(|name| name.starts_with("filter.")).map(str::to_owned).collect()
}

fn unlisted(answer: Answer<String>) -> Answer<Vec<String>> {
    match answer {
        Answer::Fault(why) => Answer::Fault(why),
        Answer::Is(_) | Answer::None => Answer::None,
    }
}

/// Returns the branch that a push without a branch moves: `refs/remotes/origin/main` stands for `main` of `origin`.
fn push_target(dir: &str) -> Answer<String> {
    match no_if_well(dir, run(dir, &["rev-parse", "--symbolic-full-name", "@{push}"])) {
        Answer::Is(full) => {
            let branch = full.strip_prefix("refs/remotes/").and_then(|rest| rest.split_once('/'));
            branch.map_or(Answer::None, |(_, branch)| Answer::Is(branch.to_owned()))
        }
        other => other,
    }
}

/// Returns whether the repository that `dir` lies in has one of these paths in its index: then it came with a commit, or
/// went into one.
pub fn tracks(dir: &str, paths: &[&str]) -> Answer<bool> {
    let list = ["--literal-pathspecs", "-c", "core.fsmonitor=false", "ls-files", "-z", "--"];
    match run(dir, &[&list, paths].concat()) {
        Answer::Is(listed) => Answer::Is(!listed.is_empty()),
        Answer::None => Answer::None,
        Answer::Fault(why) => Answer::Fault(why),
    }
}

/// Finds the branch that `git checkout NAME` would end on: empty for a commit without a branch, none for anything else.
fn switch(dir: &str, name: &str) -> Answer<String> {
    if name == "-" {
        return match no_if_well(dir, run(dir, &["rev-parse", "--symbolic-full-name", "@{-1}"])) {
            Answer::Is(full) => Answer::Is(full.strip_prefix("refs/heads/").unwrap_or_default().to_owned()),
            other => other,
        };
    }
    // Branch names have no wildcards, and git would expand them.
    if name == "HEAD" || name.starts_with('-') || name.contains(['*', '?', '[']) {
        return Answer::None;
    }
    let local = run(dir, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{name}")]);
    if local != Answer::None {
        return named(local, name);
    }
    let remote =
        run(dir, &["for-each-ref", "--count=1", "--format=%(refname)", &format!("refs/remotes/*/{name}")]);
    if matches!(&remote, Answer::Is(full) if !full.is_empty()) {
        return named(remote, name);
    }
    named(run(dir, &["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")]), "")
}

fn named(answer: Answer<String>, name: &str) -> Answer<String> {
    match answer {
        Answer::Is(_) => Answer::Is(name.to_owned()),
        other => other,
    }
}

/// Returns what git prints, or none if it says no. Any other end is a fault.
fn run(dir: &str, args: &[&str]) -> Answer<String> {
    // A folder that is not there is in no repository.
    if !Path::new(dir).is_dir() {
        return Answer::None;
    }
    PATIENCE.run(Command::new("git"), dir, args)
}

/// Takes a failure for a no, of questions whose "no" is one: if git answers in that folder at all.
fn no_if_well(dir: &str, answer: Answer<String>) -> Answer<String> {
    match answer {
        Answer::Fault(WorldError::Git(GitError::Failed { .. }))
            if matches!(run(dir, &["rev-parse", "--git-dir"]), Answer::Is(_)) =>
        {
            Answer::None
        }
        answer => answer,
    }
}

/// Whether there is something in a repository's place all the same: one that is damaged is not one that is not there.
fn has_remains(dir: &str) -> bool {
    Path::new(dir).ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Whether git says that a folder is in no repository. It has no exit code of its own for that.
fn is_no_repository(said: &str) -> bool {
    said.starts_with("fatal: not a git repository")
}

fn fault(error: GitError) -> Answer<String> {
    Answer::Fault(WorldError::Git(error))
}

impl Patience {
    const fn new(total: Duration) -> Patience {
        Patience { total, waited: AtomicU64::new(0), hung: AtomicBool::new(false) }
    }

    fn run(&self, git: Command, dir: &str, args: &[&str]) -> Answer<String> {
        self.run_with(git, dir, args, None)
    }

    /// The same with another index than the repository's.
    fn run_with(&self, mut git: Command, dir: &str, args: &[&str], index: Option<&Path>) -> Answer<String> {
        let waited = Duration::from_millis(self.waited.load(Ordering::Relaxed));
        let left = self.total.saturating_sub(waited).min(QUESTION_MAX);
        if left.is_zero() || self.hung.load(Ordering::Relaxed) {
            return fault(GitError::TooSlow);
        }
        git.arg("-C").arg(dir).args(args).env("GIT_OPTIONAL_LOCKS", "0");
        // They describe the repository of another git process.
        for name in INHERITED {
            git.env_remove(name);
        }
        git.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
        // What git says is looked at where its exit code does not tell a "no" from a failure.
        git.env("LC_ALL", "C").env_remove("LANGUAGE");
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Git's children (of a wrapper script, a file system monitor) must end with it.
        process_group::own(&mut git);
        let started = Instant::now();
        let answer = match git.spawn() {
            Ok(child) => self.wait(child, dir, left),
            Err(error) => return fault(GitError::NotStarted(error.to_string())),
        };
        let took = started.elapsed();
        if took > PROMPT {
            self.waited.fetch_add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        answer
    }

    fn wait(&self, mut child: Child, dir: &str, left: Duration) -> Answer<String> {
        let started = Instant::now();
        let mut said = Vec::new();
        let read = output::read(&mut child, started + left, &mut said);
        let mut pause = Duration::from_micros(200);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if read.is_ok() && started.elapsed() < left => std::thread::sleep(pause),
                Ok(None) | Err(_) => {
                    self.hung.store(true, Ordering::Relaxed);
                    process_group::kill(&child);
                    let _ = child.kill();
                    let _ = child.wait();
                    return fault(GitError::NoAnswer { seconds: left.as_secs() });
                }
            }
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        match (status.code(), read.map(String::from_utf8)) {
            (Some(0), Ok(Ok(text))) => Answer::Is(text.trim().to_owned()),
            (Some(1), _) => Answer::None,
            _ => {
                let said = String::from_utf8_lossy(&said).into_owned() + &output::last_words(&mut child);
                failed(dir, &status, &said)
            }
        }
    }
}

/// A git that ended with an error: a fault, unless it says that there is no repository.
fn failed(dir: &str, status: &ExitStatus, said: &str) -> Answer<String> {
    let said = said.lines().next().unwrap_or_default().trim();
    if status.code() == Some(128) && is_no_repository(said) && !has_remains(dir) {
        return Answer::None;
    }
    fault(GitError::Failed { how: status.to_string(), said: said.to_owned() })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn git(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script, "git"]);
        command
    }

    #[test]
    fn a_git_that_hangs_is_asked_no_more() {
        let patience = Patience::new(Duration::from_millis(300));
        let started = Instant::now();
        for _ in 0..20 {
            assert!(matches!(patience.run(git("sleep 60; true"), "/", &[]), Answer::Fault(_)));
        }
        assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    }

    #[test]
    fn only_one_exit_code_is_a_no() {
        let patience = Patience::new(Duration::from_secs(5));
        let answer = |script: &str| patience.run(git(script), "/", &[]);
        assert_eq!(answer("exit 1"), Answer::None);
        assert_eq!(answer("echo 'fatal: not a git repository: .git' >&2; exit 128"), Answer::None);
        for script in [
            "echo \"fatal: detected dubious ownership in repository at '/r'\" >&2; exit 128",
            "echo 'fatal: bad config line 1 in file /root/.gitconfig' >&2; exit 128",
            "exit 127",
            "kill -SEGV $$",
        ] {
            assert!(
                matches!(answer(script), Answer::Fault(WorldError::Git(GitError::Failed { .. }))),
                "{script}"
            );
        }
        let Answer::Fault(why) = answer("echo 'fatal: bad config' >&2; exit 128") else { panic!() };
        assert!(why.to_string().contains("exit status: 128: fatal: bad config"), "{why}");
    }

    #[test]
    fn a_damaged_repository_is_not_one_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let (patience, dir) = (Patience::new(Duration::from_secs(5)), folder.path().to_str().unwrap());
        let answer = || patience.run(git("echo 'fatal: not a git repository: .git' >&2; exit 128"), dir, &[]);
        assert_eq!(answer(), Answer::None);
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        assert!(matches!(answer(), Answer::Fault(WorldError::Git(GitError::Failed { .. }))));
    }

    #[test]
    fn a_git_that_complains_at_length_is_heard_out() {
        let patience = Patience::new(Duration::from_mins(1));
        let long = "i=0; while [ $i -lt 3000 ]; do echo 'warning: a line of some forty characters' >&2; i=$((i + 1)); done";
        assert_eq!(patience.run(git(&format!("{long}; echo yes")), "/", &[]), Answer::Is("yes".to_owned()));
        let Answer::Fault(why) = patience.run(git(&format!("{long}; exit 3")), "/", &[]) else { panic!() };
        assert!(why.to_string().contains("exit status: 3: warning: a line"), "{why}");
    }

    #[test]
    fn the_children_of_a_git_that_hangs_end_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let late = folder.path().join("late");
        let script = format!("(sleep 1; touch '{}') & wait", late.display());
        let patience = Patience::new(Duration::from_millis(200));
        assert!(matches!(patience.run(git(&script), "/", &[]), Answer::Fault(_)));
        std::thread::sleep(Duration::from_millis(1500));
        assert!(!late.exists());
    }

    #[test]
    fn slow_answers_use_patience_up_and_prompt_ones_do_not() {
        let patience = Patience::new(Duration::from_millis(700));
        for _ in 0..30 {
            assert_eq!(patience.run(git("echo main"), "/", &[]), Answer::Is("main".into()));
        }
        let slow = || patience.run(git("sleep 0.4; echo main"), "/", &[]);
        let answers = [slow(), slow(), slow()];
        assert!(matches!(answers[2], Answer::Fault(_)), "{answers:?}");
    }

    #[test]
    fn someone_elses_repository_is_not_asked_about() {
        let patience = Patience::new(Duration::from_secs(5));
        let mut command = git("echo \"$GIT_DIR$GIT_WORK_TREE$GIT_INDEX_FILE$GIT_COMMON_DIR.\"");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"] {
            command.env(name, "/elsewhere");
        }
        assert_eq!(patience.run(command, "/", &[]), Answer::Is(".".into()));
    }

    #[test]
    fn a_pattern_names_no_branch() {
        for name in ["*", "feature/?", "[a-z]*"] {
            assert_eq!(switch("/", name), Answer::None);
        }
    }

    /// 1,200 files, in parts: all of them, or as many as are wanted; the repository's own index stays as it is.
    #[test]
    fn files_are_compared_in_parts() {
        let folder = tempfile::tempdir().unwrap();
        let script = "git init -q r && cd r && for i in $(seq 1000 2199); do echo $i > f$i; done && git add . \
            && git -c user.name=a -c user.email=a@b commit -q -m x && for f in f*; do echo new > $f; done \
            && echo 1500 > f1500 && rm f1600 && echo n > new && git update-index --assume-unchanged f1700";
        assert!(
            Command::new("sh").args(["-ec", script]).current_dir(folder.path()).status().unwrap().success()
        );
        let home = folder.path().join("r");
        let (dir, index) = (home.to_str().unwrap(), home.join(".git/index"));
        let before = index.metadata().unwrap().modified().unwrap();
        let Answer::Is(head) = run(dir, &["rev-parse", "HEAD"]) else { panic!() };
        let mut files: Vec<String> = (1000..2200).map(|number| format!("f{number}")).collect();
        files.extend(["new", "never"].map(str::to_owned));
        let mut wanted = files.clone();
        wanted.retain(|file| file != "f1500" && file != "never");
        assert_eq!(differing(dir, &head, &files, usize::MAX), Answer::Is(wanted.clone()));
        assert_eq!(differing(dir, &head, &files, 20), Answer::Is(wanted[..500].to_vec()));
        assert_eq!(differing(dir, &head, &[], 20), Answer::Is(Vec::new()));
        assert!(matches!(differing(dir, "no-commit", &files, 20), Answer::Fault(_)));
        assert_eq!(index.metadata().unwrap().modified().unwrap(), before);
    }

    /// What git itself says about the review's commands, on `main` with a branch `feature/x` and a remote one.
    #[test]
    fn real_repositories_answer_as_the_shell_would_find_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let setup = "git init -q -b main r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x \
            && git branch feature/x && git update-ref refs/remotes/origin/far HEAD";
        assert!(Command::new("sh").args(["-c", setup]).current_dir(&root).status().unwrap().success());
        let home = root.join("r");
        let env = std::sync::Arc::new(crate::env::FixedEnv::default());
        let world = crate::world::ProjectWorld::new(&home, &home, env);
        let lands_on_main = |command: &str| {
            let found = holdpoint_core::shell::commits(command, home.to_str().unwrap(), &world);
            found.list.iter().any(|commit| commit.branch.as_deref() == Some("main"))
        };
        for command in [
            "cd nosuchdir; git commit",
            "cd src 2>/dev/null; git commit",
            "mkdir src && cd src && git commit",
            "false && git checkout feature/x; git commit",
            "git checkout feature/x --nonsense; git commit",
            "git checkout -b feature/x; git commit",
            "git checkout feature/x && git checkout - && git commit",
            "git checkout '*' && git commit",
        ] {
            assert!(lands_on_main(command), "{command}");
        }
        for command in [
            "git checkout feature/x; git commit",
            "git checkout far && git commit",
            "git checkout -bnew && git commit",
            "mkdir -p ../n && cd ../n && git init && git commit",
            "git clone ../r s && cd s && git commit",
            "cd / && git commit",
        ] {
            assert!(!lands_on_main(command), "{command}");
        }
    }
}
