//! Usage records as XNNPACK's runtime has them, as JSON: a list of objects, or an object with such a list. The names
//! are XNNPACK's, `first_node`, `last_node` (inclusive) and `tensor_size`, or those of this library's header,
//! `first_use`, `last_use` and `size`. An id and an alignment may be there; other members mean nothing here.

use serde::Deserialize;

use super::Row;
use crate::failure::Failure;

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(i64),
}

#[derive(Deserialize)]
struct Record {
    id: Option<Id>,
    #[serde(alias = "first_use")]
    first_node: i64,
    #[serde(alias = "last_use")]
    last_node: i64,
    #[serde(alias = "size")]
    tensor_size: u64,
    alignment: Option<u64>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(alias = "records", alias = "tensors")]
    usage_records: Vec<Record>,
}

pub fn read(source: &str, text: &str) -> Result<Vec<Row>, Failure> {
    // Told apart here, since then a fault is told with its line.
    let records = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(text).map(|named: Named| named.usage_records),
        false => serde_json::from_str(text),
    };
    let records: Vec<Record> =
        records.map_err(|error| Failure::input(format!("{source}:{}: no usage records: {error}", error.line())))?;
    let row = |(number, record): (usize, Record)| {
        let id = match record.id {
            Some(Id::Text(text)) => text,
            Some(Id::Number(id)) => id.to_string(),
            None => number.to_string(),
        };
        let (first, last) = (record.first_node, record.last_node);
        if last < first {
            let what =
                format!("{source}: record {number}: last_node {last}: expected at least {first}, its first_node");
            return Err(Failure::input(what));
        }
        if record.alignment == Some(0) {
            return Err(Failure::input(format!("{source}: record {number}: alignment 0: expected at least 1")));
        }
        let (lower, upper) = (first.into(), i128::from(last) + 1);
        Ok(Row { id, lower, upper, size: record.tensor_size, alignment: record.alignment })
    };
    records.into_iter().enumerate().map(row).collect()
}
