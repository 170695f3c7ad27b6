//! Runs one case and compares the result.

use std::collections::BTreeMap;
use std::path::Path;

use holdpoint_core::facts::marks;
use holdpoint_core::lines;
use holdpoint_core::workflow::Format;
use serde_json::{Map, Value as Json, json};

use super::call::{self, texts};
use super::error::CaseError;
use super::file::{ANY, NONE, lay_over};
use super::prepared::Prepared;
use super::{Case, Subject, folder, placeholder, reviewer};
use crate::agent::Fields;
use crate::catalog;
use crate::engine::Reply;
use crate::error::in_full;
use crate::store::books::Books;
use crate::store::{journal, layout, seal};

/// What came of a case.
#[derive(Debug, Default)]
pub struct CaseRun {
    /// What differs from the expectation.
    pub problems: Vec<String>,
    /// The rules that were triggered: name and line.
    pub spoke: Vec<(String, u32)>,
}

/// Runs a case in a temporary folder.
pub fn run(subject: Subject<'_>, case: &Case, prepared: &Prepared) -> CaseRun {
    match try_run(subject, case, prepared) {
        Ok(ran) => ran,
        Err(error) => CaseRun { problems: vec![in_full(&error)], ..CaseRun::default() },
    }
}

/// Seals the state that the case starts from, as if the engine had written it.
fn vouch(subject: Subject<'_>, keys: &Map<String, Json>, root: &Path) -> Result<(), CaseError> {
    let is_sealed = match subject.own_folder {
        Some(own) => catalog::load(subject.name, own).is_ok_and(|workflow| workflow.run.is_sealed),
        None => catalog::named(subject.name).is_some_and(|built_in| built_in.workflow.run.is_sealed),
    };
    match keys.get("state_at").and_then(Json::as_str).filter(|_| is_sealed) {
        Some(at) => seal::vouch(&Books::in_project(root), subject.name, subject.origin(), &root.join(at))
            .map_err(CaseError::from),
        None => Ok(()),
    }
}

fn try_run(subject: Subject<'_>, case: &Case, prepared: &Prepared) -> Result<CaseRun, CaseError> {
    let temporary = tempfile::Builder::new().prefix("holdpoint-case-").tempdir()?;
    let root = temporary.path().canonicalize()?;
    let keys = placeholder::fill(&case.keys, &vec![("(root)", root.to_string_lossy().into_owned())]);
    let first = prepared.put(&keys, &root, subject.aside)?;
    let keys = set_up(subject, &placeholder::fill(&keys, &first), &root)?;
    if let Some(own) = subject.own_folder {
        copy_workflow(own, &layout::workflows(&root).join(subject.name))?;
    }
    vouch(subject, &keys, &root)?;
    let tools = tempfile::tempdir()?;
    if let Some(script) = keys.get("reviewer") {
        for program in subject.reviewers {
            reviewer::make(script, program, tools.path(), &root)?;
        }
    }
    call::lead_up(subject, &keys, &root, tools.path())?;
    let before = folder::contents(&root)?;
    let books = Books::in_project(&root);
    let earlier = journal::read(&books).len();
    let reply = call::make(subject, &keys, &root, tools.path())?;
    let entries = journal::read(&books).split_off(earlier);
    let spoken: Vec<&journal::Spoken> = entries.iter().flat_map(|entry| &entry.rules).collect();
    let seen = Seen {
        reply: &reply,
        rules: &spoken,
        asked: reviewer::asked(tools.path()),
        faults: entries.iter().flat_map(|entry| entry.faults.clone()).collect(),
        before,
        after: folder::contents(&root)?,
        format: subject.format,
    };
    let now = placeholder::ids(&keys, ["(head)", "(tree)"], &root, subject.aside)?;
    let keys = placeholder::fill(&keys, &now);
    let spoke = spoken.iter().map(|spoken| (spoken.rule.clone(), spoken.line)).collect();
    Ok(CaseRun { problems: seen.compare(&keys)?, spoke })
}

/// Creates the folder that a case starts from, over its repository. Returns the case's keys with git's ids filled in.
fn set_up(
    subject: Subject<'_>,
    keys: &Map<String, Json>,
    root: &Path,
) -> Result<Map<String, Json>, CaseError> {
    folder::commits(keys, root)?;
    folder::change(root, keys.get("files"))?;
    folder::make_executable(keys, root)?;
    let now = placeholder::ids(keys, ["(head)", "(tree)"], root, subject.aside)?;
    let filled = placeholder::fill_given(keys, &now);
    if keys.get("files") != filled.get("files") {
        folder::change(root, filled.get("files"))?;
        folder::make_executable(keys, root)?;
    }
    folder::state(&filled, subject.format, root)?;
    Ok(filled)
}

