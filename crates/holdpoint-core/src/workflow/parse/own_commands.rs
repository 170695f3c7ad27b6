//! The commands that every sealed workflow with phases has from the engine, unless its file has one of that name: `next`,
//! `status` and `abandon`.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::command::Command;
use super::super::phase::{Phase, PhaseKind};
use super::super::step::{CommandKeys, Delivery, END, Step};
use super::super::table::Reader;
use super::super::{Say, Text};
use super::Parser;

const AT_WORK: &str = "phase.by is defined and phase.by != 'nobody'";

impl Parser<'_> {
    pub(super) fn own_commands(
        &mut self,
        workflow: &str,
        top: &DeTable<'_>,
        phases: &[Phase],
        commands: &mut Vec<Command>,
    ) {
        let run = Reader::get(top, "run").and_then(|run| run.get_ref().as_table());
        let Some(run) = run.filter(|run| self.reader.truth(run, "sealed")) else { return };
        if phases.is_empty() {
            return;
        }
        let none = no_run(workflow, commands);
        let status = Reader::get(run, "status").map(toml::Spanned::span);
        let status = match (status, self.reader.text(run, "status")) {
            (Some(span), Some(text)) => self.text_of(text, span),
            _ => plain(format!(
                "{{{{ phase.name }}}} is due, by {{{{ phase.by }}}}.\n\nTo go on: holdpoint {workflow} next"
            )),
        };
        let own = [next(), state(status, &none), abandon(phases, &none)];
        let own: Vec<Command> =
            own.into_iter().filter(|own| !commands.iter().any(|known| known.name == own.name)).collect();
        commands.splice(0..0, own);
    }
}

fn next() -> Command {
    let about = "Run the checks and reviews that are due, and print what to do next";
    Command { through: vec![Cow::Borrowed("all")].into(), ..named("next", about, Vec::new()) }
}

fn state(text: Say, none: &Say) -> Command {
    // A workflow's own text can tell of a run that is over; ours has nothing to say of it.
    let is_own = !text.file.is_empty();
    let when =
        if is_own { "not run.has_state".to_owned() } else { format!("not run.has_state or not ({AT_WORK})") };
    let nowhere = Step { when: Some(when.into()), ..says(none.clone()) };
    named("status", "Show where the run stands", vec![nowhere, says(text)])
}

/// Ends the run in the phase that is there for it, or nowhere.
fn abandon(phases: &[Phase], none: &Say) -> Command {
    let end = phases.iter().find_map(|phase| match &phase.kind {
        PhaseKind::Nobody(nobody) if nobody.is_abandoned => Some((phase.name.clone(), nobody.tell.clone())),
        _ => None,
    });
    let (go, tell) = end.unwrap_or_else(|| (Cow::Borrowed(END), plain("The run is over.".to_owned())));
    let refused = Step {
        when: Some(format!("not run.has_state or not ({AT_WORK})").into()),
        command: CommandKeys { fail: Some(1), ..CommandKeys::default() },
        ..says(none.clone())
    };
    let ended = Step { go: Some(go), ..says(tell) };
    Command { is_users: true, ..named("abandon", "End this run where it stands", vec![refused, ended]) }
}

/// What is said where no run is at work, with the command that makes one.
fn no_run(workflow: &str, commands: &[Command]) -> Say {
    let makes = |command: &&Command| command.steps.iter().any(|step| step.command.create.is_some());
    let words = |command: &Command| {
        let args = command.args.iter().filter(|argument| !argument.is_optional);
        let args = args.map(|argument| format!(" {}", argument.name.to_uppercase()));
        format!("{}{}", command.name, args.collect::<String>())
    };
    let start = commands.iter().find(makes);
    let start = start.map(|command| format!(" To start one: `holdpoint {workflow} {}`", words(command)));
    plain(format!("No {workflow} run is at work in {{{{ run.home }}}}.{}", start.unwrap_or_default()))
}

fn named(name: &'static str, about: &'static str, steps: Vec<Step>) -> Command {
    Command {
        name: Cow::Borrowed(name),
        about: Cow::Borrowed(about),
        run: None,
        args: Cow::default(),
        flags: Cow::default(),
        is_users: false,
        through: Cow::default(),
        until: None,
        steps: steps.into(),
    }
}

fn says(say: Say) -> Step {
    Step { delivery: Delivery::Tell, say, ..Step::default() }
}

fn plain(template: String) -> Say {
    Say { file: Text::Borrowed(""), template: template.into() }
}
