//! Approvals: what a person says to a run is kept as evidence, and the step that it leads to is taken.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::{FactError, Facts, time};
use holdpoint_core::phase::approval::{self, Given};
use holdpoint_core::phase::{self, Answered, Due, Turn};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::approval::{Approval, Channel, Of};
use holdpoint_core::workflow::phase::{Actor, Phase, PhaseKind};
use holdpoint_core::workflow::step::Delivery;
use holdpoint_core::workflow::{Text, Workflow};

use super::advance::{Scope, advance};
use super::command::{record, told};
use super::report::Report;
use super::session::Session;
use super::{pause, review};
use crate::check;
use crate::error::{CommandError, Kind};
use crate::level;
use crate::store::evidence::{self, Evidence};
use crate::store::journal::{self, Entry, Reviewed};
use crate::store::told as told_once;

/// The event that an approval is given at.
pub fn event(cwd: &Path) -> Arc<Event> {
    Arc::new(Event::from_shell(Moment::Stop, &cwd.to_string_lossy()))
}

/// A run that waits for people.
pub struct Waiting<'a> {
    /// The run.
    pub session: &'a Session<'a>,
    /// The phase that asks for approvals.
    pub phase: Box<Phase>,
    /// Those that are not given yet, or no longer count.
    pub missing: Vec<Approval>,
}

/// What an approval would be given to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The tree.
    pub tree: Option<String>,
    /// The last commit: its id and the first line of its message.
    pub commit: Option<(String, String)>,
}

/// What a person says.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// Yes, to this.
    Yes(&'a Seen),
    /// No, with the reason.
    No(&'a str),
}

/// Who says it, and how it reached Holdpoint.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    /// The user of the operating system.
    pub by: &'a str,
    /// The way.
    pub through: Channel,
}

/// What came of it.
pub struct Outcome {
    report: Report,
    due: Due,
    still_missing: Vec<String>,
}

