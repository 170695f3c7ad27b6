//! What `doctor` tells: gathered once, printed and serialised alike.

use std::path::{Path, PathBuf};

use holdpoint_core::event::Moment;
use serde::Serialize;
use serde_json::Value as Json;

use super::finding::Finding;
use super::registered::{self, Hook};
use super::reviewers::{self, ReviewerReport};
use super::{around, codex_trust, trial};
use crate::cli::{Context, journals, subject};
use crate::error::CommandError;
use crate::install::host::{self, Host, Runs, quoted};
use crate::install::place::{Place, Scope};
use crate::install::record::Record;
use crate::install::wanted::Wanted;
use crate::install::{draft, jsonc};
use crate::store::journal::Entry;

/// The whole of it.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) version: String,
    pub(super) program: String,
    pub(super) project: String,
    pub(super) agents: Vec<AgentReport>,
    pub(super) reviewers: Vec<ReviewerReport>,
    pub(super) findings: Vec<Finding>,
}

/// One agent.
#[derive(Debug, Serialize)]
pub(super) struct AgentReport {
    pub(super) agent: &'static str,
    pub(super) title: &'static str,
    pub(super) program: Option<String>,
    pub(super) hooks: Vec<HookReport>,
}

/// One hook.
#[derive(Debug, Serialize)]
pub(super) struct HookReport {
    pub(super) file: String,
    pub(super) event: String,
    pub(super) command: String,
    /// Whether it let go what must be let go.
    pub(super) allows: bool,
    /// Whether it held what must be held.
    pub(super) holds: bool,
    /// When it last asked for a run's sake, by the journal.
    pub(super) last_fired: Option<String>,
    /// What the agent says of it, where hooks must be trusted.
    pub(super) trust: Option<String>,
}

/// What all agents are looked at with.
struct Doctor<'a> {
    context: &'a Context,
    places: Vec<Place>,
    entries: Vec<Entry>,
    wanted: Wanted,
    version: Option<String>,
    has_plugin: bool,
    findings: Vec<Finding>,
}

/// Looks at everything.
pub(super) fn gather(context: &Context) -> Result<Report, CommandError> {
    let found = context.find(None);
    let entries = journals::read(&journals::homes(&found)).unwrap_or_default();
    let program = std::env::current_exe()?;
    let places = registered::places(context);
    let records: Vec<Record> = places.iter().filter_map(|place| Record::read(place).ok().flatten()).collect();
    let workflows = in_force(context, &records)?;
    let parsed: Vec<_> = workflows.iter().filter_map(|one| Some(one.parsed().ok()?.workflow)).collect();
    let mut doctor = Doctor {
        context,
        places,
        entries: entries.into_iter().map(|line| line.entry).collect(),
        wanted: Wanted::of(parsed.iter()),
        version: around::version_of(&program, &context.cwd),
        has_plugin: false,
        findings: Vec::new(),
    };
    let agents: Vec<AgentReport> = host::ALL.into_iter().filter_map(|host| doctor.agent(host)).collect();
    doctor.nothing_registered(&agents);
    let uses_login_shell = agents.iter().any(|agent| {
        host::named(agent.agent).is_some_and(|host| host.runs == Runs::LoginShell) && !agent.hooks.is_empty()
    });
    let Doctor { mut findings, version, places, .. } = doctor;
    let root = places.first().map_or_else(|| context.cwd.clone(), |place| place.root.clone());
    around::git(context, &mut findings);
    around::folders(&root, &found, &mut findings);
    around::workflows(context, &found, &mut findings);
    around::on_path(context, version.as_deref(), uses_login_shell, &mut findings);
    let reviewers = reviewers::look(context, &workflows, &found, &mut findings);
    Ok(Report {
        version: version.unwrap_or_else(|| "holdpoint".to_owned()),
        program: program.display().to_string(),
        project: root.display().to_string(),
        agents,
        reviewers,
        findings,
    })
}

