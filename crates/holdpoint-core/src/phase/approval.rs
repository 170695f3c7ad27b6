//! Approvals: what people have said to a run, whether that still applies, and the verdict it makes.

use std::sync::Arc;

use minijinja::value::{Serde, Value};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{Answered, Turn, ask, done, take};
use crate::effects::Effects;
use crate::facts::{FactError, Facts, time};
use crate::verdict::Verdict;
use crate::workflow::approval::{Approval, Channel, Of};
use crate::workflow::phase::{ApprovalPhase, Phase, PhaseKind};

/// What somebody said to a run, as a line of evidence has it. The line's verdict is the yes or the no, and its tree what
/// was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// The approval's name.
    pub name: String,
    /// The run, by its id or its folder: a workflow can have several.
    pub run: String,
    /// The user of the operating system who said it.
    pub by: String,
    /// How it reached Holdpoint.
    pub through: Channel,
    /// The last commit then, if the approval is of a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Until when a yes counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// Why it was a no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A line of evidence with what somebody said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    /// What was said.
    pub given: Given,
    /// When, in UTC.
    pub at: String,
    tree: Option<String>,
    is_yes: bool,
    /// The phase that asked for it, if that has come to no verdict since.
    asked_by: Option<String>,
}

/// How an approval stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Standing {
    /// Nobody has said anything.
    Open,
    /// Yes, to what there is now.
    Approved(Word),
    /// No.
    Refused(Word),
    /// Yes, but to something else than there is now.
    Changed(Word),
    /// Yes, but too long ago.
    Expired(Word),
}

impl Standing {
    /// The yes, if it counts.
    pub(crate) fn approved(&self) -> Option<&Word> {
        match self {
            Standing::Approved(word) => Some(word),
            _ => None,
        }
    }
}

/// The run that words are about: its id, or its folder below the home.
pub fn run_name(facts: &Facts) -> String {
    facts.world.run_id().unwrap_or_else(|| facts.world.folder())
}

/// How an approval stands now.
pub(crate) fn standing(facts: &Arc<Facts>, approval: &Approval) -> Result<Standing, FactError> {
    let Some(word) = last_word(facts, &approval.name) else { return Ok(Standing::Open) };
    if !word.is_yes {
        return Ok(Standing::Refused(word));
    }
    let end = word.given.expires.as_deref().map(|end| time::epoch(end).unwrap_or(i64::MIN));
    Ok(match end {
        Some(end) if facts.world.now() >= end => Standing::Expired(word),
        _ if applies(facts, approval, &word)? => Standing::Approved(word),
        _ => Standing::Changed(word),
    })
}

/// Whether a yes is to what there is now.
fn applies(facts: &Arc<Facts>, approval: &Approval, word: &Word) -> Result<bool, FactError> {
    if approval.of == Of::Commit {
        let head = facts.head()?.get_attr("id").ok();
        let head = head.as_ref().and_then(|id| id.as_str());
        return Ok(head.is_some() && head == word.given.commit.as_deref());
    }
    let Some(tree) = &word.tree else { return Ok(false) };
    if facts.tree()?.as_ref() == Some(tree) {
        return Ok(true);
    }
    let is_covered = |file: &String| approval.of.covers(file);
    Ok(approval.of != Of::Tree && !facts.since(tree)?.iter().any(is_covered))
}

/// The last that was said under a name, about this run and the item at hand.
fn last_word(facts: &Arc<Facts>, name: &str) -> Option<Word> {
    let (run, item) = (run_name(facts), facts.item_id());
    // Phases that came to a verdict after the word, as the lines are read from the last one on.
    let mut decided: Vec<String> = Vec::new();
    for line in facts.world.evidence().iter().rev() {
        let about = line.get("item").unwrap_or(&Json::Null);
        if !(item.is_null() || about.is_null() || *about == item) {
            continue;
        }
        let phase = line["phase"].as_str().unwrap_or_default().to_owned();
        let Some(given) = line.get("approval") else {
            if line["details"]["run"] == run.as_str() {
                decided.push(phase);
            }
            continue;
        };
        let Ok(given) = serde_json::from_value::<Given>(given.clone()) else { continue };
        if given.name == name && given.run == run {
            let text = |key: &str| line[key].as_str().map(str::to_owned);
            return Some(Word {
                at: text("at").unwrap_or_default(),
                tree: text("tree"),
                is_yes: line["verdict"] == Verdict::Pass.word(),
                asked_by: Some(phase).filter(|phase| !decided.contains(phase)),
                given,
            });
        }
    }
    None
}

