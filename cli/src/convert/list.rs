//! Tensors as plain text: a line each, `size,first,last`, both nodes inclusive. Commas or white space separate the
//! numbers, `#` begins a comment, and the first line may be a header of these names.

use super::Row;
use crate::failure::Failure;
use crate::table::shown;

pub fn read(source: &str, text: &str) -> Result<Vec<Row>, Failure> {
    let mut rows: Vec<Row> = Vec::new();
    let mut header_may_come = true;
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        let fields: Vec<&str> =
            content.split(|c: char| c == ',' || c.is_whitespace()).filter(|field| !field.is_empty()).collect();
        if fields.is_empty() || std::mem::take(&mut header_may_come) && fields == ["size", "first", "last"] {
            continue;
        }
        let row = parse(&fields, rows.len()).map_err(|expected| {
            Failure::input(format!("{source}:{}: \"{}\": expected {expected}", number + 1, shown(line)))
        })?;
        rows.push(row);
    }
    Ok(rows)
}

fn parse(fields: &[&str], row: usize) -> Result<Row, &'static str> {
    let &[size, first, last] = fields else { return Err("three numbers: size, first node and last node") };
    let size = size.parse().map_err(|_| "a size in bytes, a whole number from 0")?;
    let node = |text: &str| text.parse::<i64>().map_err(|_| "a node, a whole number");
    let (first, last) = (node(first)?, node(last)?);
    if last < first {
        return Err("a last node that is not before the first");
    }
    Ok(Row { id: row.to_string(), lower: first.into(), upper: i128::from(last) + 1, size, alignment: None })
}
