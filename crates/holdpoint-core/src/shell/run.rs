//! A command given as words: the shell's builtins, programs that start another script, and git.

use super::place::{Endings, Place};
use super::walk::Walk;
use super::word::UNKNOWN;
use super::wrapper::{Inner, program, script_argument, unwrap};

impl Walk<'_> {
    pub(super) fn run(&mut self, words: Vec<String>, input: Option<String>, place: Place) -> Endings {
        // `find` ends with 0 whatever the programs came to that it ran.
        if words.first().is_some_and(|name| program(name) == "find") {
            return self.untold(true, |walk| walk.unwrapped(words, input, place));
        }
        self.unwrapped(words, input, place)
    }

    fn unwrapped(&mut self, words: Vec<String>, input: Option<String>, mut place: Place) -> Endings {
        let mut words = words;
        let mut at = place.clone();
        while let Some(inner) = unwrap(&words, input.as_deref()) {
            match inner {
                Inner::Script(script) => {
                    return self.apart(vec![at], |walk, places| walk.script(&script, places));
                }
                Inner::Command { words: inner, dir, git_dir } => {
                    if let Some(dir) = dir {
                        let dir = at.toward(&dir);
                        at.enter(dir);
                    }
                    if git_dir.is_some() {
                        at.set_git_dir(git_dir.as_deref());
                    }
                    words = inner;
                }
            }
        }
        if at != place {
            // A wrapper changes the folder and the settings only for the command it runs.
            return self.apart(vec![place], |walk, mut places| {
                for place in &mut places {
                    place.take_shell(&at);
                }
                walk.each(&places, |walk, place| walk.program(&words, input.clone(), place))
            });
        }
        place = at;
        self.program(&words, input, place)
    }

    fn program(&mut self, words: &[String], input: Option<String>, mut place: Place) -> Endings {
        let Some((name, args)) = words.split_first() else { return Endings::either(vec![place]) };
        self.note(words);
        let name = program(name);
        match name.to_ascii_lowercase().as_str() {
            "git" => return self.git(args, place),
            "cd" | "chdir" | "set-location" | "sl" | "pushd" | "push-location" | "popd" | "pop-location" => {
                return self.change_folder(name, args, place);
            }
            "mkdir" => return self.make_folders(args, place),
            "export" | "declare" | "typeset" | "local" | "readonly" => export(name, args, &mut place),
            "unset" if args.iter().any(|arg| arg == "GIT_DIR") => place.set_git_dir(None),
            "exit" => return self.exit(args, place),
            "eval" | "iex" | "invoke-expression" => {
                let script = if args.is_empty() { input.unwrap_or_default() } else { args.join(" ") };
                return self.script(&script, vec![place]);
            }
            // The trap runs later, at an unknown time, so it is walked now.
            "trap" => {
                if let Some(script) = args.iter().find(|arg| !arg.starts_with('-')) {
                    self.untold(true, |walk| {
                        walk.apart(vec![place.clone()], |walk, places| walk.script(script, places))
                    });
                }
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "fish" | "pwsh" | "powershell" => {
                if let Some(script) = script_argument(args).map(str::to_owned).or(input) {
                    return self.apart(vec![place], |walk, places| walk.script(&script, places));
                }
            }
            "echo" | "write-output" => self.output = Some(echo_output(args)),
            "printf" => self.output = Some(printf_output(args)),
            "cat" | "tee" => self.output = input,
            _ => {}
        }
        Endings::either(vec![place])
    }

    /// Follows `exit`: nothing after it runs in this shell.
    fn exit(&mut self, args: &[String], place: Place) -> Endings {
        let (ok, failed) = match args.first().map(String::as_str) {
            Some("0") => (vec![place], Vec::new()),
            Some(code) if !code.contains(UNKNOWN) => (Vec::new(), vec![place]),
            Some(_) | None => (vec![place.clone()], vec![place]),
        };
        let exits = std::mem::take(&mut self.exits);
        self.exits = self.merge(exits, Endings { ok, failed, rare: Vec::new() });
        Endings::default()
    }

    /// Follows `cd`, `pushd` and `popd`. They surely work only for a folder that exists or that the script created.
    fn change_folder(&mut self, name: &str, args: &[String], mut place: Place) -> Endings {
        let before = place.clone();
        let pushes = name.to_ascii_lowercase().starts_with("push");
        let target = args.iter().find(|arg| arg.as_str() == "-" || !arg.starts_with('-'));
        let dir = match target.map(String::as_str) {
            _ if name.to_ascii_lowercase().starts_with("pop") => place.pop(),
            Some("-") => place.old().map(str::to_owned),
            Some(dir) => Some(place.toward(dir)),
            None if pushes => place.pop(),
            None => None,
        };
        let Some(dir) = dir else { return Endings::either(vec![before]) };
        if pushes {
            place.push(before.dir().to_owned());
        }
        let there = place.has_folder(&dir, self.world);
        place.enter(dir);
        if there { Endings::normally(place, before) } else { Endings::perhaps(place, before) }
    }

    fn make_folders(&mut self, args: &[String], mut place: Place) -> Endings {
        let before = place.clone();
        let parents =
            args.iter().any(|arg| arg == "--parents" || (arg.starts_with('-') && arg.contains('p')));
        for arg in args.iter().filter(|arg| !arg.starts_with('-') && !arg.contains(UNKNOWN)) {
            let dir = place.toward(arg);
            let parent = dir.rsplit_once('/').map_or("", |(parent, _)| parent);
            if parents || parent.is_empty() || place.has_folder(parent, self.world) {
                place.make(dir, false);
            }
        }
        Endings::normally(place, before)
    }
}

/// Follows `export GIT_DIR=…`, which applies to the commands after it. Other variables are remembered as usual.
fn export(name: &str, args: &[String], place: &mut Place) {
    let exports = name == "export" || args.iter().any(|arg| arg.starts_with('-') && arg.contains('x'));
    for arg in args.iter().filter(|arg| !arg.starts_with('-')) {
        if let Some((name, value)) = arg.split_once('=') {
            place.assign(name.to_owned(), value.to_owned());
        }
        if exports && arg.split('=').next() == Some("GIT_DIR") {
            let dir = place.variable("GIT_DIR").map(str::to_owned);
            place.set_git_dir(dir.as_deref());
        }
    }
}

/// Returns the output of `echo`.
fn echo_output(args: &[String]) -> String {
    let options =
        args.iter().take_while(|arg| matches!(arg.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en")).count();
    args.get(options..).unwrap_or_default().join(" ").replace("\\n", "\n")
}

/// Returns the approximate output of `printf`: `%s` replaced by the values, and the remaining values on separate lines.
fn printf_output(args: &[String]) -> String {
    let args = if args.first().is_some_and(|arg| arg == "--") { &args[1..] } else { args };
    let Some((format, values)) = args.split_first() else { return String::new() };
    let mut text = String::new();
    let mut values = values.iter();
    let mut parts = format.split("%s");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(values.next().map(String::as_str).unwrap_or_default());
        text.push_str(part);
    }
    for value in values {
        text.push('\n');
        text.push_str(value);
    }
    text.replace("\\n", "\n")
}
