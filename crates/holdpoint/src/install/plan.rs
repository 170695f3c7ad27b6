//! The plan of `init`: every agent's hooks, the workflows' commands, the project's choice, and the record of it all.

use std::path::{Path, PathBuf};

use super::draft::{Draft, Planned, read, refuse_elsewhere};
use super::error::{NotEdited, Purpose, SettingsError};
use super::extra::Extra;
use super::host::Host;
use super::ours::Ours;
use super::place::{Place, Scope};
use super::prompt::{self, Source};
use super::record::{Before, Choices, Kept, Part, Record, backup, digest};
use super::wanted::{Contents, Wanted};
use super::{apply, pre_push, project_settings, settings};
use crate::error::{CommandError, Kind};
use crate::store::layout;

/// What is to be installed.
pub struct Order<'a> {
    /// Where.
    pub place: &'a Place,
    /// Into which agents.
    pub hosts: &'a [&'static Host],
    /// What the workflows look at.
    pub wanted: &'a Wanted,
    /// The workflows' files, by name.
    pub workflows: &'a [(String, Vec<(String, String)>)],
    /// What the user chose.
    pub choices: &'a Choices,
    /// The project's own workflows.
    pub own: &'a [String],
    /// The program.
    pub program: &'a Path,
    /// How the hooks of each agent call it, in their order.
    pub called: &'a [String],
    /// Whether our folder had its `.gitignore` before.
    pub had_ignore: bool,
    /// What was installed before.
    pub record: Option<&'a Record>,
}

/// The plan, and the record that goes with it.
#[derive(Debug)]
pub struct Plan {
    /// The changes.
    pub draft: Draft,
    /// The record.
    pub record: Record,
    /// Files that the user has edited and that are left alone.
    pub left_alone: Vec<PathBuf>,
}

