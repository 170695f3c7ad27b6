//! `approved('qa')` and `approvals`: what people have said to the run.

use std::sync::Arc;

use minijinja::value::Value;

use super::{FactError, Facts};
use crate::phase::approval::{Standing, standing};

impl Facts {
    /// `approved('qa', 'owner')`: each has said yes to what there is now, not too long ago.
    pub(super) fn is_approved(self: &Arc<Self>, names: &[String]) -> Result<bool, FactError> {
        for name in names {
            let Some(approval) = self.workflow.approval(name) else { return Ok(false) };
            if standing(self, approval)?.approved().is_none() {
                return Ok(false);
            }
        }
        Ok(!names.is_empty())
    }

    /// `approvals`: each of the workflow's with `.name`, `.who`, `.given`, `.by` and `.at`.
    pub(super) fn approvals(self: &Arc<Self>) -> Result<Value, FactError> {
        let mut all = Vec::new();
        for approval in self.workflow.approvals.iter() {
            let standing = standing(self, approval)?;
            let word = match &standing {
                Standing::Open => None,
                Standing::Approved(word)
                | Standing::Refused(word)
                | Standing::Changed(word)
                | Standing::Expired(word) => Some(word),
            };
            all.push(Value::from_pairs([
                ("name", Value::from(approval.name.as_ref())),
                ("who", Value::from(approval.who.as_ref())),
                ("given", Value::from(standing.approved().is_some())),
                ("by", word.map_or(Value::UNDEFINED, |word| Value::from(word.given.by.as_str()))),
                ("at", word.map_or(Value::UNDEFINED, |word| Value::from(word.at.as_str()))),
            ]));
        }
        Ok(Value::from(all))
    }
}
