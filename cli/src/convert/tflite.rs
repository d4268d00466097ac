//! A TensorFlow Lite model: the operators of its main subgraph, in the order of the file.
//!
//! A tensor is constant where its buffer has bytes. Handles of resource variables have none in the arena; a tensor that
//! is itself a variable keeps its bytes from run to run. Numbers of fields and types are those of the public schema of
//! version 3.

use super::Row;
use super::flatbuffer::Table;
use super::network::{Kind, Network, Operator, Value};
use crate::failure::Failure;
use crate::output;
use crate::table::shown;

/// Numbers of fields.
mod model {
    pub const SUBGRAPHS: usize = 2;
    pub const BUFFERS: usize = 4;
}
mod subgraph {
    pub const TENSORS: usize = 0;
    pub const INPUTS: usize = 1;
    pub const OUTPUTS: usize = 2;
    pub const OPERATORS: usize = 3;
}
mod tensor {
    pub const SHAPE: usize = 0;
    pub const TYPE: usize = 1;
    pub const BUFFER: usize = 2;
    pub const NAME: usize = 3;
    pub const IS_VARIABLE: usize = 5;
    pub const SHAPE_SIGNATURE: usize = 7;
}
mod operator {
    pub const INPUTS: usize = 1;
    pub const OUTPUTS: usize = 2;
}
mod buffer {
    pub const DATA: usize = 0;
    pub const OFFSET: usize = 1;
}

const RESOURCE: u64 = 13;
const VARIANT: u64 = 14;

pub fn read(source: &str, bytes: &[u8]) -> Result<Vec<Row>, Failure> {
    let damaged = || Failure::input(format!("{source}: not a whole TensorFlow Lite model"));
    let Model { network, subgraphs, open } = model(bytes).ok_or_else(damaged)?;
    if subgraphs > 1 {
        output::note(source, format_args!("{} more subgraphs are left out", subgraphs - 1));
    }
    if let Some(first) = open.first() {
        let count = open.len();
        let what = format!("{count} tensors have an open dimension, which counts as 1; the first is {}", shown(first));
        output::note(source, what);
    }
    let unknown =
        |value: &Value| Failure::input(format!("{source}: tensor {}: its type has no known size", shown(&value.id)));
    network.rows().map_err(unknown)
}

struct Model {
    network: Network,
    subgraphs: usize,
    /// The ids of tensors with a dimension that is known only when the model runs.
    open: Vec<String>,
}

/// None where the file is damaged.
fn model(bytes: &[u8]) -> Option<Model> {
    let root = Table::root(bytes)?;
    let subgraphs = root.tables(model::SUBGRAPHS)?;
    let main = subgraphs.first()?;
    let stored = |buffer: &Table| {
        let inside = buffer.vector(buffer::DATA, 1)?.is_some_and(|data| !data.is_empty());
        // Large models have the bytes behind the flatbuffer; 0 and 1 are no places.
        Some(inside || buffer.number::<8>(buffer::OFFSET)? > 1)
    };
    let stored: Vec<bool> = root.tables(model::BUFFERS)?.iter().map(stored).collect::<Option<_>>()?;
    let mut open = Vec::new();
    let mut values = Vec::new();
    for (number, table) in main.tables(subgraph::TENSORS)?.iter().enumerate() {
        let kind = match table.number::<1>(tensor::TYPE)? {
            RESOURCE | VARIANT => Kind::Elsewhere,
            _ if stored.get(table.number::<4>(tensor::BUFFER)? as usize) == Some(&true) => Kind::Constant,
            _ if table.number::<1>(tensor::IS_VARIABLE)? != 0 => Kind::Persistent,
            _ => Kind::Ordinary,
        };
        let mut id = table.text(tensor::NAME)?;
        if id.is_empty() {
            id = number.to_string();
        }
        let is_open = |dimensions: Vec<i32>| dimensions.iter().any(|&dimension| dimension < 0);
        if kind != Kind::Constant && is_open(table.integers(tensor::SHAPE_SIGNATURE)?) {
            open.push(id.clone());
        }
        let size = size(table.number::<1>(tensor::TYPE)?, &table.integers(tensor::SHAPE)?);
        values.push(Value { id, kind, size });
    }
    let count = values.len();
    // -1 stands for an optional input that is not given.
    let numbers = |table: &Table, field: usize| -> Option<Vec<usize>> {
        let given = table.integers(field)?.into_iter().filter(|&number| number != -1);
        given.map(|number| usize::try_from(number).ok().filter(|&number| number < count)).collect()
    };
    let operator = |table: &Table| {
        let inputs = numbers(table, operator::INPUTS)?;
        // What has no inputs makes a handle, or is no function of anything.
        let is_pure = !inputs.is_empty();
        Some(Operator { inputs, outputs: numbers(table, operator::OUTPUTS)?, is_pure })
    };
    let network = Network {
        values,
        operators: main.tables(subgraph::OPERATORS)?.iter().map(operator).collect::<Option<_>>()?,
        inputs: numbers(main, subgraph::INPUTS)?,
        outputs: numbers(main, subgraph::OUTPUTS)?,
    };
    Some(Model { network, subgraphs: subgraphs.len(), open })
}

/// Bytes; an open dimension counts as 1.
fn size(type_number: u64, shape: &[i32]) -> Option<u64> {
    let bits: u64 = match type_number {
        0 | 2 | 15 => 32,      // float32, int32, uint32
        1 | 7 | 16 | 18 => 16, // float16, int16, uint16, bfloat16
        3 | 6 | 9 => 8,        // uint8, bool, int8
        4 | 8 | 10 | 12 => 64, // int64, complex64, float64, uint64
        11 => 128,             // complex128
        17 => 4,               // int4
        _ => return None,
    };
    let elements = shape
        .iter()
        .try_fold(1u64, |product, &dimension| product.checked_mul(if dimension < 0 { 1 } else { dimension as u64 }))?;
    Some(elements.checked_mul(bits)?.div_ceil(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &[u8] = include_bytes!("../../tests/models/hey_jarvis.tflite");

    /// Whatever the bytes are, there is an answer.
    fn answer(bytes: &[u8]) -> bool {
        model(bytes).is_some_and(|model| model.network.rows().is_ok())
    }

    #[test]
    fn a_model_cut_short_anywhere_is_no_panic() {
        assert!(answer(MODEL));
        for end in (0..MODEL.len()).step_by(97).chain(0..64) {
            answer(&MODEL[..end]);
        }
    }

    #[test]
    fn a_model_with_wrong_bytes_is_no_panic() {
        let mut state = 1u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit
        };
        let mut refused = 0;
        for _ in 0..3000 {
            let mut bytes = MODEL.to_vec();
            for _ in 0..1 + below(40) {
                let at = below(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, below(256) as u8][below(6)];
            }
            refused += usize::from(!answer(&bytes));
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn sizes_are_of_whole_bytes() {
        assert_eq!(
            (size(0, &[1, 3]), size(9, &[]), size(17, &[3]), size(0, &[-1, 2])),
            (Some(12), Some(1), Some(2), Some(8))
        );
        assert_eq!((size(5, &[1]), size(8, &[i32::MAX; 3])), (None, None));
    }
}
