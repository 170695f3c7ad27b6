use super::super::{compiled_text, compiled_value};
use super::*;
use crate::filters::Environments;

fn context() -> Value {
    let state = Value::from_pairs([("phase", Value::from("plan")), ("round", Value::from(3))]);
    Value::from_pairs([
        ("state", state),
        ("name", Value::from("a {{ b }}")),
        ("list", Value::from(vec![1, 2])),
    ])
}

#[test]
fn only_names_with_dots_are_read() {
    for source in ["name", "state.phase", "_a.b1", "state.in"] {
        assert!(is_path(source), "{source}");
    }
    for source in
        ["", ".", "a.", ".a", "a..b", "1a", "a.1", "a b", "a|b", "a[0]", "true", "not", "a-b", "git.branch"]
    {
        assert!(!is_path(source), "{source}");
    }
}

#[test]
fn a_name_is_what_it_is_compiled() {
    let env = Environments::default();
    let budget = &env.budget;
    for source in ["name", "state", "state.phase", "state.round", "list"] {
        let read = value(budget, source, &context()).unwrap();
        assert_eq!(read, compiled_value(&env, budget, source, context()).unwrap(), "{source}");
    }
    for source in ["other", "state.other", "name.other"] {
        assert!(value(budget, source, &context()).is_none(), "{source}");
    }
}

#[test]
fn a_text_is_what_it_is_compiled() {
    let env = Environments::default();
    let budget = &env.budget;
    for source in [
        "",
        "plain { text }",
        "plain\n",
        "plain\r\n",
        "two\n\n",
        "{{ name }}",
        "{{name}}{{ state.round }}\n{{ list }} end\n",
        " { {{ state.phase }} } ",
    ] {
        let read = text(budget, source, &context());
        let compiled = compiled_text(&env, budget, source, context()).unwrap();
        assert_eq!(read, Some(compiled), "{source}");
    }
    for source in [
        "{{ other }}",
        "{{ name -}} x",
        "{% if name %}x{% endif %}",
        "{# x #}",
        "{{ name | upper }}",
        "{{ 'x' }}",
        "{{ name",
    ] {
        assert!(text(budget, source, &context()).is_none(), "{source}");
    }
}

#[test]
fn reading_uses_up_the_budget() {
    let budget = Budget::default();
    value(&budget, "state.phase", &context()).unwrap();
    text(&budget, "{{ name }}", &context()).unwrap();
    assert_eq!((budget.steps(), budget.worked()), (4, "a {{ b }}".len()));
}

#[test]
fn what_the_first_name_refutes_is_not_compiled() {
    let env = crate::filters::Environments::default();
    let context = Value::from(minijinja::value::Serde(
        serde_json::json!({"no": false, "yes": true, "nil": null, "t": {"empty": ""}}),
    ));
    let refuted = |source: &str| refuted(&env.budget, source, &context).is_some();
    for source in [
        "no and yes",
        "missing and x(",
        "t.empty and yes",
        "nil and (a or b)",
        "no and 'a or b'",
        "missing.x.y and z",
    ] {
        assert!(refuted(source), "{source}");
    }
    for source in [
        "yes and no",
        "no and yes or yes",
        "no and yes if yes else yes",
        "no or yes",
        "(no) and yes",
        "no and 'a\\' or b' or yes",
    ] {
        assert!(!refuted(source), "{source}");
    }
    let value = |source: &str| crate::evaluation::value(&env, &env.budget, source, context.clone()).unwrap();
    assert!(!value("no and yes").is_true() && value("no and yes or yes").is_true());
}
