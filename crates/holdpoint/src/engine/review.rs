//! The review that is due, asked for from a shell: what a Stop would do, by the same code, for no agent.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::facts::reason;
use holdpoint_core::phase::ahead::{self, Ahead};
use holdpoint_core::workflow::step::Manner;

use super::run::{Ask, Outcome, facts};
use super::{record, stop};
use crate::env_vars::Env;
use crate::project::Run;
use crate::store::journal::Reviewed;

/// A Stop that no agent asked for.
pub struct Request {
    event: Arc<Event>,
    env: Arc<dyn Env>,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    /// The reviews that were performed.
    pub reviews: Vec<Reviewed>,
    /// What the agent would be told: why it may not stop.
    pub to_agent: Vec<String>,
    /// What the user is told.
    pub to_user: Vec<String>,
    /// What went wrong.
    pub faults: Vec<String>,
}

impl Request {
    /// A request from somebody who works in `cwd`.
    pub fn new(cwd: &Path, env: Arc<dyn Env>) -> Request {
        let event = Event::from_shell(Moment::Stop, &cwd.to_string_lossy());
        Request { event: Arc::new(event), env }
    }

    fn ask(&self) -> Ask<'_> {
        Ask { event: &self.event, env: &self.env, only: None, through: None }
    }

    /// What a Stop would come to; nothing is performed or written.
    pub fn look(&self, run: &Run) -> Result<Ahead, String> {
        ahead::ahead(&facts(run, &self.ask())).map_err(|error| reason(&error))
    }

    /// Goes through the phases that are due, as a Stop would, and writes the journal. Rules are not asked: nobody
    /// stops.
    pub fn perform(&self, run: &Run) -> Done {
        let started = Instant::now();
        let outcome = Outcome { course: stop::course(run, &self.ask()), ..Outcome::default() };
        record::write(run, &self.event, &outcome, started);
        let course = outcome.course;
        let said = |is_meant: fn(Manner) -> bool| {
            let texts = course.said.iter().filter(|saying| is_meant(saying.manner));
            texts.map(|saying| saying.text.clone()).collect()
        };
        Done {
            to_agent: said(|manner| manner == Manner::Hold),
            to_user: said(|manner| matches!(manner, Manner::Pause | Manner::Tell)),
            reviews: course.reviews,
            faults: course.faults.into_iter().map(|fault| fault.what).collect(),
        }
    }
}
