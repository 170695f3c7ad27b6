use proptest::prelude::*;

use super::*;

struct Acceptance {
    smoke: Vec<Row>,
    functional: Vec<Row>,
}

/// The rows of two kinds, as a workflow would tell them apart.
fn rows(section: &str) -> Acceptance {
    let read = |ids: &str, columns: &[&str]| {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        AcceptanceRows { ids: ids.to_owned(), columns }.read(section).unwrap()
    };
    let functional = read("AV-F*", &["id", "check", "setup", "action", "expected"]);
    Acceptance { smoke: read("AV-S*", &[]), functional }
}

const SPEC: &str = r#"
### Smoke Checks

| ID | Check | Command / Action | Expected | Timeout |
|----|-------|------------------|----------|---------|
| AV-S1 | builds | `make build` | exit 0 | 30s |
| AV-S2 | N/A here | `curl -s localhost \| jq .ok` | `true` | 2m |
| `AV-S3` | unescaped | `cat a | wc -l` | "3 lines" | |

### Functional Checks

| ID | Check | Setup | Action | Expected |
|----|-------|-------|--------|----------|
| AV-F1 | adds | `make db` | `./add 1` | exit code 2 |
| AV-F2 | wizard | bot is up | Send `/add`, complete it | it works |
| **AV-F3** | mixed | - | Run `make e2e` and look | green |

```
| AV-F9 | in code | - | `rm` | x |
```
<!-- | AV-F8 | in a comment | - | `rm` | x | -->
"#;

#[test]
fn a_section_as_people_write_them() {
    let found = rows(SPEC);
    let shown = |rows: &[Row]| {
        let show = |row: &Row| {
            format!("{}: {} ({}s)", row.id, row.command.as_deref().unwrap_or("-"), row.timeout.as_secs())
        };
        rows.iter().map(show).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(&found.smoke),
        ["AV-S1: make build (30s)", "AV-S2: curl -s localhost | jq .ok (120s)", "AV-S3: cat a | wc -l (60s)"]
    );
    assert_eq!(shown(&found.functional), ["AV-F1: ./add 1 (60s)", "AV-F2: - (60s)", "AV-F3: make e2e (60s)"]);
    assert_eq!(found.smoke[0].check, "builds");
    assert_eq!(found.smoke[1].expected.outputs, ["true"]);
    assert_eq!(found.smoke[2].expected.outputs, ["3 lines"]);
    assert_eq!(found.functional[0].setup.as_deref(), Some("make db"));
    assert_eq!(found.functional[0].expected.exit, Exit::Is(2));
    assert_eq!(found.functional[1].setup, None);
}

#[test]
fn a_row_counts_whatever_the_table_is_like() {
    for section in [
        "| AV-S1 | x | `make a` | exit 0 | 5s |",
        "| ID | Check | Command |\n|---|---|\n| AV-S1 | x | `make a` |",
        "| # | ID | Command |\n|---|---|---|\n| 1 | AV-S1 | `make a` |",
        "| id | COMMAND / ACTION | check |\n|:--|---|---|\n| av-s1 | `make a` | x |",
        "<details>\n| AV-S1 | x | `make a` |\n</details>",
        "- list\n\n  | ID | Command |\n  |---|---|\n  | AV-S1 | `make a` |",
    ] {
        let found = rows(section);
        assert_eq!(found.smoke.len(), 1, "{section}");
        assert_eq!(found.smoke[0].command.as_deref(), Some("make a"), "{section}");
    }
    for section in
        ["| AV-SMOKE | x |", "| AV-X1 | x |", "AV-S1: `make`", "| see AV-S1 | x |", "| AV | x |", "| é | x |"]
    {
        let found = rows(section);
        assert!(found.smoke.is_empty() && found.functional.is_empty(), "{section}");
    }
}

