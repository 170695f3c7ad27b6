//! What `attest` writes, and that `verify` finds it good wherever the commit is.

use super::site::Site;

#[test]
fn what_was_proved_is_attested_and_verified_anywhere() {
    let site = Site::proved();
    site.key("me");
    site.sign_with("me");
    site.allow_signer("me", "namespaces=\"holdpoint-receipt\"");
    let said = site.ok(&["attest"]);
    assert!(said.contains("signed with your SSH key, a note in refs/notes/holdpoint"), "{said}");
    assert!(said.contains("flow: 2 pieces of evidence, level kept"), "{said}");
    let said = site.ok(&["verify"]);
    assert!(said.contains("proved  a thing") && said.contains("signed by me@example.com"), "{said}");
    let elsewhere = site.clone_to("elsewhere");
    let signers = site.tools().join("allowed");
    let printed =
        site.run_in(&elsewhere, &["verify", "--allowed-signers", signers.to_str().unwrap(), "--json"]);
    assert_eq!(printed.code, Some(0), "{}{}", printed.stdout, printed.stderr);
    let json = printed.json();
    assert_eq!(json["proved"], true);
    assert_eq!(json["evidence"][0]["kind"], "tests");
    assert_eq!(json["evidence"][1]["verdict"], "pass");
    assert_eq!(json["aside"][2], "notes/**");
    assert!(!elsewhere.join(".holdpoint").join("git").exists(), "nothing is written to a project");
}