impl Order<'_> {
    /// Plans everything; nothing is written.
    pub fn plan(&self) -> Result<Plan, CommandError> {
        let mut draft = Draft::default();
        let mut left_alone = Vec::new();
        for (host, called) in self.hosts.iter().zip(self.called) {
            self.plan_hooks(host, called, &mut draft)?;
        }
        for host in self.hosts {
            self.plan_commands(host, &mut draft, &mut left_alone)?;
        }
        self.plan_project_settings(&mut draft)?;
        if self.choices.pre_push {
            draft.put(pre_push::planned(self.place, self.program, self.record)?)?;
        }
        refuse_elsewhere(self.place, &draft)?;
        let record = self.new_record(&draft);
        Ok(Plan { draft, record, left_alone })
    }

    /// Lists the paths that this binary has been registered under.
    pub fn known(&self) -> Vec<PathBuf> {
        let before = self.record.map(|record| record.programs.clone()).unwrap_or_default();
        before.into_iter().chain([self.program.to_path_buf()]).collect()
    }

    fn plan_hooks(&self, host: &Host, called: &str, draft: &mut Draft) -> Result<(), CommandError> {
        let path = self.hooks_file(host, draft)?;
        self.plan_moved(host, &path, draft)?;
        let text = draft.text(&path)?;
        let contents = Contents { entries: self.wanted.entries(host, called), extras: self.extras(host) };
        let text =
            text.as_deref().filter(|text| !text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty());
        let ours = Ours { known: &self.known(), agent: Some(host.name) };
        let edited = settings::register(&path, text, host, &contents, ours)
            .map_err(|why| unusable(&path, why, host))?;
        let after = if edited.changes.is_empty() && text.is_some() {
            text.map(str::to_owned)
        } else {
            Some(edited.text)
        };
        let mut planned = Draft::change(&path, host.name, Part::Hooks, after)?;
        planned.changes = edited.changes;
        planned.made = edited.made;
        draft.put(planned)
    }

    /// What an agent's settings get beside the hooks.
    fn extras(&self, host: &Host) -> Vec<Extra> {
        let mut extras = self.wanted.extras(host);
        if let Some(path) = host.allows.filter(|_| self.choices.allows_commands) {
            let rule = |(name, _): &(String, _)| Extra::element(path, &format!("Bash(holdpoint {name}:*)"));
            extras.extend(self.workflows.iter().map(rule));
        }
        extras
    }

    /// Hooks in another file of the agent's, where an earlier `init` was told so, are there no longer.
    fn plan_moved(&self, host: &Host, path: &Path, draft: &mut Draft) -> Result<(), CommandError> {
        let kept = self.record.map(|record| record.files.as_slice()).unwrap_or_default();
        for kept in kept.iter().filter(|kept| kept.agent == host.name && kept.part == Part::Hooks) {
            let other = self.place.path(&kept.path);
            let Some(text) = draft.text(&other)?.filter(|_| other != path) else { continue };
            let ours = Ours { known: &self.known(), agent: Some(host.name) };
            let after = settings::unregister(&other, &text, host.shape, &kept.made, ours)
                .map_err(|why| unusable(&other, why, host))?;
            let after = after.or_else(|| (kept.before != Before::Nothing).then(|| "{}\n".to_owned()));
            draft.put(Draft::change(&other, host.name, Part::Hooks, after)?)?;
        }
        Ok(())
    }

    /// The file for an agent's hooks: one that has some already, where the usual one is not there.
    fn hooks_file(&self, host: &Host, draft: &Draft) -> Result<PathBuf, CommandError> {
        if let Some(local) = host.local.filter(|_| self.choices.is_local) {
            return Ok(self.place.folder(host).join(local));
        }
        let usual = self.place.settings(host);
        if draft.text(&usual)?.is_some() {
            return Ok(usual);
        }
        for other in host.also.iter().filter(|name| name.ends_with(".toml")) {
            let path = self.place.folder(host).join(other);
            if let Some(text) = read(&path)?
                && settings::registered(&path, &text, host.shape).is_ok_and(|hooks| !hooks.is_empty())
            {
                return Ok(path);
            }
        }
        Ok(usual)
    }

    fn plan_commands(
        &self,
        host: &Host,
        draft: &mut Draft,
        left_alone: &mut Vec<PathBuf>,
    ) -> Result<(), CommandError> {
        let sources = self.workflows.iter().map(|(name, files)| Source { name, files });
        let prompts: Vec<prompt::Prompt> =
            sources.flat_map(|source| prompt::prompts(host, self.place, &source)).collect();
        for prompt in &prompts {
            let planned = Draft::change(&prompt.path, host.name, Part::Command, Some(prompt.text.clone()))?;
            let kept = self.record.and_then(|record| record.file(&self.place.shown(&prompt.path)));
            match (&planned.before, kept) {
                (Some(there), None) if *there != prompt.text => return Err(in_the_way(&prompt.path)),
                (Some(there), Some(kept)) if digest(there) != kept.left && *there != prompt.text => {
                    left_alone.push(prompt.path.clone());
                }
                _ => draft.put(planned)?,
            }
        }
        self.plan_leftovers(host, &prompts, draft, left_alone)
    }

    /// Commands of an earlier choice of workflows go, unless the user has edited them.
    fn plan_leftovers(
        &self,
        host: &Host,
        prompts: &[prompt::Prompt],
        draft: &mut Draft,
        left_alone: &mut Vec<PathBuf>,
    ) -> Result<(), CommandError> {
        let kept = self.record.map(|record| record.files.as_slice()).unwrap_or_default();
        for kept in kept.iter().filter(|kept| kept.agent == host.name && kept.part == Part::Command) {
            let path = self.place.path(&kept.path);
            if prompts.iter().any(|prompt| prompt.path == path) {
                continue;
            }
            let planned = Draft::change(&path, host.name, Part::Command, None)?;
            match &planned.before {
                Some(there) if digest(there) != kept.left => left_alone.push(path),
                _ => draft.put(planned)?,
            }
        }
        Ok(())
    }

    /// Only a project has settings of its own, and only if the user named workflows.
    fn plan_project_settings(&self, draft: &mut Draft) -> Result<(), CommandError> {
        if self.choices.workflows.is_empty() || self.place.scope == Scope::User {
            return Ok(());
        }
        let path = layout::config(&self.place.root);
        let text = draft.text(&path)?.unwrap_or_default();
        let after = project_settings::with(&text, &self.choices.workflows, self.own).map_err(|why| {
            CommandError::new(Kind::Files, format!("{}: {why}; nothing was written", path.display()))
                .hinted("see `holdpoint check`")
        })?;
        let mut planned = Draft::change(&path, "", Part::Choices, Some(after))?;
        planned.changes = vec![format!("enabled: {}", self.choices.workflows.join(", "))];
        draft.put(planned)
    }

    fn new_record(&self, draft: &Draft) -> Record {
        let mut record = self.record.cloned().unwrap_or_default();
        env!("CARGO_PKG_VERSION").clone_into(&mut record.holdpoint);
        record.programs.retain(|program| program != self.program);
        record.programs.push(self.program.to_path_buf());
        record.choices = self.choices.clone();
        record.made_ignore |= !self.had_ignore;
        for folder in apply::folders_to_make(self.place, draft) {
            if !record.folders.contains(&folder) {
                record.folders.push(folder);
            }
        }
        for planned in &draft.files {
            let shown = self.place.shown(&planned.path);
            let old = record.file(&shown).cloned();
            record.files.retain(|kept| kept.path != shown);
            record.files.extend(kept(self.place, &shown, planned, old));
        }
        record
    }
}

