//! Attestations that somebody has tampered with, and what `verify` says of each.

use serde_json::Value as Json;

use super::site::Site;

/// The summary's line; it is the last one.
fn summary(note: &[String]) -> usize {
    note.len() - 1
}

#[test]
fn a_changed_statement_has_no_signature() {
    let site = Site::attested();
    let mut note = site.note();
    note[0] = site.restated(&note[0], &site.payload(&note[0]).replace("PASSED", "WARNED"));
    site.forge(&note);
    let said = site.refused(&[]);
    assert!(
        said.contains("the attestation proves nothing: the signature is not by an allowed signer"),
        "{said}"
    );
}

#[test]
fn a_signature_of_another_key_does_not_count() {
    let site = Site::attested();
    site.key("other");
    let note = site.note();
    let forged: Vec<String> =
        note.iter().map(|line| site.signed(line, "other", "holdpoint-receipt")).collect();
    site.forge(&forged);
    assert!(site.refused(&[]).contains("the signature is not by an allowed signer"));
    let again: Vec<String> = note.iter().map(|line| site.signed(line, "me", "holdpoint-receipt")).collect();
    site.forge(&again);
    site.ok(&["verify"]);
}

#[test]
fn a_signature_for_commits_does_not_count() {
    let site = Site::attested();
    let forged: Vec<String> = site.note().iter().map(|line| site.signed(line, "me", "git")).collect();
    site.forge(&forged);
    assert!(site.refused(&[]).contains("the signature is not by an allowed signer"));
}

#[test]
fn a_key_that_is_only_for_commits_does_not_count() {
    let site = Site::attested();
    site.allow_signer("me", "namespaces=\"git\"");
    assert!(site.refused(&[]).contains("the signature is not by an allowed signer"));
}

#[test]
fn an_attestation_without_a_signature_must_be_accepted() {
    let site = Site::proved();
    site.ok(&["attest"]);
    assert!(site.refused(&[]).contains("the attestation proves nothing: it is not signed"));
    site.ok(&["verify", "--unsigned"]);
    site.key("me");
    site.sign_with("me");
    site.ok(&["attest"]);
    let said = site.refused(&["--unsigned"]);
    assert!(
        said.contains("no file says whose keys count") && said.contains("--allowed-signers FILE"),
        "{said}"
    );
    assert!(site.refused(&["--allowed-signers", "nowhere"]).contains("there is no file"));
}

#[test]
fn the_note_of_another_commit_does_not_count() {
    let site = Site::attested();
    let note = site.note();
    site.sh("git commit --quiet --allow-empty --message 'the same tree'");
    site.forge(&note);
    assert!(site.refused(&[]).contains("the attestation is about another commit"));
}

/// A statement of somebody with the key, about files that the commit does not have.
#[test]
fn another_tree_does_not_count() {
    let site = Site::attested();
    let note = site.note();
    let tree = site.sh("git rev-parse HEAD^{tree}");
    let empty = site.sh("git hash-object -t tree -w --stdin </dev/null");
    let resigned = |payload: &dyn Fn(&str) -> String| -> Vec<String> {
        let restate = |line: &String| site.restated(line, &payload(&site.payload(line)));
        note.iter().map(restate).map(|line| site.signed(&line, "me", "holdpoint-receipt")).collect()
    };
    site.forge(&resigned(&|text| {
        text.replace(&format!("\"gitTree\":\"{tree}\""), &format!("\"gitTree\":\"{empty}\""))
    }));
    assert!(site.refused(&[]).contains("about another tree than the commit has"));
    let proved = site.statement(&note[summary(&note)])["predicate"]["tree"].as_str().unwrap().to_owned();
    site.forge(&resigned(&|text| {
        text.replace(&format!("\"tree\":\"{proved}\""), &format!("\"tree\":\"{empty}\""))
    }));
    assert!(site.refused(&[]).contains("flow proved another tree than the commit has"));
}

#[test]
fn a_commit_that_was_amended_is_not_the_one_that_was_proved() {
    let site = Site::attested();
    site.write("a.py", "x = 1\nimport evil\n");
    site.sh("git config notes.rewriteRef refs/notes/holdpoint && git config notes.rewrite.amend true");
    site.sh("git add --all && git commit --quiet --amend --no-edit");
    assert!(site.refused(&[]).contains("the attestation is about another commit"));
}

