//! The column `gaps`: times within a row's lifetime at which it needs only some of its bytes, or none.
//!
//! A gap is `lo-hi`, or `lo-hi@wlo:whi` where the bytes `[wlo, whi)` of the row stay in use. Several stand in one field
//! with spaces between them. The times are half open, or both inclusive where the file's lifetimes are; they may be
//! negative, as in `-7--3`.

use std::ops::Range;

use crate::failure::Failure;
use crate::table::{Column, Table};

/// A gap in the file's own time, half open.
pub struct GapTimes {
    pub row: usize,
    pub lower: i128,
    pub upper: i128,
    /// The bytes of the row that stay in use.
    pub window: Range<usize>,
}

/// Adds the gaps of a row to `gaps` by rising time.
pub fn read(
    table: &Table,
    row: usize,
    lifetime: Range<i128>,
    size: usize,
    gaps: &mut Vec<GapTimes>,
) -> Result<(), Failure> {
    let field = table.field(row, Column::Gaps);
    if field.is_empty() {
        return Ok(());
    }
    let inclusive = i128::from(table.upper_is_inclusive());
    let refuse = |gap: &str, expected: &str| table.refuse_value(row, Column::Gaps, gap, expected);
    let mut found = Vec::new();
    for text in field.split_whitespace() {
        let [lower, written, begin, end] = parse(text).ok_or_else(|| {
            refuse(text, "gaps such as 3-5, or 3-5@0:16 where bytes 0 to 15 stay in use, with spaces between")
        })?;
        let upper = written.saturating_add(inclusive);
        if upper <= lower {
            let least = if inclusive == 1 { "not before" } else { "after" };
            return Err(refuse(text, &format!("a gap that ends {least} {lower}, where it begins")));
        }
        if lower < lifetime.start || lifetime.end < upper {
            let (first, last) = (lifetime.start, lifetime.end - inclusive);
            return Err(refuse(text, &format!("a gap within {first}-{last}, the lifetime")));
        }
        let window = match (usize::try_from(begin), usize::try_from(end)) {
            (Ok(begin), Ok(end)) if begin <= end && end <= size => begin..end,
            _ => return Err(refuse(text, &format!("a window within 0:{size}, the bytes of the row, its begin first"))),
        };
        found.push((text, GapTimes { row, lower, upper, window }));
    }
    found.sort_by_key(|(_, gap)| gap.lower);
    if let Some([(before, _), (text, _)]) = found.windows(2).find(|pair| pair[0].1.upper > pair[1].1.lower) {
        return Err(refuse(text, &format!("a gap that shares no time with {before}")));
    }
    gaps.extend(found.into_iter().map(|(_, gap)| gap));
    Ok(())
}

/// The numbers of a gap as they are written: its two times and the two ends of its window, 0 where there is none.
fn parse(text: &str) -> Option<[i128; 4]> {
    let (times, window) = text.split_once('@').unwrap_or((text, "0:0"));
    // A sign may stand before the first digit.
    let dash = 1 + times.get(1..)?.find('-')?;
    let (begin, end) = window.split_once(':')?;
    let number = |text: &str| text.parse().ok();
    Some([number(&times[..dash])?, number(&times[dash + 1..])?, number(begin)?, number(end)?])
}