fn copy_workflow(from: &Path, to: &Path) -> Result<(), CaseError> {
    std::fs::create_dir_all(to)?;
    for (path, bytes) in folder::contents(from)? {
        let target = to.join(&path);
        target.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        crate::store::atomic::create(&target, &bytes)?;
    }
    Ok(())
}

/// Returns whether a case is a command or an approval, and not an event.
fn is_command(keys: &Map<String, Json>) -> bool {
    keys.contains_key("run") || keys.contains_key("approve")
}

/// Returns whether a case is answered in the form of older scripts, which may be plain text.
fn is_legacy(keys: &Map<String, Json>) -> bool {
    keys.get("protocol").and_then(Json::as_str) == Some("legacy")
}

/// Lists where two values differ. `(any)` stands for any value.
fn differences(path: &str, want: &Json, got: &Json) -> Vec<String> {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match (want, got) {
        (want, got) if want == got || want == ANY => Vec::new(),
        (Json::Object(want_fields), Json::Object(got_fields)) => {
            let mut keys: Vec<&String> = want_fields.keys().chain(got_fields.keys()).collect();
            keys.sort();
            keys.dedup();
            let of = |key: &&String| match (want_fields.get(*key), got_fields.get(*key)) {
                (None, Some(_)) if *key == marks::FIELD => Vec::new(),
                (Some(want), Some(got)) if *key == marks::FIELD => {
                    differences(&below(key), want, &named_in(want, got))
                }
                (Some(want), Some(got)) => differences(&below(key), want, got),
                (want, got) => vec![differs(&below(key), want, got)],
            };
            keys.iter().flat_map(of).collect()
        }
        (Json::Array(want), Json::Array(got)) if want.len() == got.len() => {
            let pairs = want.iter().zip(got).enumerate();
            pairs.flat_map(|(at, (want, got))| differences(&below(&at.to_string()), want, got)).collect()
        }
        (want, got) => vec![differs(path, Some(want), Some(got))],
    }
}

/// The marks that a case names: the others are the engine's own business.
fn named_in(want: &Json, got: &Json) -> Json {
    match (want, got) {
        (Json::Object(want), Json::Object(got)) => {
            let named = got.iter().filter(|(name, _)| want.contains_key(*name));
            Json::Object(named.map(|(name, got)| (name.clone(), named_in(&want[name], got))).collect())
        }
        (_, got) => got.clone(),
    }
}

/// A state without the engine's marks, wherever they are.
fn unmarked(state: Json) -> Json {
    match state {
        Json::Object(fields) => {
            let fields = fields.into_iter().filter(|(name, _)| name != marks::FIELD);
            Json::Object(fields.map(|(name, value)| (name, unmarked(value))).collect())
        }
        Json::Array(items) => items.into_iter().map(unmarked).collect(),
        plain => plain,
    }
}

fn differs(path: &str, want: Option<&Json>, got: Option<&Json>) -> String {
    let shown = |value: Option<&Json>| value.map_or_else(|| "not there".to_owned(), Json::to_string);
    format!("{path} is {}, not {}", shown(got), shown(want))
}

/// The effects of a hook call.
struct Seen<'a> {
    reply: &'a Reply,
    rules: &'a [&'a journal::Spoken],
    asked: Option<String>,
    faults: Vec<String>,
    before: BTreeMap<String, Vec<u8>>,
    after: BTreeMap<String, Vec<u8>>,
    format: Format,
}

