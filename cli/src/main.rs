//! The command `aether`: offset planning, transitive reduction and islands for files.
//!
//! One file a verb: `plan`, `check`, `compare`, `plot`, `explain` (the verb report), `diff`, `convert`, `reduce`, `islands`,
//! and `shell` for completions and man.
//!
//! Those about plans share `table` (the CSV text), `problem` and `gaps` (what its fields mean), `algorithm` (the names
//! of the planners), `arena` (the calls into the library), `report` (a plan's numbers), `placed` (a plan that may be
//! wrong) and `in_use` (which bytes are needed when). A `search` runs seeds on threads, tells its `progress`, and ends
//! by an `interrupt`. `--space` plans for the `spaces` that `space_options` read, and `check_spaces` judges such a plan.
//! The verb reduce reads a `graph` from a `graph_text`: an `edge_list` or `dot`, made of `dot_tokens`. All share `input`
//! (where texts come from), `output` (where answers and notes go), `terminal` (what is for people who watch), `values`
//! (of options) and `failure` (exit codes).

mod algorithm;
mod arena;
mod check;
mod check_spaces;
mod compare;
mod convert;
mod diff;
mod dot;
mod dot_tokens;
mod edge_list;
mod explain;
mod failure;
mod fault;
mod gaps;
mod graph;
mod graph_text;
mod in_use;
mod input;
mod interrupt;
mod islands;
mod output;
mod placed;
mod plan;
mod plot;
mod problem;
mod progress;
mod reduce;
mod report;
mod search;
mod shell;
mod space_options;
mod spaces;
mod table;
mod terminal;
mod values;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Decisions before a computation runs: where its tensors live in one arena, which edges its schedule needs, and which
/// constraints can be solved apart
#[derive(Parser)]
#[command(name = "aether", version = version(), after_help = FORMAT)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Give every tensor of a file its offset
    #[command(after_help = PLAN_EXAMPLE)]
    Plan(plan::Args),
    /// Say whether a plan is valid: aligned, and no byte shared by two tensors alive at once
    #[command(after_help = CHECK_EXAMPLE)]
    Check(check::Args),
    /// Show how close each planner comes to the lower bound, file by file
    #[command(after_help = COMPARE_EXAMPLE)]
    Compare(compare::Args),
    /// Draw a plan: time across, addresses up, a box for each tensor
    #[command(after_help = PLOT_EXAMPLE)]
    Plot(plot::Args),
    /// Explain a plan: its peak, who is live there, and what is lost where
    #[command(after_help = REPORT_EXAMPLE)]
    Report(explain::Args),
    /// Compare two plans: the arena before and after, and which tensors moved
    #[command(after_help = DIFF_EXAMPLE)]
    Diff(diff::Args),
    /// Make a problem of usage records, a list, MLIR's buffers, a TFLite or an ONNX model
    #[command(after_help = CONVERT_EXAMPLE)]
    Convert(convert::Args),
    /// Drop the edges of a graph that other paths imply: its transitive reduction
    #[command(after_help = REDUCE_EXAMPLE)]
    Reduce(reduce::Args),
    /// Find the islands of nodes that incidences connect
    #[command(after_help = ISLANDS_EXAMPLE)]
    Islands(islands::Args),
    /// Print the completions of a shell
    #[command(after_help = COMPLETIONS_EXAMPLE)]
    Completions(shell::CompletionsArgs),
    /// Print a page for man
    #[command(after_help = MAN_EXAMPLE)]
    Man(shell::ManArgs),
}

