//! Workflows as Claude Code plugins: each with its hooks, slash commands, sub-agents and the texts that these refer to,
//! and a marketplace that lists them.

use std::collections::{BTreeMap, BTreeSet};

use holdpoint_core::event::{Moment, Occasion};
use holdpoint_core::tool::ToolKind;
use holdpoint_core::workflow::{On, STOP_MARGIN_S, ToolMatch, Workflow};
use serde_json::{Map, Value as Json, json};

use crate::agent::claude;
use crate::install::wanted::STATUS;

/// The marketplace's name.
const MARKETPLACE: &str = "holdpoint";
/// The folder in which Claude Code finds manifests.
const MANIFESTS: &str = ".claude-plugin";
/// The placeholder for the plugin's folder in commands.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}/";
/// The timeout of a hook that only reads files and calls git, in seconds.
const QUICK: u32 = 10;
/// The shortest timeout of a Stop hook, in seconds.
const STOP_MIN: u32 = 60;

/// A workflow that becomes a plugin.
#[derive(Debug)]
pub struct Source {
    /// The workflow.
    pub workflow: Workflow,
    /// Its folder's files: path and text.
    pub files: Vec<(String, String)>,
}

/// Renders all files of the marketplace, by path.
pub fn marketplace(sources: &[Source]) -> BTreeMap<String, String> {
    let entries: Vec<Json> = sources
        .iter()
        .map(|Source { workflow, .. }| {
            json!({"name": workflow.name, "source": format!("./{}", workflow.name), "description": workflow.about,
                "version": env!("CARGO_PKG_VERSION")})
        })
        .collect();
    let manifest = json!({"name": MARKETPLACE, "owner": {"name": "Holdpoint"}, "metadata":
        {"description": env!("CARGO_PKG_DESCRIPTION")}, "plugins": entries});
    let mut all = BTreeMap::from([(format!("{MANIFESTS}/marketplace.json"), pretty(&manifest))]);
    for source in sources {
        let name = &source.workflow.name;
        all.extend(plugin(source).into_iter().map(|(path, text)| (format!("{name}/{path}"), text)));
    }
    all
}

/// Renders the files of one plugin.
fn plugin(source: &Source) -> BTreeMap<String, String> {
    let workflow = &source.workflow;
    let manifest = json!({"name": workflow.name, "version": env!("CARGO_PKG_VERSION"), "description": workflow.about,
        "author": {"name": "Holdpoint"}, "license": env!("CARGO_PKG_LICENSE")});
    let hooks = json!({"description": workflow.about, "hooks": hooks(workflow)});
    let mut all = BTreeMap::from([
        (format!("{MANIFESTS}/plugin.json"), pretty(&manifest)),
        ("hooks/hooks.json".to_owned(), pretty(&hooks)),
    ]);
    let is_own = |path: &str| {
        ["commands/", "agents/"].iter().any(|folder| path.starts_with(folder)) && path.ends_with(".md")
    };
    let mut wanted: Vec<&str> =
        source.files.iter().map(|(path, _)| path.as_str()).filter(|path| is_own(path)).collect();
    while let Some(path) = wanted.pop() {
        let found = source.files.iter().find(|(other, _)| other == path);
        if let Some((path, text)) = found.filter(|(path, _)| !all.contains_key(path)) {
            wanted.extend(pointed_to(text));
            all.insert(path.clone(), text.clone());
        }
    }
    all
}

/// Lists the plugin's files that a text refers to.
fn pointed_to(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ')' | ',');
    text.split(ROOT).skip(1).filter_map(move |rest| rest.split(is_end).next())
}

/// Renders hooks for the events that the workflow handles. A tool that no rule is about starts nothing.
fn hooks(workflow: &Workflow) -> Map<String, Json> {
    let mut tools: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for on in workflow.looks_at() {
        for event in events(on.moment) {
            let tools = tools.entry(event).or_default();
            tools.insert(matcher(&on));
            tools.extend(servers(&on).map(str::to_owned));
        }
    }
    if !workflow.phases.is_empty() {
        tools.entry("Stop").or_default().insert(String::new());
        // At a prompt the client is noted, and holds are counted from none.
        tools.entry("UserPromptSubmit").or_default().insert(String::new());
        // Whose run it is, the beginning and the end of sessions say.
        for event in [Moment::Start, Moment::Beside(Occasion::End)].into_iter().flat_map(events) {
            tools.entry(event).or_default().insert(String::new());
        }
    }
    let performs = workflow.commands.iter().any(|command| workflow.is_for_hooks(command));
    let longest = workflow.longest_review_s();
    let patience = (longest + STOP_MARGIN_S).max(STOP_MIN);
    let entry = |(event, tools): (&str, BTreeSet<String>)| {
        let is_long = event == "Stop" || event == "PreToolUse" && performs;
        let timeout = if is_long { patience } else { QUICK };
        let args = ["hook", "--agent", "claude", "--workflow", &workflow.name];
        let mut hook = Map::new();
        hook.insert("type".to_owned(), "command".into());
        hook.insert("command".to_owned(), "holdpoint".into());
        hook.insert("args".to_owned(), json!(args));
        hook.insert("timeout".to_owned(), timeout.into());
        hook.extend((is_long && longest > 0).then(|| ("statusMessage".to_owned(), STATUS.into())));
        // A rule about every tool makes the matchers of the other rules irrelevant.
        let all = tools.contains("");
        let matcher = tools.into_iter().collect::<Vec<_>>().join("|");
        let matcher = if matcher.contains('*') { format!("^({matcher})$") } else { matcher };
        let group = if all { json!({"hooks": [hook]}) } else { json!({"matcher": matcher, "hooks": [hook]}) };
        (event.to_owned(), json!([group]))
    };
    tools.into_iter().map(entry).collect()
}

/// Returns Claude Code's events for a moment.
fn events(moment: Moment) -> impl Iterator<Item = &'static str> {
    claude::EVENTS.into_iter().filter(move |(_, known)| *known == moment).map(|(name, _)| name)
}

/// Renders Claude Code's matcher for the tools that a rule is about. Empty for all tools.
fn matcher(on: &On) -> String {
    match &on.tool {
        ToolMatch::Any | ToolMatch::Kind(ToolKind::Other) => String::new(),
        ToolMatch::Named(name) => name.to_string(),
        ToolMatch::Kind(kind) => {
            let mut names: Vec<&str> = kind.registered_for("claude").collect();
            names.sort_unstable();
            names.join("|")
        }
    }
}

/// The pattern for tools of MCP servers that a rule may be about.
fn servers(on: &On) -> Option<&'static str> {
    match &on.tool {
        ToolMatch::Kind(kind) => kind.servers_pattern("claude"),
        ToolMatch::Any | ToolMatch::Named(_) => None,
    }
}

fn pretty(json: &Json) -> String {
    format!("{json:#}\n")
}
