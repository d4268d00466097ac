//! What the fields of a table mean: sizes, alignments, lifetimes, hints and pins, each checked for its range.
//!
//! A file's times are signed, the library's nodes are not. So the smallest time of the file becomes node 0, and
//! [`Problem::time`] leads back. Lifetimes are half open in the file, `[lower, upper)`, and inclusive in the library.
//!
//! An integer is an optional sign and decimal digits: `+5` and `007` are fine, `1e3` and `0x10` are not.

use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use aether::arena::{self, FREE, Gap, Tensor};
use aether::{Error, Kind, NONE};

use crate::failure::Failure;
use crate::gaps::{self, GapTimes};
use crate::table::{Column, Table, listed, shown};

pub struct Problem<'a> {
    pub table: &'a Table,
    /// One a row.
    pub tensors: Vec<Tensor>,
    /// Those of a row by rising time, row after row.
    gaps: Vec<Gap>,
    hint_offsets: Vec<usize>,
    fixed_offsets: Vec<usize>,
    /// The file's time at node 0.
    origin: i128,
}

impl<'a> Problem<'a> {
    /// Every offset is to be a multiple of `alignment`, whatever else its row asks for.
    pub fn new(table: &'a Table, alignment: NonZeroUsize) -> Result<Problem<'a>, Failure> {
        let mut gap_times = Vec::new();
        let rows: Vec<Fields> = (0..table.len())
            .map(|row| Fields::read(table, row, alignment, &mut gap_times))
            .collect::<Result<_, _>>()?;
        let origin = rows.iter().map(|fields| fields.lower).min().unwrap_or(0);
        let node = |row, column, time: i128| {
            let expected = || format!("a time closer to {origin}, the smallest of the file");
            usize::try_from(time - origin).map_err(|_| table.refuse(row, column, expected()))
        };
        let tensor = |(row, &Fields { size, alignment, lower, upper, .. }): (usize, &Fields)| {
            let first_use = node(row, Column::Lower, lower)?;
            let last_use = node(row, Column::Upper, upper - 1)?;
            Ok(Tensor { size, alignment, first_use, last_use })
        };
        let tensors = rows.iter().enumerate().map(tensor).collect::<Result<Vec<_>, _>>()?;
        let gap = |GapTimes { row, lower, upper, window }: GapTimes| {
            let (first, last) = (node(row, Column::Gaps, lower)?, node(row, Column::Gaps, upper - 1)?);
            Ok(Gap { tensor: row, first, last, window_begin: window.start, window_end: window.end })
        };
        let gaps = gap_times.into_iter().map(gap).collect::<Result<_, _>>()?;
        let hint_offsets = none_if_all_free(rows.iter().map(|fields| fields.hint).collect());
        Ok(Problem { table, tensors, gaps, hint_offsets, fixed_offsets: Vec::new(), origin })
    }

    /// As the rows ask, and no more.
    pub fn unaligned(table: &'a Table) -> Result<Problem<'a>, Failure> {
        Problem::new(table, NonZeroUsize::MIN)
    }

    /// Each row that has an offset gets this one in every plan.
    pub fn pin_offsets(&mut self) -> Result<(), Failure> {
        let table = self.table;
        let pin = |row| {
            let expected =
                || format!("a fixed offset in bytes, a whole number below {FREE}, or nothing or -1: planned");
            match integer(table, row, Column::Offset) {
                _ if table.field(row, Column::Offset).is_empty() => Ok(FREE),
                Some(-1) => Ok(FREE),
                offset => offset
                    .and_then(|offset| usize::try_from(offset).ok())
                    .filter(|&offset| offset != FREE)
                    .ok_or_else(|| table.refuse(row, Column::Offset, expected())),
            }
        };
        self.fixed_offsets = none_if_all_free((0..table.len()).map(pin).collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Whether there are rows with bytes and each of them has its offset already.
    pub fn all_pinned(&self) -> bool {
        let pins = self.tensors.iter().zip(&self.fixed_offsets).filter(|(tensor, _)| tensor.size > 0);
        let mut is_pinned = pins.map(|(_, &offset)| offset != FREE).peekable();
        is_pinned.peek().is_some() && is_pinned.all(|pinned| pinned)
    }

    /// The rows whose offset is given.
    pub fn pins(&self) -> impl Iterator<Item = usize> {
        let pinned = self.fixed_offsets.iter().enumerate().filter(|(_, offset)| **offset != FREE);
        pinned.map(|(row, _)| row).filter(|&row| self.tensors[row].size > 0)
    }

    /// As the library takes it.
    pub fn model(&self, capacity: Option<usize>) -> arena::Problem<'_> {
        arena::Problem {
            tensors: &self.tensors,
            fixed_offsets: &self.fixed_offsets,
            hint_offsets: &self.hint_offsets,
            gaps: &self.gaps,
            capacity: capacity.unwrap_or(0),
            ..arena::Problem::default()
        }
    }

    /// The rows with the most bytes in use at a node, the largest first.
    pub fn largest_in_use(&self, node: usize) -> String {
        let bytes = self.in_use(node);
        let mut rows: Vec<usize> = (0..bytes.len()).filter(|&row| bytes[row] > 0).collect();
        rows.sort_by_key(|&row| Reverse(bytes[row]));
        listed(rows.iter().map(|&row| format!("{} {}", self.id(row), bytes[row])))
    }

    /// The bytes in use at a node, one a row.
    fn in_use(&self, node: usize) -> Vec<usize> {
        let alive = |tensor: &Tensor| tensor.first_use <= node && node <= tensor.last_use;
        let mut bytes: Vec<usize> = self.tensors.iter().map(|t| if alive(t) { t.size } else { 0 }).collect();
        for gap in self.gaps.iter().filter(|gap| gap.first <= node && node <= gap.last) {
            bytes[gap.tensor] = gap.window_end - gap.window_begin;
        }
        bytes
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
        let (source, most) = (&self.table.source, usize::MAX);
        let sentence = error.to_string();
        // An error about anything but a tensor has no row.
        if index >= self.tensors.len() || !sentence.starts_with("tensor") {
            return Failure::input(format!("{source}: {sentence}"));
        }
        let named = |tensor: usize| format!("{} (line {})", self.id(tensor), self.line(tensor));
        let what = match kind {
            Kind::ArenaOverflow => {
                let below = if other == NONE { String::new() } else { format!(", which is on {}", named(other)) };
                format!(
                    "its end in the arena is above {most}: it has {got} bytes, and {limit} are left above its \
                     offset{below}"
                )
            }
            Kind::AlignmentOverflow => {
                format!(
                    "the least common multiple of its alignment {got} and {limit}, that of the rows before it, \
                     is above {most}"
                )
            }
            Kind::FixedClash => format!("its fixed bytes {got}..{limit} are fixed bytes of {} too", named(other)),
            _ => sentence.strip_prefix(&format!("tensor {index}: ")).unwrap_or(&sentence).to_string(),
        };
        Failure::input(format!("{source}:{}: {}: {what}", self.line(index), self.id(index)))
    }
}

/// The library takes no offsets at all where each is free.
fn none_if_all_free(offsets: Vec<usize>) -> Vec<usize> {
    if offsets.iter().all(|&offset| offset == FREE) { Vec::new() } else { offsets }
}

/// The integer in a field.
fn integer(table: &Table, row: usize, column: Column) -> Option<i128> {
    table.field(row, column).trim().parse().ok()
}

/// The bytes in a field.
pub fn bytes(table: &Table, row: usize, column: Column, what: &str, least: usize) -> Result<usize, Failure> {
    integer(table, row, column)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|&bytes| bytes >= least)
        .ok_or_else(|| table.refuse(row, column, format!("{what}, a whole number from {least} to {}", usize::MAX)))
}

/// The numbers of a row, in the file's own time.
struct Fields {
    size: usize,
    alignment: usize,
    lower: i128,
    upper: i128,
    hint: usize,
}

impl Fields {
    /// The gaps of the row are added to `gaps`.
    fn read(table: &Table, row: usize, alignment: NonZeroUsize, gaps: &mut Vec<GapTimes>) -> Result<Fields, Failure> {
        let (lower, upper) = lifetime(table, row)?;
        let size = bytes(table, row, Column::Size, "a size in bytes", 0)?;
        let alignment = common_alignment(table, row, alignment)?;
        let hint = hint(table, row)?;
        gaps::read(table, row, lower..upper, size, gaps)?;
        Ok(Fields { size, alignment, lower, upper, hint })
    }
}

const TIMES: RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;

/// The half-open lifetime of a row.
fn lifetime(table: &Table, row: usize) -> Result<(i128, i128), Failure> {
    let time = |column| {
        let expected = || format!("a time, a whole number from {} to {}", TIMES.start(), TIMES.end());
        let time = integer(table, row, column).filter(|time| TIMES.contains(time));
        time.ok_or_else(|| table.refuse(row, column, expected()))
    };
    let (lower, written) = (time(Column::Lower)?, time(Column::Upper)?);
    let inclusive = table.upper_is_inclusive();
    let upper = written + i128::from(inclusive);
    if upper > lower {
        return Ok((lower, upper));
    }
    let least = if inclusive { "at least" } else { "more than" };
    Err(table.refuse(row, Column::Upper, format!("{least} {lower}, the value of {}", table.name(Column::Lower))))
}

/// The least common multiple of the row's own alignment and the one that was asked for: a multiple of the larger of
/// two alignments need not be one of the other.
fn common_alignment(table: &Table, row: usize, asked: NonZeroUsize) -> Result<usize, Failure> {
    let asked = asked.get();
    let own = match table.field(row, Column::Alignment) {
        "" => 1,
        _ => bytes(table, row, Column::Alignment, "an alignment in bytes", 1)?,
    };
    let (mut divisor, mut rest) = (asked, own);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (own / divisor).checked_mul(asked).ok_or_else(|| {
        let most = usize::MAX;
        table.refuse(row, Column::Alignment, format!("one whose least common multiple with {asked} is at most {most}"))
    })
}

/// The offset that a row had better get. One beyond what can be counted is as good as none.
fn hint(table: &Table, row: usize) -> Result<usize, Failure> {
    match integer(table, row, Column::Hint) {
        Some(hint) => Ok(usize::try_from(hint).unwrap_or(FREE)),
        None if table.field(row, Column::Hint).is_empty() => Ok(FREE),
        None => Err(table.refuse(row, Column::Hint, "a preferred offset, a whole number (negative: none), or nothing")),
    }
}
