use std::sync::Arc;

use super::*;
use crate::event::{Event, Moment};
use crate::facts::Facts;
use crate::tool::Tool;
use crate::workflow::parse::parse;
use crate::world::Answer;
use crate::world::world_tests::FakeWorld;

/// A world in which every file has 1 MB, and which git answers at once.
fn large() -> FakeWorld {
    FakeWorld {
        read: Box::new(|_| Answer::Is(b"a word,".repeat(150_000))),
        ..FakeWorld::with_git(|_, _| Answer::Is("main".into()))
    }
}

fn facts_of(lets: &str, tool: Option<Tool>) -> Arc<Facts> {
    let parsed = parse("x", &format!("about = \"\"\n[run]\nhome = \".x\"\n[let]\n{lets}"), &|_| None);
    let event = Event { tool, ..Event::from_shell(Moment::Before, "/w") };
    Facts::new(parsed.workflow, Arc::new(event), "/w".into(), Arc::new(large()))
}

fn refused(facts: &Arc<Facts>, source: &str) -> FactError {
    let context = facts.context();
    let done = if source.contains("{%") || source.contains("{{") {
        facts.render(source, context).map(drop)
    } else {
        facts.evaluate(&source.to_owned().into(), context).map(drop)
    };
    let error = done.expect_err(source);
    assert!(matches!(error, FactError::TooLarge(_) | FactError::TooMuchWork), "{source}: {error:?}");
    error
}

/// `a1` is two of `a0`, and so on.
fn doubled(first: &str, twice: impl Fn(&str) -> String) -> String {
    let further = (1..=40).map(|n| format!("a{n} = \"{}\"\n", twice(&format!("a{}", n - 1))));
    format!("a0 = \"{first}\"\n{}", further.collect::<String>())
}

/// What a text may work that doubles itself until it is too large: a part of what an event may, and some milliseconds.
const DOUBLING_WORK_MAX: usize = 8 * VALUE_MAX;

#[test]
fn a_text_that_doubles_itself_ends_soon() {
    let ways: [fn(&str) -> String; 7] = [
        |a| format!("{a} ~ {a}"),
        |a| format!("{a} + {a}"),
        |a| format!("{a} * 2"),
        |a| format!("{a} | replace('x', 'xx')"),
        |a| format!("[{a}, {a}] | join('x')"),
        |a| format!("[{a}, {a}] | string"),
        |a| format!("{{'a': {a}, 'b': {a}}} ~ ''"),
    ];
    for way in ways {
        let facts = facts_of(&doubled("'xxxxxxxxxx'", way), None);
        refused(&facts, "a40");
        let worked = facts.budget.worked();
        assert!(worked <= DOUBLING_WORK_MAX, "{}: {worked}", way("a0"));
    }
}

#[test]
fn a_list_that_doubles_itself_ends_soon() {
    let ways: [fn(&str) -> String; 6] = [
        |a| format!("{a} + {a}"),
        |a| format!("{a} * 2"),
        |a| format!("[{a}, {a}]"),
        |a| format!("({a}, {a})"),
        |a| format!("{{'a': {a}, 'b': {a}}}"),
        |a| format!("{a} | map('default', {a}) | list + {a}"),
    ];
    for way in ways {
        refused(&facts_of(&doubled("[1, 2]", way), None), "a40");
    }
}

#[test]
fn templates_have_the_same_limits() {
    let facts = || facts_of("", None);
    let set = "{% set a = a ~ a %}".repeat(40);
    refused(&facts(), &format!("{{% set a = 'xxxxxxxxxx' %}}{set}{{{{ a }}}}"));
    let block = "{% set a %}{{ a }}{{ a }}{% endset %}".repeat(40);
    refused(&facts(), &format!("{{% set a = 'xxxxxxxxxx' %}}{block}{{{{ a }}}}"));
    let raw = "text ".repeat(4_000);
    let nested = "{% for a in range(0, 1000) %}{% for b in range(0, 1000) %}";
    refused(&facts(), &format!("{nested}{raw}{{% endfor %}}{{% endfor %}}"));
    refused(&facts(), &format!("{{% set x %}}{nested}{raw}{{% endfor %}}{{% endfor %}}{{% endset %}}"));
    for work in
        ["'q' in t", "t == u", "t < u", "t[1:2]", "t | length", "t | upper", "t is has('q')", "[t] == [u]"]
    {
        let sets = "{% set t = file('f').text %}{% set u = t ~ '!' %}{% set u = u[:-1] %}";
        let looped = format!("{sets}{nested}{{{{ {work} }}}}{{% endfor %}}{{% endfor %}}");
        refused(&facts(), &looped);
    }
}

