//! `[bench]`, and `prove` of a check or a reviewer, from TOML. Settings have both, too.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::bench::{Bench, Make, Prove, wrong_lend, wrong_name};
use super::super::table::{Reader, listed};
use super::super::{List, Text};
use super::Parser;

/// The keys of `[bench]`.
pub(crate) const BENCH_KEYS: [&str; 3] = ["own", "lend", "make"];
/// The key of `make` that is no folder: the file by which all of them are made.
const BY: &str = "by";

impl Parser<'_> {
    pub(super) fn bench(&mut self, top: &DeTable<'_>) -> Bench {
        let Some(table) = self.inner(top, "bench") else { return Bench::default() };
        self.reader.known_keys("[bench]", table, &BENCH_KEYS);
        bench(&mut self.reader, table)
    }

    /// `prove`; none: as is usual for the workflow.
    pub(super) fn prove(&mut self, table: &DeTable<'_>) -> Option<Prove> {
        prove(&mut self.reader, table)
    }
}

/// Reads the folders of `[bench]`. What is wrong is left out.
pub(crate) fn bench(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Bench {
    Bench {
        own: names(reader, table, "own", wrong_name),
        lend: names(reader, table, "lend", wrong_lend),
        make: made(reader, table),
    }
}

fn names(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    wrong: fn(&str) -> Option<(String, String)>,
) -> List<Text> {
    let mut names = Vec::new();
    for (name, span) in reader.spanned_texts(table, key) {
        match wrong(&name) {
            Some((message, hint)) => reader.error(span, message).hint = Some(hint),
            None => names.push(Cow::Owned(name)),
        }
    }
    names.into()
}

fn made(reader: &mut Reader<'_>, table: &DeTable<'_>) -> List<Make> {
    let Some(value) = Reader::get(table, "make") else { return List::default() };
    let Some(table) = reader.table("make", value) else { return List::default() };
    let by = reader.required("`make`", value.span(), table, BY);
    let mut made = Vec::new();
    for (name, command) in table.iter().filter(|(name, _)| name.get_ref() != BY) {
        if let Some((message, hint)) = wrong_name(name.get_ref()) {
            reader.error(name.span(), message).hint = Some(hint);
            continue;
        }
        match command.get_ref().as_str() {
            Some(command) => made.push(Make {
                name: Cow::Owned(name.get_ref().to_string()),
                command: Cow::Owned(command.to_owned()),
                by: by.clone(),
            }),
            None => {
                reader.error(command.span(), "what makes a folder is a command, as one text").hint =
                    Some(format!("{} = \"npm ci --offline\"", name.get_ref()));
            }
        }
    }
    // Without the file nobody would know when to make them again.
    if by.is_empty() { List::default() } else { made.into() }
}

/// Reads `prove`.
pub(crate) fn prove(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Prove> {
    let word = reader.text(table, "prove")?;
    let prove = Prove::of(&word);
    if prove.is_none() {
        let span = Reader::get(table, "prove").map_or(0..0, toml::Spanned::span);
        let names = Prove::ALL.map(|(name, _)| name);
        reader.error(span, format!("unknown prove `{word}`")).hint =
            Some(format!("it is one of {}", listed(&names)));
    }
    prove
}
