//! `now`: the time, and times that state files have as text.

use jiff::Timestamp;
use minijinja::value::Value;

/// `now.iso`, `now.exact`, `now.epoch`. The time is in milliseconds since 1970.
pub(super) fn now(millis: i64) -> Value {
    let epoch = millis.div_euclid(1_000);
    Value::from_pairs([
        ("iso", Value::from(iso(epoch))),
        ("exact", Value::from(exact(millis))),
        ("epoch", Value::from(epoch)),
    ])
}

/// A time with its milliseconds, as JavaScript writes it.
fn exact(millis: i64) -> String {
    Timestamp::from_millisecond(millis).map(|time| format!("{time:.3}")).unwrap_or_default()
}

/// A time that is written as text, in seconds since 1970 with their fraction. A day alone is its beginning in UTC.
#[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 are far below 2^53")]
pub(crate) fn instant(text: &str) -> Option<f64> {
    const MILLIS: f64 = 1_000.0;
    let text = text.trim();
    let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let time = text.parse::<Timestamp>().ok().or_else(|| day().map(|day| day.timestamp()))?;
    Some(time.as_millisecond() as f64 / MILLIS)
}

/// A time as state files write it, in UTC.
pub fn iso(epoch: i64) -> String {
    Timestamp::from_second(epoch).map(|time| time.to_string()).unwrap_or_default()
}

/// A time that a state file has as text.
pub fn epoch(iso: &str) -> Option<i64> {
    iso.trim().parse::<Timestamp>().ok().map(Timestamp::as_second)
}
