//! The buffers that MLIR's static memory planner plans, as CSV: `size`, `alignment`, `start` and `end` by the names in
//! the header, and perhaps `id`. A buffer is alive from the operation that allocates it, `start`, to the one that frees
//! it, `end`, which is no longer part of it. In the problem files of this command `end` would be inclusive; therefore
//! this is a format of its own.

use super::Row;
use crate::failure::Failure;
use crate::table::shown;

const NEEDED: [&str; 3] = ["size", "start", "end"];

pub fn is_header(text: &str) -> bool {
    let names: Vec<&str> = text.lines().next().unwrap_or("").split(',').map(str::trim).collect();
    NEEDED.iter().all(|name| names.contains(name))
}

pub fn read(source: &str, text: &str) -> Result<Vec<Row>, Failure> {
    if !is_header(text) {
        let expected = "expected a first line such as size,alignment,start,end";
        return Err(Failure::input(format!("{source}:1: no columns {}: {expected}", NEEDED.join(", "))));
    }
    let mut lines = text.lines().enumerate();
    let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').map(str::trim).collect();
    let position = |name: &str| header.iter().position(|column| *column == name);
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |what: String| Failure::input(format!("{source}:{}: {what}", number + 1));
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != header.len() {
            return Err(fail(format!("{} fields: expected {}, as in the header", fields.len(), header.len())));
        }
        let field = |name: &str| position(name).map_or("", |position| fields[position]);
        let integer = |name: &str, least: u64| {
            let value = field(name).parse::<u64>().ok().filter(|&value| value >= least);
            let shown = shown(field(name));
            value.ok_or_else(|| fail(format!("column {name}: value \"{shown}\": expected a whole number from {least}")))
        };
        let (size, start) = (integer("size", 0)?, integer("start", 0)?);
        let end = integer("end", start.saturating_add(1))?;
        let alignment = if field("alignment").is_empty() { None } else { Some(integer("alignment", 1)?) };
        let id = if position("id").is_some() { field("id").to_string() } else { rows.len().to_string() };
        rows.push(Row { id, lower: start.into(), upper: end.into(), size, alignment });
    }
    Ok(rows)
}
