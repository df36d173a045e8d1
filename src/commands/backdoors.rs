//! `gridmill backdoors`: the fewest cells of each puzzle whose digits leave only easy steps to do.

use clap::Args;
use gridmill_core::jobs::Backdoors as BackdoorsJob;
use gridmill_core::logic::Rating;
use gridmill_data::error::Error;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::text::{Layout, PuzzleKind};

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::{BudgetArgs, check_ratable};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, without_grids};

const OF_BACKDOORS: &str = "\
Examples:
  gridmill backdoors puzzles.txt -o backdoors.csv
      a row for every puzzle: puzzle,size,backdoor,status
  gridmill backdoors puzzles.txt --all --columns puzzle,size,sets,backdoors
      how many sets of the least size there are, and all of them
  gridmill backdoors hard.txt --up-to 4.2 --budget-time 10
      the cells after which no technique above 4.2 is needed, ten seconds a puzzle

A backdoor is a set of cells. If you put their digits of the solution into the puzzle, easy steps
fill the rest. Easy steps are naked and hidden singles, or with --up-to all techniques up to that
rating, as in gridmill rate. The techniques are used until they find nothing more, and the digits
are put in then. size is the least number of cells, 0 if the puzzle needs none. backdoor has the
first set of that size in reading order; no set has fewer cells. Cells are written as r1c2 for the
first row and second column, separated by a space.

--all adds the number of such sets, and the sets themselves, separated by a semicolon and a space.

Sets of up to 3 cells are tried. Status of a row: unique; more (every set has more than 3 cells); for
puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read); budget (the search for the solution took more than the budget, or the
tried sets did; each set counts as a guess. If there is a size, it is right, but with --all some sets
may be missing).

For puzzles of every size, and 9x9 with --up-to.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Find the fewest cells of every puzzle whose digits leave only singles to do
#[derive(Debug, Args)]
#[command(after_help = OF_BACKDOORS, mut_args(without_grids))]
pub(crate) struct Backdoors {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Use no technique above this rating
    #[arg(long, value_name = "RATING")]
    up_to: Option<Rating>,

    /// Add columns with all sets of the least size
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Backdoors {
    type Job = BackdoorsJob;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<BackdoorsJob, Error> {
        Ok(BackdoorsJob {
            engine: layout.fastest_engine(),
            up_to: self.up_to,
            all: self.all,
            budget: self.budget.of_each(),
        })
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        if self.up_to.is_some() { check_ratable(layout) } else { Ok(()) }
    }

    /// A puzzle takes microseconds with singles at 9x9, and otherwise up to minutes.
    fn sizing(&self, layout: &Layout, _: &BackdoorsJob) -> ChunkSizing {
        match layout.kind() {
            PuzzleKind::Classic if self.up_to.is_none() => ChunkSizing::RATINGS,
            _ => ChunkSizing::SINGLES,
        }
    }
}
