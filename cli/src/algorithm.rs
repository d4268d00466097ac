//! The names of the planners, for `--algorithm` and in answers.

use aether::arena::Planner;
use clap::ValueEnum;
use clap::builder::PossibleValue;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// From the portfolio's plan on, until it is proven or a limit is reached.
    Search,
    /// All planners, the best plan kept.
    Portfolio,
    One(Planner),
}

impl Algorithm {
    /// Every planner alone, in the order of a portfolio.
    pub const PLANNERS: [Algorithm; Planner::ALL.len()] = {
        let mut all = [Algorithm::Portfolio; Planner::ALL.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Algorithm::One(Planner::ALL[i]);
            i += 1;
        }
        all
    };

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Search => "search",
            Algorithm::Portfolio => "portfolio",
            Algorithm::One(planner) => name(planner),
        }
    }

    /// The mask that the library takes; a search has the whole portfolio.
    pub fn planners(self) -> u32 {
        match self {
            Algorithm::Search | Algorithm::Portfolio => Planner::MASK,
            Algorithm::One(planner) => planner.bit(),
        }
    }
}

pub fn name(planner: Planner) -> &'static str {
    match planner {
        Planner::Size => "size",
        Planner::FirstUse => "first-use",
        Planner::Sequential => "sequential",
        Planner::Spatial => "spatial",
        Planner::Temporal => "temporal",
        Planner::Conflicts => "conflicts",
        Planner::FirstFit => "first-fit",
        Planner::Area => "area",
        Planner::Colouring => "colouring",
        Planner::Pressure => "pressure",
    }
}

impl ValueEnum for Algorithm {
    fn value_variants<'a>() -> &'a [Algorithm] {
        const ALL: [Algorithm; Planner::ALL.len() + 2] = {
            let mut all = [Algorithm::Search; Planner::ALL.len() + 2];
            all[1] = Algorithm::Portfolio;
            all.split_at_mut(2).1.copy_from_slice(&Algorithm::PLANNERS);
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Algorithm::Search => {
                "from the portfolio's plan on, a search for the smallest arena and the proof that it is"
            }
            Algorithm::Portfolio => {
                "all planners, which follow; the smallest arena is kept, of equal ones the first in this list"
            }
            Algorithm::One(Planner::Size) => "decreasing size, best fit: XNNPACK",
            Algorithm::One(Planner::FirstUse) => "first use, best fit: MLIR's best-fit",
            Algorithm::One(Planner::Sequential) => "one after another, no byte shared: MLIR's trivial",
            Algorithm::One(Planner::Spatial) => "decreasing size, then length of the lifetime, best fit: XLA's spatial",
            Algorithm::One(Planner::Temporal) => "decreasing length, then size, best fit: XLA's temporal",
            Algorithm::One(Planner::Conflicts) => "decreasing number of rows alive with it, best fit: TVM",
            Algorithm::One(Planner::FirstFit) => "decreasing size, first fit: TFLite-Micro",
            Algorithm::One(Planner::Area) => "decreasing size x length, first fit",
            Algorithm::One(Planner::Colouring) => "size classes, each coloured as an interval graph, first fit",
            Algorithm::One(Planner::Pressure) => "decreasing size x number of rows alive with it, first fit",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}
