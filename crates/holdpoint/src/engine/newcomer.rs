//! The journal's line about a session that was not seen before: who works where, and with which workflows.

use std::path::Path;

use holdpoint_core::workflow::parse::FILE;
use serde_json::{Map, Value as Json};

use super::session::Session;
use crate::allow::identity::Identity;
use crate::caller::version;
use crate::catalog::{self, Origin};
use crate::env_vars::USERS;
use crate::store::journal::{self, BegunSession, Entry, Kind};
use crate::store::registry::Registry;
use crate::store::{layout, seal, told};

/// The most that is read of git's file.
const BYTES_MAX: u64 = 4096;

/// Writes the line, once a session. Tool calls do not look whether it is there: sessions begin with other events.
pub(super) fn note(session: &Session<'_>) {
    let (run, event) = (session.run, session.event);
    let Some(id) = event.session.as_deref().filter(|_| !event.moment.has_tool()) else { return };
    let name = &run.workflow.name;
    let key = format!("session {} {name}", run.home.display());
    let is_first = if run.books.are_outside() {
        Registry::of(session.env.as_ref()).first_time(id, &key)
    } else {
        told::first_time(&run.books, id, &key)
    };
    if !is_first {
        return;
    }
    let entry = Entry {
        at: journal::now(),
        kind: Kind::Session,
        event: event.moment.name().to_owned(),
        agent: event.agent.clone(),
        session: event.session.clone(),
        workflow: Some(name.to_string()),
        run: Some(run.place_name()),
        began: Some(begun(session)),
        ..Entry::default()
    };
    let _ = journal::append(&run.books, &entry);
}

fn begun(session: &Session<'_>) -> BegunSession {
    let run = session.run;
    let identity = Identity::of(&run.home);
    let git = identity.as_ref().and_then(|identity| identity.git.as_deref());
    let is_linked = identity.as_ref().is_some_and(|identity| identity.worktree.is_some());
    let linked = git.filter(|_| is_linked).and_then(Path::file_name);
    let worktree = linked.map_or_else(|| "main".to_owned(), |name| name.to_string_lossy().into_owned());
    let digest = match &run.origin {
        Origin::BuiltIn => built_in(&run.workflow.name),
        own @ Origin::Own { .. } => seal::digest_of(own),
    };
    BegunSession {
        user: USERS.iter().find_map(|name| session.env.var(name)),
        version: version::of(session.env.as_ref(), session.transcript()),
        worktree: git.map(|_| worktree),
        branch: git.and_then(branch),
        workflows: Map::from_iter([(run.workflow.name.to_string(), Json::from(digest))]),
    }
}

/// A digest of a built-in workflow's file: that of the same file in a project's own folder.
fn built_in(name: &str) -> String {
    let built_in = catalog::built_in().iter().find(|built_in| built_in.workflow.name == name);
    let text = built_in.and_then(|built_in| built_in.files.iter().find(|(path, _)| *path == FILE));
    text.map(|(_, text)| layout::content_digest(text.as_bytes())).unwrap_or_default()
}

/// The branch that is checked out, by git's own file.
fn branch(git: &Path) -> Option<String> {
    let folder = crate::store::folder::Folder::project(git).ok()?;
    let bytes = folder.read(&git.join("HEAD"), BYTES_MAX).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    text.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}
