//! Programs that run another command or script: `sudo`, `env`, `find -exec`, `su -c` and the like.

/// The command or script that a wrapper runs.
pub(super) enum Inner {
    /// A command, with the folder and the `GIT_DIR` that the wrapper sets.
    Command { words: Vec<String>, dir: Option<String>, git_dir: Option<String> },
    /// Shell text.
    Script(String),
}

/// Returns a program's name without folder and extension.
pub(super) fn program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns what a wrapper runs, or none if the command is not a wrapper. `input` is its standard input.
pub(super) fn unwrap(words: &[String], input: Option<&str>) -> Option<Inner> {
    let (name, rest) = words.split_first()?;
    let name = program(name);
    if let Some(script) = script_of(name, rest) {
        return Some(Inner::Script(script));
    }
    if name == "find" {
        let at =
            rest.iter().position(|arg| matches!(arg.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"))?;
        let words = rest.get(at + 1..)?.iter().take_while(|arg| !matches!(arg.as_str(), ";" | "+"));
        return Some(command(words.cloned().collect()));
    }
    let mut inner = skip_options(name, rest, takes_value(name)?);
    if name == "xargs"
        && let (Some(input), Inner::Command { words, .. }) = (input, &mut inner)
    {
        words.extend(input.split_whitespace().map(str::to_owned));
    }
    Some(inner)
}

fn command(words: Vec<String>) -> Inner {
    Inner::Command { words, dir: None, git_dir: None }
}

/// Returns a wrapper's options that take the next word, or none if the program is not a wrapper.
fn takes_value(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        // The last three remain of `time -v …` after the parser has consumed the keyword `time`.
        "command" | "builtin" | "nohup" | "setsid" | "then" | "do" | "else" | "!" | "busybox" | "-v"
        | "-p" | "--" => &[],
        "time" => &["-f", "-o", "--format", "--output"],
        "exec" => &["-a"],
        "env" => &["-u", "-C", "--unset", "--chdir"],
        "sudo" | "doas" => &["-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t"],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "stdbuf" => &["-i", "-o", "-e"],
        "timeout" => &["-k", "-s"],
        "flock" => &["-w", "--timeout", "-E", "--conflict-exit-code"],
        "strace" | "ltrace" => {
            &["-o", "-e", "-p", "-s", "-a", "-u", "-E", "-O", "-S", "-P", "-I", "-b", "-X"]
        }
        "xargs" => &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"],
        _ => return None,
    })
}

/// Skips a wrapper's options and returns its command, with the folder and the `GIT_DIR` that the options set.
fn skip_options(name: &str, mut rest: &[String], takes_value: &[&str]) -> Inner {
    let (mut dir, mut git_dir) = (None, None);
    while let Some(word) = rest.first() {
        let value = takes_value.contains(&word.as_str());
        let setting = word.split_once('=');
        if !value && !word.starts_with('-') && setting.is_none() {
            break;
        }
        match (name, word.as_str(), setting) {
            ("env", "-C" | "--chdir", _) | ("sudo", "-D", _) => dir = rest.get(1).cloned(),
            ("env", _, Some(("--chdir", to))) => dir = Some(to.to_owned()),
            (_, _, Some(("GIT_DIR", to))) => git_dir = Some(to.to_owned()),
            _ => {}
        }
        rest = rest.get(if value { 2 } else { 1 }..).unwrap_or_default();
    }
    // `timeout` and `flock` take one argument before the command.
    let own = usize::from(matches!(name, "timeout" | "flock"));
    Inner::Command { words: rest.get(own..).unwrap_or_default().to_vec(), dir, git_dir }
}

/// Returns the shell script in a wrapper's arguments.
fn script_of(name: &str, args: &[String]) -> Option<String> {
    match name {
        "su" | "runuser" | "script" | "flock" => {
            let attached = args.iter().find_map(|arg| arg.strip_prefix("--command="));
            let long = || args.iter().position(|arg| arg == "--command").and_then(|at| args.get(at + 1));
            let short = || {
                // In `flock FILE git -c …` the `-c` belongs to git: only an option at the front or right after the file counts.
                let front = if name == "flock" { 3 } else { args.len() };
                script_argument(args.get(..front.min(args.len()))?).map(str::to_owned)
            };
            attached.map(str::to_owned).or_else(|| long().cloned()).or_else(short)
        }
        "env" => {
            let at = args.iter().position(|arg| {
                (arg.starts_with("-S") || arg.starts_with("--split-string")) && !arg.is_empty()
            })?;
            let options = args.get(..at)?;
            if options.iter().any(|arg| !arg.starts_with('-') && !arg.contains('=')) {
                return None;
            }
            let own = &args[at];
            let text =
                own.strip_prefix("--split-string").or_else(|| own.strip_prefix("-S")).unwrap_or_default();
            let mut words: Vec<&str> = vec![text.trim_start_matches('=')];
            words.extend(args.get(at + 1..)?.iter().map(String::as_str));
            Some(words.join(" "))
        }
        "watch" => {
            let mut rest = args;
            while let Some(word) = rest.first().filter(|word| word.starts_with('-')) {
                let value = matches!(word.as_str(), "-n" | "--interval");
                rest = rest.get(if value { 2 } else { 1 }..).unwrap_or_default();
            }
            Some(rest.join(" "))
        }
        _ => None,
    }
}

/// Returns the script of `sh -c SCRIPT`, `bash -lc SCRIPT` or `pwsh -Command SCRIPT`.
pub(super) fn script_argument(args: &[String]) -> Option<&str> {
    let short = |arg: &str| arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c');
    let at = args.iter().position(|arg| short(arg) || arg.eq_ignore_ascii_case("-command"))?;
    args.get(at + 1..)?.iter().find(|arg| !arg.starts_with('-')).map(String::as_str)
}
