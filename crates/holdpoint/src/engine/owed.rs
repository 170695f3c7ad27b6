//! Reviews that a run owed and that Holdpoint has not performed, where the run's state is the user's to edit: nothing holds
//! an agent that ends such a run by hand. So the user is told, once, when it is over.

use std::path::Path;

use holdpoint_core::effects::{Effects, Message, Source};
use holdpoint_core::event::Moment;
use holdpoint_core::graph::{Edge, graph};
use holdpoint_core::phase::{self, Due};
use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::phase::{Actor, AgentPhase, Phase, PhaseKind};
use holdpoint_core::workflow::step::Delivery;

use super::report::Report;
use super::session::Session;
use crate::env::Env;
use crate::project::Run;
use crate::project::whose::{self, Whose};
use crate::store::owed::{Owed, Part, Reviews};
use crate::store::state_folder::StateFolder;
use crate::store::told;

/// Whose part a phase's review is; none if it has none.
fn part(phase: &Phase) -> Option<Part> {
    match &phase.kind {
        PhaseKind::Reviewer(_) => Some(Part::Engine),
        PhaseKind::Agent(AgentPhase { shown: Some(_), .. }) => Some(Part::Agent),
        _ => None,
    }
}

/// Whether this is kept of a run: nobody can end a sealed one by hand, and cases have no user.
fn is_kept(run: &Run, env: &dyn Env) -> bool {
    !run.workflow.run.is_sealed
        && !env.began_everything()
        && run.workflow.phases.iter().any(|phase| part(phase).is_some())
}

/// The reviews that a run owes.
pub fn of(run: &Run, env: &dyn Env) -> Reviews {
    match StateFolder::of(env) {
        Ok(folder) if is_kept(run, env) => Owed::of(&folder, &run.home, &run.workflow.name).at(&run.place()),
        _ => Reviews::default(),
    }
}

fn change(run: &Run, env: &dyn Env, change: impl Fn(&mut Reviews)) {
    // What cannot be kept is not told: the journal has the run's steps all the same.
    if let Ok(folder) = StateFolder::of(env) {
        let _ = Owed::change(&folder, &run.home, &run.workflow.name, &run.place(), change);
    }
}

/// Notes the review that a step leads to.
pub(super) fn note(session: &Session<'_>, effects: &Effects) {
    let (run, env) = (session.run, session.env.as_ref());
    let went = effects.went.as_ref().and_then(|name| run.workflow.phase(name));
    let Some((phase, part)) = went.and_then(|phase| Some((phase, part(phase)?))) else { return };
    if is_kept(run, env) {
        change(run, env, |reviews| {
            reviews.insert(phase.name.to_string(), part);
        });
    }
}

/// Notes that a review was performed.
pub(super) fn performed(session: &Session<'_>, phase: &Phase) {
    let (run, env) = (session.run, session.env.as_ref());
    if is_kept(run, env) {
        change(run, env, |reviews| {
            reviews.remove(&*phase.name);
        });
    }
}

/// Forgets what a former run at the same place owed.
pub(super) fn forget(session: &Session<'_>) {
    let (run, env) = (session.run, session.env.as_ref());
    if is_kept(run, env) {
        change(run, env, Reviews::clear);
    }
}