/// The command's own, and that of the C interface of the library in it.
fn version() -> String {
    format!("{} (C ABI {})", env!("CARGO_PKG_VERSION"), aether::capi::AETHER_ABI_VERSION)
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Plan(args) => plan::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Compare(args) => compare::run(&args),
        Verb::Plot(args) => plot::run(&args),
        Verb::Report(args) => explain::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Convert(args) => convert::run(&args),
        Verb::Reduce(args) => reduce::run(&args),
        Verb::Islands(args) => islands::run(&args),
        Verb::Completions(args) => shell::completions(&args, Cli::command()),
        Verb::Man(args) => shell::man(&args, Cli::command()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

const FORMAT: &str = "\
Example:
  $ cat net.csv
  id,lower,upper,size
  A,0,2,100
  B,1,3,80
  C,2,4,60
  $ aether plan net.csv -o plan.csv     # offsets 0, 100, 0: an arena of 180 bytes
  $ aether check plan.csv --capacity 180

Graphs: aether reduce --help. Incidences: aether islands --help. The format of problems and plans is minimalloc's CSV. Columns are found by their names in
the header, in any order:
  id           a unique name (also: buffer, buffer_id)
  lower        the first time alive (also: start, begin); times may be negative
  upper        the time after the last one alive; called end, it is the last one itself
  size         bytes; a row of size 0 is not placed, its offset is 0
  alignment    optional: the offset is a multiple of it (1)
  hint         optional: the offset that the row gets where those bytes are free; negative: none
  gaps         optional: times within the lifetime when the row needs fewer of its bytes, with spaces between:
               3-5 none of them, 3-5@0:16 its bytes 0 to 15; half open as upper is, inclusive as end is
  offset       plan: the row is pinned there, nothing or -1: it is planned; check: the plan to be judged
  spaces       plan --space, optional: the spaces that the row may be in, with blanks between; nothing: all
  weight       plan --space, optional: the bytes moved to and from the row over its life; nothing: its size
  space        plan --space, optional: the space that the row must be in; a plan has it beside offset, and check
               judges it there
Other columns are only carried through, and a note on standard error names them.
Integers have an optional sign and decimal digits: +5 and 007 are fine, 1e3 and 0x10 are not. Quoted fields, spaces
around fields, blank lines, CRLF and a byte order mark are fine too.

What minimalloc reads is read with the same meaning, but for this:
  - a blank line does not end the file, and spaces and quotes around a field are no part of it;
  - a repeated id, alignment 0, a negative size and an empty or reversed lifetime are errors;
  - a gap must lie within the lifetime and share no time with another of its row, its window within the size;
  - a window counts byte by byte at each time; minimalloc wants one of two rows wholly below the other;
  - an offset that is empty or -1 leaves its row to be planned; -1 would be a pin there;
  - hints are honoured where they can be.

Exit codes:
  0    fine
  1    the plan is invalid, or needs more than the capacity; the graph has a cycle
  2    bad input or usage, a pin that cannot be honoured, or a file that cannot be read or written
  130  Ctrl-C; where it ended a search of plan, the best plan so far is printed and written";

const PLAN_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o plan.csv --alignment 64 --capacity 1048576
  aether plan net.csv -o plan.csv --seeds 8 --work-limit 50000000 --time-limit none     # minutes on all cores

A search begins with the portfolio's plan and ends when its plan is proven optimal, or at a limit. On standard error it
tells the smallest arena so far, the bound that no plan can undercut, the gap between them, and its speed. Ctrl-C ends
it with the best plan so far, which is printed and written like any other; a second Ctrl-C ends the command at once. In
JSON, stopped_by is optimal, work-limit, time-limit, interrupt, or not-searched for more than 2^25 rows; nodes and seed
are those of the search whose plan is kept.

Rows with an offset stay there. Where every row has one there is nothing to plan: a note says so, and the planner is
none (null in JSON). To plan a plan anew: --ignore-offsets

Several memories:
  aether plan net.csv -o plan.csv --space sram=262144:64:1 --space psram=none:64:10

Each row gets a space and an offset in it; in the plan these are the last two columns. The cost is the sum of weight x
cost of the space, and the bound what no plan of all rows can cost less than. A row with an offset must be allowed in
one space only, by the column space or spaces. Rows with gaps or hints are refused. Where a row finds no room it has
neither space nor offset, and standard error tells of the largest: what each space lacks, and which rows are there.

Exit codes: 0 fine, also where a limit ended the search; 1 the plan needs more than the capacity, or a row has no
space; 2 bad input or usage; 130 Ctrl-C, with the best plan so far. The format: aether --help";

const CHECK_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o - | aether check -

A plan of several spaces, with the columns space and offset, is checked space by space; --space tells their capacities:
  aether plan net.csv -o - --space sram=262144 --space psram=none | aether check - --space sram=262144 --space psram=none
Each row must be in a space that the column spaces allows, if there is one. What was pinned before is not in a plan. The
verbs plot, report and diff are for one arena and refuse such a plan.

Exit codes: 0 valid, 1 invalid or more than the capacity, 2 bad input or usage. The format: aether --help";

const COMPARE_EXAMPLE: &str = "\
Example:
  aether compare nets/*.csv --algorithm size,first-use,portfolio

A cell is the arena over the lower bound of its file: 1.0000 cannot be undercut. The best of a row are bold, or marked
with * where the output is no terminal or NO_COLOR is set. Below the files:
  total           the sum of the arenas over the sum of the bounds: large files weigh most
  geometric mean  of the rows above: each file weighs the same
A planner that fails on a file shows - there and below. The search is a column where --algorithm names it; it may take
seconds a file, and its bound is the one that the row is held against.

Rows with an offset stay there, so a plan is at 1.0000 under every planner, and a note says so. To plan it anew:
--ignore-offsets

Exit codes: 0 fine, 2 bad input or usage; what can be compared is shown all the same. The format: aether --help";

const ISLANDS_EXAMPLE: &str = "\
Example:
  $ cat scene.csv
  # ntree=5
  3,1
  -1,4
  $ aether islands scene.csv -o -     # labels -1, 0, -1, 0, 1

An incidence is a line of two nodes, with a comma or white space between; -1 is what is static, on one side only. A node
in no incidence has the label -1. Island k is the one whose smallest node is k-th smallest. A field that begins with #
begins a comment; ntree=N in one on the first line is the number of nodes.

Exit codes: 0 fine, 2 bad input or usage";

const PLOT_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o plan.csv
  aether plot plan.csv -o plan.svg

The colour of a box is its share of the arena. The solid line is the arena, the broken one its lower bound, the dotted
one the peak of the live bytes, whose curve is below the map. A row with gaps has a broken outline. Boxes below half a
pixel are drawn as one. Where the plan is invalid the rows that are wrong are outlined.

Exit codes: 0 fine, 1 the plan is invalid (the picture is written all the same), 2 bad input or usage. The format:
aether --help";

const REPORT_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o - | aether report -

No plan is smaller than the peak, where the most bytes are live; only another program is. What lies between the peak and
the arena is lost, and is told at the top node, where the highest tensor of the arena has the most bytes beside it:
  alignment      the tensor begins at the first multiple of its alignment after the one below it
  fragmentation  every other hole
The last table has the ten tensors of the peak whose shortening lowers it most. A peak that is reached at several nodes
is not lowered by a node less; then the last column tells how much less it would have to be.

Exit codes: 0 fine, 1 the plan is invalid, 2 bad input or usage. The format: aether --help";

const DIFF_EXAMPLE: &str = "\
Example:
  aether plan net.csv -o before.csv --algorithm size
  aether plan net.csv -o after.csv
  aether diff before.csv after.csv

Rows are matched by their ids.

Exit codes: 0 fine, whether they differ or not, 1 a plan is invalid, 2 bad input or usage. The format: aether --help";

const CONVERT_EXAMPLE: &str = "\
Example:
  aether convert model.tflite -o net.csv
  echo '[{\"first_node\": 0, \"last_node\": 1, \"tensor_size\": 100}]' | aether convert - | aether plan -

Formats:
  records  JSON, a list of objects: first_node, last_node (inclusive), tensor_size (or first_use, last_use, size), and
           perhaps id and alignment; the list may be the member usage_records, records or tensors of an object
  list     a line a tensor: size, first and last node (inclusive), with commas or spaces between; # begins a comment
  mlir     CSV with the columns size, start, end (exclusive, as the planner of MLIR has it), alignment, id
  tflite   the operators of the main subgraph in the order of the file
  onnx     the nodes of the graph in the order of the file; shapes must be there, as after ONNX's shape inference
A tensor of a model is alive from the operator that makes it to the last that reads it; inputs of the model from the
start, outputs to the end. Weights and what depends on them alone are left out.

Exit codes: 0 fine, 2 bad input or usage";

const REDUCE_EXAMPLE: &str = "\
Example:
  $ cat schedule.txt
  load  sum    # attributes and comments stay with their edge
  sum   store
  load  store
  $ aether reduce schedule.txt -o reduced.txt --stats     # load store goes: load -> sum -> store implies it

An edge list has an edge a line, the ids of its two nodes; what follows on the line stays with the edge. A field that
begins with # begins a comment. The lines may have any order.

A DOT file has a digraph. Edge statements are edited where they lose an edge, and all else stays byte for byte: a chain
is split; a node stays behind as a statement where its place in a subgraph or its attributes need it. Edges from or to
a subgraph, and nodes with names of HTML, are refused.

Of equal edges the first stays, if any does; in a strict digraph they are one edge, and stay or go together. The output
is not compressed.

Exit codes: 0 fine, 1 the graph has a cycle, which is printed, 2 bad input or usage";

const COMPLETIONS_EXAMPLE: &str = "\
Example:
  aether completions bash > ~/.local/share/bash-completion/completions/aether

Exit codes: 0 fine, 2 bad usage";

const MAN_EXAMPLE: &str = "\
Example:
  aether man plan > aether-plan.1 && man ./aether-plan.1

Exit codes: 0 fine, 2 bad usage";
