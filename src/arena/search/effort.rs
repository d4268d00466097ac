//! What a search may spend, and why it ended.

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nodes of the search, all in all; 0: the portfolio alone. A node costs about a microsecond and more with the
    /// tensors that are alive together.
    pub work_limit: u64,
    /// Of the noise in the orders.
    pub seed: u64,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Stop {
    /// The arena equals the lower bound: no plan is smaller.
    Optimal = 0,
    /// The work limit was reached.
    WorkLimit = 1,
    /// The caller's function asked for it.
    Callback = 2,
    /// There are more than 2^25 tensors: the plan is that of the portfolio.
    NotSearched = 3,
}
