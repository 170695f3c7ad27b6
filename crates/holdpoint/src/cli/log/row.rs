//! Prints one line per entry of the journal.

use jiff::Timestamp;

use crate::cli::history::{Fate, History};
use crate::cli::{Context, phrase};
use crate::store::journal::{Decision, Entry, Kind, Speech};
use crate::ui::{Style, Ui};

/// The printer of rows. It prints the date where it changes.
pub(super) struct Rows {
    ui: Ui,
    width: Option<usize>,
    date: String,
    /// Whether the user asked for faults. They then come before an entry's other texts.
    faults: bool,
    /// What became of the holds.
    pub(super) history: History,
}

impl Rows {
    /// Creates a printer that has printed nothing.
    pub(super) fn new(context: &Context, faults: bool) -> Rows {
        Rows {
            ui: context.ui,
            width: context.ui.is_terminal().then(|| context.ui.width()),
            date: String::new(),
            faults,
            history: History::default(),
        }
    }

    /// Prints an entry's row.
    pub(super) fn show(&mut self, entry: &Entry) {
        let (date, time) = match entry.at.parse::<Timestamp>() {
            Ok(at) => (at.strftime("%Y-%m-%d").to_string(), at.strftime("%H:%M:%S").to_string()),
            Err(_) => ("no date".to_owned(), "        ".to_owned()),
        };
        if date != self.date {
            self.ui.line(self.ui.paint(Style::Bold, &date));
            self.date = date;
        }
        let word = format!("{:<7}", word(entry));
        let used = time.len() + word.len() + 4;
        let rest = rest(entry, self.faults, self.fate(entry));
        let rest = cut(rest, self.width.map(|width| width.saturating_sub(used)));
        self.ui.record(format!(
            "{}  {}  {rest}",
            self.ui.paint(Style::Dim, time),
            painted(&self.ui, entry, &word)
        ));
    }
}

impl Rows {
    /// Returns what became of an entry's hold, if that is settled: one that is open stands below all entries.
    fn fate(&self, entry: &Entry) -> Option<&'static str> {
        let spoken = entry.rules.iter().find_map(|spoken| spoken.hold.as_deref());
        let fate =
            spoken.filter(|_| entry.decision == Decision::Hold).and_then(|id| self.history.fate(id))?;
        matches!(fate, Fate::Settled(_)).then(|| fate.name())
    }
}

fn painted(ui: &Ui, entry: &Entry, word: &str) -> String {
    match entry.decision {
        Decision::Hold | Decision::Fault => ui.paint(Style::Red, word),
        Decision::Witness => ui.paint(Style::Cyan, word),
        Decision::Release => ui.paint(Style::Yellow, word),
        Decision::None => ui.paint(Style::Dim, word),
    }
}

/// Returns the word of a line: what was decided, or what the line is about.
fn word(entry: &Entry) -> &'static str {
    match entry.kind {
        Kind::Event => entry.decision.name(),
        Kind::Began => "began",
        Kind::Ended => "ended",
        Kind::Settled => "settled",
        Kind::Session => "session",
        Kind::Granted => "granted",
        Kind::Paused => "paused",
        Kind::Resumed => "resumed",
    }
}

/// Renders the line of a review or check, of a settled hold, of the user's door or of a session. None for an event.
fn other(entry: &Entry) -> Option<String> {
    let workflow = entry.workflow.as_deref().map(phrase::printable).unwrap_or_default();
    if let Some(job) = &entry.job {
        let round = match job.limit {
            Some(limit) => format!("round {} of {limit}", job.round),
            None => format!("round {}", job.round),
        };
        let by = job.model.as_ref().unwrap_or(&job.program);
        let by = if by.is_empty() { String::new() } else { format!(", {}", phrase::printable(by)) };
        let verdict = job.verdict.as_ref().map(|verdict| format!(": {}", phrase::printable(verdict.word())));
        let why = job.why.as_ref().map(|why| format!(": no verdict: {}", phrase::printable(why)));
        let came = verdict.or(why).unwrap_or_default();
        let cost = job.cost_usd.map(|cost| format!(", {cost:.2} USD")).unwrap_or_default();
        return Some(format!("[{workflow}] {} {round}{by}{came}{cost}", phrase::printable(&job.phase)));
    }
    if let Some(settled) = &entry.settled {
        let (rule, how) = (phrase::printable(&settled.rule), settled.how.name());
        return Some(format!("[{workflow}] {rule} ({}): {how}", phrase::printable(&settled.hold)));
    }
    if let Some(door) = &entry.door {
        let rule = door.rule.as_deref().map(|rule| format!(" {rule}:")).unwrap_or_default();
        let until = door.until.as_deref().and_then(|until| until.get(11..19));
        let until = until.map(|until| format!(" until {until}")).unwrap_or_default();
        let word = door.word.as_ref();
        let said = match (entry.kind, word) {
            (Kind::Granted, Some(word)) => {
                format!(" may pass once{until}, released by the user: {}", word.reason)
            }
            (Kind::Paused, Some(word)) => format!(" paused by the user{until}: {}", word.reason),
            (_, Some(_)) if door.accepts => " by the user, who accepts what was done meanwhile".to_owned(),
            (_, Some(_)) => " by the user".to_owned(),
            (_, None) => " the time of the pause is over".to_owned(),
        };
        return Some(phrase::printable(&format!("[{workflow}]{rule}{said}")));
    }
    let session = entry.began.as_ref()?;
    let parts = [Some(entry.agent.clone()), session.user.clone(), session.branch.clone()];
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| phrase::printable(&part)).collect();
    Some(parts.join(", "))
}

