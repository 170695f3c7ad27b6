//! `[holds]` and `[witnesses]`, from TOML.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::DeTable;

use super::super::step::{Delivery, Step};
use super::super::table::{Language, Reader, listed};
use super::super::{List, On, Rule, RuleKind, ToolMatch};
use super::Parser;
use crate::diagnostic::nearest;
use crate::event::Moment;
use crate::tool::ToolKind;

const HOLD_KEYS: [&str; 15] = [
    "guard",
    "code",
    "on",
    "each",
    "when",
    "also",
    "set",
    "clear",
    "renew",
    "write",
    "remove",
    "log",
    "say",
    "satisfied_by",
    "on_fault",
];
const WITNESS_KEYS: [&str; 15] = [
    "guard", "code", "on", "each", "when", "also", "set", "clear", "renew", "write", "remove", "log", "to",
    "say", "once",
];
/// Keys of a step that say where a run goes.
const ROUTE_KEYS: [&str; 2] = ["go", "round"];

impl Parser<'_> {
    pub(super) fn rules(&mut self, top: &DeTable<'_>, kind: RuleKind) -> Vec<Rule> {
        let key = match kind {
            RuleKind::Hold => "holds",
            RuleKind::Witness => "witnesses",
        };
        let Some(rules) = self.inner(top, key) else { return Vec::new() };
        let mut parsed = Vec::new();
        for (name, value) in rules {
            if let Some(table) = self.reader.table(name.get_ref(), value) {
                parsed.push(self.rule(
                    &format!("[{key}.{}]", name.get_ref()),
                    name.get_ref(),
                    table,
                    name.span(),
                    kind,
                ));
            }
        }
        parsed
    }

    fn rule(
        &mut self,
        place: &str,
        name: &str,
        table: &DeTable<'_>,
        span: Range<usize>,
        kind: RuleKind,
    ) -> Rule {
        let keys = match kind {
            RuleKind::Hold => &HOLD_KEYS[..],
            RuleKind::Witness => &WITNESS_KEYS[..],
        };
        self.known_rule_keys(place, table, keys);
        let on = self.on(place, &span, table, kind);
        self.reader.moments = on.iter().map(|on| on.moment).collect();
        let each = self.expression(table, "each");
        self.reader.has_element = each.is_some();
        let step = Step {
            delivery: self.delivery_of_rule(table, kind),
            say: self.say(place, &span, table),
            ..self.rule_step(table)
        };
        let rule = Rule {
            name: Cow::Owned(name.to_owned()),
            guard: self.reader.text(table, "guard"),
            code: self.reader.text(table, "code"),
            on,
            each,
            step,
            satisfied_by: self.source(table, "satisfied_by", Language::Template),
            once: self.reader.truth(table, "once"),
            holds_on_fault: Reader::get(table, "on_fault").map(|_| self.on_fault(table)),
            line: self.line(span.start),
        };
        self.reader.moments.clear();
        self.reader.has_element = false;
        rule
    }

    /// `on_fault`: whether what cannot be judged is held.
    pub(super) fn on_fault(&mut self, table: &DeTable<'_>) -> bool {
        self.chosen(table, "on_fault", &[("allow", false), ("hold", true)])
    }

    /// Complains about keys that a rule does not have, those of other steps included.
    fn known_rule_keys(&mut self, place: &str, table: &DeTable<'_>, keys: &[&str]) {
        for key in table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref())) {
            if ROUTE_KEYS.contains(&key.get_ref().as_ref()) {
                self.reader.error(key.span(), format!("a rule has no `{}`", key.get_ref())).hint =
                    Some("a phase, a limit or a command says where the run goes".into());
            } else {
                self.reader.unknown_key(place, key, keys);
            }
        }
    }

    fn on(&mut self, place: &str, span: &Range<usize>, table: &DeTable<'_>, kind: RuleKind) -> List<On> {
        let texts = self.reader.spanned_texts(table, "on");
        if texts.is_empty() {
            self.reader.error(span.clone(), format!("{place} has no `on`")).hint =
                Some("say which event it looks at, such as on = \"before shell\"".into());
        }
        texts.into_iter().filter_map(|(text, span)| self.one_on(&text, span, kind)).collect()
    }

    fn one_on(&mut self, text: &str, span: Range<usize>, kind: RuleKind) -> Option<On> {
        let (word, tool) = text.split_once(' ').map_or((text, ""), |(word, tool)| (word, tool.trim()));
        let names = Moment::ALL.map(|(name, _)| name);
        let Some((_, moment)) = Moment::ALL.iter().find(|(name, _)| *name == word) else {
            let hint = match nearest(word, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("an event is one of {}", listed(&names)),
            };
            self.reader.error(span, format!("unknown event `{word}`")).hint = Some(hint);
            return None;
        };
        if kind == RuleKind::Hold && !moment.can_hold() {
            self.reader.error(span, format!("`{word}` cannot be held: nobody waits for the answer")).hint =
                Some("a witness can tell of it: [witnesses.NAME]".into());
            return None;
        }
        if !tool.is_empty() && !moment.has_tool() {
            self.reader.error(span, format!("`{word}` has no tool")).hint =
                Some(format!("write on = \"{word}\""));
            return None;
        }
        if !ToolKind::is_a_tool(tool) {
            self.no_such_tool(word, tool, span);
            return None;
        }
        Some(On { moment: *moment, tool: tool_match(tool) })
    }

    fn no_such_tool(&mut self, word: &str, tool: &str, span: Range<usize>) {
        let kinds = ToolKind::NAMED.map(|(name, _)| name);
        let hint = match nearest(tool, kinds.into_iter().chain(ToolKind::names())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "it is {}, or a tool's own name; for any other: on = \"{word}\" and tool.name in `when`",
                listed(&kinds)
            ),
        };
        self.reader.error(span, format!("no agent has a tool `{tool}`")).hint = Some(hint);
    }

    /// Whom a rule speaks to: a hold blocks, a witness only speaks.
    fn delivery_of_rule(&mut self, table: &DeTable<'_>, kind: RuleKind) -> Delivery {
        let Some(word) = self.reader.text(table, "to").filter(|_| kind == RuleKind::Witness) else {
            return if kind == RuleKind::Hold { Delivery::Hold } else { Delivery::Tell };
        };
        if let Some((_, delivery)) = Delivery::AUDIENCES.iter().find(|(name, _)| *name == word) {
            return *delivery;
        }
        let span = Reader::get(table, "to").map_or(0..0, toml::Spanned::span);
        let hint = format!("it is one of {}", listed(&Delivery::AUDIENCES.map(|(name, _)| name)));
        self.reader.error(span, format!("unknown audience `{word}`")).hint = Some(hint);
        Delivery::Tell
    }
}

fn tool_match(tool: &str) -> ToolMatch {
    if tool.is_empty() {
        return ToolMatch::Any;
    }
    match ToolKind::NAMED.iter().find(|(name, _)| *name == tool) {
        Some((_, kind)) => ToolMatch::Kind(*kind),
        None => ToolMatch::Named(Cow::Owned(tool.to_owned())),
    }
}
