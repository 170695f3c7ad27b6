//! Checks what hooks and workflows depend on: programs, writable folders, valid workflows.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::finding::Finding;
use crate::allow::survey::Survey;
use crate::allow::{Allowance, waiting};
use crate::cli::Context;
use crate::confinement::sandbox;
use crate::env_vars::{HOME, PATH, SHELL};
use crate::install::host::quoted;
use crate::pinned;
use crate::program::{self, Channels, How};
use crate::project::{self, Found};
use crate::store::layout;
use crate::store::state_folder::{StateFolder, StateFolderError};
use crate::{reviewer, world};

/// The longest time that a shell may take to start.
const SHELL_DEADLINE: Duration = Duration::from_secs(10);

/// Checks for git, which rules about branches and commits need.
pub(super) fn git(context: &Context, findings: &mut Vec<Finding>) {
    if program::on_path("git", context.env.as_ref()).is_none() {
        findings.push(Finding::wrong(
            "git is not on PATH, so rules about branches and commits do not work",
            "install git with your system's package manager, for example: sudo apt install git",
        ));
    }
}

/// Checks that the programs of reviewers and checks are those that were pinned, and notes where this shell has others.
pub(super) fn programs(context: &Context, root: &Path, findings: &mut Vec<Finding>) {
    let changes = pinned::changes(root, context.env.as_ref());
    for changed in changes.programs {
        let what = match changed.is {
            Some(file) if file == changed.was => format!(
                "`{}` is another file than on {}, so nothing is performed with it: {}",
                changed.name,
                pinned::day(changed.at),
                file.display()
            ),
            Some(file) => format!(
                "`{}` is {} here, and checks and reviews are performed with {}",
                changed.name,
                file.display(),
                changed.was.display()
            ),
            None => format!("`{}` is not there any more: {}", changed.name, changed.was.display()),
        };
        findings.push(Finding::note(what, "if you changed that, type in a terminal: holdpoint allow"));
    }
    for (name, ..) in changes.variables {
        let what = format!("{name} is another one in this shell than the one that checks and reviews get");
        findings.push(Finding::note(what, "to see both, and to take this one: holdpoint allow"));
    }
}

/// Notes where programs of reviewers and checks can write wherever the user can.
pub(super) fn confinement(findings: &mut Vec<Finding>) {
    if !sandbox::can_confine() {
        findings.push(Finding::note(
            "reviewers and checks are not confined here: they can write wherever you can",
            "use Linux 5.19 or later with Landlock enabled, or a container, for work that you do not trust",
        ));
    }
}

/// Where the system says who may trace whom.
const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

/// Notes where a program may trace others of the same user: an agent's could have its client say what it likes.
pub(super) fn tracing(findings: &mut Vec<Finding>) {
    if !cfg!(target_os = "linux") {
        return;
    }
    findings.extend(traced(std::fs::read_to_string(PTRACE_SCOPE).ok().as_deref()));
}

fn traced(scope: Option<&str>) -> Option<Finding> {
    let meaning = "so an agent could trace its client and have it call the hooks as it likes: what is performed is `kept` or \
                   `fenced` against every agent but one that does this";
    match scope.map(str::trim) {
        None => Some(Finding::note(
            format!("any program of yours may trace any other here (the kernel has no Yama), {meaning}"),
            "start a kernel with Yama (lsm=…,yama), or verify what counts elsewhere: holdpoint verify --again",
        )),
        Some("0") => Some(Finding::note(
            format!(
                "any program of yours may trace any other here (kernel.yama.ptrace_scope is 0), {meaning}"
            ),
            "sudo sysctl kernel.yama.ptrace_scope=1",
        )),
        Some(_) => None,
    }
}

/// Checks the folders that Holdpoint writes state and journal to.
pub(super) fn folders(root: &Path, found: &Found, findings: &mut Vec<Finding>) {
    let mut folders: Vec<PathBuf> = found.runs.iter().map(|run| run.home.clone()).collect();
    folders.extend([root.to_path_buf()]);
    folders.dedup();
    for folder in folders {
        let ours = layout::folder(&folder);
        let place = if ours.is_dir() { ours } else { folder };
        let is_closed = place.metadata().is_ok_and(|metadata| metadata.permissions().readonly());
        if is_closed || !world::can_make_file_in(&place) {
            findings.push(Finding::wrong(
                format!(
                    "{} is not writable, so Holdpoint cannot keep state or a journal there",
                    place.display()
                ),
                format!("chmod u+w {}", quoted(&place.to_string_lossy())),
            ));
        }
    }
}

/// Checks the folder that records what the user has allowed.
pub(super) fn state_folder(context: &Context, findings: &mut Vec<Finding>) {
    let problem = match StateFolder::of(context.env.as_ref()) {
        Err(error) => Some(error.to_string()),
        Ok(folder) => {
            let there = folder.root().ancestors().find(|folder| folder.symlink_metadata().is_ok());
            let is_usable = there.is_some_and(world::can_make_file_in);
            (!is_usable).then(|| format!("the state folder {} is not writable", folder.root().display()))
        }
    };
    if let Some(problem) = problem {
        let what = format!(
            "{problem}, so nothing that you allow is recorded, and the books are kept in the project, where agents can \
             write: what is proved has no level"
        );
        findings.push(Finding::wrong(what, StateFolderError::HINT));
    }
}

