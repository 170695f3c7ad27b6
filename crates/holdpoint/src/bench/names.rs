//! Which folders that git ignores are on the bench, and how: by the workflow, by `holdpoint.toml`, or as is usual.

use holdpoint_core::workflow::Text;
use holdpoint_core::workflow::bench::{BUILD_OUTPUTS, DEPENDENCIES, Make, is_meant};

use crate::env::Env;
use crate::project::{Run, bench};
use crate::worktree::Kept;

/// The folders of `[bench]`.
pub(super) struct Names {
    own: Vec<String>,
    lend: Vec<String>,
    pub(super) make: Vec<Make>,
}

impl Names {
    /// Those of a run.
    pub(super) fn of(run: &Run, env: &dyn Env) -> Names {
        let (theirs, projects) = (&run.workflow.bench, bench::settings(&run.home, env).folders);
        let all = |named: &[Text], usual: &[&str], settings: &[Text]| {
            let named = named.iter().chain(settings).map(ToString::to_string);
            named.chain(usual.iter().map(|name| (*name).to_owned())).collect::<Vec<String>>()
        };
        let make = projects.make.iter().chain(theirs.make.iter()).cloned().collect();
        let own = all(&theirs.own, &BUILD_OUTPUTS, &projects.own);
        let lend = all(&theirs.lend, &DEPENDENCIES, &projects.lend);
        Names { own, lend, make }
    }

    /// What becomes of a path that the tree does not have, when a tree is laid.
    pub(super) fn kept(&self, path: &str) -> Kept {
        let made = self.make.iter().map(|make| make.name.as_ref());
        let mut kept = self.own.iter().map(String::as_str).chain(made);
        let folder = format!("{}/", path.trim_end_matches('/'));
        let mut within = Kept::No;
        if kept.any(|name| {
            if name.starts_with(&folder) {
                within = Kept::Within;
            }
            is_meant(name, path)
        }) {
            return Kept::Yes;
        }
        within
    }

    /// Whether a path is the project's own, to be read.
    pub(super) fn is_lent(&self, path: &str) -> bool {
        self.lend.iter().any(|name| is_meant(name, path))
    }
}
