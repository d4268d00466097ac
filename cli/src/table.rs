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
use std::io::Read;
use std::path::Path;

use crate::failure::Failure;

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
}

impl Column {
    const ALL: [Column; 8] = [
        Column::Id,
        Column::Lower,
        Column::Upper,
        Column::Size,
        Column::Alignment,
        Column::Hint,
        Column::Gaps,
        Column::Offset,
    ];
    const REQUIRED: [Column; 4] = [Column::Id, Column::Lower, Column::Upper, Column::Size];

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
        }
    }
}

/// Under this name `upper` is the last time alive, not the one after it.
const INCLUSIVE_UPPER: &str = "end";

pub struct Table {
    /// How messages call the file.
    pub source: String,
    header: Row,
    rows: Vec<Row>,
    /// Where each known column stands, by `Column as usize`.
    positions: [Option<usize>; Column::ALL.len()],
}

struct Row {
    line: usize,
    fields: Vec<String>,
}

impl Table {
    /// Reads a file; `-` is standard input.
    pub fn read(path: &Path) -> Result<Table, Failure> {
        let (source, content) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            ("<stdin>".to_string(), std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes))
        } else {
            (path.display().to_string(), std::fs::read(path))
        };
        let bytes = content.map_err(|error| Failure::input(format!("{source}: cannot be read: {error}")))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let (before, after) = bytes.split_at(error.valid_up_to());
            let line = 1 + line_ends(before);
            let byte = after.first().copied().unwrap_or_default();
            Failure::input(format!(
                "{source}:{line}: byte 0x{byte:02x} is not UTF-8 text: expected a CSV file in UTF-8"
            ))
        })?;
        Table::parse(source, text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    fn parse(source: String, text: &str) -> Result<Table, Failure> {
        let mut rows = records(&source, text)?.into_iter();
        let Some(header) = rows.next() else {
            return Err(Failure::input(format!(
                "{source}: no header: expected a first line such as id,lower,upper,size"
            )));
        };
        let mut table = Table { source, header, rows: rows.collect(), positions: [None; Column::ALL.len()] };
        table.find_columns()?;
        table.count_fields()?;
        table.refuse_repeated_ids()?;
        Ok(table)
    }

    fn find_columns(&mut self) -> Result<(), Failure> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (position, name) in self.header.fields.iter().enumerate() {
            let column = Column::ALL.into_iter().find(|column| column.names().contains(&name.as_str()));
            let meaning = column.map_or(name.as_str(), |column| column.names()[0]);
            if let Some(first) = seen.insert(meaning, position) {
                return Err(self.header_failure(&format!(
                    "columns {} (\"{}\") and {} (\"{}\") are both column {}: expected each column once",
                    first + 1,
                    shown(&self.header.fields[first]),
                    position + 1,
                    shown(name),
                    shown(meaning),
                )));
            }
            if let Some(column) = column {
                self.positions[column as usize] = Some(position);
            }
        }
        match Column::REQUIRED.into_iter().find(|&column| !self.has(column)) {
            Some(missing) => Err(self.missing(missing)),
            None => Ok(()),
        }
    }

    fn count_fields(&self) -> Result<(), Failure> {
        let expected = self.header.fields.len();
        match self.rows.iter().find(|row| row.fields.len() != expected) {
            None => Ok(()),
            Some(Row { line, fields }) => Err(Failure::input(format!(
                "{}:{line}: {} fields: expected {expected}, as in the header",
                self.source,
                fields.len()
            ))),
        }
    }

    /// A plan is keyed by its ids.
    fn refuse_repeated_ids(&self) -> Result<(), Failure> {
        let mut lines: HashMap<&str, usize> = HashMap::with_capacity(self.rows.len());
        for row in 0..self.rows.len() {
            let id = self.id(row);
            if id.is_empty() {
                return Err(self.refuse(row, Column::Id, "a name"));
            }
            if let Some(first) = lines.insert(id, self.line(row)) {
                return Err(self.refuse(row, Column::Id, &format!("each id once, and line {first} has it too")));
            }
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn has(&self, column: Column) -> bool {
        self.positions[column as usize].is_some()
    }

    /// What the header calls a column.
    pub fn name(&self, column: Column) -> &str {
        match self.positions[column as usize] {
            Some(position) => &self.header.fields[position],
            None => column.names()[0],
        }
    }

    pub fn upper_is_inclusive(&self) -> bool {
        self.name(Column::Upper) == INCLUSIVE_UPPER
    }

    pub fn line(&self, row: usize) -> usize {
        self.rows[row].line
    }

    pub fn id(&self, row: usize) -> &str {
        self.field(row, Column::Id)
    }

    /// The text of a field; empty where the file has no such column.
    pub fn field(&self, row: usize, column: Column) -> &str {
        match self.positions[column as usize].and_then(|position| self.rows[row].fields.get(position)) {
            Some(field) => field,
            None => "",
        }
    }

    /// A field that cannot be worked with, and what could.
    pub fn refuse(&self, row: usize, column: Column, expected: &str) -> Failure {
        Failure::input(format!(
            "{}:{}: column {}: value \"{}\": expected {expected}",
            self.source,
            self.line(row),
            self.name(column),
            shown(self.field(row, column)),
        ))
    }

    /// A column that is needed and not there.
    pub fn missing(&self, column: Column) -> Failure {
        self.header_failure(&format!("no column {}", column.names().join(" or ")))
    }

    fn header_failure(&self, what: &str) -> Failure {
        Failure::input(format!("{}:{}: {what}", self.source, self.header.line))
    }

    /// The same columns and rows, with the offsets as the last column.
    pub fn with_offsets(&self, offsets: &[usize]) -> String {
        let moved = self.positions[Column::Offset as usize];
        let mut text = String::new();
        let mut write = |row: &Row, last: &str| {
            let kept = row.fields.iter().enumerate().filter(|&(position, _)| Some(position) != moved);
            kept.for_each(|(_, field)| text += &(quoted_if_needed(field) + ","));
            text += last;
            text.push('\n');
        };
        write(&self.header, Column::Offset.names()[0]);
        for (row, offset) in self.rows.iter().zip(offsets) {
            write(row, &offset.to_string());
        }
        text
    }
}

/// A name or value from the file for a message: one line of no great length, and no byte that would steer a terminal.
pub fn shown(text: &str) -> String {
    const MOST: usize = 100;
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let more = if text.chars().nth(MOST).is_some() { "..." } else { "" };
    text.chars().take(MOST).map(escape).collect::<String>() + more
}

/// The rows that are not blank, header included.
fn records(source: &str, text: &str) -> Result<Vec<Row>, Failure> {
    let (mut rows, mut rest, mut line) = (Vec::new(), text, 1);
    while !rest.is_empty() {
        let (mut row, mut is_blank) = (Row { line, fields: Vec::new() }, true);
        loop {
            let (field, after) = next_field(rest).map_err(|what| Failure::input(format!("{source}:{line}: {what}")))?;
            let read = &rest[..rest.len() - after.len()];
            is_blank &= read.trim().is_empty();
            line += line_ends(read.as_bytes());
            row.fields.push(field);
            if let Some(next) = after.strip_prefix(',') {
                (rest, is_blank) = (next, false);
            } else {
                rest = after.strip_prefix("\r\n").or(after.strip_prefix(['\r', '\n'])).unwrap_or(after);
                break;
            }
        }
        line += 1;
        if !is_blank {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The field at the start of the text, and the text from the comma or line end after it on. Spaces around a field are
/// not part of it; between quotes everything is, and two quotes mean one.
fn next_field(text: &str) -> Result<(String, &str), &'static str> {
    let is_space = |c: char| c.is_whitespace() && c != '\r' && c != '\n';
    let text = text.trim_start_matches(is_space);
    let Some(mut quoted) = text.strip_prefix('"') else {
        let (field, after) = text.split_at(text.find([',', '\r', '\n']).unwrap_or(text.len()));
        return Ok((field.trim_end().to_string(), after));
    };
    let mut field = String::new();
    loop {
        let (part, after) = quoted.split_once('"').ok_or("a quote is opened and never closed")?;
        field += part;
        if let Some(next) = after.strip_prefix('"') {
            field.push('"');
            quoted = next;
            continue;
        }
        let after = after.trim_start_matches(is_space);
        return match after.chars().next() {
            None | Some(',' | '\r' | '\n') => Ok((field, after)),
            Some(_) => Err("text after a closing quote: expected a comma or the end of the line"),
        };
    }
}

/// As [`next_field`] reads it back.
fn quoted_if_needed(field: &str) -> String {
    match field.contains([',', '"', '\r', '\n']) || field.trim() != field {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_string(),
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    let is_end = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|&at| is_end(at)).count()
}
