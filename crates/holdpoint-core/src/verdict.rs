//! A reviewer's verdict: somewhere in its JSON answer, at places that the workflow names.

use serde_json::Value as Json;

/// The first verdict found at one of the places. A text on the way is read as JSON: some programs answer with JSON
/// inside a text.
pub fn find(output: &[u8], places: &[String]) -> Option<String> {
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
