//! What is looked at before and after each shell call of an agent, because a rule holds what such a call may do by any
//! spelling.

use super::step::Delivery;
use super::{List, Rule, Text, ToolMatch, Workflow};
use crate::event::Moment;
use crate::expression;
use crate::tool::ToolKind;

/// What a workflow has watched. By default nothing.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "bake", derive(databake::Bake), databake(path = holdpoint_core::workflow::watch))]
pub struct Watch {
    /// The rules that hold commits, by their place among the rules.
    pub commits: List<usize>,
    /// The rules that hold changes of files.
    pub files: List<usize>,
    /// The globs that all files which those rules can hold fit, where their conditions say so: others need not be looked at.
    pub within: Option<List<Text>>,
    /// Whether the agents' settings are watched: those of every workflow that holds anything are.
    pub settings: bool,
    /// `restore`: what is put back when a shell call has changed it.
    pub restore: List<Text>,
}

/// What `restore` calls the agents' settings.
pub const SETTINGS: &str = "settings";

impl Watch {
    /// Whether anything is watched.
    pub fn is_any(&self) -> bool {
        self.settings || !self.commits.is_empty() || !self.files.is_empty() || !self.restore.is_empty()
    }

    /// Whether the agents' settings are put back.
    pub fn restores_settings(&self) -> bool {
        self.restore.iter().any(|word| word == SETTINGS)
    }

    /// The files that are put back beside the settings.
    pub fn restored_files(&self) -> impl Iterator<Item = &str> {
        self.restore.iter().map(AsRef::as_ref).filter(|word| *word != SETTINGS)
    }
}

/// What a workflow has watched, by its rules; `restore` is as its file says.
pub(super) fn of(workflow: &Workflow, restore: List<Text>) -> Watch {
    let asking = |kind: ToolKind, wanted: &[&str]| -> List<usize> {
        let rules = workflow.rules.iter().enumerate();
        let asks = |rule: &Rule| holds(rule, kind) && asks(workflow, rule, wanted);
        rules.filter(|(_, rule)| asks(rule)).map(|(at, _)| at).collect()
    };
    let holds_anything =
        !workflow.phases.is_empty() || workflow.rules.iter().any(|rule| rule.step.delivery == Delivery::Hold);
    let files = asking(ToolKind::Edit, &["tool.files", "tool.paths"]);
    let within: Option<Vec<Vec<Text>>> =
        files.iter().map(|at| globs(workflow.rules[*at].step.when.as_deref()?)).collect();
    Watch {
        commits: asking(ToolKind::Shell, &["tool.commits", "tool.commits_to"]),
        within: within.map(|globs| globs.into_iter().flatten().collect()),
        files,
        settings: holds_anything,
        restore,
    }
}

/// Whether a rule holds calls of this kind of tool before they are made.
fn holds(rule: &Rule, kind: ToolKind) -> bool {
    let is_before = rule.on.iter().any(|on| {
        on.moment == Moment::Before && (on.tool == ToolMatch::Kind(kind) || on.tool == ToolMatch::Any)
    });
    is_before && rule.step.delivery == Delivery::Hold && rule.each.is_none()
}

/// Whether a rule's condition, or a name of `[let]` in it, reads one of these.
fn asks(workflow: &Workflow, rule: &Rule, wanted: &[&str]) -> bool {
    let mut open: Vec<&str> = rule.step.when.as_deref().into_iter().collect();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(source) = open.pop() {
        if seen.contains(&source) {
            continue;
        }
        seen.push(source);
        let spelt = |attribute: &&str| {
            let (noun, name) = attribute.split_once('.').unwrap_or((attribute, ""));
            source.contains(noun) && names_whole(source, name)
        };
        if wanted.iter().any(spelt) {
            return true;
        }
        let names = expression::names_in_expression(source).unwrap_or_default();
        open.extend(names.iter().filter_map(|used| workflow.expression(&used.name)).map(AsRef::as_ref));
    }
    false
}

/// The globs that a condition wants files to fit, if it plainly does: `tool.files | only([…])`, alone or with other
/// conditions that must be true as well.
fn globs(when: &str) -> Option<Vec<Text>> {
    let parts = unquoted(when)?;
    let words = |part: &'_ &str| {
        part.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect::<Vec<_>>()
    };
    let is_plain = |word: &str| !parts.iter().flat_map(words).any(|it| it == word);
    let is_whole = |part: &&str| part.matches('(').count() == part.matches(')').count();
    if !["or", "if", "else", "not"].into_iter().all(is_plain)
        || !when.split(" and ").all(|part| is_whole(&part))
    {
        return None;
    }
    when.split(" and ").find_map(|part| {
        let given = part.trim().strip_prefix("tool.files | only(")?.strip_suffix(')')?;
        let rest: String = unquoted(given)?.concat();
        let is_list = rest.chars().all(|c| matches!(c, '[' | ']' | ',' | ' '));
        let globs = given.split('\'').skip(1).step_by(2).filter(|glob| !glob.starts_with('!'));
        is_list.then(|| globs.map(|glob| glob.to_owned().into()).collect())
    })
}

