//! A loop whose reviewer the agent itself runs, in view of the user.

mod books;
mod reviews;
mod users;

use super::{Cheat, Stage};
use crate::autopilot::project::Site;

/// All spellings of all mechanisms.
pub(crate) const ALL: &[&[Cheat]] = &[users::ALL, books::ALL, reviews::ALL];

/// In the place of the reviewer: counts its calls, and finds fault.
const CODEX: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
count=$(($(cat "$here/reviewer.count" 2>/dev/null || echo 0) + 1))
echo $count >"$here/reviewer.count"
cat >"$here/prompt"
round=$(grep -m1 -x '/.*/findings-round-[0-9]*\.md' "$here/prompt")
echo 'It does not say who pays.' >"$round"
"#;

/// A repository with a loop over a plan that is to be drafted, or to be attacked. Its id is in `../id`.
pub(super) fn prepare(stage: Stage) -> Site {
    let site = Site::bare();
    site.script("tools/codex", CODEX);
    site.git("init --quiet");
    let printed = site.shell("holdpoint claudex start plan -- 'a cart'");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    let id = printed.stdout.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap();
    site.write("../id", id);
    assert_ne!(site.stop(), "", "the plan is to be drafted");
    if stage == Stage::Reviewing {
        site.write("PLAN.md", "# A cart\n\nIt holds things.\n");
        assert_ne!(site.stop(), "", "it is to be attacked");
    }
    site
}