/// Renders the event, the workflow and rule, what became of it, and the first line of the message or the fault.
fn rest(entry: &Entry, faults: bool, fate: Option<&str>) -> String {
    if let Some(other) = other(entry) {
        return other;
    }
    let mut parts = vec![phrase::call(entry)];
    let released = || entry.released.first().map(|released| phrase::printable(&released.rule));
    let spoken = Some(phrase::spoken(entry)).filter(|spoken| !spoken.is_empty()).or_else(released);
    let workflow = entry.workflow.as_deref().map(phrase::printable).unwrap_or_default();
    let who = [workflow, spoken.unwrap_or_default()];
    let who = who.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
    if !who.is_empty() {
        parts.push(format!("[{who}]"));
    }
    let speaker = entry.rules.iter().find(|spoken| spoken.kind == Speech::Hold).or(entry.rules.first());
    let (said, fault) = (speaker.map(|spoken| &spoken.text), entry.faults.first());
    let open = entry.released.first().map(|released| &released.open).filter(|open| !open.is_empty());
    let text = if faults { fault.or(said) } else { said.or(fault).or(open) };
    let cause = entry.cause.filter(|_| entry.decision == Decision::Release);
    let reason = entry.released.first().and_then(|released| released.reason.as_ref());
    let reason = reason.map(|reason| format!(": {}", phrase::printable(reason))).unwrap_or_default();
    parts.extend(cause.map(|cause| format!("({}{reason})", cause.reason())));
    parts.extend(fate.map(|fate| format!("({fate})")));
    parts.extend(text.and_then(|text| text.lines().next()).map(phrase::printable));
    parts.join("  ")
}

/// Cuts a text to a width, if there is one.
fn cut(text: String, width: Option<usize>) -> String {
    match width {
        Some(width) if text.chars().count() > width => {
            text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use holdpoint_core::verdict::Verdict;

    use super::*;
    use crate::store::journal::{Job, Spoken};

    #[test]
    fn a_row_says_what_who_and_why_in_one_line() {
        let spoken = |kind: Speech, rule: &str, text: &str| Spoken {
            kind,
            rule: rule.into(),
            text: text.into(),
            ..Spoken::default()
        };
        let entry = Entry {
            event: "before".into(),
            tool: Some("Bash".into()),
            about: Some("ls\u{1b}".into()),
            workflow: Some("myflow".into()),
            rules: vec![spoken(Speech::Witness, "look", "seen"), spoken(Speech::Hold, "stop", "no\nmore")],
            ..Entry::default()
        };
        assert_eq!(rest(&entry, false, None), "before Bash: ls   [myflow stop and 1 more]  no");
        let fault = Entry { faults: vec!["bad".into()], ..Entry::default() };
        assert_eq!(rest(&fault, false, None), "no event  bad");
        let both = Entry { faults: vec!["bad".into()], ..entry };
        assert_eq!(rest(&both, false, None), "before Bash: ls   [myflow stop and 1 more]  no");
        assert_eq!(rest(&both, true, None), "before Bash: ls   [myflow stop and 1 more]  bad");
        assert_eq!(
            rest(&both, true, Some("open")),
            "before Bash: ls   [myflow stop and 1 more]  (open)  bad"
        );
    }

    #[test]
    fn a_review_says_its_round_its_model_its_verdict_and_its_cost() {
        let job = Job {
            phase: "plan-review".into(),
            round: 2,
            limit: Some(8),
            model: Some("opus".into()),
            ..Job::default()
        };
        let entry = |job: Job| Entry { workflow: Some("x".into()), job: Some(job), ..Entry::default() };
        assert_eq!(rest(&entry(job.clone()), false, None), "[x] plan-review round 2 of 8, opus");
        let ended = Job { verdict: Some(Verdict::Pass), cost_usd: Some(0.12), ..job };
        assert_eq!(rest(&entry(ended), false, None), "[x] plan-review round 2 of 8, opus: pass, 0.12 USD");
    }

    #[test]
    fn a_row_is_cut_to_the_terminal() {
        assert_eq!(cut("äöü".into(), Some(3)), "äöü");
        assert_eq!(cut("äöüß".into(), Some(3)), "äö…");
        assert_eq!(cut("äöüß".into(), None), "äöüß");
    }
}
