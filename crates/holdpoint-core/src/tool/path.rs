//! The files that a tool call names.

use serde_json::Value as Json;

/// The names under which agents and servers give a file that is written.
const NAMES: [&str; 17] = [
    "file_path",
    "filePath",
    "notebook_path",
    "path",
    "absolute_path",
    "relative_path",
    "target_file",
    "targetFile",
    "filename",
    "file_name",
    "fileName",
    "uri",
    "destination",
    "source",
    "new_path",
    "old_path",
    "paths",
];
/// Lists of edits or files, each with its own path.
const LISTS: [&str; 2] = ["edits", "files"];

/// The files that an input names, each once.
pub(super) fn named(input: &Json) -> Vec<String> {
    let mut paths = Vec::new();
    collect(input, &mut paths);
    for list in LISTS.iter().filter_map(|name| input.get(*name)?.as_array()) {
        for item in list {
            collect(item, &mut paths);
        }
    }
    paths
}

fn collect(item: &Json, paths: &mut Vec<String>) {
    for value in NAMES.iter().filter_map(|name| item.get(*name)) {
        texts(value, paths);
    }
}

fn texts(value: &Json, paths: &mut Vec<String>) {
    match value {
        Json::String(path) => {
            let path = path.strip_prefix("file://").unwrap_or(path);
            if !path.is_empty() && !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
        }
        Json::Array(values) => {
            for value in values {
                texts(value, paths);
            }
        }
        _ => {}
    }
}

/// The files that a patch touches. Blanks before a line of its own count for nothing, as agents read it.
pub(super) fn patched(patch: &str) -> Vec<String> {
    const MARKS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    let named = |line: &str| {
        let line = line.trim_start();
        MARKS.iter().find_map(|mark| line.strip_prefix(mark).map(|path| path.trim().to_owned()))
    };
    patch.lines().filter_map(named).filter(|path| !path.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_spelling_of_a_path_is_found() {
        for (input, paths) in [
            (json!({"file_path": "a"}), vec!["a"]),
            (json!({"file_path": ["a", "b"]}), vec!["a", "b"]),
            (json!({"uri": "file:///p/a"}), vec!["/p/a"]),
            (json!({"source": "a", "destination": "b"}), vec!["b", "a"]),
            (json!({"file_path": "a", "edits": [{"old_string": "x"}]}), vec!["a"]),
            (json!({"edits": [{"file_path": "a"}, {"path": "b"}, {"path": "a"}]}), vec!["a", "b"]),
            (json!({"files": [{"path": "a", "content": "path"}]}), vec!["a"]),
            (json!({"path": ""}), vec![]),
            (json!({"path": 3}), vec![]),
            (json!(null), vec![]),
        ] {
            assert_eq!(named(&input), paths, "{input}");
        }
    }

    #[test]
    fn the_lines_of_a_patch_may_be_padded() {
        let patch = "*** Begin Patch\n  *** Update File: a/b.rs\n@@\n\t*** Move to:c.rs\n*** Add File: d.md  \n*** End Patch";
        assert_eq!(patched(patch), ["a/b.rs", "c.rs", "d.md"]);
    }
}
