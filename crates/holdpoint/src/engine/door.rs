//! The door that the user opens on purpose: a hold that is released lets the call pass once. The grant is in the books,
//! bound to the rule, the call, what the hold says and the tree; whoever is held looks for one, and uses it up.

mod prompt;
mod subject;

use std::path::Path;

use holdpoint_core::digest::sha256;
use holdpoint_core::door::{Fit, Grant, Held, Word, normalised};
use holdpoint_core::effects::Message;
use holdpoint_core::event::{Event, Moment};
use holdpoint_core::release::{Cause, Released};
use holdpoint_core::verdict::Verdict;
use holdpoint_core::workflow::step::Delivery;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

pub(super) use self::prompt::{Wanted, is_one};
pub use self::subject::{Subject, named, subjects};
use super::report::Report;
use super::session::Session;
use super::{judge, pause, record, release};
use crate::env::Env;
use crate::error::{CommandError, Kind};
use crate::level;
use crate::project::{self, Run};
use crate::store::door::Door;
use crate::store::error::StoreError;
use crate::store::evidence::{self, Evidence};
use crate::store::journal::{self, Entry};
use crate::store::layout;
use crate::worktree::{self, TreeError};

/// How long a grant counts if nobody says otherwise, in seconds.
pub const USUAL_S: u32 = 10 * 60;
/// For how long a grant that nobody used is kept, so that its user can be told of it, in seconds.
const KEPT_S: i64 = 24 * 3600;
/// The word of a hold that was released, in the evidence.
const RELEASED: &str = "released";

/// Returns the digest of the call that an event is about: the same for the same call, and for no other that anybody could
/// make up. None if it is no call.
pub(super) fn call(event: &Event) -> Option<String> {
    event.tool.as_ref().map(|tool| sha256(format!("{}\0{}", event.cwd, normalised(tool)).as_bytes()))
}

/// Returns a time so many seconds from now, as the journal writes it.
pub(super) fn in_seconds(seconds: i64) -> String {
    let then = Timestamp::now().checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
    format!("{then:.3}")
}

/// Returns a time of the journal for people: of today only the time of day.
pub fn clock(at: &str) -> String {
    let (date, time) = (at.get(..10).unwrap_or(at), at.get(11..16).unwrap_or_default());
    if journal::now().starts_with(date) { format!("{time} UTC") } else { format!("{date} {time} UTC") }
}

/// Returns the files of a run's project as one id, without the run's own; none where there is no repository. They are what a
/// grant is bound to.
pub fn tree(run: &Run, env: &dyn Env) -> Result<Option<String>, TreeError> {
    let Some(root) = project::nearest(&run.home, ".git") else { return Ok(None) };
    let below = run.home.strip_prefix(&root).unwrap_or(Path::new("")).to_path_buf();
    let own = &run.workflow.run;
    let state = own.state.iter().map(|state| run.folder.join(state.as_ref()));
    let log = own.log.iter().map(|log| run.home.join(own.home.as_ref()).join(log.as_ref()));
    let written = state.chain(log).filter_map(|path| Some(path.strip_prefix(&root).ok()?.to_path_buf()));
    let aside = own.aside().into_iter().map(|glob| below.join(glob)).chain(written);
    let aside: Vec<String> = aside.map(|path| path.to_string_lossy().into_owned()).collect();
    match worktree::hash(&root, &aside, env) {
        Err(TreeError::NotARepository { .. }) => Ok(None),
        tree => tree.map(Some),
    }
}

