//! Examines one agent's hooks: tries each, finds when it last fired, and asks the agent whether it trusts it.

use std::path::{Path, PathBuf};

use holdpoint_core::event::Moment;

use super::configured::again;
use super::finding::Finding;
use super::registered::{self, Hook};
use super::report::{AgentReport, HookReport};
use super::{around, codex_trust, trial};
use crate::cli::Context;
use crate::cli::fired::Firing;
use crate::install::host::{Host, quoted};
use crate::install::place::Place;
use crate::install::wanted::Wanted;
use crate::program;
use crate::store::journal::Entry;

/// The inputs of the examination, and its findings so far.
pub(super) struct Doctor<'a> {
    pub(super) context: &'a Context,
    pub(super) places: Vec<Place>,
    pub(super) entries: Vec<Entry>,
    pub(super) fired: Vec<Firing>,
    pub(super) wanted: Wanted,
    pub(super) version: Option<String>,
    pub(super) has_plugin: bool,
    pub(super) findings: Vec<Finding>,
}

impl Doctor<'_> {
    /// Examines one agent. None if it has no hooks.
    pub(super) fn agent(&mut self, host: &'static Host) -> Option<AgentReport> {
        let known: Vec<PathBuf> = std::env::current_exe().into_iter().collect();
        let hooks = registered::hooks(host, &self.places, &known, &mut self.findings);
        let program = host.program(self.context.env.as_ref());
        self.plugin(host, &hooks);
        if hooks.is_empty() {
            self.left_out(host, program.is_some());
            return None;
        }
        self.two_copies(host, &hooks);
        self.missing_events(host, &hooks);
        self.disabled(host);
        self.capped(host, &hooks);
        self.old_client(host, &hooks, program.as_deref());
        let inventory = program
            .as_deref()
            .filter(|_| host.name == "codex")
            .and_then(|program| codex_trust::ask(program, &self.places.first()?.root));
        if inventory.is_none() && program.is_some() && host.name == "codex" {
            let what = "Codex did not say which hooks it trusts";
            self.findings.push(Finding::note(what, "start `codex` and type /hooks"));
        }
        let complaints = inventory.iter().flat_map(|inventory| &inventory.complaints);
        let complaints: Vec<Finding> =
            complaints.map(|what| Finding::note(format!("Codex says: {what}"), "codex")).collect();
        self.findings.extend(complaints);
        let trust = |hook: &Hook| inventory.as_ref().map(|inventory| inventory.trust(hook));
        let reports: Vec<HookReport> = hooks.iter().map(|hook| self.hook(host, hook, trust(hook))).collect();
        self.untrusted(host, &hooks, &reports);
        let program = program.map(|program| program.display().to_string());
        Some(AgentReport { agent: host.name, title: host.title, program, hooks: reports })
    }

    fn hook(&mut self, host: &Host, hook: &Hook, trust: Option<String>) -> HookReport {
        let moment = host.events.iter().find(|(event, _)| *event == hook.event).map(|(_, moment)| *moment);
        let trial = match moment {
            Some(_) if self.is_the_projects(hook) => trial::Trial {
                why: Some("the program is part of the project, so it was not run".to_owned()),
                ..Default::default()
            },
            // Nobody waits for the answer there.
            Some(moment) if !moment.can_hold() => trial::Trial { allows: true, ..Default::default() },
            Some(moment) => trial::run(self.context, host, hook, moment),
            None => {
                trial::Trial { why: Some(format!("unknown event `{}`", hook.event)), ..Default::default() }
            }
        };
        if let Some(why) = &trial.why {
            let what = format!("{} does not hold at {}: `{}`: {why}", host.title, hook.event, hook.line.text);
            self.findings.push(Finding::wrong(what, again(host, hook.scope)));
        } else {
            self.other_program(host, hook);
        }
        HookReport {
            file: hook.file.display().to_string(),
            event: hook.event.clone(),
            command: hook.line.text.clone(),
            allows: trial.allows,
            holds: trial.holds,
            last_fired: moment.and_then(|moment| self.last_fired(host, moment)),
            trust,
        }
    }

    /// Returns whether the hook's program is part of the project. Running it requires trust in the project, which doctor
    /// cannot know.
    fn is_the_projects(&self, hook: &Hook) -> bool {
        let program = PathBuf::from(&hook.line.program);
        let is_named_alone = program.components().count() == 1 && !hook.line.program.starts_with('.');
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let own = std::env::current_exe().map(|own| real(&own)).ok();
        let is_inside =
            self.places.first().is_some_and(|place| real(&program).starts_with(real(&place.root)));
        !is_named_alone && Some(real(&program)) != own && (program.is_relative() || is_inside)
    }

    fn last_fired(&self, host: &Host, moment: Moment) -> Option<String> {
        let is_this = |fired: &&Firing| fired.agent == host.name && fired.event == moment.name();
        self.fired.iter().find(is_this).map(|fired| fired.at.clone())
    }

    /// Reports a hook that calls another Holdpoint than this one.
    fn other_program(&mut self, host: &Host, hook: &Hook) {
        let program = PathBuf::from(&hook.line.program);
        let own = std::env::current_exe().ok().and_then(|own| own.canonicalize().ok());
        let is_own = |found: PathBuf| found.canonicalize().ok() == own;
        if program.is_relative()
            && program::on_path(&hook.line.program, self.context.env.as_ref()).is_some_and(is_own)
        {
            return;
        }
        if program.is_relative() {
            let what = format!(
                "{} calls `{}` by its name at {}, and PATH finds another program by it here than this one",
                host.title, hook.line.program, hook.event
            );
            self.findings.push(Finding::note(what, "put the folder of this one first on PATH"));
        } else if program.canonicalize().ok() != own {
            let theirs = around::version_of(&program, &self.context.cwd);
            if theirs != self.version {
                let what = format!(
                    "{} calls another version of Holdpoint at {}: {} is {}",
                    host.title,
                    hook.event,
                    program.display(),
                    theirs.as_deref().unwrap_or("broken")
                );
                self.findings.push(Finding::wrong(what, again(host, hook.scope)));
            }
        }
    }

    fn untrusted(&mut self, host: &Host, hooks: &[Hook], reports: &[HookReport]) {
        let is_trusted = |report: &HookReport| report.trust.as_deref().is_none_or(|trust| trust == "trusted");
        let events: Vec<&str> =
            reports.iter().filter(|report| !is_trusted(report)).map(|report| report.event.as_str()).collect();
        if events.is_empty() || hooks.is_empty() {
            return;
        }
        let root =
            self.places.first().map(|place| place.root.to_string_lossy().into_owned()).unwrap_or_default();
        let what =
            format!("{} does not run hooks that you have not trusted: {}", host.title, events.join(", "));
        let remedy = format!(
            "cd {} && codex     (then trust the folder, type /hooks, and trust the hooks)",
            quoted(&root)
        );
        self.findings.push(Finding::todo(what, remedy));
    }
}
