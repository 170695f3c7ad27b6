//! A problem in a workflow's files: its position, a message, and a hint.

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The workflow cannot be used.
    Error,
    /// The workflow can be used, but probably not as its author meant.
    Warning,
}

/// One problem, at a position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// The file, relative to the workflow's folder.
    pub file: String,
    /// The byte range in the file.
    pub span: std::ops::Range<usize>,
    /// The problem.
    pub message: String,
    /// How to fix it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Creates an error.
    pub fn error(file: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, file: file.into(), span, message: message.into(), hint: None }
    }

    /// Creates a warning.
    pub(crate) fn warning(
        file: &str,
        span: std::ops::Range<usize>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(file, span, message) }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hinted(self, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { hint: Some(hint.into()), ..self }
    }

    /// Returns the line and column (both counted from 1) of the span's start in `source`.
    pub fn position(&self, source: &str) -> (usize, usize) {
        let before = source.get(..self.span.start.min(source.len())).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        (line, before.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
    }
}

/// Returns the candidate most similar to `word`, if it is close enough to be a likely typo.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    // In a short word one slip weighs more than its share; two letters that changed places are the commonest.
    let score = |candidate: &str| match strsim::osa_distance(word, candidate) {
        1 if letters(word) == letters(candidate) => 1.0,
        1 if word.len() > 2 => strsim::jaro_winkler(word, candidate).max(0.9),
        _ => strsim::jaro_winkler(word, candidate),
    };
    let scored = candidates.into_iter().map(|candidate| (score(candidate), candidate));
    scored
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// The path that differs from `path` in at most two signs. Paths in one folder are all alike to [`nearest`].
pub(crate) fn nearest_path<'a>(path: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SIGNS_MAX: usize = 2;
    let scored = candidates.into_iter().map(|other| (strsim::osa_distance(path, other), other));
    scored.filter(|(signs, _)| *signs <= SIGNS_MAX).min_by_key(|(signs, _)| *signs).map(|(_, other)| other)
}
