//! What a run's state gives to the command lines of its programs: a state can name a program as well as a workflow can.
//! Nothing is evaluated for it. Words are looked for, and more may be shown than is used.

use holdpoint_core::workflow::Workflow;
use holdpoint_core::workflow::performer::CheckKind;
use serde_json::Value as Json;

use crate::project::Run;
use crate::store::layout;
use crate::store::state::StateFile;

/// The name by which sources read the state.
const STATE: &str = "state";

/// What of a state is used.
#[derive(Default)]
struct Used {
    fields: Vec<String>,
    /// Whether it cannot be told which fields.
    is_any: bool,
}

/// Lists the fields of a run's state that its programs' command lines use, with their values as JSON.
pub(super) fn by_state(run: &Run) -> Vec<String> {
    let used = used(&run.workflow);
    let Some(file) = state_file(run) else { return Vec::new() };
    let bytes = file.read().ok().flatten().or_else(|| file.in_project().ok().flatten());
    let values = bytes.and_then(|bytes| file.fields(&bytes, &used.fields)).unwrap_or_default();
    let spelled = |(field, value): (&String, &Json)| format!("{STATE}.{field} = {value}");
    let given = used.fields.iter().zip(&values).filter(|(_, value)| !value.is_null());
    let any = used.is_any.then(|| format!("whatever is in {}", layout::name(&run.home, &file.path)));
    given.map(spelled).chain(any).collect()
}

fn state_file(run: &Run) -> Option<StateFile> {
    let path = match (&run.id, run.workflow.run.state.as_deref()) {
        (Some(_), _) => run.place().to_string_lossy().into_owned(),
        (None, Some(path)) if !path.contains("{{") => path.to_owned(),
        _ => return None,
    };
    Some(StateFile::of(run, &path))
}

/// Finds what of the state command lines use, themselves or by names that the workflow defines.
fn used(workflow: &Workflow) -> Used {
    let mut sources: Vec<&str> = Vec::new();
    for check in workflow.checks.iter() {
        sources.extend(check.kind.command().iter().map(AsRef::as_ref));
        if let CheckKind::Acceptance { spec, rows, section, .. } = &check.kind {
            sources.extend([spec, rows, section].map(AsRef::<str>::as_ref));
        }
    }
    sources.extend(workflow.reviewers.iter().flat_map(|reviewer| reviewer.command.iter().map(AsRef::as_ref)));
    let (mut used, mut names) = (Used::default(), Vec::new());
    let item = workflow.run.item.as_ref().map(|item| item.name.as_ref());
    while let Some(source) = sources.pop() {
        for word in words(source) {
            let (name, rest) = word.split_once('.').unwrap_or((word, ""));
            if name == STATE && !rest.is_empty() {
                used.fields.push(rest.to_owned());
            } else if name == STATE || item == Some(name) {
                used.is_any = true;
            } else if let Some(defined) = workflow.expression(name).filter(|_| !names.contains(&name)) {
                names.push(name);
                sources.push(defined);
            }
        }
    }
    used.fields.sort();
    used.fields.dedup();
    used
}

/// The words of a source: names, with dots between them.
fn words(source: &str) -> impl Iterator<Item = &str> {
    source.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').map(|word| word.trim_matches('.'))
}
