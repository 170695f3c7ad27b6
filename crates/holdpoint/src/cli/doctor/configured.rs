//! Checks an agent's configuration: duplicate hooks, missing hooks, disabled hooks, and clients that are too old.

use std::path::Path;

use serde_json::Value as Json;

use super::agent::Doctor;
use super::around;
use super::finding::Finding;
use super::registered::Hook;
use crate::install::host::{Host, quoted};
use crate::install::place::Scope;
use crate::install::{draft, jsonc};

impl Doctor<'_> {
    /// Reports an event with two hooks, because both run. Claude Code runs equal entries of several files only once.
    pub(super) fn two_copies(&mut self, host: &Host, hooks: &[Hook]) {
        let mut reported: Vec<&str> = Vec::new();
        for (index, hook) in hooks.iter().enumerate() {
            let twin = hooks[..index].iter().find(|other| {
                let is_once = host.name == "claude" && other.entry == hook.entry && other.file != hook.file;
                other.event == hook.event && !is_once
            });
            let Some(twin) = twin.filter(|_| !reported.contains(&hook.event.as_str())) else { continue };
            reported.push(&hook.event);
            let what = format!(
                "{} has two Holdpoint hooks at {}, in {} and {}",
                host.title,
                hook.event,
                twin.file.display(),
                hook.file.display()
            );
            let is_one_file = twin.file == hook.file;
            let remedy = match (is_one_file, twin.scope == hook.scope) {
                (true, _) => again(host, hook.scope),
                (false, true) => "holdpoint uninstall, and then holdpoint init with what you want".to_owned(),
                (false, false) => "holdpoint uninstall --user".to_owned(),
            };
            self.findings.push(Finding::wrong(what, remedy));
        }
    }

    /// Reports events that an enabled workflow needs but no hook delivers.
    pub(super) fn missing_events(&mut self, host: &Host, hooks: &[Hook]) {
        let entries = self.wanted.entries(host, "holdpoint");
        let is_there = |event: &str| hooks.iter().any(|hook| hook.event == event);
        let missing: Vec<&str> =
            entries.iter().map(|entry| entry.event).filter(|event| !is_there(event)).collect();
        if let Some(scope) = hooks.first().map(|hook| hook.scope).filter(|_| !missing.is_empty()) {
            let what = format!(
                "{}: workflows need {}, but Holdpoint has no hook there",
                host.title,
                missing.join(", ")
            );
            self.findings.push(Finding::wrong(what, again(host, scope)));
        }
    }

    /// Reports an agent that is installed but has no hooks.
    pub(super) fn left_out(&mut self, host: &Host, is_installed: bool) {
        if is_installed && !self.has_plugin {
            let what = format!("{} is installed, but has no Holdpoint hooks", host.title);
            self.findings.push(Finding::note(what, again(host, Scope::Project)));
        }
    }

    /// Reports a Holdpoint plugin alongside hooks in the settings, because both have the same hooks.
    pub(super) fn plugin(&mut self, host: &Host, hooks: &[Hook]) {
        for file in self.places.iter().flat_map(|place| place.all_settings(host)) {
            let text = draft::read(&file).ok().flatten().unwrap_or_default();
            let value = jsonc::value(&text).unwrap_or_default();
            let plugins = value.get("enabledPlugins").and_then(Json::as_object).into_iter().flatten();
            let mut ours =
                plugins.filter(|(name, on)| name.ends_with("@holdpoint") && **on == Json::Bool(true));
            let Some((name, _)) = ours.next() else { continue };
            self.has_plugin = true;
            if !hooks.is_empty() {
                let what = format!(
                    "{} has Holdpoint's hooks twice: in its settings, and from the plugin {name}",
                    host.title
                );
                self.findings.push(Finding::wrong(what, format!("claude plugin disable {}", quoted(name))));
            }
        }
    }

    /// Reports settings that turn all hooks of Claude Code off.
    pub(super) fn disabled(&mut self, host: &Host) {
        for file in self.places.iter().flat_map(|place| place.all_settings(host)) {
            let text = draft::read(&file).ok().flatten().unwrap_or_default();
            let is_off = jsonc::value(&text)
                .is_ok_and(|value| value.get("disableAllHooks") == Some(&Json::Bool(true)));
            if is_off {
                let what = format!("{} turns all hooks off: `disableAllHooks` is true", file.display());
                let remedy = format!("remove it: \"${{EDITOR:-vi}}\" {}", quoted(&file.to_string_lossy()));
                self.findings.push(Finding::wrong(what, remedy));
            }
        }
    }

    /// Notes a client that ends a turn after a few holds, whatever its hooks say.
    pub(super) fn capped(&mut self, host: &Host, hooks: &[Hook]) {
        let Some(cap) = host.cap.filter(|_| hooks.iter().any(|hook| hook.event == "Stop")) else { return };
        let variable = cap.path.last().copied().unwrap_or_default();
        let is_set = |file: std::path::PathBuf| {
            let text = draft::read(&file).ok().flatten().unwrap_or_default();
            let value = jsonc::value(&text).unwrap_or_default();
            value.pointer(&format!("/{}", cap.path.join("/"))).is_some()
        };
        let mut files = self.places.iter().flat_map(|place| place.all_settings(host));
        if files.any(is_set) || self.context.env.var(variable).is_some() {
            return;
        }
        let what = format!(
            "{} ends a turn after {} holds without a tool call between them, whatever is open then",
            host.title, cap.usual
        );
        let scope = hooks.first().map_or(Scope::Project, |hook| hook.scope);
        self.findings.push(Finding::note(what, format!("to raise that: {}", again(host, scope))));
    }

    /// Reports a client that ignores the arguments of hooks without a shell, and so calls Holdpoint without arguments.
    pub(super) fn old_client(&mut self, host: &Host, hooks: &[Hook], program: Option<&Path>) {
        const FIRST: [u64; 3] = [2, 1, 139];
        let Some(program) = program.filter(|_| hooks.iter().any(|hook| hook.line.is_exec)) else { return };
        let version = around::version_of(program, &self.context.cwd).unwrap_or_default();
        let numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
        let numbers: Vec<u64> = numbers.take(FIRST.len()).collect();
        if numbers.len() == FIRST.len() && numbers[..] < FIRST[..] {
            let what = format!(
                "{} {version} is too old: it does not support hooks without a shell, so Holdpoint's hooks do nothing",
                host.title
            );
            self.findings.push(Finding::wrong(what, host.get));
        }
    }
}

/// Returns the command that writes an agent's hooks again.
pub(super) fn again(host: &Host, scope: Scope) -> String {
    let user = if scope == Scope::User { " --user" } else { "" };
    format!("holdpoint init{user} --agent {}", host.name)
}
