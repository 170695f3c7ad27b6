//! A terminal that a test types in.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::project::Printed;
use crate::terminal::in_front;

/// What the word to type is shown in.
const MARK: &str = "Type `";

/// Runs a command whose standard input is a terminal. `answer` gets the word that is shown, and says what is typed.
pub(crate) fn typed(command: Command, answer: impl Fn(&str) -> String) -> Printed {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let theirs = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut ours = File::from(ours);
    let mut command = in_front(&command);
    command.stdin(theirs).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut stderr = String::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        if let Some((word, _)) = line.strip_prefix(MARK).and_then(|rest| rest.split_once('`')) {
            ours.write_all(answer(word).as_bytes()).unwrap();
        }
        stderr.push_str(&line);
        line.clear();
    }
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    Printed { code: child.wait().unwrap().code(), stdout, stderr }
}
