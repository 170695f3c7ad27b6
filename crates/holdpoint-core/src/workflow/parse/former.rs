//! The spellings of the language's first edition, and what to write instead.

/// What to write instead of a key, in a place whose name begins so.
const KEYS: [(&str, &str, &str); 27] = [
    ("a workflow file", "hold", "write [holds.NAME], one table each"),
    ("a workflow file", "witness", "write [witnesses.NAME], one table each"),
    ("a workflow file", "rounds", "write [limits] NAME = { most = 3, then = \"PHASE\" }"),
    ("[run]", "phase", "write `shows`"),
    ("[phases.", "passed", "write `then.pass`"),
    ("[phases.", "issues", "write `then.fail`"),
    ("[phases.", "failed", "write `then.fault`"),
    ("[phases.", "rounds", "write limit = \"NAME\", and the limit under [limits]"),
    ("[phases.", "models", "write `models` in [reviewers.NAME]"),
    ("[phases.", "stop", "write `stop` in a phase by = \"user\""),
    ("[defaults.", "passed", "write `then.pass`"),
    ("[defaults.", "issues", "write `then.fail`"),
    ("[defaults.", "failed", "write `then.fault`"),
    ("[defaults.", "rounds", "write limit = \"NAME\", and the limit under [limits]"),
    ("[defaults.", "models", "write `models` in [reviewers.NAME]"),
    ("[limits]", "limit", "write `most`"),
    ("[limits]", "exhausted", "write `then`"),
    ("[reviewers.", "clean", "write answers = { PASS = \"pass\", FAIL = \"fail\" }"),
    ("[reviewers.", "verdict", "write `verdict_at`"),
    (
        "[checks.",
        "kind",
        "write the kind as the key: tests = [\"cargo\", \"test\"], that = \"…\", scan = \"…\"",
    ),
    ("[checks.", "told", "write its inputs beside it, as keys of the check"),
    ("[checks.", "pass", "write `that`, or `landed` in a check that commits"),
    ("[checks.", "done", "write `landed`"),
    ("[checks.", "least", "write never_fewer = true"),
    ("a step", "afresh", "write renew = \"LIMIT\""),
    ("[holds.", "name", "the table's name is the rule's: [holds.NAME]"),
    ("[witnesses.", "name", "the table's name is the rule's: [witnesses.NAME]"),
];

/// What to write instead of a key that the first edition had there.
pub(in crate::workflow) fn key(place: &str, key: &str) -> Option<&'static str> {
    KEYS.iter().find(|(at, old, _)| place.starts_with(at) && *old == key).map(|(_, _, new)| *new)
}

/// What to write instead of a table that the first edition wrote in another form.
pub(in crate::workflow) fn table(name: &str) -> Option<&'static str> {
    match name {
        "mirror" => Some("write [mirror] FIELD = { file = \"…\", find = \"…\" }"),
        "money" => Some("write money = { documents = \"…\", about = […], names = […] }"),
        _ => None,
    }
}

/// What to write instead of a name that the first edition gave to expressions and texts.
pub(in crate::workflow) fn name(name: &str) -> Option<&'static str> {
    match name {
        "outcome" => Some("write `verdict`"),
        "digest" | "text_digest" | "without" => Some(
            "the engine notices changes itself: freeze = [\"FILE\"] in a step, and `breaches` in a condition",
        ),
        _ => None,
    }
}

/// What to write instead of an attribute that the first edition gave to a noun.
pub(in crate::workflow) fn attribute(noun: &str, name: &str) -> Option<&'static str> {
    (noun.starts_with("evidence.") && name == "outcome").then_some("write `verdict`")
}

/// What to write instead of a key that agents' phases had.
pub(super) fn of_agents(key: &str) -> Option<&'static str> {
    matches!(key, "reviewer" | "prompt")
        .then_some("to show the agent a review: shown = { reviewer = \"NAME\", prompt = \"…\" }")
}

/// The verdict that a word of the first edition meant.
pub(super) fn verdict(word: &str) -> Option<&'static str> {
    match word {
        "passed" => Some("pass"),
        "failed" | "issues" => Some("fail"),
        _ => None,
    }
}
