//! One entry of a list of files: the paths it begins with, without the prose that follows them.

use holdpoint_core::document::cells::span;
use holdpoint_core::path;

/// Words that may stand before a path, in lower case.
const LABELS: [&str; 24] = [
    "add", "added", "change", "changed", "create", "created", "delete", "deleted", "edit", "extend", "file",
    "files", "modify", "modified", "move", "new", "optional", "path", "remove", "rename", "test", "tests",
    "update", "updated",
];

/// What looks like a path and is none.
const NO_PATHS: [&str; 9] =
    ["n/a", "and/or", "e.g", "i.e", "etc", "tbd", "none", "either/or", "input/output"];

/// Files without an ending that are told by their name.
const NAMES: [&str; 9] = [
    "Makefile",
    "Dockerfile",
    "Justfile",
    "justfile",
    "LICENSE",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "CODEOWNERS",
];

/// The paths of a line: of a list's item, or of a line that has only paths and a remark on them.
pub(super) fn paths(line: &str) -> Vec<String> {
    let item = item(line);
    let text = item.unwrap_or(line.trim());
    match read(text) {
        Some((paths, is_all)) if item.is_some() || is_all => paths,
        _ => Vec::new(),
    }
}

/// The paths that a text begins with, a label before them set aside.
pub(crate) fn paths_in(text: &str) -> Vec<String> {
    read(item(text).unwrap_or(text.trim())).map(|(paths, _)| paths).unwrap_or_default()
}

pub(super) fn is_item(line: &str) -> bool {
    item(line).is_some()
}

/// What a list's item says, without its bullet, number and checkbox.
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("> ").trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let after = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        _ => line[digits..].strip_prefix(['.', ')'])?,
    };
    let text = after.strip_prefix([' ', '\t'])?.trim();
    let boxes = ["[ ]", "[x]", "[X]", "[]"];
    Some(boxes.into_iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text).trim_start())
}

