//! Reviews that the engine has done at a Stop, by a state that is the user's to edit.

mod environment;
mod faults;
mod reviews;
mod state;
mod users;
mod verdicts;

use super::{Cheat, Stage};
use crate::autopilot::project::Site;

/// All spellings of all mechanisms.
pub(crate) const ALL: &[&[Cheat]] =
    &[environment::ALL, verdicts::ALL, users::ALL, faults::ALL, state::ALL, reviews::ALL];

/// In the place of the reviewer: counts its calls, writes the report that its prompt names, and finds fault.
const CLAUDE: &str = r#"#!/bin/sh
here=$(dirname -- "$0")
for prompt; do :; done
count=$(($(cat "$here/reviewer.count" 2>/dev/null || echo 0) + 1))
echo $count >"$here/reviewer.count"
report=$(printf '%s' "$prompt" | grep -o '[^ `]*review-[0-9]*\.md' | grep -v post | tail -1)
echo 'It does not say who pays.' >"$report"
printf '{"structured_output":{"verdict":"FAIL"},"result":"{}"}'
"#;

/// A repository with a plan whose review is due, or was done once.
pub(super) fn prepare(stage: Stage) -> Site {
    let site = Site::bare();
    site.script("tools/claude", CLAUDE);
    let approves = "#!/bin/sh\nprintf '{\"structured_output\":{\"verdict\":\"PASS\"},\"result\":\"{}\"}'\n";
    site.script("b/claude", approves);
    site.git("init --quiet");
    let printed = site.shell("holdpoint taskie new-plan shop");
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    site.write(".taskie/plans/shop/plan.md", "# Shop\n\n## Overview\n\nSell things.\n");
    if stage == Stage::Reviewed {
        assert_ne!(site.stop(), "");
    }
    site
}
