//! What an agent's answer has room for, and who is told instead where it has none.

use holdpoint_core::event::Moment;

use super::{Agent, Answer};

impl Agent {
    /// Whether an answer at this moment has room for what the agent should know.
    fn hears_context(self, moment: Moment) -> bool {
        match self {
            Agent::Claude | Agent::Codex => moment != Moment::Stop,
            Agent::Gemini => !matches!(moment, Moment::Before | Moment::Stop),
            Agent::Cursor | Agent::Copilot => matches!(moment, Moment::After | Moment::Start),
        }
    }

    /// Whether its answers have room for what the user should see.
    fn shows_messages(self) -> bool {
        matches!(self, Agent::Claude | Agent::Codex | Agent::Gemini)
    }
}

/// Gives what an agent's answer has no room for to the one who does hear: what the agent should know to the user, what
/// the user should see to the agent, and what neither would hear to standard error.
pub fn settle(answer: &mut Answer, agent: Agent, moment: Moment) {
    if agent == Agent::Copilot && moment == Moment::Prompt {
        answer.stderr.extend(answer.hold.take());
    }
    let (context, message) = (agent.hears_context(moment), agent.shows_messages());
    if !context && let Some(text) = answer.context.take() {
        let heard = message.then_some(&mut answer.message);
        say(text, heard, &mut answer.stderr);
    }
    if !message && let Some(text) = answer.message.take() {
        let heard = context.then_some(&mut answer.context);
        say(text, heard, &mut answer.stderr);
    }
}

fn say(text: String, heard: Option<&mut Option<String>>, stderr: &mut Vec<String>) {
    match heard {
        Some(Some(said)) => *said = format!("{said}\n\n{text}"),
        Some(said) => *said = Some(text),
        None => stderr.push(text),
    }
}
