//! `[mirror]`, from TOML.

use toml::de::DeTable;

use super::super::table::{ESCAPE_IT, Reader, one_or_many};
use super::super::{List, Mirror, Text};
use super::Parser;

impl Parser<'_> {
    /// `[mirror]`: a field, and one or several documents that have it.
    pub(super) fn mirrors(&mut self, top: &DeTable<'_>) -> List<Mirror> {
        let Some(fields) = self.inner(top, "mirror") else { return List::default() };
        let mut mirrors = Vec::new();
        for (field, value) in fields {
            self.names_field(field.get_ref(), field.span(), "\"\"");
            for item in one_or_many(value) {
                let Some(table) = self.reader.table("mirror", item) else { continue };
                self.reader.known_keys("[mirror]", table, &["file", "find"]);
                mirrors.push(Mirror {
                    field: field.get_ref().to_string().into(),
                    file: self.template(table, "file").unwrap_or_default(),
                    find: self.found(table),
                });
            }
        }
        mirrors.into()
    }

    /// `find`: a regular expression, a template.
    fn found(&mut self, table: &DeTable<'_>) -> Text {
        let find = self.template(table, "find").unwrap_or_default();
        if let Some(why) = crate::filters::pattern_fault(&find).filter(|_| !find.contains("{{")) {
            let span = Reader::get(table, "find").map_or(0..0, toml::Spanned::span);
            self.reader.error(span, format!("`{find}` is not a regular expression: {why}")).hint =
                Some(ESCAPE_IT.into());
        }
        find
    }
}
