//! JSON whose values are built only where they are used. The text is validated as a whole, but values are built one
//! level at a time: a rule reads a handful of fields of a 100 KB state file, and building the others would cost more
//! than everything else the hook does.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value};

use super::{JsonError, scan, whole};
use crate::facts::FactError;

/// The number of lazy levels. Deeper values are read at once, so that no text is parsed more often than this.
const LEVELS_MAX: usize = 4;

/// Parses `bytes` as one value and nothing else. Objects and lists inside it are read on first use.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, JsonError> {
    let strict = std::str::from_utf8(bytes).ok().and_then(|text| whole_level(text.into(), 0));
    let level = strict.or_else(|| whole_level(super::repaired(bytes).ok()?.into(), 0));
    // Neither an object nor a list, or not JSON at all.
    level.map_or_else(|| whole(bytes), Ok)
}

/// One level of an object or a list that is all of a text.
fn whole_level(text: Arc<str>, depth: usize) -> Option<Value> {
    let (level, end) = level(&text, 0, depth)?;
    (scan::space(text.as_bytes(), end) == text.len()).then_some(level)
}

/// One level of the object or list that begins at a place, and where it ends.
fn level(text: &Arc<str>, at: usize, depth: usize) -> Option<(Value, usize)> {
    let bytes = text.as_bytes();
    let inner = |at: usize| {
        let end = scan::value_end(bytes, at)?;
        Some((part(text, at..end, depth + 1), end))
    };
    let mut items = Vec::new();
    let element = |at| {
        let (value, end) = inner(at)?;
        items.push(value);
        Some(end)
    };
    if let Some(end) = scan::elements(bytes, at, element) {
        return Some((Value::from(items), end));
    }
    let mut pairs = Vec::new();
    let end = scan::fields(bytes, at, |name, at| {
        let (value, end) = inner(at)?;
        pairs.push((Value::from(name.as_ref()), value));
        Some(end)
    })?;
    Some((Value::from_pairs(pairs), end))
}

/// Converts a value inside another one. Objects and lists stay unread.
fn part(text: &Arc<str>, place: Range<usize>, depth: usize) -> Value {
    let repr = match text.as_bytes().get(place.start) {
        Some(b'{') if depth < LEVELS_MAX => ObjectRepr::Map,
        Some(b'[') if depth < LEVELS_MAX => ObjectRepr::Seq,
        Some(b'"') => match scan::string(text.as_bytes(), place.clone()) {
            Some(text) => return Value::from(text.as_ref()),
            None => return eager(&text[place]),
        },
        _ => return eager(&text[place]),
    };
    Value::from_object(Part { text: Arc::clone(text), place, depth, repr, value: OnceLock::new() })
}

fn eager(text: &str) -> Value {
    whole(text.as_bytes()).unwrap_or_else(not_json)
}

/// A value that tells, where it is used, why it could not be read.
fn not_json(why: JsonError) -> Value {
    FactError::malformed("a part is not valid JSON", why).into()
}

/// An object or a list that is read on first use.
#[derive(Debug)]
pub(crate) struct Part {
    text: Arc<str>,
    place: Range<usize>,
    depth: usize,
    repr: ObjectRepr,
    value: OnceLock<Value>,
}

impl Part {
    /// The length of its text.
    pub(crate) fn length(&self) -> usize {
        self.place.len()
    }

    fn read(&self) -> Option<&DynObject> {
        let read = || match level(&self.text, self.place.start, self.depth) {
            Some((value, _)) => value,
            None => eager(&self.text[self.place.clone()]),
        };
        self.value.get_or_init(read).as_object()
    }
}

impl Object for Part {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        self.repr
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.read()?.get_value(key)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.read()?.get_value_by_str(key)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.read().map_or(Enumerator::Empty, DynObject::enumerate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    fn eager(bytes: &[u8]) -> Result<Value, JsonError> {
        whole(bytes)
    }

    #[test]
    fn lazy_values_equal_eager_ones() {
        for text in [
            r#"{"a":{"b":[1,{"c":null}]},"d":"x","e":[],"f":{}}"#,
            r#"{"a":{"x":1},"a":{"y":2}}"#,
            r#"{"a":["\ud800x",{"\udc00":1e400}]}"#,
            "\u{feff}{\"a\":[\"x\ny\"]}",
            "[[1,2],[3]]",
            "5",
            "null",
            r#""text""#,
        ] {
            let lazy = value(text.as_bytes()).unwrap();
            let eager = eager(text.as_bytes()).unwrap();
            assert_eq!(
                serde_json::to_string(&lazy).unwrap(),
                serde_json::to_string(&eager).unwrap(),
                "{text}"
            );
            assert_eq!(lazy.to_string(), eager.to_string(), "{text}");
            assert_eq!(lazy, eager, "{text}");
            assert_eq!(lazy.is_true(), eager.is_true(), "{text}");
        }
    }

    #[test]
    fn an_error_anywhere_in_the_text_is_found_at_once() {
        for text in ["", "{", r#"{"a":{"b":[1,}}"#, r#"{"a":{"b":1}} x"#, r#"{"a":[tru]}"#, "nonsense"] {
            assert!(value(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn nesting_too_deep_is_a_fault_where_it_is_used() {
        let text = format!("{{\"a\":1,\"b\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let deep = value(text.as_bytes()).unwrap();
        assert_eq!(deep.get_attr("a").unwrap(), Value::from(1));
        assert!(serde_json::to_string(&deep).is_err());
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            ".*".prop_map(Json::from),
        ];
        leaf.prop_recursive(8, 64, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                prop::collection::vec((".*", inner), 0..5)
                    .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_reads_the_same_as_at_once(json in any_json()) {
            let text = json.to_string();
            let lazy = value(text.as_bytes()).unwrap();
            prop_assert_eq!(&lazy, &eager(text.as_bytes()).unwrap());
            prop_assert_eq!(serde_json::to_string(&lazy).unwrap(), text);
        }
    }
}
