//! What the project brings along, and what `init` makes of it: if the user types `init`, it is allowed.

use crate::allow::Allowance;
use crate::allow::content::Content;
use crate::allow::part::Part;
use crate::allow::survey::Survey;
use crate::allow::waiting::{self, Waiting};
use crate::cli::allow::{programs, shown};
use crate::cli::{Context, subject};
use crate::error::{CommandError, Kind, in_full};
use crate::install::draft::Draft;
use crate::install::place::{Place, Scope};
use crate::store::layout;
use crate::store::registry::Registry;
use crate::user;

/// What the project brings along, before `init` writes anything.
pub(super) enum Brought {
    /// The user's own settings are meant: a project's own stays in the project.
    Users,
    /// `init` allows it.
    Allowed(Survey),
    /// Only the user can allow it, and this is not the user's terminal.
    Waiting(Vec<Waiting>),
    /// It cannot be allowed as it is.
    Unusable(String),
}

impl Brought {
    /// Looks at what the project brings along.
    pub(super) fn along(context: &Context, place: &Place) -> Brought {
        if place.scope == Scope::User {
            return Brought::Users;
        }
        let allowance = Allowance::of(context.env.as_ref());
        let survey = match Survey::of(&place.root, &allowance) {
            Ok(survey) => survey,
            Err(error) => return Brought::Unusable(in_full(&error)),
        };
        let is_new = !survey.pending.is_empty() || !survey.runs.is_empty();
        // What an agent's `init` writes is for the user to allow, even where nothing else waits.
        let env = context.env.as_ref();
        if user::is_alone(env, &place.root) || (!is_new && !user::is_agents(env)) {
            return Brought::Allowed(survey);
        }
        Brought::Waiting(survey.waiting())
    }

    /// Shows what `init` allows, before it writes anything.
    pub(super) fn announce(&self, context: &Context, is_dry: bool) {
        let Brought::Allowed(survey) = self else { return };
        if survey.pending.is_empty() && survey.runs.is_empty() {
            return;
        }
        context.ui.line(if is_dry {
            "`holdpoint init` would allow what this project brings along:"
        } else {
            "`holdpoint init` allows what this project brings along:"
        });
        shown::brief(&context.ui, survey);
        context.ui.line("");
    }

    /// Returns the workflows to install: a project's own only if it is allowed. An error if the user named another.
    pub(super) fn left_in(
        &self,
        mut found: Vec<subject::Found>,
        are_named: bool,
    ) -> Result<Vec<subject::Found>, CommandError> {
        if let Brought::Allowed(survey) = self {
            for found in &mut found {
                found.texts = texts(survey, found);
            }
            return Ok(found);
        }
        let own = found.iter().find(|found| found.is_projects).map(|found| found.name.clone());
        if let Some(name) = own.filter(|_| are_named) {
            let what = format!("workflow `{name}` is not allowed yet");
            let hint = "look at it and allow it in a terminal: holdpoint allow";
            return Err(CommandError::new(Kind::Failed, what).hinted(hint));
        }
        found.retain(|found| !found.is_projects);
        Ok(found)
    }

    /// Allows it with what `init` has written, and says so. Otherwise says what the user can do.
    pub(super) fn allow(&self, context: &Context, place: &Place, draft: &Draft) {
        let allowance = Allowance::of(context.env.as_ref());
        let survey = match self {
            Brought::Users => return,
            Brought::Allowed(survey) => survey,
            Brought::Waiting(_) => return self.say_waiting(context),
            Brought::Unusable(why) => {
                context.ui.note(format!("This project's own workflows and settings have no effect: {why}."));
                return;
            }
        };
        match record(survey, &allowance, place, draft) {
            Ok(true) => {
                say(context, survey);
                programs::pin(context, survey);
            }
            Ok(false) => context.ui.note(format!(
                "Nothing was allowed: the project's workflows or settings changed while `init`\nran. To look at \
                 them, type in a terminal:\n  {}",
                waiting::command(&place.root)
            )),
            Err(error) => context
                .ui
                .note(format!("This project could not be allowed, so runs are not looked at here: {error}.")),
        }
    }

    /// Says what waits for the user.
    pub(super) fn say_waiting(&self, context: &Context) {
        if let Brought::Waiting(waiting) = self {
            let registry = Registry::of(context.env.as_ref());
            context.ui.note(waiting::message(waiting, &registry).unwrap_or_default());
        }
    }
}

/// Returns the files of a workflow as they were surveyed: no others are installed.
fn texts(survey: &Survey, found: &subject::Found) -> Option<Vec<(String, String)>> {
    let folder = found.folder.as_ref()?;
    let below = folder.strip_prefix(layout::folder(&survey.root)).ok()?.to_str()?;
    let text = |(path, bytes): (&String, &Vec<u8>)| {
        let file = path.strip_prefix(below)?.strip_prefix('/')?;
        Some((file.to_owned(), String::from_utf8_lossy(bytes).into_owned()))
    };
    Some(survey.content.files.iter().filter_map(text).collect())
}

/// Allows what was surveyed and the settings that `init` has written. False if anything else is there now.
fn record(survey: &Survey, allowance: &Allowance<'_>, place: &Place, draft: &Draft) -> std::io::Result<bool> {
    let mut all = vec![(&survey.root, survey.content.clone())];
    let settings = layout::config(&place.root);
    if let Some(written) = draft.files.iter().find(|planned| planned.is_change() && planned.path == settings)
    {
        if survey.root != place.root {
            all.push((&place.root, Content::default()));
        }
        let files = all.last_mut().map(|(_, content)| &mut content.files);
        let after = written.after.clone().map(String::into_bytes);
        let before = files.and_then(|files| match after {
            Some(after) => files.insert(layout::CONFIG.to_owned(), after),
            None => files.remove(layout::CONFIG),
        });
        if before != written.before.clone().map(String::into_bytes) {
            return Ok(false);
        }
    }
    for (root, content) in &all {
        if Content::read(root).map_err(std::io::Error::other)?.files != content.files {
            return Ok(false);
        }
    }
    for (root, content) in &all {
        allowance.allow(root, content, &survey.runs)?;
    }
    allowance.know(&place.root)?;
    Ok(true)
}

fn say(context: &Context, survey: &Survey) {
    let own = survey.pending.iter().filter_map(|pending| match &pending.part {
        Part::Workflow(name) => Some(name.clone()),
        Part::Settings => None,
    });
    let own: Vec<String> = own.collect();
    let settings = survey.pending.iter().find(|pending| pending.part == Part::Settings);
    let settings: Vec<String> = settings.iter().map(|_| layout::CONFIG.to_owned()).collect();
    let runs = survey
        .runs
        .iter()
        .map(|run| format!("{} in {}", run.workflow.name, layout::name(&survey.root, &run.place())));
    let runs: Vec<String> = runs.collect();
    for (what, names) in [("workflows", own), ("settings", settings), ("runs", runs)] {
        if !names.is_empty() {
            let names = crate::cli::phrase::printable(&names.join(", "));
            context.ui.line(format!("allowed  the project's {what}: {names}"));
        }
    }
}
