//! `[phases]` and `[defaults]`, from TOML: each actor has only its own keys.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;
use toml::de::{DeTable, DeValue};

use super::super::performer::Reviewer;
use super::super::phase::{
    Actor, AgentPhase, CheckPhase, Clean, Needs, NobodyPhase, Phase, PhaseKind, ReviewPhase, Route, Routes,
    Shown, Skip, Then, UserPhase,
};
use super::super::step::Step;
use super::super::table::{Language, Reader, Spanned, listed};
use super::super::{List, Named, Say, Text};
use super::{Parser, Target};
use crate::verdict::Verdict;

/// The keys that every phase may have.
const SHARED_KEYS: [&str; 10] =
    ["by", "like", "enter", "permit", "edits", "never", "commits", "pushes", "delegates", "runs"];

/// The keys that only phases of an actor have.
fn own_keys(actor: Actor) -> &'static [&'static str] {
    match actor {
        Actor::Agent => &["ask", "until", "report", "check", "limit", "shown", "then"],
        Actor::Reviewer => {
            &["reviewer", "prompt", "change", "report", "verdicts", "needs", "skip", "clean", "limit", "then"]
        }
        Actor::Check => &["check", "skip", "limit", "then"],
        Actor::User => &["ask", "stop", "then"],
        Actor::Approval => &["approvals", "ask", "then"],
        Actor::Nobody => &["tell", "abandoned"],
    }
}

/// A phase's table over the one it is like and over what all phases of its actor have in common.
#[derive(Clone)]
pub(super) struct Layers<'a, 'i>(Vec<&'a DeTable<'i>>);

impl<'a, 'i> Layers<'a, 'i> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<'i>> {
        self.0.iter().find_map(|table| Reader::get(table, key))
    }

    /// The table that has the key; the phase's own if none has.
    pub(super) fn holder(&self, key: &str) -> &'a DeTable<'i> {
        self.0.iter().find(|table| Reader::get(table, key).is_some()).unwrap_or(&self.0[0])
    }

    /// The values under a key, the phase's own first.
    pub(super) fn all(&self, key: &str) -> impl Iterator<Item = &'a Spanned<'i>> {
        self.0.iter().filter_map(move |table| Reader::get(table, key))
    }
}

