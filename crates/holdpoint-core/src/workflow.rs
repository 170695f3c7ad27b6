//! A workflow: the process as data. Built-in ones are Rust statics written by the build script, a project's own
//! are parsed from its file; both are this type, so texts and lists are borrowed or owned.

pub mod approval;
pub mod bench;
pub mod check;
pub mod command;
pub mod grants;
pub mod legacy;
pub mod limit;
pub mod parse;
pub mod performer;
pub mod phase;
mod rule;
pub mod step;
pub(crate) mod table;
pub mod watch;

use std::borrow::Cow;

use crate::event::{Event, Moment};
use crate::level::Level;
use crate::tool::{Tool, ToolKind};

/// Text that a built-in workflow borrows and a parsed one owns.
pub type Text = Cow<'static, str>;
/// A list that a built-in workflow borrows and a parsed one owns.
pub type List<T> = Cow<'static, [T]>;

/// A whole workflow.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Workflow {
    /// What it is called: its folder's name.
    pub name: Text,
    /// One sentence for people.
    pub about: Text,
    /// What a run is and where its state is.
    pub run: Run,
    /// Holds and witnesses, in the order of the file.
    pub rules: List<Rule>,
    /// What the permits let be edited, for what was edited anyway.
    pub bounds: List<Bound>,
    /// `[let]`: named expressions.
    pub lets: List<Named>,
    /// `[data]`: literals, each as JSON.
    pub data: List<Named>,
    /// How sub-agent calls are read.
    pub delegation: Option<Delegation>,
    /// `[fields]`: the fields of the state.
    pub fields: List<Field>,
    /// `[limits]`: how often steps may be taken and phases performed.
    pub limits: List<limit::Limit>,
    /// `[phases]`, in the order of the file.
    pub phases: List<phase::Phase>,
    /// `[approvals]`.
    pub approvals: List<approval::Approval>,
    /// `[reviewers]`.
    pub reviewers: List<performer::Reviewer>,
    /// `[checks]`, and those that are written in their phases.
    pub checks: List<performer::Check>,
    /// `[bench]`: what the copy that is proved has beside its files.
    pub bench: bench::Bench,
    /// `[commands]`.
    pub commands: List<command::Command>,
    /// `[layout]`: what a run's folder may hold.
    pub layout: Option<crate::layout::Layout>,
    /// `[legacy]`: what `--protocol legacy` answers where nothing is held.
    pub legacy: Option<legacy::Legacy>,
}

/// `[run]`: what a run is and where.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Run {
    /// A file or folder that marks a run's home: the nearest folder upwards that has it.
    pub home: Text,
    /// The state file, relative to the home; a template.
    pub state: Option<Text>,
    /// Where the run is, as an expression, for people to see.
    pub shows: Option<Text>,
    /// Each folder (a glob below the home's marker) is a run of its own; the one changed last counts.
    pub each: Option<Text>,
    /// The files whose change counts for that.
    pub newest: List<Text>,
    /// The state's field that says whose turn it is.
    pub due: Option<Text>,
    /// The state's field that says what was done last.
    pub last: Option<Text>,
    /// How runs are named where each is a file of its own: a pattern of [`crate::run_id`].
    pub id: Option<Text>,
    /// Whether files in a run's place whose name is no id are cleared away.
    pub clears_strays: bool,
    /// What the state file is written in.
    pub format: Format,
    /// The state's field that has the time of the last write.
    pub stamp: Option<Text>,
    /// The state's field that names the session the run belongs to; without one the engine keeps its own books.
    pub owner: Option<Text>,
    /// The state's field that names the folder where the run began.
    pub root: Option<Text>,
    /// After how many minutes a run that nobody owns counts for nothing, as an expression.
    pub stale: Option<Text>,
    /// A file beside the runs that has the journal in plain lines.
    pub log: Option<Text>,
    /// Whether only the engine writes the state: what others change in it is put back.
    pub is_sealed: bool,
    /// Whether what cannot be judged is held, where a rule does not say.
    pub holds_on_fault: bool,
    /// The level that its proofs must have at least: below it nothing is performed.
    pub level: Option<Level>,
    /// Where steps write what they log.
    pub record: Option<Record>,
    /// Paths that are no part of the tree that evidence is bound to.
    pub aside: List<Text>,
    /// The current element of a list in the state.
    pub item: Option<Item>,
    /// Fields that are kept equal to a word in a document.
    pub mirrors: List<Mirror>,
    /// What the engine notes of the files, because somebody asks for it.
    pub notes: Notes,
    /// What is looked at before and after each shell call.
    pub watch: watch::Watch,
}

/// What the engine notes of the files of a sealed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Notes {
    /// The tree when a phase is entered.
    pub phases: bool,
    /// The tree and the commit when an item, or the run, begins.
    pub beginnings: bool,
    /// The agents' settings when the run begins.
    pub settings: bool,
}

