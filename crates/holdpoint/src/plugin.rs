//! Workflows as Claude Code plugins: each with its hooks, its slash commands, its sub-agents and the texts that they
//! refer to, and a marketplace that lists them.

use std::collections::{BTreeMap, BTreeSet};

use holdpoint_core::event::Moment;
use holdpoint_core::tool::ToolKind;
use holdpoint_core::workflow::{On, STOP_MARGIN_S, ToolMatch, Workflow};
use serde_json::{Map, Value as Json, json};

/// The marketplace's name.
const MARKETPLACE: &str = "holdpoint";
/// The folder in which Claude Code finds manifests.
const MANIFESTS: &str = ".claude-plugin";
/// The placeholder of the plugin's folder in commands.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}/";
/// The time limit of a hook that reads files and asks git, in seconds.
const QUICK: u32 = 10;
/// The shortest time limit of a Stop, in seconds.
const STOP_MIN: u32 = 60;

/// A workflow that becomes a plugin.
#[derive(Debug)]
pub struct Source {
    /// The workflow.
    pub workflow: Workflow,
    /// Its folder's files: path and text.
    pub files: Vec<(String, String)>,
}

/// Returns all files of the marketplace, by their paths.
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

/// Returns the files of one plugin.
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

/// Returns the files of the plugin that a text refers to.
fn pointed_to(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ')' | ',');
    text.split(ROOT).skip(1).filter_map(move |rest| rest.split(is_end).next())
}

/// Returns the hooks that the workflow needs. A tool that no rule applies to never starts Holdpoint.
fn hooks(workflow: &Workflow) -> Map<String, Json> {
    let mut tools: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for on in workflow.rules.iter().flat_map(|rule| rule.on.iter()) {
        for event in events(on.moment) {
            tools.entry(event).or_default().insert(matcher(on));
        }
    }
    if !workflow.phases.is_empty() {
        tools.entry("Stop").or_default().insert(String::new());
    }
    let longest = workflow.longest_review_s();
    let patience = (longest + STOP_MARGIN_S).max(STOP_MIN);
    let entry = |(event, tools): (&str, BTreeSet<String>)| {
        let timeout = if event == "Stop" { patience } else { QUICK };
        let args = ["hook", "--agent", "claude", "--workflow", &workflow.name];
        let hook = json!({"type": "command", "command": "holdpoint", "args": args, "timeout": timeout});
        // A rule for every tool makes the other matchers redundant.
        let all = tools.contains("");
        let matcher = tools.into_iter().collect::<Vec<_>>().join("|");
        let group = if all { json!({"hooks": [hook]}) } else { json!({"matcher": matcher, "hooks": [hook]}) };
        (event.to_owned(), json!([group]))
    };
    tools.into_iter().map(entry).collect()
}

/// Returns Claude Code's events for a moment.
fn events(moment: Moment) -> &'static [&'static str] {
    match moment {
        Moment::Before => &["PreToolUse"],
        Moment::After => &["PostToolUse", "PostToolUseFailure"],
        Moment::Stop => &["Stop"],
        Moment::Prompt => &["UserPromptSubmit"],
        Moment::Start => &["SessionStart"],
    }
}

/// Returns the matcher for the tools that a rule applies to. Empty for all.
fn matcher(on: &On) -> String {
    match &on.tool {
        ToolMatch::Kind(ToolKind::Shell) => "Bash|PowerShell".to_owned(),
        ToolMatch::Kind(ToolKind::Edit) => "Edit|MultiEdit|NotebookEdit|Write".to_owned(),
        ToolMatch::Kind(ToolKind::Delegation) => "Agent|Task".to_owned(),
        ToolMatch::Named(name) => name.to_string(),
        ToolMatch::Any | ToolMatch::Kind(ToolKind::Other) => String::new(),
    }
}

fn pretty(json: &Json) -> String {
    format!("{json:#}\n")
}