impl Seen<'_> {
    fn compare(&self, keys: &Map<String, Json>) -> Result<Vec<String>, CaseError> {
        let mut problems = Vec::new();
        let stdout: Json = serde_json::from_str(&self.reply.stdout).unwrap_or_default();
        let hold = ["/hookSpecificOutput/permissionDecisionReason", "/reason", "/stopReason"]
            .iter()
            .find_map(|place| stdout.pointer(place)?.as_str());
        if !is_command(keys) {
            let expect = keys.get("expect").and_then(Json::as_str);
            let expect = expect.ok_or(CaseError::NoExpectation)?;
            let message = stdout.get("systemMessage").is_some();
            let got = self.decision(hold.is_some(), message);
            self.compare_decision(expect, got, keys, &mut problems);
        }
        self.compare_texts(&stdout, hold, keys, &mut problems);
        self.compare_answers(&stdout, keys, &mut problems);
        self.compare_asked(keys, &mut problems);
        self.compare_faults(keys, &mut problems);
        self.compare_files(keys, &mut problems);
        Ok(problems)
    }

    /// Returns the decision. A message about a fault is not a warning.
    fn decision(&self, holds: bool, has_message: bool) -> &'static str {
        if holds {
            "hold"
        } else if !self.rules.is_empty() || (has_message && self.faults.is_empty()) {
            "warn"
        } else {
            "allow"
        }
    }

    fn compare_decision(
        &self,
        expect: &str,
        got: &str,
        keys: &Map<String, Json>,
        problems: &mut Vec<String>,
    ) {
        if got != expect {
            problems.push(format!("expected {expect}, got {got}\n{}", self.printed()));
        } else if expect == "allow" && !self.is_silent(keys) && !keys.contains_key("fault") {
            problems.push(format!("allowed, but not in silence\n{}", self.printed()));
        }
    }

    /// Returns whether the hook said nothing. The older scripts' form may still have fields, such as one that suppresses
    /// output; and a case may say what is on standard error.
    fn is_silent(&self, keys: &Map<String, Json>) -> bool {
        let stdout = self.reply.stdout.trim();
        let fields = serde_json::from_str::<Fields>(stdout).unwrap_or_default();
        let has_only_fields = is_legacy(keys) && !fields.is_empty() && !fields.contains_key("systemMessage");
        let has_errors = !self.reply.stderr.is_empty() && !keys.contains_key("stderr");
        !has_errors && (matches!(stdout, "" | "{}") || has_only_fields)
    }

    fn compare_texts(
        &self,
        stdout: &Json,
        hold: Option<&str>,
        keys: &Map<String, Json>,
        problems: &mut Vec<String>,
    ) {
        let context = stdout.pointer("/hookSpecificOutput/additionalContext").and_then(Json::as_str);
        let message = stdout.get("systemMessage").and_then(Json::as_str);
        let is_plain = is_command(keys) || is_legacy(keys);
        let printed = is_plain.then_some(self.reply.stdout.as_str());
        let said = [hold, context, message, printed, Some(self.reply.stderr.as_str())];
        let said = said.into_iter().flatten().collect::<Vec<_>>().join("\n");
        for part in texts(keys.get("says")).filter(|part| !said.contains(part)) {
            problems.push(format!("it does not say {part:?}\n{said}"));
        }
        for part in texts(keys.get("never_says")).filter(|part| said.contains(part)) {
            problems.push(format!("it says {part:?}\n{said}"));
        }
        if let Some(codes) = keys.get("codes") {
            let got: Vec<&str> = self.rules.iter().filter_map(|rule| rule.code.as_deref()).collect();
            if json!(got) != *codes {
                problems.push(format!("expected codes {codes}, got {got:?}"));
            }
        }
    }

    fn compare_answers(&self, stdout: &Json, keys: &Map<String, Json>, problems: &mut Vec<String>) {
        let same = |want: &Json| match want {
            Json::String(text) => self.reply.stdout.trim_end() == text.trim_end(),
            other => stdout == other,
        };
        if let Some(want) = keys.get("stdout").filter(|want| !same(want)) {
            problems.push(format!("expected on standard output: {want}\n{}", self.printed()));
        }
        if let Some(want) = keys.get("stderr").and_then(Json::as_str)
            && want.trim_end() != self.reply.stderr.trim_end()
        {
            problems.push(format!("expected on standard error: {want}\n{}", self.printed()));
        }
        let exit = keys.get("exit").and_then(Json::as_u64).unwrap_or(0);
        if exit != u64::from(self.reply.exit) {
            problems.push(format!("expected exit code {exit}, got {}", self.reply.exit));
        }
    }

    fn compare_asked(&self, keys: &Map<String, Json>, problems: &mut Vec<String>) {
        let asked = self.asked.as_deref().unwrap_or_default();
        for part in texts(keys.get("asked")).filter(|part| !asked.contains(part)) {
            problems.push(format!("the reviewer was not asked {part:?}, but: {asked}"));
        }
        if keys.get("never_asked").and_then(Json::as_bool) == Some(true) && self.asked.is_some() {
            problems.push(format!("the reviewer was started: {asked}"));
        }
    }

    fn compare_faults(&self, keys: &Map<String, Json>, problems: &mut Vec<String>) {
        match keys.get("fault").and_then(Json::as_str) {
            Some(part) if !self.faults.iter().any(|fault| fault.contains(part)) => {
                problems.push(format!("expected a fault with {part:?}, the journal has {:?}", self.faults));
            }
            None if !self.faults.is_empty() => problems.push(format!("unexpected faults: {:?}", self.faults)),
            _ => {}
        }
    }

    fn compare_files(&self, keys: &Map<String, Json>, problems: &mut Vec<String>) {
        let mut expected = self.before.clone();
        let mut known = self.compare_state(keys, problems);
        known.extend(self.compare_written(keys, problems));
        for (path, content) in keys.get("after").and_then(Json::as_object).into_iter().flatten() {
            match content {
                Json::String(word) if word == NONE => drop(expected.remove(path)),
                other => drop(expected.insert(path.clone(), folder::bytes(other))),
            }
        }
        let differs = |path: &&String| {
            let as_json = |files: &BTreeMap<String, Vec<u8>>| {
                files.get(*path).and_then(|bytes| serde_json::from_slice::<Json>(bytes).ok())
            };
            let same_json = as_json(&expected).is_some() && as_json(&expected) == as_json(&self.after);
            expected.get(*path) != self.after.get(*path) && !same_json
        };
        let paths: std::collections::BTreeSet<&String> = expected.keys().chain(self.after.keys()).collect();
        for path in paths.into_iter().filter(|path| !known.contains(path)).filter(differs) {
            let got = self.after.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            problems.push(format!("{path} is not as expected afterwards: {got:?}"));
        }
    }

    /// Compares the state: the fields of `becomes` have these values, all others are unchanged. Returns the files that it
    /// covers.
    fn compare_state(&self, keys: &Map<String, Json>, problems: &mut Vec<String>) -> Vec<String> {
        let at = keys.get("state_at").and_then(Json::as_str).unwrap_or_default();
        let Some(becomes) = keys.get("becomes").and_then(Json::as_object) else { return Vec::new() };
        let read = |files: &BTreeMap<String, Vec<u8>>| {
            let bytes = files.get(at).cloned().unwrap_or_default();
            match self.format {
                Format::Lines => lines::parse(&String::from_utf8_lossy(&bytes)),
                Format::Json => serde_json::from_slice(&bytes).unwrap_or_default(),
            }
        };
        let (before, got) = (read(&self.before), read(&self.after));
        let mut want = match unmarked(Json::Object(before)) {
            Json::Object(want) => want,
            _ => Map::new(),
        };
        for (field, value) in becomes {
            let value = match (self.format, value) {
                (Format::Lines, Json::String(_)) | (Format::Json, _) => value.clone(),
                (Format::Lines, other) => Json::String(other.to_string()),
            };
            match (want.get_mut(field), value) {
                (Some(list @ Json::Array(_)), value @ Json::Object(_)) => lay_over(list, &value),
                (_, value) => drop(want.insert(field.clone(), value)),
            }
        }
        for differs in differences("", &Json::Object(want), &Json::Object(got)) {
            problems.push(format!("{at}: {differs}"));
        }
        vec![at.to_owned()]
    }

    /// Compares the files of `wrote`, which must exist and have these parts. Returns the files that it covers.
    fn compare_written(&self, keys: &Map<String, Json>, problems: &mut Vec<String>) -> Vec<String> {
        let wrote = keys.get("wrote").and_then(Json::as_object).into_iter().flatten();
        let mut known = Vec::new();
        for (path, parts) in wrote {
            known.push(path.clone());
            let Some(text) = self.after.get(path).map(|bytes| String::from_utf8_lossy(bytes)) else {
                problems.push(format!("{path} was not written"));
                continue;
            };
            for part in texts(Some(parts)).filter(|part| !text.contains(part)) {
                problems.push(format!("{path} does not have {part:?}:\n{text}"));
            }
        }
        known
    }

    fn printed(&self) -> String {
        format!(
            "standard output: {}\nstandard error: {}",
            self.reply.stdout.trim_end(),
            self.reply.stderr.trim_end()
        )
    }
}
