//! The ready CI jobs of the guide: their commands are taken from the page and run in a clone.

use std::path::Path;

use super::site::Site;
use crate::generated::repository;

/// The lines of the script in the block after a file's name.
fn commands(page: &str, file: &str) -> Vec<String> {
    let after = page.split(&format!("`{file}`")).nth(1).unwrap_or_else(|| panic!("{file}"));
    let block = after.split("```yaml\n").nth(1).unwrap().split("```\n").next().unwrap();
    let lines = block.lines().map(|line| line.trim().trim_start_matches("- ").trim_start_matches("run: "));
    let is_command =
        |line: &&str| ["git ", "holdpoint ", "printf "].iter().any(|word| line.starts_with(word));
    lines.filter(is_command).map(str::to_owned).collect()
}

fn run(site: &Site, clone: &Path, commands: &[String], signers: &str) -> Result<(), String> {
    for command in commands {
        let mut shell = site.program("sh", clone);
        shell.env("ALLOWED_SIGNERS", signers).env("RUNNER_TEMP", site.tools());
        let output = shell.args(["-e", "-c", command]).output().unwrap();
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            return Err(format!("{command}: {}", String::from_utf8_lossy(&said)));
        }
    }
    Ok(())
}

#[test]
fn the_jobs_of_the_guide_work_as_they_are_written() {
    let page = std::fs::read_to_string(repository().join("docs/guide/verify-in-ci.md")).unwrap();
    for (job, file, count) in
        [("github", ".github/workflows/holdpoint.yml", 3), ("gitlab", ".gitlab-ci.yml", 2)]
    {
        let commands = commands(&page, file);
        assert_eq!(commands.len(), count, "{job}: {commands:?}");
        let site = Site::attested();
        let file = site.tools().join("allowed");
        // One service has the text of a variable, the other a file with it.
        let text = std::fs::read_to_string(&file).unwrap();
        let signers = if job == "github" { text } else { file.display().to_string() };
        let clone = site.tools().join(job);
        site.sh(&format!("git clone --quiet . {}", clone.display()));
        run(&site, &clone, &commands, &signers).unwrap();

        site.write("a.py", "x = 2\n");
        site.commit("not proved");
        let clone = site.tools().join(format!("{job}-later"));
        site.sh(&format!("git clone --quiet . {}", clone.display()));
        let said = run(&site, &clone, &commands, &signers).unwrap_err();
        assert!(said.contains("no attestation") && said.contains("the tests fail"), "{said}");
    }
}
