//! What the engine's nouns are: the closed lists of their attributes, for `check`. A noun that gets a new attribute gets
//! it here too.

/// Attributes, each with what it is.
pub(crate) type Attributes = &'static [(&'static str, Is)];

/// What a fact is, as far as it is known without a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Is {
    /// Anything.
    Any,
    /// A text.
    Text,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A list of anything.
    List,
    /// The tasks of a plan.
    Tasks,
    /// The approvals of a workflow.
    Approvals,
    /// Something with these attributes and no others.
    Table(Attributes),
    /// A function, and what it gives.
    Function(&'static Is),
    /// A table whose keys are names of this workflow.
    By(Names, &'static Is),
    /// A text that is one of the names of this workflow.
    One(Names),
}

/// Names that a workflow, or the engine, gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// The phases.
    Phases,
    /// The limits.
    Limits,
    /// The reviewers.
    Reviewers,
    /// The approvals.
    Approvals,
    /// The arguments of all commands.
    Arguments,
    /// The flags of all commands.
    Flags,
    /// The fields of the state.
    Fields,
    /// The fields of the current item.
    ItemFields,
    /// Whose turn a phase can be.
    Actors,
    /// The verdicts that somebody can give.
    Verdicts,
    /// The moments of events.
    Moments,
    /// The kinds of tools.
    ToolKinds,
    /// The environment variables that workflows can read.
    Variables,
}

const TOOL: Attributes = &[
    ("name", Is::Text),
    ("kind", Is::One(Names::ToolKinds)),
    ("agent", Is::Text),
    ("text", Is::Text),
    ("command", Is::Text),
    ("paths", Is::List),
    ("files", Is::List),
    ("input", Is::Any),
    ("result", Is::Text),
    ("error", Is::Text),
    ("exit", Is::Number),
    ("commits", Is::Truth),
    ("commits_to", Is::List),
    ("pushes", Is::Truth),
    ("pushes_to", Is::List),
    ("runs", Is::Function(&Is::Truth)),
    ("tests", Is::Table(TESTS)),
];
const TESTS: Attributes = &[
    ("outcome", Is::Text),
    ("failed", Is::Number),
    ("skipped", Is::Number),
    ("skips", Is::List),
    ("error", Is::Text),
    ("runner", Is::Text),
];
const EVENT: Attributes = &[
    ("moment", Is::One(Names::Moments)),
    ("session", Is::Text),
    ("agent", Is::Text),
    ("prompt", Is::Text),
    ("cwd", Is::Text),
    ("subagent", Is::Text),
    ("source", Is::Text),
    ("task", Is::Text),
];
const EVIDENCE: Attributes = &[
    ("verdict", Is::One(Names::Verdicts)),
    ("passed", Is::Truth),
    ("fresh", Is::Truth),
    ("tree", Is::Text),
    ("details", Is::Any),
    ("exit", Is::Number),
    ("took_ms", Is::Number),
    ("log", Is::Text),
    ("log_digest", Is::Text),
    ("doubts", Is::List),
    ("at", Is::Text),
    ("phase", Is::One(Names::Phases)),
    ("round", Is::Number),
    ("command", Is::List),
    ("item", Is::Any),
    ("workflow", Is::Text),
];
const RUN: Attributes = &[
    ("home", Is::Text),
    ("folder", Is::Text),
    ("name", Is::Text),
    ("id", Is::Text),
    ("state", Is::Text),
    ("has_state", Is::Truth),
    ("broken", Is::Text),
    ("lacks", Is::List),
    ("age", Is::Number),
    ("mine", Is::Truth),
    ("level", Is::Text),
];
const HEAD: Attributes = &[
    ("id", Is::Text),
    ("parent", Is::Text),
    ("parents", Is::Number),
    ("tree", Is::Text),
    ("subject", Is::Text),
    ("paths", Is::List),
];
const FILE: Attributes = &[
    ("exists", Is::Truth),
    ("is_text", Is::Truth),
    ("text", Is::Text),
    ("json", Is::Any),
    ("lines", Is::Number),
    ("statuses", Is::List),
    ("path", Is::Text),
];
const FINDINGS: Attributes = &[
    ("exists", Is::Truth),
    ("high", Is::Number),
    ("medium", Is::Number),
    ("low", Is::Number),
    ("total", Is::Number),
    ("clean", Is::Truth),
    ("malformed", Is::Truth),
    ("items", Is::List),
];
const KEPT: Attributes = &[("exists", Is::Truth), ("text", Is::Text)];
const PROGRAM: Attributes = &[("path", Is::Text), ("version", Is::Text)];
const DELEGATION: Attributes = &[("called", Is::Text), ("agent", Is::Text), ("phase", Is::Text)];
const PHASE: Attributes = &[
    ("name", Is::One(Names::Phases)),
    ("by", Is::One(Names::Actors)),
    ("tree", Is::Text),
    ("changed", Is::List),
    ("breaches", Is::List),
];
const BEGAN: Attributes = &[("tree", Is::Text), ("head", Is::Text), ("landed", Is::Text)];
const BREACHES: Attributes =
    &[("files", Is::List), ("frozen", Is::List), ("head", Is::Text), ("settings", Is::Truth)];

