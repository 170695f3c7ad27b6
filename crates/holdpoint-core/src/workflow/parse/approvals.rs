//! `[approvals]`, and the phases that ask for them, from TOML.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::DeTable;

use super::super::approval::{self, Approval, Channel, Of};
use super::super::phase::ApprovalPhase;
use super::super::table::{CLOSE_IT, Reader, Spanned};
use super::super::{List, Text};
use super::phases::Layers;
use super::{Parser, Target};
use crate::verdict::Verdict;

const APPROVAL_KEYS: [&str; 4] = ["who", "of", "through", "expires"];
/// What people can answer.
const VERDICTS: [Verdict; 3] = [Verdict::Pass, Verdict::Fail, Verdict::Stale];

impl Parser<'_> {
    pub(super) fn approvals(&mut self, top: &DeTable<'_>) -> List<Approval> {
        let Some(approvals) = self.inner(top, "approvals") else { return List::default() };
        let mut parsed = Vec::new();
        for (name, value) in approvals {
            self.approval_spans.push((name.get_ref().to_string(), name.span()));
            if !is_typed_easily(name.get_ref()) {
                self.reader.is_partial = true;
                let message = format!("`{}` cannot be an approval's name: it is typed", name.get_ref());
                self.reader.error(name.span(), message).hint =
                    Some("use letters, digits, `-` and `_`, and begin with a letter".into());
            }
            if let Some(table) = self.reader.table(name.get_ref(), value) {
                parsed.push(self.approval(name.get_ref(), table));
            }
        }
        parsed.into()
    }

    fn approval(&mut self, name: &str, table: &DeTable<'_>) -> Approval {
        self.reader.known_keys(&format!("[approvals] {name}"), table, &APPROVAL_KEYS);
        let name: Text = Cow::Owned(name.to_owned());
        Approval {
            who: self.reader.text(table, "who").unwrap_or_else(|| name.clone()),
            of: Reader::get(table, "of").map_or(Of::Tree, |value| self.of(value)),
            through: self.channels(table),
            expires_s: self.expires(table),
            name,
        }
    }

    /// `of`: the tree, the commit, or a list of files.
    fn of(&mut self, value: &Spanned<'_>) -> Of {
        if let Some(items) = value.get_ref().as_array().filter(|items| !items.is_empty()) {
            let mut globs = Vec::new();
            for item in items {
                match item.get_ref().as_str() {
                    Some(text) => globs.extend(self.approved_files(text, item.span())),
                    None => drop(self.reader.error(item.span(), "a file must be a text")),
                }
            }
            return Of::Paths(globs.into());
        }
        match value.get_ref().as_str() {
            Some("tree") => Of::Tree,
            Some("commit") => Of::Commit,
            word => {
                let hint = match word {
                    Some(word) if word.contains(['/', '.', '*', '@']) => format!("of = [\"{word}\"]"),
                    _ => "of = \"tree\", of = \"commit\", or of = [\"docs/**\"]".to_owned(),
                };
                let message = "`of` is \"tree\", \"commit\" or a list of files";
                self.reader.error(value.span(), message).hint = Some(hint);
                Of::Tree
            }
        }
    }

    /// The globs of one entry: itself, or those of `@name`.
    fn approved_files(&mut self, text: &str, span: Range<usize>) -> Vec<Text> {
        let (not, glob) = text.strip_prefix('!').map_or(("", text), |glob| ("!", glob));
        if let Some(name) = glob.strip_prefix('@') {
            self.used_names.push(name.to_owned());
            self.link(Target::Path, name, span);
            let named = self.paths.iter().filter(|(known, _)| known == name).flat_map(|(_, globs)| globs);
            return named.map(|glob| Cow::Owned(format!("{not}{glob}"))).collect();
        }
        if let Some(why) = crate::filters::glob_fault(glob) {
            self.reader.error(span, format!("`{glob}` is not a glob: {why}")).hint = Some(CLOSE_IT.into());
        }
        vec![Cow::Owned(text.to_owned())]
    }

    /// `through`: the ways in which it can be given; at a terminal, if nothing is said.
    fn channels(&mut self, table: &DeTable<'_>) -> List<Channel> {
        let mut channels = Vec::new();
        for (text, span) in self.reader.spanned_texts(table, "through") {
            match Channel::ALL.into_iter().find(|channel| channel.name() == text) {
                Some(channel) => channels.push(channel),
                None => {
                    let names = Channel::ALL.map(|channel| format!("\"{}\"", channel.name())).join(", ");
                    self.reader.error(span, format!("there is no channel `{text}`")).hint =
                        Some(format!("the channels are {names}: through = [\"terminal\"]"));
                }
            }
        }
        if channels.is_empty() {
            channels.push(Channel::default());
        }
        channels.into()
    }

    fn expires(&mut self, table: &DeTable<'_>) -> Option<u32> {
        let value = Reader::get(table, "expires")?;
        let seconds = value.get_ref().as_str().and_then(approval::seconds);
        if seconds.is_none() {
            self.reader.error(value.span(), "`expires` is a number and a unit: `m`, `h` or `d`").hint =
                Some("expires = \"30m\", expires = \"12h\", or expires = \"3d\"".into());
        }
        seconds
    }

    pub(super) fn approval_phase(
        &mut self,
        name: &str,
        span: &Range<usize>,
        layers: &Layers<'_, '_>,
    ) -> ApprovalPhase {
        let approvals = self.names_of(layers.holder("approvals"), "approvals", Target::Approval);
        if approvals.is_empty() {
            self.reader.is_partial = true;
            let at = layers.get("approvals").map_or_else(|| span.clone(), Spanned::span);
            self.reader.error(at, format!("phase `{name}` does not say which `approvals`")).hint =
                Some("name some of [approvals]: approvals = [\"NAME\"]".into());
        }
        self.no_fault_route(layers);
        ApprovalPhase {
            approvals,
            ask: self.layered_say(layers, "ask").unwrap_or_default(),
            routes: self.routes(name, span, layers, &VERDICTS, false),
        }
    }

    /// Complains about `then.fault`: people are asked by no program that could fail.
    fn no_fault_route(&mut self, layers: &Layers<'_, '_>) {
        let tables = layers.all("then").filter_map(|value| value.get_ref().as_table());
        let keys = tables.flat_map(|table| table.keys()).filter(|key| key.get_ref() == "fault");
        for key in keys {
            self.no_such_verdict("fault", key.span(), &VERDICTS);
        }
    }
}

/// Whether a name can be typed in any shell without quotes.
fn is_typed_easily(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
