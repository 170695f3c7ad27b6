use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::*;

/// Whether the text is one whole object or list.
fn is_whole(text: &[u8]) -> bool {
    let object = || fields(text, 0, |_, at| value_end(text, at));
    let list = || elements(text, 0, |at| value_end(text, at));
    object().or_else(list).is_some_and(|end| space(text, end) == text.len())
}

fn is_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        && serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

#[test]
fn what_is_json_is_passed_over_and_nothing_else() {
    for text in [
        "{}",
        "[]",
        " [ ] ",
        r#"{"a":1,"b":[true,false,null],"c":{"d":"x\"\\\u00e9\n"}}"#,
        "[0,-0,1.5,-1.5e+3,1E9,10]",
        "{\n        \"a\": [\n            1\n        ]\n}\n",
        "[01]",
        "[-]",
        "[1.]",
        "[.5]",
        "[1e]",
        "[1,]",
        "[,1]",
        "[1 2]",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        r"{a:1}",
        r#"["\q"]"#,
        r#"["\u12"]"#,
        r#"["\ud800"]"#,
        "[\"a\nb\"]",
        "[\"a",
        "[tru]",
        "[truex]",
        "[[1}]",
        r#"{"a":[1},2]"#,
        "[1]]",
        "\u{feff}[1]",
    ] {
        assert_eq!(is_whole(text.as_bytes()), is_json(text.as_bytes()), "{text}");
    }
}

#[test]
fn fields_are_found_with_their_values() {
    let text = br#" {"a" : [1, 2] ,"\u0062":"x\ny"} rest"#;
    let mut seen = Vec::new();
    let end = fields(text, 0, |name, at| {
        let end = value_end(text, at)?;
        seen.push((name.into_owned(), String::from_utf8_lossy(&text[at..end]).into_owned()));
        Some(end)
    });
    assert_eq!(end.map(|end| &text[end..]), Some(&b" rest"[..]));
    assert_eq!(seen, [("a".to_owned(), "[1, 2]".to_owned()), ("b".to_owned(), r#""x\ny""#.to_owned())]);
}

#[test]
fn a_value_may_be_nested_deep() {
    let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(is_whole(text.as_bytes()));
    assert!(!is_whole(&text.as_bytes()[..text.len() - 1]));
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"a\":"),
        Just("1"),
        Just("-0"),
        Just("0.5"),
        Just("e3"),
        Just("true"),
        Just("null"),
        Just(" "),
        Just("\n    "),
        Just("\"\\"),
        Just("\\u00"),
        Just("\""),
        Just("\t"),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #[test]
    fn it_is_as_strict_as_serde(text in pieces()) {
        let text = [&b"["[..], &text, b"]"].concat();
        prop_assert_eq!(is_whole(&text), is_json(&text), "{}", String::from_utf8_lossy(&text));
    }

    #[test]
    fn a_string_ends_where_it_ends(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let end = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(bytes.len());
        prop_assert_eq!(plain(&bytes), end);
    }
}
