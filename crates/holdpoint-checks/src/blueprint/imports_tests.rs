use proptest::prelude::*;

use super::*;

/// `line path` for what lies in the project, `line ~path` for what is looked for.
fn shown(file: &str, text: &str) -> Vec<String> {
    let show = |import: &Import| match &import.target {
        Target::Path(path) => format!("{} {path}", import.line),
        Target::Module(module) => format!("{} ~{}", import.line, module.join("/")),
    };
    imports(file, text).iter().map(show).collect()
}

fn check(file: &str, cases: &[(&str, &[&str])]) {
    for (text, expect) in cases {
        assert_eq!(shown(file, text), *expect, "{file}: {text}");
    }
}

#[test]
fn python() {
    check(
        "src/domains/users/service.py",
        &[
            ("import a.b as c, d", &["1 ~a/b", "1 ~d"]),
            ("from a.b import c, d as e", &["1 ~a/b/c", "1 ~a/b/d"]),
            ("from a import (\n  b,\n  c,  # d\n)", &["1 ~a/b", "1 ~a/c"]),
            ("from a import *", &["1 ~a"]),
            ("from . import x", &["1 src/domains/users/x"]),
            ("from .x import y", &["1 src/domains/users/x/y"]),
            ("from ..billing.models import Invoice", &["1 src/domains/billing/models/Invoice"]),
            ("from .. import billing", &["1 src/domains/billing"]),
            ("from ... import x", &["1 src/x"]),
            ("def f():\n    import billing", &["2 ~billing"]),
            ("if x: import billing; y = 1", &["1 ~billing"]),
            ("import a \\\n  .b", &["1 ~a/b"]),
            ("m = importlib.import_module('a.b')", &["1 ~a/b"]),
            ("__import__('a.' + x)", &[]),
            ("__import__('.x')", &["1 src/domains/users/x"]),
            ("import email, json\nfrom datetime import x", &[]),
            ("s = 'import a'  # import b\n'''\nimport c\n'''", &[]),
            ("raise X from e\nyield from a", &[]),
            ("x = {'from': 1, 'a': b}", &[]),
        ],
    );
}

#[test]
fn javascript() {
    check(
        "src/users/a.ts",
        &[
            ("import x from '../billing/b'", &["1 src/billing/b"]),
            ("import {\n a,\n b\n} from \"./c.js\"", &["4 src/users/c.js"]),
            ("import './side'", &["1 src/users/side"]),
            ("export * from '../b'\nexport { c } from '../d'", &["1 src/b", "2 src/d"]),
            ("const x = require('../b')", &["1 src/b"]),
            ("const x = await import('../b')", &["1 src/b"]),
            ("import(`../b`)", &["1 src/b"]),
            ("x = { ...require('../b') }", &["1 src/b"]),
            ("import type { X } from '@/domains/b'", &["1 ~domains/b"]),
            ("import x = require('~/b/c')", &["1 ~b/c"]),
            ("import x from '@acme/b'", &["1 ~@acme/b"]),
            ("import x from 'src/b/c'", &["1 ~src/b/c"]),
            ("import x from 'events'; import y from 'node:fs/promises'", &[]),
            ("Array.from('./x'); a.from('./y'); x.require('./z')", &[]),
            ("const s = \"import x from './y'\" // import './z'", &[]),
            ("import(`./${x}`)", &[]),
            ("type A = import('../b').B", &["1 src/b"]),
        ],
    );
    check("src/a.tsx", &[("<p>import './x'</p>; import './y'", &["1 src/y"])]);
}

#[test]
fn rust() {
    check(
        "crates/app/src/users/service.rs",
        &[
            ("use crate::billing::Invoice;", &["1 crates/app/src/billing/Invoice"]),
            (
                "use crate::{billing::{a, b as c}, shared, x::*};",
                &[
                    "1 crates/app/src/billing/a",
                    "1 crates/app/src/billing/b",
                    "1 crates/app/src/shared",
                    "1 crates/app/src/x",
                ],
            ),
            ("use super::x::y;", &["1 crates/app/src/users/x/y"]),
            ("use super::super::billing;", &["1 crates/app/src/billing"]),
            ("use self::x;", &["1 crates/app/src/users/service/x"]),
            ("use ::billing_core::x;", &["1 ~billing_core/x"]),
            ("pub use billing::{self, Invoice};", &["1 ~billing/self", "1 ~billing/invoice"]),
            ("extern crate billing;", &["1 ~billing"]),
            ("fn f() { crate::billing::f::<u8>() }", &["1 crates/app/src/billing/f"]),
            ("fn f(x: billing::X) -> Vec<shared::Y> {}", &["1 ~billing/x", "1 ~shared/y"]),
            ("use std::fmt; Vec::new(); Kind::A; core::mem::take(x)", &[]),
            (
                "mod a { use super::x; mod b { use super::super::y; } }",
                &["1 crates/app/src/users/service/x", "1 crates/app/src/users/service/y"],
            ),
            ("mod a { } use self::x;", &["1 crates/app/src/users/service/x"]),
            ("#[path = \"../billing/x.rs\"] mod x;", &["1 crates/app/src/billing/x.rs"]),
            ("m! { mod a { use super::x; } }", &["1 crates/app/src/users/service/x"]),
            ("pub(in crate::users) fn f() {}", &[]),
            ("fn f() { p!(\"{}\", crate::x::y(z.q)) }", &["1 crates/app/src/x/y"]),
            ("#[cfg(test)] mod tests { use crate::billing::x; }", &[]),
            ("#[cfg(test)] use crate::billing; use crate::y;", &["1 crates/app/src/y"]),
            ("mod billing; // use crate::x;\nconst S: &str = \"use crate::y;\";", &[]),
        ],
    );
    for (file, expect) in [
        ("src/lib.rs", "1 src/x"),
        ("src/main.rs", "1 src/x"),
        ("src/users.rs", "1 src/users/x"),
        ("src/users/mod.rs", "1 src/users/x"),
        ("tests/it/a.rs", "1 tests/it/a/x"),
    ] {
        assert_eq!(shown(file, "use self::x;"), [expect], "{file}");
    }
}

#[test]
fn go() {
    check(
        "internal/users/a.go",
        &[
            ("import \"github.com/acme/app/internal/billing\"", &["1 ~internal/billing"]),
            (
                "import (\n\t\"fmt\"\n\tb \"acme.io/app/billing\"\n\t. \"app/internal/shared\"\n)",
                &["3 ~billing", "4 ~internal/shared"],
            ),
            ("import _ \"app/x\"; var s = \"app/y\"", &["1 ~x"]),
            ("import \"app/a\"\nimport \"app/b\"\nimport c \"app/c\"", &["1 ~a", "2 ~b", "3 ~c"]),
            ("import \"net/mail\"\nimport \"log\"", &[]),
            ("// import \"app/x\"\nvar s = `import \"app/y\"`", &[]),
        ],
    );
}

proptest! {
    #[test]
    fn any_text_is_read(
        text in "(import|from|use|mod|extern|crate|super|self|pub|in|::|\\.|,|;|\\{|\\}|\\(|\\)|'a/b'|\"x\"| |\n|as|#|\\[|path|=|x|Y|\\*|é){0,40}",
        file in "(src/)?(a/)?b\\.(py|ts|js|rs|go)",
    ) {
        imports(&file, &text);
    }
}
