//! Guards that look at an event and at nothing afterwards.

mod faults;
mod nested;
mod pushes;
mod settings;
mod state;
mod tools;
mod trunk;

use serde_json::json;

use super::{Cheat, Stage};
use crate::autopilot::project::Site;

/// All spellings of all mechanisms.
pub(crate) const ALL: &[&[Cheat]] =
    &[nested::ALL, settings::ALL, state::ALL, faults::ALL, trunk::ALL, pushes::ALL, tools::ALL];

/// A repository on `main` with a staged change, a branch `side` that is a commit ahead, and a remote; the work belongs on
/// `feature/x`.
pub(super) fn prepare(stage: Stage) -> Site {
    let site = Site::bare();
    let progress = if stage == Stage::Pending { "pending" } else { "in_progress" };
    let kept = json!({"active_workflow": {"current_phase": "06-implementation",
            "phases": ["05-test-strategy", "06-implementation"],
            "git_branch": {"name": "feature/x", "status": "active"}},
        "phases": {"06-implementation": {"status": progress}}});
    site.write(".isdlc/state.json", &serde_json::to_string_pretty(&kept).unwrap());
    site.write("docs/isdlc/tasks.md", "# Tasks\n")
        .write("a.py", "x = 1\n")
        .write("Makefile", "c:\n\tgit commit -qm x\n");
    site.git(
        "init --quiet --initial-branch main && git add --all && git commit --quiet --message first && \
         git switch --quiet --create side && git commit --quiet --allow-empty --message side && git switch --quiet main && \
         git init --quiet --bare --initial-branch main ../remote.git && git remote add origin ../remote.git && \
         git push --quiet origin main && echo '# more' >>a.py && git add a.py",
    );
    site
}