#[test]
fn one_operation_cannot_make_a_large_value() {
    for source in [
        "'x' * 99999999",
        "('x' * 4000) * 4000 * 4000",
        "[1] * 99999999",
        "n * 99999999",
        "n | replace('', n * 9999) | replace('', n * 9999)",
        "range(0, 1000) | join(n * 20000)",
        "file('f').text | split('') | map('default') | list",
        "file('f').text | match('(a|b|c|d|e|f|g|h|i|j|k){500}')",
        "'(word.*){100}$' is found_in(file('f').text)",
    ] {
        refused(&facts_of("n = \"'xx' ~ ''\"", None), source);
    }
}

#[test]
fn questions_are_counted() {
    for source in
        ["file('f').text", "markdown('f')", "git.branch", "file('f').exists", "there(['f'])", "absent(['f'])"]
    {
        let looped = "{% for a in range(0, 1000) %}{% for b in range(0, 1000) %}";
        let facts = facts_of("", None);
        let error =
            facts.render(&format!("{looped}{{{{ {source} }}}}{{% endfor %}}{{% endfor %}}"), facts.context());
        let error = error.expect_err(source).to_string();
        assert!(error.contains("too much"), "{source}: {error}");
    }
}

#[test]
fn all_evaluations_of_an_event_share_their_steps() {
    let facts = facts_of("", None);
    let long = "{% for a in range(0, 1000) %}{% for b in range(0, 100) %}{% endfor %}{% endfor %}";
    let done = (0..100).take_while(|_| facts.render(long, facts.context()).is_ok()).count();
    assert!((1..100).contains(&done), "{done}");
    assert!(facts.budget.steps() <= ALL_STEPS_MAX + STEPS_MAX);
    assert_eq!(facts.evaluate(&"1".to_owned().into(), facts.context()), Err(FactError::TooMuchWork));
}

#[test]
fn names_that_need_each_other_too_deeply_are_a_fault() {
    let chain = (1..=5_000).map(|n| format!("a{n} = \"a{}\"\n", n - 1)).collect::<String>();
    let facts = facts_of(&format!("a0 = \"1\"\n{chain}"), None);
    let error = facts.evaluate(&"a5000".to_owned().into(), facts.context()).unwrap_err();
    assert!(matches!(error, FactError::TooDeep(_)), "{error:?}");
    assert!(facts.evaluate(&"a40".to_owned().into(), facts.context()).is_ok());
}

#[test]
fn a_long_source_is_refused_before_it_is_compiled() {
    refused(&facts_of("", None), &format!("1{}", " + 1".repeat(100_000)));
    refused(&facts_of("", None), &format!("{{{{ 1{} }}}}", " ~ 1".repeat(100_000)));
    let facts = facts_of("", None);
    assert!(facts.render(&"a text ".repeat(10_000), facts.context()).is_ok(), "a long text is fine");
}

#[test]
fn a_long_command_is_a_fault_and_never_harmless() {
    for part in ["git commit; ", "$x git ", "git commit -m 'x' | ("] {
        let command = part.repeat(4_000_000 / part.len());
        let tool =
            Tool { name: "Bash".into(), input: serde_json::json!({ "command": command }), ..Tool::default() };
        let facts = facts_of("", Some(tool));
        for source in ["tool.commits_to", "tool.runs('git commit')"] {
            let error = facts.evaluate(&source.to_owned().into(), facts.context()).unwrap_err();
            assert!(matches!(error, FactError::Shell(crate::shell::ShellError::TooLong(_))), "{error:?}");
        }
    }
}

#[test]
fn a_long_result_is_a_fault_and_never_harmless() {
    let result = serde_json::json!("nothing to see here. ".repeat(1_800_000));
    let tool = Tool { name: "Task".into(), result: Some(result), ..Tool::default() };
    let facts = facts_of("", Some(tool));
    refused(&facts, "'VERDICT [0-9a-f]+ approved' is found_in(tool.result)");
}