#[test]
fn commands() {
    for (cell, expect) in [
        ("`make`", Some("make")),
        ("``echo `date` ``", Some("echo `date`")),
        ("`a`, then `b`", Some("a && b")),
        ("`a` && `b`", Some("a && b")),
        ("Run `make`", Some("make")),
        ("Run `/add` in the chat", None),
        ("Open `/settings`", None),
        ("`GET /users` returns", None),
        ("Set `status` to done", None),
        ("Use `./run.sh` here", Some("./run.sh")),
        ("with the server up: `curl -s x`", Some("curl -s x")),
        ("see `x` and run `make x y`", Some("make x y")),
        ("make build", None),
        ("", None),
        ("-", None),
    ] {
        let found = rows(&format!("| AV-S1 | x | {cell} | exit 0 |"));
        assert_eq!(found.smoke[0].command.as_deref(), expect, "{cell}");
    }
}

#[test]
fn expectations() {
    let is = Exit::Is;
    for (cell, exit, outputs) in [
        ("exit 0", is(0), ""),
        ("`exit 1`", is(1), ""),
        ("Exit code: 2", is(2), ""),
        ("exits with status 3", is(3), ""),
        ("exit=4", is(4), ""),
        ("non-zero exit", Exit::NotZero, ""),
        ("exit != 0", Exit::NotZero, ""),
        ("exits non-zero, prints `bad`", Exit::NotZero, "bad"),
        ("all is well", is(0), ""),
        ("", is(0), ""),
        ("`ok`", is(0), "ok"),
        ("\"ok\"", is(0), "ok"),
        ("“ok”", is(0), "ok"),
        ("`a`, `b`", is(0), "a;b"),
        ("exit 1, output contains `no`", is(1), "no"),
        ("prints \"two words\"", is(0), "two words"),
        ("does not print `secret`", is(0), ""),
        ("returns `200`", is(0), ""),
        ("5\" wide", is(0), ""),
        ("the exit is near", is(0), ""),
    ] {
        let found = rows(&format!("| AV-S1 | x | `a` | {cell} |"));
        let expected = &found.smoke[0].expected;
        assert_eq!((expected.exit, expected.outputs.join(";").as_str()), (exit, outputs), "{cell}");
    }
}

#[test]
fn what_came_is_compared() {
    let read = |cell: &str| rows(&format!("| AV-S1 | x | `a` | {cell} |")).smoke.remove(0).expected;
    assert!(read("exit 0").is_met(0, "") && !read("exit 0").is_met(1, ""));
    assert!(read("exit 2").is_met(2, "") && !read("exit 2").is_met(0, ""));
    assert!(read("non-zero exit").is_met(1, "") && !read("non-zero exit").is_met(0, ""));
    assert!(
        read("`ok`").is_met(0, "all ok\n") && !read("`ok`").is_met(0, "no") && !read("`ok`").is_met(1, "ok")
    );
}

#[test]
fn timeouts() {
    for (cell, millis) in [
        ("30s", 30_000),
        ("2m", 120_000),
        ("1m 30s", 90_000),
        ("1m30s", 90_000),
        ("500 ms", 500),
        ("45", 45_000),
        ("1.5 min", 90_000),
        ("10 seconds", 10_000),
        ("`5s`", 5_000),
        ("", 60_000),
        ("-", 60_000),
        ("0s", 60_000),
        ("soon", 60_000),
        ("5 parsecs", 60_000),
        ("9999999999999999999999h", 3_600_000),
        ("2h", 3_600_000),
    ] {
        let found = rows(&format!("| AV-S1 | x | `a` | exit 0 | {cell} |"));
        assert_eq!(found.smoke[0].timeout.as_millis(), millis, "{cell}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(\\||AV-[SF]1|`|\\\\|exit|[0-9.]|s|m|-|\n| |\"|N/A|é|<!--|Run|:){0,50}") {
        let found = rows(&text);
        for row in found.smoke.iter().chain(&found.functional) {
            prop_assert!(row.timeout <= TIMEOUT_MAX && !row.timeout.is_zero());
        }
    }

    #[test]
    fn a_row_is_never_lost(before in "[a-z|\n -]{0,30}", cells in "[a-z `|:.\\\\-]{0,30}") {
        let text = format!("{before}\n\n| AV-F7 | {cells}\n");
        prop_assert_eq!(rows(&text).functional.len(), 1, "{}", text);
    }
}
