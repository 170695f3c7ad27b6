//! The commit that is checked out: what it is and what it changed, as git has it and not as anybody tells it.

use std::path::Path;

use holdpoint_core::world::Head;

use super::call::Call;
use super::repository::Repository;

/// The commit that is checked out at `root`; none if there is no commit yet.
pub fn head(root: &Path) -> Result<Option<Head>, String> {
    let repository = Repository::at(root)?;
    // Ids for an unborn branch are no error, anything else is: so they are asked for apart.
    let found = Call::new(&repository, "rev-parse", &["--verify", "--quiet", "HEAD^{commit}"]).done()?;
    match found.status.code() {
        Some(0) => read(&repository, String::from_utf8_lossy(&found.printed).trim()).map(Some),
        Some(1) => Ok(None),
        _ => Err(found.complaint()),
    }
}

fn read(repository: &Repository, id: &str) -> Result<Head, String> {
    let args = ["--max-count=1", "--format=%T%n%P%n%s", id];
    let printed = Call::new(repository, "rev-list", &args).printed()?;
    let text = String::from_utf8_lossy(&printed);
    // The first line names the commit.
    let mut lines = text.lines().skip(1).map(str::to_owned);
    let mut line = || lines.next().unwrap_or_default();
    let (tree, parents, subject) = (line(), line(), line());
    let parents: Vec<&str> = parents.split_whitespace().collect();
    let parent = parents.first().map(|parent| (*parent).to_owned());
    let paths = match &parent {
        Some(parent) => differing(repository, &[parent, id])?,
        None => differing(repository, &["--root", "--no-commit-id", id])?,
    };
    Ok(Head { id: id.to_owned(), parent, parents: parents.len(), tree, subject, paths })
}

/// The paths that `git diff-tree` names, sorted.
pub(super) fn differing(repository: &Repository, args: &[&str]) -> Result<Vec<String>, String> {
    let options = ["-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
    let printed = Call::new(repository, "diff-tree", &[&options, args].concat()).printed()?;
    let names = printed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut paths: Vec<String> = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    paths.sort_unstable();
    Ok(paths)
}
