//! An ONNX model: the nodes of its graph, in the order of the file, and the shapes that it tells.
//!
//! The messages have the fields that are needed here and their numbers in the public format; all others, the weights
//! too, are skipped. A graph inside a node, such as the branch of a condition, reads what it takes from outside.

use std::collections::HashMap;

use prost::Message;

use super::Row;
use super::network::{Kind, Network, Operator, Value};
use crate::failure::Failure;
use crate::table::{listed, shown};

#[derive(Clone, PartialEq, Message)]
struct Model {
    #[prost(message, optional, tag = "7")]
    graph: Option<Graph>,
}

#[derive(Clone, PartialEq, Message)]
struct Graph {
    #[prost(message, repeated, tag = "1")]
    node: Vec<Node>,
    #[prost(message, repeated, tag = "5")]
    initializer: Vec<Initializer>,
    #[prost(message, repeated, tag = "11")]
    input: Vec<Info>,
    #[prost(message, repeated, tag = "12")]
    output: Vec<Info>,
    #[prost(message, repeated, tag = "13")]
    value_info: Vec<Info>,
    #[prost(message, repeated, tag = "15")]
    sparse_initializer: Vec<SparseInitializer>,
}

#[derive(Clone, PartialEq, Message)]
struct Node {
    #[prost(string, repeated, tag = "1")]
    input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    output: Vec<String>,
    #[prost(string, tag = "4")]
    op_type: String,
    #[prost(message, repeated, tag = "5")]
    attribute: Vec<Attribute>,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(message, optional, tag = "6")]
    graph: Option<Graph>,
    #[prost(message, repeated, tag = "11")]
    graphs: Vec<Graph>,
}

#[derive(Clone, PartialEq, Message)]
struct Initializer {
    #[prost(string, tag = "8")]
    name: String,
}

#[derive(Clone, PartialEq, Message)]
struct SparseInitializer {
    #[prost(message, optional, tag = "1")]
    values: Option<Initializer>,
}

#[derive(Clone, PartialEq, Message)]
struct Info {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    r#type: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
struct Type {
    #[prost(message, optional, tag = "1")]
    tensor: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
struct TensorType {
    #[prost(int32, tag = "1")]
    element: i32,
    #[prost(message, optional, tag = "2")]
    shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
struct Shape {
    #[prost(message, repeated, tag = "1")]
    dimension: Vec<Dimension>,
}

/// A number, or a name that stands for one.
#[derive(Clone, PartialEq, Message)]
struct Dimension {
    #[prost(int64, optional, tag = "1")]
    value: Option<i64>,
}

pub fn read(source: &str, bytes: &[u8]) -> Result<Vec<Row>, Failure> {
    let refuse = |what: &str| Failure::input(format!("{source}: {what}"));
    let model = Model::decode(bytes).map_err(|error| refuse(&format!("not a whole ONNX model: {error}")))?;
    let graph = model.graph.ok_or_else(|| refuse("not an ONNX model: there is no graph in it"))?;
    let network = network(&graph);
    network.rows().map_err(|value| {
        let unknown = network.values.iter().filter(|value| value.kind == Kind::Ordinary && value.size.is_none());
        let unknown: Vec<&Value> = unknown.collect();
        let names = listed(unknown.iter().map(|value| shown(&value.id)));
        refuse(&format!(
            "tensor {}: its shape is not known: run ONNX's shape inference with fixed input shapes first; without a \
             shape are {names}",
            shown(&value.id)
        ))
    })
}

fn network(graph: &Graph) -> Network {
    let mut values = Values { numbers: HashMap::new(), list: Vec::new() };
    let infos = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
    let sizes: HashMap<&str, Option<u64>> = infos.map(|info| (info.name.as_str(), size(info))).collect();
    let sparse = graph.sparse_initializer.iter().filter_map(|sparse| sparse.values.as_ref());
    for initializer in graph.initializer.iter().chain(sparse) {
        values.define(&initializer.name, Kind::Constant, None);
    }
    let made = graph.node.iter().flat_map(|node| &node.output);
    for name in graph.input.iter().map(|info| &info.name).chain(made) {
        values.define(name, Kind::Ordinary, sizes.get(name.as_str()).copied().flatten());
    }
    let operator = |node: &Node| {
        let mut read = Vec::new();
        collect_read(node, &mut read);
        Operator {
            inputs: values.numbers(read),
            outputs: values.numbers(node.output.iter().map(String::as_str)),
            is_pure: !node.op_type.starts_with("Random"),
        }
    };
    let of_infos = |infos: &[Info]| values.numbers(infos.iter().map(|info| info.name.as_str()));
    let operators = graph.node.iter().map(operator).collect();
    Network { operators, inputs: of_infos(&graph.input), outputs: of_infos(&graph.output), values: values.list }
}

struct Values<'g> {
    numbers: HashMap<&'g str, usize>,
    list: Vec<Value>,
}

impl<'g> Values<'g> {
    /// The first definition counts: an initializer may stand among the inputs too. An output that is not wanted has no
    /// name.
    fn define(&mut self, name: &'g str, kind: Kind, size: Option<u64>) {
        if !name.is_empty() && !self.numbers.contains_key(name) {
            self.numbers.insert(name, self.list.len());
            self.list.push(Value { id: name.to_string(), kind, size });
        }
    }

    /// Of the names that are defined here; those of a graph inside a node are not.
    fn numbers<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Vec<usize> {
        names.into_iter().filter_map(|name| self.numbers.get(name).copied()).collect()
    }
}

/// Adds the names that a node and the graphs in it read. They are as deeply nested as the decoder lets them be.
fn collect_read<'g>(node: &'g Node, names: &mut Vec<&'g str>) {
    names.extend(node.input.iter().map(String::as_str));
    for graph in node.attribute.iter().flat_map(|attribute| attribute.graph.iter().chain(&attribute.graphs)) {
        names.extend(graph.output.iter().map(|info| info.name.as_str()));
        graph.node.iter().for_each(|node| collect_read(node, names));
    }
}

/// Bytes; none where the type or a dimension is not known.
fn size(info: &Info) -> Option<u64> {
    let tensor = info.r#type.as_ref()?.tensor.as_ref()?;
    let bits: u64 = match tensor.element {
        2 | 3 | 9 | 17..=20 | 24 => 8, // uint8, int8, bool, the four float8, float8e8m0
        4 | 5 | 10 | 16 => 16,         // uint16, int16, float16, bfloat16
        1 | 6 | 12 => 32,              // float, int32, uint32
        7 | 11 | 13 | 14 => 64,        // int64, double, uint64, complex64
        15 => 128,                     // complex128
        21..=23 => 4,                  // uint4, int4, float4e2m1
        _ => return None,
    };
    let dimensions = &tensor.shape.as_ref()?.dimension;
    let elements = dimensions
        .iter()
        .try_fold(1u64, |product, dimension| product.checked_mul(u64::try_from(dimension.value?).ok()?))?;
    Some(elements.checked_mul(bits)?.div_ceil(8))
}
