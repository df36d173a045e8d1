//! `gridmill candidates`: the digits that each cell holds in some solution.

use clap::Args;
use gridmill_core::jobs::{Candidates as CandidatesJob, Schema};
use gridmill_data::error::Error;
use gridmill_data::output::{CandidateCounts, CandidateGrids, Rows};
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::BudgetArgs;

const EXAMPLES: &str = "\
Examples:
  gridmill candidates puzzles.txt -o candidates.csv
      a row for every puzzle: puzzle,candidates,status
  gridmill candidates puzzles.txt --grid
      a framed grid for every puzzle, its cells with their candidates
  gridmill candidates puzzles.txt --counts --cap 1000
      a row for every candidate: record,cell,digit,solutions,capped
  gridmill candidates puzzles.txt | gridmill solve - --puzzle-column candidates
      candidates of 9x9 puzzles are read again as pencilmarks

A digit is a true candidate of a cell if the cell holds it in at least one solution. The column has as many places
for each cell as there are digits, 729 characters for 9x9: the digit where it is a candidate, and . where not. For
puzzles written in numbers these are set apart by spaces, with 0 for a place without candidate.

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not be read), budget
(the searches for its candidates, all together, are not finished). The last four have no candidates, and no row with --counts. In the rows of --counts the cell is r1c1 for the first row
and column; capped is yes where the count reached --cap, so that there may be more solutions.

Exit codes: 0 every record was searched, 1 some were malformed, in conflict or over budget, 2 the job could not be
done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Find the digits that each cell holds in some solution, for puzzles of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Candidates {
    #[command(flatten)]
    input: InputArgs,

    /// Write a row for each candidate, with the number of solutions that hold it
    #[arg(long)]
    counts: bool,

    /// Count up to so many solutions of each candidate
    #[arg(long, value_name = "N", default_value_t = 1, requires = "counts",
        value_parser = clap::value_parser!(u64).range(1..))]
    cap: u64,

    /// Write a grid for each puzzle, to look at [default for a puzzle in place of a file, on a terminal]
    #[arg(long, conflicts_with = "counts")]
    grid: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Candidates {
    type Job = CandidatesJob;

    const HAS_SUMMARY: bool = false;
    const WRITES_JSON: bool = false;
    const TAKES_PENCILMARKS: bool = true;
    const KEEPS_LONG_LINES: bool = false;

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: None, rows: None }
    }

    fn job(&self, _: &Layout) -> Result<CandidatesJob, Error> {
        Ok(CandidatesJob { cap: self.cap, budget: self.budget.of_each() })
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        match (self.counts, self.grid || self.input.is_interactive()) {
            (true, _) => Box::new(CandidateCounts { cap: self.cap }),
            (_, true) => Box::new(CandidateGrids),
            _ => Box::new(Rows::csv(layout, schema)),
        }
    }

    /// A puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &CandidatesJob) -> ChunkSizing {
        ChunkSizing::SINGLES
    }
}
