//! `file(path)`, `markdown(path)` and `table(path)`: files of the project as facts.

use std::collections::BTreeSet;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

use super::FactError;
use crate::document::{self, Section};
use crate::world::{Answer, World};

/// `file(path).exists`, `.is_text`, `.text`, `.json`, `.lines`, `.path`.
pub(super) struct File {
    path: String,
    world: Arc<dyn World>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "file({:?})", self.path)
    }
}

impl File {
    pub(super) fn at(path: &str, world: Arc<dyn World>) -> Value {
        Value::from_object(File { path: path.to_owned(), world })
    }

    fn exists(&self) -> Result<Value, FactError> {
        match self.world.exists(&self.path) {
            Answer::Is(()) => Ok(Value::from(true)),
            Answer::None => Ok(Value::from(false)),
            Answer::Fault(why) => Err(FactError::world(format!("`{}`", self.path), why)),
        }
    }

    fn json(&self) -> Result<Value, FactError> {
        let Some(bytes) = read(&self.path, self.world.as_ref())? else { return Ok(Value::UNDEFINED) };
        crate::json::lazy::value(&bytes)
            .map_err(|why| FactError::malformed(format!("`{}` is not valid JSON", self.path), why))
    }

    /// Whether it is there and is UTF-8: what is not is read with marks where it is not, and cannot be written.
    fn is_text(&self) -> Result<Value, FactError> {
        let bytes = read(&self.path, self.world.as_ref())?;
        Ok(Value::from(bytes.is_some_and(|bytes| std::str::from_utf8(&bytes).is_ok())))
    }

    fn text(&self) -> Result<Value, FactError> {
        Ok(read_text(&self.path, self.world.as_ref())?.map_or(Value::UNDEFINED, Value::from))
    }

    /// The values of all `Status:` lines, in lower case: bold, in a list or neither.
    fn statuses(&self) -> Result<Value, FactError> {
        let text = read_text(&self.path, self.world.as_ref())?.unwrap_or_default();
        let value = |line: &str| {
            let plain = line.replace('*', "");
            let plain = plain.trim_start_matches([' ', '\t', '-', '+']);
            plain.strip_prefix("Status:").map(|value| value.trim().to_lowercase())
        };
        Ok(text.lines().filter_map(value).map(Value::from).collect())
    }

    fn lines(&self) -> Result<Value, FactError> {
        let text = read_text(&self.path, self.world.as_ref())?;
        Ok(Value::from(text.map_or(0, |text| text.lines().count())))
    }
}

impl super::Facts {
    /// `first_json(paths)`: the first of these files that is JSON. One that is there and is none is noted, and counts as missing.
    pub(super) fn first_json(&self, paths: &[String]) -> Value {
        for path in paths {
            let bytes = match self.world.read(path) {
                Answer::Is(bytes) => bytes,
                Answer::None => continue,
                Answer::Fault(why) => {
                    self.note_strange(format!("`{path}` cannot be read, so it counts as missing: {why}"));
                    continue;
                }
            };
            match crate::json::lazy::value(&bytes) {
                Ok(value) => return value,
                Err(why) => {
                    self.note_strange(format!("`{path}` is not valid JSON, so it counts as missing: {why}"));
                }
            }
        }
        Value::UNDEFINED
    }
}

impl Object for File {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let value = match key.as_str()? {
            "exists" => self.exists(),
            "json" => self.json(),
            "text" => self.text(),
            "is_text" => self.is_text(),
            "lines" => self.lines(),
            "statuses" => self.statuses(),
            "path" => Ok(Value::from(self.path.as_str())),
            _ => return None,
        };
        Some(value.unwrap_or_else(Value::from))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }
}

/// `markdown(path)['Section'].rows`, `.items`, `.paths`, `.text`: a document by its sections.
#[derive(Debug)]
pub(super) struct Document(Vec<Section>);

impl Document {
    /// The document at `path`; nothing if it is not there.
    pub(super) fn open(path: &str, world: &Arc<dyn World>) -> Result<Value, FactError> {
        let text = read_text(path, world.as_ref())?;
        Ok(text.map_or(Value::UNDEFINED, |text| Value::from_object(Document(document::sections(&text)))))
    }
}

