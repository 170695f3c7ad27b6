//! What an agent is held with at Stop, as its client shows it to the model.

use crate::model::Model;

/// The text of a hold in what a model was shown last: Claude Code makes a reminder of it, Codex puts an element around it.
pub(super) fn ask(news: &str) -> Option<&str> {
    if let Some((_, text)) = news.split_once("Stop hook additional context: ") {
        return Some(text.split_once("</system-reminder>").map_or(text, |(text, _)| text));
    }
    let (_, element) = news.split_once("<hook_prompt ")?;
    element.split_once('>')?.1.split_once("</hook_prompt>").map(|(text, _)| text)
}

/// The texts that the agent was held with.
pub(super) fn asks(model: &Model) -> Vec<String> {
    model.shown().iter().filter_map(|news| ask(news)).map(str::to_owned).collect()
}
