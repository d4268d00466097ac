//! The text of a problem or a plan: minimalloc's CSV, read so that every row knows its line, and written back.
//!
//! Columns are found by the names in the header, in any order. All fields are kept, those of unknown columns too, so a
//! plan repeats its problem and adds `offset`. What the numbers mean is the matter of `problem`.
//!
//! Forgiven: a byte order mark, CRLF or CR line ends, blank lines anywhere, spaces around fields, quotes, a missing
//! last line end. Not forgiven: a row with fewer or more fields than the header, a column given twice, a quote never
//! closed.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;

use csv::StringRecord;

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
    fields: StringRecord,
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
            let line = 1 + line_ends(&bytes[..error.valid_up_to()]);
            Failure::input(format!("{source}:{line}: a byte that is not UTF-8 text: expected a CSV file in UTF-8"))
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
            let column = Column::ALL.into_iter().find(|column| column.names().contains(&name));
            let meaning = column.map_or(name, |column| column.names()[0]);
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
        self.positions[column as usize].and_then(|position| self.rows[row].fields.get(position)).unwrap_or_default()
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
    pub fn with_offsets(&self, offsets: &[usize]) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        match self.write_with_offsets(offsets, &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) => Err(Failure::input(format!("{}: its plan cannot be written: {error}", self.source))),
        }
    }

    fn write_with_offsets(&self, offsets: &[usize], out: impl Write) -> csv::Result<()> {
        let moved = self.positions[Column::Offset as usize];
        let others = |row: &Row| {
            let kept = row.fields.iter().enumerate().filter(|&(position, _)| Some(position) != moved);
            kept.map(|(_, field)| field.to_string()).collect::<StringRecord>()
        };
        let mut writer = csv::Writer::from_writer(out);
        let mut write = |row: &Row, last: &str| {
            let mut record = others(row);
            record.push_field(last);
            writer.write_record(&record)
        };
        write(&self.header, Column::Offset.names()[0])?;
        for (row, offset) in self.rows.iter().zip(offsets) {
            write(row, &offset.to_string())?;
        }
        Ok(writer.flush()?)
    }
}

/// A name or value from the file for a message: one line, and no byte that would steer a terminal.
pub fn shown(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

/// The rows that are not blank, header included.
fn records(source: &str, text: &str) -> Result<Vec<Row>, Failure> {
    // A quote that is never closed swallows all lines after it, in silence. So one record more is read than the text
    // has: it is missing only if it was swallowed too.
    let text_and_last = format!("{text}\n{LAST}");
    let reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text_and_last.as_bytes());

    let bytes = text_and_last.as_bytes();
    let (mut rows, mut line, mut counted) = (Vec::new(), 1, 0);
    for record in reader.into_records() {
        let fields = record.map_err(|error| Failure::input(format!("{source}:{line}: {error}")))?;
        // The reader's own line numbers do not count the blank lines before a record.
        let from = fields.position().map_or(counted, |position| position.byte() as usize);
        let start = from + bytes.iter().skip(from).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        line += line_ends(bytes.get(counted..start).unwrap_or_default());
        counted = start;
        if start > text.len() {
            return Ok(rows);
        }
        if fields.len() > 1 || fields.iter().any(|field| !field.is_empty()) {
            rows.push(Row { line, fields });
        }
    }
    Err(Failure::input(format!("{source}:{line}: a quote is opened here or in one of the next lines and never closed")))
}

const LAST: &str = "last";

fn line_ends(bytes: &[u8]) -> usize {
    let is_end = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|&at| is_end(at)).count()
}
