//! `holdpoint why`: explains the last hold and what would satisfy it.

use clap::Args;
use holdpoint_core::release::Cause;
use holdpoint_core::workflow::Rule;
use holdpoint_core::workflow::parse::FILE;
use serde_json::{Value as Json, json};

use super::history::{Fate, History};
use super::selection::{Speakers, is_rule};
use super::{Context, condition, journals, phrase, subject};
use crate::error::CommandError;
use crate::store::journal::{Decision, Entry, Speech, Spoken};
use crate::ui::{Style, Ui};

/// Explain the last hold, and what would satisfy it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  holdpoint why                        the last hold
  holdpoint why 3                      the third last
  holdpoint why --rule no-commit       the last hold of one rule, by its name or code
  holdpoint why --any                  the last time any rule applied, including witnesses
  holdpoint why --json | jq -r '.rules[].satisfied_by'")]
pub(super) struct Arguments {
    /// Which hold, counted from the last
    #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    nth: u32,
    #[command(flatten)]
    speakers: Speakers,
    /// Include witnesses: messages that did not block
    #[arg(long)]
    any: bool,
    /// Print the explanation as JSON (`null` if there is none)
    #[arg(long)]
    json: bool,
}

pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let found = context.find(None);
    context.tell_waiting(&found);
    let books = journals::books(&found, context.env.as_ref());
    let mut entries: Vec<Entry> = journals::read(&books)?.into_iter().map(|line| line.entry).collect();
    let has_journal = !entries.is_empty();
    let history = History::of(context, &found, &entries);
    for entry in &mut entries {
        arguments.narrow(entry);
    }
    entries.retain(|entry| !entry.rules.is_empty() && arguments.speakers.take(entry));
    let nth = usize::try_from(arguments.nth).unwrap_or(usize::MAX);
    let Some(entry) = entries.iter().rev().nth(nth - 1) else {
        show_none(context, arguments, entries.len(), has_journal);
        return Ok(());
    };
    let rules: Vec<Explained<'_>> =
        entry.rules.iter().map(|spoken| explain(context, &history, entry, spoken)).collect();
    if arguments.json {
        context.ui.json(as_json(entry, &rules));
    } else {
        show(&context.ui, entry, &rules);
    }
    Ok(())
}

impl Arguments {
    /// Removes the rules that the filters exclude.
    fn narrow(&self, entry: &mut Entry) {
        entry.rules.retain(|spoken| {
            (self.any || spoken.kind == Speech::Hold)
                && self.speakers.rule.as_deref().is_none_or(|name| is_rule(spoken, name))
        });
    }
}

/// A rule in the journal, and the same rule in the workflow now.
struct Explained<'a> {
    spoken: &'a Spoken,
    /// The workflow's file and line for people.
    place: Option<String>,
    rule: Option<Rule>,
    /// What became of the hold.
    fate: Option<Fate>,
}

fn explain<'a>(context: &Context, history: &History, entry: &Entry, spoken: &'a Spoken) -> Explained<'a> {
    let fate = spoken.hold.as_deref().and_then(|id| history.fate(id));
    let workflows = subject::find(context, &[]).unwrap_or_default();
    let Some(found) = workflows.into_iter().find(|found| Some(&found.name) == entry.workflow.as_ref()) else {
        return Explained { spoken, place: None, rule: None, fate };
    };
    let rules = found.rules().unwrap_or_default();
    let rule = rule_now(&rules, spoken).cloned();
    let place = found.shown(&format!("{FILE}:{}", spoken.line));
    Explained { spoken, place: Some(place), rule, fate }
}

/// Finds the rule of that name and line or, if the file has changed since, the only one of that name and code.
fn rule_now<'r>(rules: &'r [Rule], spoken: &Spoken) -> Option<&'r Rule> {
    let mut alike = rules.iter().filter(|rule| rule.name == spoken.rule);
    if let Some(rule) = alike.clone().find(|rule| rule.line == spoken.line) {
        return Some(rule);
    }
    let only = alike.find(|rule| rule.code == spoken.code.as_deref().map(Into::into))?;
    alike.all(|rule| rule.code != only.code).then_some(only)
}

/// Says that there is nothing to explain, and names the next command.
fn show_none(context: &Context, arguments: &Arguments, n_found: usize, has_journal: bool) {
    let ui = &context.ui;
    if arguments.json {
        ui.json(Json::Null);
        return;
    }
    let what = if arguments.any { "rule has applied" } else { "hold" };
    let noun = if arguments.any { "entry" } else { "hold" };
    ui.line(match n_found {
        0 if !has_journal => format!("No {what} yet: the journal here is empty."),
        0 if arguments.speakers.is_empty() => format!("No {what} yet."),
        0 => format!("No {noun} matches these filters."),
        1 => format!("There is only one such {noun}."),
        n => format!("There are only {n} such {}.", if arguments.any { "entries" } else { "holds" }),
    });
    ui.line(if has_journal {
        "See `holdpoint log` for all events."
    } else {
        "See `holdpoint status` for the workflows that are active here."
    });
}

