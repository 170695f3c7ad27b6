//! Runs that the engine cannot go on with by itself: the books are gone or were set back, or the project is a copy. Whoever
//! allows the project says what becomes of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};

use crate::allow::waiting::Waiting;
use crate::cli::Context;
use crate::error::{CommandError, Kind};
use crate::project::{self, Run};
use crate::store::seal::{Look, Seal, SealError, Settled};
use crate::ui::Style;

/// A run that the engine cannot go on with by itself.
pub(super) struct Unsound {
    run: Run,
    seal: Seal,
    state: PathBuf,
    why: SealError,
}

/// Finds them, from a folder upwards.
pub(super) fn find(context: &Context, start: &Path) -> Vec<Unsound> {
    let found = project::find(start, &context.env, None, None);
    let waiting = found.waiting.into_iter().filter_map(|waiting| match waiting {
        Waiting::Run { run, .. } => unsound(context, run),
        Waiting::Content { .. } => None,
    });
    // A run that came along is allowed as it is.
    let waiting = waiting.filter(|unsound| !matches!(unsound.why, SealError::NoCopy { .. }));
    found.runs.into_iter().filter_map(|run| unsound(context, run)).chain(waiting).collect()
}

fn unsound(context: &Context, run: Run) -> Option<Unsound> {
    let seal = Seal::of(&run)?;
    let event = Event::from_shell(Moment::Prompt, &run.home.to_string_lossy());
    let state = run.facts(Arc::new(event), Arc::clone(&context.env)).state_path().ok().flatten()?;
    let state = run.folder.join(state);
    let why = seal.uphold(&state, Look::Close).err()?;
    let is_settled_here = !matches!(why, SealError::Lock(_) | SealError::File(_) | SealError::Record(_));
    is_settled_here.then_some(Unsound { run, seal, state, why })
}

/// Shows what would become of them.
pub(super) fn show(context: &Context, all: &[Unsound]) {
    for Unsound { run, why, .. } in all {
        let becomes = match why {
            SealError::Copy { .. } | SealError::Exchanged { .. } | SealError::SetBack { .. } => {
                "It goes on here, with what the books say."
            }
            _ => "It ends; its state is set aside.",
        };
        let name = context.ui.paint(Style::Bold, &run.workflow.name);
        context.ui.line(format!("\nRun of {name}: {}. {becomes}", why.what()));
    }
}

/// Does what was shown.
pub(super) fn settle(context: &Context, all: &[Unsound]) -> Result<(), CommandError> {
    for Unsound { run, seal, state, why } in all {
        let failed = |error: SealError| CommandError::new(Kind::Files, error);
        let name = &run.workflow.name;
        context.ui.line(match seal.settle(state, why, context.env.as_ref()).map_err(failed)? {
            Settled::GoesOn => format!("The run of {name} goes on here."),
            Settled::Ended { aside: Some(place) } => {
                format!("The run of {name} is over. Its state is in {}.", place.display())
            }
            Settled::Ended { aside: None } => format!("The run of {name} is over."),
        });
    }
    Ok(())
}
