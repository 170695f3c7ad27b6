//! `[permit]` and the keys of phases that say what the agent may do there, from TOML. Each becomes a hold, so that the
//! engine has one notion of blocking, and `why` one way to tell.

use std::borrow::Cow;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::super::phase::{Actor, Phase};
use super::super::step::{Delivery, Step};
use super::super::table::{CLOSE_IT, Language, Reader, Spanned, one_or_many};
use super::super::{Bound, On, Rule, Say, Text, ToolMatch};
use super::{Parser, Target};
use crate::event::Moment;
use crate::tool::ToolKind;

/// The keys of a permit.
pub(super) const KEYS: [&str; 6] = ["edits", "never", "commits", "pushes", "delegates", "runs"];
/// The permit of phases that name none.
const DEFAULT: &str = "default";

/// What a key of a permit comes to.
struct Held {
    /// None where no phase has it.
    rule: Option<Rule>,
    bound: Option<Bound>,
}

/// When a permit's key holds.
struct Condition {
    /// The condition, about the tool.
    when: String,
    /// The same about `files` that were changed, if it is about files.
    offends: Option<String>,
    /// What is said where the workflow has no text of its own.
    usual: String,
}

impl Condition {
    /// A condition on the files of a tool, or on those that were changed.
    fn on_files(only_if: Option<&Text>, filter: &str, usual: String) -> Condition {
        let of = |files: &str| match only_if {
            Some(when) => format!("({when}) and ({files} | {filter})"),
            None => format!("({files} | {filter})"),
        };
        Condition { when: of("tool.files"), offends: Some(of("files")), usual }
    }

    fn on_tool(when: String, usual: String) -> Condition {
        Condition { when, offends: None, usual }
    }
}

/// A permit's key as some phases have it.
struct Entry<'a, 'i> {
    /// Where it is written: `permit.default`, `phases.red`.
    source: String,
    key: &'static str,
    value: &'a Spanned<'i>,
    phases: Vec<String>,
}

impl Entry<'_, '_> {
    fn is_default(&self) -> bool {
        self.source.strip_prefix("permit.") == Some(DEFAULT)
    }
}