fn show(ui: &Ui, entry: &Entry, rules: &[Explained<'_>]) {
    let (word, reason) = match entry.decision {
        Decision::Hold => (ui.paint(Style::Red, "Held"), String::new()),
        Decision::Release => {
            let reason = match entry.cause {
                None | Some(Cause::NoProgress) => "after too many holds without progress",
                Some(cause) => cause.reason(),
            };
            (ui.paint(Style::Yellow, "Released"), format!(", {reason}"))
        }
        Decision::Witness | Decision::Fault | Decision::None => {
            (ui.paint(Style::Cyan, "Said"), String::new())
        }
    };
    ui.line(format!("{word} {}{reason}", phrase::time_and_age(&entry.at)));
    let session = entry.session.as_deref().map(|id| format!(", session {id}")).unwrap_or_default();
    ui.line(format!("  agent  {}{}", phrase::printable(&entry.agent), phrase::printable(&session)));
    ui.line(format!("  event  {}", phrase::call(entry)));
    for (at, explained) in rules.iter().enumerate() {
        let which = if rules.len() > 1 { format!(" ({} of {})", at + 1, rules.len()) } else { String::new() };
        if at > 0 {
            ui.line("");
        }
        let workflow = phrase::printable(entry.workflow.as_deref().unwrap_or_default());
        let rule = ui.paint(Style::Bold, phrase::rule(explained.spoken));
        ui.line(format!("  rule   {workflow}: {rule}{which}"));
        show_rule(ui, explained);
    }
}

fn show_rule(ui: &Ui, explained: &Explained<'_>) {
    let spoken = explained.spoken;
    if let Some(place) = &explained.place {
        ui.line(format!("  file   {}", ui.paint(Style::Cyan, place)));
    }
    if let Some(fate) = explained.fate {
        ui.line(format!("  now    {}", fate.in_words()));
    }
    let heading = |text: &str| ui.line(format!("\n{}", ui.paint(Style::Bold, text)));
    heading("It said");
    ui.line(phrase::indented(&spoken.text));
    if !spoken.facts.is_empty() {
        heading("It saw");
        show_facts(ui, &spoken.facts);
    }
    heading(if spoken.kind == Speech::Hold { "It holds while" } else { "It applies when" });
    show_condition(ui, explained);
    if let Some(satisfied_by) = &spoken.satisfied_by {
        heading("Satisfied when");
        ui.line(phrase::indented(satisfied_by));
    }
}

fn show_facts(ui: &Ui, facts: &[(String, String)]) {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    for (name, value) in facts {
        ui.line(format!("  {name:<width$} = {}", phrase::printable(value)));
    }
}

fn show_condition(ui: &Ui, explained: &Explained<'_>) {
    if explained.spoken.is_phase {
        ui.line(format!("  the phase `{}` is not finished", phrase::printable(&explained.spoken.rule)));
        return;
    }
    let Some(rule) = &explained.rule else {
        ui.line("  unknown: the workflow has changed since, and this rule no longer exists");
        return;
    };
    if rule.line != explained.spoken.line {
        ui.line(format!("  (the workflow has changed since; this is the rule now, at line {})", rule.line));
    }
    if let Some(each) = &rule.each {
        ui.line(format!("  for one `key` and `value` of {}", phrase::printable(each)));
    }
    let Some(when) = &rule.step.when else {
        ui.line("  always: the rule has no condition");
        return;
    };
    let parts = condition::conjuncts(when);
    let margin = if parts.len() > 1 { "    " } else { "" };
    for (at, part) in parts.iter().enumerate() {
        ui.line(format!("  {}{}", if at == 0 { margin } else { "and " }, phrase::printable(part)));
    }
}

fn as_json(entry: &Entry, rules: &[Explained<'_>]) -> Json {
    let rule = |explained: &Explained<'_>| {
        let when = explained.rule.as_ref().and_then(|rule| rule.step.when.as_deref());
        let spoken = explained.spoken;
        let facts: serde_json::Map<String, Json> =
            spoken.facts.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect();
        json!({
            "kind": spoken.kind,
            "hold": spoken.hold,
            "now": explained.fate.map(Fate::name),
            "rule": spoken.rule,
            "code": spoken.code,
            "file": explained.place,
            "line": spoken.line,
            "text": spoken.text,
            "facts": facts,
            "is_known": explained.rule.is_some(),
            "each": explained.rule.as_ref().and_then(|rule| rule.each.as_deref()),
            "when": when.map(condition::conjuncts),
            "satisfied_by": spoken.satisfied_by,
        })
    };
    json!({
        "at": entry.at,
        "decision": entry.decision,
        "cause": entry.cause,
        "agent": entry.agent,
        "session": entry.session,
        "event": entry.event,
        "tool": entry.tool,
        "about": entry.about,
        "workflow": entry.workflow,
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    })
}
