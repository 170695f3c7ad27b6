//! Git's own hook before a push, for those who want it: it sees every push, whatever command makes it.

use std::path::Path;

use holdpoint_core::world::Answer;

use super::draft::{Draft, Planned};
use super::host::quoted;
use super::place::{Place, Scope};
use super::record::{Part, Record, digest};
use crate::error::{CommandError, Kind};
use crate::git;

/// Where git looks for it.
const FILE: &str = ".git/hooks/pre-push";

/// Plans the hook. A hook of the user's stays as it is: then nothing is planned at all.
pub(super) fn planned(
    place: &Place,
    program: &Path,
    record: Option<&Record>,
) -> Result<Planned, CommandError> {
    if place.scope == Scope::User {
        return Err(refused("git's hook is a project's own").hinted("leave out --user or --pre-push"));
    }
    if !place.root.join(".git").is_dir() {
        let what =
            format!("{} is not the main folder of a repository, which has git's hooks", place.root.display());
        return Err(refused(&what).hinted("run it there, or leave out --pre-push"));
    }
    if let Answer::Is(elsewhere) = git::hooks_path(&place.root.to_string_lossy()) {
        let what = format!(
            "git's hooks are in {elsewhere} here (core.hooksPath), which is not Holdpoint's to write"
        );
        return Err(refused(&what).hinted(format!("add this line to the pre-push there: {}", line(program))));
    }
    let path = place.root.join(FILE);
    let text = script(program);
    let mut planned = Draft::change(&path, "", Part::PrePush, Some(text.clone()))?;
    let kept = record.and_then(|record| record.file(&place.shown(&path)));
    let is_ours = |there: &String| *there == text || kept.is_some_and(|kept| digest(there) == kept.left);
    if planned.before.as_ref().is_some_and(|there| !is_ours(there)) {
        return Err(refused(&format!("{} is there and is not Holdpoint's", path.display()))
            .hinted(format!("add this line to it, or leave out --pre-push: {}", line(program))));
    }
    planned.changes = vec!["holds an agent's pushes that a rule of its run holds; yours are free".to_owned()];
    Ok(planned)
}

fn refused(why: &str) -> CommandError {
    CommandError::new(Kind::Files, format!("{why}; nothing was written"))
}

/// The call for a hook of the user's own.
fn line(program: &Path) -> String {
    format!("{} pre-push \"$@\" || exit 1", quoted(&program.to_string_lossy()))
}

fn script(program: &Path) -> String {
    let program = quoted(&program.to_string_lossy());
    format!(
        "#!/bin/sh\n\
         # Holdpoint: holds the pushes of an agent that a rule of its run holds, however they are made. Yours are free.\n\
         # `holdpoint uninstall` removes it.\n\
         if [ ! -x {program} ]; then\n\
         \techo 'holdpoint: the program is not where it was, so this push was not checked: holdpoint init --pre-push' >&2\n\
         \texit 0\n\
         fi\n\
         exec {program} pre-push \"$@\"\n"
    )
}