impl Parser<'_> {
    /// The holds that the permits of a workflow's phases amount to, and what was edited anyway is held against.
    pub(super) fn permits(&mut self, top: &DeTable<'_>, phases: &[Phase]) -> (Vec<Rule>, Vec<Bound>) {
        let permits = self.inner(top, "permit");
        for (name, value) in permits.into_iter().flatten() {
            if let Some(table) = self.reader.table(name.get_ref(), value) {
                self.reader.known_keys(&format!("[permit.{}]", name.get_ref()), table, &KEYS);
            }
        }
        let Some(tables) = self.inner(top, "phases") else { return Default::default() };
        let mut entries: Vec<Entry<'_, '_>> = Vec::new();
        for phase in phases.iter().filter(|phase| phase.actor() != Actor::Nobody) {
            let table = |name: &str| Reader::get(tables, name)?.get_ref().as_table();
            let Some(own) = table(&phase.name) else { continue };
            let like = Reader::get(own, "like").and_then(|name| name.get_ref().as_str());
            let like = like.and_then(|name| Some((name, table(name)?)));
            let own = std::iter::once((phase.name.as_ref(), own)).chain(like).collect::<Vec<_>>();
            self.permits_of(&phase.name, &own, permits, &mut entries);
        }
        // What was edited is held against the default even where no phase has it for what is about to be edited.
        let default = permits.and_then(|permits| Reader::get(permits, DEFAULT)?.get_ref().as_table());
        for key in ["edits", "never"] {
            let is_there = entries.iter().any(|entry| entry.is_default() && entry.key == key);
            if let Some(value) = default.and_then(|table| Reader::get(table, key)).filter(|_| !is_there) {
                entries.push(Entry { source: format!("permit.{DEFAULT}"), key, value, phases: Vec::new() });
            }
        }
        let held: Vec<Held> = entries.into_iter().flat_map(|entry| self.holds_of(&entry)).collect();
        let (rules, bounds): (Vec<Option<Rule>>, Vec<Option<Bound>>) =
            held.into_iter().map(|held| (held.rule, held.bound)).unzip();
        (rules.into_iter().flatten().collect(), bounds.into_iter().flatten().collect())
    }

    fn permits_of<'a, 'i>(
        &mut self,
        phase: &str,
        own: &[(&str, &'a DeTable<'i>)],
        permits: Option<&'a DeTable<'i>>,
        entries: &mut Vec<Entry<'a, 'i>>,
    ) {
        let named = own.iter().find_map(|(_, table)| Reader::get(table, "permit"));
        let named = named.and_then(|value| Some((value.get_ref().as_str()?, value.span())));
        if let Some((name, span)) = &named
            && permits.and_then(|permits| Reader::get(permits, name)).is_none()
        {
            let there = permits.into_iter().flatten().map(|(name, _)| name.get_ref().as_ref());
            let near = crate::diagnostic::nearest(name, there);
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write it as [permit.{name}]"),
            };
            self.reader.error(span.clone(), format!("there is no permit `{name}`")).hint = Some(hint);
        }
        let table = |name: &str| Reader::get(permits?, name)?.get_ref().as_table();
        let named = named.and_then(|(name, _)| Some((format!("permit.{name}"), table(name)?)));
        let default = table(DEFAULT).map(|table| (format!("permit.{DEFAULT}"), table));
        for key in KEYS {
            let own = own.iter().map(|(name, table)| (format!("phases.{name}"), *table));
            let layers = own.chain(named.clone()).chain(default.clone());
            let found =
                layers.into_iter().find_map(|(source, table)| Some((source, Reader::get(table, key)?)));
            let Some((source, value)) = found else { continue };
            match entries.iter_mut().find(|entry| entry.source == source && entry.key == key) {
                Some(entry) => entry.phases.push(phase.to_owned()),
                None => entries.push(Entry { source, key, value, phases: vec![phase.to_owned()] }),
            }
        }
    }

    fn holds_of(&mut self, entry: &Entry<'_, '_>) -> Vec<Held> {
        match (entry.key, entry.value.get_ref()) {
            ("never", DeValue::Array(items))
                if items.iter().any(|item| item.get_ref().as_table().is_some()) =>
            {
                let mut holds = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    holds.extend(self.hold_of(entry, item, at + 1));
                }
                holds
            }
            ("never", DeValue::Array(items)) if items.is_empty() => Vec::new(),
            _ => self.hold_of(entry, entry.value, 0).into_iter().collect(),
        }
    }

    fn hold_of(&mut self, entry: &Entry<'_, '_>, value: &Spanned<'_>, at: usize) -> Option<Held> {
        let span = value.span();
        let table = value.get_ref().as_table();
        if let Some(table) = table {
            let keys: &[&str] = match entry.key {
                "edits" => &["only", "when", "name", "code", "say"],
                "never" => &["files", "when", "name", "code", "say"],
                "commits" | "pushes" => &["when", "name", "code", "say"],
                _ => &["never", "unless", "name", "code", "say"],
            };
            self.reader.known_keys(&format!("`{}`", entry.key), table, keys);
        }
        let Condition { when, offends, usual } = match entry.key {
            "edits" => self.edits(value, table)?,
            "never" => self.never(value, table)?,
            "commits" | "pushes" => self.unless_when(entry.key, value, table)?,
            "delegates" => self.delegates(value, table)?,
            _ => self.runs(value, table)?,
        };
        let phases: Vec<String> = entry.phases.iter().map(|phase| format!("'{phase}'")).collect();
        let when = format!("phase.name in [{}] and {when}", phases.join(", "));
        self.reader.piece(Language::Expression, &when, span.clone());
        let at = if at == 0 { String::new() } else { format!(".{at}") };
        let name = table.and_then(|table| self.reader.text(table, "name"));
        let bound = offends.map(|offends| Bound {
            phases: entry.phases.iter().map(|phase| Cow::Owned(phase.clone())).collect(),
            is_default: entry.is_default(),
            offends: offends.into(),
        });
        let rule = Rule {
            once: false,
            holds_on_fault: None,
            name: name.unwrap_or_else(|| format!("{}.{}{at}", entry.source, entry.key).into()),
            guard: None,
            code: table.and_then(|table| self.reader.text(table, "code")),
            on: vec![on(entry.key)].into(),
            each: None,
            step: Step {
                when: Some(when.into()),
                delivery: Delivery::Hold,
                say: self.permit_text(table, usual, &span),
                ..Step::default()
            },
            satisfied_by: None,
            line: self.line(span.start),
        };
        Some(Held { rule: (!entry.phases.is_empty()).then_some(rule), bound })
    }

    fn permit_text(&mut self, table: Option<&DeTable<'_>>, usual: String, span: &Range<usize>) -> Say {
        let own = table.filter(|table| Reader::get(table, "say").is_some());
        match own.and_then(|table| self.reader.text(table, "say")) {
            Some(text) => self.text_of(text, span.clone()),
            None => Say { file: Cow::Borrowed(""), template: usual.into() },
        }
    }

    /// `edits`: the only files that may be edited.
    fn edits(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>) -> Option<Condition> {
        let globs = self.globs(value, table, "only")?;
        let filter = format!("except({})", globs.arguments());
        let usual = format!(
            "Phase `{{{{ phase.name }}}}` does not let you edit {{{{ tool.files | {filter} | join(', ') }}}}. It permits {}.",
            globs.in_words()
        );
        Some(Condition::on_files(self.only_if(table).as_ref(), &filter, usual))
    }

    /// `never`: files that may not be edited.
    fn never(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>) -> Option<Condition> {
        let globs = self.globs(value, table, "files")?;
        let filter = format!("only({})", globs.arguments());
        let usual = format!(
            "Phase `{{{{ phase.name }}}}` does not let you edit {{{{ tool.files | {filter} | join(', ') }}}}."
        );
        Some(Condition::on_files(self.only_if(table).as_ref(), &filter, usual))
    }

    /// A condition under which files are looked at at all.
    fn only_if(&mut self, table: Option<&DeTable<'_>>) -> Option<Text> {
        table.and_then(|table| self.expression(table, "when"))
    }

    /// `commits` and `pushes`: whether, or when, one may be made.
    fn unless_when(
        &mut self,
        key: &str,
        value: &Spanned<'_>,
        table: Option<&DeTable<'_>>,
    ) -> Option<Condition> {
        let when = match (value.get_ref(), table) {
            (DeValue::Boolean(true), _) => return None,
            (DeValue::Boolean(false), _) => "false".to_owned(),
            (DeValue::String(when), _) => {
                self.reader.piece(Language::Expression, when, value.span());
                self.reader.last_is_condition();
                when.to_string()
            }
            (_, Some(table)) => self.expression(table, "when")?.into_owned(),
            _ => {
                self.reader.error(value.span(), format!("`{key}` is true, false, a condition or a table"));
                return None;
            }
        };
        let usual = match key {
            "commits" => {
                "No commit in phase `{{ phase.name }}` yet. End your turn, and do what you are asked then."
            }
            _ => {
                "Nothing is pushed in phase `{{ phase.name }}`: it could not be taken back. Go on without it; `git push` is \
                 for the user to type."
            }
        };
        Some(Condition::on_tool(format!("tool.{key} and not ({when})"), usual.to_owned()))
    }

    /// `delegates`: sub-agents that may not be called.
    fn delegates(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>) -> Option<Condition> {
        let names = self.names(value, table)?;
        let usual = "Phase `{{ phase.name }}` does not let you call the sub-agent {{ tool.agent }}.";
        let called = format!("((tool.agent or '') | split(':') | last) in {names}");
        Some(Condition::on_tool(self.unless(table, called), usual.to_owned()))
    }

    /// `runs`: commands that may not be run.
    fn runs(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>) -> Option<Condition> {
        let commands = self.names(value, table)?;
        let usual =
            format!("Phase `{{{{ phase.name }}}}` does not let you run: {{{{ {commands} | join(', ') }}}}.");
        Some(Condition::on_tool(self.unless(table, format!("tool.runs({commands})")), usual))
    }

    fn unless(&mut self, table: Option<&DeTable<'_>>, condition: String) -> String {
        match table.and_then(|table| self.expression(table, "unless")) {
            Some(unless) => format!("{condition} and not ({unless})"),
            None => condition,
        }
    }

    fn names(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>) -> Option<String> {
        let value = match table {
            Some(table) => Reader::get(table, "never")?,
            None => value,
        };
        let mut names = Vec::new();
        for item in one_or_many(value) {
            match item.get_ref().as_str() {
                Some(name) => names.push(quoted(name)),
                None => drop(self.reader.error(item.span(), "a list of texts is wanted here")),
            }
        }
        Some(format!("[{}]", names.join(", ")))
    }

    /// A list of globs: literals, `@name` of `[paths]`, `{{ … }}`, and `!glob` for what is left out.
    fn globs(&mut self, value: &Spanned<'_>, table: Option<&DeTable<'_>>, key: &str) -> Option<Globs> {
        let value = match table {
            Some(table) => Reader::get(table, key)?,
            None => value,
        };
        let Some(items) = value.get_ref().as_array() else {
            self.reader.error(value.span(), format!("`{key}` must be a list of files")).hint =
                Some("write [\"src/**\", \"@tests\"]".into());
            return None;
        };
        let mut globs = Globs::default();
        for item in items {
            match item.get_ref().as_str() {
                Some(text) => self.glob(text, item.span(), &mut globs),
                None => drop(self.reader.error(item.span(), "a file must be a text")),
            }
        }
        Some(globs)
    }

    fn glob(&mut self, text: &str, span: Range<usize>, globs: &mut Globs) {
        let (not, glob) = text.strip_prefix('!').map_or(("", text), |glob| ("!", glob));
        if let Some(name) = glob.strip_prefix('@') {
            self.used_names.push(name.to_owned());
            self.link(Target::Path, name, span);
            let named = self.paths.iter().filter(|(known, _)| known == name).flat_map(|(_, globs)| globs);
            globs.literals.extend(named.map(|glob| format!("{not}{glob}")));
        } else if let Some(inner) = glob.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
            self.reader.piece(Language::Expression, inner.trim(), span);
            globs.expressions.push(inner.trim().to_owned());
        } else {
            if let Some(why) = crate::filters::glob_fault(glob) {
                self.reader.error(span, format!("`{glob}` is not a glob: {why}")).hint =
                    Some(CLOSE_IT.into());
            }
            globs.literals.push(text.to_owned());
        }
    }
}

/// Globs, those that are written down and those that expressions give.
#[derive(Default)]
struct Globs {
    literals: Vec<String>,
    expressions: Vec<String>,
}

impl Globs {
    fn arguments(&self) -> String {
        let literals: Vec<Text> = self.literals.iter().map(|glob| quoted(glob)).collect();
        let first = format!("[{}]", literals.join(", "));
        std::iter::once(first).chain(self.expressions.iter().cloned()).collect::<Vec<_>>().join(", ")
    }

    fn in_words(&self) -> String {
        let named = self.expressions.iter().map(|expression| format!("what `{expression}` lists"));
        let all: Vec<String> = self.literals.iter().cloned().chain(named).collect();
        if all.is_empty() { "no file".to_owned() } else { all.join(", ") }
    }
}

fn on(key: &str) -> On {
    let kind = match key {
        "edits" | "never" => ToolKind::Edit,
        "delegates" => ToolKind::Delegation,
        _ => ToolKind::Shell,
    };
    On { moment: Moment::Before, tool: ToolMatch::Kind(kind) }
}

fn quoted(text: &str) -> Text {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")).into()
}