impl<'a> Waiting<'a> {
    /// The run, if it waits for people.
    pub fn of(session: &'a Session<'a>) -> Result<Option<Waiting<'a>>, CommandError> {
        session.uphold().map_err(|why| CommandError::new(Kind::Files, why))?;
        let facts = session.refresh();
        match phase::due(&facts).map_err(told)? {
            Due::Phase(phase) if phase.actor() == Actor::Approval => {
                let missing = approval::missing(&facts, &phase).map_err(told)?;
                let missing = missing.into_iter().cloned().collect();
                Ok(Some(Waiting { session, phase, missing }))
            }
            _ => Ok(None),
        }
    }

    /// The approval of this name, if the phase asks for it.
    pub fn approval(&self, name: &str) -> Option<&'a Approval> {
        let PhaseKind::Approval(asked) = &self.phase.kind else { return None };
        asked.approvals.iter().find(|asked| *asked == name)?;
        self.session.run.workflow.approval(name)
    }

    /// Takes the step that earlier words lead to, if they do: a yes that no longer applies, or a yes of all whose step was
    /// not taken. Returns why, and what came of it.
    pub fn settle(&self) -> Result<Option<(String, Outcome)>, CommandError> {
        pause::refuse(self.session.run)?;
        match phase::turn(&self.session.facts(), &self.phase).map_err(told)? {
            Turn::Answered(answered) => Ok(Some((answered.output, self.go_on("approve")?))),
            _ => Ok(None),
        }
    }

    /// What the approval would be given to now.
    pub fn seen(&self, approval: &Approval) -> Result<Seen, CommandError> {
        let facts = self.session.refresh();
        let commit = commit(&facts).map_err(told)?;
        let seen = Seen { tree: check::tree(self.session.run, self.session.env.as_ref()), commit };
        let is_there = if approval.of == Of::Commit { seen.commit.is_some() } else { seen.tree.is_some() };
        if !is_there {
            let what = format!("there is nothing that {} could approve", approval.name);
            let hint = match approval.of {
                Of::Commit => "commit first: the approval applies to the last commit",
                _ => "the project's folder must be the top of a git repository",
            };
            return Err(CommandError::new(Kind::Failed, what).hinted(hint));
        }
        Ok(seen)
    }

    /// The files that differ from the last commit, as far as the approval covers them.
    pub fn changed(&self, approval: &Approval) -> Result<Vec<String>, CommandError> {
        let facts = self.session.facts();
        let files = facts.value(&Text::Borrowed("since(git.head.tree)")).map_err(told)?;
        let files = files.as_array().into_iter().flatten();
        let files = files.filter_map(|file| file.as_str().map(str::to_owned));
        Ok(files.filter(|file| approval.of.covers(file)).collect())
    }

    /// The phase's own text.
    pub fn text(&self) -> Result<String, CommandError> {
        phase::ask(&self.session.facts(), &self.phase).map_err(told)
    }

    /// Keeps what a person says, and takes the step that it leads to.
    pub fn say(
        &self,
        approval: &Approval,
        said: &Said<'_>,
        answer: Answer<'_>,
    ) -> Result<Outcome, CommandError> {
        pause::refuse(self.session.run)?;
        self.keep_word(approval, said, answer)?;
        self.go_on(&format!("approve {}", approval.name))
    }

    fn keep_word(
        &self,
        approval: &Approval,
        said: &Said<'_>,
        answer: Answer<'_>,
    ) -> Result<(), CommandError> {
        let session = self.session;
        let _lock = review::wait_for_lock(session)
            .map_err(|error| CommandError::new(Kind::Files, format!("nothing was recorded: {error}")))?;
        let facts = session.refresh();
        if phase::due(&facts).map_err(told)? != Due::Phase(self.phase.clone()) {
            return Err(CommandError::new(Kind::Failed, "the run has moved on, so nothing was recorded")
                .hinted("see `holdpoint status`"));
        }
        let now = self.seen(approval)?;
        if let Answer::Yes(seen) = answer
            && !is_same(&approval.of, seen, &now)
        {
            return Err(CommandError::new(
                Kind::Failed,
                "files changed while you were asked, so nothing was recorded",
            )
            .hinted(format!("look again: holdpoint approve {}", approval.name)));
        }
        let end = |seconds: u32| time::iso(session.env.now() + i64::from(seconds));
        let (verdict, expires, reason) = match answer {
            Answer::Yes(_) => (Verdict::Pass, approval.expires_s.map(end), None),
            Answer::No(reason) => (Verdict::Fail, None, Some(reason.to_owned())),
        };
        let given = Given {
            name: approval.name.to_string(),
            run: approval::run_name(&facts),
            by: said.by.to_owned(),
            through: said.through,
            commit: now.commit.map(|(id, _)| id).filter(|_| approval.of == Of::Commit),
            expires,
            reason,
        };
        let line = Evidence {
            verdict: Some(verdict),
            tree: now.tree,
            approval: Some(given),
            ..line(session, &self.phase)
        };
        evidence::append(&session.run.books, &line).map_err(|error| {
            CommandError::new(Kind::Files, format!("the approval could not be recorded: {error}"))
        })
    }

    fn go_on(&self, about: &str) -> Result<Outcome, CommandError> {
        let started = Instant::now();
        let session = self.session;
        session.refresh();
        let report = advance(session, Scope::Through(std::slice::from_ref(&self.phase.name)));
        let entry = Entry {
            at: journal::now(),
            event: "command".to_owned(),
            about: Some(format!("{} {about}", session.run.workflow.name)),
            agent: "shell".to_owned(),
            workflow: Some(session.run.workflow.name.to_string()),
            ..Entry::default()
        };
        record(session.run, &report.entry_of_command(entry, started));
        let facts = session.refresh();
        let due = phase::due(&facts).map_err(told)?;
        let still_missing = match &due {
            Due::Phase(phase) => approval::missing(&facts, phase).map_err(told)?,
            Due::Nobody | Due::Unknown(_) => Vec::new(),
        };
        let still_missing = still_missing.iter().map(|approval| approval.name.to_string()).collect();
        Ok(Outcome { report, due, still_missing })
    }
}

impl Outcome {
    /// What the person who said something is told: what came of it, and what is next.
    pub fn lines(&self, workflow: &Workflow) -> Vec<String> {
        let is_for_people = |delivery| matches!(delivery, Delivery::Tell | Delivery::Pause);
        let mut lines: Vec<String> = Vec::new();
        for answered in &self.report.reviews {
            let verdict = answered.verdict.as_ref().map(Verdict::word).unwrap_or_default();
            lines.push(format!("Phase `{}`: {verdict}.", answered.phase));
        }
        let messages = self.report.effects.messages.iter();
        lines.extend(messages.filter(|said| is_for_people(said.delivery)).map(|said| said.text.clone()));
        lines.extend(self.report.note.iter().chain(self.faults()).map(|what| format!("Note: {what}")));
        lines.push(match &self.due {
            Due::Phase(phase) => self.next(workflow, phase),
            Due::Nobody => "Nothing is due now.".to_owned(),
            Due::Unknown(name) => format!("Due now: `{name}`, which the workflow does not have."),
        });
        lines
    }

