//! JSON whose values are built only where they are used. The text is validated as a whole, but values are built one
//! level at a time: a rule reads a handful of fields of a 100 KB state file, and building the others would cost more
//! than everything else the hook does.

use std::sync::{Arc, OnceLock};

use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{JsonError, whole};
use crate::facts::FactError;

/// The number of lazy levels. Deeper values are read at once, so that no text is parsed more often than this.
const LEVELS_MAX: usize = 4;

/// Parses `bytes` as one value and nothing else. Objects and lists inside it are read on first use.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, JsonError> {
    match whole::<Level>(bytes) {
        Ok(level) => Ok(level.into_value(0)),
        // Neither an object nor a list, or not JSON at all.
        Err(_) => whole(bytes),
    }
}

/// An object or a list, read one level deep.
enum Level {
    Map(Vec<(String, Box<RawValue>)>),
    List(Vec<Box<RawValue>>),
}

impl Level {
    fn into_value(self, depth: usize) -> Value {
        match self {
            Level::Map(pairs) => {
                Value::from_pairs(pairs.into_iter().map(|(name, text)| (name, part(text, depth + 1))))
            }
            Level::List(items) => items.into_iter().map(|text| part(text, depth + 1)).collect(),
        }
    }
}

/// Converts a value inside another one. Objects and lists stay unread.
fn part(text: Box<RawValue>, depth: usize) -> Value {
    let repr = match text.get().as_bytes().first() {
        Some(b'{') if depth < LEVELS_MAX => ObjectRepr::Map,
        Some(b'[') if depth < LEVELS_MAX => ObjectRepr::Seq,
        _ => return whole(text.get().as_bytes()).unwrap_or_else(not_json),
    };
    Value::from_object(Part { text, depth, repr, value: OnceLock::new() })
}

/// A value that tells, where it is used, why it could not be read.
fn not_json(why: JsonError) -> Value {
    FactError::malformed("a part is not valid JSON", why).into()
}

/// An object or a list that is read on first use.
#[derive(Debug)]
pub(crate) struct Part {
    text: Box<RawValue>,
    depth: usize,
    repr: ObjectRepr,
    value: OnceLock<Value>,
}

impl Part {
    /// The length of its text.
    pub(crate) fn length(&self) -> usize {
        self.text.get().len()
    }

    fn read(&self) -> Option<&DynObject> {
        let read = || match whole::<Level>(self.text.get().as_bytes()) {
            Ok(level) => level.into_value(self.depth),
            Err(why) => not_json(why),
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

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Level, D::Error> {
        from.deserialize_any(LevelVisitor)
    }
}

struct LevelVisitor;

impl<'de> Visitor<'de> for LevelVisitor {
    type Value = Level;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Level, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Level::Map(pairs))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Level, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Level::List(items))
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
