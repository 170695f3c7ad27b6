//! The journal's line about a session that was not seen before: who works where, and with which workflows.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::session::Session;
use crate::allow::identity::Identity;
use crate::catalog::Origin;
use crate::env_vars::USERS;
use crate::store::journal::{self, BegunSession, Entry, Kind};
use crate::store::registry::Registry;
use crate::store::{seal, told};

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
        Origin::BuiltIn => format!("built-in {}", env!("CARGO_PKG_VERSION")),
        own @ Origin::Own { .. } => seal::digest_of(own),
    };
    BegunSession {
        user: USERS.iter().find_map(|name| session.env.var(name)),
        version: None,
        worktree: git.map(|_| worktree),
        branch: git.and_then(branch),
        workflows: Map::from_iter([(run.workflow.name.to_string(), Json::from(digest))]),
    }
}

/// The branch that is checked out, by git's own file.
fn branch(git: &Path) -> Option<String> {
    let folder = crate::store::folder::Folder::project(git).ok()?;
    let bytes = folder.read(&git.join("HEAD"), BYTES_MAX).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    text.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}