#[test]
fn the_statements_have_the_forms_that_others_know() {
    let site = Site::proved();
    site.ok(&["attest"]);
    let note = site.note();
    let statements: Vec<_> = note.iter().map(|line| site.statement(line)).collect();
    let [tests, review, run] = statements.as_slice() else { panic!("{statements:#?}") };
    for statement in &statements {
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        let digest = &statement["subject"][0]["digest"];
        assert_eq!(digest["gitCommit"].as_str().unwrap(), site.sh("git rev-parse HEAD"));
        assert_eq!(digest["gitTree"].as_str().unwrap(), site.sh("git rev-parse HEAD^{tree}"));
    }
    assert_eq!(tests["predicateType"], "https://in-toto.io/attestation/test-result/v0.1");
    assert_eq!(tests["predicate"]["result"], "PASSED");
    assert_eq!(tests["predicate"]["configuration"][0]["name"], "flow");
    assert_eq!(review["predicateType"], "urn:holdpoint:review:v1");
    assert_eq!(review["predicate"]["reviewer"], "critic");
    assert_eq!(review["predicate"]["level"], "kept");
    assert_eq!(run["predicateType"], "urn:holdpoint:run:v1");
    let evidence = run["predicate"]["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), 2);
    assert_eq!(evidence[0]["count"], 2);
    assert_eq!(evidence[1]["link"]["previous"], evidence[0]["link"]["digest"]);
    assert_eq!(run["predicate"]["head"], evidence[1]["link"]);
}

#[test]
fn nothing_of_the_machine_travels() {
    let site = Site::new();
    let flow = ".holdpoint/workflows/flow/workflow.toml";
    let home = site.tools().display().to_string();
    let with_path = site.read(flow).replace("\"--fast\"", &format!("\"{home}/x\""));
    site.write(flow, &with_path);
    site.prove();
    site.commit("a thing");
    site.ok(&["attest"]);
    let texts: String = site.note().iter().map(|line| site.payload(line)).collect();
    let forbidden = [home.as_str(), "SECRET NOTES", "LOOK", ".holdpoint/logs", "\"command\""];
    for text in forbidden {
        assert!(!texts.contains(text), "{text} is in {texts}");
    }
    let said = site.refused(&["--unsigned", "--again"]);
    assert!(said.contains("give it with `--run`"), "{said}");
}

#[test]
fn a_commit_that_nobody_proved_has_no_attestation() {
    let site = Site::proved();
    site.write("a.py", "x = 1  # and more\n");
    site.commit("another thing");
    let printed = site.run(&["attest"]);
    assert_eq!(printed.code, Some(1));
    assert!(printed.stderr.contains("no evidence is about its tree"), "{}", printed.stderr);
    site.ok(&["attest", "HEAD~1"]);
    let said = site.refused(&["HEAD~1..HEAD"]);
    assert!(said.contains("not proved  another thing") && said.contains("no attestation"), "{said}");
    assert!(said.contains("hint: `holdpoint attest COMMIT`"), "{said}");
    let said = site.refused(&[]);
    assert!(said.contains("error: the commit is not proved"), "{said}");
}

/// What the workflow leaves out may differ: it was no part of the proof.
#[test]
fn what_is_aside_may_change_between_the_proof_and_the_commit() {
    let site = Site::new();
    site.prove();
    site.write("notes/n.md", "changed\n");
    site.commit("a thing");
    site.ok(&["attest"]);
    site.ok(&["verify", "--unsigned"]);
}

#[test]
fn a_range_is_verified_commit_by_commit() {
    let site = Site::attested();
    for round in ["two", "three"] {
        site.write("b.py", round);
        site.prove();
        site.commit(round);
        site.ok(&["attest"]);
    }
    let said = site.ok(&["verify", "HEAD~2..HEAD"]);
    assert_eq!(said.matches(" proved  ").count(), 2, "{said}");
    assert!(site.refused(&["HEAD..HEAD"]).contains("there are no commits in `HEAD..HEAD`"));
    assert!(site.refused(&["HEAD...HEAD~1"]).contains("is not a range"));
    assert!(site.refused(&["nonsense"]).contains("`nonsense` is not a commit"));
    assert!(site.refused(&["--", "--help"]).contains("`--help` is not a commit"));
}

#[test]
fn an_attestation_can_be_a_file() {
    let site = Site::proved();
    site.ok(&["attest", "--output", "../proof.jsonl"]);
    assert!(
        site.refused(&["--unsigned"])
            .contains("hint: fetch the attestations: git fetch origin refs/notes/holdpoint")
    );
    site.ok(&["verify", "--unsigned", "--from", "../proof.jsonl"]);
    let printed = site.run(&["attest", "--output", "x", "--note"]);
    assert_eq!(printed.code, Some(2), "one or the other");
}

#[test]
fn what_failed_is_attested_and_does_not_pass() {
    let site = Site::new();
    site.write("a.py", "x = 2\n");
    site.prove();
    site.commit("a thing");
    site.ok(&["attest"]);
    let said = site.refused(&["--unsigned"]);
    assert!(said.contains("suite of flow did not pass: its verdict is `fail`"), "{said}");
}

#[test]
fn a_requirement_is_met_or_named() {
    let site = Site::attested();
    site.ok(&["verify", "--require", "tests", "--require", "review", "--require", "kept"]);
    for what in ["approval", "fenced", "tests=witnessed"] {
        let said = site.refused(&["--require", what]);
        assert!(said.contains(&format!("`--require {what}` is not met")), "{said}");
    }
    let printed = site.run(&["verify", "--require", "nonsense"]);
    assert_eq!(printed.code, Some(2), "{}", printed.stderr);
}

#[test]
fn attesting_again_replaces_what_was_there() {
    let site = Site::attested();
    site.prove();
    site.ok(&["attest"]);
    assert_eq!(site.note().len(), 5, "two runs of tests and reviews, and one summary");
    site.ok(&["verify"]);
}

#[test]
fn shallow_bare_and_linked_repositories_are_verified_too() {
    let site = Site::attested();
    let (root, tools) = (site.root().display().to_string(), site.tools().display().to_string());
    let notes = "refs/notes/holdpoint:refs/notes/holdpoint";
    site.sh(&format!("git clone --quiet --depth 1 file://{root} {tools}/shallow"));
    site.sh(&format!("git -C {tools}/shallow fetch --quiet --depth 1 origin {notes}"));
    site.sh(&format!("git clone --quiet --mirror . {tools}/bare && git worktree add --quiet {tools}/linked"));
    let signers = format!("{tools}/allowed");
    for place in ["shallow", "bare", "linked"] {
        let args = ["verify", "--allowed-signers", &signers, "--again", "--run", "sh test.sh"];
        let printed = site.run_in(&site.tools().join(place), &args);
        assert_eq!(printed.code, Some(0), "{place}: {}{}", printed.stdout, printed.stderr);
    }
}
