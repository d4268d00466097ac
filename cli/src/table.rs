//! The text of a problem or a plan: minimalloc's CSV, read so that every row knows its line, and written back.
//!
//! Columns are found by the names in the header, in any order. All fields are kept, those of unknown columns too, so a
//! plan repeats its problem and adds `offset`. What the numbers mean is the matter of `problem`.
//!
//! Forgiven: a byte order mark, CRLF or CR line ends, blank lines anywhere, spaces around fields, quotes, a missing
//! last line end. Not forgiven: a row with fewer or more fields than the header, a column given twice, a quote never
//! closed, text after a closing quote. The last two can swallow rows, and readers that forgive them do so in silence;
//! therefore the quotes are read here.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::Path;

use crate::failure::Failure;
use crate::input::{self, line_ends};
use crate::output;

/// A column with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    Id,
    Lower,
    Upper,
    Size,
    Alignment,
    Hint,
    Gaps,
    Offset,
    Spaces,
    Weight,
    Space,
}

impl Column {
    const ALL: [Column; 11] = [
        Column::Id,
        Column::Lower,
        Column::Upper,
        Column::Size,
        Column::Alignment,
        Column::Hint,
        Column::Gaps,
        Column::Offset,
        Column::Spaces,
        Column::Weight,
        Column::Space,
    ];
    const REQUIRED: [Column; 4] = [Column::Id, Column::Lower, Column::Upper, Column::Size];

    /// The one that a header means by a name.
    fn named(name: &str) -> Option<Column> {
        Column::ALL.into_iter().find(|column| column.names().contains(&name))
    }

    /// Every name that a header may give it, the usual one first.
    fn names(self) -> &'static [&'static str] {
        match self {
            Column::Id => &["id", "buffer", "buffer_id"],
            Column::Lower => &["lower", "start", "begin"],
            Column::Upper => &["upper", INCLUSIVE_UPPER],
            Column::Size => &["size"],
            Column::Alignment => &["alignment"],
            Column::Hint => &["hint"],
            Column::Gaps => &["gaps"],
            Column::Offset => &["offset"],
            Column::Spaces => &["spaces"],
            Column::Weight => &["weight"],
            Column::Space => &["space"],
        }
    }
}

/// Under this name `upper` is the last time alive, not the one after it.
const INCLUSIVE_UPPER: &str = "end";

pub struct Table {
    /// How messages call the file.
    pub source: String,
    /// The fields of all records one after another, the header's first, without the quotes and spaces around them.
    content: String,
    /// Where each field ends in `content`.
    ends: Vec<usize>,
    /// Where each record begins in the file. A record is the header or a row, so row 0 is record 1.
    lines: Vec<usize>,
    /// Fields a record.
    width: usize,
    /// Where each known column stands, by `Column as usize`.
    positions: [Option<usize>; Column::ALL.len()],
}

const HEADER: usize = 0;

impl Table {
    /// Reads a file; `-` is standard input. A note names the columns without a meaning: one may be a slip of the pen.
    pub fn read(path: &Path) -> Result<Table, Failure> {
        let (source, bytes) = input::read(path)?;
        let text = input::text(&source, &bytes, "a CSV file")?;
        let table = Table::parse(source, text)?;
        table.note_unknown_columns();
        Ok(table)
    }

    pub fn parse(source: String, text: &str) -> Result<Table, Failure> {
        let content = String::with_capacity(text.len());
        let mut table =
            Table { source, content, ends: Vec::new(), lines: Vec::new(), width: 0, positions: Default::default() };
        let (mut rest, mut line) = (text, 1);
        while !rest.is_empty() {
            (rest, line) = table.read_record(rest, line)?;
        }
        if table.lines.is_empty() {
            return Err(Failure::input(format!(
                "{}: no header: expected a first line such as id,lower,upper,size",
                table.source
            )));
        }
        table.refuse_repeated_ids()?;
        Ok(table)
    }