/// What is kept about a file: what was there first, as long as nobody else has edited it since.
fn kept(place: &Place, shown: &str, planned: &Planned, old: Option<Kept>) -> Option<Kept> {
    let after = planned.after.as_ref()?;
    if !planned.is_change() && old.is_none() {
        return None;
    }
    let name =
        format!("{}-{}", digest(shown), planned.path.file_name().unwrap_or_default().to_string_lossy());
    let before = match (&old, &planned.before) {
        (Some(old), there) if is_untouched(place, old, there.as_deref()) => old.before.clone(),
        (Some(Kept { before: Before::Nothing, .. }), _) | (_, None) => Before::Nothing,
        (None, Some(_)) => Before::File(name),
        (Some(_), Some(_)) => Before::Edited(name),
    };
    let mut made = old.map(|old| old.made).unwrap_or_default();
    made.extend(planned.made.iter().filter(|path| !made.contains(path)).cloned().collect::<Vec<_>>());
    let (agent, path) = (planned.agent.clone(), shown.to_owned());
    Some(Kept { path, agent, part: planned.part, before, left: digest(after), made })
}

/// Whether a file is as we left it, or as it was before us: then a process was killed before it wrote.
fn is_untouched(place: &Place, kept: &Kept, there: Option<&str>) -> bool {
    let is_original = |name: &str| backup(place, name).is_ok_and(|copy| copy.as_deref() == there);
    there.map(digest).as_ref() == Some(&kept.left)
        || matches!(&kept.before, Before::File(name) if there.is_some() && is_original(name))
}

fn unusable(path: &Path, why: SettingsError, host: &Host) -> CommandError {
    let error = NotEdited { path: path.to_path_buf(), why, purpose: Purpose::Install };
    CommandError::new(Kind::Files, error)
        .hinted(format!("fix it by hand, or leave {} out: name the others with `--agent`", host.title))
}

fn in_the_way(path: &Path) -> CommandError {
    CommandError::new(
        Kind::Files,
        format!("{} is there and is not ours; nothing was written", path.display()),
    )
    .hinted("move it away, or leave its workflow out: name the others with `--workflow`")
}