impl Object for Document {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let title = key.as_str()?;
        let section = self.0.iter().find(|section| section.title.eq_ignore_ascii_case(title))?;
        Some(section_value(section))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.iter().map(|section| Value::from(section.title.as_str())).collect())
    }
}

fn section_value(section: &Section) -> Value {
    Value::from_pairs([
        ("text", Value::from(section.text.as_str())),
        ("rows", rows_value(&section.rows)),
        ("items", section.items.iter().map(|item| Value::from(item.as_str())).collect()),
        ("paths", section.paths.iter().map(|path| Value::from(path.as_str())).collect()),
    ])
}

/// `table(path, columns)`: `.rows` of every table in a document, column names in lower case; with `columns`, also `.lacks`
/// and `.placed`.
pub(super) struct Table;

impl Table {
    pub(super) fn open(path: &str, columns: &[Column], world: &Arc<dyn World>) -> Result<Value, FactError> {
        let Some(text) = read_text(path, world.as_ref())? else { return Ok(Value::UNDEFINED) };
        let lower = |row: &document::Row| {
            row.iter().map(|(name, cell)| (name.trim().to_lowercase(), cell.clone())).collect()
        };
        let mut rows: Vec<document::Row> =
            document::sections(&text).iter().flat_map(|s| &s.rows).map(lower).collect();
        let (mut lacks, mut placed) = (BTreeSet::new(), BTreeSet::new());
        for row in &mut rows {
            let found: Vec<_> = columns.iter().map(|column| (column, column.find(row))).collect();
            for (column, place) in found {
                match place {
                    Place::Nowhere => _ = lacks.insert(column.name.clone()),
                    Place::Headed(cell) => put(row, &column.name, cell),
                    Place::At(cell) => {
                        placed.insert(column.name.clone());
                        put(row, &column.name, cell);
                    }
                }
            }
        }
        let names = |names: BTreeSet<String>| names.into_iter().map(Value::from).collect::<Value>();
        Ok(Value::from_pairs([
            ("rows", rows_value(&rows)),
            ("lacks", names(lacks)),
            ("placed", names(placed)),
        ]))
    }
}

/// A column that is looked for: by the titles it may have, then by its place.
pub(super) struct Column {
    name: String,
    titles: Vec<String>,
    place: Option<usize>,
}

/// Where a column is, and a row's cell in it.
enum Place {
    Nowhere,
    Headed(String),
    At(String),
}

impl Column {
    /// The columns that a function was given: each name, with titles and the number of its place.
    pub(super) fn all(columns: &Value) -> Vec<Column> {
        let names =
            columns.try_iter().into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned));
        let column = |name: String| {
            let wanted: Vec<Value> =
                columns.get_attr(&name).ok().and_then(|list| Some(list.try_iter().ok()?.collect()))?;
            let titles = wanted.iter().filter_map(|title| Some(title.as_str()?.to_lowercase())).collect();
            let place = wanted.iter().find_map(|place| place.as_usize()?.checked_sub(1));
            Some(Column { name, titles, place })
        };
        names.filter_map(column).collect()
    }

    fn find(&self, row: &document::Row) -> Place {
        let titled = |title: &String| row.iter().find(|(name, _)| name == title);
        if let Some((_, cell)) = self.titles.iter().find_map(titled) {
            return Place::Headed(cell.clone());
        }
        let cell = self.place.and_then(|place| row.get(place));
        cell.map_or(Place::Nowhere, |(_, cell)| Place::At(cell.clone()))
    }
}

fn put(row: &mut document::Row, name: &str, cell: String) {
    row.retain(|(known, _)| known != name);
    row.push((name.to_owned(), cell));
}

fn rows_value(rows: &[document::Row]) -> Value {
    rows.iter()
        .map(|row| Value::from_pairs(row.iter().map(|(name, cell)| (name.as_str(), cell.as_str()))))
        .collect()
}

fn read(path: &str, world: &dyn World) -> Result<Option<Vec<u8>>, FactError> {
    match world.read(path) {
        Answer::Is(bytes) => Ok(Some(bytes)),
        Answer::None => Ok(None),
        Answer::Fault(why) => Err(FactError::world(format!("`{path}` cannot be read"), why)),
    }
}

pub(super) fn read_text(path: &str, world: &dyn World) -> Result<Option<String>, FactError> {
    let bytes = read(path, world)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()))
}
