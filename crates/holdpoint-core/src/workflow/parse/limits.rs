//! `[limits]`, from TOML.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;
use toml::de::{DeTable, DeValue};

use super::super::limit::Limit;
use super::super::step::Step;
use super::super::table::{Language, Reader, Spanned};
use super::super::{List, Text};
use super::steps::Place;
use super::{Count, Parser};

const KEYS: [&str; 3] = ["most", "count", "then"];

impl Parser<'_> {
    /// Notes which fields the limits count in, before any step is read: a step that renews one sets them.
    pub(super) fn note_counts(&mut self, top: &DeTable<'_>) {
        let Some(limits) = self.inner(top, "limits") else { return };
        let shared = Self::shared(top, "limit");
        for (name, value) in limits {
            self.limit_names.push(name.get_ref().to_string());
            self.limit_spans.push((name.get_ref().to_string(), name.span()));
            let field = self.count_field(name.get_ref(), value, shared);
            let field = field.map_or_else(|| name.get_ref().to_string(), Cow::into_owned);
            self.counts.push(Count { limit: name.get_ref().to_string(), field, first: json!(0) });
        }
    }

    pub(super) fn limits(&mut self, top: &DeTable<'_>) -> List<Limit> {
        let Some(limits) = self.inner(top, "limits") else { return List::default() };
        let shared = Self::shared(top, "limit");
        if let Some(shared) = shared {
            self.reader.known_keys("[defaults.limit]", shared, &KEYS);
        }
        limits.iter().map(|(name, value)| self.limit(name.get_ref(), name.span(), value, shared)).collect()
    }

    fn limit(
        &mut self,
        name: &str,
        span: Range<usize>,
        value: &Spanned<'_>,
        shared: Option<&DeTable<'_>>,
    ) -> Limit {
        let own = value.get_ref().as_table();
        if let Some(own) = own {
            self.reader.known_keys(&format!("[limits] {name}"), own, &KEYS);
        }
        let given =
            |key: &str| own.and_then(|own| Reader::get(own, key)).or_else(|| Reader::get(shared?, key));
        let most = if own.is_some() { given("most") } else { Some(value) };
        let most = self.most(name, &span, most);
        let place = span.clone();
        let then = given("then").map(|then| self.step(then, Place::Phase));
        if then.is_none() {
            self.reader.is_partial = true;
            self.reader.error(span, format!("limit `{name}` does not say what happens at the limit")).hint =
                Some("name a phase: then = \"stuck\", or a step: then = { tell = \"…\" }".into());
        }
        let count = self.count_field(name, value, shared);
        if let Some(count) = &count {
            self.names_field(count, place, "0");
        }
        Limit { name: Cow::Owned(name.to_owned()), count, most, then: then.unwrap_or_else(Step::default) }
    }

    /// How many rounds: a number or an expression.
    fn most(&mut self, name: &str, at: &Range<usize>, value: Option<&Spanned<'_>>) -> Text {
        match value.map(|value| (value.get_ref(), value.span())) {
            Some((DeValue::Integer(number), _)) => number.to_string().into(),
            Some((DeValue::String(expression), span)) => {
                if expression.contains("{{") || expression.trim().parse::<f64>().is_ok() {
                    self.reader.error(span.clone(), "`most` is a number or an expression").hint =
                        Some("without quotes or brackets: most = 3, or most = \"state.max_reviews\"".into());
                } else if is_a_word(expression) && self.fields.iter().any(|field| field.name == *expression) {
                    self.reader.error(span.clone(), format!("`{expression}` is a field of the state")).hint =
                        Some(format!("most = \"state.{expression}\""));
                }
                self.reader.piece(Language::Expression, expression, span);
                expression.to_string().into()
            }
            Some((_, span)) => {
                self.reader.error(span, format!("limit `{name}` must be a number, an expression or a table"));
                "1".into()
            }
            None => {
                self.reader.error(at.clone(), format!("limit `{name}` has no `most`")).hint =
                    Some("say how often: most = 3".into());
                "1".into()
            }
        }
    }

    /// The state field that counts; `{name}` in a shared one is the limit's name.
    fn count_field(&mut self, name: &str, value: &Spanned<'_>, shared: Option<&DeTable<'_>>) -> Option<Text> {
        let own = value.get_ref().as_table().filter(|own| Reader::get(own, "count").is_some());
        let field = self.reader.text(own.or(shared)?, "count")?;
        Some(field.replace("{name}", name).into())
    }

    /// `[defaults.X]`.
    pub(super) fn shared<'a, 'i>(top: &'a DeTable<'i>, of: &str) -> Option<&'a DeTable<'i>> {
        Reader::get(Reader::get(top, "defaults")?.get_ref().as_table()?, of)?.get_ref().as_table()
    }
}

fn is_a_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}