/// Lets what is held pass once: the user's word, kept until it is used or its time is over.
pub fn grant(
    subject: &Subject,
    tree: Option<String>,
    word: Word,
    seconds: u32,
    env: &dyn Env,
) -> Result<Grant, CommandError> {
    let run = &subject.run;
    pause::refuse(run)?;
    let (at, until) = (journal::now(), in_seconds(i64::from(seconds)));
    let id = layout::digest(&[&at, &subject.held.hold, &format!("{:x}", env.random_u64())]);
    let grant = Grant { id, held: subject.held.clone(), tree, at, until, word, used: None };
    let place = run.place();
    let door = Door::of(&run.books, &run.workflow.name, &place);
    let old = in_seconds(-KEPT_S);
    let kept = door.change_grants(|grants| {
        grants.drop_before(&old);
        grants.add(grant.clone());
    });
    let unkept = |error: StoreError| {
        CommandError::new(Kind::Files, format!("nothing was released: it could not be kept: {error}"))
    };
    kept.map_err(unkept)?;
    record::granted(run, &grant);
    complete(run, env);
    Ok(grant)
}

/// What holds in a report, as grants know it.
fn held(session: &Session<'_>, report: &Report) -> Vec<(Held, Message)> {
    let call = call(session.event).unwrap_or_default();
    let holds = report.effects.delivered(Delivery::Hold).filter(|message| !report.gives_up(&message.name));
    let held = |message: &Message| Held {
        hold: String::new(),
        rule: message.name.clone(),
        event: session.event.moment.name().to_owned(),
        call: call.clone(),
        digest: sha256(message.text.as_bytes()),
    };
    holds.map(|message| (held(message), message.clone())).collect()
}

fn door_of<'a>(run: &'a Run, place: &'a Path) -> Door<'a> {
    Door::of(&run.books, &run.workflow.name, place)
}

/// Returns whether the user may have released all that holds here. Whoever holds nothing does not look.
pub(super) fn may_pass(session: &Session<'_>, report: &Report) -> bool {
    if !report.holds() {
        return false;
    }
    let place = session.run.place();
    let door = door_of(session.run, &place);
    if !door.has_grants() {
        return false;
    }
    let grants = door.grants();
    let held = held(session, report);
    !held.is_empty() && held.iter().all(|(held, _)| grants.has(held))
}

/// Returns whether the time of all that is needed here has come, and the files are those: else nothing is used of the grants
/// in other runs either.
pub(super) fn fits(session: &Session<'_>, report: &Report) -> bool {
    let (run, place, now) = (session.run, session.run.place(), journal::now());
    let Ok(tree) = tree(run, session.env.as_ref()) else { return false };
    let grants = door_of(run, &place).grants();
    let passes = |held: &Held| matches!(grants.fit(held, tree.as_deref(), &now), Fit::Passes(_));
    held(session, report).iter().all(|(held, _)| passes(held))
}

/// Lets what holds here pass, if the user has released all of it: uses the grants up, writes that down, and gives the holds
/// up. In this order: whoever is killed in between has let nothing pass twice.
pub(super) fn pass(session: &Session<'_>, report: &mut Report) {
    let (run, env) = (session.run, session.env.as_ref());
    complete(run, env);
    let now = journal::now();
    let tree = match tree(run, env) {
        Ok(tree) => tree,
        Err(why) => return report.effects.fault(format!("a release was not used: {why}")),
    };
    let held = held(session, report);
    let place = run.place();
    let used = door_of(run, &place).change_grants(|grants| {
        let misfit = held.iter().find_map(|(held, _)| match grants.fit(held, tree.as_deref(), &now) {
            Fit::Passes(_) | Fit::None => None,
            Fit::OtherTree(grant) => Some((Box::new(grant.clone()), "the files have changed since")),
            Fit::Expired(grant) => Some((Box::new(grant.clone()), "its time is over")),
        });
        if let Some(misfit) = misfit {
            return Err(Some(misfit));
        }
        let mut taken = grants.clone();
        let used: Vec<Grant> =
            held.iter().filter_map(|(held, _)| taken.take(held, tree.as_deref(), &now)).collect();
        // Another call was faster: what is held is held.
        if used.len() < held.len() {
            return Err(None);
        }
        *grants = taken;
        Ok(used)
    });
    match used {
        Ok(Ok(used)) => give_up(session, report, &held, used),
        Ok(Err(Some((grant, why)))) => {
            let text = unused(session, &grant, why);
            report.effects.messages.push(judge::of_books(Delivery::Tell, text));
        }
        Ok(Err(None)) => {}
        Err(why) => report.effects.fault(format!("a release was not used: {why}")),
    }
}

