//! `[bench]`, and `prove` of a check or a reviewer, from TOML.

use std::borrow::Cow;

use toml::de::DeTable;

use super::super::bench::{Bench, Make, Prove, wrong_lend, wrong_name};
use super::super::table::{Reader, listed};
use super::super::{List, Text};
use super::Parser;

const BENCH_KEYS: [&str; 3] = ["own", "lend", "make"];
/// The key of `make` that is no folder: the file by which all of them are made.
const BY: &str = "by";

impl Parser<'_> {
    pub(super) fn bench(&mut self, top: &DeTable<'_>) -> Bench {
        let Some(table) = self.inner(top, "bench") else { return Bench::default() };
        self.reader.known_keys("[bench]", table, &BENCH_KEYS);
        Bench {
            own: self.bench_names(table, "own", wrong_name),
            lend: self.bench_names(table, "lend", wrong_lend),
            make: self.made(table),
        }
    }

    fn bench_names(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        wrong: fn(&str) -> Option<(String, String)>,
    ) -> List<Text> {
        let mut names = Vec::new();
        for (name, span) in self.reader.spanned_texts(table, key) {
            if let Some((message, hint)) = wrong(&name) {
                self.reader.error(span, message).hint = Some(hint);
            }
            names.push(Cow::Owned(name));
        }
        names.into()
    }

    fn made(&mut self, table: &DeTable<'_>) -> List<Make> {
        let Some(value) = Reader::get(table, "make") else { return List::default() };
        let Some(table) = self.reader.table("make", value) else { return List::default() };
        let by = self.reader.required("`make`", value.span(), table, BY);
        let mut made = Vec::new();
        for (name, command) in table.iter().filter(|(name, _)| name.get_ref() != BY) {
            if let Some((message, hint)) = wrong_name(name.get_ref()) {
                self.reader.error(name.span(), message).hint = Some(hint);
            }
            match command.get_ref().as_str() {
                Some(command) => made.push(Make {
                    name: Cow::Owned(name.get_ref().to_string()),
                    command: Cow::Owned(command.to_owned()),
                    by: by.clone(),
                }),
                None => {
                    self.reader.error(command.span(), "what makes a folder is a command, as one text").hint =
                        Some(format!("{} = \"npm ci --offline\"", name.get_ref()));
                }
            }
        }
        made.into()
    }

    /// `prove`; none: as is usual for the workflow.
    pub(super) fn prove(&mut self, table: &DeTable<'_>) -> Option<Prove> {
        let word = self.reader.text(table, "prove")?;
        let prove = Prove::of(&word);
        if prove.is_none() {
            let span = Reader::get(table, "prove").map_or(0..0, toml::Spanned::span);
            let names = Prove::ALL.map(|(name, _)| name);
            self.reader.error(span, format!("unknown prove `{word}`")).hint =
                Some(format!("it is one of {}", listed(&names)));
        }
        prove
    }
}
