//! Values that are secret by the name before them: `API_KEY=…`, `--token …`, `"password": "…"`, headers, URLs.

use super::{REPLACEMENT, Word, is_word};

/// Words before `key` that make it a secret one in small letters: `primary_key` and `cache_key` are not secrets.
const SECRET_KEYS: [&str; 10] =
    ["api", "access", "secret", "private", "auth", "encryption", "signing", "account", "master", "deploy"];
/// The headers whose whole value is a secret.
const HEADERS: [&str; 4] = ["authorization", "proxy-authorization", "cookie", "set-cookie"];
/// How a header of a login begins.
const SCHEMES: [&str; 6] = ["bearer ", "basic ", "token ", "digest ", "apikey ", "negotiate "];
/// A login without a name before it: `Bearer …`.
const BEARER: &str = "bearer";
const BEARER_LEAST: usize = 16;

/// The place of the value that belongs to this word, if it is a secret's name.
pub(super) fn value(text: &str, word: &Word<'_>) -> Option<(usize, usize)> {
    let rest = &text[word.end..];
    if rest.starts_with("://") {
        return login(text, word.end + "://".len());
    }
    let name = word.text.trim_start_matches('-');
    let is_flag = name.len() < word.text.len();
    if HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)) {
        return header(text, word.end);
    }
    if name.eq_ignore_ascii_case(BEARER) {
        return bearer(text, word.end);
    }
    if is_flag && matches!(name, "u" | "user") {
        return user(text, word.end);
    }
    let is_secret = is_secret_name(name);
    is_secret.then(|| assigned(text, word.end, is_flag)).flatten()
}

/// Whether a field of this name with this value is a secret.
pub(super) fn is_field_secret(name: &str, value: &str) -> bool {
    let is_header = HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header));
    (is_header || is_secret_name(name)) && !value.contains(' ') && is_literal(value)
}

/// Whether a value under this name is a secret.
fn is_secret_name(name: &str) -> bool {
    let ends = |end: &str| {
        let start = name.len().wrapping_sub(end.len());
        name.get(start..).is_some_and(|there| there.eq_ignore_ascii_case(end))
    };
    match name.as_bytes().last() {
        Some(b'n' | b'N') if ends("token") => true,
        Some(b'd' | b'D') if ends("password") || ends("passwd") || ends("_pwd") => true,
        Some(b'e' | b'E') if ends("passphrase") => true,
        Some(b'y' | b'Y') if ends("key") => is_secret_key(&name[..name.len() - "key".len()]),
        _ => has_secret(name),
    }
}

/// `_KEY` in capitals, or `api_key`, `accessKey` and their like.
fn is_secret_key(before: &str) -> bool {
    if before.ends_with('_') && !before.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return before.len() > 1;
    }
    let before = before.trim_end_matches(['_', '-']).to_ascii_lowercase();
    SECRET_KEYS.iter().any(|word| before.ends_with(word))
}

/// `SECRET` anywhere in a name that is no file's.
fn has_secret(name: &str) -> bool {
    const WORD: &[u8] = b"secret";
    name.len() >= WORD.len()
        && !name.contains('.')
        && name
            .as_bytes()
            .windows(WORD.len())
            .any(|part| matches!(part[0], b's' | b'S') && part.eq_ignore_ascii_case(WORD))
}

/// The value after `=`, `:` or, for a flag, a space.
fn assigned(text: &str, at: usize, is_flag: bool) -> Option<(usize, usize)> {
    let rest = &text[at..];
    // The quote that ends a name in JSON, in a text that is itself quoted perhaps.
    let named = rest.trim_start_matches(['\\', '"', '\'']);
    let spaced = named.trim_start_matches(' ');
    let has_space = spaced.len() < named.len();
    let after = |skipped: &str| text.len() - skipped.len();
    if let Some(value) = spaced.strip_prefix('=') {
        let is_compared = value.starts_with(['=', '~', '>']);
        let code = value.trim_start_matches(' ');
        let is_code = has_space || code.len() < value.len();
        let place = literal(text, after(code), !is_code).filter(|_| !is_compared)?;
        return Some(place);
    }
    if let Some(value) = spaced.strip_prefix(':') {
        let value = value.trim_start_matches(' ');
        let place = literal(text, after(value), true)?;
        // Unquoted it may be prose, a type or a count: `password: string`, `"token": 5`.
        let is_all = |value: &str, is: fn(&u8) -> bool| value.as_bytes().iter().all(is);
        let is_plain = |value: &str| {
            value.len() < 6 || is_all(value, u8::is_ascii_alphabetic) || is_all(value, u8::is_ascii_digit)
        };
        let is_bare = place.0 == after(value);
        return Some(place).filter(|(start, end)| !is_bare || !is_plain(&text[*start..*end]));
    }
    let (start, end) = literal(text, after(spaced), true).filter(|_| is_flag && has_space)?;
    let value = &text[start..end];
    (!value.starts_with(['-', '/', '.', '~', '|', '&', '>']) && !value.contains('=')).then_some((start, end))
}