/// However often it is asked about a command, a prompt or a result without end, the work ends.
#[test]
fn a_long_event_uses_up_the_work_and_no_more() {
    let long = "$x ".repeat(1_300_000);
    let tool = Tool {
        name: "Bash".into(),
        input: serde_json::json!({ "command": long }),
        result: Some(serde_json::json!(long)),
        ..Tool::default()
    };
    let facts = facts_of("", Some(tool));
    for source in [
        "tool.runs('git commit')",
        "'git +commit' is found_in(tool.command)",
        "tool.command | split(' ') | length > 5",
        "'x' in tool.command and 'git' is found_in(tool.command)",
        "'VERDICT' is found_in(tool.result)",
    ]
    .repeat(40)
    {
        let _ = facts.evaluate(&source.to_owned().into(), facts.context());
        assert!(facts.budget.worked() <= WORK_MAX, "{source}: {}", facts.budget.worked());
    }
    assert_eq!(facts.budget.worked(), WORK_MAX, "it was used up");
    refused(&facts, "'git' is found_in(tool.command)");
}

#[test]
fn ordinary_work_costs_little() {
    let command = "git add -A && git commit -m 'feat(cart): add up prices'";
    let tool =
        Tool { name: "Bash".into(), input: serde_json::json!({ "command": command }), ..Tool::default() };
    let facts = facts_of("words = \"tool.command | split(' ')\"", Some(tool));
    let source =
        "'main' in tool.commits_to and '(^|;) *git +push' is not found_in(tool.command) and 'git' in words";
    assert!(facts.evaluate(&source.to_owned().into(), facts.context()).unwrap().is_true());
    assert!(facts.budget.worked() < WORK_MAX / 100, "{}", facts.budget.worked());
}

#[test]
fn operators_do_what_they_did() {
    let facts = facts_of("n = \"3\"\nt = \"'abcdef'\"\nl = \"['a', 'b', 'c']\"", None);
    for (source, expect) in [
        ("n + 1", "4"),
        ("n + 0.5", "3.5"),
        ("n * n", "9"),
        ("t ~ n", "abcdef3"),
        ("t + t", "abcdefabcdef"),
        ("l + [n]", "['a', 'b', 'c', 3]"),
        ("t * 2", "abcdefabcdef"),
        ("2 * l", "['a', 'b', 'c', 'a', 'b', 'c']"),
        ("'-' * n", "---"),
        ("t[1:3]", "bc"),
        ("t[-2:]", "ef"),
        ("t[::-1]", "fedcba"),
        ("l[:2]", "['a', 'b']"),
        ("l[-1:]", "['c']"),
        ("missing[:2]", "[]"),
        ("'b' in l and n in [3] and 'cd' in t and 'q' not in l", "True"),
        ("n in {3: 1}", "True"),
        ("'a' in missing", "False"),
        ("n < n + 1 and n <= n and n + 1 > n and n >= n and n != t", "True"),
        ("l == ['a', 'b', 'c']", "True"),
        ("(n, t)", "(3, 'abcdef')"),
        ("{'k': n}", "{'k': 3}"),
        ("none ~ missing ~ true", "NoneTrue"),
        ("[{'a': 2}, {'a': 1}] | sort(attribute='a') | map(attribute='a') | join('-')", "1-2"),
        ("l | join(', ') | replace('b', 'B')", "a, B, c"),
        ("'a b' | split | last", "b"),
    ] {
        let value = facts.evaluate(&source.to_owned().into(), facts.context()).unwrap();
        assert_eq!(value.to_string(), expect, "{source}");
    }
    let template =
        "a{% for x in l %}[{{ loop.index }}{{ x }}{% if x == 'b' %}!{% else %}.{% endif %}]{% endfor %}z";
    assert_eq!(facts.render(template, facts.context()).unwrap(), "a[1a.][2b!][3c.]z");
    let chained = facts.evaluate(&"1 < n < 5".to_owned().into(), facts.context()).unwrap_err();
    assert!(chained.to_string().contains("a < b and b < c"), "{chained}");
}