/// The usual case: the note stays with the commit that was proved.
#[test]
fn a_commit_in_the_place_of_a_proved_one_has_no_proof_of_its_own() {
    let site = Site::attested();
    let proved = site.sh("git rev-parse HEAD");
    site.write("a.py", "x = 1\nimport evil\n");
    site.sh("git add --all && git commit --quiet --amend --no-edit");
    let told = site.refused(&[]);
    let said = format!("{} was proved, and this commit came in its place", &proved[..10]);
    assert!(told.contains(&said), "{told}");
    site.sh("git commit --quiet --allow-empty --message more");
    let told = site.refused(&[]);
    assert!(told.contains("no attestation: this commit has no proof of its own"), "{told}");
}

#[test]
fn a_part_that_was_removed_is_missed() {
    let site = Site::attested();
    let note = site.note();
    for (at, said) in [
        (0, "a part of the attestation is missing: what it says about suite"),
        (1, "a part of the attestation is missing: what it says about look"),
        (summary(&note), "the attestation has no summary of a run"),
    ] {
        let mut less = note.clone();
        less.remove(at);
        site.forge(&less);
        let told = site.refused(&[]);
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn parts_of_two_attestations_do_not_mix() {
    let site = Site::attested();
    let first = site.note();
    site.prove();
    site.ok(&["attest"]);
    let second = site.note();
    let mixed: Vec<String> = [&second[..], &first[..1]].concat();
    // The same test result has the same statement: only a review, which has its place, can be told apart.
    site.forge(&mixed);
    site.ok(&["verify"]);
    let both: Vec<String> = [&second[..], &first[summary(&first)..]].concat();
    site.forge(&both);
    assert!(site.refused(&[]).contains("two summaries of flow"));
    site.forge(&[first[1].clone(), second[0].clone(), second[1].clone(), first[summary(&first)].clone()]);
    site.ok(&["verify"]);
    site.forge(&[&first[..], &second[3..4]].concat());
    assert!(site.refused(&[]).contains("has a part that no summary names"));
}

#[test]
fn a_piece_that_was_taken_out_of_the_summary_breaks_it() {
    let site = Site::attested();
    let note = site.note();
    let mut statement = site.statement(&note[summary(&note)]);
    let evidence = statement["predicate"]["evidence"].as_array_mut().unwrap();
    evidence.remove(0);
    let forged = |statement: &Json| {
        let line = site.restated(&note[summary(&note)], &statement.to_string());
        let line = site.signed(&line, "me", "holdpoint-receipt");
        site.forge(&[&note[..summary(&note)], &[line]].concat());
        site.refused(&[])
    };
    assert!(forged(&statement).contains("has a part that no summary names"));
    let mut statement = site.statement(&note[summary(&note)]);
    let digest = statement["predicate"]["evidence"][1]["link"]["digest"].clone();
    statement["predicate"]["evidence"][1]["link"]["previous"] = digest;
    assert!(forged(&statement).contains("the chain of evidence"));
}

#[test]
fn a_line_that_was_removed_from_the_evidence_is_noticed() {
    let site = Site::proved();
    let file = site.book("evidence/flow.jsonl");
    let evidence = std::fs::read_to_string(&file).unwrap();
    let without: Vec<&str> = evidence.lines().skip(1).collect();
    std::fs::write(file, format!("{}\n", without.join("\n"))).unwrap();
    let printed = site.run(&["attest"]);
    assert_eq!(printed.code, Some(1));
    let said = "error: the evidence of flow was changed: 1 of its lines do not follow from those before them";
    assert!(printed.stderr.contains(said), "{}", printed.stderr);
}

/// Two stories of one run cannot both be true.
#[test]
fn a_chain_that_was_rewritten_between_two_commits_is_noticed() {
    let site = Site::attested();
    let file = site.book("evidence/flow.jsonl");
    let before = std::fs::read(&file).unwrap();
    site.prove();
    site.ok(&["attest"]);
    // The run's evidence is set back, and goes on from there as if nothing had been.
    std::fs::write(file, before).unwrap();
    site.write("b.py", "");
    site.prove();
    site.commit("another thing");
    site.ok(&["attest"]);
    site.ok(&["verify"]);
    site.ok(&["verify", "HEAD~1"]);
    site.sh("git branch root $(git commit-tree -m root $(git hash-object -t tree -w --stdin </dev/null))");
    let said = site.refused(&["root..HEAD"]);
    assert!(said.contains("the chain of evidence has two pieces 3"), "{said}");
}

#[test]
fn hostile_notes_have_clear_answers() {
    let site = Site::attested();
    let note = site.note();
    let big = "x".repeat(2 * 1024 * 1024);
    let deep = format!("{{\"payloadType\":{}", "[".repeat(200_000));
    let twice = note[0].replace("\"payload\":", "\"payload\":\"e30=\",\"payload\":");
    let numbers = "{\"payloadType\": 1, \"payload\": 2, \"signatures\": 3}".to_owned();
    let escapes = "{\"\\u001b]0;PWN\\u0007\": 1}".to_owned();
    for (line, said) in [
        (big, "the attestation cannot be read: larger than 1048576 bytes"),
        ("nonsense".to_owned(), "the attestation cannot be read: line 1 is not an envelope"),
        (deep, "the attestation cannot be read: line 1 is not an envelope"),
        (twice, "duplicate field `payload`"),
        (numbers, "invalid type: integer"),
        (escapes, "unknown field"),
    ] {
        site.forge(&[line]);
        let told = site.refused(&[]);
        assert!(told.contains(said), "{said}: {told}");
        assert!(!told.contains('\u{1b}') && told.len() < 2_000, "{told}");
    }
    let hostile = [
        ("[]", "not a statement"),
        ("{\"_type\": \"x\"}", "not a statement: missing field"),
        ("{\"_type\":\"x\",\"subject\":[],\"predicateType\":\"y\",\"predicate\":{}}", "unknown type"),
        (
            "{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[],\"predicateType\":\"y\",\"predicate\":{}}",
            "about one commit",
        ),
    ];
    for (payload, said) in hostile {
        let line = site.signed(&site.restated(&note[0], payload), "me", "holdpoint-receipt");
        site.forge(&[line]);
        let told = site.refused(&[]);
        assert!(told.contains(said), "{said}: {told}");
    }
    let id = site.payload(&note[0]).replace("\"gitCommit\":\"", "\"gitCommit\":\"--upload-pack=");
    site.forge(&[site.signed(&site.restated(&note[0], &id), "me", "holdpoint-receipt")]);
    assert!(site.refused(&[]).contains("not the id of a git object"));
}

#[test]
fn what_a_signer_writes_cannot_steer_a_terminal() {
    let site = Site::attested();
    let note = site.note();
    let line = &note[summary(&note)];
    let payload = site.payload(line).replace("\"phase\":\"look\"", "\"phase\":\"\\u001b[2Jlook\"");
    let line = site.signed(&site.restated(line, &payload), "me", "holdpoint-receipt");
    site.forge(&[&note[..summary(&note)], &[line]].concat());
    let told = site.refused(&[]);
    assert!(told.contains("contradicts itself about  [2Jlook") && !told.contains('\u{1b}'), "{told}");
    let told = site.refused(&["--json"]);
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[test]
fn nobody_gives_himself_a_level() {
    let site = Site::attested();
    let claim = |line: &String| {
        let payload = site.payload(line).replace("\"level\":\"kept\"", "\"level\":\"notarised\"");
        site.signed(&site.restated(line, &payload), "me", "holdpoint-receipt")
    };
    site.forge(&site.note().iter().map(claim).collect::<Vec<_>>());
    let said = site.refused(&["--require", "notarised"]);
    assert!(said.contains("claims the level `notarised`"), "{said}");
}

/// Replaced objects, grafts and attributes are what git shows, not what is there.
#[test]
fn replaced_commits_do_not_count() {
    let site = Site::attested();
    site.sh("git tag good");
    site.write("a.py", "x = 1\nimport evil\n");
    let evil = site.commit("evil");
    site.sh(&format!("git notes --ref holdpoint copy --force good {evil}"));
    site.sh(&format!("git replace {evil} good"));
    assert!(site.refused(&[]).contains("the attestation is about another commit"));
}
