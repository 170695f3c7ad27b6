use proptest::prelude::*;

use super::*;

/// Tokens on one line: strings in «», comments in ⟦⟧, line ends as `;;`.
fn show(path: &str, text: &str) -> String {
    let spell = |token: &Token<'_>| match token.kind {
        Kind::Text => format!("«{}»", token.text),
        Kind::Comment => format!("⟦{}⟧", token.text),
        Kind::Break => ";;".to_owned(),
        Kind::Word | Kind::Number | Kind::Mark => token.text.to_owned(),
    };
    read(path, text).iter().map(spell).collect::<Vec<_>>().join(" ")
}

fn check(path: &str, cases: &[(&str, &str)]) {
    for (text, expect) in cases {
        assert_eq!(show(path, text), *expect, "{path}: {text}");
    }
}

#[test]
fn python() {
    check(
        "a.py",
        &[
            ("x = 1  # c\ny", "x = 1 ⟦# c⟧ ;; y"),
            ("'# no' \"it's\" # c", "«# no» «it's» ⟦# c⟧"),
            (r"'a\'b' # c", r"«a\'b» ⟦# c⟧"),
            (r"r'\' # c' # d", r"«\' # c» ⟦# d⟧"),
            ("'''a\n# 'no'\n''' # c", "«a\n# 'no'\n» ⟦# c⟧"),
            ("\"\"\"a\"\"\"\"", "«a» «»"),
            ("'open # no\n# c", "«open # no» ;; ⟦# c⟧"),
            ("'joined \\\n # no' # c", "«joined \\\n # no» ⟦# c⟧"),
            ("Rb'x' bR\"y\" u'z' rx'w'", "«x» «y» «z» rx «w»"),
            ("f'a{b}c' # d", "«a» { b } «c» ⟦# d⟧"),
            ("f'{{a}}' # d", "«{{a}}» ⟦# d⟧"),
            ("f'{a[\"b\"]:>{w}.2f} # no' # d", "«» { a [ «b» ] { w } } « # no» ⟦# d⟧"),
            ("f\"{f\"{'x'}\"}\" # d", "«» { «» { «x» } «» } «» ⟦# d⟧"),
            ("f'''{\n  a # c\n}'''", "«» { ;; a ⟦# c⟧ ;; } «»"),
            ("f'{a!r}' f'{ {1: 2}[1] }'", "«» { a ! r } «» «» { { 1 : 2 } [ 1 ] } «»"),
            ("f'\\N{DASH}' f'\\'{a}'", "«\\N{DASH}» «\\'» { a } «»"),
            ("f'{a:%H:%M}' # c", "«» { a } «» ⟦# c⟧"),
            ("rf'\\{a}é' # c", "«\\» { a } «é» ⟦# c⟧"),
            ("f'open {x\n", "«open » { x ;;"),
            ("a // b", "a / / b"),
            ("\u{feff}# c", "⟦# c⟧"),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "a.ts",
        &[
            ("a // c\nb /* d\n */ e", "a ⟦// c⟧ ;; b ⟦/* d\n */⟧ e"),
            ("'// no' \"/* no\" // c", "«// no» «/* no» ⟦// c⟧"),
            ("`a // no ${b /* c */ + `d ${e}`} f`", "«a // no » { b ⟦/* c */⟧ + «d » { e } «» } « f»"),
            ("`${{a: 1}.a}` // c", "«» { { a : 1 } . a } «» ⟦// c⟧"),
            (r"`\`${x}\${y}`", r"«\`» { x } «\${y}»"),
            ("x = /['\"`]/g.test(y) // c", "x = «['\"`]» . test ( y ) ⟦// c⟧"),
            (r"/[/]\//.exec(a) // c", r"«[/]\/» . exec ( a ) ⟦// c⟧"),
            ("a / b / c", "a / b / c"),
            ("a[0] / b / 'c'", "a [ 0 ] / b / «c»"),
            ("f(x) / 2 / '/'", "f ( x ) / 2 / «/»"),
            ("if (x) /'/.test(y)", "if ( x ) «'» . test ( y )"),
            ("for await (x of y) /'/.test(y)", "for await ( x of y ) «'» . test ( y )"),
            ("a.if(x) / 2 / '/'", "a . if ( x ) / 2 / «/»"),
            ("return /'/", "return «'»"),
            ("x.return / 2 / '/'", "x . return / 2 / «/»"),
            ("i++ / 2 / '/'", "i + + / 2 / «/»"),
            ("x = a / b\ny = '/'", "x = a / b ;; y = «/»"),
            ("(/\n'a')", "( / ;; «a» )"),
            ("#!/usr/bin/env node\na", "⟦#!/usr/bin/env node⟧ ;; a"),
            ("const f = <T>(x: T) => x // c", "const f = < T > ( x : T ) => x ⟦// c⟧"),
            ("'open\n// c", "«open» ;; ⟦// c⟧"),
        ],
    );
}

#[test]
fn jsx() {
    check(
        "a.tsx",
        &[
            ("<p>It's // no</p> // c", "< > «It's // no» «</p>» ⟦// c⟧"),
            (
                "return <A b='x' c={d} /* e */>{/* f */}<br/>g</A>",
                "return < b = «x» c = { d } ⟦/* e */⟧ > { ⟦/* f */⟧ } < «/>» «g» «</A>»",
            ),
            ("x = <><b>don't</b>{y}<i>z</i></>;", "x = < > < > «don't» «</b>» { y } < > «z» «</i>» «</>» ;"),
            ("a < b // c", "a < b ⟦// c⟧"),
            ("type F = <T>(x: T) => T; // c", "type F = < > ( x : T ) => T ; ⟦// c⟧"),
            ("const f = <T,>(x: T) => 'y' // c", "const f = < T , > ( x : T ) => «y» ⟦// c⟧"),
            ("f<T extends U>('x')", "f < T extends U > ( «x» )"),
            ("<a.b>x < y</a.b> / '2'", "< > «x » «<» « y» «</a.b>» / «2»"),
            ("<p>{`it's ${<b>x</b>}`}</p>", "< > { «it's » { < > «x» «</b>» } «» } «</p>»"),
        ],
    );
}

#[test]
fn rust() {
    check(
        "a.rs",
        &[
            ("a // c\n/* b /* c */ d */ e", "a ⟦// c⟧ ;; ⟦/* b /* c */ d */⟧ e"),
            ("/* open /* x */ y", "⟦/* open /* x */ y⟧"),
            ("\"// no\n\\\" x\" // c", "«// no\n\\\" x» ⟦// c⟧"),
            ("r\"\\\" r#\"a\"# // no\"## // c", "«\\» «a» ⟦// no\"## // c⟧"),
            ("r##\"a \"# // no\"## // c", "«a \"# // no» ⟦// c⟧"),
            ("b\"x\" br\"y\" c\"z\" cr#\"w\"#", "«x» «y» «z» «w»"),
            ("'a' '\\'' '\"' 'é' b'/' // c", "«a» «\\'» «\"» «é» b «/» ⟦// c⟧"),
            ("&'a str 'x: loop '_", "& ' a str ' x : loop ' _"),
            ("r#type r break", "type r break"),
            ("1..2 1.5e-3 1.max(2) 0x1f", "1 . . 2 1.5e-3 1 . max ( 2 ) 0x1f"),
            ("a::b->c=>d!=e", "a :: b -> c => d != e"),
        ],
    );
}

#[test]
fn go() {
    check(
        "a.go",
        &[
            ("a := `// no\n\\` // c", "a := «// no\n\\» ⟦// c⟧"),
            ("\"/* \\\" no\" '\\'' '\"' /* c */", "«/* \\\" no» «\\'» «\"» ⟦/* c */⟧"),
            ("`open", "«open»"),
            ("\"open\n// c", "«open» ;; ⟦// c⟧"),
        ],
    );
}

#[test]
fn tokens_know_their_lines() {
    let tokens = read("a.py", "'''a\n\nb'''\nx # c\n");
    let lines: Vec<_> = tokens.iter().map(|token| token.line).collect();
    assert_eq!(lines, [1, 3, 4, 4, 4]);
}

#[test]
fn tests_are_told_by_whole_names() {
    for path in [
        "tests/a.py",
        "src/test/A.java",
        "./x/__tests__/a.js",
        "test_a.py",
        "x/a_test.go",
        "a.test.tsx",
        "a.spec.ts",
        "src/shell_tests.rs",
        "src/x/tests.rs",
        r"tests\a.py",
    ] {
        assert!(is_test(path), "{path}");
    }
    for path in [
        "latest.py",
        "contest.py",
        "src/attest/a.py",
        "testing/a.py",
        "test_a.js",
        "a_test",
        "_test.go",
        "src/spec.ts",
        "tester.py",
        "src/protest.test/../a.py",
        "",
    ] {
        assert!(!is_test(path), "{path}");
    }
}

#[test]
fn logical_lines_join_what_brackets_and_backslashes_hold_together() {
    let text = "if a and \\\n  b:\n\tf(1,\n2)\n\n  # c\n  x = '''\n y'''";
    let tokens = code("a.py", text);
    let found: Vec<_> = line::lines(text, &tokens)
        .iter()
        .map(|line| (line.indent, line.tokens[0].text.to_owned(), line.tokens.len()))
        .collect();
    assert_eq!(found, [(0, "if".into(), 7), (8, "f".into(), 7), (2, "x".into(), 3)]);
}

proptest! {
    #[test]
    fn any_text_is_read_to_its_end(
        text in "([a-z'\"`\\\\/*#{}<>()$:;\n é]|f'|r#|b\"|'''|\"\"\"|\\$\\{|</|/>|/\\*|\\\\N\\{){0,60}",
        path in "a\\.(py|js|ts|rs|go)",
    ) {
        let tokens = read(&path, &text);
        let mut end = 0;
        for token in &tokens {
            prop_assert!(token.start >= end, "{tokens:?}");
            prop_assert_eq!(token.line, 1 + text[..token.start].matches('\n').count());
            end = token.start;
        }
        let words: usize = tokens.iter().map(|token| token.text.len()).sum();
        prop_assert!(words <= text.len());
        let brackets = brackets::Brackets::of(&tokens);
        for place in 0..tokens.len() {
            prop_assert!(brackets.closing(place) <= tokens.len() && brackets.opening(place) <= tokens.len());
        }
        line::lines(&text, &tokens);
    }
}
