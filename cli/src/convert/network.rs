//! From the operators of a model, in the order in which they run, to the lifetimes of their tensors.
//!
//! A tensor is alive from the operator that makes it to the last one that reads it. An input of the model is alive from
//! the first operator on, an output to the last. What is constant is no part of the arena: weights, and whatever is
//! computed from constants alone; an operator that makes nothing else is no node.

use super::Row;

/// A tensor of the model; what it is called and how many bytes it has.
pub struct Value {
    pub id: String,
    pub kind: Kind,
    /// None where the model does not tell.
    pub size: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ordinary,
    /// Stored in the model.
    Constant,
    /// A handle on memory elsewhere.
    Elsewhere,
    /// It keeps its bytes from run to run.
    Persistent,
}

pub struct Operator {
    /// Numbers of values.
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
    /// Whether constant inputs make constant outputs.
    pub is_pure: bool,
}

pub struct Network {
    pub values: Vec<Value>,
    pub operators: Vec<Operator>,
    pub inputs: Vec<usize>,
    pub outputs: Vec<usize>,
}

impl Network {
    /// A row for each tensor, in the order in which they are first defined; or a value without a size.
    pub fn rows(&self) -> Result<Vec<Row>, &Value> {
        let is_constant = self.constants();
        let nodes: Vec<&Operator> =
            self.operators.iter().filter(|operator| !operator.is_constant(&is_constant)).collect();
        let mut lifetimes: Vec<Option<(i128, i128)>> = vec![None; self.values.len()];
        let mut order = Vec::new();
        let mut define = |value: usize, node: i128, lifetimes: &mut Vec<Option<(i128, i128)>>| {
            let kind = self.values[value].kind;
            if lifetimes[value].is_none() && !is_constant[value] && kind != Kind::Elsewhere {
                let last = if kind == Kind::Persistent { nodes.len() as i128 } else { node + 1 };
                lifetimes[value] = Some((if kind == Kind::Persistent { 0 } else { node }, last));
                order.push(value);
            }
        };
        for &input in &self.inputs {
            define(input, 0, &mut lifetimes);
        }
        for (node, operator) in (0..).zip(&nodes) {
            for &input in &operator.inputs {
                if self.values[input].kind == Kind::Persistent {
                    define(input, node, &mut lifetimes);
                }
                if let Some((_, upper)) = &mut lifetimes[input] {
                    *upper = (*upper).max(node + 1);
                }
            }
            for &output in &operator.outputs {
                define(output, node, &mut lifetimes);
            }
        }
        for &output in &self.outputs {
            if let Some((lower, upper)) = &mut lifetimes[output] {
                *upper = (nodes.len() as i128).max(*lower + 1);
            }
        }
        // What has no size and no reader, such as the mask that a dropout makes beside its result, is not made at all.
        let is_read = |value: usize| {
            let mut readers = nodes.iter().flat_map(|node| &node.inputs).chain(&self.outputs);
            readers.any(|&read| read == value)
        };
        let is_made = |&value: &usize| self.values[value].size.is_some() || is_read(value);
        let row = |value: usize| {
            let Value { id, size, .. } = &self.values[value];
            let (lower, upper) = lifetimes[value].unwrap_or((0, 1));
            let size = size.ok_or(&self.values[value])?;
            Ok(Row { id: id.clone(), lower, upper, size, alignment: None })
        };
        order.into_iter().filter(is_made).map(row).collect()
    }

    /// Which values are constant, one way or the other. The operators must stand in the order in which they run.
    fn constants(&self) -> Vec<bool> {
        let mut is_constant: Vec<bool> = self.values.iter().map(|value| value.kind == Kind::Constant).collect();
        for operator in &self.operators {
            if operator.is_constant(&is_constant) {
                operator.outputs.iter().for_each(|&output| is_constant[output] = true);
            }
        }
        is_constant
    }
}

