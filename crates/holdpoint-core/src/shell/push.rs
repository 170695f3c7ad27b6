//! `git push`: the branches of other repositories that it would move.

use super::git::Call;
use super::place::Place;
use super::walk::Walk;
use super::word::UNKNOWN;
use super::{ANY_BRANCH, ShellError};
use crate::world::{Answer, GitQuestion};

/// Options that take the next word as their value.
const VALUES: [&str; 5] = ["-o", "--push-option", "--repo", "--receive-pack", "--exec"];
/// Options by which nothing is pushed.
const NOT: [&str; 5] = ["-n", "--dry-run", "--help", "-h", "--help-all"];
/// Options by which every branch is pushed.
const ALL: [&str; 3] = ["--all", "--branches", "--mirror"];

impl Walk<'_> {
    /// Notes the branches that `git push` would move.
    pub(super) fn push(&mut self, call: &Call<'_>, place: &Place) {
        let mut words = Vec::new();
        let mut args = call.args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--" => words.extend(args.by_ref()),
                not if NOT.contains(&not) => return,
                all if ALL.contains(&all) => self.pushed_to(ANY_BRANCH),
                option if VALUES.contains(&option) => drop(args.next()),
                option if option.starts_with('-') && option.len() > 1 => {}
                _ => words.push(arg),
            }
        }
        let only_tags = call.args.iter().any(|arg| arg == "--tags");
        // The first word is the other repository.
        match words.get(1..).unwrap_or_default() {
            [] if only_tags || self.pushed.iter().any(|branch| branch == ANY_BRANCH) => {}
            [] => self.push_current(call, place),
            specs => specs.iter().for_each(|spec| self.push_spec(spec, call, place)),
        }
    }

    /// `git push` and `git push origin`: git's configuration says where that leads.
    fn push_current(&mut self, call: &Call<'_>, place: &Place) {
        let dir = place.anchor(&call.dir, self.world);
        let target = dir.map_or(Answer::None, |dir| self.world.git(dir, &GitQuestion::PushTarget));
        match (target, self.current(call, place)) {
            (Answer::Is(target), Some(current)) => {
                // Where the script has switched before, the answer is about another branch.
                self.pushed_to(&target);
                self.pushed_to(&current);
            }
            (Answer::Is(branch), None) | (_, Some(branch)) => self.pushed_to(&branch),
            _ => self.pushed_to(ANY_BRANCH),
        }
    }

    fn push_spec(&mut self, spec: &str, call: &Call<'_>, place: &Place) {
        let spec = spec.trim_start_matches('+');
        let to = spec.rsplit_once(':').map_or(spec, |(_, to)| to);
        match to.strip_prefix("refs/heads/").unwrap_or(to) {
            // `:` alone pushes every branch that both have.
            "" => self.pushed_to(ANY_BRANCH),
            to if to.contains(UNKNOWN) || to.contains('*') => self.pushed_to(ANY_BRANCH),
            "HEAD" | "@" => match self.current(call, place) {
                Some(branch) => self.pushed_to(&branch),
                None => self.pushed_to(ANY_BRANCH),
            },
            to if to.starts_with("refs/") => {}
            to => self.pushed_to(to),
        }
    }

    fn current(&mut self, call: &Call<'_>, place: &Place) -> Option<String> {
        match place.branch(place.anchor(&call.dir, self.world)?, self.world) {
            Answer::Is(branch) => Some(branch),
            Answer::None => None,
            Answer::Fault(why) => {
                self.found.fault = Some(ShellError::World(why));
                None
            }
        }
    }

    fn pushed_to(&mut self, branch: &str) {
        if !self.pushed.iter().any(|known| known == branch) {
            self.pushed.push(branch.to_owned());
        }
    }
}
