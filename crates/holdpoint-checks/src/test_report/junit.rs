//! JUnit's XML, which most runners can write.

use roxmltree::{Document, Node};

use super::tally::Tally;
use super::{Failure, TestReport, cargo, excerpt, place};

/// The name of this form, where a runner's would stand.
pub(super) const NAME: &str = "JUnit";

/// Reads a JUnit document; `None` if it is none. Tests are counted one by one: the totals that runners write are
/// often wrong.
pub fn junit(xml: &str) -> Option<TestReport> {
    let mut report = TestReport::default();
    report.add(NAME, tally(xml)?);
    Some(report)
}

/// The document that an output holds.
pub(super) fn in_output(lines: &[&str]) -> Option<Tally> {
    let start = lines.iter().position(|line| line.starts_with("<?xml") || line.starts_with("<testsuite"))?;
    let end = lines.iter().rposition(|line| line.contains("</testsuite") || line.contains("<testsuite"))?;
    tally(&lines.get(start..=end)?.join("\n"))
}

fn tally(xml: &str) -> Option<Tally> {
    // What XML forbids stands in the output of tests all the same.
    let is_allowed = |letter: &char| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t');
    let clean: String = xml.trim_start_matches('\u{feff}').chars().filter(is_allowed).collect();
    let document = Document::parse(clean.trim()).ok()?;
    let root = document.root_element();
    if !matches!(root.tag_name().name(), "testsuites" | "testsuite") {
        return None;
    }
    let mut tally = Tally::default();
    for case in root.descendants().filter(|node| node.has_tag_name("testcase")) {
        let child = |names: [&str; 2]| case.children().find(|child| names.contains(&child.tag_name().name()));
        if let Some(wrong) = child(["failure", "error"]) {
            tally.count(1, "failed");
            tally.name(failure(case, wrong));
        } else {
            tally.count(1, if child(["skipped", "disabled"]).is_some() { "skipped" } else { "passed" });
        }
    }
    Some(tally)
}

fn failure(case: Node, wrong: Node) -> Failure {
    let name = one_line(case.attribute("name").unwrap_or_default());
    let class = one_line(case.attribute("classname").unwrap_or_default());
    let text = wrong.text().unwrap_or_default();
    let message = wrong.attribute("message").filter(|message| !message.trim().is_empty()).unwrap_or(text);
    let python = python(case, &class);
    let name = match &python {
        Some((file, classes)) => [&[file.as_str()], classes.as_slice(), &[&name]].concat().join("::"),
        None if class.is_empty() || class == name || class == "test" => name,
        None => format!("{class} {name}"),
    };
    let file = case.attribute("file").map(place::tidy).or(python.map(|(file, _)| file));
    Failure {
        name,
        file: file.or_else(|| file_of(&class, text)),
        excerpt: excerpt::first(message.lines().filter(is_message)),
    }
}

fn is_message(line: &&str) -> bool {
    !line.trim_start().starts_with("at ")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// pytest's class name, `tests.test_cart.TestOrder`, as a file and the classes in it.
fn python<'a>(case: Node, class: &'a str) -> Option<(String, Vec<&'a str>)> {
    let is_pytest = case.parent().and_then(|suite| suite.attribute("name")) == Some("pytest");
    let (classes, folders): (Vec<&str>, Vec<&str>) =
        class.split('.').partition(|part| part.starts_with(|letter: char| letter.is_ascii_uppercase()));
    (is_pytest && !folders.concat().is_empty()).then(|| (format!("{}.py", folders.join("/")), classes))
}

/// Where no file is named: a class name that is one, the panic's place, or the last of the stack.
fn file_of(class: &str, text: &str) -> Option<String> {
    if place::is_source(class) {
        return Some(place::tidy(class));
    }
    let lines: Vec<&str> = text.lines().collect();
    let is_rust = lines.iter().any(|line| line.contains(" panicked at "));
    let file = if is_rust {
        cargo::failure_text(&lines, "").and_then(|(file, _)| file)
    } else {
        place::last(&lines)
    };
    // Go's own lines name the file without its folder; the class is the package.
    file.map(|file| if file.contains('/') || !class.contains('/') { file } else { format!("{class}/{file}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! sample {
        ($name:literal) => {
            include_str!(concat!("samples/junit_", $name, ".xml"))
        };
    }

    fn counts(xml: &str) -> Option<[u64; 3]> {
        junit(xml).map(|report| [report.passed, report.failed, report.skipped])
    }

    fn names(xml: &str) -> Vec<String> {
        let failures = junit(xml).map(|report| report.failures).unwrap_or_default();
        let file = |failure: &Failure| failure.file.clone().unwrap_or_default();
        failures.iter().map(|failure| format!("{} @ {}", failure.name, file(failure))).collect()
    }

    #[test]
    fn what_runners_wrote() {
        assert_eq!(counts(sample!("pytest")), Some([2, 7, 0]));
        assert_eq!(
            names(sample!("pytest"))[3],
            "tests/test_cart.py::TestOrder::test_sum @ tests/test_cart.py"
        );
        assert_eq!(counts(sample!("jest")), Some([2, 2, 0]));
        assert_eq!(names(sample!("jest"))[0], "cart adds up @ tests/cart.test.js");
        assert_eq!(counts(sample!("vitest")), Some([2, 3, 0]));
        assert_eq!(names(sample!("vitest"))[1], "tests/cart.test.js cart > adds up @ tests/cart.test.js");
        assert_eq!(counts(sample!("node")), Some([2, 5, 0]));
        assert_eq!(names(sample!("node"))[0], "adds up @ /home/dev/shop/test/cart.test.js");
        assert_eq!(counts(sample!("nextest")), Some([4, 5, 0]));
        assert!(names(sample!("nextest")).contains(&"beta tests::wrong @ beta/src/lib.rs".to_owned()));
        // This one stands in the output, after what a test printed.
        assert_eq!(counts(sample!("mocha")), None);
        let report = super::super::read(sample!("mocha"));
        assert_eq!((report.runner, report.passed, report.failed), (Some(NAME), 1, 5));
        assert_eq!(report.failures[0].file.as_deref(), Some("/home/dev/shop/test/cart.js"));
        assert_eq!(super::super::read(sample!("nextest")).passed, 4);
    }

    #[test]
    fn other_forms() {
        let go = "<testsuites><testsuite name='m/cart'><testcase classname='m/cart' name='TestA'><failure>    cart_test.go:4: no</failure></testcase></testsuite></testsuites>";
        assert_eq!(names(go), ["m/cart TestA @ m/cart/cart_test.go"]);
        let java = "\u{feff}<?xml version='1.0'?>\n<testsuite><testcase classname='a.B' name='c'><error message='x\u{1b}[0m'/></testcase><testcase name='d'><skipped/></testcase></testsuite>";
        assert_eq!((counts(java), names(java)), (Some([0, 1, 1]), vec!["a.B c @ ".to_owned()]));
        assert_eq!(counts("<testsuites tests='5'/>"), Some([0, 0, 0]));
    }

    #[test]
    fn what_is_none() {
        let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><testsuites>&b;</testsuites>";
        for xml in ["", "text", "<html/>", "<testsuites>", "<testsuites/><x/>", bomb] {
            assert_eq!(junit(xml), None, "{xml}");
        }
        let deep = format!("<testsuites>{}{}</testsuites>", "<a>".repeat(50_000), "</a>".repeat(50_000));
        assert_eq!(counts(&deep), Some([0, 0, 0]));
    }
}
