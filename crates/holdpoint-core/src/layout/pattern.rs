//! A file name with placeholders, parsed once and then matched against every file.

/// A parsed name: the text before the first placeholder, then each placeholder with the text after it.
pub(super) struct Pattern<'p> {
    head: &'p str,
    holes: Vec<(Hole<'p>, &'p str)>,
}

/// A placeholder as written, and the characters it stands for.
struct Hole<'p> {
    written: &'p str,
    allows: fn(u8) -> bool,
}

/// Pairs of a placeholder as written and its value.
pub(super) type Values<'a> = Vec<(&'a str, &'a str)>;

impl<'p> Pattern<'p> {
    pub(super) fn new(text: &'p str) -> Pattern<'p> {
        let (head, mut rest) = before_hole(text);
        let mut holes = Vec::new();
        while !rest.is_empty() {
            let close = rest.find('}').map_or(rest.len(), |at| at + 1);
            let (written, after) = rest.split_at(close);
            let (text, others) = before_hole(after);
            holes.push((Hole { written, allows: allowed(written) }, text));
            rest = others;
        }
        Pattern { head, holes }
    }

    /// Returns the values of the placeholders if the whole name matches.
    pub(super) fn fit<'a>(&'a self, name: &'a str) -> Option<Values<'a>> {
        fit(&self.holes, name.strip_prefix(self.head)?)
    }

    /// Replaces the placeholders by their values. A placeholder without a value stays as written.
    pub(super) fn fill(&self, values: &Values<'_>) -> String {
        let mut name = self.head.to_owned();
        for (hole, after) in &self.holes {
            let value = values.iter().find(|(written, _)| *written == hole.written);
            name.push_str(value.map_or(hole.written, |(_, value)| value));
            name.push_str(after);
        }
        name
    }
}

fn before_hole(text: &str) -> (&str, &str) {
    text.split_at(text.find('{').unwrap_or(text.len()))
}

/// Returns the characters a placeholder stands for. An unknown placeholder matches nothing.
fn allowed(written: &str) -> fn(u8) -> bool {
    match written {
        "{id}" => |c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_',
        "{n}" => |c| c.is_ascii_digit(),
        _ => |_| false,
    }
}

fn fit<'a>(holes: &'a [(Hole<'_>, &str)], name: &'a str) -> Option<Values<'a>> {
    let Some(((hole, after), others)) = holes.split_first() else {
        return name.is_empty().then(Vec::new);
    };
    let longest = name.bytes().take_while(|c| (hole.allows)(*c)).count();
    // Tries the longest value first, then shorter ones, because the text after it may need some of it.
    (1..=longest).rev().find_map(|length| {
        let (value, rest) = name.split_at(length);
        let mut values = fit(others, rest.strip_prefix(after)?)?;
        values.insert(0, (hole.written, value));
        Some(values)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_value_that_fits_counts() {
        let pattern = Pattern::new("task-{id}-review-{n}.md");
        assert_eq!(pattern.fit("task-1-review-20.md"), Some(vec![("{id}", "1"), ("{n}", "20")]));
        assert_eq!(
            pattern.fit("task-a-review-1-review-2.md"),
            Some(vec![("{id}", "a-review-1"), ("{n}", "2")])
        );
        assert_eq!(Pattern::new("{id}-{n}").fit("a-1-2"), Some(vec![("{id}", "a-1"), ("{n}", "2")]));
        assert_eq!(Pattern::new("{n}{n}").fit("123"), Some(vec![("{n}", "12"), ("{n}", "3")]));
        for other in ["task--review-1.md", "task-1-review-.md", "task-é-review-1.md", "task-1-review-1.md~"]
        {
            assert_eq!(pattern.fit(other), None, "{other}");
        }
    }

    #[test]
    fn a_name_without_placeholders_is_itself() {
        let pattern = Pattern::new("plan.md");
        assert_eq!(pattern.fit("plan.md"), Some(Vec::new()));
        assert_eq!(pattern.fit("plan.md.md"), None);
        assert_eq!(pattern.fill(&vec![("{n}", "1")]), "plan.md");
    }

    #[test]
    fn an_unknown_placeholder_matches_nothing() {
        for text in ["a-{other}.md", "a-{n", "a-{}", "a-{id{n}}.md"] {
            let pattern = Pattern::new(text);
            assert_eq!(pattern.fit(text), None);
            assert_eq!(pattern.fill(&vec![("{n}", "1")]), text);
        }
    }

    #[test]
    fn values_are_filled_in() {
        let values = vec![("{id}", "a-b"), ("{n}", "3")];
        assert_eq!(Pattern::new("task-{id}-review-{n}.md").fill(&values), "task-a-b-review-3.md");
        assert_eq!(Pattern::new("{n}{n}").fill(&values), "33");
    }
}