    /// Adds the record at the start of the text, unless it is a blank line; gives the text after it, and its line.
    fn read_record<'t>(&mut self, text: &'t str, first_line: usize) -> Result<(&'t str, usize), Failure> {
        let (first_field, mut rest, mut line) = (self.ends.len(), text, first_line);
        loop {
            let after = next_field(rest, &mut self.content).map_err(|what| self.failure(line, what))?;
            let read = &rest[..rest.len() - after.len()];
            line += line_ends(read.as_bytes());
            self.ends.push(self.content.len());
            if let Some(next) = after.strip_prefix(',') {
                rest = next;
                continue;
            }
            rest = after.strip_prefix("\r\n").or(after.strip_prefix(['\r', '\n'])).unwrap_or(after);
            let count = self.ends.len() - first_field;
            if count == 1 && read.trim().is_empty() {
                self.ends.pop();
            } else {
                self.add_record(first_line, count)?;
            }
            return Ok((rest, line + 1));
        }
    }

    /// The fields of a record were read: as many as in the header, or those of the header itself.
    fn add_record(&mut self, line: usize, count: usize) -> Result<(), Failure> {
        self.lines.push(line);
        if self.lines.len() - 1 == HEADER {
            self.width = count;
            return self.find_columns();
        }
        match count == self.width {
            true => Ok(()),
            false => Err(self.failure(line, format_args!("{count} fields: expected {}, as in the header", self.width))),
        }
    }

    fn find_columns(&mut self) -> Result<(), Failure> {
        let is_required = |position| {
            Column::named(self.cell(HEADER, position)).is_some_and(|column| Column::REQUIRED.contains(&column))
        };
        if !(0..self.width).any(is_required) {
            return Err(self.header_failure(
                "the first line is no header: expected the names of the columns in lower case with commas between \
                 them, such as id,lower,upper,size",
            ));
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut positions = self.positions;
        for position in 0..self.width {
            let name = self.cell(HEADER, position);
            let column = Column::named(name);
            let meaning = column.map_or(name, |column| column.names()[0]);
            if let Some(first) = seen.insert(meaning, position) {
                return Err(self.header_failure(format_args!(
                    "columns {} (\"{}\") and {} (\"{}\") are both column {}: expected each column once",
                    first + 1,
                    shown(self.cell(HEADER, first)),
                    position + 1,
                    shown(name),
                    shown(meaning),
                )));
            }
            if let Some(column) = column {
                positions[column as usize] = Some(position);
            }
        }
        self.positions = positions;
        match Column::REQUIRED.into_iter().find(|&column| !self.has(column)) {
            Some(missing) => Err(self.missing(missing)),
            None => Ok(()),
        }
    }

    fn note_unknown_columns(&self) {
        let names = (0..self.width).map(|position| self.cell(HEADER, position));
        let unknown: Vec<&str> = names.filter(|name| Column::named(name).is_none()).collect();
        let (column, are, they_are) = match unknown.len() {
            0 => return,
            1 => ("column", "is", "it is"),
            _ => ("columns", "are", "they are"),
        };
        let names = listed(unknown.iter().map(|name| format!("\"{}\"", shown(name))));
        output::note(&self.source, format_args!("{column} {names} {are} not known; {they_are} only carried through"));
    }

    /// A plan is keyed by its ids.
    fn refuse_repeated_ids(&self) -> Result<(), Failure> {
        let mut lines: HashMap<&str, usize> = HashMap::with_capacity(self.len());
        for row in 0..self.len() {
            let id = self.id(row);
            if id.is_empty() {
                return Err(self.refuse(row, Column::Id, "a name"));
            }
            if let Some(first) = lines.insert(id, self.line(row)) {
                return Err(self.refuse(row, Column::Id, format_args!("each id once, and line {first} has it too")));
            }
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.lines.len() - 1
    }

    pub fn has(&self, column: Column) -> bool {
        self.positions[column as usize].is_some()
    }

    /// What the header calls a column.
    pub fn name(&self, column: Column) -> &str {
        match self.positions[column as usize] {
            Some(position) => self.cell(HEADER, position),
            None => column.names()[0],
        }
    }

    pub fn upper_is_inclusive(&self) -> bool {
        self.name(Column::Upper) == INCLUSIVE_UPPER
    }

    pub fn line(&self, row: usize) -> usize {
        self.lines[row + 1]
    }

    pub fn id(&self, row: usize) -> &str {
        self.field(row, Column::Id)
    }

    /// The text of a field; empty where the file has no such column.
    pub fn field(&self, row: usize, column: Column) -> &str {
        self.positions[column as usize].map_or("", |position| self.cell(row + 1, position))
    }

    fn cell(&self, record: usize, position: usize) -> &str {
        let field = record * self.width + position;
        let start = field.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.content[start..self.ends[field]]
    }

    /// A field that cannot be worked with, and what could.
    pub fn refuse(&self, row: usize, column: Column, expected: impl Display) -> Failure {
        self.refuse_value(row, column, self.field(row, column), expected)
    }

    /// A part of a field that cannot be worked with, and what could.
    pub fn refuse_value(&self, row: usize, column: Column, value: &str, expected: impl Display) -> Failure {
        let (name, value) = (self.name(column), shown(value));
        self.failure(self.line(row), format_args!("column {name}: value \"{value}\": expected {expected}"))
    }

    /// A column that is needed and not there.
    pub fn missing(&self, column: Column) -> Failure {
        self.header_failure(format_args!("no column {}", column.names().join(" or ")))
    }

    fn header_failure(&self, what: impl Display) -> Failure {
        self.failure(self.lines[HEADER], what)
    }

    fn failure(&self, line: usize, what: impl Display) -> Failure {
        Failure::input(format!("{}:{line}: {what}", self.source))
    }

    /// The same rows, with these as the last columns, and what each has in a row.
    pub fn with_columns(&self, columns: &[(Column, &dyn Fn(usize) -> String)]) -> String {
        let is_moved =
            |position: &usize| columns.iter().any(|&(column, _)| self.positions[column as usize] == Some(*position));
        let kept: Vec<usize> = (0..self.width).filter(|position| !is_moved(position)).collect();
        let mut text = String::with_capacity(self.content.len() * 2);
        for record in 0..self.lines.len() {
            for &position in &kept {
                push_quoted_if_needed(&mut text, self.cell(record, position));
                text.push(',');
            }
            for (k, (column, value)) in columns.iter().enumerate() {
                if k > 0 {
                    text.push(',');
                }
                match record {
                    HEADER => text.push_str(column.names()[0]),
                    _ => push_quoted_if_needed(&mut text, &value(record - 1)),
                }
            }
            text.push('\n');
        }
        text
    }
}

/// A name or value from the file for a message: as [`escaped`], and of no great length.
pub fn shown(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => escaped(&text[..end]) + "...",
        None => escaped(text),
    }
}