/// The approvals that a phase still waits for.
pub fn missing<'a>(facts: &'a Arc<Facts>, phase: &Phase) -> Result<Vec<&'a Approval>, FactError> {
    let PhaseKind::Approval(asked) = &phase.kind else { return Ok(Vec::new()) };
    let mut missing = Vec::new();
    for approval in asked.approvals.iter().filter_map(|name| facts.workflow.approval(name)) {
        if standing(facts, approval)?.approved().is_none() {
            missing.push(approval);
        }
    }
    Ok(missing)
}

/// What people's words come to in a phase: a no, a yes that no longer applies, or a yes of all. Until then it waits.
pub(super) fn turn(facts: &Arc<Facts>, phase: &Phase, asked: &ApprovalPhase) -> Result<Turn, FactError> {
    let approvals = asked.approvals.iter().filter_map(|name| facts.workflow.approval(name));
    let stand: Vec<Standing> =
        approvals.map(|approval| standing(facts, approval)).collect::<Result<_, _>>()?;
    // What led to a verdict of the phase before does not lead to it again.
    let is_news = |word: &Word| word.asked_by.as_deref() == Some(phase.name.as_ref());
    let of_one = |verdict: Verdict, word: &Word, notes: String| Answered {
        verdict: Some(verdict),
        details: json!({
            "run": word.given.run, "name": word.given.name, "by": word.given.by, "notes": notes,
        }),
        output: notes,
    };
    let refused = stand.iter().find_map(|standing| match standing {
        Standing::Refused(word) if is_news(word) => {
            Some(of_one(Verdict::Fail, word, word.given.reason.clone().unwrap_or_default()))
        }
        _ => None,
    });
    let stale = || {
        stand.iter().find_map(|standing| match standing {
            Standing::Changed(word) if is_news(word) => {
                let notes = format!("What {} approved has changed since.", word.given.name);
                Some(of_one(Verdict::Stale, word, notes))
            }
            Standing::Expired(word) if is_news(word) => {
                let notes = format!("The approval of {} has expired.", word.given.name);
                Some(of_one(Verdict::Stale, word, notes))
            }
            _ => None,
        })
    };
    let answered = refused.or_else(stale).or_else(|| by_all(facts, &stand));
    Ok(answered.map_or(Turn::Rest, |answered| Turn::Answered(Box::new(answered))))
}

fn by_all(facts: &Arc<Facts>, stand: &[Standing]) -> Option<Answered> {
    let words: Vec<&Word> = stand.iter().map(Standing::approved).collect::<Option<_>>()?;
    let approvals: Vec<Json> = words
        .iter()
        .map(|word| json!({"name": word.given.name, "by": word.given.by, "through": word.given.through, "at": word.at}))
        .collect();
    let names: Vec<&str> = words.iter().map(|word| word.given.name.as_str()).collect();
    Some(Answered {
        verdict: Some(Verdict::Pass),
        details: json!({"run": run_name(facts), "approvals": approvals}),
        output: format!("Approved by {}.", names.join(", ")),
    })
}

/// The step for what people have said.
pub fn answered(facts: &Arc<Facts>, phase: &Phase, answered: &Answered) -> Result<Effects, FactError> {
    let (Some(routes), Some(verdict)) = (phase.routes(), &answered.verdict) else {
        return Ok(Effects::default());
    };
    let facts = &facts
        .with("output", Value::from(answered.output.as_str()))
        .with("result", Value::from(Serde(&answered.details)))
        .with("verdict", Value::from(verdict.word()));
    take(facts, phase, routes.steps(verdict), done(facts, phase)?)
}

/// What is said while a phase waits: its own text, whom it waits for, and the commands.
pub(super) fn asked(facts: &Arc<Facts>, phase: &Phase) -> Result<String, FactError> {
    let missing = missing(facts, phase)?;
    let who: Vec<&str> = missing.iter().map(|approval| approval.who.as_ref()).collect();
    let commands = |is_meant: &dyn Fn(&Approval) -> bool| {
        let meant = missing.iter().filter(|approval| is_meant(approval));
        meant.map(|approval| format!("   holdpoint approve {}", approval.name)).collect::<Vec<_>>().join("\n")
    };
    let mut waits = format!(
        "Phase `{}` waits for the approval of {}. An agent cannot give it, and may end its turn.\n\
         In a terminal of your own:\n{}",
        phase.name,
        who.join(", "),
        commands(&|_| true)
    );
    let typed = commands(&|approval| approval.through.contains(&Channel::Prompt));
    if !typed.is_empty() {
        waits = format!("{waits}\nOr type it here, as a prompt of its own, if this is Claude Code:\n{typed}");
    }
    let text = ask(facts, phase)?;
    Ok(if text.is_empty() { waits } else { format!("{text}\n\n{waits}") })
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod approval_tests;
