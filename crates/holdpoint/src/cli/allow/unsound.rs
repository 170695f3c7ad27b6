//! Runs that the engine cannot go on with by itself: the books are gone or were set back, the project is a copy, or the
//! workflow of the run has changed. Whoever allows the project says what becomes of them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::path::stays_below;
use holdpoint_core::workflow::parse::{FILE, parse};

use crate::allow::waiting::Waiting;
use crate::catalog;
use crate::cli::Context;
use crate::error::{CommandError, Kind};
use crate::layers::Configuration;
use crate::project::{self, Run};
use crate::store::books::Books;
use crate::store::registered::Registered;
use crate::store::seal::{self, Look, Seal, SealError, Settled};
use crate::ui::Style;

/// A run that the engine cannot go on with by itself.
pub(super) struct Unsound {
    workflow: String,
    seal: Seal,
    /// Where its state is, if that is known.
    state: Option<PathBuf>,
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
    let orphans = orphans(context, start, &found.configuration);
    let runs = found.runs.into_iter().filter_map(|run| unsound(context, run));
    runs.chain(waiting).chain(orphans).collect()
}

/// Finds the runs whose own workflow is another one now, or gone: whatever is allowed, they cannot go on.
fn orphans(context: &Context, start: &Path, configuration: &Configuration) -> Vec<Unsound> {
    let base = project::base(start);
    let own = base.iter().flat_map(|base| catalog::own_folders(base));
    let own: Vec<(String, PathBuf)> =
        own.chain(configuration.own.iter().map(|own| (own.name.clone(), own.folder.clone()))).collect();
    let registered = Registered::above(start, context.env.as_ref());
    let orphan = |(books, workflow): (&Books, String)| {
        let folders = own.iter().filter(|(name, _)| *name == workflow).map(|(_, folder)| folder.clone());
        let folders: Vec<PathBuf> = folders.collect();
        seal::is_orphaned(books, &workflow, &folders).then(|| {
            let home = books.home().to_path_buf();
            let state = state_path(&workflow, &folders).map(|path| home.join(path));
            let why = SealError::Orphaned { workflow: workflow.clone(), home };
            Unsound { seal: Seal::of_orphan(books, &workflow), workflow, state, why }
        })
    };
    registered.runs().into_iter().filter_map(orphan).collect()
}

/// Where the state of a workflow's runs is, by its file as it is now, or by the built-in one of its name.
fn state_path(workflow: &str, folders: &[PathBuf]) -> Option<String> {
    let read = |folder: &PathBuf| catalog::file_below(folder, FILE).ok();
    let state = match folders.iter().find_map(read) {
        Some(source) => parse(workflow, &source, &|_| None).workflow.run.state,
        None => catalog::named(workflow)?.workflow.run.state.clone(),
    };
    state.map(Cow::into_owned).filter(|state| stays_below(state) && !state.contains("{{"))
}

fn unsound(context: &Context, run: Run) -> Option<Unsound> {
    let seal = Seal::of(&run)?;
    let event = Event::from_shell(Moment::Prompt, &run.home.to_string_lossy());
    let state = run.facts(Arc::new(event), Arc::clone(&context.env)).state_path().ok().flatten()?;
    let state = run.folder.join(state);
    let why = seal.uphold(&state, Look::Close).err()?;
    let is_settled_here = !matches!(why, SealError::Lock(_) | SealError::File(_) | SealError::Record(_));
    let workflow = run.workflow.name.to_string();
    is_settled_here.then_some(Unsound { workflow, seal, state: Some(state), why })
}

/// Shows what would become of them.
pub(super) fn show(context: &Context, all: &[Unsound]) {
    for Unsound { workflow, why, .. } in all {
        let becomes = match why {
            SealError::Copy { .. } | SealError::Exchanged { .. } | SealError::SetBack { .. } => {
                "It goes on here, with what the books say."
            }
            _ => "It ends; its state is set aside.",
        };
        let name = context.ui.paint(Style::Bold, workflow);
        context.ui.line(format!("\nRun of {name}: {}. {becomes}", why.what()));
    }
}

/// Does what was shown.
pub(super) fn settle(context: &Context, all: &[Unsound]) -> Result<(), CommandError> {
    for Unsound { workflow: name, seal, state, why } in all {
        let failed = |error: SealError| CommandError::new(Kind::Files, error);
        context.ui.line(match seal.settle(state.as_deref(), why, context.env.as_ref()).map_err(failed)? {
            Settled::GoesOn => format!("The run of {name} goes on here."),
            Settled::Ended { aside: Some(place) } => {
                format!("The run of {name} is over. Its state is in {}.", place.display())
            }
            Settled::Ended { aside: None } => format!("The run of {name} is over."),
        });
    }
    Ok(())
}
