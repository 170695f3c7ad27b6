use proptest::prelude::*;

use super::*;

fn paths(spec: &str) -> Option<Vec<String>> {
    AllowedFiles { titles: vec!["Allowed Files".to_owned()] }.read(spec)
}

#[test]
fn one_line_in_every_form() {
    for (line, expect) in [
        // Bullets, numbers, checkboxes.
        ("- `src/a.py`", "src/a.py"),
        ("* `src/a.py`", "src/a.py"),
        ("+ src/a.py", "src/a.py"),
        ("1. `src/a.py`", "src/a.py"),
        ("12) src/a.py", "src/a.py"),
        ("- [ ] `src/a.py`", "src/a.py"),
        ("- [x] src/a.py — done", "src/a.py"),
        ("    - `src/a.py`", "src/a.py"),
        ("> - `src/a.py`", "src/a.py"),
        // Placeholders, and a noun between a label and the path.
        ("- `db/<NNN>_x.sql`", "db/*_x.sql"),
        ("1. NEW migration `db/<NNN>_x.sql`", "db/*_x.sql"),
        // Bare.
        ("`src/a.py`", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("src/a.py — new file", "src/a.py"),
        ("src/a.py (new)", "src/a.py"),
        ("src/a.py  # new", "src/a.py"),
        ("Makefile", "Makefile"),
        // Prose after it.
        ("- `src/a.py` — uses `src/b.py`", "src/a.py"),
        ("- `src/a.py` uses `src/b.py`", "src/a.py"),
        ("- src/a.py: the parser of x/y.z", "src/a.py"),
        ("- src/a.py new file", "src/a.py"),
        ("- src/a.py.", "src/a.py"),
        ("- `src/a.py`: (modify) add `f()`", "src/a.py"),
        // Several.
        ("- `src/a.py`, `src/b.py` — both", "src/a.py src/b.py"),
        ("- src/a.py, src/b.py and src/c.py", "src/a.py src/b.py src/c.py"),
        ("- `src/a.py` → `src/b.py`", "src/a.py src/b.py"),
        ("- `a.py`, see `b`", "a.py"),
        // Labels before it.
        ("- Create: `src/a.py`", "src/a.py"),
        ("- **Modify:** `src/a.py`", "src/a.py"),
        ("- **src/a.py** — x", "src/a.py"),
        ("- **`src/a.py`** (new)", "src/a.py"),
        ("- *`src/a.py`*: x", "src/a.py"),
        ("- (new) src/a.py", "src/a.py"),
        ("- [NEW] `src/a.py`", "src/a.py"),
        ("- New file: src/a.py", "src/a.py"),
        ("- [a.py](src/a.py) — x", "a.py"),
        ("- [`src/a.py`](../src/a.py)", "src/a.py"),
        // Globs, folders, lines, odd spellings.
        ("- `src/**/*.py`", "src/**/*.py"),
        ("- src/**/*.py", "src/**/*.py"),
        ("- **/*.py", "**/*.py"),
        ("- *.md", "*.md"),
        ("- `src/{a,b}.py`", "src/{a,b}.py"),
        ("- `src/billing/`", "src/billing/**"),
        ("- src/billing/ — all of it", "src/billing/**"),
        ("- src/billing", "src/billing"),
        ("- `./src/a.py`", "src/a.py"),
        ("- `src\\a.py`", "src/a.py"),
        ("- `src/a.py:10-20`", "src/a.py"),
        ("- src/a.py:10", "src/a.py"),
        ("- `src/a.py#L3`", "src/a.py"),
        ("- `docs/My File.md`", "docs/My File.md"),
        ("- `Justfile`", "Justfile"),
        ("- `.gitignore`", ".gitignore"),
        ("- `app/[id]/page.tsx`", "app/[id]/page.tsx"),
        ("- src/_private_/a_b.py", "src/_private_/a_b.py"),
    ] {
        assert_eq!(listed(line).join(" "), expect, "{line}");
    }
}

#[test]
fn prose_is_no_path() {
    for line in [
        "",
        "- ",
        "*",
        "- *",
        "- the parser",
        "- All files needed",
        "- N/A",
        "- none",
        "- read/write access to the base",
        "- e.g. the parser",
        "- `price` field",
        "- `npm test`",
        "- `cat src/a.py`",
        "- https://example.org/a.py",
        "- `<path>`",
        "- `src/<path>`",
        "- `<a>/x.py`",
        "- Python 3.12",
        "**ONLY these files may be modified during implementation:**",
        "src/a.py is the parser",
        "`src/a.py` must be read first",
        "See `src/a.py`.",
        "- See `src/a.py`",
        "- ~~`src/a.py`~~",
        "- ❌ `src/a.py`",
        "- `src/a.py` — do not modify",
        "- `src/a.py` (read-only)",
        "- `src/a.py` must not change",
        "- Never `src/a.py`",
        "- `/etc/passwd`",
        "- `../other/a.py`",
        "- `C:\\a.py`",
        "- `...`",
        "- `f()`",
        "- `--flag`",
        "<!-- src/a.py -->",
        "<!-- allowlist v1 -->",
        "---",
        "| File | Why |\n|---|---|",
        "| File/Path | Why |\n|---|---|\n",
    ] {
        assert_eq!(listed(line), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn tables() {
    for (table, expect) in [
        ("| File | Why |\n|---|---|\n| `a.py` | uses `b.py` |\n| c.py | d.py |", "a.py c.py"),
        ("| # | Change | Path |\n|---|:--|---|\n| 1 | `x.y` | `a.py` |", "a.py"),
        ("| # | What |\n|---|---|\n| 1 | `a.py` |\n| 2 | Create `b.py` |", "a.py b.py"),
        ("| File | Why |\n|---|---|\n| `a.py`, `b.py` | both |", "a.py b.py"),
        ("| `a.py` | x |\n| `b.py` | y |", "a.py b.py"),
        ("| File |\n|---|\n| **a.py** |\n\n| # |\n|---|\n| b.py |", "a.py b.py"),
    ] {
        assert_eq!(listed(table).join(" "), expect, "{table}");
    }
}

#[test]
fn a_section_as_people_write_them() {
    let spec = "# S\n\n## Allowed Files\n\n<!-- MARKER v1 -->\n\n**ONLY these files may be modified:**\n\n\
        1. `src/a.py` — reason\n2. `src/b.ts`\n   - `src/c.ts`\n\n**New files allowed:**\n- `tests/x.py`\n- `src/a.py`\n\n\
        ### Read-only\n- `src/d.py`\n\n### Documents\n\n```\ndocs/a.md\n# nothing\n```\n\n\
        **FORBIDDEN:** All other files. Refuse changes outside this list.\n\n## Next\n- `z.py`\n";
    assert_eq!(paths(spec).unwrap(), ["src/a.py", "src/b.ts", "src/c.ts", "tests/x.py", "docs/a.md"]);
}

#[test]
fn a_list_of_what_must_stay_is_no_list_of_what_may_change() {
    for (section, expect) in [
        ("- a.py\n\n**Do NOT touch:**\n- b.py\n\nTests:\n- c.py", "a.py c.py"),
        ("- a.py\n### Forbidden\n- b.py\n### New\n- c.py", "a.py c.py"),
        ("Do not touch any other file:\n- a.py", "a.py"),
        ("🚫 Off-limits\n\n- a.py", ""),
        ("Not allowed:\n\n| File |\n|---|\n| a.py |", ""),
    ] {
        assert_eq!(listed(section).join(" "), expect, "{section}");
    }
}

#[test]
fn no_section_is_told_from_an_empty_one() {
    assert_eq!(paths("# S\n- `a.py`"), None);
    assert_eq!(paths("## Files Not Allowed\n- `a.py`"), None);
    assert_eq!(paths("```\n## Allowed Files\n- `a.py`\n```"), None);
    assert_eq!(paths("## Allowed Files\n\nwhatever is needed\n## X\n- a.py"), Some(vec![]));
    assert_eq!(paths("## Allowed Files"), Some(vec![]));
    for title in ["## ✅ Allowed Files", "### Allowed Files (STRICT)", "## allowed files:"] {
        assert_eq!(paths(&format!("{title}\n- a.py")), Some(vec!["a.py".into()]), "{title}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_nothing_leaves_the_project(
        text in "([-*+`_\\[\\]()|:.,/\\\\~#> é\n]|1\\.|a|src|\\.py|\\.\\.|<!--|-->|and|new|```){0,40}",
    ) {
        for path in listed(&text) {
            prop_assert!(!path.is_empty() && holdpoint_core::path::stays_below(&path), "{path}");
        }
        paths(&format!("## Allowed Files\n{text}"));
    }
}
