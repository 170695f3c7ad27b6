//! Running the tests again: on the commit's own files, where nothing of the user's repository has a say.

use super::site::Site;

const RUN: [&str; 4] = ["verify", "--again", "--run", "sh test.sh"];

#[test]
fn the_attested_tests_are_run_again_in_a_project_that_is_allowed() {
    let site = Site::attested();
    let said = site.ok(&["verify", "--again", "--require", "tests=witnessed"]);
    assert!(said.contains("run again: sh test.sh --fast: 2 passed, 0 failed in"), "{said}");
    assert!(said.contains("witnessed") && said.contains("cannot be run again: look"), "{said}");
}

#[test]
fn a_program_that_a_note_names_is_run_only_for_who_allows_it() {
    let site = Site::attested();
    let elsewhere = site.clone_to("elsewhere");
    let signers = site.tools().join("allowed");
    let verify = ["verify", "--again", "--allowed-signers", signers.to_str().unwrap()];
    let printed = site.run_in(&elsewhere, &verify);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stdout.contains("run again: you have not allowed this project"), "{}", printed.stdout);
    let printed = site.run_in(&elsewhere, &[&verify[..], &["--run", "sh test.sh"]].concat());
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);

    let unsigned = Site::proved();
    unsigned.ok(&["attest"]);
    let said = unsigned.refused(&["--again", "--unsigned"]);
    assert!(said.contains("no allowed signer has signed the command; give it with `--run`"), "{said}");
}

/// The signature on one part says nothing about the others.
#[test]
fn a_command_that_was_not_signed_is_not_run_beside_one_that_was() {
    let site = Site::attested();
    let mut note = site.note();
    let mut envelope: serde_json::Value = serde_json::from_str(&note[0]).unwrap();
    envelope["signatures"] = serde_json::json!([]);
    note[0] = envelope.to_string();
    site.forge(&note);
    assert!(site.refused(&[]).contains("it is not signed"));
    let said = site.refused(&["--unsigned", "--again"]);
    assert!(said.contains("no allowed signer has signed the command"), "{said}");
}

/// The evidence can be forged; the tests still fail.
#[test]
fn tests_that_fail_on_the_commit_are_found() {
    let site = Site::new();
    site.write("a.py", "x = 2\n");
    // The agent's own shell has a `grep` that finds everything.
    site.write("../tools/grep", "#!/bin/sh\nexit 0\n");
    site.sh("chmod +x ../tools/grep");
    site.prove();
    site.commit("a thing");
    site.ok(&["attest"]);
    site.ok(&["verify", "--unsigned"]);
    std::fs::remove_file(site.tools().join("grep")).unwrap();
    let said = site.refused(&[&RUN[1..], &["--unsigned"]].concat());
    assert!(said.contains("run again: the tests fail (1 failed, 1 passed)"), "{said}");
}

#[test]
fn the_files_are_the_commits_whatever_the_repository_says() {
    let site = Site::attested();
    // A filter, a hook and a file that is not committed would make other files of it.
    site.sh("git config filter.evil.smudge 'sed s/1/2/' && echo '*.py filter=evil' > .git/info/attributes");
    site.sh("mkdir -p .git/hooks && printf '#!/bin/sh\\ntouch ../hooked' > .git/hooks/post-checkout");
    site.sh("chmod +x .git/hooks/post-checkout && git config core.autocrlf true && echo broken > a.py");
    let said = site.ok(&RUN);
    assert!(said.contains("2 passed, 0 failed"), "{said}");
    assert!(!site.root().join("../hooked").exists());
    assert_eq!(site.read("a.py"), "broken\n", "the user's files are as they were");
}

#[test]
fn fewer_tests_than_were_attested_are_not_enough() {
    let site = Site::attested();
    let note = site.note();
    let last = note.last().unwrap();
    let more = site.payload(last).replace("\"count\":2", "\"count\":3");
    let line = site.signed(&site.restated(last, &more), "me", "holdpoint-receipt");
    site.forge(&[&note[..note.len() - 1], &[line]].concat());
    let said = site.refused(&["--again"]);
    assert!(said.contains("run again: 2 tests ran, and 3 when it was attested"), "{said}");
}

#[test]
fn tests_that_change_what_they_test_prove_nothing() {
    let site = Site::attested();
    let said = site.refused(&["--again", "--run", "echo x = 1 > a.py; echo more >> a.py; sh test.sh"]);
    assert!(said.contains("the tests changed files of the commit: a.py"), "{said}");
    let said = site.refused(&["--again", "--run", "no-such-program"]);
    assert!(said.contains("the tests could not be run"), "{said}");
    site.ok(&["verify", "--again", "--run", "touch new; sh test.sh"]);
    let said = site.ok(&["verify", "--again", "--json", "--run", "API_KEY=hunter2hunter2 sh test.sh"]);
    assert!(said.contains("API_KEY=[secret]") && !said.contains("hunter2"), "{said}");
}

/// It is somebody's code: it reads no variables of the session, and on Linux it writes nothing outside of its folder.
#[cfg(target_os = "linux")]
#[test]
fn what_is_run_again_is_confined() {
    let site = Site::attested();
    let temporary = site.tools().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let script = format!("echo x > {}/escaped; sh test.sh", site.root().display());
    let mut verify = site.program(env!("CARGO_BIN_EXE_holdpoint"), &site.root());
    verify.args(["verify", "--again", "--json", "--run", &script]).env("TMPDIR", &temporary);
    verify.env("GITHUB_TOKEN", "t").env("SSH_AUTH_SOCK", "/s");
    let printed: crate::project::Printed = verify.output().unwrap().into();
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    if holdpoint::confinement::sandbox::can_confine() {
        assert!(!site.root().join("escaped").exists());
    }
    let script = "test -z \"$SSH_AUTH_SOCK$GITHUB_TOKEN$GIT_DIR\" && sh test.sh";
    verify = site.program(env!("CARGO_BIN_EXE_holdpoint"), &site.root());
    verify.args(["verify", "--again", "--run", script]).env("GITHUB_TOKEN", "t").env("SSH_AUTH_SOCK", "/s");
    assert!(verify.output().unwrap().status.success());
    assert_eq!(temporary.read_dir().unwrap().count(), 0, "nothing is left behind");
}
