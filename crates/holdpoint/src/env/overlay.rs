//! Surroundings that differ from others in a few points.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Env;
use crate::caller::Lineage;
use crate::caller::process::Terminal;
use crate::fence::relayed::Relayed;

/// Surroundings laid over others: what is not said here is as it is there.
pub trait Overlay: Send + Sync {
    /// The surroundings below.
    fn outer(&self) -> &Arc<dyn Env>;

    /// Returns a variable's value.
    fn var(&self, name: &str) -> Option<String> {
        self.outer().var(name)
    }

    /// Finds a program.
    fn program(&self, name: &str) -> Option<PathBuf> {
        self.outer().program(name)
    }

    /// Returns why nothing tells the caller from the agent, if that is so.
    fn unproved(&self) -> Option<&'static str> {
        self.outer().unproved()
    }
}

// A method that is forgotten here would answer as if nothing lay below.
#[deny(clippy::missing_trait_methods)]
impl<T: Overlay> Env for T {
    fn var(&self, name: &str) -> Option<String> {
        Overlay::var(self, name)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        Overlay::program(self, name)
    }

    fn now(&self) -> i64 {
        self.outer().now()
    }

    fn now_millis(&self) -> i64 {
        self.outer().now_millis()
    }

    fn random_u64(&self) -> u64 {
        self.outer().random_u64()
    }

    fn pause(&self, time: Duration) {
        self.outer().pause(time);
    }

    fn has_terminal(&self) -> bool {
        self.outer().has_terminal()
    }

    fn terminal(&self) -> Terminal {
        self.outer().terminal()
    }

    fn unproved(&self) -> Option<&'static str> {
        Overlay::unproved(self)
    }

    fn began_everything(&self) -> bool {
        self.outer().began_everything()
    }

    fn lineage(&self) -> Lineage {
        self.outer().lineage()
    }

    fn is_below_client(&self) -> bool {
        self.outer().is_below_client()
    }

    fn relayed(&self) -> Option<Relayed> {
        self.outer().relayed()
    }

    fn is_below_agent(&self) -> bool {
        self.outer().is_below_agent()
    }
}
