//! Runs one case and compares.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::file::NONE;
use super::{Case, Subject, folder, reviewer};
use crate::agent::{Agent, Fields, Protocol};
use crate::engine::{self, Call, Reply};
use crate::env_vars::Env;
use crate::hook::input::Input;
use crate::hook::options::Options;
use crate::store::{journal, layout};

/// What came of a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was not as expected.
    pub problems: Vec<String>,
    /// The rules that spoke: name and line.
    pub spoke: Vec<(String, u32)>,
}

/// Runs a case in a folder of its own.
pub fn run(subject: Subject<'_>, case: &Case) -> Outcome {
    match try_run(subject, case) {
        Ok(outcome) => outcome,
        Err(why) => Outcome { problems: vec![why], ..Outcome::default() },
    }
}

fn try_run(subject: Subject<'_>, case: &Case) -> Result<Outcome, String> {
    let temporary =
        tempfile::Builder::new().prefix("holdpoint-case-").tempdir().map_err(|error| error.to_string())?;
    let root = temporary.path().canonicalize().map_err(|error| error.to_string())?;
    folder::make(&case.keys, &root)?;
    if let Some(own) = subject.own_folder {
        copy_workflow(own, &layout::workflows(&root).join(subject.name))?;
    }
    let tools = tempfile::tempdir().map_err(|error| error.to_string())?;
    if let Some(script) = case.keys.get("reviewer") {
        for program in subject.reviewers {
            reviewer::make(script, program, tools.path(), &root)?;
        }
    }
    let before = folder::contents(&root)?;
    let reply = call(subject, case, &root, tools.path())?;
    let entries = journal::read(&root);
    let spoken: Vec<&journal::Spoken> = entries.iter().flat_map(|entry| &entry.rules).collect();
    let seen = Seen {
        reply: &reply,
        rules: &spoken,
        asked: reviewer::asked(tools.path()),
        faults: entries.iter().flat_map(|entry| entry.faults.clone()).collect(),
        before,
        after: folder::contents(&root)?,
    };
    let spoke = spoken.iter().map(|spoken| (spoken.rule.clone(), spoken.line)).collect();
    Ok(Outcome { problems: seen.compare(&case.keys)?, spoke })
}

fn copy_workflow(from: &Path, to: &Path) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(to).map_err(told)?;
    for (path, bytes) in folder::contents(from)? {
        let target = to.join(&path);
        target.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(told)?;
        crate::store::atomic::create(&target, &bytes).map_err(told)?;
    }
    Ok(())
}

fn call(subject: Subject<'_>, case: &Case, root: &Path, tools: &Path) -> Result<Reply, String> {
    let text = |key: &str| case.keys.get(key).and_then(Json::as_str);
    let cwd = text("cwd").map_or_else(|| root.to_path_buf(), |below| root.join(below));
    std::fs::create_dir_all(&cwd).map_err(|error| error.to_string())?;
    let agent = match text("agent") {
        Some(name) => Some(Agent::ALL.iter().find(|(known, _)| *known == name).ok_or("unknown agent")?.1),
        None => None,
    };
    let options = Options {
        agent,
        workflow: Some(subject.name.to_owned()),
        only: text("only").map(str::to_owned),
        protocol: if text("protocol") == Some("legacy") { Protocol::Legacy } else { Protocol::Own },
        help: false,
    };
    let input = text("stdin").map_or_else(|| event(&case.keys, &cwd).to_string(), str::to_owned);
    let variables = case.keys.get("env").and_then(Json::as_object).into_iter().flatten();
    let mut env: HashMap<String, String> =
        variables.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    if case.keys.contains_key("reviewer") {
        env.insert("PATH".into(), format!("{}:/usr/bin:/bin", tools.display()));
    }
    let env: Arc<dyn Env> = Arc::new(env);
    Ok(engine::answer(&Call { input: Input::Whole(input.into_bytes()), options: &options, cwd: &cwd, env }))
}

fn event(keys: &Map<String, Json>, cwd: &Path) -> Json {
    let mut event = keys.get("event").cloned().unwrap_or_else(|| json!({}));
    if let Json::Object(fields) = &mut event {
        fields.entry("cwd").or_insert_with(|| json!(cwd.to_string_lossy()));
        fields.entry("session_id").or_insert_with(|| json!("case"));
    }
    event
}

/// What a hook call left behind.
struct Seen<'a> {
    reply: &'a Reply,
    rules: &'a [&'a journal::Spoken],
    asked: Option<String>,
    faults: Vec<String>,
    before: BTreeMap<String, Vec<u8>>,
    after: BTreeMap<String, Vec<u8>>,
}

impl Seen<'_> {
    fn compare(&self, keys: &Map<String, Json>) -> Result<Vec<String>, String> {
        let mut problems = Vec::new();
        let stdout: Json = serde_json::from_str(&self.reply.stdout).unwrap_or_default();
        let hold = ["/hookSpecificOutput/permissionDecisionReason", "/reason", "/stopReason"]
            .iter()
            .find_map(|place| stdout.pointer(place)?.as_str());
        let expect =
            keys.get("expect").and_then(Json::as_str).ok_or("a case must `expect` hold, warn or allow")?;
        self.compare_decision(expect, hold, keys, &mut problems);
        self.compare_texts(&stdout, hold, keys, &mut problems);
        self.compare_answers(&stdout, keys, &mut problems);
        self.compare_asked(keys, &mut problems);
        self.compare_faults(keys, &mut problems);
        self.compare_files(keys, &mut problems);
        Ok(problems)
    }

    fn compare_decision(
        &self,
        expect: &str,
        hold: Option<&str>,
        keys: &Map<String, Json>,
        problems: &mut Vec<String>,
    ) {
        let got = match hold {
            Some(_) => "hold",
            None if !self.rules.is_empty() => "warn",
            None => "allow",
        };
        if got != expect {
            problems.push(format!("expected {expect}, got {got}\n{}", self.printed()));
        } else if expect == "allow" && !self.is_silent(keys) && !keys.contains_key("fault") {
            problems.push(format!("allowed, but not in silence\n{}", self.printed()));
        }
    }

    /// Whether nothing was said to anybody. Older scripts' form may have fields even then, such as that nothing is to be
    /// shown.
    fn is_silent(&self, keys: &Map<String, Json>) -> bool {
        let stdout = self.reply.stdout.trim();
        let is_legacy = keys.get("protocol").and_then(Json::as_str) == Some("legacy");
        let fields = serde_json::from_str::<Fields>(stdout).unwrap_or_default();
        let has_only_fields = is_legacy && !fields.is_empty() && !fields.contains_key("systemMessage");
        self.reply.stderr.is_empty() && (matches!(stdout, "" | "{}") || has_only_fields)
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
        let said = [hold, context, message, Some(self.reply.stderr.as_str())];
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
        for path in paths.into_iter().filter(differs) {
            let got = self.after.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            problems.push(format!("{path} is not as expected afterwards: {got:?}"));
        }
    }

    fn printed(&self) -> String {
        format!(
            "standard output: {}\nstandard error: {}",
            self.reply.stdout.trim_end(),
            self.reply.stderr.trim_end()
        )
    }
}

fn texts(list: Option<&Json>) -> impl Iterator<Item = &str> {
    let many = list.and_then(Json::as_array).into_iter().flatten();
    many.chain(list.filter(|one| one.is_string())).filter_map(Json::as_str)
}