fn unused(session: &Session<'_>, grant: &Grant, why: &str) -> String {
    let rule = &grant.held.rule;
    format!(
        "holdpoint: {} holds this although you released {rule}: {why}. To let it pass once as it is now: holdpoint release \
         {rule}",
        session.run.workflow.name
    )
}

fn give_up(session: &Session<'_>, report: &mut Report, held: &[(Held, Message)], used: Vec<Grant>) {
    let (run, env) = (session.run, session.env.as_ref());
    let about = record::about(session.event).about;
    let kept = used.iter().try_for_each(|grant| keep(run, env, grant, about.as_deref()));
    if let Err(why) = kept {
        return report.effects.fault(format!("a release was not used: it could not be recorded: {why}"));
    }
    forget(run, &used);
    // A Stop is asked again at the next one; a call is over.
    let has_moved = session.event.moment != Moment::Stop;
    for (grant, (_, message)) in used.iter().zip(held) {
        session.pass(&message.name);
        let why = Some(grant.word.reason.clone());
        let released = Released::new(Cause::User, &message.name, &message.text);
        release::let_go(report, Released { why, has_moved, ..released });
    }
}

/// Writes down that a grant was used, as evidence: for good.
fn keep(run: &Run, env: &dyn Env, grant: &Grant, about: Option<&str>) -> Result<(), StoreError> {
    let verdict = Some(Verdict::Word(RELEASED.into()));
    let evidence = Evidence {
        at: grant.used.clone().unwrap_or_else(journal::now),
        workflow: run.workflow.name.to_string(),
        phase: grant.held.rule.clone(),
        verdict,
        tree: grant.tree.clone(),
        details: about.map(|about| json!({ "call": about })).unwrap_or_default(),
        level: level::of_this_process(&run.books, env),
        release: Some(grant.clone()),
        ..Evidence::default()
    };
    evidence::append(&run.books, &evidence)
}

/// Drops grants that were used and recorded.
fn forget(run: &Run, used: &[Grant]) {
    let place = run.place();
    let is_used = |grant: &Grant| used.iter().any(|used| used.id == grant.id);
    // What is left has no effect: it is used.
    let _ = door_of(run, &place).change_grants(|grants| grants.0.retain(|grant| !is_used(grant)));
}

/// Writes down what somebody used who was killed before that could be written.
pub fn complete(run: &Run, env: &dyn Env) {
    let place = run.place();
    let door = door_of(run, &place);
    let used: Vec<Grant> = door.grants().0.into_iter().filter(|grant| grant.used.is_some()).collect();
    if used.is_empty() {
        return;
    }
    let known = evidence::read(&run.books, &run.workflow.name);
    let is_known = |grant: &Grant| {
        known.iter().filter_map(|piece| piece.release.as_ref()).any(|known| known.id == grant.id)
    };
    let unknown = used.iter().filter(|grant| !is_known(grant));
    if unknown.map(|grant| keep(run, env, grant, None)).all(|kept| kept.is_ok()) {
        forget(run, &used);
    }
}

/// Returns the holds of a run that its user has released, oldest first.
pub fn released(run: &Run) -> Vec<Grant> {
    let pieces = evidence::read(&run.books, &run.workflow.name);
    pieces.into_iter().filter_map(|piece| piece.release).collect()
}

/// Returns the grants of a run that can still be used.
pub fn waiting(run: &Run) -> Vec<Grant> {
    let (place, now) = (run.place(), journal::now());
    let mut grants = door_of(run, &place).grants().0;
    grants.retain(|grant| grant.used.is_none() && now < grant.until);
    grants
}

/// Returns an entry of the journal about what the user has said of a run.
pub(super) fn entry(run: &Run) -> Entry {
    Entry {
        at: journal::now(),
        event: "command".to_owned(),
        agent: "shell".to_owned(),
        workflow: Some(run.workflow.name.to_string()),
        run: Some(run.place_name()),
        ..Entry::default()
    }
}