    fn faults(&self) -> impl Iterator<Item = &String> {
        self.report.effects.faults.iter().map(|fault| &fault.what)
    }

    fn next(&self, workflow: &Workflow, phase: &Phase) -> String {
        let name = &phase.name;
        match phase.actor() {
            Actor::Approval => {
                let commands: Vec<String> =
                    self.still_missing.iter().map(|name| format!("   holdpoint approve {name}")).collect();
                format!(
                    "Still missing in `{name}`: {}\n{}",
                    self.still_missing.join(", "),
                    commands.join("\n")
                )
            }
            Actor::Agent => format!("Due now: `{name}`, by the agent. Tell the agent to continue."),
            Actor::Reviewer | Actor::Check => {
                let who = phase.actor().name();
                format!("Due now: `{name}`, by a {who}. Run it: holdpoint review")
            }
            Actor::User => {
                format!("Due now: `{name}`, by you. The commands: holdpoint {}", workflow.name)
            }
            Actor::Nobody => format!("The run is over: `{name}`."),
        }
    }
}

/// Whether nothing of what is approved has changed between two looks.
fn is_same(of: &Of, one: &Seen, other: &Seen) -> bool {
    match of {
        Of::Commit => one.commit == other.commit,
        Of::Tree | Of::Paths(_) => one.tree == other.tree,
    }
}

fn commit(facts: &Arc<Facts>) -> Result<Option<(String, String)>, FactError> {
    Ok(text_of(facts, "git.head.id")?.zip(text_of(facts, "git.head.subject")?))
}

fn text_of(facts: &Arc<Facts>, source: &'static str) -> Result<Option<String>, FactError> {
    let value = facts.value(&Text::Borrowed(source))?;
    Ok(value.as_str().map(str::to_owned))
}

/// A line of evidence about a phase, as far as all such lines are alike.
fn line(session: &Session<'_>, phase: &Phase) -> Evidence {
    Evidence {
        at: time::iso(session.env.now()),
        workflow: session.run.workflow.name.to_string(),
        item: session.facts().item_id(),
        phase: phase.name.to_string(),
        round: 1,
        level: level::of_this_process(&session.run.books, session.env.as_ref()),
        ..Evidence::default()
    }
}

/// A phase's verdict as a line of evidence. It is of the tree that the session saw: people's words were compared with it.
pub(super) fn verdict(
    session: &Session<'_>,
    phase: &Phase,
    answered: &Answered,
) -> Result<Evidence, FactError> {
    let facts = session.facts();
    let is_bound = !session.run.workflow.run.aside.is_empty();
    let tree = text_of(&facts, "tree")?.filter(|_| is_bound);
    Ok(Evidence {
        verdict: answered.verdict.clone(),
        passed: answered.verdict == Some(Verdict::Pass),
        tree,
        details: answered.details.clone(),
        ..line(session, phase)
    })
}

/// Keeps a phase's verdict: what was said before it does not lead to it again.
pub(super) fn keep(session: &Session<'_>, verdict: &Evidence, report: &mut Report) {
    if let Err(error) = evidence::append(&session.run.books, verdict) {
        report.effects.fault(format!("the verdict of {} is not recorded: {error}", verdict.phase));
    }
    report.reviews.push(Reviewed::of(verdict));
}

/// What the user is told at a Stop about the approvals that a run waits for: once in a session, and again when it
/// changes.
pub(super) fn news(session: &Session<'_>, phase: &Phase) -> Result<Option<String>, FactError> {
    let text = phase::asked(&session.facts(), phase)?;
    let run = session.run;
    let verdicts = evidence::read(&run.books, &run.workflow.name);
    let visit = verdicts.iter().filter(|piece| piece.phase == phase.name && piece.is_verdict()).count();
    let id = session.event.session.as_deref().unwrap_or_default();
    let what = format!("{} {visit} {text}", run.place().display());
    Ok(told_once::first_time(&run.books, id, &what).then_some(text))
}
