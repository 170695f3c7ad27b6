use super::programs;
use super::shell_tests::repositories;

#[test]
fn the_exit_code_of_a_command_is_told_from_that_of_its_parts() {
    let is_told = |line: &str| {
        let ran = programs(line, "/w", &repositories()).unwrap();
        ran.iter().find(|program| program.words == ["npm", "test"]).expect(line).is_told
    };
    for line in [
        "npm test",
        "npm test;",
        "npm test > /dev/null 2>&1",
        "cd x && CI=1 npm test",
        "cd x || exit 1; npm test",
        "echo y | npm test",
        "npm test && echo finished",
        "(cd x; npm test)",
        "{ npm test; }",
        "sh -c 'cd x; npm test'",
        "timeout 60 npm test",
        "false && npm test",
    ] {
        assert!(is_told(line), "{line}");
    }
    for line in [
        "npm test 2>&1 | tail -2",
        "npm test || true",
        "true || npm test",
        "npm test > /dev/null; true",
        "npm test; echo finished",
        "npm test\necho finished",
        "false && npm test; true",
        "npm test &",
        "npm test & wait",
        "! npm test",
        "if npm test; then echo ok; fi",
        "for i in 1 2; do npm test; done",
        "echo $(npm test)",
        "sh -c 'npm test; true'",
        "(npm test); true",
        "npm test; npm test",
        "find . -exec npm test ';'",
        "trap 'npm test' EXIT",
        "npm test | tail -2 && (",
    ] {
        assert!(!is_told(line), "{line}");
    }
}
