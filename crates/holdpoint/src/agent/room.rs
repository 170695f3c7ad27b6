//! The channels of each agent's answer, and where a text goes if its channel is missing.

use holdpoint_core::event::{Moment, Occasion};

use super::{Agent, Answer};

impl Agent {
    /// Returns whether an answer at this moment can carry information for the agent.
    fn hears_context(self, moment: Moment) -> bool {
        match self {
            Agent::Claude | Agent::Codex => match moment {
                Moment::Before | Moment::After | Moment::Prompt | Moment::Start => true,
                Moment::Stop => false,
                Moment::Beside(occasion) => occasion == Occasion::SubagentStart,
            },
            Agent::Gemini => matches!(moment, Moment::After | Moment::Prompt | Moment::Start),
            Agent::Cursor | Agent::Copilot => matches!(moment, Moment::After | Moment::Start),
        }
    }

    /// Returns whether the agent's answers can carry a message for the user.
    fn shows_messages(self) -> bool {
        matches!(self, Agent::Claude | Agent::Codex | Agent::Gemini)
    }
}

/// Moves texts to the channels that the answer has: information for the agent to the user's message, a message for the
/// user to the agent's context, and anything else to standard error.
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