/// What stands outside of quotes; none where that is not plain to see.
fn unquoted(source: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = source.split('\'').collect();
    let is_plain = !source.contains(['"', '\\', '{', '#']) && parts.len() % 2 == 1;
    is_plain.then(|| parts.into_iter().step_by(2).collect())
}

/// Whether a word is in a source, and not as a part of a longer one. However it is spelt: `tool.commits`, `tool['commits']`.
fn names_whole(source: &str, word: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    source.match_indices(word).any(|(at, _)| {
        !source[..at].ends_with(is_of_word) && !source[at + word.len()..].starts_with(is_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(source: &str) -> Watch {
        let source = format!("about = \"x\"\n[run]\nhome = \".x\"\n{source}");
        let parsed = super::super::parse::parse("x", &source, &|_| None);
        assert!(parsed.error().is_none(), "{:?}", parsed.problems);
        parsed.workflow.run.watch
    }

    #[test]
    fn a_rule_about_commits_is_found_through_names() {
        let rule = "[holds.a]\non = \"before shell\"\nwhen = \"WHEN\"\nsay = \"no\"\n";
        for (when, lets, is_found) in [
            ("tool.commits", "", true),
            ("tool['commits_to']", "", true),
            ("'main' in on", "[let]\non = \"tool.commits_to | list\"\n", true),
            ("deep", "[let]\ndeep = \"on\"\non = \"tool.commits\"\n", true),
            ("tool.runs('git push')", "", false),
            ("tool.command", "", false),
        ] {
            let found = watch(&format!("{}{lets}", rule.replace("WHEN", when)));
            assert_eq!(!found.commits.is_empty(), is_found, "{when}");
            assert!(found.files.is_empty() && found.settings);
        }
    }

    #[test]
    fn a_permit_has_files_and_commits_watched() {
        let found = watch(
            "[phases.code]\nby = \"agent\"\nask = \"code\"\nuntil = \"true\"\nedits = [\"src/**\"]\ncommits = false\n\
             then = \"end\"\n",
        );
        assert_eq!((found.commits.len(), found.files.len()), (1, 1));
    }

    #[test]
    fn the_files_that_can_be_held_are_known_where_a_condition_says_so_plainly() {
        let rule = "[holds.a]\non = \"before edit\"\nwhen = \"\"\"WHEN\"\"\"\nsay = \"no\"\n";
        let within = |when: &str| {
            let found = watch(&rule.replace("WHEN", when)).within;
            found.map(|globs| globs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        for (when, expect) in [
            ("tool.files | only(['a/**', '!a/b'])", Some("a/**")),
            ("tool.files | only('a/**', 'b.txt')", Some("a/**")),
            ("tool.kind == 'x' and tool.files | only(['a or b/**'])", Some("a or b/**")),
            ("tool.files | only(['a/**']) or tool.kind == 'x'", None),
            ("not tool.files | only(['a/**'])", None),
            ("not(tool.kind == 'x' and tool.files | only(['a/**']) and tool.name)", None),
            ("(tool.kind == 'x' and tool.files | only(['a/**']) and tool.name) == 0", None),
            ("tool.name or(tool.kind) and tool.files | only(['a/**'])", None),
            ("tool.files | only(['a/**']) | length > 2", None),
            ("tool.files | except(['a/**'])", None),
            ("tool.files | only([state.x])", None),
            ("(tool.files | only(['a/**'])) == 0", None),
            ("tool.files | only(['a/**']) == [] and tool.files", None),
        ] {
            let expect = expect.map(|glob| if when.contains("b.txt") { "a/** b.txt" } else { glob });
            assert_eq!(within(when).as_deref(), expect, "{when}");
        }
        let two = format!(
            "{}{}",
            rule.replace("WHEN", "tool.files | only(['a'])"),
            rule.replace("holds.a", "holds.b").replace("WHEN", "tool.files")
        );
        assert_eq!(watch(&two).within, None, "another rule may hold any");
    }

    #[test]
    fn what_only_speaks_has_nothing_watched() {
        let found = watch("[witnesses.a]\non = \"after shell\"\nto = \"user\"\nsay = \"tool.commits\"\n");
        assert!(!found.is_any());
    }
}
