//! What the project brings along, and what `init` makes of it: if the user types `init`, it is allowed.

use crate::allow::survey::Survey;
use crate::allow::waiting::{self, Waiting};
use crate::allow::{Allowance, Standing};
use crate::cli::{Context, subject};
use crate::error::{CommandError, Kind, in_full};
use crate::install::place::{Place, Scope};
use crate::store::layout;
use crate::user;

/// What the project brings along, before `init` writes anything.
pub(super) enum Brought {
    /// The user's own settings are meant: a project's own stays in the project.
    Users,
    /// `init` allows it.
    Allowed(Survey),
    /// Only the user can allow it, and this is not the user's terminal.
    Waiting,
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
        let is_allowed = matches!(allowance.standing(&survey.root), Standing::Allowed | Standing::Empty);
        if user::is_there(context.env.as_ref()) || (is_allowed && survey.runs.is_empty()) {
            return Brought::Allowed(survey);
        }
        Brought::Waiting
    }

    /// Returns the workflows to install: a project's own only if it is allowed. An error if the user named another.
    pub(super) fn left_in(
        &self,
        mut found: Vec<subject::Found>,
        are_named: bool,
    ) -> Result<Vec<subject::Found>, CommandError> {
        if let Brought::Allowed(_) = self {
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
    pub(super) fn allow(&self, context: &Context, place: &Place) {
        let allowance = Allowance::of(context.env.as_ref());
        let survey = match self {
            Brought::Users => return,
            Brought::Allowed(survey) => survey,
            Brought::Waiting => {
                let waiting = Waiting::Content { base: place.root.clone(), defect: None };
                context.ui.note(waiting::message(&[waiting]).unwrap_or_default());
                return;
            }
            Brought::Unusable(why) => {
                context.ui.note(format!("This project's own workflows and settings have no effect: {why}."));
                return;
            }
        };
        match record(survey, &allowance, place) {
            Ok(()) => say(context, survey),
            Err(error) => context
                .ui
                .note(format!("This project could not be allowed, so runs are not looked at here: {error}.")),
        }
    }
}

fn record(survey: &Survey, allowance: &Allowance<'_>, place: &Place) -> std::io::Result<()> {
    let now = Survey::of(&place.root, allowance).map_err(std::io::Error::other)?;
    allowance.allow(&now.root, &now.content, &survey.runs)?;
    allowance.know(&place.root)
}

fn say(context: &Context, survey: &Survey) {
    let own: Vec<String> = survey.content.workflows().into_iter().map(|(name, _)| name).collect();
    let runs = survey
        .runs
        .iter()
        .map(|run| format!("{} in {}", run.workflow.name, layout::name(&survey.root, &run.place())));
    let runs: Vec<String> = runs.collect();
    for (what, names) in [("workflows", own), ("runs", runs)] {
        if !names.is_empty() {
            context.ui.line(format!(
                "allowed  the project's {what}: {}  (see `holdpoint allow --list`)",
                crate::cli::phrase::printable(&names.join(", "))
            ));
        }
    }
}
