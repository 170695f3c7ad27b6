//! Walks a parsed script in the order it would run, keeping the place each command would run in.

use brush_parser::ast::{
    AndOr, AndOrList, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand,
    CompoundList, IoRedirect, Pipeline, SeparatorOperator, SimpleCommand,
};

use super::word::{UNKNOWN, expand};
use super::{Commit, Place, within_limits};
use crate::world::World;

/// How deep scripts may start scripts (`sh -c`, `eval`, aliases).
const SCRIPTS_MAX: usize = 8;
/// How much of such scripts is read in all, and what each counts for at least: scripts that start scripts multiply.
const SCRIPT_BYTES_MAX: usize = 256 * 1024;
const SCRIPT_BYTES_MIN: usize = 256;

pub(super) struct Walk<'a> {
    pub(super) world: &'a dyn World,
    pub(super) commits: Vec<Commit>,
    pub(super) fault: Option<String>,
    scripts: usize,
    script_bytes: usize,
}

/// A simple command: its words, and what is fed to it.
struct Line {
    words: Vec<String>,
    assignments: Vec<(String, String)>,
    input: Option<String>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(world: &'a dyn World) -> Walk<'a> {
        Walk { world, commits: Vec::new(), fault: None, scripts: 0, script_bytes: 0 }
    }

    /// Walks a script in `place`; a script that does not parse is read word by word.
    pub(super) fn script(&mut self, script: &str, place: &mut Place) {
        self.script_bytes += script.len().max(SCRIPT_BYTES_MIN);
        if self.scripts >= SCRIPTS_MAX || (self.scripts > 0 && self.script_bytes > SCRIPT_BYTES_MAX) {
            return;
        }
        self.scripts += 1;
        let options = brush_parser::ParserOptions::default();
        let parsed = within_limits(script)
            .then(|| brush_parser::Parser::new(std::io::Cursor::new(script), &options).parse_program().ok())
            .flatten();
        match parsed {
            Some(program) => program.complete_commands.iter().for_each(|list| self.list(list, place)),
            None => self.plain_words(script, place),
        }
        self.scripts -= 1;
    }

    fn plain_words(&mut self, script: &str, place: &mut Place) {
        for command in script.split([';', '\n', '&', '|', '(', ')', '{', '}', '`']) {
            let words =
                command.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
            self.words(words, place);
        }
    }

    fn list(&mut self, list: &CompoundList, place: &mut Place) {
        for item in &list.0 {
            match item.1 {
                SeparatorOperator::Async => self.and_or(&item.0, &mut place.clone()),
                SeparatorOperator::Sequence => self.and_or(&item.0, place),
            }
        }
    }

    fn and_or(&mut self, list: &AndOrList, place: &mut Place) {
        let mut before = place.clone();
        self.pipeline(&list.first, place);
        for next in &list.additional {
            match next {
                AndOr::And(pipeline) => {
                    before = place.clone();
                    self.pipeline(pipeline, place);
                }
                // What stands after `||` runs where the left side failed: as if it had not run.
                AndOr::Or(pipeline) => self.pipeline(pipeline, &mut before.clone()),
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, place: &mut Place) {
        match pipeline.seq.as_slice() {
            [command] => self.command(command, place),
            commands => commands.iter().for_each(|command| self.command(command, &mut place.clone())),
        }
    }

    fn command(&mut self, command: &Command, place: &mut Place) {
        match command {
            Command::Simple(simple) => self.simple(simple, place),
            Command::Compound(compound, _) => self.compound(compound, place),
            // A function's body counts where it is defined: it will hardly be defined for nothing.
            Command::Function(function) => self.compound(&function.body.0, &mut place.clone()),
            Command::ExtendedTest(..) => {}
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, place: &mut Place) {
        match compound {
            CompoundCommand::Arithmetic(_) => {}
            CompoundCommand::ArithmeticForClause(clause) => self.list(&clause.body.list, place),
            CompoundCommand::BraceGroup(group) => self.list(&group.list, place),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, &mut place.clone()),
            CompoundCommand::ForClause(clause) => self.list(&clause.body.list, place),
            CompoundCommand::CaseClause(clause) => {
                let branches = clause.cases.iter().filter_map(|case| case.cmd.as_ref());
                branches.for_each(|list| self.list(list, &mut place.clone()));
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, place);
                self.list(&clause.then, &mut place.clone());
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list, &mut place.clone()));
                    self.list(&other.body, &mut place.clone());
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, place);
                self.list(&clause.1.list, place);
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body, &mut place.clone()),
        }
    }

    fn simple(&mut self, command: &SimpleCommand, place: &mut Place) {
        let line = self.line(command, place);
        if line.words.is_empty() {
            line.assignments.into_iter().for_each(|(name, value)| place.assign(name, value));
            return;
        }
        let git_dir = line.assignments.iter().find(|(name, _)| name == "GIT_DIR");
        if let Some((_, dir)) = git_dir {
            let mut elsewhere = place.clone();
            elsewhere.enter(dir);
            return self.run(line.words, line.input, &mut elsewhere);
        }
        self.run(line.words, line.input, place);
    }

    fn line(&mut self, command: &SimpleCommand, place: &mut Place) -> Line {
        let mut line = Line { words: Vec::new(), assignments: Vec::new(), input: None };
        for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
            self.item(item, &mut line, place);
        }
        line.words.extend(command.word_or_name.iter().map(|word| self.text(word, place)));
        for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
            self.item(item, &mut line, place);
        }
        line
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, line: &mut Line, place: &mut Place) {
        match item {
            CommandPrefixOrSuffixItem::Word(word) => line.words.push(self.text(word, place)),
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                let value = match &assignment.value {
                    AssignmentValue::Scalar(word) => self.text(word, place),
                    AssignmentValue::Array(_) => UNKNOWN.to_string(),
                };
                match &assignment.name {
                    AssignmentName::VariableName(name) if line.words.is_empty() => {
                        line.assignments.push((name.clone(), value));
                    }
                    _ => line.words.push(self.text(word, place)),
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                self.list(&subshell.list, &mut place.clone());
            }
            CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::HereDocument(_, document)) => {
                line.input = Some(document.doc.value.clone());
            }
            CommandPrefixOrSuffixItem::IoRedirect(IoRedirect::HereString(_, word)) => {
                line.input = Some(self.text(word, place));
            }
            CommandPrefixOrSuffixItem::IoRedirect(_) => {}
        }
    }

    fn text(&mut self, word: &brush_parser::ast::Word, place: &Place) -> String {
        let expanded = expand(word, place);
        for script in &expanded.scripts {
            self.script(script, &mut place.clone());
        }
        expanded.text
    }

    /// Runs a command given as words.
    pub(super) fn words(&mut self, words: Vec<String>, place: &mut Place) {
        if !words.is_empty() {
            self.run(words, None, place);
        }
    }

    fn run(&mut self, words: Vec<String>, input: Option<String>, place: &mut Place) {
        let mut words = words.as_slice();
        while let Some(inner) = wrapped(words) {
            words = inner;
        }
        let Some((name, args)) = words.split_first() else { return };
        match program(name) {
            "git" => self.git(args, place),
            "cd" | "pushd" | "chdir" | "Set-Location" => {
                if let Some(dir) = args.iter().find(|arg| !arg.starts_with('-')) {
                    place.enter(dir);
                }
            }
            "eval" => self.script(&args.join(" "), place),
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "pwsh" | "powershell" => {
                let script = script_argument(args).map(str::to_owned).or(input);
                if let Some(script) = script {
                    self.script(&script, &mut place.clone());
                }
            }
            _ => {}
        }
    }
}