/// A value that stands here in quotes, or without them where that is allowed; none if it only refers to one.
fn literal(text: &str, at: usize, is_bare_allowed: bool) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let quoted = rest.trim_start_matches('\\');
    let (start, end) = match quoted.chars().next()? {
        quote @ ('"' | '\'' | '`') => {
            let start = text.len() - quoted.len() + 1;
            let end = text[start..].find([quote, '\n']).map_or(text.len(), |end| start + end);
            (start, start + text[start..end].trim_end_matches('\\').len())
        }
        _ if is_bare_allowed => {
            let is_end = |c: char| c.is_whitespace() || ",;&|)}]<>\"'`\\".contains(c);
            (at, rest.find(is_end).map_or(text.len(), |end| at + end))
        }
        _ => return None,
    };
    is_literal(&text[start..end]).then_some((start, end))
}

/// Whether a value is a value, and not a reference to one, a call, or nothing.
fn is_literal(value: &str) -> bool {
    let is_word = ["true", "false", "null", "none", "undefined", "nil", "string"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word));
    let is_hidden = value.bytes().all(|byte| matches!(byte, b'*' | b'.' | b'x' | b'X' | b'-'));
    !is_word
        && !is_hidden
        && !value.starts_with(['$', '<', '{', '[', '(', '%'])
        && !value.contains('(')
        && !value.starts_with("process.env")
        && !value.starts_with("os.environ")
        && value != REPLACEMENT
}

/// A header's value, up to the end of its line or of the quotes around it.
fn header(text: &str, at: usize) -> Option<(usize, usize)> {
    const ENDS: [char; 5] = ['\n', '\r', '"', '\'', '\\'];
    let rest = text[at..].trim_start_matches(['\\', '"', '\'']);
    let value = rest.strip_prefix(':')?.trim_start_matches(' ').trim_start_matches(['\\', '"', '\'']);
    let start = text.len() - value.len();
    // Only a value that begins as one is looked at to its end: a line may be very long, and full of headers.
    let length = value.find(|c| c == ' ' || ENDS.contains(&c)).unwrap_or(value.len());
    let (first, is_alone) = (&value[..length], !value[length..].starts_with(' '));
    let is_login = SCHEMES
        .iter()
        .any(|scheme| value.get(..scheme.len()).is_some_and(|there| there.eq_ignore_ascii_case(scheme)));
    let is_token = is_alone && first.bytes().any(|byte| byte.is_ascii_digit());
    if !is_login && !is_token && !first.contains('=') {
        return None;
    }
    let value = value[..value.find(ENDS).unwrap_or(value.len())].trim_end();
    is_literal(value.rsplit(' ').next()?).then_some((start, start + value.len()))
}

/// The token after `Bearer`.
fn bearer(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = text[at..].strip_prefix(' ')?;
    let start = text.len() - rest.len();
    let is_part = |byte: u8| is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'~');
    let length = rest.bytes().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    let is_random = rest[..length].bytes().any(|byte| byte.is_ascii_digit());
    (length >= BEARER_LEAST && is_random).then_some((start, start + length))
}

/// The password in `-u name:password`; not the numbers of a user and a group.
fn user(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = text[at..].trim_start_matches([' ', '=']).trim_start_matches(['"', '\'']);
    let start = text.len() - rest.len();
    let length = rest.find(|c: char| c.is_whitespace() || "\"'".contains(c)).unwrap_or(rest.len());
    let (_, password) = rest[..length].split_once(':')?;
    let is_password = password.len() >= 6 && !password.contains(['/', ':']);
    (is_password && is_literal(password)).then_some((start + length - password.len(), start + length))
}

/// The password in `scheme://name:password@host`.
fn login(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let length = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(rest.len());
    let (user, _) = rest[..length].rsplit_once('@')?;
    let start = at + user.find(':').map_or(0, |colon| colon + 1);
    let password = &text[start..at + user.len()];
    // A name alone may be a token, as in `https://TOKEN@host`, but `ssh://git@host` has none.
    let is_name = !user.contains(':')
        && (password.len() < 20 || password.bytes().all(|byte| byte.is_ascii_lowercase()));
    (is_literal(password) && !is_name).then_some((start, at + user.len()))
}
