//! `[reviewers]` and `[checks]`, from TOML.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::json;
use toml::de::DeTable;

use super::super::grants::{self, Grants};
use super::super::performer::{Check, CheckKind, Models, MoneyWords, Reviewer, TestsCheck};
use super::super::table::{Reader, listed};
use super::super::{List, Text};
use super::{Count, Parser};
use crate::diagnostic::nearest;
use crate::verdict::Verdict;

const REVIEWER_KEYS: [&str; 18] = [
    "program",
    "command",
    "prompt",
    "schema",
    "result",
    "verdict_at",
    "report_at",
    "answers",
    "otherwise",
    "way",
    "ask",
    "subagents",
    "models",
    "log",
    "pass",
    "writes",
    "prove",
    "timeout",
];
/// The keys that say what a check does, each with its own inputs.
const KINDS: [(&str, &[&str]); 7] = [
    ("run", &["pass", "writes", "prove"]),
    (
        "tests",
        &["only", "scope", "known", "never_fewer", "fewer", "fails_on", "adding", "pass", "writes", "prove"],
    ),
    ("that", &[]),
    ("scan", &["code_lines", "test_lines", "prove"]),
    ("blueprint", &["files", "spec", "domains", "money", "reference", "fields", "prove"]),
    ("acceptance", &["spec", "section", "columns", "pass", "writes", "prove"]),
    ("commit", &["message", "landed"]),
];
/// The keys of a blueprint's `money`, and those without which nothing would be found.
const MONEY_KEYS: [&str; 4] = ["documents", "about", "units", "names"];
const MONEY_NEEDS: [&str; 3] = ["documents", "about", "names"];
/// The keys that every check may have.
const CHECK_KEYS: [&str; 4] = ["if", "accepts", "log", "timeout"];
/// How long a reviewer or a check may take where the workflow does not say.
const TIMEOUT_S: u32 = 540;

