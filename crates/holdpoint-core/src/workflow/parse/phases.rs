//! `[phases]`, `[defaults]`, `[reviewers]` and `[checks]`, from TOML.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::super::phase::{
    Actor, Clean, Models, NamedRounds, Needs, PASSED, Phase, Reviewer, Rounds, Route, Skip,
};
use super::super::step::Step;
use super::super::table::{Language, Reader, Spanned, listed};
use super::super::{List, Say, Text};
use super::Parser;
use super::steps::Place;

const PHASE_KEYS: [&str; 18] = [
    "by", "ask", "prompt", "reviewer", "check", "report", "until", "needs", "skip", "rounds", "models",
    "clean", "enter", "then", "issues", "passed", "failed", "stop",
];
const REVIEWER_KEYS: [&str; 7] = ["command", "prompt", "schema", "verdict", "clean", "log", "timeout"];
const CHECK_KEYS: [&str; 7] = ["run", "kind", "told", "if", "pass", "log", "timeout"];
/// The engine's own checks.
const KINDS: [&str; 6] = ["tests", "scan", "blueprint", "acceptance", "commit", "condition"];
const OUTCOMES: [&str; 5] = ["then", "issues", "passed", "failed", "stop"];
/// How long a reviewer may take where the workflow does not say.
const TIMEOUT_S: u32 = 540;

/// A phase's table over what all phases of its actor have in common.
#[derive(Clone, Copy)]
struct Layers<'a, 'i> {
    own: &'a DeTable<'i>,
    shared: Option<&'a DeTable<'i>>,
}

impl<'a, 'i> Layers<'a, 'i> {
    fn get(self, key: &str) -> Option<&'a Spanned<'i>> {
        Reader::get(self.own, key).or_else(|| Reader::get(self.shared?, key))
    }

    /// The table that has the key.
    fn holder(self, key: &str) -> &'a DeTable<'i> {
        match self.shared {
            Some(shared) if Reader::get(self.own, key).is_none() => shared,
            _ => self.own,
        }
    }
}

