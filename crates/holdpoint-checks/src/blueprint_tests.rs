use proptest::prelude::*;

use super::*;

const MAP: &str = "# Domain Map\n\n| Domain | Path | May import |\n|---|---|---|\n\
    | billing | `src/domains/billing/**` | `shared` |\n| users | src/domains/users | shared, billing |\n\
    | shared | src/shared | none |\n";
const CROSS: &str = "# Cross-cutting\n\n| Type | As |\n|---|---|\n| Money | int, cents |\n";
const SPEC_TEXT: &str = "# S\n\n## Blueprint Reference\n\n**Domain:** billing\n**Cross-cutting:** money\n**Data model:** Invoice\n";

fn words() -> Words {
    let fields = ["Domain", "Cross-cutting", "Data model"].map(str::to_owned).to_vec();
    let reference = Reference { section: "Blueprint Reference".to_owned(), fields };
    Words { domains: "domain-map*".to_owned(), money: money_words(), reference }
}

/// What a workflow might say of money.
pub(crate) fn money_words() -> MoneyWords {
    let list = |words: &[&'static str]| words.iter().copied().map(Into::into).collect::<Vec<_>>().into();
    MoneyWords {
        documents: "cross-cutting*".into(),
        about: list(&["money", "price", "prices", "amount", "amounts"]),
        units: list(&["cents", "minor units"]),
        names: list(&["amount", "balance", "fee", "price", "prices", "*total"]),
    }
}

fn blueprint(documents: &[(&str, &str)]) -> Blueprint {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    Blueprint::read(&documents.iter().map(own).collect::<Vec<_>>(), &words())
}

fn shown(blueprint: &Blueprint, spec: &str, files: &[(&str, &str)]) -> Vec<String> {
    let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let files: Vec<_> = files.iter().map(own).collect();
    let show = |finding: &Finding| format!("{}:{} {}", finding.path, finding.line, finding.code);
    judge(blueprint, spec, &files).iter().map(show).collect()
}

/// Who may not import what, from a file of one part to a module of another.
fn refused(documents: &[(&str, &str)], from: &str, to: &str) -> bool {
    let blueprint = blueprint(documents);
    let (from, to) = (blueprint.map.of_file(from), blueprint.map.of_file(to));
    blueprint.rules.refused(&from, &to).is_some()
}

#[test]
fn the_four_checks_at_once() {
    let blueprint = blueprint(&[("system/domain-map.md", MAP), ("system/cross-cutting.md", CROSS)]);
    let files = [
        ("src/domains/billing/a.py", "from ..users import x\nfrom src.shared import y\n\nprice: float = 0\n"),
        ("src/domains/refunds/a.py", "x = 1\n"),
        ("src/shared/b.py", "import domains.users.models\n"),
        ("tests/billing/test_a.py", "from src.domains.users import x\n"),
        ("docs/a.md", "price: float"),
    ];
    assert_eq!(
        shown(&blueprint, SPEC_TEXT, &files),
        [
            "src/domains/billing/a.py:1 IMPORT_DIRECTION",
            "src/domains/billing/a.py:4 TYPE_MISMATCH",
            "src/domains/refunds/a.py:1 DOMAIN",
            "src/shared/b.py:1 IMPORT_DIRECTION",
        ]
    );
    assert!(shown(&blueprint, SPEC_TEXT, &[]).is_empty());
    let messages: Vec<String> =
        judge(&blueprint, SPEC_TEXT, &[("src/domains/billing/a.py".into(), files[0].1.into())])
            .iter()
            .map(ToString::to_string)
            .collect();
    assert_eq!(
        messages,
        [
            "src/domains/billing/a.py:1: [IMPORT_DIRECTION] `..users.x`: `billing` imports `users`, but `billing` may import shared",
            "src/domains/billing/a.py:4: [TYPE_MISMATCH] `price` is `float`: money is a whole number, in the smallest unit, says the blueprint",
        ]
    );
}

#[test]
fn without_documents_nothing_is_wrong() {
    assert!(shown(&Blueprint::read(&[], &words()), "", &[("a.py", "price: float")]).is_empty());
}

#[test]
fn the_reference_of_a_spec() {
    let blueprint = blueprint(&[("domain-map.md", MAP)]);
    for (text, expect) in [
        ("## Blueprint Reference\nDomain: billing\nCross-cutting: x\nData model: y", &[][..]),
        ("## Blueprint Reference\n- **Domain:** `Billing`\n- **Cross-cutting**: x\n- **Data model:** y", &[]),
        ("## Blueprint Reference\n* Domain: billing\n* Cross-Cutting: x\n* Data Model: y", &[]),
        (
            "## Blueprint Reference\n| Domain | users, billing |\n|---|---|\n| Cross-cutting | x |\n| Data model | y |",
            &[],
        ),
        (
            "## Blueprint Reference\n**Domain:** billing — invoices (core)\n**Cross-cutting:**\n- x\n**Data model:** y\n## Z",
            &[],
        ),
        ("## Blueprint Reference\nDomain: billing\nCross-cutting: x\n**Data model:** -\n", &[]),
        (
            "## Blueprint Reference\nDomain: -\nCross-cutting: x\nData model: y",
            &["spec:1 BLUEPRINT_REFERENCE"],
        ),
        ("# S\n\n## Why", &["spec:1 BLUEPRINT_REFERENCE"]),
        ("```\n## Blueprint Reference\nDomain: billing\n```", &["spec:1 BLUEPRINT_REFERENCE"]),
        ("\n## Blueprint Reference\nDomain: billing\nCross-cutting: x", &["spec:2 BLUEPRINT_REFERENCE"]),
        ("## Blueprint Reference\nDomain:\nCross-cutting: x\nData model: y", &["spec:1 BLUEPRINT_REFERENCE"]),
        (
            "## Blueprint Reference\nDomain: billing\nCross-cutting:\nData model: y",
            &["spec:1 BLUEPRINT_REFERENCE"],
        ),
        (
            "## Blueprint Reference\n## Z\nDomain: billing\nCross-cutting: x\nData model: y",
            &["spec:1 BLUEPRINT_REFERENCE"; 3],
        ),
        ("## Blueprint Reference\nDomain: bill\nCross-cutting: x\nData model: y", &["spec:2 DOMAIN"]),
        ("## Blueprint Reference\nDomain: billings\nCross-cutting: x\nData model: y", &["spec:2 DOMAIN"]),
        (
            "## Blueprint Reference\n\nDomain: billing, refunds\nCross-cutting: x\nData model: y",
            &["spec:3 DOMAIN"],
        ),
        ("## Blueprint Reference\nDomain: {domain}\nCross-cutting: x\nData model: y", &["spec:2 DOMAIN"]),
    ] {
        assert_eq!(shown(&blueprint, text, &[]), expect, "{text}");
    }
}

#[test]
fn without_a_map_any_domain_will_do() {
    let blueprint = blueprint(&[("cross-cutting.md", CROSS)]);
    assert!(shown(&blueprint, &SPEC_TEXT.replace("billing", "anything"), &[]).is_empty());
}

#[test]
fn domains_in_every_form() {
    for map in [
        "| Domain | Responsibility |\n|---|---|\n| billing | x |\n| **User Profile** | y |",
        "| # | Bounded Context |\n|---|---|\n| 1 | Billing |\n| 2 | user-profile |",
        "# Domain Map\n\n- **billing**: invoices\n- `user_profile` — people\n  - sub: x",
        "# Map\n## Domains\n### Billing\ntext\n### User Profile\ntext\n## Rules\n### Other\n",
        "# Map\n## Domain: billing\n## Bounded Context: User Profile\n## Overview",
        "# Map\n## Billing\n## User Profile\n## Import rules",
        "# Map\n## Domains\n- billing (`src/b`)\n- User Profile\n## Notes\n- other",
    ] {
        let blueprint = blueprint(&[("domain-map.md", map)]);
        assert_eq!(blueprint.map.domains(), ["billing", "user_profile"], "{map}");
        assert!(
            blueprint.map.has_domain("Billing Domain") && blueprint.map.has_domain("user profile"),
            "{map}"
        );
        for name in ["bill", "other", "profile", "overview", "domain", ""] {
            assert!(!blueprint.map.has_domain(name), "{map}: {name}");
        }
    }
}

#[test]
fn a_map_that_cannot_be_read_is_searched_for_whole_names() {
    let blueprint = blueprint(&[("domain-map.md", "Our system has billing and user accounts.")]);
    assert!(blueprint.map.has_domain("billing") && blueprint.map.has_domain("User Accounts"));
    assert!(!blueprint.map.has_domain("bill") && !blueprint.map.has_domain("account"));
}

#[test]
fn places_of_files() {
    let blueprint = blueprint(&[
        (
            "domain-map.md",
            "| Domain | Path |\n|---|---|\n| billing | `src/domains/billing/**`, `libs/invoice` |\n| users | |\n| auth | services/*/auth |",
        ),
        ("x.md", "## Imports\n\napi -> domains -> infra\n"),
    ]);
    for (file, expect) in [
        ("src/domains/billing/a.py", "domains billing"),
        ("libs/invoice/a.py", "billing"),
        ("libs/invoice.py", "billing"),
        ("libs/invoices/a.py", ""),
        ("src/billing/a.py", ""),
        ("src/users/a.py", "users"),
        ("src/users.py", "users"),
        ("src/Users/a.py", "users"),
        ("src/users/infra/db.py", "infra users"),
        ("src/domains/users/infra/db.py", "domains users"),
        ("src/api/users/a.py", "api users"),
        ("services/x/auth/a.py", "auth"),
        ("services/auth/a.py", ""),
        ("./src/api/a.py", "api"),
        ("src/other/a.py", ""),
        ("", ""),
    ] {
        assert_eq!(blueprint.map.of_file(file).names().collect::<Vec<_>>().join(" "), expect, "{file}");
    }
}

#[test]
fn files_outside_the_map() {
    let named = blueprint(&[("domain-map.md", MAP)]);
    let unnamed = blueprint(&[("domain-map.md", "- billing\n- users\n")]);
    for (blueprint, file, is_stray) in [
        (&named, "src/domains/refunds/a.py", true),
        (&named, "src/domains/billing/refunds/a.py", false),
        (&named, "src/domains/a.py", false),
        (&named, "src/other/a.py", false),
        (&named, "scripts/a.py", false),
        (&named, "src/domains/refunds/README.md", false),
        (&named, "tests/domains/refunds/test_a.py", false),
        (&unnamed, "src/domains/refunds/a.py", true),
        (&unnamed, "src/domains/users/a.py", false),
        (&unnamed, "src/refunds/a.py", false),
        (&unnamed, "a.py", false),
    ] {
        let found = shown(blueprint, SPEC_TEXT, &[(file, "")]);
        assert_eq!(!found.is_empty(), is_stray, "{file}: {found:?}");
    }
}

#[test]
fn rules_in_every_form() {
    let map = "- billing\n- users\n- shared\n";
    for rule in [
        "## Import direction\n\n- billing -> shared\n- users -> billing, shared",
        "## Import direction\n\n```\nusers → billing → shared\n```",
        "## Dependencies\n\nshared ← billing ← users",
        "## Dependencies\n\nshared <- billing <- users  # never back",
        "## Import rules\n\n`users` --> `billing` (the API only)\n\nbilling, users -> shared",
        "`billing` may import `shared`.\n\n`users` may import `billing` and `shared`",
        "- billing may only import shared\n- users can import billing, shared",
        "## Imports\nbilling imports shared\n\nusers imports shared, and billing.",
        "| Domain | Imports |\n|---|---|\n| billing | shared |\n| users | `billing`, `shared` |",
        "## Dependencies\n\n| Domain | Depends on |\n|---|---|\n| billing | shared |\n| users | shared, billing |",
    ] {
        let documents = [("domain-map.md", map), ("rules.md", rule)];
        for (from, to, expect) in [
            ("billing", "shared", false),
            ("billing", "users", true),
            ("users", "billing", false),
            ("users", "shared", false),
            ("shared", "billing", true),
            ("shared", "users", true),
            ("billing", "billing", false),
            ("billing", "elsewhere", false),
            ("elsewhere", "users", false),
        ] {
            let (from, to) = (format!("src/{from}/a.py"), format!("src/{to}/b"));
            assert_eq!(refused(&documents, &from, &to), expect, "{rule}\n{from} imports {to}");
        }
    }
}

#[test]
fn rules_that_forbid() {
    let map = "- billing\n- users\n- shared\n";
    for (rule, from, to, expect) in [
        ("billing must not import users", "billing", "users", true),
        ("billing must not import users", "users", "billing", false),
        ("billing must not import users", "billing", "shared", false),
        ("`billing` never imports `users` or `shared`", "billing", "shared", true),
        ("Domains must not import each other.", "billing", "users", true),
        ("domains may not import from other domains\n\nbilling may import users", "billing", "users", false),
        ("domains may not import from other domains\n\nbilling may import users", "users", "shared", true),
        ("shared may import nothing", "shared", "users", true),
        ("shared must not import anything", "shared", "users", true),
        ("shared must not import anything", "users", "shared", false),
        ("no domain may import `api`", "users", "api", true),
        ("every domain may import shared\n\nbilling may import users", "billing", "shared", false),
        ("## Imports\n\n❌ billing → users", "billing", "users", true),
        ("## Imports\n\nbilling ↛ users", "billing", "users", true),
        ("## Imports\n\nbilling ↛ users", "users", "billing", false),
        ("| Layer | Must not import |\n|---|---|\n| shared | billing, users |", "shared", "users", true),
        ("| Layer | Must not import |\n|---|---|\n| shared | billing, users |", "users", "shared", false),
        ("| Domain | May import |\n|---|---|\n| billing | — |", "billing", "users", true),
        ("| Domain | May import |\n|---|---|\n| billing | all |", "billing", "users", false),
    ] {
        let documents = [("domain-map.md", map), ("cross-cutting.md", rule)];
        let (from, to) = (format!("src/{from}/a.py"), format!("src/{to}/b"));
        assert_eq!(refused(&documents, &from, &to), expect, "{rule}\n{from} imports {to}");
    }
}

#[test]
fn what_is_no_rule() {
    let map = "- billing\n- users\n- shared\n";
    for text in [
        "## Flow\n\nbilling → users → shared",
        "billing imports users to send letters",
        "## Imports\n\norder placed → invoice sent",
        "## Imports\n\nbilling -> users <- shared",
        "It is important that billing may grow",
        "| Service | Important |\n|---|---|\n| billing | users |",
        "| Service | Depends on |\n|---|---|\n| billing | PostgreSQL |",
        "the code may import whatever it likes",
        "billing may be imported by users",
        "<!-- billing must not import users -->",
    ] {
        let documents = [("domain-map.md", map), ("other.md", text)];
        for (from, to) in [("billing", "users"), ("users", "billing"), ("users", "shared")] {
            assert!(
                !refused(&documents, &format!("src/{from}/a.py"), &format!("src/{to}/b")),
                "{text}: {from} {to}"
            );
        }
    }
}

#[test]
fn layers_beside_domains() {
    let documents = [
        ("domain-map.md", "- billing\n- users\n"),
        ("cross-cutting.md", "## Import direction\n\napi -> domains -> infra -> shared\n"),
    ];
    for (from, to, expect) in [
        ("src/api/a.py", "src/domains/billing/b", false),
        ("src/domains/billing/a.py", "src/api/b", true),
        ("src/domains/billing/a.py", "src/infra/b", false),
        ("src/domains/billing/a.py", "src/domains/users/b", false),
        ("src/infra/a.py", "src/domains/billing/b", true),
        ("src/shared/a.py", "src/infra/b", true),
        ("src/api/a.py", "src/shared/b", false),
        ("src/main.py", "src/api/b", false),
        ("src/billing/infra/a.py", "src/billing/api/b", true),
    ] {
        assert_eq!(refused(&documents, from, to), expect, "{from} imports {to}");
    }
}

#[test]
fn imports_of_every_language_are_judged() {
    let map = "| Domain | Path | May import |\n|---|---|---|\n\
        | billing | `src/billing`, `crates/billing`, `internal/billing`, `@acme/billing` | shared |\n\
        | users | `src/users`, `crates/users`, `internal/users`, `@acme/users` | shared, billing |\n\
        | email | src/email | |\n| core | | |";
    let blueprint = blueprint(&[("domain-map.md", map)]);
    for (file, text, expect) in [
        ("src/billing/a.py", "import users.models", true),
        ("src/billing/a.py", "from src.users import x", true),
        ("src/billing/a.py", "from ..users.models import x", true),
        ("src/billing/a.py", "import email", false),
        ("src/billing/a.py", "from google.cloud.users import x", false),
        ("src/billing/a.py", "import requests, django.users", false),
        ("src/users/a.py", "from billing import x", false),
        ("src/billing/a.ts", "import x from '../users/x'", true),
        ("src/billing/a.ts", "import x from '@/users/x'", true),
        ("src/billing/a.ts", "import x from '@acme/users'", true),
        ("src/billing/a.ts", "import x from '@angular/core'", false),
        ("src/billing/a.ts", "import x from 'users'", false),
        ("src/billing/a.ts", "import x from 'users/x'", true),
        ("src/billing.rs", "use crate::users::X;", true),
        ("src/billing/mod.rs", "fn f() { super::users::g() }", true),
        ("crates/billing/src/lib.rs", "use users::X;", true),
        ("crates/users/src/lib.rs", "use billing::X;", false),
        ("crates/billing/src/lib.rs", "use serde::users::X;", false),
        ("internal/billing/a.go", "import \"github.com/acme/app/internal/users\"", true),
        ("internal/billing/a.go", "import \"app/internal/users/x\"", true),
        ("internal/billing/a.go", "import \"github.com/users/billing/v2/client\"", false),
        ("internal/users/a.go", "import \"app/internal/billing\"", false),
    ] {
        let found = shown(&blueprint, SPEC_TEXT, &[(file, text)]);
        assert_eq!(
            found.iter().any(|line| line.ends_with("IMPORT_DIRECTION")),
            expect,
            "{file}: {text} {found:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_blueprint_is_read(
        text in "(# |## |Domain|Imports|billing|users|\\||---|`|->|→|←|may|not|import|nothing|each other|,|\\.|:|\n| |- |\\*\\*|src/x|all|é|❌){0,50}",
        spec in "(## Blueprint Reference\n|Domain|Cross-cutting|Data model|:|\\*\\*|- |\n|\\||billing| |,){0,30}",
    ) {
        let blueprint = blueprint(&[("domain-map.md", &text), ("cross-cutting.md", &text)]);
        shown(&blueprint, &spec, &[("src/billing/a.py", "from ..users import x"), ("src/users/a.go", &text)]);
    }
}