impl Operator {
    fn is_constant(&self, is_constant: &[bool]) -> bool {
        self.is_pure && self.inputs.iter().all(|&input| is_constant[input])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values named by letters: small ones are ordinary, capital ones constant, `*` is a handle, `!` is persistent.
    fn network(operators: &[(&str, &str)], inputs: &str, outputs: &str) -> Network {
        let mut names: Vec<char> = Vec::new();
        let mut numbers = |text: &str| -> Vec<usize> {
            let number = |c: char| {
                names.iter().position(|name| *name == c).unwrap_or_else(|| {
                    names.push(c);
                    names.len() - 1
                })
            };
            text.chars().map(number).collect()
        };
        let (inputs, outputs) = (numbers(inputs), numbers(outputs));
        let operators = operators.iter().map(|(from, to)| Operator {
            inputs: numbers(from),
            outputs: numbers(to),
            is_pure: !from.is_empty(),
        });
        let operators = operators.collect();
        let kind = |c: char| match c {
            '*' => Kind::Elsewhere,
            '!' => Kind::Persistent,
            c if c.is_uppercase() => Kind::Constant,
            _ => Kind::Ordinary,
        };
        let value = |&c: &char| Value { id: c.to_string(), kind: kind(c), size: Some(1) };
        Network { values: names.iter().map(value).collect(), operators, inputs, outputs }
    }

    fn lifetimes(network: &Network) -> Vec<(String, i128, i128)> {
        let rows = network.rows().map_err(|value| value.id.clone()).unwrap();
        rows.into_iter().map(|row| (row.id, row.lower, row.upper)).collect()
    }

    fn expected(rows: &[(&str, i128, i128)]) -> Vec<(String, i128, i128)> {
        rows.iter().map(|&(id, lower, upper)| (id.to_string(), lower, upper)).collect()
    }

    #[test]
    fn a_tensor_lives_from_its_maker_to_its_last_reader() {
        let chain = network(&[("x", "a"), ("a", "b"), ("ab", "y")], "x", "y");
        assert_eq!(lifetimes(&chain), expected(&[("x", 0, 1), ("a", 0, 3), ("b", 1, 3), ("y", 2, 3)]));
    }

    #[test]
    fn an_input_lives_from_the_start_and_an_output_to_the_end() {
        let late = network(&[("a", "b"), ("b", "c"), ("xc", "d")], "ax", "b");
        assert_eq!(lifetimes(&late), expected(&[("a", 0, 1), ("x", 0, 3), ("b", 0, 3), ("c", 1, 3), ("d", 2, 3)]));
    }

    #[test]
    fn what_nobody_reads_lives_at_its_maker() {
        let unread = network(&[("x", "ab"), ("b", "y"), ("y", "z")], "x", "z");
        assert_eq!(lifetimes(&unread)[1], ("a".to_string(), 0, 1));
    }

    #[test]
    fn constants_and_what_depends_on_them_alone_are_left_out_with_their_operators() {
        let weights = network(&[("W", "w"), ("wV", "v"), ("xv", "a"), ("aW", "y")], "x", "y");
        assert_eq!(lifetimes(&weights), expected(&[("x", 0, 1), ("a", 0, 2), ("y", 1, 2)]));
    }

    #[test]
    fn a_handle_has_no_bytes_and_what_is_read_through_it_is_no_constant() {
        let state = network(&[("", "*"), ("*", "a"), ("xa", "y"), ("*y", "")], "x", "y");
        assert_eq!(lifetimes(&state), expected(&[("x", 0, 3), ("a", 1, 3), ("y", 2, 4)]));
    }

    #[test]
    fn what_keeps_its_bytes_from_run_to_run_lives_all_the_time() {
        let state = network(&[("x", "a"), ("a!", "y")], "x", "y");
        assert_eq!(lifetimes(&state), expected(&[("x", 0, 1), ("a", 0, 2), ("!", 0, 2), ("y", 1, 2)]));
    }

    #[test]
    fn a_tensor_without_a_size_is_named() {
        let mut unknown = network(&[("x", "a"), ("aB", "y")], "x", "y");
        unknown.values.iter_mut().filter(|value| "aB".contains(&value.id)).for_each(|value| value.size = None);
        assert_eq!(unknown.rows().err().map(|value| value.id.as_str()), Some("a"));
    }

    #[test]
    fn a_tensor_without_a_size_that_nobody_reads_is_not_made() {
        let mut masked = network(&[("x", "am"), ("a", "y")], "x", "y");
        masked.values.iter_mut().filter(|value| value.id == "m").for_each(|value| value.size = None);
        assert_eq!(lifetimes(&masked), expected(&[("x", 0, 1), ("a", 0, 2), ("y", 1, 2)]));
        masked.values.iter_mut().filter(|value| value.id == "y").for_each(|value| value.size = None);
        assert_eq!(masked.rows().err().map(|value| value.id.as_str()), Some("y"));
    }
}
