//! What the chosen workflows look at, and so what is registered: an event that no workflow looks at starts nothing, and
//! neither does a tool.

use holdpoint_core::event::{Moment, Occasion};
use holdpoint_core::tool::ToolKind;
use holdpoint_core::workflow::{STOP_MARGIN_S, ToolMatch, Workflow};
use serde_json::Value as Json;

use super::extra::Extra;
use super::host::{Handler, Host, Shape};

/// How long a hook may take that performs nothing.
const QUICK_SECONDS: u32 = 30;
/// How long a Stop may take at least, and a call before which a command is performed: there reviews are.
const STOP_SECONDS: u32 = 600;
/// What a client shows while it waits for a hook that may have a review done.
pub const STATUS: &str = "Holdpoint is checking the work; a review can take minutes";

/// How long a hook may take at a session's end: Codex waits no longer.
const END_SECONDS: u32 = 3;

/// What workflows look at.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    before: Vec<ToolMatch>,
    after: Vec<ToolMatch>,
    /// How long a Stop may take; none: it is not looked at.
    stop: Option<u32>,
    prompt: bool,
    start: bool,
    beside: Vec<Occasion>,
    /// Whether the hook before a shell call may have a command to perform.
    performs: bool,
    /// How long the longest review may take, in seconds.
    review_s: u32,
}

/// What a settings file gets.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The hooks.
    pub entries: Vec<Entry>,
    /// What goes with them.
    pub extras: Vec<Extra>,
}

/// A hook to register.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The agent's name of the event.
    pub event: &'static str,
    /// The tools; none where the event has none.
    pub matcher: Option<String>,
    /// The group, or the handler itself, as the settings have it.
    pub value: Json,
}

impl Wanted {
    /// What these workflows look at.
    pub fn of<'a>(workflows: impl Iterator<Item = &'a Workflow>) -> Wanted {
        let mut wanted = Wanted::default();
        for workflow in workflows {
            wanted.add(workflow);
        }
        wanted
    }

    fn add(&mut self, workflow: &Workflow) {
        for on in workflow.looks_at() {
            match on.moment {
                Moment::Before => add_once(&mut self.before, &on.tool),
                Moment::After => add_once(&mut self.after, &on.tool),
                Moment::Stop => self.look_at_stop(0),
                Moment::Prompt => self.prompt = true,
                Moment::Start => self.start = true,
                Moment::Beside(occasion) => self.look_beside(occasion),
            }
        }
        self.performs |= workflow.commands.iter().any(|command| workflow.is_for_hooks(command));
        self.review_s = self.review_s.max(workflow.longest_review_s());
        if !workflow.phases.is_empty() || workflow.run.clears_strays {
            self.look_at_stop(workflow.longest_review_s().saturating_add(STOP_MARGIN_S));
        }
    }

    /// A Stop that is held is counted, and counted afresh from the user's next prompt. Whose run it is, the beginning and the
    /// end of sessions say.
    fn look_at_stop(&mut self, seconds: u32) {
        self.stop = Some(self.stop.unwrap_or(STOP_SECONDS).max(seconds));
        self.prompt = true;
        self.start = true;
        self.look_beside(Occasion::End);
    }

    /// A sub-agent that is held is counted, too.
    fn look_beside(&mut self, occasion: Occasion) {
        if !self.beside.contains(&occasion) {
            self.beside.push(occasion);
        }
        self.prompt |= occasion == Occasion::SubagentStop;
    }

    fn looks_at(&self, moment: Moment) -> bool {
        match moment {
            Moment::Before => !self.before.is_empty(),
            Moment::After => !self.after.is_empty(),
            Moment::Stop => self.stop.is_some(),
            Moment::Prompt => self.prompt,
            Moment::Start => self.start,
            Moment::Beside(occasion) => self.beside.contains(&occasion),
        }
    }

    /// The hooks of an agent that call this program.
    pub fn entries(&self, host: &Host, program: &str) -> Vec<Entry> {
        let looked_at = host.events.iter().filter(|(_, moment)| self.looks_at(*moment));
        looked_at.map(|(event, moment)| self.entry(host, program, event, *moment)).collect()
    }

    /// The client's own settings that go with them.
    pub fn extras(&self, host: &Host) -> Vec<Extra> {
        let cap = host.cap.filter(|_| self.stop.is_some());
        cap.map(|cap| Extra::value(cap.path, cap.value)).into_iter().collect()
    }

    fn entry(&self, host: &Host, program: &str, event: &'static str, moment: Moment) -> Entry {
        let matcher = match moment {
            Moment::Before => Some(host.matcher(&tools(host, &self.before))),
            Moment::After => Some(host.matcher(&tools(host, &self.after))),
            Moment::Stop | Moment::Prompt | Moment::Start | Moment::Beside(_) => None,
        };
        let is_long = moment == Moment::Stop || (moment == Moment::Before && self.performs);
        let seconds = match moment {
            // For the end of a session clients leave little time.
            Moment::Beside(Occasion::End) => END_SECONDS,
            _ => self.stop.filter(|_| is_long).unwrap_or(QUICK_SECONDS),
        };
        let status = self.stop.filter(|_| is_long && self.review_s > 0).map(|_| STATUS);
        let matcher_text = matcher.as_deref();
        let handler = Handler { agent: host.name, program, seconds, moment, status, matcher: matcher_text };
        let handler = (host.handler)(&handler);
        let value = match (host.shape, &matcher) {
            (Shape::Flat, _) => handler,
            (Shape::Grouped, None) => serde_json::json!({"hooks": [handler]}),
            (Shape::Grouped, Some(matcher)) => serde_json::json!({"matcher": matcher, "hooks": [handler]}),
        };
        Entry { event, matcher, value }
    }
}

fn add_once(tools: &mut Vec<ToolMatch>, tool: &ToolMatch) {
    if !tools.contains(tool) {
        tools.push(tool.clone());
    }
}

/// The agent's names for these tools, each kind together; none at all stands for every tool.
fn tools(host: &Host, wanted: &[ToolMatch]) -> Vec<String> {
    if wanted.contains(&ToolMatch::Any) {
        return Vec::new();
    }
    let kinds = ToolKind::NAMED.into_iter().map(|(_, kind)| kind);
    let by_kind: Vec<ToolKind> = kinds.filter(|kind| wanted.contains(&ToolMatch::Kind(*kind))).collect();
    let names = by_kind.iter().flat_map(|kind| host.tools(*kind));
    let servers = by_kind.iter().find_map(|kind| kind.servers_pattern(host.name));
    let mut names: Vec<String> = names.chain(servers).map(str::to_owned).collect();
    for tool in wanted {
        if let ToolMatch::Named(name) = tool
            && !names.iter().any(|known| known == name.as_ref())
        {
            names.push(name.to_string());
        }
    }
    names
}
