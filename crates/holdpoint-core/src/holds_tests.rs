use super::*;

struct Run {
    holds: Holds,
    made: u32,
    call: &'static str,
}

/// What holds at an event: rule, text, and why not.
type Now<'a> = &'a [(&'a str, &'a str, Option<Cause>)];

impl Run {
    fn new() -> Run {
        Run { holds: Holds::default(), made: 0, call: "git commit" }
    }

    /// An event of a session; returns what was settled, as `id how`.
    fn event(&mut self, moment: Moment, session: &str, now: Now<'_>) -> Vec<String> {
        self.asked(moment, session, now, &|_| true)
    }

    fn asked(
        &mut self,
        moment: Moment,
        session: &str,
        now: Now<'_>,
        asks: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let now = now
            .iter()
            .map(|(rule, text, cause)| Holding {
                rule,
                text,
                digest: (*text).to_owned(),
                cause: *cause,
                has_moved: *cause == Some(Cause::RoundsUsed),
            })
            .collect();
        let judged = Judged { moment, session, call: self.call, at: "now", now, is_judged: true, asks };
        let made = &mut self.made;
        let (_, settled) = self.holds.judged(&judged, || {
            *made += 1;
            format!("h{made}")
        });
        settled.iter().map(|settled| format!("{} {:?}", settled.hold.id, settled.how)).collect()
    }

    fn open(&self) -> Vec<String> {
        self.holds.0.iter().map(|hold| format!("{} {} x{}", hold.id, hold.rule, hold.times)).collect()
    }
}

#[test]
fn a_stop_is_held_under_one_id_until_it_is_satisfied() {
    let mut run = Run::new();
    for _ in 0..3 {
        assert_eq!(run.event(Moment::Stop, "s", &[("note", "write", None)]), [""; 0]);
    }
    assert_eq!(run.open(), ["h1 note x3"]);
    assert_eq!(run.event(Moment::Before, "s", &[]), [""; 0]);
    assert_eq!(run.event(Moment::Stop, "other", &[]), ["h1 Satisfied"]);
    assert_eq!(run.open(), [""; 0]);
}

#[test]
fn another_text_is_another_hold() {
    let mut run = Run::new();
    run.event(Moment::Stop, "s", &[("review", "round 1", None)]);
    assert_eq!(run.event(Moment::Stop, "s", &[("review", "round 2", None)]), ["h1 Superseded"]);
    assert_eq!(run.open(), ["h2 review x1"]);
}

#[test]
fn a_release_leaves_it_open_and_holding_again_takes_the_cause_away() {
    let mut run = Run::new();
    let cause = Some(Cause::NoProgress);
    run.event(Moment::Stop, "s", &[("note", "write", None)]);
    run.event(Moment::Stop, "s", &[("note", "write", cause)]);
    run.event(Moment::Stop, "s", &[("note", "write", cause)]);
    assert_eq!((run.holds.0[0].cause, run.holds.0[0].releases), (cause, 1));
    run.event(Moment::Stop, "s", &[("note", "write", None)]);
    assert_eq!((run.holds.0[0].cause, run.holds.0[0].releases), (None, 1));
    run.event(Moment::Stop, "s", &[("note", "write", Some(Cause::Background))]);
    assert_eq!(run.holds.0[0].releases, 2, "it is told again");
    assert_eq!(run.event(Moment::Stop, "s", &[]), ["h1 Satisfied"]);
}

#[test]
fn the_same_text_under_another_name_is_the_same_hold() {
    let mut run = Run::new();
    run.event(Moment::Stop, "s", &[("review", "mend it", None)]);
    assert_eq!(run.event(Moment::Stop, "s", &[("mend", "mend it", None)]), [""; 0]);
    assert_eq!(run.open(), ["h1 mend x2"]);
}

#[test]
fn a_client_that_ended_a_held_turn_shows_at_the_next_prompt() {
    let mut run = Run::new();
    run.event(Moment::Stop, "s", &[("note", "write it\nand more", None)]);
    assert_eq!(run.event(Moment::Prompt, "s", &[("note", "write it", Some(Cause::Capped))]), [""; 0]);
    assert_eq!((run.holds.0[0].id.as_str(), run.holds.0[0].cause), ("h1", Some(Cause::Capped)));
    run.event(Moment::Stop, "s", &[("note", "write it\nand more", None)]);
    assert_eq!(run.holds.0[0].cause, None, "it is taken up again");
}

#[test]
fn what_a_run_has_moved_past_is_settled_at_once() {
    let mut run = Run::new();
    let settled = run.event(Moment::Stop, "s", &[("tests", "fix", Some(Cause::RoundsUsed))]);
    assert_eq!(settled, ["h1 Released"]);
    assert_eq!(run.open(), [""; 0]);
}

#[test]
fn a_call_is_settled_by_its_own_rule_and_session_or_with_the_turn() {
    let mut run = Run::new();
    run.event(Moment::Before, "s", &[("commit", "not on main", None)]);
    assert_eq!(run.asked(Moment::Before, "s", &[], &|_| false), [""; 0], "another tool");
    run.call = "ls";
    assert_eq!(run.event(Moment::Before, "s", &[]), [""; 0], "another call");
    run.call = "git commit";
    assert_eq!(run.event(Moment::Before, "other", &[]), [""; 0], "another session");
    assert_eq!(run.event(Moment::Stop, "s", &[("note", "write", None)]), [""; 0], "the turn goes on");
    assert_eq!(run.event(Moment::Prompt, "s", &[]), ["h1 Dropped"]);
    run.event(Moment::Before, "s", &[("commit", "not on main", None)]);
    assert_eq!(run.event(Moment::Before, "s", &[]), ["h3 Satisfied"]);
}

#[test]
fn an_event_that_nobody_judged_settles_nothing_and_their_number_is_bounded() {
    let mut run = Run::new();
    run.event(Moment::Stop, "s", &[("note", "write", None)]);
    let asks = |_: &str| true;
    let judged = Judged {
        moment: Moment::Stop,
        session: "s",
        call: "",
        at: "now",
        now: Vec::new(),
        is_judged: false,
        asks: &asks,
    };
    assert_eq!(run.holds.judged(&judged, String::new), (Vec::new(), Vec::new()));
    for number in 0..50 {
        let rule = format!("rule{number}");
        run.event(Moment::Before, &rule, &[(&rule, "no", None)]);
    }
    assert_eq!(run.holds.0.len(), KEPT_MAX);
    assert_eq!(run.holds.settle(How::Ended, |_| true).len(), KEPT_MAX);
}
