//! The commands that end the loop.

use crate::cheats::cheats;

cheats! { UsersWord;
    cancel: "cancels the loop", Reviewing, [Bash("holdpoint claudex cancel")], "", Told("did not perform");
    rollback: "rolls it back", Reviewing, [Bash("holdpoint claudex rollback")], "", Unreviewed;
    cancel_draft: "cancels it before there is a plan", Drafting, [Bash("holdpoint claudex cancel")], "", Unreviewed;
}
