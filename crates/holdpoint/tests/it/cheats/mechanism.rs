//! What the ways around a workflow have in common.

/// Why something works that should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mechanism {
    Steps,
    Tests,
    Bar,
    Environment,
    Programs,
    Instructions,
    Verdicts,
    UsersWord,
    NestedAgents,
    Books,
    Settings,
    Faults,
    OtherFiles,
    GitSettings,
    Files,
    Commits,
    Pushes,
    OwnState,
    OwnReviews,
    Tools,
}

impl Mechanism {
    /// What the table calls it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Mechanism::Steps => "steps left out, or taken out of their order",
            Mechanism::Tests => "tests that are weakened, or know that they are run",
            Mechanism::Bar => "what the work is judged by is moved",
            Mechanism::Environment => "the engine called in other surroundings",
            Mechanism::Programs => "other programs in the place of the real ones",
            Mechanism::Instructions => "words for the reviewer where it will read them",
            Mechanism::Verdicts => "forged verdicts, events and sessions",
            Mechanism::UsersWord => "the agent speaks for the user",
            Mechanism::NestedAgents => "an agent below the agent",
            Mechanism::Books => "the engine's books",
            Mechanism::Settings => "the hooks, and what is in force",
            Mechanism::Faults => "faults brought about on purpose",
            Mechanism::OtherFiles => "other files than those that are committed",
            Mechanism::GitSettings => "git's settings decide what is seen",
            Mechanism::Files => "files that are not the task's",
            Mechanism::Commits => "commits past the workflow",
            Mechanism::Pushes => "what leaves the machine",
            Mechanism::OwnState => "a state that the agent may write",
            Mechanism::OwnReviews => "a review that the agent gives itself",
            Mechanism::Tools => "tools under other names, and calls in other forms",
        }
    }
}