impl Parser<'_> {
    pub(super) fn phases(&mut self, top: &DeTable<'_>, reviewers: &[Reviewer]) -> List<Phase> {
        let Some(phases) = self.inner(top, "phases") else { return List::default() };
        self.known_defaults(top);
        self.phase_names = phases.keys().map(|name| name.get_ref().to_string()).collect();
        let mut layered = Vec::new();
        for (name, value) in phases {
            self.phase_spans.push((name.get_ref().to_string(), name.span()));
            if let Some(own) = self.reader.table(name.get_ref(), value) {
                layered.push((name.get_ref().to_string(), name.span(), self.layers(top, phases, own)));
            }
        }
        for (_, _, layers) in &layered {
            self.note_counted(layers, reviewers);
        }
        layered.into_iter().map(|(name, span, layers)| self.phase(&name, span, &layers)).collect()
    }

    fn layers<'a, 'i>(
        &mut self,
        top: &'a DeTable<'i>,
        phases: &'a DeTable<'i>,
        own: &'a DeTable<'i>,
    ) -> Layers<'a, 'i> {
        let mut layers = Layers(vec![own]);
        if let Some(name) = Reader::get(own, "like") {
            let word = name.get_ref().as_str().unwrap_or_default();
            self.link(Target::Phase, word, name.span());
            layers.0.extend(Reader::get(phases, word).and_then(|value| value.get_ref().as_table()));
        }
        let by = layers.get("by").and_then(|by| by.get_ref().as_str()).unwrap_or_default().to_owned();
        layers.0.extend(Self::shared(top, &by));
        layers
    }

    fn known_defaults(&mut self, top: &DeTable<'_>) {
        let Some(defaults) = self.inner(top, "defaults") else { return };
        let known: Vec<&str> = Actor::ALL.iter().map(|(name, _)| *name).chain(["limit"]).collect();
        self.reader.known_keys("[defaults]", defaults, &known);
        for (word, actor) in Actor::ALL {
            if let Some(table) = self.inner(defaults, word) {
                let keys: Vec<&str> = own_keys(actor).iter().chain(&["enter"]).copied().collect();
                self.reader.known_keys(&format!("[defaults.{word}]"), table, &keys);
            }
        }
    }

    /// What is counted together with a phase's limit: clean reviews, and the model whose turn it is.
    fn note_counted(&mut self, layers: &Layers<'_, '_>, reviewers: &[Reviewer]) {
        let text = |key: &str| layers.get(key).and_then(|value| value.get_ref().as_str());
        let Some(limit) = text("limit") else { return };
        let clean = layers.get("clean").and_then(|value| value.get_ref().as_table());
        if let Some(count) = clean.and_then(|clean| Reader::get(clean, "count")?.get_ref().as_str()) {
            self.note_count(limit, count, json!(0));
        }
        if text("by") == Some("reviewer") {
            let reviewer = match text("reviewer") {
                Some(name) => reviewers.iter().find(|reviewer| reviewer.name == name),
                None => reviewers.first(),
            };
            self.note_models(limit, reviewer.and_then(|reviewer| reviewer.models.as_ref()));
        }
    }

    fn phase(&mut self, name: &str, span: Range<usize>, layers: &Layers<'_, '_>) -> Phase {
        let place = format!("[phases.{name}]");
        let actor = self.actor(&place, layers, &span);
        if let Some(actor) = actor {
            self.known_phase_keys(name, actor, layers.0[0]);
        }
        let kind = match actor {
            Some(Actor::Agent) => PhaseKind::Agent(self.agent_phase(name, &span, layers)),
            Some(Actor::Reviewer) => PhaseKind::Reviewer(self.review_phase(name, &span, layers)),
            Some(Actor::Check) => PhaseKind::Check(self.check_phase(name, &span, layers)),
            Some(Actor::User) => PhaseKind::User(self.user_phase(layers)),
            Some(Actor::Approval) => PhaseKind::Approval(self.approval_phase(name, &span, layers)),
            Some(Actor::Nobody) => PhaseKind::Nobody(NobodyPhase {
                tell: self.layered_say(layers, "tell").unwrap_or_default(),
                is_abandoned: self.reader.truth(layers.holder("abandoned"), "abandoned"),
            }),
            // What it lacks is said; the rest of it cannot be judged.
            None => PhaseKind::User(UserPhase::default()),
        };
        let enter = layers.get("enter").map(|value| self.enter(value)).unwrap_or_default();
        Phase { name: Cow::Owned(name.to_owned()), enter, kind, line: self.line(span.start) }
    }

    fn actor(&mut self, place: &str, layers: &Layers<'_, '_>, span: &Range<usize>) -> Option<Actor> {
        let word = self.reader.required(place, span.clone(), layers.holder("by"), "by");
        let actor = Actor::ALL.iter().find(|(name, _)| *name == word).map(|(_, actor)| *actor);
        if actor.is_none() && !word.is_empty() {
            let at = layers.get("by").map_or_else(|| span.clone(), toml::Spanned::span);
            let hint = format!("it is one of {}", listed(&Actor::ALL.map(|(name, _)| name)));
            let near = crate::diagnostic::nearest(&word, Actor::ALL.map(|(name, _)| name));
            let hint = near.map_or(hint, |near| format!("did you mean `{near}`?"));
            self.reader.error(at, format!("unknown actor `{word}`")).hint = Some(hint);
        }
        self.reader.is_partial |= actor.is_none();
        actor
    }

    /// Complains about keys that are another actor's, or nobody's.
    fn known_phase_keys(&mut self, name: &str, actor: Actor, own: &DeTable<'_>) {
        let keys: Vec<&str> = SHARED_KEYS.iter().chain(own_keys(actor)).copied().collect();
        let place = format!("[phases.{name}]");
        for key in own.keys().filter(|key| !keys.contains(&key.get_ref().as_ref())) {
            let others =
                Actor::ALL.iter().filter(|(_, other)| own_keys(*other).contains(&key.get_ref().as_ref()));
            let others: Vec<&str> = others.map(|(word, _)| *word).collect();
            if others.is_empty() {
                self.reader.unknown_key(&place, key, &keys);
                continue;
            }
            let message =
                format!("phase `{name}` is by = \"{}\" and has no `{}`", actor.name(), key.get_ref());
            self.reader.error(key.span(), message).hint =
                Some(match super::former::of_agents(key.get_ref()).filter(|_| actor == Actor::Agent) {
                    Some(instead) => instead.to_owned(),
                    None => format!("`{}` is a key of phases by {}", key.get_ref(), listed(&others)),
                });
        }
    }

    fn agent_phase(&mut self, name: &str, span: &Range<usize>, layers: &Layers<'_, '_>) -> AgentPhase {
        let then = if layers.get("check").is_some() {
            Then::Checked(CheckPhase { limit: None, ..self.check_phase(name, span, layers) })
        } else {
            let Some(then) = layers.get("then") else {
                self.reader
                    .error(span.clone(), format!("phase `{name}` leads nowhere: it has no `then`"))
                    .hint = Some("name the phase that follows: then = \"PHASE\"".into());
                self.reader.is_partial = true;
                return self.agent_with(name, span, layers, Then::Steps(List::default()));
            };
            Then::Steps(self.steps(then))
        };
        self.agent_with(name, span, layers, then)
    }

    fn agent_with(
        &mut self,
        name: &str,
        span: &Range<usize>,
        layers: &Layers<'_, '_>,
        then: Then,
    ) -> AgentPhase {
        if layers.get("until").is_none() && layers.get("report").is_none() {
            let message =
                format!("nothing proves phase `{name}` finished: it has neither `report` nor `until`");
            self.reader.error(span.clone(), message).hint =
                Some("report = \"notes.md\", or a condition: until = \"file('notes.md').exists\"".into());
        }
        AgentPhase {
            ask: self.layered_say(layers, "ask").unwrap_or_default(),
            until: self.expression(layers.holder("until"), "until"),
            report: self.template(layers.holder("report"), "report"),
            limit: self.limit_of(layers),
            shown: self.shown(layers),
            then,
        }
    }

    fn shown(&mut self, layers: &Layers<'_, '_>) -> Option<Shown> {
        let value = layers.get("shown")?;
        let table = self.reader.table("shown", value)?;
        self.reader.known_keys("shown", table, &["reviewer", "prompt"]);
        let reviewer = self.reader.required("`shown`", value.span(), table, "reviewer");
        let at = Reader::get(table, "reviewer").map_or_else(|| value.span(), toml::Spanned::span);
        self.link(Target::Reviewer, &reviewer, at);
        let prompt = Reader::get(table, "prompt").map_or_else(|| value.span(), toml::Spanned::span);
        let text = self.reader.required("`shown`", value.span(), table, "prompt");
        Some(Shown { reviewer, prompt: self.text_of(text, prompt) })
    }

    fn review_phase(&mut self, name: &str, span: &Range<usize>, layers: &Layers<'_, '_>) -> ReviewPhase {
        let verdicts = self.reader.texts(layers.holder("verdicts"), "verdicts");
        let known: Vec<Verdict> = if verdicts.is_empty() {
            vec![Verdict::Pass, Verdict::Fail]
        } else {
            verdicts.iter().map(|word| Verdict::of(word)).collect()
        };
        if layers.get("prompt").is_none() {
            self.reader.error(span.clone(), format!("the review `{name}` has no `prompt`")).hint =
                Some("say what the reviewer is told: prompt = \"prompts/review.md\"".into());
        }
        if let Some(clean) = layers.get("clean").filter(|_| !verdicts.is_empty()) {
            self.reader.error(clean.span(), "`clean` goes with the verdicts `pass` and `fail`").hint =
                Some("leave out `verdicts`, or `clean`".into());
        }
        let reviewer = self.reviewer_of(name, span, layers);
        let may_be_stale = self.subagents.iter().any(|name| *name == reviewer);
        self.fitting_otherwise(&reviewer, name, span, &known);
        ReviewPhase {
            reviewer,
            prompt: self.layered_say(layers, "prompt").unwrap_or_default(),
            change: self.expression(layers.holder("change"), "change"),
            report: self.template(layers.holder("report"), "report"),
            needs: self.needs(layers),
            skip: self.skip(layers),
            clean: self.clean(layers),
            limit: self.limit_of(layers),
            routes: self.routes(name, span, layers, &known, may_be_stale),
            verdicts,
        }
    }

    /// Complains about a reviewer whose unreadable answers count as a verdict that the phase does not have.
    fn fitting_otherwise(&mut self, reviewer: &str, name: &str, span: &Range<usize>, known: &[Verdict]) {
        let otherwise =
            self.otherwise.iter().find(|(of, _)| of == reviewer).map(|(_, verdict)| verdict.clone());
        if let Some(verdict) = otherwise.filter(|verdict| !known.contains(verdict)) {
            let message =
                format!("reviewer `{reviewer}` may answer `{verdict}`, which phase `{name}` does not know");
            self.reader.error(span.clone(), message).hint =
                Some(format!("change `otherwise` of [reviewers.{reviewer}]"));
        }
    }

    /// The reviewer that a phase names; where there is only one, that one.
    fn reviewer_of(&mut self, name: &str, span: &Range<usize>, layers: &Layers<'_, '_>) -> Text {
        if let Some(value) = layers.get("reviewer") {
            let word = self.reader.text(layers.holder("reviewer"), "reviewer").unwrap_or_default();
            self.link(Target::Reviewer, &word, value.span());
            return word;
        }
        if self.reviewer_names.len() != 1 {
            self.reader.error(span.clone(), format!("phase `{name}` does not say which `reviewer`")).hint =
                Some("name one of [reviewers]: reviewer = \"NAME\"".into());
        }
        Cow::Owned(self.reviewer_names.first().cloned().unwrap_or_default())
    }

    fn check_phase(&mut self, name: &str, span: &Range<usize>, layers: &Layers<'_, '_>) -> CheckPhase {
        let check = self.check_of(name, span, layers);
        let known = self.checks.iter().find(|known| known.name == check);
        let mut verdicts = known.map(|check| check.kind.verdicts().to_vec()).unwrap_or_default();
        let is_there = known.is_some();
        let may_skip = known.is_some_and(|check| check.only_if.is_some()) || layers.get("skip").is_some();
        verdicts.extend((may_skip && is_there).then_some(Verdict::Skip));
        self.reader.is_partial |= !is_there;
        let skip = self.skip(layers);
        CheckPhase {
            check,
            skip,
            limit: self.limit_of(layers),
            routes: self.routes(name, span, layers, &verdicts, false),
        }
    }

    /// The check that a phase names, or has in it.
    fn check_of(&mut self, name: &str, span: &Range<usize>, layers: &Layers<'_, '_>) -> Text {
        let Some(value) = layers.get("check") else {
            self.reader.error(span.clone(), format!("phase `{name}` does not say which `check`")).hint = Some(
                "name one of [checks]: check = \"NAME\", or write it here: check = { run = [\"make\"] }"
                    .into(),
            );
            return Text::default();
        };
        if let Some(table) = value.get_ref().as_table() {
            let check = self.check(&format!("[phases.{name}] check"), name, value.span(), table);
            self.checks.extend(check);
            return Cow::Owned(name.to_owned());
        }
        let word = self.reader.text(layers.holder("check"), "check").unwrap_or_default();
        self.link(Target::Check, &word, value.span());
        word
    }

    fn user_phase(&mut self, layers: &Layers<'_, '_>) -> UserPhase {
        UserPhase {
            ask: self.layered_say(layers, "ask").unwrap_or_default(),
            stop: layers.get("stop").map(|value| self.steps(value)).unwrap_or_default(),
            then: layers.get("then").map(|value| self.steps(value)).unwrap_or_default(),
        }
    }

    fn limit_of(&mut self, layers: &Layers<'_, '_>) -> Option<Text> {
        self.names_of(layers.holder("limit"), "limit", Target::Limit).first().cloned()
    }

    pub(super) fn layered_say(&mut self, layers: &Layers<'_, '_>, key: &str) -> Option<Say> {
        let value = layers.get(key)?;
        let text = self.reader.text(layers.holder(key), key)?;
        Some(self.text_of(text, value.span()))
    }

    fn needs(&mut self, layers: &Layers<'_, '_>) -> Option<Needs> {
        let table = layers.get("needs").and_then(|value| self.reader.table("needs", value))?;
        self.reader.known_keys("needs", table, &["that", "else"]);
        Some(Needs {
            that: self.expression(table, "that").unwrap_or_default(),
            otherwise: self.template(table, "else").unwrap_or_default(),
        })
    }

    /// `skip`: a condition, or a table with one and what is set then.
    fn skip(&mut self, layers: &Layers<'_, '_>) -> Option<Skip> {
        let value = layers.get("skip")?;
        if let DeValue::String(when) = value.get_ref() {
            self.reader.piece(Language::Expression, when, value.span());
            self.reader.last_is_condition();
            return Some(Skip { when: Cow::Owned(when.to_string()), set: List::default() });
        }
        let table = self.reader.table("skip", value)?;
        self.reader.known_keys("skip", table, &["when", "set"]);
        let set: Vec<Named> = self.assignments(table);
        Some(Skip { when: self.expression(table, "when").unwrap_or_default(), set: set.into() })
    }

    fn clean(&mut self, layers: &Layers<'_, '_>) -> Option<Clean> {
        let table = layers.get("clean").and_then(|value| self.reader.table("clean", value))?;
        self.reader.known_keys("clean", table, &["count", "need"]);
        let need = self.reader.whole(table, "need").unwrap_or(1);
        let count = self.reader.text(table, "count").unwrap_or_default();
        let span = Reader::get(table, "count").map_or(0..0, toml::Spanned::span);
        self.names_field(&count, span, "0");
        Some(Clean { count, need })
    }

    /// `then.VERDICT`, the phase's own before what it shares. A sub-agent's answer that is stale is asked for again where
    /// nothing else is said.
    pub(super) fn routes(
        &mut self,
        name: &str,
        span: &Range<usize>,
        layers: &Layers<'_, '_>,
        known: &[Verdict],
        may_be_stale: bool,
    ) -> Routes {
        let mut routes: Vec<Route> = Vec::new();
        let mut fault: Option<List<Step>> = None;
        let mut is_judged = true;
        for value in layers.all("then") {
            let Some(table) = value.get_ref().as_table().filter(|table| !is_a_step(table)) else {
                self.reader.error(value.span(), "`then` must say where each verdict leads").hint =
                    Some("then.pass = \"PHASE\", then.fail = \"PHASE\"".into());
                continue;
            };
            for (word, value) in table {
                let verdict = Verdict::of(word.get_ref());
                if word.get_ref() == "fault" {
                    fault = fault.or_else(|| Some(self.steps(value)));
                } else if known.is_empty() {
                    // The check is not there, which is told; its routes are read for what they name.
                    self.steps(value);
                } else if !(known.contains(&verdict) || may_be_stale && verdict == Verdict::Stale) {
                    self.no_such_verdict(word.get_ref(), word.span(), known);
                    self.steps(value);
                    self.reader.is_partial = true;
                    is_judged = false;
                } else if !routes.iter().any(|route| route.verdict == verdict) {
                    let steps = self.steps(value);
                    routes.push(Route { verdict, steps });
                }
            }
        }
        let routes = Routes { on: routes.into(), fault: fault.unwrap_or_default() };
        let unrouted = known.iter().filter(|verdict| routes.of(verdict).is_none());
        let missing: Vec<String> = unrouted.map(|verdict| format!("then.{verdict}")).collect();
        if !missing.is_empty() && is_judged {
            let message = format!("phase `{name}` does not say where {} leads", missing.join(" and "));
            let forms: Vec<String> = missing.iter().map(|route| format!("{route} = \"PHASE\"")).collect();
            self.reader.error(span.clone(), message).hint = Some(format!("write {}", forms.join(", ")));
            self.reader.is_partial = true;
        }
        routes
    }
}

/// Whether a table is a step and not a table of routes.
fn is_a_step(table: &DeTable<'_>) -> bool {
    ["go", "hold", "pause", "tell", "set"].iter().any(|key| Reader::get(table, key).is_some())
}