/// A program's name without its folder and ending.
fn program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The command inside a wrapper such as `sudo`, `env` or `timeout`; its options and settings are skipped.
fn wrapped(words: &[String]) -> Option<&[String]> {
    let (name, mut rest) = words.split_first()?;
    let takes_value: &[&str] = match program(name) {
        "command" | "builtin" | "nohup" | "time" | "setsid" | "then" | "do" | "else" | "!" => &[],
        "exec" => &["-a"],
        "env" => &["-u", "-C", "-S"],
        "sudo" | "doas" => &["-u", "-g", "-h", "-p", "-C", "-D", "-r", "-t"],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "stdbuf" => &["-i", "-o", "-e"],
        "timeout" => &["-k", "-s"],
        "xargs" => &["-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"],
        _ => return None,
    };
    while let Some(word) = rest.first() {
        let value = takes_value.contains(&word.as_str());
        if !value && !word.starts_with('-') && !word.contains('=') {
            break;
        }
        rest = rest.get(if value { 2 } else { 1 }..).unwrap_or_default();
    }
    if program(name) == "timeout" { rest.get(1..) } else { Some(rest) }
}

/// The script of `sh -c SCRIPT`, `bash -lc SCRIPT` or `pwsh -Command SCRIPT`.
fn script_argument(args: &[String]) -> Option<&str> {
    let short = |arg: &str| arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('c');
    let at = args.iter().position(|arg| short(arg) || arg.eq_ignore_ascii_case("-command"))?;
    args.get(at + 1..)?.iter().find(|arg| !arg.starts_with('-')).map(String::as_str)
}
