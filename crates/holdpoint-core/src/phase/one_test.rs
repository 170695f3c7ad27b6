//! How the usual test runners are told to run one test of a suite.

/// The command that runs the test of this name in this file; none where the runner cannot be told by the file's ending.
pub(super) fn command(file: &str, name: &str) -> Option<Vec<String>> {
    let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let (stem, ending) = file.rsplit('/').next()?.rsplit_once('.')?;
    let words: Vec<String> = match ending {
        "py" => vec!["pytest".into(), format!("{file}::{name}"), "-v".into()],
        "go" => ["go", "test", "-run"]
            .map(str::to_owned)
            .into_iter()
            .chain([format!("^{name}$"), format!("./{folder}")])
            .collect(),
        "rs" => ["cargo", "test", "--test", stem, name].map(str::to_owned).to_vec(),
        "js" | "cjs" | "mjs" => ["node", "--test", file].map(str::to_owned).to_vec(),
        _ => return None,
    };
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn a_test_is_run_by_its_runner() {
        for (file, expect) in [
            ("tests/regression/test_sum.py", Some("pytest tests/regression/test_sum.py::sums -v")),
            ("tests/regression/sum_test.go", Some("go test -run ^sums$ ./tests/regression")),
            ("sum_test.go", Some("go test -run ^sums$ ./.")),
            ("tests/sum.rs", Some("cargo test --test sum sums")),
            ("tests/sum.mjs", Some("node --test tests/sum.mjs")),
            ("tests/sum.sh", None),
            ("tests/py", None),
            ("", None),
        ] {
            assert_eq!(command(file, "sums").map(|words| words.join(" ")).as_deref(), expect, "{file}");
        }
    }
}
