//! What is wrong with a workflow's files: where, what, and a hint.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The workflow cannot be used.
    Error,
    /// It can, but probably not as meant.
    Warning,
}

/// One thing that is wrong, at a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file, relative to the workflow's folder.
    pub file: String,
    /// Where in the file, in bytes.
    pub span: std::ops::Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(file: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, file: file.into(), span, message: message.into(), hint: None }
    }

    /// A warning.
    pub fn warning(file: &str, span: std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(file, span, message) }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hinted(self, hint: impl Into<String>) -> Diagnostic {
        Diagnostic { hint: Some(hint.into()), ..self }
    }

    /// The line and column (both from 1) of the span's start in `source`.
    pub fn position(&self, source: &str) -> (usize, usize) {
        let before = source.get(..self.span.start.min(source.len())).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        (line, before.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
    }
}

/// The candidate most like `word`, if one is close enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // In a short word one slip weighs more than its share.
    let score = |candidate: &str| match strsim::osa_distance(word, candidate) {
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
pub fn nearest_path<'a>(path: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const SIGNS_MAX: usize = 2;
    let scored = candidates.into_iter().map(|other| (strsim::osa_distance(path, other), other));
    scored.filter(|(signs, _)| *signs <= SIGNS_MAX).min_by_key(|(signs, _)| *signs).map(|(_, other)| other)
}
