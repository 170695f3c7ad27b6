//! Renders the journal's times, calls and texts for people.

use jiff::Timestamp;

use crate::store::journal::{Entry, Speech, Spoken};
use crate::ui;

/// Renders a time of the journal with its age: `2026-11-15 21:00:03 UTC, 3 minutes ago`.
pub(super) fn time_and_age(at: &str) -> String {
    match at.parse::<Timestamp>() {
        Ok(time) => format!("{} UTC, {}", time.strftime("%Y-%m-%d %H:%M:%S"), age(time, Timestamp::now())),
        Err(_) => format!("{} (not a time)", printable(at)),
    }
}

/// Renders how long a time of the journal is ago, in the largest unit: `41 s`.
pub(super) fn since(at: &str) -> String {
    let Ok(time) = at.parse::<Timestamp>() else { return "some time".to_owned() };
    let seconds = Timestamp::now().duration_since(time).as_secs().max(0);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

fn age(time: Timestamp, now: Timestamp) -> String {
    const UNITS: [(usize, &str); 3] = [(24 * 3600, "day"), (3600, "hour"), (60, "minute")];
    let seconds = usize::try_from(now.duration_since(time).as_secs()).unwrap_or(0);
    match UNITS.into_iter().find(|(length, _)| seconds >= *length) {
        Some((length, unit)) => format!("{} ago", counted(seconds / length, unit)),
        None => "just now".to_owned(),
    }
}

/// Renders a number with its noun: `1 file`, `2 files`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Renders the event of an entry: `before Bash: git commit`.
pub(super) fn call(entry: &Entry) -> String {
    let mut words = if entry.event.is_empty() { "no event".to_owned() } else { entry.event.clone() };
    if let Some(tool) = &entry.tool {
        words = format!("{words} {tool}");
    }
    if let Some(about) = &entry.about {
        words = format!("{words}: {about}");
    }
    printable(&words)
}

/// Renders a rule's name and code: `no-commit NC-001`.
pub(super) fn rule(spoken: &Spoken) -> String {
    match &spoken.code {
        Some(code) => printable(&format!("{} {code}", spoken.rule)),
        None => printable(&spoken.rule),
    }
}

/// Renders the rules of an entry, the first by name: `no-commit NC-001 and 1 more`.
pub(super) fn spoken(entry: &Entry) -> String {
    let held = entry.rules.iter().find(|spoken| spoken.kind == Speech::Hold);
    match (held.or(entry.rules.first()), entry.rules.len()) {
        (None, _) => String::new(),
        (Some(first), 1) => rule(first),
        (Some(first), n) => format!("{} and {} more", rule(first), n - 1),
    }
}

/// Renders a text in one line without control characters, so that an agent's text cannot control the terminal.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(ui::visible).collect()
}

/// Indents each line of a text by two, without control characters.
pub(super) fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("  {}", printable(line))).collect();
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_the_largest_unit() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        for (at, words) in [
            ("2026-11-15T12:00:01Z", "just now"),
            ("2026-11-15T11:59:01Z", "just now"),
            ("2026-11-15T11:59:00Z", "1 minute ago"),
            ("2026-11-15T09:59:00Z", "2 hours ago"),
            ("2026-11-12T09:59:00Z", "3 days ago"),
        ] {
            assert_eq!(age(at.parse().unwrap(), now), words, "{at}");
        }
    }

    #[test]
    fn escapes_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\r\n"), "a [31mb  ");
        assert_eq!(indented("one\n\n\ttwo\u{7}"), "  one\n\n   two");
    }
}