/// Adds, at a Stop, what the user is told about reviews that nobody performed. Once for each run.
pub(super) fn tell(session: &Session<'_>, report: &mut Report) {
    let (run, env) = (session.run, session.env.as_ref());
    if session.event.moment != Moment::Stop || report.is_aside || report.effects.holds() || !is_kept(run, env)
    {
        return;
    }
    let Ok(folder) = StateFolder::of(env) else { return };
    let mut owed = Owed::of(&folder, &run.home, &run.workflow.name);
    let own = owed.0.remove(&*run.place().to_string_lossy()).unwrap_or_default();
    let over = text(&own).filter(|_| is_over(session));
    let over = over.map(|text| format!("{} is over. {text}", name(run, &run.place())));
    let hidden = owed.0.iter().filter(|(place, _)| Path::new(place.as_str()).exists());
    let hidden = hidden.filter(|_| run.workflow.run.each.is_some() && run.id.is_none());
    let hidden = hidden.filter(|(place, _)| !is_anothers(session, Path::new(place.as_str())));
    let hidden = hidden.filter_map(|(place, reviews)| {
        let waits: Vec<&str> = reviews
            .iter()
            .filter(|(_, part)| **part == Part::Engine)
            .map(|(name, _)| name.as_str())
            .collect();
        let waiting = name(run, Path::new(place));
        let counts = name(run, &run.place());
        (!waits.is_empty()).then(|| {
            format!(
                "{waiting} still waits for {}, but {counts} was changed later, so that one counts",
                waits.join(", ")
            )
        })
    });
    for text in over.into_iter().chain(hidden) {
        let what = format!("owed {} {text}", run.place().display());
        if told::first_time(&run.books, "", &what) {
            report.effects.messages.push(message(&run.workflow, &text));
        }
    }
}

/// Whether another session works on the run at this place: there it waits for nobody here.
fn is_anothers(session: &Session<'_>, place: &Path) -> bool {
    let Some(asking) = session.claimant() else { return false };
    let run = Run { folder: place.to_path_buf(), ..session.run.clone() };
    matches!(whose::of(&run, None, &asking, session.env.as_ref()), Whose::Anothers(_))
}

fn name(run: &Run, place: &Path) -> String {
    format!("`{}`", place.strip_prefix(&run.home).unwrap_or(place).display())
}

fn message(workflow: &Workflow, text: &str) -> Message {
    let see = format!("See: holdpoint evidence --workflow {}", workflow.name);
    Message {
        delivery: Delivery::Tell,
        text: format!("holdpoint: {}: {text}. {see}", workflow.name),
        source: Source::Engine,
        name: "unreviewed".to_owned(),
        line: 0,
        code: None,
        facts: Vec::new(),
        satisfied_by: None,
    }
}

/// What is said of reviews that Holdpoint has not performed; none if there are none.
pub fn text(reviews: &Reviews) -> Option<String> {
    let of = |wanted: Part| {
        let names = reviews.iter().filter(|(_, part)| **part == wanted).map(|(name, _)| name.as_str());
        Some(names.collect::<Vec<_>>().join(", ")).filter(|names| !names.is_empty())
    };
    let unperformed =
        of(Part::Engine).map(|names| format!("Holdpoint did not perform what was due: {names}"));
    let shown = of(Part::Agent).map(|names| {
        format!(
            "Holdpoint did not perform its reviews ({names}): the agent had them run, and nothing proves them"
        )
    });
    let texts: Vec<String> = unperformed.into_iter().chain(shown).collect();
    (!texts.is_empty()).then(|| texts.join(". "))
}

/// Whether no review can follow any more.
fn is_over(session: &Session<'_>) -> bool {
    let workflow = &session.run.workflow;
    match phase::due(&session.facts()) {
        Ok(Due::Nobody) => true,
        Ok(Due::Phase(phase)) if phase.actor() == Actor::Nobody => true,
        Ok(Due::Phase(phase)) => !leads_to_review(workflow, &phase.name),
        Ok(Due::Unknown(_)) | Err(_) => false,
    }
}

fn leads_to_review(workflow: &Workflow, from: &str) -> bool {
    let edges = graph(workflow).edges;
    let mut seen: Vec<&str> = vec![from];
    let mut at = 0;
    while let Some(name) = seen.get(at).copied() {
        if workflow.phase(name).is_some_and(|phase| part(phase).is_some()) {
            return true;
        }
        let next = |edge: &&Edge| edge.from == name;
        for to in edges.iter().filter(next).filter_map(|edge| edge.to.as_deref()) {
            if !seen.contains(&to) {
                seen.push(to);
            }
        }
        at += 1;
    }
    false
}
