//! `now`: the time, and times that state files have as text.

use jiff::Timestamp;
use minijinja::value::Value;

/// `now.iso`, `now.epoch`.
pub(super) fn now(epoch: i64) -> Value {
    Value::from_pairs([("iso", Value::from(iso(epoch))), ("epoch", Value::from(epoch))])
}

/// A time as state files write it, in UTC.
pub fn iso(epoch: i64) -> String {
    Timestamp::from_second(epoch).map(|time| time.to_string()).unwrap_or_default()
}

/// A time that a state file has as text.
pub fn epoch(iso: &str) -> Option<i64> {
    iso.trim().parse::<Timestamp>().ok().map(Timestamp::as_second)
}