/// What the attributes of a task in a plan are called.
pub(crate) const TASK: [&str; 3] = ["id", "name", "files"];
/// What the attributes of an approval are called.
pub(crate) const APPROVAL: [&str; 5] = ["name", "who", "given", "by", "at"];

/// What a noun is; `None` if there is none of that name.
pub(crate) fn noun(name: &str) -> Option<Is> {
    const EACH_EVIDENCE: Is = Is::Table(EVIDENCE);
    Some(match name {
        "absent" | "allowed_files" | "range" | "since" => Is::Function(&Is::List),
        "approvals" => Is::Approvals,
        "args" => Is::By(Names::Arguments, &Is::Text),
        "began" => Is::Table(BEGAN),
        "breaches" => Is::Table(BREACHES),
        "changed" => Is::List,
        "landed" => Is::Truth,
        "because" | "cwd" | "nonce" | "tree" => Is::Text,
        "delegation" => Is::Table(DELEGATION),
        "env" => Is::By(Names::Variables, &Is::Text),
        "runs" => Is::Any,
        "event" => Is::Table(EVENT),
        "evidence" => Is::By(Names::Phases, &EACH_EVIDENCE),
        "file" => Is::Function(&Is::Table(FILE)),
        "findings" => Is::Function(&Is::Table(FINDINGS)),
        "flags" => Is::By(Names::Flags, &Is::Any),
        "git" => Is::Table(&[
            ("branch", Is::Text),
            ("head", Is::Table(HEAD)),
            ("contains", Is::Function(&Is::Truth)),
        ]),
        "kept" => Is::Function(&Is::Table(KEPT)),
        "layout" => Is::Table(&[("faults", Is::List)]),
        "first_json" | "markdown" => Is::Function(&Is::Any),
        "now" => Is::Table(&[("iso", Is::Text), ("exact", Is::Text), ("epoch", Is::Number)]),
        "phase" => Is::Table(PHASE),
        "planned" => Is::Function(&Is::Tasks),
        "program" => Is::Function(&Is::Table(PROGRAM)),
        "approved" | "proved" | "there" | "writable" => Is::Function(&Is::Truth),
        "reviewers" => Is::By(Names::Reviewers, &Is::Table(&[("command", Is::List)])),
        "rounds" => Is::By(Names::Limits, &Is::Number),
        "run" => Is::Table(RUN),
        "state" => Is::By(Names::Fields, &Is::Any),
        "highest" => Is::Function(&Is::Number),
        "table" => Is::Function(&Is::Table(&[("rows", Is::List), ("lacks", Is::List), ("placed", Is::List)])),
        "tool" => Is::Table(TOOL),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_noun_is_something() {
        for name in crate::facts::NOUNS {
            assert!(noun(name).is_some(), "{name}");
        }
    }

    /// The attributes that an object of the source answers to: the words before `=>` in its `match`.
    fn arms(source: &str, from: &str) -> Vec<String> {
        let body = source.split_once(from).expect("the object is there").1;
        let body = &body[..body.find("_ => ").expect("it has a last arm")];
        let arm = |line: &str| Some(line.trim().strip_prefix('"')?.split_once("\" =>")?.0.to_owned());
        body.lines().filter_map(arm).collect()
    }

    #[test]
    fn the_lists_are_what_the_objects_answer_to() {
        let nouns = include_str!("nouns.rs");
        for (source, from, list) in [
            (include_str!("tool.rs"), "impl Object for ToolFact", TOOL),
            (nouns, "impl Object for EventFact", EVENT),
            (nouns, "impl RunFact", RUN),
            (nouns, "impl Object for Program", PROGRAM),
            (include_str!("evidence.rs"), "impl Object for HeadFact", HEAD),
            (include_str!("phase.rs"), "impl Object for PhaseFact", PHASE),
            (include_str!("file.rs"), "impl Object for File", FILE),
        ] {
            let mut answered = arms(source, from);
            let mut listed: Vec<String> = list.iter().map(|(name, _)| (*name).to_owned()).collect();
            answered.sort();
            listed.sort();
            assert_eq!(answered, listed, "{from}");
        }
    }
}
