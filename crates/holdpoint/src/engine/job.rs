//! A review or check while it is performed: a line in the journal when it begins and one when it ends, and a note for whoever
//! looks meanwhile.

use std::time::Instant;

use holdpoint_core::phase::{Request, Task, round};
use holdpoint_core::workflow::phase::{Actor, Phase};

use super::report::Report;
use super::session::Session;
use crate::check::{Failure, Performed};
use crate::store::jobs::{self, Note};
use crate::store::journal::{self, Entry, Job, Kind};
use crate::store::layout;

/// A review or check that is being performed.
pub(super) struct UnderWay<'a> {
    session: &'a Session<'a>,
    /// Whose turn it is meanwhile.
    actor: Actor,
    job: Job,
    started: Instant,
    _note: Option<Note<'a>>,
}

/// Begins one. What the engine only looks at itself is over at once, and has no lines.
pub(super) fn begin<'a>(session: &'a Session<'a>, phase: &Phase, request: &Request) -> Option<UnderWay<'a>> {
    if matches!(request.task, Task::That | Task::Answered { .. }) {
        return None;
    }
    let run = session.run;
    let (at, words) = (journal::now(), request.command());
    let seed = format!("{:x}", session.env.random_u64());
    let id = layout::digest(&[&at, &request.phase, &seed]).chars().skip(10).collect::<String>();
    let job = Job {
        id: format!("j{id}"),
        phase: request.phase.clone(),
        round: request.round,
        limit: round::limit(&session.facts(), phase),
        program: words.first().cloned().unwrap_or_default(),
        model: model(words),
        log: request.log.clone(),
        pid: Some(std::process::id()),
        ..Job::default()
    };
    let note = jobs::begin(&run.books, &run.workflow.name, &run.place(), &at, &job);
    let under_way = UnderWay { session, actor: phase.actor(), job, started: Instant::now(), _note: note };
    under_way.record(Kind::Began, at, under_way.job.clone());
    Some(under_way)
}

impl UnderWay<'_> {
    /// Ends it, with what came of it.
    pub(super) fn end(self, came: &Result<Performed, Failure>, why: Option<String>, report: &mut Report) {
        let took = self.started.elapsed();
        report.performed += took;
        let performed = came.as_ref().ok();
        let job = Job {
            pid: None,
            verdict: performed.map(|performed| performed.verdict.clone()),
            tree: performed.and_then(|performed| performed.evidence.tree.clone()),
            cost_usd: performed.and_then(|performed| performed.cost_usd),
            took_ms: Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX)),
            why,
            ..self.job.clone()
        };
        self.record(Kind::Ended, journal::now(), job);
    }

    fn record(&self, kind: Kind, at: String, job: Job) {
        let Session { run, event, .. } = self.session;
        let item = self.session.facts().item_id();
        let entry = Entry {
            at,
            kind,
            event: event.moment.name().to_owned(),
            agent: event.agent.clone(),
            session: event.session.clone(),
            workflow: Some(run.workflow.name.to_string()),
            run: Some(run.place_name()),
            item: super::record::item_name(&item),
            turn: (kind == Kind::Began).then(|| self.actor.name().to_owned()),
            job: Some(job),
            ..Entry::default()
        };
        // A journal that cannot be written changes no verdict.
        let _ = journal::append(&run.books, &entry);
    }
}

/// The model that a command line names.
fn model(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--model" || word == "-m")?;
    words.get(at + 1).cloned()
}

#[cfg(test)]
mod tests {
    use super::model;

    #[test]
    fn the_model_is_the_one_that_the_command_line_names() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(model(&words("claude --print --model opus -- go")).as_deref(), Some("opus"));
        assert_eq!(model(&words("claude --print")), None);
        assert_eq!(model(&words("claude --model")), None);
    }
}
