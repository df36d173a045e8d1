//! `gridmill minimal` and `gridmill minimize`: `minimal` finds out which puzzles are minimal, and which clues
//! of the others are redundant; `minimize` removes redundant clues.

use clap::Args;
use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{Minimize as MinimizeJob, MinimizeAll as MinimizeAllJob, RedundantClues};
use gridmill_core::solver::{Engine, EngineKind};
use gridmill_data::error::Error;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Tally;
use gridmill_data::text::{Layout, PuzzleKind};
use indicatif::HumanCount;
use serde_json::json;

use crate::cli::{End, TaskOptions};
use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand, run_job};
use crate::support::options::{BudgetArgs, up_to};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, without_grids};
use crate::support::summary::ResultLine;

const MINIMAL_HELP: &str = "\
Examples:
  gridmill minimal puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,status,redundant
  gridmill generate --clues 30 | gridmill minimal -
      which of 30 clues are redundant

Status of a row: minimal; redundant (you can remove each of the listed clues alone, though perhaps
not all of them together); for puzzles without exactly one solution: multiple, none, conflict (two
equal clues in a house); malformed (could not be read); budget (a search took more guesses than
--search-guesses allows, or all searches together took more than the budget, so the list may not be
complete). Clues are listed by their cell, e.g. r1c1 for the first row and column, separated by a
space.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Find out which puzzles are minimal, and which clues of the others are redundant
#[derive(Debug, Args)]
#[command(after_help = MINIMAL_HELP, mut_args(without_grids))]
pub(crate) struct Minimal {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Give up the search for a single clue after this number of guesses, and continue with the next clue;
    /// 9x9 puzzles are searched to the end
    #[arg(long, value_name = "N", default_value_t = Minimizer::GUESSES)]
    search_guesses: u64,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Minimal {
    type Job = RedundantClues;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, _: &Layout) -> Result<RedundantClues, Error> {
        Ok(RedundantClues { search_guesses: self.search_guesses, budget: self.budget.per_puzzle() })
    }

    /// The summary counts `minimal` and `redundant` together as `unique`, because both have one solution; it has a line of
    /// its own for minimal puzzles.
    fn summary_name(&self, status: &'static str) -> &'static str {
        if matches!(status, "minimal" | "redundant") { "unique" } else { status }
    }

    fn results(&self, tally: &Tally) -> Vec<ResultLine> {
        vec![ResultLine::count("minimal", tally.statuses.count(RedundantClues::MINIMAL))]
    }

    fn sizing(&self, layout: &Layout, _: &RedundantClues) -> ChunkSizing {
        sizing(layout)
    }
}

const MINIMIZE_HELP: &str = "\
Examples:
  gridmill minimize puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,minimal,status,clues
  gridmill minimize puzzles.txt --orders 100 --seed 3
      tries each puzzle a hundred times and keeps the result with the fewest clues
  gridmill minimize puzzles.txt --all --limit 1000 -o all.csv
      up to a thousand of the minimal puzzles within each puzzle, a row for each: record,minimal

Clues are removed one by one in random order, as long as exactly one solution is left. The result
depends on the order, the seed and the place of the puzzle in the file. The column clues is the
number of clues of the minimal puzzle.

Status of a row: unique; for puzzles without exactly one solution, which have no minimal one:
multiple, none, conflict (two equal clues in a house); malformed (could not be read); budget (a
search took more guesses than --search-guesses allows, or all searches together took more than the
budget: the puzzle in the row has one solution, but perhaps too many clues; the column is empty if
the puzzle itself took too many guesses).

--all lists every minimal puzzle whose clues are among those of the puzzle, ordered by the places of
its clues. A puzzle with a few clues too many has hundreds, and a full grid more than anyone can
list, so use --limit to end the lists. A puzzle without exactly one solution has no row. If a budget
ends a list, the summary counts the puzzle as budget.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Remove redundant clues from every puzzle until it is minimal
#[derive(Debug, Args)]
#[command(after_help = MINIMIZE_HELP, mut_args(without_grids))]
pub(crate) struct Minimize {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Seed of the random orders
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Try this number of random orders for each puzzle, and keep the result with the fewest clues
    #[arg(long, alias = "all-orders", value_name = "N", default_value_t = 1, value_parser = up_to(1_000_000))]
    orders: u64,

    /// Give up the search for a single clue after this number of guesses, and continue with the next clue;
    /// 9x9 puzzles are searched to the end
    #[arg(long, value_name = "N", default_value_t = Minimizer::GUESSES)]
    search_guesses: u64,

    /// List all minimal puzzles within each puzzle, a row for each
    #[arg(long, conflicts_with_all = ["seed", "orders", "search_guesses"])]
    all: bool,

    /// List at most this number of minimal puzzles for each puzzle, the first ones; 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, requires = "all")]
    limit: u64,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl Minimize {
    pub(crate) fn run(&self, task_options: &TaskOptions) -> Result<End, Error> {
        if self.all { run_job(&MinimizeAll(self), task_options) } else { run_job(self, task_options) }
    }
}

impl JobCommand for Minimize {
    type Job = MinimizeJob;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, _: &Layout) -> Result<MinimizeJob, Error> {
        let (seed, orders, search_guesses) = (self.seed, self.orders as usize, self.search_guesses);
        Ok(MinimizeJob {
            seed,
            orders,
            search_guesses,
            budget: self.budget.per_puzzle(),
            ..MinimizeJob::default()
        })
    }

    fn results(&self, tally: &Tally) -> Vec<ResultLine> {
        let (before, left) = tally.clues;
        let value = json!({ "puzzles": tally.minimized, "before": before, "left": left });
        let each = |clues: u64| clues as f64 / tally.minimized.max(1) as f64;
        let (removed, before, left) = (HumanCount(before - left), each(before), each(left));
        let text = format!("{removed} removed: from {before:.2} to {left:.2} per puzzle");
        (tally.minimized > 0).then_some(ResultLine { name: "clues", text, value }).into_iter().collect()
    }

    fn sizing(&self, layout: &Layout, _: &MinimizeJob) -> ChunkSizing {
        sizing(layout)
    }
}

/// `minimize --all`, which lists minimal puzzles as `enumerate` lists solutions.
struct MinimizeAll<'a>(&'a Minimize);

impl JobCommand for MinimizeAll<'_> {
    type Job = MinimizeAllJob;

    const NEEDS_NUMBERS: bool = true;
    const LISTS: Option<(&'static str, &'static str)> = Some(("minimal", "minimal puzzle"));

    fn args(&self) -> JobArgs<'_> {
        self.0.args()
    }

    fn job(&self, _: &Layout) -> Result<MinimizeAllJob, Error> {
        Ok(MinimizeAllJob { limit: self.0.limit, budget: self.0.budget.per_puzzle() })
    }

    /// The chunks are small, because a puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &MinimizeAllJob) -> ChunkSizing {
        ChunkSizing::SLOW
    }
}

/// The sizes of chunks for jobs that test each clue of a puzzle.
fn sizing(layout: &Layout) -> ChunkSizing {
    match layout.kind() {
        PuzzleKind::Classic => ChunkSizing::UNEVEN,
        kind => ChunkSizing::for_puzzles(kind, Engine::Other(EngineKind::Bitmask)),
    }
}
