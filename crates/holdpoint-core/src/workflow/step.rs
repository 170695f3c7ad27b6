//! Steps as data: what is set, written, logged and said, and which phase is due next. Nothing else acts. The order in
//! which a step's parts take effect is in [`crate::transition`].

use super::{List, Named, Say, Text};

/// The due phase that means nobody's turn.
pub(crate) const END: &str = "end";

/// The name in a part of a field's path that stands for its value: `{phase}`.
pub(crate) fn key_name(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}').filter(|name| !name.contains(['{', '}']))
}

/// A step of a phase, of a limit, of a command or of a rule. Which keys each may have, the parser says.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::step))]
pub struct Step {
    /// Taken only when this is true.
    pub when: Option<Text>,
    /// The limit that taking it uses up one of: at the limit that one's step is taken instead.
    pub round: Option<Text>,
    /// State fields to set: path and template. What a file clears and renews is among them.
    pub set: List<Named>,
    /// The limits whose count starts again; `set` has the fields.
    pub renew: List<Text>,
    /// The phase that is due next; `end`: nobody's turn.
    pub go: Option<Text>,
    /// Files to write: path and content, both templates.
    pub write: List<Named>,
    /// Files to remove: templates; one that is exactly one `{{ … }}` can be a list.
    pub remove: List<Text>,
    /// Files that must not change from now on: templates.
    pub freeze: List<Text>,
    /// Whether what was changed stands: frozen files, the agents' settings, and how many tests there are. Only in commands.
    pub accept: bool,
    /// Whether the item goes on from the last commit, where that is another than it began at.
    pub rebase: bool,
    /// Lines for the run's record, templates.
    pub log: List<Text>,
    /// Whom the text is for, and what it does.
    pub delivery: Delivery,
    /// The text.
    pub say: Say,
    /// How long to wait after it, in seconds.
    pub wait_s: u32,
    /// What only a command's step has.
    pub command: CommandKeys,
}

impl Step {
    /// Whether taking it changes anything: the state, a file or the run's record. Where it leads is not looked at.
    pub fn changes(&self) -> bool {
        let files = !self.write.is_empty() || !self.remove.is_empty();
        files || !self.set.is_empty() || !self.freeze.is_empty() || !self.log.is_empty()
    }
}

/// What a command's step can do beside what any step can.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::step))]
pub struct CommandKeys {
    /// The name of a run to make, a template; empty: a new id.
    pub create: Option<Text>,
    /// Files of the project that are kept as they are now, for `restore`.
    pub keep: List<Text>,
    /// Whether the files that were kept when the run was made are put back.
    pub restore: bool,
    /// The phase to finish, a template: its `then` is taken, if it is proved.
    pub finish: Option<Text>,
    /// The review that the user overrules, a template: the name of its phase.
    pub overrule: Option<Text>,
    /// The exit code of a command that says no.
    pub fail: Option<u8>,
}

/// Whom a text is for, and what it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::step))]
pub enum Delivery {
    /// There is no text.
    #[default]
    Silent,
    /// It blocks the event: the agent is sent back with it.
    Hold,
    /// It lets the agent stop, with a text for the user, and nothing else is looked at.
    Pause,
    /// It only informs the user.
    Tell,
    /// It comes before whatever is said next, to whoever that is for: nothing waits for it.
    Note,
    /// It only informs the agent.
    Context,
    /// It goes to standard error: the agent's debug log.
    Stderr,
    /// It goes to the journal alone.
    Log,
}

impl Delivery {
    /// What a witness can say `to`, as workflow files spell it.
    pub(crate) const AUDIENCES: [(&'static str, Delivery); 4] = [
        ("agent", Delivery::Context),
        ("user", Delivery::Tell),
        ("stderr", Delivery::Stderr),
        ("log", Delivery::Log),
    ];

    /// Whether it is a text for the user.
    pub fn is_for_user(self) -> bool {
        matches!(self, Delivery::Pause | Delivery::Tell)
    }

    /// Whether nothing more is looked at when the agent stops.
    pub fn is_last_word(self) -> bool {
        matches!(self, Delivery::Hold | Delivery::Pause)
    }
}
