//! What a workflow has put back when a shell call has changed it. Nothing is lost by it: what was there is kept aside.

use std::path::Path;

use holdpoint_core::effects::{Effects, FileChange};
use holdpoint_core::workflow::step::Delivery;

use super::{Session, Sight, message, telling};
use crate::store::aside;
use crate::store::files;
use crate::store::watch::{Held, Note};
use crate::watch::settings::Standing;

/// Puts back what `restore` names and was changed, and says so.
pub(super) fn restore(session: &Session<'_>, note: &Note, now: &mut Sight, effects: &mut Effects) {
    // Where nothing may be written, what was done is only told.
    if !session.run.is_recorded {
        return;
    }
    let watch = &session.run.workflow.run.watch;
    let is_file = |path: &str| watch.restored_files().any(|file| file == path);
    // The user's own files are not written: what was done to them is told.
    let is_projects = |path: &str| !Path::new(path).is_absolute();
    let is_restored = |path: &str| is_projects(path) && (watch.restores_settings() || is_file(path));
    for (path, before) in note.look.files.iter().filter(|(path, _)| is_restored(path)) {
        let differs = now.files.get(path).is_some_and(|standing| standing.digest != before.digest);
        if !differs || (before.digest.is_some() && before.text.is_none()) {
            continue;
        }
        match put_back(session, path, before) {
            Ok(kept) => {
                now.files.insert(path.clone(), before.clone());
                let text = telling::restored(session, path, kept.as_deref(), &note.calls);
                let delivery = telling::to_agent(session);
                let held = Held { rule: "restore".to_owned(), ..Held::default() };
                effects.messages.push(message(delivery, &held, text.clone()));
                effects.messages.push(message(Delivery::Tell, &held, format!("holdpoint: {text}")));
            }
            Err(why) => effects.fault(format!("`{path}` could not be put back: {why}")),
        }
    }
}

/// Writes what was there, and returns where what is there now is kept.
fn put_back(session: &Session<'_>, path: &str, before: &Standing) -> Result<Option<String>, String> {
    let home = &session.run.home;
    let there = home.join(path);
    let mut kept = None;
    if there.symlink_metadata().is_ok() {
        let place = aside::set_aside(home, &there).map_err(|why| why.to_string())?;
        kept = Some(place.strip_prefix(home).unwrap_or(&place).display().to_string());
    }
    if let Some(text) = &before.text {
        let write = FileChange::Write { path: path.to_owned(), text: text.clone() };
        files::change(home, &[write]).map_err(|why| why.to_string())?;
    }
    Ok(kept)
}
