//! Whether a program that a shell command runs is a test run: the runners that people use, and what starts them.

use super::wrapper::program;

/// Programs that do nothing but run tests.
const RUNNERS: [&str; 13] = [
    "pytest",
    "py.test",
    "jest",
    "mocha",
    "vitest",
    "phpunit",
    "rspec",
    "nosetests",
    "ava",
    "tox",
    "ctest",
    "nextest",
    "unittest",
];
/// Programs that run tests if they are told `test`.
const TOLD: [&str; 13] = [
    "go",
    "mvn",
    "mvnw",
    "gradle",
    "gradlew",
    "dotnet",
    "make",
    "gmake",
    "just",
    "rake",
    "deno",
    "swift",
    "playwright",
];
/// Programs that run what a package names.
const PACKAGES: [&str; 4] = ["npm", "yarn", "pnpm", "bun"];
/// Programs that start another one, each with the word that has to come first, if any.
const STARTERS: [(&str, &str); 12] = [
    ("npx", ""),
    ("bunx", ""),
    ("pnpx", ""),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("bundle", "exec"),
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("python", "-m"),
    ("python3", "-m"),
];
/// Options with which a runner runs no test.
const NOT: [&str; 9] = [
    "--help",
    "-h",
    "--version",
    "--no-run",
    "--collect-only",
    "--co",
    "--listTests",
    "--list",
    "--list-tests",
];

/// Whether the words of a program run tests.
pub(crate) fn is_test_run(words: &[String]) -> bool {
    let Some((name, args)) = words.split_first() else { return false };
    if args.iter().any(|arg| NOT.contains(&arg.as_str())) {
        return false;
    }
    let (path, name) = (name.as_str(), program(name));
    if let Some(started) = started(name, args) {
        return is_test_run(started);
    }
    let plain = || args.iter().filter(|arg| !arg.starts_with(['-', '+'])).map(String::as_str);
    match name {
        _ if RUNNERS.contains(&name) => true,
        "cargo" => plain().next().is_some_and(|arg| matches!(arg, "test" | "t" | "nextest")),
        "cypress" => plain().next() == Some("run"),
        "node" => args.iter().any(|arg| arg == "--test"),
        // The shell has a `test` of its own.
        "test" | "test.sh" => path.contains('/'),
        _ if TOLD.contains(&name) => plain().any(is_test_target),
        _ if PACKAGES.contains(&name) => is_package_test(plain()),
        _ => false,
    }
}

/// What a program starts, if that is all it does.
fn started<'a>(name: &str, args: &'a [String]) -> Option<&'a [String]> {
    let (_, word) = STARTERS.iter().find(|(starter, word)| {
        *starter == name && (word.is_empty() || args.first().is_some_and(|first| first == word))
    })?;
    let rest = args.get(usize::from(!word.is_empty())..)?;
    let options = rest.iter().take_while(|arg| arg.starts_with('-')).count();
    rest.get(options..).filter(|rest| !rest.is_empty())
}

fn is_test_target(word: &str) -> bool {
    word == "test" || word.ends_with(":test") || word.starts_with("test-") || word.starts_with("test:")
}

/// `test`, `test:unit`, `run test…`, `run e2e`.
fn is_package_test<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let is_script = |word: &str| word.starts_with("test") || word == "e2e" || word.starts_with("e2e:");
    match words.next() {
        Some("run" | "run-script") => words.next().is_some_and(is_script),
        Some("t") => true,
        Some(word) => word == "test" || word.starts_with("test:"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_run(command: &str) -> bool {
        is_test_run(&command.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn runners_are_known_by_what_is_run() {
        for command in [
            "npm test",
            "npm run test:unit",
            "npm run e2e",
            "yarn test",
            "pnpm run test",
            "pytest -q",
            "go test ./...",
            "cargo test --workspace",
            "cargo +nightly nextest run",
            "mvn -q test",
            "./gradlew :app:test",
            "dotnet test",
            "npx jest",
            "jest",
            "node_modules/.bin/mocha",
            "vitest run",
            "phpunit",
            "rspec",
            "bundle exec rspec",
            "npx cypress run",
            "playwright test",
            "python -m pytest -x",
            "python3 -m unittest",
            "make test",
            "node --test",
            "./test",
            "scripts/test.sh",
            "uv run pytest",
        ] {
            assert!(is_run(command), "{command}");
        }
        for command in [
            "npm install",
            "npm run build",
            "test -f x",
            "echo jest",
            "cat jest.config.js",
            "cargo build",
            "make",
            "go build ./...",
            "jest --version",
            "cargo test --no-run",
            "python test.py",
            "git commit -m jest",
            "npx",
        ] {
            assert!(!is_run(command), "{command}");
        }
    }
}