/// The paths at the start, and whether they are all it says but for a remark; none if there is no path, or the entry
/// says to leave it alone.
fn read(text: &str) -> Option<(Vec<String>, bool)> {
    let text = without_emphasis(text);
    let mut rest = without_labels(&text);
    let mut found = Vec::new();
    while let Some((name, after)) = next(rest) {
        found.push(name);
        rest = after;
        let joined = ["and ", "→", "->", "=>"].into_iter().find_map(|word| rest.strip_prefix(word));
        match joined.or_else(|| rest.strip_prefix([',', ';', '&', '+'])).or_else(|| rest.strip_prefix("/ ")) {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    let remark = rest.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_kept =
        super::is_forbidden(&remark) || remark.starts_with("must not") || remark.starts_with("unchanged");
    (!found.is_empty() && !is_kept).then(|| (found, ends_or_remarks(rest)))
}

/// Whether nothing follows, or a remark that is set off.
fn ends_or_remarks(rest: &str) -> bool {
    let marks = ["—", "–", "- ", "(", "#", ":", "//", "←", "<-", "|"];
    rest.is_empty() || marks.into_iter().any(|mark| rest.starts_with(mark))
}

/// The text without the stars and underscores around its beginning. Those of a glob stay.
fn without_emphasis(text: &str) -> String {
    for mark in ["**", "__", "*", "_"] {
        let Some(inside) = text.strip_prefix(mark) else { continue };
        if inside.starts_with(['/', '.', '*']) {
            break;
        }
        let closes = |place: usize| {
            let before = inside[..place].chars().last();
            let after = inside[place + mark.len()..].chars().next();
            !matches!(before, None | Some('/'))
                && after.is_none_or(|c| c.is_whitespace() || matches!(c, ':' | ',' | ')'))
        };
        let end = inside.match_indices(mark).map(|(place, _)| place).find(|place| closes(*place));
        return end
            .map_or(text.to_owned(), |end| format!("{}{}", &inside[..end], &inside[end + mark.len()..]));
    }
    text.to_owned()
}

/// The text after words such as `Create:` and `(new)`.
fn without_labels(text: &str) -> &str {
    let mut rest = text;
    loop {
        let word = rest.split_whitespace().next().unwrap_or_default();
        let bare = word.trim_matches(['(', ')', '[', ']', ':', '*']).to_lowercase();
        if !LABELS.contains(&bare.as_str()) {
            return if rest.len() < text.len() { past_a_noun(rest) } else { rest };
        }
        rest = rest[word.len()..].trim_start();
    }
}

/// What follows the one plain word that may stand between a label and a path in code marks: "NEW migration `x.sql`".
fn past_a_noun(text: &str) -> &str {
    match text.split_once(' ') {
        Some((word, rest)) if word.chars().all(char::is_alphabetic) && rest.trim_start().starts_with('`') => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// The next path and what follows it.
fn next(text: &str) -> Option<(String, &str)> {
    let (name, after, is_marked) = if text.starts_with('`') {
        let length = span(text);
        (text.get(..length)?.trim_matches('`').trim(), &text[length..], true)
    } else if let Some((name, after)) = link(text) {
        (name.trim_matches('`'), after, true)
    } else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let word = text[..end].trim_end_matches([',', ';', ':', '.']);
        (word, &text[word.len()..], false)
    };
    let after = after.trim_start_matches('.').trim_start();
    let is_path = if is_marked { is_marked_path(name, after) } else { is_bare_path(name, after) };
    Some((tidied(name)?, after)).filter(|_| is_path)
}

/// A Markdown link's text and what follows it.
fn link(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = after.split_once(')')?;
    Some((name, after))
}

/// Whether what stands in code marks is a path.
fn is_marked_path(name: &str, after: &str) -> bool {
    let first = name.split_whitespace().next().unwrap_or_default();
    let has_spaces = first.len() < name.len();
    let is_alone = after.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    is_clean(name)
        && (!has_spaces || first.contains('/'))
        && (name.contains(['/', '.', '*', '\\']) || is_alone || NAMES.contains(&name))
}

/// Whether a plain word is a path: it has an ending or is a glob or a folder, or has a slash and nothing follows but
/// a remark.
fn is_bare_path(name: &str, after: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    let has_ending = last.rsplit_once('.').is_some_and(|(_, ending)| {
        ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.len() <= 10
            && ending.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '*' | '-'))
    });
    let is_glob = name.contains('*') && name.contains(['/', '.']);
    let is_folder = name.len() > 1 && name.ends_with('/');
    let has_slash = name.contains('/') && (ends_or_remarks(after) || after.starts_with([',', ';']));
    is_clean(name) && (has_ending || is_glob || is_folder || has_slash || NAMES.contains(&name))
}

fn is_clean(name: &str) -> bool {
    !name.is_empty()
        && !NO_PATHS.contains(&name.to_lowercase().as_str())
        && !name.starts_with(['-', '@', '#'])
        && !name.contains("://")
        && !name.contains("...")
        && !name.contains(['|', '"', '`', '=', ';'])
        && !without_placeholders(name).contains(['<', '>'])
        && !name.ends_with("()")
}

/// The name with a star in the place of each `<NNN>`: what somebody has still to choose is any part of a name. A folder or file
/// of which nothing else is said stays as it is, and is no path: it would allow everything.
fn without_placeholders(name: &str) -> String {
    let segments = name.split('/').map(|segment| with_stars(segment).unwrap_or_else(|| segment.to_owned()));
    segments.collect::<Vec<_>>().join("/")
}

/// A part of a path with stars for its placeholders; none if it has none, or nothing beside them.
fn with_stars(segment: &str) -> Option<String> {
    let (before, after) = segment.split_once('<')?;
    let (inside, rest) = after.split_once('>')?;
    let is_placeholder =
        !inside.is_empty() && inside.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    let rest = with_stars(rest).unwrap_or_else(|| rest.to_owned());
    let has_more = before.chars().chain(rest.chars()).any(char::is_alphanumeric);
    (is_placeholder && has_more).then(|| format!("{before}*{rest}"))
}

/// A path as globs are matched against: relative, without the lines meant in it; of a folder, all that is below it.
fn tidied(name: &str) -> Option<String> {
    let is_folder = name.ends_with(['/', '\\']);
    let name = name.split_once("#L").map_or(name, |(name, _)| name);
    let name = match name.rsplit_once(':') {
        Some((before, lines)) if lines.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ',')) => {
            before
        }
        _ => name,
    };
    let tidy = path::tidy(&without_placeholders(name));
    let stays = !tidy.is_empty() && path::stays_below(&tidy);
    stays.then(|| if is_folder { format!("{tidy}/**") } else { tidy })
}
