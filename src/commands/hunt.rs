//! `gridmill backdoors` finds for each puzzle the smallest set of cells whose digits let easy steps fill the rest.
//! `gridmill unavoidable` finds the sets of cells of its solution that need a clue each.

use clap::Args;
use gridmill_core::hunt::UnavoidableFinder;
use gridmill_core::jobs::{Backdoors as BackdoorsJob, Schema, Unavoidable as UnavoidableJob};
use gridmill_core::logic::Rating;
use gridmill_data::error::Error;
use gridmill_data::output::UnavoidableRows;
use gridmill_data::packing::{ColumnType, TableColumns};
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};

use crate::cli::{End, TaskOptions};
use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand, run_job};
use crate::support::options::{BudgetArgs, check_ratable};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, without_grids};

const BACKDOORS_HELP: &str = "\
Examples:
  gridmill backdoors puzzles.txt -o backdoors.csv
      a row for every puzzle: puzzle,size,backdoor,status
  gridmill backdoors puzzles.txt --all --columns puzzle,size,sets,backdoors
      how many sets of the least size there are, and all of them
  gridmill backdoors hard.txt --up-to 4.2 --budget-time 10
      the cells after which no technique above 4.2 is needed, ten seconds a puzzle

A backdoor is a set of cells. If you put their digits of the solution into the puzzle, easy steps
fill the rest. Easy steps are naked and hidden singles, or with --up-to all techniques up to that
rating, as in gridmill rate. The digits are put in only when the techniques find nothing more. size
is the least number of cells, 0 if the puzzle needs none. backdoor has the first set of that size in
reading order; no set has fewer cells. Cells are written as r1c2 for the first row and second
column, separated by a space.

--all adds the number of such sets, and the sets themselves, separated by a semicolon and a space.

Sets of up to 3 cells are tried. Status of a row: unique; more (every set has more than 3 cells);
for puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read); budget (the search for the solution, or trying the sets, took more
than the budget; each set counts as a guess). If a row over budget has a size, it is right, but with
--all some sets may be missing.

For puzzles of every size, and 9x9 with --up-to.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Find the smallest set of cells of each puzzle whose digits let singles solve the rest
#[derive(Debug, Args)]
#[command(after_help = BACKDOORS_HELP, mut_args(without_grids))]
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
            budget: self.budget.per_puzzle(),
        })
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        if self.up_to.is_some() { check_ratable(layout) } else { Ok(()) }
    }

    /// A puzzle takes microseconds with singles at 9x9, and otherwise up to minutes.
    fn sizing(&self, layout: &Layout, _: &BackdoorsJob) -> ChunkSizing {
        match layout.kind() {
            PuzzleKind::Classic if self.up_to.is_none() => ChunkSizing::UNEVEN,
            _ => ChunkSizing::SLOW,
        }
    }
}

const UNAVOIDABLE_HELP: &str = "\
Examples:
  gridmill unavoidable grids.txt -o sets.csv
      a row for every set of up to 12 cells or 2 digits: record,size,cells,hits
  gridmill unavoidable puzzles.txt --hits 1
      only the sets in which the puzzle has a single clue, so that it needs this clue
  gridmill unavoidable grids.txt --totals -o totals.csv
      a row for every grid: puzzle,sets,sizes,least_clues,status
  gridmill unavoidable grids.txt --cells 0 --digits 3 --totals
      the sets within three digits

A set of cells of a full grid is unavoidable if some other full grid differs from it only in these
cells. So every puzzle with that solution has a clue in the set. The sets here are minimal: no part
of them is unavoidable. A puzzle is solved first, and the sets are those of its solution. size is
the number of cells of a set, cells are their names in reading order, such as r1c2 for the first row
and second column, separated by a space, and hits is the number of clues that the puzzle has in the
set.

All sets of up to --cells cells are listed, and all within --digits digits, whatever their size:
smaller ones first. 12 cells take a few hundredths of a second for each 9x9 grid, and two more cells
six times as long. 4 digits take a second or more.

--totals writes a row for each record instead. sizes has the number of sets for each number of
cells, e.g. 4:3 6:26 for three sets of 4 cells and 26 of 6. No puzzle with that solution has fewer
clues than least_clues: this is the size of a large family of disjoint sets, each of which needs a
clue of its own. With --hits only sets with that number of clues are used.

Status of a row: unique; for puzzles without exactly one solution, which have no sets: multiple,
none, conflict (two equal clues in a house); malformed (could not be read); budget (the search for
the solution or for the sets took more than the budget; no sets are listed then). Without --totals
these records have no rows, and the summary counts them.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// List the unavoidable sets of each solution: every puzzle with that solution has a clue in each set
#[derive(Debug, Args)]
#[command(
    after_help = UNAVOIDABLE_HELP,
    mut_args(without_grids),
    mut_arg("to", |to| to.requires("totals")),
    mut_arg("columns", |columns| columns.requires("totals"))
)]
pub(crate) struct Unavoidable {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Find all sets of up to this number of cells
    #[arg(long, value_name = "N", default_value_t = UnavoidableFinder::CELLS as u64,
        value_parser = clap::value_parser!(u64).range(..=16))]
    cells: u64,

    /// Find all sets within this number of digits, of any size
    #[arg(long, value_name = "N", default_value_t = UnavoidableFinder::DIGITS as u64,
        value_parser = clap::value_parser!(u64).range(2..=4))]
    digits: u64,

    /// Take only the sets in which the puzzle has this number of clues
    #[arg(long, value_name = "N")]
    hits: Option<u64>,

    /// Write a row for each record, with the numbers of its sets
    #[arg(long)]
    totals: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl Unavoidable {
    pub(crate) fn run(&self, task_options: &TaskOptions) -> Result<End, Error> {
        if self.totals { run_job(&SetTotals(self), task_options) } else { run_job(self, task_options) }
    }
}

impl JobCommand for Unavoidable {
    type Job = UnavoidableJob;

    const NEEDS_NUMBERS: bool = true;
    const LISTS: Option<(&'static str, &'static str)> = Some(("sets", "unavoidable set"));

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: &self.parts, rows: None }
    }

    fn job(&self, layout: &Layout) -> Result<UnavoidableJob, Error> {
        Ok(UnavoidableJob {
            engine: layout.fastest_engine(),
            cells: self.cells as usize,
            digits: self.digits as usize,
            hits: self.hits.map(|hits| hits as usize),
            totals: self.totals,
            budget: self.budget.per_puzzle(),
        })
    }

    fn columns(&self, _: &Layout, _: Vec<ColumnType>, _: &Schema) -> TableColumns {
        TableColumns::with_header_row(UnavoidableRows::TYPES)
    }

    fn sink<P: PuzzleText>(&self, _: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        Box::new(UnavoidableRows)
    }

    fn may_write_json(&self) -> bool {
        false
    }

    /// The chunks are small, because a grid may take seconds.
    fn sizing(&self, _: &Layout, _: &UnavoidableJob) -> ChunkSizing {
        ChunkSizing::SLOW
    }
}

/// `unavoidable --totals`, which writes a row for each record.
struct SetTotals<'a>(&'a Unavoidable);

impl JobCommand for SetTotals<'_> {
    type Job = UnavoidableJob;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.0.rows.choice(&self.0.input, false);
        JobArgs { rows: Some(rows), ..self.0.args() }
    }

    fn job(&self, layout: &Layout) -> Result<UnavoidableJob, Error> {
        self.0.job(layout)
    }

    fn sizing(&self, layout: &Layout, job: &UnavoidableJob) -> ChunkSizing {
        self.0.sizing(layout, job)
    }
}