/// What a permit lets be edited, to be held against files that were changed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Bound {
    /// The phases that have it.
    pub phases: List<Text>,
    /// Whether it is of the default permit, which also judges what was changed before this phase.
    pub is_default: bool,
    /// The expression that gives those of `files` that may not be edited.
    pub offends: Text,
}

/// `[run] record`: a section of a document that steps append lines to.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Record {
    /// The document, a template.
    pub file: Text,
    /// The section's heading; it is made if it is not there.
    pub under: Text,
}

/// `[run.item]`: the element of a list in the state whose `id` is the one that another field names. It is read and set
/// by its own name.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Item {
    /// What it is called.
    pub name: Text,
    /// The state's field with the list.
    pub list: Text,
    /// The state's field with the id.
    pub at: Text,
}

/// `[mirror]`: a word in a document that is kept equal to a state field.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Mirror {
    /// The state field.
    pub field: Text,
    /// The document, a template.
    pub file: Text,
    /// A regular expression, a template: its first group is the word.
    pub find: Text,
}

/// What a state file is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub enum Format {
    /// A JSON object.
    #[default]
    Json,
    /// `key: value` lines.
    Lines,
}

impl Format {
    /// All formats, as workflow files spell them.
    pub(crate) const ALL: [(&'static str, Format); 2] = [("json", Format::Json), ("lines", Format::Lines)];
}

/// What stands for a run's id in the name of its file.
pub(crate) const ID: &str = "{id}";

impl Run {
    /// What is no part of the tree that checks and reviews are bound to, as globs.
    pub fn aside(&self) -> Vec<String> {
        self.aside.iter().map(ToString::to_string).collect()
    }

    /// The name of the file that is the run of this id; none if runs are not files.
    pub fn file_of(&self, id: &str) -> Option<String> {
        self.id.as_ref().zip(self.each.as_ref()).map(|(_, each)| each.replace(ID, id))
    }

    /// The id in a file's name: `Err` if the name looks like a run's but its id is not valid.
    pub fn id_of<'a>(&self, file: &'a str) -> Option<Result<&'a str, &'a str>> {
        let (before, after) = self.each.as_ref()?.split_once(ID)?;
        let id = file.strip_prefix(before)?.strip_suffix(after)?;
        let fits = crate::run_id::fits(self.id.as_deref()?, id);
        Some(if fits { Ok(id) } else { Err(id) })
    }
}

/// What a rule does when its condition is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub(crate) enum RuleKind {
    /// Blocks the event.
    Hold,
    /// Only says something.
    Witness,
}

impl RuleKind {
    /// The word workflow files and the journal use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleKind::Hold => "hold",
            RuleKind::Witness => "witness",
        }
    }
}

/// `[holds.X]` or `[witnesses.X]`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Rule {
    /// Its name; no other rule has it.
    pub name: Text,
    /// The guard that it belongs to, where several rules are called by one name.
    pub guard: Option<Text>,
    /// A code for messages and the journal.
    pub code: Option<Text>,
    /// The events it looks at.
    pub on: List<On>,
    /// An expression whose elements are looked at one by one, as `key` and `value`.
    pub each: Option<Text>,
    /// What it does: its condition, what it sets and what it says to whom.
    pub step: step::Step,
    /// What ends the hold, for `why`; a template.
    pub satisfied_by: Option<Text>,
    /// Whether it says something to the user only once a session.
    pub once: bool,
    /// Whether a hold that cannot be judged holds; none: as `[run]` says.
    pub holds_on_fault: Option<bool>,
    /// The rule's line in the workflow file.
    pub line: u32,
}

/// A field of the state.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// Its first value, a template.
    pub first: Text,
    /// What it may be, where the file says so.
    pub is: Option<FieldType>,
    /// Whether it may be null.
    pub is_nullable: bool,
}

/// What a field may be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub enum FieldType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A list.
    List,
    /// A table.
    Table,
    /// One of these words.
    OneOf(List<Text>),
}

/// A text: a template and the file it came from.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Say {
    /// The file under the workflow's folder; empty for a text written in the workflow file.
    pub file: Text,
    /// The template.
    pub template: Text,
}

impl Say {
    /// Whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.template.is_empty()
    }
}

/// An event a rule looks at.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct On {
    /// The moment.
    pub moment: Moment,
    /// Which tools.
    pub tool: ToolMatch,
}

/// Which tools a rule looks at.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub enum ToolMatch {
    /// Every tool, or none at all where the moment has none.
    Any,
    /// Tools of a kind.
    Kind(ToolKind),
    /// One tool by its name.
    Named(Text),
}

/// A name and its source text.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Named {
    /// The name.
    pub name: Text,
    /// An expression, a template or JSON, as the place says.
    pub source: Text,
}

/// `[delegation]`: whom a sub-agent call is for, and which phase that one belongs to.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow))]
pub struct Delegation {
    /// Manifest files, the first that is there counts.
    pub manifest: List<Text>,
    /// The manifest's table of agents; each has a `phase`.
    pub agents: Text,
    /// Phases of the manifest that are not phases of the run.
    pub aside: List<Text>,
    /// The phases of this run, as an expression.
    pub phases: Option<Text>,
    /// Words and phrases that mark a call as set-up, which is no delegation.
    pub setup: List<Text>,
    /// Phrases that contain a set-up word and are not about set-up.
    pub not_setup: List<Text>,
    /// Short names of agents.
    pub aliases: List<Named>,
}

