//! `holdpoint pre-push`: called by git before a push, with the refs on standard input.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use holdpoint_core::effects::Source;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::supposition::held_pushes;
use holdpoint_core::tool::Tool;
use holdpoint_core::workflow::step::Delivery;

use super::Context;
use crate::error::{CommandError, Kind};
use crate::store::journal::{self, Decision, Entry};
use crate::user;

/// The most that is read of what git says.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Hold a push of an agent's that a rule holds (called by git, see `holdpoint init --pre-push`)
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The other repository's name
    remote: Option<String>,
    /// Where it is
    url: Option<PathBuf>,
}

/// Asks the rules of every run about the branches that are pushed to. The user's own pushes are free.
pub(super) fn run(context: &Context, arguments: &Arguments) -> Result<(), CommandError> {
    let mut said = String::new();
    std::io::stdin().lock().take(BYTES_MAX).read_to_string(&mut said)?;
    if !user::is_agents(context.env.as_ref()) {
        return Ok(());
    }
    let branches = branches(&said);
    let tool = Tool { name: "Bash".to_owned(), ..Tool::default() };
    let event =
        Event { tool: Some(tool), ..Event::from_shell(Moment::Before, &context.cwd.to_string_lossy()) };
    let event = Arc::new(event);
    for run in context.find(None).runs.iter().filter(|_| !branches.is_empty()) {
        let effects = held_pushes(&run.facts(Arc::clone(&event), Arc::clone(&context.env)), &branches);
        let is_it = |source: Source| source == Source::Rule;
        let held = effects.delivered(Delivery::Hold).find(|message| is_it(message.source));
        let Some(held) = held else { continue };
        if run.is_recorded {
            let about = format!(
                "git push {} {}",
                arguments.remote.as_deref().unwrap_or_default(),
                branches.join(" ")
            );
            let entry = Entry {
                at: journal::now(),
                event: "before".to_owned(),
                workflow: Some(run.workflow.name.to_string()),
                decision: Decision::Hold,
                about: Some(about),
                ..Entry::default()
            };
            let _ = journal::append(&run.books, &entry);
        }
        return Err(CommandError::new(Kind::Failed, held.text.clone())
            .hinted("the push was not made; what the user pushes in a terminal of their own is free"));
    }
    Ok(())
}

/// The branches that git is about to move: the third word of each line.
fn branches(said: &str) -> Vec<String> {
    let branch = |line: &str| line.split_whitespace().nth(2)?.strip_prefix("refs/heads/").map(str::to_owned);
    said.lines().filter_map(branch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_names_the_refs_of_the_other_repository_third() {
        let said = "refs/heads/x 11 refs/heads/main 22\nrefs/tags/v 33 refs/tags/v 44\n(delete) 00 refs/heads/old 55\nrubbish\n";
        assert_eq!(branches(said), ["main", "old"]);
    }
}
