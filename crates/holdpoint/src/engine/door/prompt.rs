//! The door in a prompt: `holdpoint release HOLD --reason …`, `holdpoint pause …`, `holdpoint resume`, as the user types
//! them into a session.

use std::path::Path;
use std::sync::Arc;

use holdpoint_core::door::{self, Word};
use holdpoint_core::workflow::approval::Channel;

use super::{Subject, USUAL_S, grant, named, subjects, tree};
use crate::engine::pause;
use crate::env::Env;
use crate::error::{CommandError, Kind, in_full};
use crate::project::{self, Found, Run};
use crate::user;

/// The commands that a prompt can give.
const RELEASE: &str = "release";
const PAUSE: &str = "pause";
const RESUME: &str = "resume";

/// Returns whether a word is a command of the door's.
pub(in crate::engine) fn is_one(word: &str) -> bool {
    [RELEASE, PAUSE, RESUME].contains(&word)
}

/// A command of the door's, as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct Wanted {
    command: String,
    hold: Option<String>,
    reason: Option<String>,
    seconds: Option<u32>,
    run: Option<String>,
    workflow: Option<String>,
    accepts: bool,
}

/// What a prompt is about, as it was when it was typed.
pub(in crate::engine) struct Meant {
    /// The workflow.
    pub(in crate::engine) workflow: String,
    /// The words, with the hold that is meant.
    pub(in crate::engine) words: Vec<String>,
    /// The tree that a release is for.
    pub(in crate::engine) tree: Option<String>,
    /// How the agent goes on.
    pub(in crate::engine) going_on: &'static str,
}

