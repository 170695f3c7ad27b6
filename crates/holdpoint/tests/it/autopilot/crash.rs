//! The engine killed while it is at work: whatever it was doing, the next `next` goes on, and nothing is counted twice
//! or forgotten.

use serde_json::json;

use super::project::{SESSION, Site};
use super::proof::agrees_with_git;
use super::walk::{
    BACK_1, END, READY_1, READY_2, TASK_1, TASK_2, commit_2, discount, follow, nothing, replace, test_total,
};

/// Kills the engine above it, once.
const KILL: &str = r#"
if rm "$0.kill" 2>/dev/null; then
  up=$PPID
  while [ "$(cat /proc/$up/comm)" != holdpoint ]; do up=$(awk '{ print $4 }' /proc/$up/stat); done
  kill -9 "$up"
  exit 1
fi
"#;

/// A script that kills the engine when it is called for the next time.
fn armed(site: &Site, script: &str) {
    let text = std::fs::read_to_string(site.root().join(script)).unwrap_or_else(|_| "#!/bin/sh\n".to_owned());
    let text = if text.contains(KILL) {
        text
    } else {
        text.replacen("#!/bin/sh\n", &format!("#!/bin/sh\n{KILL}"), 1)
    };
    let path = site.root().join(script);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(format!("{}.kill", path.display()), "").unwrap();
}

/// The hook that performs the command ends by a signal: the shell has nothing to show, and performs nothing.
fn dies(site: &Site, words: &[&str]) {
    let printed = site.tell_as(SESSION, words);
    assert_eq!((printed.code, printed.stdout.as_str()), (Some(3), ""), "{words:?}: {}", printed.stderr);
    assert!(printed.stderr.contains("nothing was performed"), "{words:?}: {}", printed.stderr);
}

#[test]
fn a_run_survives_its_engine() {
    let site = Site::new();
    site.sh("sed -i 's/^passed=0/. ..\\/tools\\/dies; passed=0/' test && : >../tools/dies && git commit --quiet --all --message 'test(cart): let it die'");
    let dies_in_tests = KILL.replace("$0", "../tools/dies");
    std::fs::write(site.tools().join("dies"), dies_in_tests).unwrap();
    let arm_tests = |site: &Site| std::fs::write(site.tools().join("dies.kill"), "").unwrap();

    arm_tests(&site);
    dies(&site, &["start", super::project::SPEC]);
    assert!(site.next().contains("the plan comes first"), "killed in the baseline");
    follow(
        &site,
        Site::next,
        &[(TASK_1, &|site| {
            site.write("cart.py", "def total(prices):\n    return sum(prices) + 1\n");
            test_total(site);
        })],
    );
    arm_tests(&site);
    dies(&site, &["next"]);
    assert_eq!((site.phase(), site.task(1)["debug_attempts"].clone()), ("tester".into(), json!(null)));
    armed(&site, "../tools/claude");
    dies(&site, &["next"]);
    assert_eq!((site.phase(), site.task(1)["debug_attempts"].clone()), ("debugger".into(), json!(1)));
    follow(&site, Site::next, &[(BACK_1, &|site| replace(site, " + 1", ""))]);
    assert_eq!(site.task(1)["debug_attempts"], json!(1), "an attempt that was cut off is the same attempt");
    armed(&site, "../tools/claude");
    dies(&site, &["next"]);
    assert_eq!(site.phase(), "spec-review");
    follow(&site, Site::next, &[(READY_1, &nothing)]);
    armed(&site, ".git/hooks/post-commit");
    dies(&site, &["commit", "feat(cart): add up prices"]);
    assert_eq!((site.phase(), site.task(1)["commit"].clone()), ("committing".into(), json!(null)));
    follow(&site, Site::next, &[(TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)]);
    assert_eq!(agrees_with_git(&site).len(), 2, "the commit that was made is the task's");
    assert_eq!(site.task(1)["commit_retry"], json!(null));
}