/// The first of a list for a message, and how many more there are.
pub fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 10;
    let more = names.len().saturating_sub(MOST);
    let mut names: Vec<String> = names.take(MOST).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

/// On one line, and without a byte that would steer a terminal.
pub fn escaped(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// Adds the field at the start of the text to `content`; gives the text from the comma or line end after it on. Spaces
/// around a field are not part of it; between quotes everything is, and two quotes mean one.
fn next_field<'t>(text: &'t str, content: &mut String) -> Result<&'t str, &'static str> {
    let is_space = |c: char| c.is_whitespace() && c != '\r' && c != '\n';
    let text = text.trim_start_matches(is_space);
    let Some(mut quoted) = text.strip_prefix('"') else {
        let end = text.bytes().position(|byte| matches!(byte, b',' | b'\r' | b'\n'));
        let (field, after) = text.split_at(end.unwrap_or(text.len()));
        content.push_str(field.trim_end());
        return Ok(after);
    };
    loop {
        let (part, after) = quoted.split_once('"').ok_or("a quote is opened and never closed")?;
        content.push_str(part);
        if let Some(next) = after.strip_prefix('"') {
            content.push('"');
            quoted = next;
            continue;
        }
        let after = after.trim_start_matches(is_space);
        return match after.chars().next() {
            None | Some(',' | '\r' | '\n') => Ok(after),
            Some(_) => Err("text after a closing quote: expected a comma or the end of the line"),
        };
    }
}

/// As [`next_field`] reads it back.
pub fn push_quoted_if_needed(text: &mut String, field: &str) {
    let needed = field.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) || field.trim() != field;
    match needed {
        true => text.extend(["\"", &field.replace('"', "\"\""), "\""]),
        false => text.push_str(field),
    }
}
