//! `evidence.<phase>`: the last that the engine saw itself of a phase, for the current element or for all of them.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Serde, Value};
use serde_json::Value as Json;

use super::{FactError, Facts};
use crate::world::{Answer, Head};

/// What looking at a piece of evidence counts for.
const PIECE: usize = 64;

/// All evidence of the run.
#[derive(Debug)]
pub(super) struct EvidenceFact(pub(super) Arc<Facts>);

impl Object for EvidenceFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match self.0.last_evidence(key.as_str()?) {
            Ok(piece) => piece.map(Value::from_object),
            Err(error) => Some(error.into()),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// One piece: its fields as they were written, `.passed`, and `.fresh`: it is about the tree as it is now.
#[derive(Debug)]
struct Piece {
    facts: Arc<Facts>,
    piece: Json,
}

impl Piece {
    fn is_fresh(&self) -> Result<bool, FactError> {
        let Some(tree) = self.piece["tree"].as_str() else { return Ok(false) };
        Ok(self.facts.tree()?.as_deref() == Some(tree))
    }
}

impl Object for Piece {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        match key.as_str()? {
            "fresh" => Some(self.is_fresh().map_or_else(Value::from, Value::from)),
            "passed" => Some(Value::from(self.piece["passed"] == Json::Bool(true))),
            name => self.piece.get(name).map(|value| Value::from(Serde(value))),
        }
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// The last commit. Its tree without what is aside is worked out only where it is asked for.
#[derive(Debug)]
struct HeadFact {
    facts: Arc<Facts>,
    head: Head,
}

impl HeadFact {
    fn tree(&self) -> Value {
        let tree = self.facts.tree_of(&self.head);
        tree.map_or_else(Value::from, |tree| tree.map_or(Value::UNDEFINED, Value::from))
    }
}

impl Object for HeadFact {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let head = &self.head;
        Some(match key.as_str()? {
            "id" => Value::from(head.id.as_str()),
            "parent" => head.parent.as_deref().map_or(Value::UNDEFINED, Value::from),
            "parents" => Value::from(head.parents),
            "tree" => self.tree(),
            "subject" => Value::from(head.subject.as_str()),
            "paths" => Value::from(head.paths.clone()),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

impl Facts {
    /// The last piece of evidence of a phase.
    fn last_evidence(self: &Arc<Self>, phase: &str) -> Result<Option<Piece>, FactError> {
        let item = self.item_id();
        // What was seen before there was an element is about all of them.
        let is_meant = |piece: &Json| {
            let about = piece.get("item").unwrap_or(&Json::Null);
            piece["phase"] == phase && (item.is_null() || about.is_null() || *about == item)
        };
        // What one person said is not yet the phase's verdict, and a hold that the user released is none at all.
        let is_word = |piece: &Json| piece.get("approval").is_some() || piece.get("release").is_some();
        let is_verdict = |piece: &&Json| !is_word(piece) && is_meant(piece);
        let evidence = self.world.evidence();
        self.budget.spend(evidence.len().saturating_mul(PIECE))?;
        let piece = evidence.iter().rev().find(is_verdict).cloned();
        Ok(piece.map(|piece| Piece { facts: Arc::clone(self), piece }))
    }

    /// `proved('tests', 'review')`: each of these phases passed, on the files as they are now.
    pub(super) fn is_proved(self: &Arc<Self>, phases: &[String]) -> Result<bool, FactError> {
        for phase in phases {
            let Some(piece) = self.last_evidence(phase)? else { return Ok(false) };
            if piece.piece["passed"] != Json::Bool(true) || !piece.is_fresh()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The hash of the working tree as it is now; none where there is no repository.
    pub(crate) fn tree(self: &Arc<Self>) -> Result<Option<String>, FactError> {
        match self.world.tree(&self.workflow.run.aside()) {
            Answer::Is(tree) => Ok(Some(tree)),
            Answer::None => Ok(None),
            Answer::Fault(why) => Err(FactError::world("the working tree cannot be hashed", why)),
        }
    }

    /// `since(tree)`: the files that differ from that tree now.
    pub(crate) fn since(self: &Arc<Self>, tree: &str) -> Result<Vec<String>, FactError> {
        Ok(self.differing(tree)?.unwrap_or_default())
    }

    /// The files that differ from that tree now; none where there is no repository to tell.
    pub(super) fn differing(self: &Arc<Self>, tree: &str) -> Result<Option<Vec<String>>, FactError> {
        match self.world.changed_since(tree, &self.workflow.run.aside()) {
            Answer::Is(paths) => Ok(Some(paths)),
            Answer::None => Ok(None),
            Answer::Fault(why) => Err(FactError::world("what changed cannot be told", why)),
        }
    }

    /// The last commit, if there is one.
    pub(super) fn last_commit(self: &Arc<Self>) -> Result<Option<Head>, FactError> {
        match self.world.head() {
            Answer::Is(head) => Ok(Some(head)),
            Answer::None => Ok(None),
            Answer::Fault(why) => Err(FactError::world("the last commit cannot be told", why)),
        }
    }

    /// A commit's tree without what is aside.
    pub(super) fn tree_of(self: &Arc<Self>, head: &Head) -> Result<Option<String>, FactError> {
        match self.world.tree_without(&head.tree, &self.workflow.run.aside()) {
            Answer::Is(tree) => Ok(Some(tree)),
            Answer::None => Ok(None),
            Answer::Fault(why) => Err(FactError::world("the last commit's tree cannot be told", why)),
        }
    }

    /// `git.head`: `.id`, `.parent`, `.tree` (without what is aside), `.subject`, `.paths`.
    pub(crate) fn head(self: &Arc<Self>) -> Result<Value, FactError> {
        let fact = |head| Value::from_object(HeadFact { facts: Arc::clone(self), head });
        Ok(self.last_commit()?.map_or(Value::UNDEFINED, fact))
    }
}
