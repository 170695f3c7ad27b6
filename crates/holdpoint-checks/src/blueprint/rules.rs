//! Which part may import which, read from the blueprint's documents.

mod read;
mod sentence;

use std::collections::{BTreeMap, BTreeSet};

use super::map::{Map, Place};

/// Which part may import which, by the parts' keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// What each may import. A domain that is listed here may import nothing else.
    allowed: BTreeMap<String, BTreeSet<String>>,
    /// What anyone may import.
    for_all: BTreeSet<String>,
    denied: BTreeSet<(String, String)>,
    /// What nobody may import.
    denied_to_all: BTreeSet<String>,
    /// Whether domains may not import one another.
    are_domains_apart: bool,
}

impl Rules {
    /// Reads all documents, each with whether it is a map of the domains; layers that only rules speak of are added to
    /// the map.
    pub(super) fn read<'a>(documents: impl Iterator<Item = (bool, &'a str)>, map: &mut Map) -> Rules {
        let mut rules = Rules::default();
        for (is_map, text) in documents {
            read::document(is_map, text, map, &mut rules);
        }
        rules
    }

    /// What a part may import, for messages; nothing if it is not limited.
    pub(super) fn allowed(&self, key: &str) -> Option<Vec<&str>> {
        let own = self.allowed.get(key)?;
        Some(own.iter().chain(&self.for_all).map(String::as_str).collect())
    }

    /// The parts between which an import is not allowed: the one that imports, and what it imports.
    pub(super) fn refused<'p>(&self, from: &'p Place, to: &'p Place) -> Option<(&'p str, &'p str)> {
        let layers: Vec<&str> = to.layers.iter().map(String::as_str).collect();
        let domain: Vec<&str> = to.domain.as_deref().into_iter().collect();
        // Layers are compared with layers and domains with domains, as far as there are such.
        let for_layer = if layers.is_empty() { &domain } else { &layers };
        let for_domain = if domain.is_empty() { &layers } else { &domain };
        let by_layer = from.layers.iter().find_map(|layer| self.refused_by(from, layer, to, for_layer));
        by_layer.or_else(|| self.refused_by(from, from.domain.as_deref()?, to, for_domain))
    }

    fn refused_by<'p>(
        &self,
        from: &'p Place,
        name: &'p str,
        to: &Place,
        targets: &[&'p str],
    ) -> Option<(&'p str, &'p str)> {
        let targets: Vec<&str> = targets.iter().copied().filter(|target| !from.has(target)).collect();
        let first = *targets.first()?;
        if to.has(name) {
            return None;
        }
        if let Some(target) = targets.iter().find(|target| self.is_denied(name, target)) {
            return Some((name, target));
        }
        let may = |name: &str| targets.iter().any(|target| self.may(name, target));
        if from.names().any(may) {
            return None;
        }
        let is_between_domains = from.domain.as_deref() == Some(name) && to.domain.as_deref() == Some(first);
        if self.allowed.contains_key(name) || (self.are_domains_apart && is_between_domains) {
            return Some((name, first));
        }
        targets.into_iter().find(|target| self.leads(target, name)).map(|target| (name, target))
    }

    fn is_denied(&self, from: &str, to: &str) -> bool {
        self.denied.contains(&(from.to_owned(), to.to_owned()))
            || (self.denied_to_all.contains(to) && !self.has(from, to))
    }

    fn may(&self, from: &str, to: &str) -> bool {
        self.for_all.contains(to) || self.has(from, to)
    }

    fn has(&self, from: &str, to: &str) -> bool {
        self.allowed.get(from).is_some_and(|allowed| allowed.contains(to))
    }

    /// Whether imports may lead from one to the other, so that the way back is the wrong direction.
    fn leads(&self, from: &str, to: &str) -> bool {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for next in self.allowed.get(at).into_iter().flatten() {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}
