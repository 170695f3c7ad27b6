//! A verdict: what a check, a reviewer or an approval answers, and the route that takes it by default.

use serde_json::Value as Json;

use crate::workflow::Text;

/// What a check, a reviewer or an approval answers. Not being able to answer is no verdict, but a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::verdict))]
pub enum Verdict {
    /// All is well.
    Pass,
    /// Something is wrong.
    Fail,
    /// There was nothing to do.
    Skip,
    /// All is well as far as a program can tell; a person should look.
    Warn,
    /// The check ran and proved nothing: no tests, killed, out of time.
    Broken,
    /// Only tests failed that failed before the work began, outside of what it touched.
    OutOfScope,
    /// The files changed after the question was asked.
    Stale,
    /// A word of the phase's own `verdicts`.
    Word(Text),
}

impl Verdict {
    /// The verdicts that the engine knows, as workflow files spell them.
    pub(crate) const NAMED: [(&'static str, Verdict); 7] = [
        ("pass", Verdict::Pass),
        ("fail", Verdict::Fail),
        ("skip", Verdict::Skip),
        ("warn", Verdict::Warn),
        ("broken", Verdict::Broken),
        ("out-of-scope", Verdict::OutOfScope),
        ("stale", Verdict::Stale),
    ];

    /// Reads a verdict; a word that the engine does not know is a workflow's own.
    pub(crate) fn of(word: &str) -> Verdict {
        let named = Verdict::NAMED.into_iter().find(|(name, _)| *name == word);
        named.map_or_else(|| Verdict::Word(Text::Owned(word.to_owned())), |(_, verdict)| verdict)
    }

    /// The word for it, in workflow files, evidence and the journal.
    pub fn word(&self) -> &str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Skip => "skip",
            Verdict::Warn => "warn",
            Verdict::Broken => "broken",
            Verdict::OutOfScope => "out-of-scope",
            Verdict::Stale => "stale",
            Verdict::Word(word) => word,
        }
    }

    /// The verdict whose route takes this one where the phase has none for it. This is the only such table.
    pub(crate) fn default_route(&self) -> Option<Verdict> {
        match self {
            Verdict::Skip | Verdict::Warn => Some(Verdict::Pass),
            // An agent can break a check: that is never better than a failure.
            Verdict::Broken | Verdict::OutOfScope => Some(Verdict::Fail),
            Verdict::Pass | Verdict::Fail | Verdict::Stale | Verdict::Word(_) => None,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl serde::Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> serde::Deserialize<'de> for Verdict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
        String::deserialize(deserializer).map(|word| Verdict::of(&word))
    }
}

/// Finds the word at the first of the places that has one. A text on the way is read as JSON: some programs answer with
/// JSON inside a text.
pub(crate) fn find(output: &[u8], places: &[String]) -> Option<String> {
    let answer: Json = crate::json::first(output).ok()?;
    places.iter().find_map(|place| at(&answer, place))
}

fn at(answer: &Json, place: &str) -> Option<String> {
    let mut here = answer.clone();
    for name in place.split('.') {
        if let Json::String(text) = &here {
            here = serde_json::from_str(text).ok()?;
        }
        here = here.get(name)?.clone();
    }
    here.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_means_one_verdict() {
        for (word, verdict) in Verdict::NAMED {
            assert_eq!(Verdict::of(word), verdict);
            assert_eq!(verdict.word(), word);
        }
        assert_eq!(Verdict::of("approved").word(), "approved");
        assert_eq!(Verdict::of("passed"), Verdict::Word("passed".into()), "no second spelling");
    }

    #[test]
    fn a_verdict_is_found_where_programs_put_it() {
        let places = ["structured_output.verdict".to_owned(), "result.verdict".to_owned()];
        for (output, expect) in [
            (r#"{"structured_output":{"verdict":"PASS"},"result":"x"}"#, Some("PASS")),
            (r#"{"result":{"verdict":"FAIL"}}"#, Some("FAIL")),
            (r#"{"result":"{\"verdict\":\"PASS\"}"}"#, Some("PASS")),
            (r#"{"result":"looks fine"}"#, None),
            (r#"{"structured_output":{"verdict":5}}"#, None),
            ("nonsense", None),
            ("", None),
        ] {
            assert_eq!(find(output.as_bytes(), &places).as_deref(), expect, "{output}");
        }
    }
}