/// The workflows in force here; those alone that were chosen when it was installed.
fn in_force(context: &Context, records: &[Record]) -> Result<Vec<subject::Found>, CommandError> {
    let mut all = subject::find(context, &[])?;
    let base = crate::project::base(&context.cwd);
    all.retain(|one| base.as_deref().is_none_or(|base| !crate::project::leaves_out(base, &one.name)));
    let chosen: Vec<&String> = records.iter().flat_map(|record| &record.workflows).collect();
    all.retain(|one| chosen.is_empty() || one.folder.is_some() || chosen.contains(&&one.name));
    Ok(all)
}

impl Doctor<'_> {
    /// One agent's hooks; none if there are none and it is not there.
    fn agent(&mut self, host: &'static Host) -> Option<AgentReport> {
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
        self.old_client(host, &hooks, program.as_deref());
        let inventory = program
            .as_deref()
            .filter(|_| host.name == "codex")
            .and_then(|program| codex_trust::ask(program, &self.places.first()?.root));
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
        let outcome = match moment {
            Some(_) if self.is_the_projects(hook) => trial::Outcome {
                why: Some("the program is the project's own, so it was not run".to_owned()),
                ..Default::default()
            },
            Some(moment) => trial::run(self.context, host, hook, moment),
            None => trial::Outcome {
                why: Some(format!("there is no event `{}`", hook.event)),
                ..Default::default()
            },
        };
        if let Some(why) = &outcome.why {
            let what = format!("{} does not hold at {}: `{}`: {why}", host.title, hook.event, hook.line.text);
            self.findings.push(Finding::wrong(what, again(host, hook.scope)));
        } else {
            self.other_program(host, hook);
        }
        HookReport {
            file: hook.file.display().to_string(),
            event: hook.event.clone(),
            command: hook.line.text.clone(),
            allows: outcome.allows,
            holds: outcome.holds,
            last_fired: moment.and_then(|moment| self.last_fired(host, moment)),
            trust,
        }
    }

    /// A program that came with the project is run by nobody who has not trusted the project; we do not know that.
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
        let is_this = |entry: &&Entry| entry.agent == host.name && entry.event == moment.name();
        self.entries.iter().rev().find(is_this).map(|entry| entry.at.clone())
    }

    /// A hook that calls another program of ours than this one.
    fn other_program(&mut self, host: &Host, hook: &Hook) {
        let program = PathBuf::from(&hook.line.program);
        let own = std::env::current_exe().ok().and_then(|own| own.canonicalize().ok());
        if program.is_relative() {
            let what = format!(
                "{} calls `{}` by its name at {}: an agent that is started elsewhere may not find it",
                host.title, hook.line.program, hook.event
            );
            self.findings.push(Finding::note(what, again(host, hook.scope)));
        } else if program.canonicalize().ok() != own {
            let theirs = around::version_of(&program, &self.context.cwd);
            if theirs != self.version {
                let what = format!(
                    "{} calls another version at {}: {} is {}",
                    host.title,
                    hook.event,
                    program.display(),
                    theirs.as_deref().unwrap_or("broken")
                );
                self.findings.push(Finding::wrong(what, again(host, hook.scope)));
            }
        }
    }

    /// The same event in two entries: each is run, and each holds. Claude Code runs equal entries of several files once.
    fn two_copies(&mut self, host: &Host, hooks: &[Hook]) {
        let mut told: Vec<&str> = Vec::new();
        for (index, hook) in hooks.iter().enumerate() {
            let twin = hooks[..index].iter().find(|other| {
                let is_once = host.name == "claude" && other.entry == hook.entry && other.file != hook.file;
                other.event == hook.event && !is_once
            });
            let Some(twin) = twin.filter(|_| !told.contains(&hook.event.as_str())) else { continue };
            told.push(&hook.event);
            let what = format!(
                "{} has two hooks of ours at {}, in {} and {}",
                host.title,
                hook.event,
                twin.file.display(),
                hook.file.display()
            );
            let is_one_file = twin.file == hook.file;
            let remedy =
                if is_one_file { again(host, hook.scope) } else { "holdpoint uninstall --user".to_owned() };
            self.findings.push(Finding::wrong(what, remedy));
        }
    }

    /// Events that a workflow in force looks at and that no hook brings.
    fn missing_events(&mut self, host: &Host, hooks: &[Hook]) {
        let entries = self.wanted.entries(host, "holdpoint");
        let is_there = |event: &str| hooks.iter().any(|hook| hook.event == event);
        let missing: Vec<&str> =
            entries.iter().map(|entry| entry.event).filter(|event| !is_there(event)).collect();
        if let Some(scope) = hooks.first().map(|hook| hook.scope).filter(|_| !missing.is_empty()) {
            let what = format!(
                "{}: workflows look at {}, and no hook of ours is there",
                host.title,
                missing.join(", ")
            );
            self.findings.push(Finding::wrong(what, again(host, scope)));
        }
    }

    /// An agent that is installed and was not asked about.
    fn left_out(&mut self, host: &Host, is_installed: bool) {
        if is_installed && !self.has_plugin {
            let what = format!("{} is installed and has no hook of ours", host.title);
            self.findings.push(Finding::note(what, again(host, Scope::Project)));
        }
    }

    /// Our plugin for Claude Code has the same hooks.
    fn plugin(&mut self, host: &Host, hooks: &[Hook]) {
        for file in self.places.iter().flat_map(|place| place.all_settings(host)) {
            let text = draft::read(&file).ok().flatten().unwrap_or_default();
            let value = jsonc::value(&text).unwrap_or_default();
            let plugins = value.get("enabledPlugins").and_then(Json::as_object).into_iter().flatten();
            let mut ours =
                plugins.filter(|(name, on)| name.ends_with("@holdpoint") && **on == Json::Bool(true));
            let Some((name, _)) = ours.next() else { continue };
            self.has_plugin = true;
            if !hooks.is_empty() {
                let what =
                    format!("{} has our hooks twice: in its settings, and by the plugin {name}", host.title);
                self.findings.push(Finding::wrong(what, format!("claude plugin disable {}", quoted(name))));
            }
        }
    }

    /// Claude Code's switch for all hooks.
    fn disabled(&mut self, host: &Host) {
        for file in self.places.iter().flat_map(|place| place.all_settings(host)) {
            let text = draft::read(&file).ok().flatten().unwrap_or_default();
            let is_off = jsonc::value(&text)
                .is_ok_and(|value| value.get("disableAllHooks") == Some(&Json::Bool(true)));
            if is_off {
                let what = format!("{} turns all hooks off: `disableAllHooks` is true", file.display());
                let remedy = format!("take it out: \"${{EDITOR:-vi}}\" {}", quoted(&file.to_string_lossy()));
                self.findings.push(Finding::wrong(what, remedy));
            }
        }
    }

    /// A client that does not know entries without a shell would call us without arguments.
    fn old_client(&mut self, host: &Host, hooks: &[Hook], program: Option<&Path>) {
        const FIRST: [u64; 3] = [2, 1, 139];
        let Some(program) = program.filter(|_| hooks.iter().any(|hook| hook.line.is_exec)) else { return };
        let version = around::version_of(program, &self.context.cwd).unwrap_or_default();
        let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        let numbers: Vec<u64> = numbers.take(FIRST.len()).collect();
        if numbers.len() == FIRST.len() && numbers[..] < FIRST[..] {
            let what = format!(
                "{} {version} does not know hooks without a shell, and runs ours for nothing",
                host.title
            );
            self.findings.push(Finding::wrong(what, host.get));
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
            "cd {} && codex     (there: trust the folder, type /hooks, and trust them)",
            quoted(&root)
        );
        self.findings.push(Finding::wrong(what, remedy));
    }

    fn nothing_registered(&mut self, agents: &[AgentReport]) {
        if agents.is_empty() && !self.has_plugin {
            self.findings.push(Finding::wrong(
                "no agent has a hook of ours: nothing is ever held here",
                "holdpoint init",
            ));
        }
    }
}

/// The command that writes an agent's hooks anew.
fn again(host: &Host, scope: Scope) -> String {
    let user = if scope == Scope::User { " --user" } else { "" };
    format!("holdpoint init{user} --agent {}", host.name)
}
