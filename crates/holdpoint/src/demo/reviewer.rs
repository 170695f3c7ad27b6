//! A demo's scripted reviewers: programs on PATH that take their answers, in order, from a folder.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::script::Answer;
use crate::case::reviewer::quoted;
use crate::store::atomic;
use crate::store::folder::Access;

/// Writes the programs into the tools' folder.
pub(super) fn make(programs: &[String], tools: &Path) -> io::Result<()> {
    std::fs::create_dir(answers(tools))?;
    let script = format!(
        "#!/bin/sh\n\
         answers={}\n\
         for next in \"$answers\"/*; do break; done\n\
         if [ ! -f \"$next\" ]; then echo 'the script has no answer for this review' >&2; exit 1; fi\n\
         mv \"$next\" \"$answers.taken\" && . \"$answers.taken\"\n",
        quoted(&answers(tools).to_string_lossy())
    );
    for program in programs {
        // A program with a path is not looked up on PATH, so it cannot be replaced.
        if program.contains(['/', '\\']) {
            continue;
        }
        let path = tools.join(program);
        atomic::replace_as(&path, script.as_bytes(), Access::Program)?;
    }
    Ok(())
}

/// Writes the reviewers' next answers.
pub(super) fn prepare(list: &[Answer], tools: &Path, root: &Path) -> io::Result<()> {
    for (number, answer) in list.iter().enumerate() {
        let path = answers(tools).join(format!("{number:03}"));
        atomic::create(&path, act(answer, root).as_bytes())?;
    }
    Ok(())
}

/// Renders an answer as a shell script.
fn act(answer: &Answer, root: &Path) -> String {
    let mut lines = Vec::new();
    if let Some(report) = &answer.writes {
        let path = root.join(report);
        let folder = path.parent().unwrap_or(root).to_string_lossy().into_owned();
        lines.push(format!("mkdir -p {}", quoted(&folder)));
        lines.push(format!("printf '%s\\n' {} > {}", quoted(&answer.text), quoted(&path.to_string_lossy())));
    }
    let verdict = answer.verdict.as_ref().map(|verdict| json!({"structured_output": {"verdict": verdict}}));
    let said = answer.says.clone().or(verdict.map(|verdict| verdict.to_string())).unwrap_or_default();
    lines.push(format!("printf '%s' {}", quoted(&said)));
    lines.push(format!("exit {}", answer.exit));
    lines.join("\n")
}

/// Removes the answers that were not used, and returns how many there were.
pub(super) fn left(tools: &Path) -> usize {
    let entries = std::fs::read_dir(answers(tools)).into_iter().flatten().flatten();
    entries.flat_map(|entry| std::fs::remove_file(entry.path())).count()
}

fn answers(tools: &Path) -> PathBuf {
    tools.join("answers")
}
