//! The commits of a run, attested and verified: what the engine made is what others find proved.

use super::project::Site;
use super::walk::{
    END, READY_1, READY_2, TASK_1, TASK_2, commit_1, commit_2, discount, follow, nothing, total,
};

#[test]
fn every_commit_of_a_run_can_be_verified_and_tested_again() {
    let site = Site::new();
    site.start(&[]);
    site.done(&["plan"]);
    let steps: [super::walk::Step<'_>; 5] =
        [(TASK_1, &total), (READY_1, &commit_1), (TASK_2, &discount), (READY_2, &commit_2), (END, &nothing)];
    follow(&site, Site::next, &steps);
    site.sh("holdpoint attest HEAD~1 && holdpoint attest");
    let said = site.sh("holdpoint verify HEAD~2..HEAD --unsigned --require tests --require review");
    assert_eq!(said.matches(" proved  feat(cart): ").count(), 2, "{said}");
    for phase in ["tester", "spec-review", "code-quality", "committing"] {
        assert!(said.contains(phase), "{phase}: {said}");
    }
    let said = site.sh("holdpoint verify --unsigned --again --run './test fast' --require tests=witnessed");
    assert!(said.contains("passed, 0 failed") && said.contains("cannot be run again:"), "{said}");
    // A workflow that leaves out other files than its own edition does is not this one.
    let note = site.sh("git notes --ref holdpoint show");
    let line = note.lines().last().unwrap();
    let envelope: serde_json::Value = serde_json::from_str(line).unwrap();
    let payload = site.sh(&format!("printf %s '{}' | base64 -d", envelope["payload"].as_str().unwrap()));
    assert!(payload.contains("urn:holdpoint:run:v1"), "the summary is the last one");
    let forged = payload.replace("\"aside\":[", "\"aside\":[\"**\",");
    site.write("../tools/forged", &forged);
    let forge = format!(
        "{{ git notes --ref holdpoint show | sed '$d'; printf '{{\"payloadType\":\"application/vnd.in-toto+json\",\
         \"payload\":\"%s\",\"signatures\":[]}}\\n' \"$(base64 -w 0 {0}/forged)\"; }} > {0}/note && \
         git notes --ref holdpoint add --force --file {0}/note",
        site.tools().display()
    );
    site.sh(&forge);
    let printed = site.shell("holdpoint verify --unsigned");
    assert_eq!(printed.code, Some(1));
    assert!(printed.stdout.contains("the attestation leaves out other files than"), "{}", printed.stdout);
}
