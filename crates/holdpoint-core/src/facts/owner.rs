//! Whose run it is, and how long ago somebody last touched it.

use std::sync::Arc;

use super::{FactError, Facts, time};

/// What stands for an owner that nobody knows.
const UNKNOWN: &str = "unknown";

impl Facts {
    /// The session that the state names as the run's owner.
    pub fn owner(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        let Some(field) = &self.workflow.run.owner else { return Ok(None) };
        let owner = self.field(field)?;
        Ok(owner.as_str().filter(|owner| !owner.is_empty() && *owner != UNKNOWN).map(str::to_owned))
    }

    /// Whether the session that asks owns the run.
    pub(crate) fn is_mine(self: &Arc<Self>) -> Result<bool, FactError> {
        let owner = self.owner()?;
        Ok(owner.is_some() && owner == self.event.session)
    }

    /// How many seconds ago the state was last written, if it says so.
    pub(crate) fn age(self: &Arc<Self>) -> Result<Option<i64>, FactError> {
        let Some(field) = &self.workflow.run.stamp else { return Ok(None) };
        let stamp = self.field(field)?;
        Ok(stamp.as_str().and_then(time::epoch).map(|then| (self.world.now() - then).max(0)))
    }

    /// Whether the run has not been touched for longer than the workflow says a run lasts.
    pub fn is_stale(self: &Arc<Self>) -> Result<bool, FactError> {
        let Some(minutes) = &self.workflow.run.stale else { return Ok(false) };
        let minutes = self.evaluate(minutes, self.context())?.as_i64();
        Ok(matches!((self.age()?, minutes), (Some(age), Some(minutes)) if age >= minutes.saturating_mul(60)))
    }

    /// The folder in which the run began, if that is not the project's.
    pub fn began_elsewhere(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        let Some(field) = &self.workflow.run.root else { return Ok(None) };
        let root = self.field(field)?;
        let elsewhere = |root: &&str| !root.is_empty() && !self.world.is_same_place(root, &self.home);
        Ok(root.as_str().filter(elsewhere).map(str::to_owned))
    }
}
