//! Where a check or a review is performed: on the bench, which is exactly the tree that its evidence names, or in the
//! project itself, whose files are compared before and after.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::phase::{Request, Task};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::bench::Prove;

use super::{Failure, Performed, perform_once, tree};
use crate::bench::{Bench, BenchError};
use crate::env::Env;
use crate::error::in_full;
use crate::project::{self, Run};
use crate::store::evidence::Evidence;
use crate::store::folder::Access;
use crate::store::layout;
use crate::worktree::{self, Standing};

/// How much of a difference is handed to a reviewer.
const DIFFERENCE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// What is no part of any tree that is looked at: the engine's own folder.
const OURS: &str = ".holdpoint/**";

/// A folder to work in.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The folder: the bench, or the project.
    pub(super) folder: &'a Path,
    /// The bench, and the tree that is laid on it.
    pub(super) bench: Option<(&'a Bench, &'a str)>,
}

/// Performs it where it is to be performed.
pub(super) fn perform(request: &Request, run: &Run, env: &Arc<dyn Env>) -> Result<Performed, Failure> {
    let looks = matches!(
        request.task,
        Task::Tests(_) | Task::Acceptance { .. } | Task::Run { .. } | Task::Review { .. } | Task::Scan { .. }
    );
    let has_tree = !run.workflow.run.aside.is_empty() && run.home.join(".git").exists();
    let chosen = || project::bench::settings(&run.home, env.as_ref()).prove.unwrap_or(request.prove);
    if looks && has_tree && chosen() == Prove::Bench {
        on_bench(request, run, env)
    } else {
        in_place(request, run, env, looks && has_tree)
    }
}

/// What is laid on the bench, and what it is evidence of.
struct Subject {
    /// The tree that the evidence names.
    tree: String,
    /// The tree with the paths aside: documents that a reviewer reads, and that nothing proves.
    whole: String,
}

impl Subject {
    fn now(run: &Run, env: &dyn Env) -> Result<Subject, Failure> {
        let whole = worktree::hash(&run.home, &[OURS.to_owned()], env);
        let taken = whole.and_then(|whole| {
            let tree = worktree::tree_without(&run.home, &whole, &run.workflow.run.aside(), env)?;
            Ok(Subject { tree, whole })
        });
        taken.map_err(|error| Failure::Lacks(format!("the tree cannot be taken: {}", in_full(&error))))
    }
}

fn on_bench(request: &Request, run: &Run, env: &Arc<dyn Env>) -> Result<Performed, Failure> {
    let subject = Subject::now(run, env.as_ref())?;
    let bench = Bench::open(run, env.as_ref()).map_err(|error| no_bench(&error))?;
    let laid = if request.is_review() { &subject.whole } else { &subject.tree };
    let once = || {
        let lent = bench.lay(laid, env.as_ref()).map_err(|error| no_bench(&error))?;
        hand_over(request, run, &subject.tree, bench.folder(), env.as_ref())?;
        let place = Place { folder: bench.folder(), bench: Some((&bench, laid)) };
        let performed = perform_once(request, run, place, env)?;
        let differing = bench.differing().map_err(|error| no_bench(&error))?;
        let evidence = Evidence { lent, ..performed.evidence };
        Ok::<_, Failure>((Performed { evidence, ..performed }, differing))
    };
    let (mut performed, mut differing) = once()?;
    if is_tests(request) && !differing.is_empty() {
        (performed, differing) = once()?;
    }
    // The project may have changed meanwhile: what was proved is the tree that was laid, and no other.
    performed.stands = tree(run, env.as_ref());
    if differing.is_empty() {
        performed.evidence.tree = Some(subject.tree);
        return Ok(performed);
    }
    if request.is_review() {
        return Err(Failure::Changed(differing));
    }
    Ok(unsteady(request, performed, &differing))
}

fn in_place(request: &Request, run: &Run, env: &Arc<dyn Env>, looks: bool) -> Result<Performed, Failure> {
    let aside = run.workflow.run.aside();
    let standing = || looks.then(|| Standing::of(&run.home, &aside, env.as_ref()).ok()).flatten();
    let stand = || (tree(run, env.as_ref()), standing());
    let once = || {
        let before = stand();
        if let Some(tree) = &before.0 {
            hand_over(request, run, tree, &run.home, env.as_ref())?;
        }
        let performed = perform_once(request, run, Place { folder: &run.home, bench: None }, env)?;
        Ok::<_, Failure>((performed, before, stand()))
    };
    let (mut performed, mut before, mut after) = once()?;
    if is_tests(request) && before != after {
        // The first run may leave files behind that the next one finds there; one that always does proves nothing.
        let first = before.1;
        (performed, before, after) = once()?;
        for standing in [&mut before.1, &mut after.1].into_iter().flatten() {
            standing.keep(|path| first.as_ref().is_none_or(|first| first.has(path)));
        }
    }
    performed.stands.clone_from(&after.0);
    if before == after {
        performed.evidence.tree = after.0;
        return Ok(performed);
    }
    let changed = before.0.zip(after.0);
    let changed = changed.and_then(|(from, to)| worktree::changed(&run.home, &from, &to, env.as_ref()).ok());
    let mut differing = changed.unwrap_or_default();
    if differing.is_empty() {
        differing = before.1.zip(after.1).map(|(from, to)| from.differing(&to)).unwrap_or_default();
    }
    Ok(unsteady(request, performed, &differing))
}

/// What came of a check or a review under which files changed.
fn unsteady(request: &Request, mut performed: Performed, differing: &[String]) -> Performed {
    let files = differing.join(", ");
    performed.evidence.doubts.push(format!(
        "files changed meanwhile, so it is no proof of anything: {files}. What a run leaves behind belongs in .gitignore"
    ));
    if is_tests(request) && performed.verdict == Verdict::Pass {
        performed.verdict = Verdict::Fail;
    }
    performed
}

fn is_tests(request: &Request) -> bool {
    matches!(request.task, Task::Tests(_))
}

pub(super) fn no_bench(error: &BenchError) -> Failure {
    Failure::Lacks(in_full(error))
}

/// Lays the difference beside the files that a reviewer looks at: as text, so that nothing the project has been told to
/// show in its place is seen.
fn hand_over(request: &Request, run: &Run, tree: &str, folder: &Path, env: &dyn Env) -> Result<(), Failure> {
    let Task::Review { change: Some(from), .. } = &request.task else { return Ok(()) };
    let aside = run.workflow.run.aside();
    let lacks = |why: String| Failure::Lacks(format!("the change cannot be told: {why}"));
    let mut difference =
        worktree::difference(&run.home, from, tree, &aside, env).map_err(|error| lacks(in_full(&error)))?;
    if difference.text.len() > DIFFERENCE_BYTES_MAX {
        difference.text.truncate(DIFFERENCE_BYTES_MAX);
        difference.text.extend(b"\n... and more: read the files themselves\n");
    }
    let files = serde_json::to_vec_pretty(&difference.files).unwrap_or_default();
    for (path, text) in layout::change(folder).iter().zip([difference.text, files]) {
        let written =
            layout::prepare(folder, path).and_then(|holder| holder.replace(path, &text, Access::Ours));
        written.map_err(|error| lacks(error.to_string()))?;
    }
    Ok(())
}