/// How much longer than the longest review an agent is told to wait at a Stop, in seconds.
pub const STOP_MARGIN_S: u32 = 30;

impl Workflow {
    /// How long the longest review or check may take, in seconds.
    pub fn longest_review_s(&self) -> u32 {
        let reviewers = self.reviewers.iter().map(|reviewer| reviewer.timeout_s);
        reviewers.chain(self.checks.iter().map(|check| check.timeout_s)).max().unwrap_or_default()
    }

    /// Where a check or a review is performed that says so itself, or says nothing: a sealed workflow's gates are proved on
    /// the bench.
    pub(crate) fn proves(&self, own: Option<bench::Prove>) -> bench::Prove {
        let usual = if self.run.is_sealed { bench::Prove::Bench } else { bench::Prove::InPlace };
        own.unwrap_or(usual)
    }

    /// The check of this name.
    pub(crate) fn check(&self, name: &str) -> Option<&performer::Check> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The approval of this name.
    pub fn approval(&self, name: &str) -> Option<&approval::Approval> {
        self.approvals.iter().find(|approval| approval.name == name)
    }

    /// The limit of this name.
    pub(crate) fn limit(&self, name: &str) -> Option<&limit::Limit> {
        self.limits.iter().find(|limit| limit.name == name)
    }

    /// The phase of this name.
    pub fn phase(&self, name: &str) -> Option<&phase::Phase> {
        self.phases.iter().find(|phase| phase.name == name)
    }

    /// The command that goes through whatever is due, as somebody types it, if there is one.
    pub fn going_on(&self) -> Option<String> {
        let is_it = |command: &&command::Command| {
            command.steps.is_empty() && command.through.iter().any(|name| name == "all")
        };
        let command = self.commands.iter().find(is_it)?;
        Some(format!("holdpoint {} {}", self.name, command.name))
    }

    /// Whether an agent's call of this command is performed by the hook that sees the call, not in the agent's shell: it
    /// goes through phases, or changes what only the engine may change.
    pub fn is_for_hooks(&self, command: &command::Command) -> bool {
        let changes = |step: &step::Step| {
            let keys = &step.command;
            let moves = step.go.is_some() || step.round.is_some() || keys.finish.is_some();
            let accepts = step.accept || step.rebase || !step.freeze.is_empty();
            moves || accepts || keys.create.is_some() || !step.set.is_empty()
        };
        !command.through.is_empty() || (self.run.is_sealed && command.steps.iter().any(changes))
    }

    /// What it must be asked about: what its rules look at, what the engine's protection of a sealed run does, and the
    /// answers of sub-agents that review.
    pub fn looks_at(&self) -> Vec<On> {
        let on = |moment: Moment, kind: ToolKind| On { moment, tool: ToolMatch::Kind(kind) };
        let mut all: Vec<On> = self.rules.iter().flat_map(|rule| rule.on.iter().cloned()).collect();
        if self.run.is_sealed {
            all.push(on(Moment::Before, ToolKind::Edit));
        }
        let is_seen = |command: &command::Command| !command.is_users && self.is_for_hooks(command);
        if self.run.is_sealed || self.commands.iter().any(is_seen) {
            all.push(on(Moment::Before, ToolKind::Shell));
        }
        if self.run.watch.is_any() {
            all.extend([Moment::Before, Moment::After].map(|moment| on(moment, ToolKind::Shell)));
        }
        if self.asks_subagents() {
            // An answer counts only if the call was seen to begin.
            all.push(on(Moment::Before, ToolKind::Delegation));
            all.push(on(Moment::After, ToolKind::Delegation));
        }
        all
    }

    /// Returns whether sub-agents may be asked to review.
    pub fn asks_subagents(&self) -> bool {
        self.reviewers.iter().any(|reviewer| reviewer.subagent.is_some())
    }

    /// The rules that look at this event; with `only`, the one of that name or those of that guard.
    pub fn rules_for<'a>(
        &'a self,
        event: &'a Event,
        only: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Rule> {
        self.rules
            .iter()
            .filter(move |rule| only.is_none_or(|name| rule.is_called(name)) && rule.looks_at(event))
    }

    /// The expression behind a name of `[let]`.
    pub fn expression(&self, name: &str) -> Option<&Text> {
        self.lets.iter().find(|named| named.name == name).map(|named| &named.source)
    }
}

impl ToolMatch {
    fn matches(&self, tool: Option<&Tool>) -> bool {
        match self {
            ToolMatch::Any => true,
            ToolMatch::Kind(kind) => tool.is_some_and(|tool| tool.kind() == *kind),
            ToolMatch::Named(name) => tool.is_some_and(|tool| tool.name == *name),
        }
    }
}