/// Reports workflows and settings that cannot be used.
pub(super) fn workflows(context: &Context, found: &Found, findings: &mut Vec<Finding>) {
    if let Some(path) = project::anothers(&context.cwd) {
        let what =
            format!("{} belongs to another user, or its folder does, so it does not count", path.display());
        findings.push(Finding::note(what, "run the agent as the user who owns it, or make it yours"));
    }
    for own in &found.configuration.own {
        if let Err(unusable) = own.load(context.env.as_ref()) {
            findings.push(Finding::wrong(unusable.in_words(), format!("holdpoint check {}", own.name)));
        }
    }
    if let Some(first) = found.waiting.first() {
        let what = waiting::summary(&found.waiting);
        findings.push(Finding::wrong(what, waiting::remedy(&found.waiting, first.folder())));
    }
    if found.configuration.content.is_none() {
        let survey = Survey::of(&context.cwd, &Allowance::of(context.env.as_ref()));
        let ignored = survey.map(|survey| survey.content.ignored).unwrap_or_default();
        let finding = |path: &PathBuf| Finding::note(project::ignored(path), "put a copy in its place");
        findings.extend(ignored.iter().map(finding));
    }
    findings.extend(found.problems.iter().map(|problem| Finding::wrong(problem, "holdpoint check")));
}

/// Checks the `holdpoint` that agents find when they run a command from a workflow's text.
pub(super) fn on_path(
    context: &Context,
    version: Option<&str>,
    uses_login_shell: bool,
    findings: &mut Vec<Finding>,
) {
    let Ok(own) = std::env::current_exe() else { return };
    let path = context.env.var(PATH).unwrap_or_default();
    match program::on_path("holdpoint", context.env.as_ref()) {
        None => findings.push(Finding::wrong(
            "`holdpoint` is not on PATH, so the commands that workflows tell agents to run do not work",
            link(&own, &path, context),
        )),
        Some(there) => other_version(context, &there, &own, version, findings),
    }
    if !uses_login_shell {
        return;
    }
    let Some(login) = login_path(context) else { return };
    if !std::env::split_paths(&login).any(|folder| world::is_program(&folder.join("holdpoint"))) {
        findings.push(Finding::wrong(
            "Codex runs commands in a login shell, which does not find `holdpoint`: the shell's profile resets PATH",
            link(&own, &login, context),
        ));
    }
}

fn other_version(
    context: &Context,
    there: &Path,
    own: &Path,
    version: Option<&str>,
    findings: &mut Vec<Finding>,
) {
    let is_same = there.canonicalize().ok() == own.canonicalize().ok();
    let theirs = if is_same { None } else { version_of(there, &context.cwd) };
    if !is_same && theirs.as_deref() != version {
        findings.push(Finding::wrong(
            format!(
                "the `holdpoint` on PATH, {}, is {}, but this is {}",
                there.display(),
                theirs.as_deref().unwrap_or("broken"),
                version.unwrap_or("another version")
            ),
            format!("ln -sf {} {}", quoted(&own.to_string_lossy()), quoted(&there.to_string_lossy())),
        ));
    }
}

/// Returns the version that a program prints.
pub(super) fn version_of(program: &Path, cwd: &Path) -> Option<String> {
    reviewer::first_line(&[program.to_str()?, "--version"], cwd)
}

/// Returns PATH in a login shell.
pub(in crate::cli) fn login_path(context: &Context) -> Option<String> {
    let shell = context.env.var(SHELL).unwrap_or_else(|| "sh".to_owned());
    let mut command = Command::new(shell);
    command.args(["-lc", "printf '\\n%s\\n' \"$PATH\""]).current_dir(&context.cwd).stderr(Stdio::null());
    let ended = program::run(&mut command, None, SHELL_DEADLINE, Channels::Output).ok()?;
    let is_well = matches!(ended.how, How::Exit(status) if status.success());
    let text = String::from_utf8_lossy(&ended.output).into_owned();
    text.lines().last().filter(|_| is_well).map(str::to_owned)
}

/// Returns the command that puts the program on a PATH: a link in a writable folder of it, or a line in the profile.
fn link(own: &Path, path: &str, context: &Context) -> String {
    let own = own.to_string_lossy();
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute() && folder.is_dir());
    let usable = folders.filter(|folder| world::can_make_file_in(folder));
    if let Some(folder) = usable.min_by_key(|folder| !is_for_own_programs(folder)) {
        return format!("ln -sf {} {}", quoted(&own), quoted(&folder.join("holdpoint").to_string_lossy()));
    }
    let folder = Path::new(&*own).parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
    let home = context.env.var(HOME).unwrap_or_else(|| "~".to_owned());
    format!("echo 'export PATH=\"{folder}:$PATH\"' >> {home}/.profile")
}

fn is_for_own_programs(folder: &Path) -> bool {
    [".local/bin", ".cargo/bin", "local/bin"].iter().any(|end| folder.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracing_is_told_where_it_is_free() {
        let told = |scope: Option<&str>| traced(scope).map(|finding| (finding.what, finding.remedy));
        assert!(told(Some("1\n")).is_none() && told(Some("2\n")).is_none());
        let (what, remedy) = told(Some("0\n")).unwrap();
        assert!(what.contains("ptrace_scope is 0") && what.contains("`kept`"), "{what}");
        assert_eq!(remedy, "sudo sysctl kernel.yama.ptrace_scope=1");
        assert!(told(None).unwrap().0.contains("no Yama"));
    }
}
