//! Where sealed runs are. Only the engine writes their state, so they are found though every file of theirs is gone from the
//! project: by the registered homes, by their markers, and by the witness in the git folder.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use holdpoint_core::event::{Event, Moment};
use holdpoint_core::workflow::Workflow;

use super::Run;
use super::ancestry::Ancestry;
use crate::allow::Allowance;
use crate::env::Env;
use crate::store::books::Books;
use crate::store::registered::{self, Registered};
use crate::store::seal::{Look, Seal};
use crate::store::witness::Witness;

/// What is known of a folder and those above it. Looked up when something asks.
pub(super) struct Whereabouts<'a> {
    start: &'a Path,
    above: &'a Ancestry<'a>,
    env: &'a dyn Env,
    registered: OnceCell<Registered>,
    witnessed: OnceCell<Vec<(PathBuf, Witness)>>,
}

/// The home of a workflow's run.
pub(super) struct FoundHome {
    pub(super) books: Books,
    by: By,
}

/// What a home was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Its marker, and it need not be registered.
    Marker,
    /// Its marker alone, though its books have a run: it is not registered here.
    MarkerAlone,
    /// Its registered path. The marker is gone.
    Path,
    /// The witness.
    Witness,
}

impl<'a> Whereabouts<'a> {
    pub(super) fn of(start: &'a Path, above: &'a Ancestry<'a>, env: &'a dyn Env) -> Whereabouts<'a> {
        Whereabouts { start, above, env, registered: OnceCell::new(), witnessed: OnceCell::new() }
    }

    /// Returns the registered homes at and above the folder.
    pub(super) fn registered(&self) -> &Registered {
        self.registered.get_or_init(|| Registered::above(self.start, self.env))
    }

    /// Finds the home of a workflow's run, which may have its marker here.
    pub(super) fn find(&self, workflow: &Workflow, marked: Option<&Path>) -> Option<FoundHome> {
        let marked = marked.map(|home| Books::of(home, self.env));
        if !workflow.run.is_sealed {
            return marked.map(|books| FoundHome { books, by: By::Marker });
        }
        let name = workflow.name.as_ref();
        let registered = self.registered().with(name);
        match (registered, marked) {
            (Some(known), Some(marked)) if known.home() == marked.home() => {
                Some(FoundHome { books: known.clone(), by: By::Marker })
            }
            // A marker that is nearer, in a home without a run, hides nothing.
            (Some(known), Some(marked))
                if !is_nearer(&marked, known) || !registered::has_run(&marked, name) =>
            {
                Some(FoundHome { books: known.clone(), by: By::Path })
            }
            (_, Some(books)) => {
                let by = if registered::has_run(&books, name) { By::MarkerAlone } else { By::Marker };
                Some(FoundHome { books, by })
            }
            (Some(known), None) => Some(FoundHome { books: known.clone(), by: By::Path }),
            (None, None) => self.by_witness(name),
        }
    }

    /// Finds a run that only the git folder knows of. One of another project is none of this one.
    fn by_witness(&self, workflow: &str) -> Option<FoundHome> {
        let all = self.witnessed.get_or_init(|| match self.above.nearest(".git") {
            Some(root) if !self.env.began_everything() => Witness::all(root),
            _ => Vec::new(),
        });
        let is_its = |(home, witness): &&(PathBuf, Witness)| {
            witness.runs.contains_key(workflow) && self.start.starts_with(home)
        };
        let nearest = all.iter().filter(is_its).max_by_key(|(home, _)| home.as_os_str().len());
        let (home, witness) = nearest?;
        let books = Books::of(home, self.env);
        (books.project() == Some(&witness.project)).then_some(FoundHome { books, by: By::Witness })
    }
}

fn is_nearer(one: &Books, other: &Books) -> bool {
    one.home().as_os_str().len() > other.home().as_os_str().len()
}

impl FoundHome {
    /// Returns whether the run began here, as the books say, or the witness of this very project.
    pub(super) fn is_kept(&self, allowance: &Allowance<'_>, run: &Run) -> bool {
        let name = run.workflow.name.as_ref();
        let is_known = || self.books.project().is_some_and(|id| allowance.registry().is_known(id));
        let is_in_books = || registered::has_run(&self.books, name) && is_known();
        run.workflow.run.is_sealed && (self.by == By::Witness || is_in_books())
    }

    /// Puts right what is otherwise than the books say, and says so.
    pub(super) fn notice(&self, run: &Run, env: &Arc<dyn Env>) -> Option<String> {
        if self.by == By::Marker {
            return None;
        }
        let moved = registered::has_run(&self.books, &run.workflow.name)
            .then(|| registered::register(&self.books).ok().flatten())
            .flatten();
        let event = Event::from_shell(Moment::Prompt, &run.home.to_string_lossy());
        let state = run.facts(Arc::new(event), Arc::clone(env)).state_path().ok().flatten();
        // What cannot be put right is said when the run is judged.
        let upheld = Seal::of(run)
            .zip(state)
            .and_then(|(seal, state)| seal.uphold(&run.folder.join(&state), Look::Close).ok()?.said(&state));
        let moved =
            moved.map(|from| format!("the project was moved here from {}: its run goes on", from.display()));
        let said: Vec<String> = moved.into_iter().chain(upheld).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}
