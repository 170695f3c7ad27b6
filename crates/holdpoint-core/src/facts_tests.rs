use std::sync::Arc;

use super::*;
use crate::event::Moment;
use crate::workflow::parse::parse;
use crate::world::world_tests::FakeWorld;
use crate::world::{GitError, GitQuestion, WorldError};

/// A world in which nothing can be read and git is too slow.
fn mute() -> FakeWorld {
    let read = |path: &str| {
        Answer::Fault(if path.starts_with('/') {
            WorldError::Outside(path.into())
        } else {
            WorldError::Unreadable("permission denied".into())
        })
    };
    let git = |_: &str, _: &GitQuestion| Answer::Fault(WorldError::Git(GitError::TooSlow));
    FakeWorld { read: Box::new(read), ..FakeWorld::with_git(git) }
}

fn facts(lets: &str) -> Arc<Facts> {
    let parsed = parse(
        "x",
        &format!("about = \"\"\n[run]\nhome = \".x\"\nstate = \"s.json\"\n[let]\n{lets}"),
        &|_| None,
    );
    let event = Event::from_shell(Moment::Stop, "/w");
    Facts::new(parsed.workflow, Arc::new(event), "/w".into(), Arc::new(mute()))
}

fn error(lets: &str, expression: &str) -> FactError {
    let facts = facts(lets);
    facts.evaluate(&Text::Owned(expression.to_owned()), facts.context()).unwrap_err()
}

#[test]
fn an_error_of_the_world_keeps_its_kind_through_nested_names() {
    let unreadable = WorldError::Unreadable("permission denied".into());
    let read = error("a = \"file('x').text\"\nb = \"a ~ '!'\"\nc = \"b | upper\"", "c | length > 1");
    assert_eq!(read, FactError::world("`x` cannot be read", unreadable.clone()));
    assert_eq!(read.to_string(), "`x` cannot be read: permission denied");
    assert_eq!(
        error("", "markdown('x')"),
        FactError::world("`x` cannot be read", unreadable.clone()),
        "through a function"
    );
    assert_eq!(
        error("", "state.a.b"),
        FactError::world("the state file `s.json` cannot be read", unreadable)
    );
    assert_eq!(
        error("", "git.branch"),
        FactError::world("the branch cannot be told", WorldError::Git(GitError::TooSlow))
    );
    let facts = facts("a = \"file('/etc/x').exists\"");
    let text = facts.render("{% for i in [1] %}{{ a }}{% endfor %}", facts.context()).unwrap_err();
    assert_eq!(text, FactError::world("`/etc/x`", WorldError::Outside("/etc/x".into())));
}

#[test]
fn the_template_engines_errors_become_ours() {
    assert!(matches!(error("", "1 +"), FactError::Syntax(_)));
    assert!(matches!(error("", "1 | nothing"), FactError::Unknown(_)));
    assert!(matches!(error("", "1 is nothing"), FactError::Unknown(_)));
    assert!(matches!(error("", "nothing()"), FactError::Unknown(_)));
    assert!(matches!(error("", "'a'.nothing()"), FactError::Unknown(_)));
    assert!(matches!(error("", "1 - 'a'"), FactError::WrongType(_)));
    assert!(matches!(error("", "file()"), FactError::WrongType(_)));
    assert_eq!(error("a = \"b\"\nb = \"a\"", "a"), FactError::Circular("a".into()));
    assert!(matches!(error("", "'a' | match('(')"), FactError::Malformed { .. }));
    assert!(matches!(error("", "'../a' | segment"), FactError::Outside(_)));
    for name in ["/bin/sh", "../evil", "a/b", "", "..", "C:x"] {
        assert!(matches!(error("", &format!("program('{name}').version")), FactError::Outside(_)), "{name}");
    }
    let facts = facts("");
    let loops = "{% for a in range(0,1000) %}{% for b in range(0,1000) %}{{ a }}{% endfor %}{% endfor %}";
    let work = facts.render(loops, facts.context()).unwrap_err();
    assert_eq!(work, FactError::TooMuchWork);
}

/// What an expression comes to, with these files and columns.
fn read(files: &'static [(&'static str, &'static str)], expression: &str) -> String {
    let source = "about = \"\"\n[run]\nhome = \".x\"\n[data.columns]\nid = [\"No.\", \"Id\", 1]\nstate = [\"State\", 3]\n";
    let parsed = parse("x", source, &|_| None);
    let text = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map_or(Answer::None, |(_, text)| Answer::Is(text.as_bytes().to_vec()))
    };
    let world = FakeWorld { read: Box::new(text), ..FakeWorld::default() };
    let event = Event::from_shell(Moment::Stop, "/w");
    let facts = Facts::new(parsed.workflow, Arc::new(event), "/w".into(), Arc::new(world));
    facts.render(expression, facts.context()).unwrap()
}

#[test]
fn columns_of_a_table_are_found_by_title_and_then_by_place() {
    let rows = "{% for r in table('t.md', columns).rows %}{{ r.id }}={{ r.state }} {% endfor %}{{ table('t.md', columns).lacks | join(',') }}/{{ table('t.md', columns).placed | join(',') }}";
    for (text, expected) in [
        ("| Id | x | State |\n|-|-|-|\n| 1 | a | done |\n| 2 | b | open |\n", "1=done 2=open /"),
        ("| state | no. |\n|-|-|\n| done | 1 |\n", "1=done /"),
        ("| A | B | C |\n|-|-|-|\n| 1 | b | done |\n", "1=done /id,state"),
        ("| A | B |\n|-|-|\n| 1 | b |\n", "1= state/id"),
        ("| A | Id |\n|-|-|\n", "/"),
    ] {
        let files: &'static [(&str, &str)] = Box::leak(Box::new([("t.md", text)]));
        assert_eq!(read(files, rows), expected, "{text}");
    }
}