impl Wanted {
    /// Reads the words after `holdpoint`. The reason is all that follows it.
    pub(in crate::engine) fn read(words: &[String]) -> Result<Wanted, CommandError> {
        let mut words = words.iter();
        let command = words.next().cloned().unwrap_or_default();
        let usage = || usage(&command);
        let mut read = Wanted { command: command.clone(), ..Wanted::default() };
        let is_release = command == RELEASE;
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(usage);
            match word.as_str() {
                "--reason" if command != RESUME => {
                    read.reason = Some(words.by_ref().map(String::as_str).collect::<Vec<_>>().join(" "));
                }
                "--for" if command != RESUME => {
                    read.seconds = Some(door::seconds(&value()?).ok_or_else(usage)?);
                }
                "--run" if !is_release => read.run = Some(value()?),
                "--workflow" if !is_release => read.workflow = Some(value()?),
                "--accept" if command == RESUME => read.accepts = true,
                hold if is_release && read.hold.is_none() && !hold.starts_with('-') => {
                    read.hold = Some(hold.to_owned());
                }
                _ => return Err(usage()),
            }
        }
        let has_reason = read.reason.as_ref().is_some_and(|reason| !reason.trim().is_empty());
        if command == RESUME || has_reason { Ok(read) } else { Err(usage()) }
    }

    /// Finds out what it is about. None where no run is: there it is an ordinary prompt.
    pub(in crate::engine) fn meant(
        &self,
        words: &[String],
        cwd: &Path,
        env: &Arc<dyn Env>,
        session: Option<&str>,
    ) -> Result<Option<Meant>, CommandError> {
        let found = project::find(cwd, env, session, None);
        if found.runs.is_empty() {
            return Ok(None);
        }
        if self.command != RELEASE {
            let run = self.addressee(&found)?;
            let going_on = "what the user asks for next";
            return Ok(Some(Meant {
                workflow: run.workflow.name.to_string(),
                words: words.to_vec(),
                tree: None,
                going_on,
            }));
        }
        let subject = self.subject(cwd, env, session)?;
        let mut words = words.to_vec();
        // The id, whatever is held until it is confirmed.
        let id = subject.held.hold.clone();
        match self.hold.as_ref().and_then(|hold| words.iter().position(|word| word == hold)) {
            Some(at) => words[at] = id,
            None => words.insert(1, id),
        }
        let tree = tree(&subject.run, env.as_ref()).map_err(|why| no_tree(&why))?;
        let going_on = "try again what was held, as it was";
        Ok(Some(Meant { workflow: subject.run.workflow.name.to_string(), words, tree, going_on }))
    }

    fn subject(
        &self,
        cwd: &Path,
        env: &Arc<dyn Env>,
        session: Option<&str>,
    ) -> Result<Subject, CommandError> {
        let found = project::find(cwd, env, session, None);
        let mut all = subjects(&found);
        if let Some(hold) = &self.hold {
            return named(all, hold).ok_or_else(|| unknown(hold));
        }
        match all.len() {
            0 => Err(nothing()),
            1 => Ok(all.remove(0)),
            _ => Err(CommandError::new(Kind::Usage, "several holds can be released here").hinted(format!(
                "name one: {}",
                all.iter().map(|subject| subject.held.hold.as_str()).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// The run that a pause or its end is about.
    fn addressee(&self, found: &Found) -> Result<Run, CommandError> {
        let (workflow, name) = (self.workflow.as_deref(), self.run.as_deref());
        let find = if self.command == RESUME { pause::paused } else { pause::addressee };
        find(found, workflow, name)
    }

    /// Does it. Returns the workflow, and what is said about it.
    pub(in crate::engine) fn perform(
        &self,
        cwd: &Path,
        env: &Arc<dyn Env>,
        session: Option<&str>,
        tree: Option<String>,
    ) -> Result<(String, String), CommandError> {
        let reason = self.reason.clone().unwrap_or_default().trim().to_owned();
        let word = Word { by: user::name(), through: Channel::Prompt, reason };
        if self.command == RELEASE {
            let subject = self.subject(cwd, env, session)?;
            let grant = grant(&subject, tree, word, self.seconds.unwrap_or(USUAL_S), env.as_ref())?;
            let text = format!(
                "{} may pass once, until {}: {}",
                subject.held.rule,
                super::clock(&grant.until),
                subject.what
            );
            return Ok((subject.run.workflow.name.to_string(), text));
        }
        let run = self.addressee(&project::find(cwd, env, session, None))?;
        let text = if self.command == PAUSE {
            pause::begin(&run, word, self.seconds, env)?;
            format!("Nothing of it holds until you resume it: {}", pause::way_on(&run))
        } else {
            pause::end(&run, &word, self.accepts, env)?;
            "It holds again.".to_owned()
        };
        Ok((run.workflow.name.to_string(), text))
    }
}

fn usage(command: &str) -> CommandError {
    let form = match command {
        RELEASE => "holdpoint release HOLD --for 10m --reason WHY",
        PAUSE => "holdpoint pause --for 1h --reason WHY",
        _ => "holdpoint resume",
    };
    CommandError::new(Kind::Usage, format!("in a prompt it is typed as `{form}`"))
        .hinted("the reason comes last, and only `--for` can be left out")
}

fn unknown(hold: &str) -> CommandError {
    CommandError::new(Kind::Failed, format!("no hold {hold:?} can be released here"))
        .hinted("`holdpoint release` in a terminal of your own shows the newest")
}

fn nothing() -> CommandError {
    CommandError::new(Kind::Failed, "nothing was held here in the last day that could be released")
        .hinted("see `holdpoint log --holds`")
}

fn no_tree(why: &(dyn std::error::Error + 'static)) -> CommandError {
    let what =
        format!("nothing was released: it is bound to the files, and they cannot be told: {}", in_full(why));
    CommandError::new(Kind::Files, what).hinted("see `git status`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Wanted, CommandError> {
        Wanted::read(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_prompt_says_what_is_meant_for_how_long_and_why() {
        let wanted = read("release h12 --for 5m --reason only the docs --for now").unwrap();
        assert_eq!((wanted.hold.as_deref(), wanted.seconds), (Some("h12"), Some(300)));
        assert_eq!(wanted.reason.as_deref(), Some("only the docs --for now"));
        assert_eq!(read("release --reason why").unwrap().hold, None);
        let wanted = read("pause --workflow flow --run one --for 1h --reason lunch").unwrap();
        assert_eq!((wanted.workflow.as_deref(), wanted.run.as_deref()), (Some("flow"), Some("one")));
        assert!(read("resume --accept").unwrap().accepts && !read("resume").unwrap().accepts);
        for bad in [
            "release",
            "release h1",
            "release h1 --reason",
            "release h1 h2 --reason why",
            "release --for long --reason why",
            "release --run one --reason why",
            "pause",
            "pause --for 31d --reason why",
            "pause one --reason why",
            "resume --reason why",
            "resume now",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
