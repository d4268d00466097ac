//! `--space NAME=CAPACITY[:ALIGN[:COST]]`: the memory spaces that are planned for.

use aether::arena::Space;

use crate::failure::Failure;
use crate::table::shown;
use crate::values;

/// What a mask of spaces has bits for.
const MOST_SPACES: usize = 32;

#[derive(clap::Args)]
#[command(next_help_heading = "Options for several memory spaces")]
pub struct SpaceOptions {
    /// Plan for a memory space of this name; repeated for each, the preferred ones first
    ///
    /// CAPACITY is in bytes, or none: no limit. ALIGN is what the address of its arena is a multiple of, and a row with
    /// another alignment that does not divide it stays out; empty or not given: whatever the plan needs. COST is that
    /// of a byte moved to or from it, given for each space or for none; without costs the first space costs 0 a byte,
    /// the next 1, and so on.
    ///
    /// Each row gets one space and an offset in it, such that the sum of weight x cost is small: the columns space and
    /// offset of the plan. --work-limit counts looks at a row that lives in a space, and --seed changes the order of
    /// trials. Exit 1 if rows find no space
    #[arg(long = "space", value_name = "NAME=CAPACITY[:ALIGN[:COST]]", value_parser = named_space)]
    #[arg(conflicts_with_all = ["capacity", "algorithm", "seeds", "jobs", "time_limit"])]
    spaces: Vec<NamedSpace>,
}

#[derive(Clone)]
pub struct NamedSpace {
    pub name: String,
    pub capacity: usize,
    /// 0: whatever the plan needs.
    pub base_alignment: usize,
    cost: Option<usize>,
}

impl SpaceOptions {
    pub fn is_asked_for(&self) -> bool {
        !self.spaces.is_empty()
    }

    pub fn spaces(&self) -> Result<(Vec<String>, Vec<Space>), Failure> {
        spaces(&self.spaces)
    }
}

/// The names and spaces, where they go together.
pub fn spaces(spaces: &[NamedSpace]) -> Result<(Vec<String>, Vec<Space>), Failure> {
    let refuse = |what: String| Err(Failure::input(format!("--space: {what}")));
    require_count(spaces.len())?;
    let is_repeated = |&k: &usize| spaces[..k].iter().any(|space| space.name == spaces[k].name);
    if let Some(k) = (0..spaces.len()).find(is_repeated) {
        return refuse(format!("\"{}\" is there twice: expected each name once", shown(&spaces[k].name)));
    }
    let without = spaces.iter().find(|space| space.cost.is_none());
    if let Some(without) = without.filter(|_| spaces.iter().any(|space| space.cost.is_some())) {
        return refuse(format!("\"{}\" has no cost: expected one for each space or for none", shown(&without.name)));
    }
    let space = |(k, space): (usize, &NamedSpace)| Space {
        capacity: space.capacity,
        base_alignment: space.base_alignment,
        cost: space.cost.unwrap_or(k),
    };
    let names = spaces.iter().map(|space| space.name.clone()).collect();
    Ok((names, spaces.iter().enumerate().map(space).collect()))
}

/// A mask has a bit for each.
pub fn require_count(count: usize) -> Result<(), Failure> {
    match count > MOST_SPACES {
        true => Err(Failure::input(format!("--space: {count} spaces: expected at most {MOST_SPACES}"))),
        false => Ok(()),
    }
}

pub fn named_space(text: &str) -> Result<NamedSpace, String> {
    let form = || "expected NAME=CAPACITY, NAME=CAPACITY:ALIGN or NAME=CAPACITY:ALIGN:COST".to_string();
    let (name, numbers) = text.split_once('=').ok_or_else(form)?;
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("expected a name without blanks before the =".to_string());
    }
    let mut numbers = numbers.split(':');
    let about = |what: &'static str| move |reason: String| format!("{what}: {reason}");
    let capacity = match numbers.next() {
        Some("none") => usize::MAX,
        number => values::at_least_1(number.unwrap_or_default())
            .map_err(|reason| format!("capacity: {reason}, or none"))?
            .get(),
    };
    let base_alignment = match numbers.next() {
        None | Some("") => 0,
        Some(number) => values::at_least_1(number).map_err(about("alignment"))?.get(),
    };
    let cost = numbers.next().map(values::bytes).transpose().map_err(about("cost"))?;
    match numbers.next() {
        None => Ok(NamedSpace { name: name.to_string(), capacity, base_alignment, cost }),
        Some(_) => Err(form()),
    }
}