impl Parser<'_> {
    pub(super) fn phases(&mut self, top: &DeTable<'_>) -> List<Phase> {
        let Some(phases) = self.inner(top, "phases") else { return List::default() };
        let defaults = self.inner(top, "defaults");
        let mut parsed = Vec::new();
        for (name, value) in phases {
            self.phase_spans.push((name.get_ref().to_string(), name.span()));
            if let Some(table) = self.reader.table(name.get_ref(), value) {
                parsed.push(self.phase(name.get_ref(), table, name.span(), defaults));
            }
        }
        parsed.into()
    }

    pub(super) fn inner<'a, 'i>(&mut self, table: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
        Reader::get(table, key).and_then(|value| self.reader.table(key, value))
    }

    fn phase(
        &mut self,
        name: &str,
        own: &DeTable<'_>,
        span: Range<usize>,
        defaults: Option<&DeTable<'_>>,
    ) -> Phase {
        let place = format!("[phases.{name}]");
        self.reader.known_keys(&place, own, &PHASE_KEYS);
        let by = self.actor(&place, own, &span);
        let shared = defaults.and_then(|defaults| Reader::get(defaults, by.name())?.get_ref().as_table());
        let layers = Layers { own, shared };
        let text = |parser: &mut Self, key: &str| parser.reader.text(layers.holder(key), key);
        Phase {
            name: Cow::Owned(name.to_owned()),
            by,
            ask: self.optional_say(layers, "ask"),
            prompt: self.optional_say(layers, "prompt"),
            reviewer: text(self, if by == Actor::Check { "check" } else { "reviewer" }),
            report: self.source(layers.holder("report"), "report", Language::Template, false),
            until: self.source(layers.holder("until"), "until", Language::Expression, false),
            needs: self.needs(layers),
            skip: self.skip(layers),
            rounds: self.rounds(layers),
            models: self.models(layers),
            clean: self.clean(layers),
            enter: self.enter(layers),
            routes: self.routes(by, layers),
            line: self.line(span.start),
        }
    }

    fn actor(&mut self, place: &str, table: &DeTable<'_>, span: &Range<usize>) -> Actor {
        let word = self.reader.required(place, span.clone(), table, "by");
        if let Some((_, actor)) = Actor::ALL.iter().find(|(name, _)| *name == word) {
            return *actor;
        }
        if !word.is_empty() {
            let hint = format!("it is one of {}", listed(&Actor::ALL.map(|(name, _)| name)));
            self.reader.error(span.clone(), format!("unknown actor `{word}`")).hint = Some(hint);
        }
        Actor::User
    }

    fn optional_say(&mut self, layers: Layers<'_, '_>, key: &str) -> Option<Say> {
        let value = layers.get(key)?;
        let text = self.reader.text(layers.holder(key), key)?;
        Some(self.text_of(text, value.span(), false))
    }

    fn needs(&mut self, layers: Layers<'_, '_>) -> Option<Needs> {
        let table = layers.get("needs").and_then(|value| self.reader.table("needs", value))?;
        self.reader.known_keys("needs", table, &["that", "else"]);
        Some(Needs {
            that: self.expression(table, "that", false).unwrap_or_default(),
            otherwise: self.template(table, "else").unwrap_or_default(),
        })
    }

    fn skip(&mut self, layers: Layers<'_, '_>) -> Option<Skip> {
        let table = layers.get("skip").and_then(|value| self.reader.table("skip", value))?;
        self.reader.known_keys("skip", table, &["when", "set"]);
        Some(Skip {
            when: self.expression(table, "when", false).unwrap_or_default(),
            set: self.reader.named(table, "set", Some(Language::Template)),
        })
    }

    fn rounds(&mut self, layers: Layers<'_, '_>) -> Option<Rounds> {
        let value = layers.get("rounds")?;
        let (span, table) = (value.span(), self.reader.table("rounds", value)?);
        self.reader.known_keys("rounds", table, &["count", "limit", "exhausted"]);
        let exhausted =
            Reader::get(table, "exhausted").map(|value| self.step(value, Place::Limit)).unwrap_or_default();
        Some(Rounds { count: self.reader.text(table, "count"), limit: self.limit(span, table), exhausted })
    }

    /// A limit: a number, the name of a state field, or `{{ … }}`.
    fn limit(&mut self, at: Range<usize>, table: &DeTable<'_>) -> Text {
        match Reader::get(table, "limit").map(toml::Spanned::get_ref) {
            Some(DeValue::Integer(number)) => number.to_string().into(),
            Some(DeValue::String(text)) if text.starts_with("{{") => {
                self.source(table, "limit", Language::Template, false);
                text.trim_start_matches("{{").trim_end_matches("}}").trim().to_owned().into()
            }
            Some(DeValue::String(field)) => format!("state.{field}").into(),
            _ => {
                let hint = "write a number, the name of a state field, or {{ an expression }}";
                self.reader.error(at, "`rounds` has no `limit`").hint = Some(hint.into());
                "0".into()
            }
        }
    }

    fn models(&mut self, layers: Layers<'_, '_>) -> Option<Models> {
        let table = layers.get("models").and_then(|value| self.reader.table("models", value))?;
        self.reader.known_keys("models", table, &["field", "rotate"]);
        Some(Models {
            field: self.reader.text(table, "field").unwrap_or_default(),
            rotate: self.reader.texts(table, "rotate"),
        })
    }

    fn clean(&mut self, layers: Layers<'_, '_>) -> Option<Clean> {
        let table = layers.get("clean").and_then(|value| self.reader.table("clean", value))?;
        self.reader.known_keys("clean", table, &["count", "need"]);
        let need = Reader::get(table, "need").and_then(|value| number(value.get_ref())).unwrap_or(1);
        Some(Clean { count: self.reader.text(table, "count").unwrap_or_default(), need })
    }

    fn enter(&mut self, layers: Layers<'_, '_>) -> Step {
        layers.get("enter").map(|value| self.step(value, Place::Enter)).unwrap_or_default()
    }

    fn routes(&mut self, by: Actor, layers: Layers<'_, '_>) -> List<Route> {
        let mut routes = Vec::new();
        for outcome in OUTCOMES {
            if let Some(value) = layers.get(outcome) {
                if by.is_performed() && outcome == "then" {
                    routes.extend(self.answers(value));
                    continue;
                }
                routes
                    .push(Route { outcome: Cow::Borrowed(outcome), steps: self.steps(value, Place::Phase) });
            }
        }
        routes.into()
    }

    /// `then.<answer>`: where each answer of a reviewer or a check leads.
    fn answers(&mut self, value: &Spanned<'_>) -> Vec<Route> {
        let Some(table) = self.reader.table("then", value) else { return Vec::new() };
        let mut routes = Vec::new();
        for (answer, value) in table {
            let outcome = Cow::Owned(answer.get_ref().to_string());
            routes.push(Route { outcome, steps: self.steps(value, Place::Phase) });
        }
        routes
    }

    /// `[rounds]`: limits that steps name.
    pub(super) fn named_rounds(&mut self, top: &DeTable<'_>) -> List<NamedRounds> {
        let Some(rounds) = self.inner(top, "rounds") else { return List::default() };
        let mut parsed = Vec::new();
        for (name, value) in rounds {
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            self.reader.known_keys("[rounds]", table, &["count", "limit", "exhausted"]);
            parsed.push(NamedRounds {
                name: name.get_ref().to_string().into(),
                count: self.reader.text(table, "count").unwrap_or_else(|| name.get_ref().to_string().into()),
                limit: self.limit(value.span(), table),
                exhausted: Reader::get(table, "exhausted")
                    .map(|value| self.step(value, Place::Limit))
                    .unwrap_or_default(),
            });
        }
        parsed.into()
    }

    /// `[reviewers]` and `[checks]`: the programs that phases are performed by.
    pub(super) fn programs(&mut self, top: &DeTable<'_>) -> List<Reviewer> {
        let mut programs = self.reviewers(top);
        programs.extend(self.checks(top));
        programs.into()
    }

    fn checks(&mut self, top: &DeTable<'_>) -> Vec<Reviewer> {
        let Some(checks) = self.inner(top, "checks") else { return Vec::new() };
        let mut parsed = Vec::new();
        for (name, value) in checks {
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            let place = format!("[checks.{}]", name.get_ref());
            self.reader.known_keys(&place, table, &CHECK_KEYS);
            let command = self.reader.templates(table, "run");
            let kind = self.kind(table);
            if command.is_empty() && kind.is_empty() {
                self.reader.error(name.span(), format!("{place} has no `run`")).hint =
                    Some("name the program and its arguments: run = [\"make\", \"test\"]".into());
            }
            parsed.push(Reviewer {
                name: Cow::Owned(name.get_ref().to_string()),
                is_check: true,
                kind,
                told: self.reader.named(table, "told", Some(Language::Expression)),
                only_if: self.expression(table, "if", false),
                pass: self.expression(table, "pass", false),
                command,
                prompt_on_stdin: false,
                schema: None,
                verdict: List::default(),
                clean: Cow::Borrowed(PASSED),
                log: self.template(table, "log"),
                timeout_s: self.reader.whole(table, "timeout").unwrap_or(TIMEOUT_S),
            });
        }
        parsed
    }

    /// Which of the engine's own checks it is.
    fn kind(&mut self, table: &DeTable<'_>) -> Text {
        let Some(kind) = self.reader.text(table, "kind") else { return Text::default() };
        if !KINDS.contains(&kind.as_ref()) {
            let span = Reader::get(table, "kind").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("unknown kind `{kind}`")).hint =
                Some(format!("it is one of {}", listed(&KINDS)));
        }
        kind
    }

    fn reviewers(&mut self, top: &DeTable<'_>) -> Vec<Reviewer> {
        let Some(reviewers) = self.inner(top, "reviewers") else { return Vec::new() };
        let mut parsed = Vec::new();
        for (name, value) in reviewers {
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            self.reader.known_keys(&format!("[reviewers.{}]", name.get_ref()), table, &REVIEWER_KEYS);
            parsed.push(Reviewer {
                name: Cow::Owned(name.get_ref().to_string()),
                is_check: false,
                kind: Text::default(),
                told: List::default(),
                only_if: None,
                pass: None,
                command: self.reader.templates(table, "command"),
                prompt_on_stdin: self.reader.text(table, "prompt").is_some_and(|place| place == "stdin"),
                schema: self.reader.text(table, "schema"),
                verdict: self.reader.texts(table, "verdict"),
                clean: self.reader.text(table, "clean").unwrap_or_default(),
                log: self.template(table, "log"),
                timeout_s: self.reader.whole(table, "timeout").unwrap_or(TIMEOUT_S),
            });
        }
        parsed
    }
}

fn number(value: &DeValue<'_>) -> Option<u32> {
    match value {
        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    }
}