impl Parser<'_> {
    pub(super) fn reviewers(&mut self, top: &DeTable<'_>) -> List<Reviewer> {
        let Some(reviewers) = self.inner(top, "reviewers") else { return List::default() };
        let mut parsed = Vec::new();
        for (name, value) in reviewers {
            self.reviewer_names.push(name.get_ref().to_string());
            if let Some(table) = self.reader.table(name.get_ref(), value) {
                parsed.push(self.reviewer(name.get_ref(), name.span(), table));
            }
        }
        parsed.into()
    }

    fn reviewer(&mut self, name: &str, span: Range<usize>, table: &DeTable<'_>) -> Reviewer {
        let place = format!("[reviewers.{name}]");
        self.reader.known_keys(&place, table, &REVIEWER_KEYS);
        let known = self.known_program(&place, table);
        let command = match known {
            Some(known) => known.command.iter().map(|word| Cow::Borrowed(*word)).collect(),
            None if Reader::get(table, "program").is_some() => self.reader.templates(table, "command"),
            None => self.command(&place, span.clone(), table, "command"),
        };
        let verdict_at = self.reader.texts(table, "verdict_at");
        let verdict_at = match known {
            Some(known) if verdict_at.is_empty() => {
                known.verdict_at.iter().map(|at| Cow::Borrowed(*at)).collect()
            }
            _ => verdict_at,
        };
        let otherwise = self.reader.text(table, "otherwise").map(|word| Verdict::of(&word));
        self.otherwise.extend(otherwise.clone().map(|verdict| (name.to_owned(), verdict)));
        Reviewer {
            name: Cow::Owned(name.to_owned()),
            command,
            prompt_on_stdin: self.chosen(table, "prompt", &[("argument", false), ("stdin", true)]),
            schema: self.reader.text(table, "schema"),
            verdict_at,
            subagent: self.subagent(&place, name, span, table),
            result: self.result_form(table),
            report_at: self.reader.texts(table, "report_at"),
            answers: self.reader.named(table, "answers", None),
            otherwise,
            models: self.models(table),
            log: self.template(table, "log"),
            grants: self.grants(table),
            prove: self.prove(table),
            timeout_s: self.reader.whole(table, "timeout").unwrap_or(TIMEOUT_S),
        }
    }

    fn models(&mut self, table: &DeTable<'_>) -> Option<Models> {
        let table = self.inner(table, "models")?;
        self.reader.known_keys("models", table, &["field", "rotate"]);
        let field = self.reader.text(table, "field").unwrap_or_default();
        let span = Reader::get(table, "field").map_or(0..0, toml::Spanned::span);
        self.names_field(&field, span, "\"\"");
        Some(Models { field, rotate: self.reader.texts(table, "rotate") })
    }

    /// `pass` and `writes`.
    fn grants(&mut self, table: &DeTable<'_>) -> Grants {
        Grants {
            pass: self.granted(table, "pass", grants::wrong_variable),
            writes: self.granted(table, "writes", grants::wrong_folder),
        }
    }

    fn granted(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        wrong: fn(&str) -> Option<(String, String)>,
    ) -> List<Text> {
        let mut granted = Vec::new();
        let value = Reader::get(table, key);
        // In the first edition a condition stood under `pass`.
        if let Some(value) = value.filter(|value| value.get_ref().as_str().is_some()) {
            self.reader.error(value.span(), format!("`{key}` is a list")).hint = Some(match key {
                "pass" => "name variables: pass = [\"DATABASE_URL\"]; a condition is `that`, or `landed` in a check that commits".to_owned(),
                _ => format!("name folders: {key} = [\"out\"]"),
            });
            return List::default();
        }
        for (word, span) in self.reader.spanned_texts(table, key) {
            if let Some((message, hint)) = wrong(&word) {
                self.reader.error(span, message).hint = Some(hint);
            }
            granted.push(Cow::Owned(word));
        }
        granted.into()
    }

    /// A program and its arguments: a list, never one string for a shell.
    fn command(&mut self, place: &str, span: Range<usize>, table: &DeTable<'_>, key: &str) -> List<Text> {
        let Some(value) = Reader::get(table, key) else {
            self.reader.error(span, format!("{place} has no `{key}`")).hint =
                Some(format!("name the program and its arguments: {key} = [\"make\", \"test\"]"));
            return List::default();
        };
        if let Some(text) = value.get_ref().as_str() {
            let words: Vec<String> = text.split_whitespace().map(|word| format!("{word:?}")).collect();
            self.reader
                .error(value.span(), format!("`{key}` is a list: the program, then its arguments"))
                .hint = Some(format!("{key} = [{}]", words.join(", ")));
        }
        let command = self.reader.templates(table, key);
        if command.is_empty() && value.get_ref().as_array().is_some() {
            self.reader.error(value.span(), format!("`{key}` names no program"));
        }
        command
    }

    pub(super) fn checks(&mut self, top: &DeTable<'_>) -> Vec<Check> {
        let Some(checks) = self.inner(top, "checks") else { return Vec::new() };
        let mut parsed = Vec::new();
        for (name, value) in checks {
            let Some(table) = self.reader.table(name.get_ref(), value) else { continue };
            let place = format!("[checks.{}]", name.get_ref());
            parsed.extend(self.check(&place, name.get_ref(), name.span(), table));
        }
        parsed
    }

    /// A check; none if it does not say what it does.
    pub(super) fn check(
        &mut self,
        place: &str,
        name: &str,
        span: Range<usize>,
        table: &DeTable<'_>,
    ) -> Option<Check> {
        let does: Vec<&(&str, &[&str])> =
            KINDS.iter().filter(|(key, _)| Reader::get(table, key).is_some()).collect();
        let [(key, inputs)] = does.as_slice() else {
            self.unclear_check(place, span, table, &does);
            self.unclear.push(name.to_owned());
            return None;
        };
        let keys: Vec<&str> = CHECK_KEYS.iter().chain(*inputs).chain([key]).copied().collect();
        self.reader.known_keys(place, table, &keys);
        let kind = self.check_kind(place, key, span, table);
        Some(Check {
            name: Cow::Owned(name.to_owned()),
            only_if: self.expression(table, "if"),
            accepts: self.accepted(table, &kind),
            kind,
            log: self.template(table, "log"),
            grants: self.grants(table),
            prove: self.prove(table),
            timeout_s: self.reader.whole(table, "timeout").unwrap_or(TIMEOUT_S),
        })
    }

    fn unclear_check(
        &mut self,
        place: &str,
        span: Range<usize>,
        table: &DeTable<'_>,
        does: &[&(&str, &[&str])],
    ) {
        let kinds = KINDS.map(|(key, _)| key);
        self.reader.is_partial = true;
        if let [(one, _), (other, _), ..] = does {
            let message = format!("{place} does one thing: `{one}` or `{other}`");
            self.reader.error(span, message).hint = Some("make a check of each".into());
            return;
        }
        let key = table.keys().find_map(|key| Some((key.span(), nearest(key.get_ref(), kinds)?)));
        let (span, hint) = match key {
            Some((span, near)) => (span, format!("did you mean `{near}`?")),
            None if Reader::get(table, "kind").is_some() => (
                span,
                "write the kind as the key: tests = [\"cargo\", \"test\"], that = \"…\", scan = \"…\""
                    .to_owned(),
            ),
            None => (span, format!("a check has one of {}", listed(&kinds))),
        };
        self.reader.error(span, format!("{place} does not say what it checks")).hint = Some(hint);
    }

    fn check_kind(&mut self, place: &str, key: &str, span: Range<usize>, table: &DeTable<'_>) -> CheckKind {
        let needed = |parser: &mut Self, key: &str| {
            if Reader::get(table, key).is_none() {
                parser.reader.error(span.clone(), format!("{place} has no `{key}`"));
            }
            parser.expression(table, key).unwrap_or_default()
        };
        match key {
            "tests" => CheckKind::Tests(TestsCheck {
                command: self.command(place, 0..0, table, "tests"),
                scope: self.expression(table, "scope"),
                known: self.expression(table, "known"),
                only: self.only(table),
                never_fewer: self.reader.truth(table, "never_fewer"),
                fewer: self.expression(table, "fewer"),
                fails_on: self.expression(table, "fails_on"),
                adding: self.expression(table, "adding"),
            }),
            "that" => CheckKind::That { condition: needed(self, "that") },
            "scan" => CheckKind::Scan {
                files: needed(self, "scan"),
                code_lines: self.expression(table, "code_lines"),
                test_lines: self.expression(table, "test_lines"),
            },
            "blueprint" => CheckKind::Blueprint {
                folder: self.template(table, "blueprint").unwrap_or_default(),
                files: needed(self, "files"),
                spec: needed(self, "spec"),
                domains: self.reader.text(table, "domains").unwrap_or_default(),
                money: self.money(place, table),
                reference: self.reader.text(table, "reference").unwrap_or_default(),
                fields: self.reader.texts(table, "fields"),
            },
            "acceptance" => CheckKind::Acceptance {
                rows: self.template(table, "acceptance").unwrap_or_default(),
                spec: needed(self, "spec"),
                section: self.template(table, "section").unwrap_or_default(),
                columns: self.reader.texts(table, "columns"),
            },
            "commit" => CheckKind::Commit {
                files: needed(self, "commit"),
                message: needed(self, "message"),
                landed: needed(self, "landed"),
            },
            _ => CheckKind::Run { command: self.command(place, 0..0, table, "run") },
        }
    }

    /// `money` of a blueprint.
    fn money(&mut self, place: &str, table: &DeTable<'_>) -> MoneyWords {
        let Some(inner) = self.inner(table, "money") else { return MoneyWords::default() };
        self.reader.known_keys("money", inner, &MONEY_KEYS);
        for key in MONEY_NEEDS.iter().filter(|key| Reader::get(inner, key).is_none()) {
            let span = Reader::get(table, "money").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("{place} has no `money.{key}`"));
        }
        MoneyWords {
            documents: self.reader.text(inner, "documents").unwrap_or_default(),
            about: self.reader.texts(inner, "about"),
            units: self.reader.texts(inner, "units"),
            names: self.reader.texts(inner, "names"),
        }
    }

    /// `accepts`: verdicts that the check can give.
    fn accepted(&mut self, table: &DeTable<'_>, kind: &CheckKind) -> List<Verdict> {
        let mut accepted = Vec::new();
        for (word, span) in self.reader.spanned_texts(table, "accepts") {
            let verdict = Verdict::of(&word);
            if !kind.verdicts().contains(&verdict) {
                self.no_such_verdict(&word, span, kind.verdicts());
            }
            accepted.push(verdict);
        }
        accepted.into()
    }

    /// Complains about a verdict that nobody can give there.
    pub(super) fn no_such_verdict(&mut self, word: &str, span: Range<usize>, known: &[Verdict]) {
        let words: Vec<&str> = known.iter().map(Verdict::word).collect();
        let hint = match super::former::verdict(word).or_else(|| nearest(word, words.iter().copied())) {
            Some(near) if words.contains(&near) => format!("did you mean `{near}`?"),
            _ if matches!(Verdict::of(word), Verdict::Word(_))
                && *known == [Verdict::Pass, Verdict::Fail] =>
            {
                format!("it can be {}; a review with words of its own has `verdicts`", listed(&words))
            }
            _ => format!("it can be {}", listed(&words)),
        };
        self.reader.error(span, format!("nothing can answer `{word}` here")).hint = Some(hint);
    }

    /// What is counted with a limit's rounds, for the phases that use it: clean reviews, and the model whose turn it is.
    pub(super) fn note_count(&mut self, limit: &str, field: &str, first: serde_json::Value) {
        let count = Count { limit: limit.to_owned(), field: field.to_owned(), first };
        if !self.counts.contains(&count) {
            self.counts.push(count);
        }
    }

    /// The same for the reviewer of this name.
    pub(super) fn note_models(&mut self, limit: &str, models: Option<&Models>) {
        if let Some((models, first)) = models.and_then(|models| Some((models, models.rotate.first()?))) {
            self.note_count(limit, &models.field, json!(first));
        }
    }
}
