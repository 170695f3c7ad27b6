use proptest::prelude::*;

use super::*;

/// Texts with a secret, and what is left of them.
const SECRETS: [(&str, &str); 34] = [
    (
        "curl -H \"Authorization: Bearer sk-live-SECRET\" https://api",
        "curl -H \"Authorization: [secret]\" https://api",
    ),
    ("curl -H 'authorization: Basic dXNlcjpwYXNz' x", "curl -H 'authorization: [secret]' x"),
    ("Cookie: session=abc123; theme=dark\nnext", "Cookie: [secret]\nnext"),
    ("http GET x X-Api-Key:9f8e7d6c5b", "http GET x X-Api-Key:[secret]"),
    ("export GITHUB_TOKEN=abcdef && git push", "export GITHUB_TOKEN=[secret] && git push"),
    ("STRIPE_KEY='a b c' ./run", "STRIPE_KEY='[secret]' ./run"),
    ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG aws s3 ls", "AWS_SECRET_ACCESS_KEY=[secret] aws s3 ls"),
    ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[secret] psql"),
    ("MYSQL_PWD=x1 mysql", "MYSQL_PWD=[secret] mysql"),
    ("gh auth login --token abc123", "gh auth login --token [secret]"),
    ("tool --password=hunter2 --verbose", "tool --password=[secret] --verbose"),
    ("tool --api-key \"k 1\" x", "tool --api-key \"[secret]\" x"),
    ("{\"api_key\": \"abc\", \"n\": 1}", "{\"api_key\": \"[secret]\", \"n\": 1}"),
    ("{\\\"clientSecret\\\": \\\"abc\\\"}", "{\\\"clientSecret\\\": \\\"[secret]\\\"}"),
    ("password: hunter2", "password: [secret]"),
    ("git clone https://me:hunter2@host/x.git", "git clone https://me:[secret]@host/x.git"),
    ("postgres://app:p%40ss@db:5432/x", "postgres://app:[secret]@db:5432/x"),
    ("https://abcdefghij0123456789@host/x", "https://[secret]@host/x"),
    ("curl -u me:hunter22 https://x", "curl -u me:[secret] https://x"),
    ("key sk-ant-api03-Abc_def end", "key [secret] end"),
    ("ghp_0123456789abcdefABCDEF0123456789abcd", "[secret]"),
    ("x=gho_0123456789abcdefABCDEF0123456789abcd;", "x=[secret];"),
    ("github_pat_11ABCDEFG0aBcDeFgHiJkL_mno", "[secret]"),
    ("glpat-ABCdef123456789012345", "[secret]"),
    ("id AKIAIOSFODNN7EXAMPLE.", "id [secret]."),
    ("xoxb-123456789012-abcdefABCDEF", "[secret]"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[secret]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[secret]"),
    ("got Bearer abcdef0123456789ABCDEF", "got Bearer [secret]"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "[secret]\nafter"),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\ncut off", "[secret]"),
    ("token = \"abc\" # in a file", "token = \"[secret]\" # in a file"),
    ("npm_0123456789abcdefghijABCDEFGHIJ012345", "[secret]"),
    ("äöü DB_PASSWORD=ünter2 ß", "äöü DB_PASSWORD=[secret] ß"),
];

/// Texts that stay as they are.
const ORDINARY: [&str; 39] = [
    "git commit -m 'feat(cart): add up prices'",
    "cargo test --workspace --no-fail-fast",
    "sorted(xs, key=len)",
    "id = Column(Integer, primary_key=True)",
    "PWD=/home/me/app",
    "cd /home/me && ls -la",
    "curl -H \"Authorization: Bearer $TOKEN\" https://api",
    "export GITHUB_TOKEN=$(gh auth token)",
    "API_KEY=${{ secrets.API_KEY }}",
    "token = read_token()",
    "if token == expected:",
    "max_tokens=4096",
    "unexpected token: }",
    "Password: required",
    "password: string",
    "const password = process.env.PASSWORD",
    "git clone git@github.com:me/x.git",
    "git clone ssh://git@host/x.git",
    "https://host:8080/path?x=1",
    "docker run -u 1000:1000 image",
    "docker build --secret id=npm,src=.npmrc .",
    "tool --token-file ./token",
    "tool --token --verbose",
    "holdpoint myflow next",
    "475d685f3b1b4c6d8e9f0a1b2c3d4e5f60718293",
    "550e8400-e29b-41d4-a716-446655440000",
    "pip install sk-learn-contrib",
    "locale sk-SK",
    "npm_config_cache=/tmp/x",
    "ssh-keygen -t ed25519 -f key",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    "crates/holdpoint-core/src/secret.rs: 12",
    "TOKEN=[secret]",
    "PASSWORD=********",
    "Authorization: how a login works",
    "eyJ",
    "grep -rn 'password' src/ tests/",
    "the key: value pairs of a state file",
    "{\"token\": 12345678}",
];

#[test]
fn secrets_are_replaced_and_nothing_else() {
    for (text, expected) in SECRETS {
        assert_eq!(replaced(text), expected, "{text}");
    }
    for text in ORDINARY {
        assert_eq!(replaced(text), text);
        assert!(matches!(replaced(text), Cow::Borrowed(_)), "{text} was copied");
    }
}

#[test]
fn fields_of_json_are_values_of_their_names() {
    let mut value = serde_json::json!({
        "api_key": "abc", "phase": "code", "n": [1, "PGPASSWORD=x1 psql", {"password": "p", "key": "k"}],
        "token": 5, "secret_kind": "${X}",
    });
    replace_in("", &mut value);
    let expected = serde_json::json!({
        "api_key": "[secret]", "phase": "code", "n": [1, "PGPASSWORD=[secret] psql", {"password": "[secret]", "key": "k"}],
        "token": 5, "secret_kind": "${X}",
    });
    assert_eq!(value, expected);
}

/// A tool call may bring megabytes along; none of them makes this slow. (A second is a thousand times what it takes.)
#[test]
fn long_texts_are_read_in_one_go() {
    for piece in [
        "Authorization: a b ",
        "TOKEN=$X ",
        "-----BEGIN X-----",
        "a://b:$c@d ",
        "Bearer ",
        "\\\"TOKEN\\\": 5, ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        assert!(matches!(replaced(&text), Cow::Borrowed(_)), "{piece}");
    }
}

/// Pieces from which texts are made that are likely to be misread.
const PIECES: [&str; 30] = [
    "TOKEN",
    "API_KEY",
    "password",
    "--token",
    "=",
    ":",
    " ",
    "\"",
    "'",
    "\\",
    "://",
    "@",
    "/",
    "\n",
    "Authorization",
    "Bearer",
    "sk-A1234567890",
    "ghp_0123456789abcdefABCD",
    "eyJabc.def.ghi0123456789",
    "-----BEGIN",
    " PRIVATE KEY",
    "-----",
    "-----END",
    "ä",
    "[secret]",
    "x1y2z3",
    "$",
    "-u",
    ",",
    "secret",
];

proptest! {
    #[test]
    fn twice_is_once(pieces in proptest::collection::vec(0..PIECES.len(), 0..14)) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        let once = replaced(&text).into_owned();
        prop_assert_eq!(replaced(&once), once.as_str(), "{}", text);
    }

    #[test]
    fn no_text_is_too_odd(text in ".*") {
        let once = replaced(&text).into_owned();
        prop_assert_eq!(replaced(&once), once.as_str(), "{}", text);
    }
}
