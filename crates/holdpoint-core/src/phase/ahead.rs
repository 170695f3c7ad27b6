//! What a Stop would come to, without performing or writing anything.

use std::sync::Arc;

use minijinja::Error;

use super::{Due, Request, TURNS_MAX, Taken, Turn, due, is_beyond, is_skipped, round, turn};
use crate::facts::Facts;
use crate::workflow::phase::Phase;
use crate::workflow::step::Manner;

/// What a Stop would come to.
#[derive(Debug, PartialEq)]
pub enum Ahead {
    /// It is nobody's turn.
    Nobody,
    /// The state names a phase that the workflow does not have.
    Unknown(String),
    /// The user's turn, or the agent's with its work unfinished: then this is what it is told.
    Waits {
        /// The phase.
        phase: Box<Phase>,
        /// What the agent is told.
        text: String,
    },
    /// A review or a check is performed.
    Perform(Box<Request>),
    /// A review is due, but it is not performed.
    Unperformed {
        /// The phase.
        phase: Box<Phase>,
        /// Why not.
        why: Unperformed,
        /// What is said instead.
        text: String,
    },
    /// An agent's phase is finished, and its step leads to no review.
    Step {
        /// The phase.
        phase: Box<Phase>,
        /// The step.
        taken: Taken,
    },
}

/// Why a review that is due is not performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unperformed {
    /// It counts as passed without being done.
    Skipped,
    /// There were as many rounds as there may be.
    AtLimit,
    /// It lacks what it needs.
    Lacking,
}

/// What a Stop would come to now.
pub fn ahead(facts: &Arc<Facts>) -> Result<Ahead, Error> {
    let mut facts = Arc::clone(facts);
    let mut last = Ahead::Nobody;
    for _ in 0..TURNS_MAX {
        let phase = match due(&facts)? {
            Due::Nobody => return Ok(Ahead::Nobody),
            Due::Unknown(name) => return Ok(Ahead::Unknown(name)),
            Due::Phase(phase) => phase,
        };
        let taken = match turn(&facts, &phase)? {
            Turn::Rest => return Ok(Ahead::Waits { phase, text: String::new() }),
            Turn::Unfinished { text, .. } => return Ok(Ahead::Waits { phase, text }),
            Turn::Perform(request) => return Ok(Ahead::Perform(request)),
            Turn::Taken(taken) if phase.actor().is_performed() => {
                let why = unperformed(&facts, &phase)?;
                return Ok(Ahead::Unperformed { phase, why, text: taken.text });
            }
            Turn::Taken(taken) => taken,
        };
        let goes_on = taken.went.is_some() && taken.manner == Manner::Silent;
        facts = facts.overlaid(&taken.sets);
        last = Ahead::Step { phase, taken };
        if !goes_on {
            break;
        }
    }
    Ok(last)
}

fn unperformed(facts: &Arc<Facts>, phase: &Phase) -> Result<Unperformed, Error> {
    match phase.performance() {
        Some(what) if is_skipped(facts, what)? => Ok(Unperformed::Skipped),
        _ if is_beyond(facts, phase, round(facts, phase)?)? => Ok(Unperformed::AtLimit),
        _ => Ok(Unperformed::Lacking),
    }
}
