//! What the fields of a table mean: sizes, alignments and lifetimes, each checked for its range.
//!
//! A file's times are signed, the library's nodes are not. So the smallest time of the file becomes node 0, and
//! [`Problem::time`] leads back. Lifetimes are half open in the file, `[lower, upper)`, and inclusive in the library.
//!
//! An integer is an optional sign and decimal digits: `+5` and `007` are fine, `1e3` and `0x10` are not.

use std::ops::RangeInclusive;

use aether::arena::Tensor;
use aether::{Error, Kind, NONE};

use crate::failure::Failure;
use crate::table::{Column, Table, shown};

pub struct Problem<'a> {
    pub table: &'a Table,
    /// One a row.
    pub tensors: Vec<Tensor>,
    /// The file's time at node 0.
    origin: i128,
}

impl<'a> Problem<'a> {
    pub fn new(table: &'a Table) -> Result<Problem<'a>, Failure> {
        let rows = (0..table.len()).map(|row| Fields::read(table, row)).collect::<Result<Vec<_>, _>>()?;
        let origin = rows.iter().map(|fields| fields.lower).min().unwrap_or(0);
        let node = |row, column, time: i128| {
            let refuse = |_| table.refuse(row, column, &format!("a time closer to {origin}, the smallest of the file"));
            usize::try_from(time - origin).map_err(refuse)
        };
        let tensor = |(row, &Fields { size, alignment, lower, upper }): (usize, &Fields)| {
            let first_use = node(row, Column::Lower, lower)?;
            let last_use = node(row, Column::Upper, upper - 1)?;
            Ok(Tensor { size, alignment, first_use, last_use })
        };
        let tensors = rows.iter().enumerate().map(tensor).collect::<Result<Vec<_>, _>>()?;
        Ok(Problem { table, tensors, origin })
    }

    /// The file's own time of a node.
    pub fn time(&self, node: usize) -> i128 {
        self.origin.saturating_add_unsigned(node as u128)
    }

    /// How messages call a tensor.
    pub fn id(&self, tensor: usize) -> String {
        shown(self.table.id(tensor))
    }

    pub fn line(&self, tensor: usize) -> usize {
        self.table.line(tensor)
    }

    /// An error of the library in the file's own terms.
    pub fn explain(&self, error: Error) -> Failure {
        let Error { kind, index, other, got, limit } = error;
        let source = &self.table.source;
        if index >= self.tensors.len() {
            return Failure::input(format!("{source}: {error}"));
        }
        let what = match kind {
            Kind::ArenaOverflow => {
                let below = match other {
                    NONE => String::new(),
                    other => format!(", which is on {} (line {})", self.id(other), self.line(other)),
                };
                let most = usize::MAX;
                format!(
                    "its end in the arena is above {most}: it has {got} bytes, and {limit} are left above its \
                     offset{below}"
                )
            }
            Kind::AlignmentOverflow => {
                format!(
                    "the least common multiple of its alignment {got} and {limit}, that of the rows before it, \
                     is above {}",
                    usize::MAX
                )
            }
            // The rows were checked for everything else, so what is left has no better words than the library's.
            _ => error.to_string(),
        };
        Failure::input(format!("{source}:{}: {}: {what}", self.line(index), self.id(index)))
    }
}

/// The integer in a field.
fn integer(table: &Table, row: usize, column: Column, what: &str) -> Result<i128, Failure> {
    table.field(row, column).trim().parse().map_err(|_| table.refuse(row, column, what))
}

/// The bytes in a field.
pub fn bytes(table: &Table, row: usize, column: Column, what: &str, least: usize) -> Result<usize, Failure> {
    let expected = format!("{what}, a whole number from {least} to {}", usize::MAX);
    match usize::try_from(integer(table, row, column, &expected)?) {
        Ok(bytes) if bytes >= least => Ok(bytes),
        _ => Err(table.refuse(row, column, &expected)),
    }
}

/// The numbers of a row, in the file's own time.
struct Fields {
    size: usize,
    alignment: usize,
    lower: i128,
    upper: i128,
}

impl Fields {
    fn read(table: &Table, row: usize) -> Result<Fields, Failure> {
        let (lower, upper) = lifetime(table, row)?;
        let size = bytes(table, row, Column::Size, "a size in bytes", 0)?;
        let alignment = match table.field(row, Column::Alignment) {
            "" => 1,
            _ => bytes(table, row, Column::Alignment, "an alignment in bytes", 1)?,
        };
        refuse_unplanned_fields(table, row)?;
        Ok(Fields { size, alignment, lower, upper })
    }
}

const TIMES: RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;

/// The half-open lifetime of a row.
fn lifetime(table: &Table, row: usize) -> Result<(i128, i128), Failure> {
    let time = |column| {
        let expected = format!("a time, a whole number from {} to {}", TIMES.start(), TIMES.end());
        let time = integer(table, row, column, &expected)?;
        if TIMES.contains(&time) { Ok(time) } else { Err(table.refuse(row, column, &expected)) }
    };
    let (lower, written) = (time(Column::Lower)?, time(Column::Upper)?);
    let inclusive = table.upper_is_inclusive();
    let upper = written + i128::from(inclusive);
    if upper > lower {
        return Ok((lower, upper));
    }
    let least = if inclusive { "at least" } else { "more than" };
    Err(table.refuse(row, Column::Upper, &format!("{least} {lower}, the value of {}", table.name(Column::Lower))))
}

/// A hint is only carried through. A gap would change which plans are valid, so it is not passed over in silence.
fn refuse_unplanned_fields(table: &Table, row: usize) -> Result<(), Failure> {
    if !table.field(row, Column::Hint).is_empty() {
        integer(table, row, Column::Hint, "a preferred offset, a whole number (negative: none), or nothing")?;
    }
    match table.field(row, Column::Gaps) {
        "" => Ok(()),
        _ => Err(table.refuse(row, Column::Gaps, "nothing: gaps are not planned yet")),
    }
}
