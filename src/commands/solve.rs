//! `gridmill solve` and `gridmill enumerate`: one solution of every puzzle of a file, or all of them.

use clap::Args;
use gridmill_core::jobs::{Enumerate as EnumerateJob, Schema, Solve as SolveJob};
use gridmill_core::solver::{Engine, SolutionLimit};
use gridmill_data::error::Error;
use gridmill_data::output::Grids;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::{BudgetArgs, EngineArgs};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, without_grids};

const OF_SOLVE: &str = "\
Examples:
  gridmill solve puzzles.txt -o solutions.csv
      a row for every puzzle: puzzle,solution,status,guesses,time_ns
  gridmill solve train.csv --puzzle-column quizzes -o solved.csv --threads 8
      the columns of train.csv, then the new ones
  gridmill solve train.csv --columns id,puzzle,solution -o out.csv
      these columns of train.csv and new ones, in this order; you can also name file, record and
      line
  gridmill solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle instead of a file; on a terminal the answer is a grid
  gridmill solve big.txt.gz -o solutions.csv.zst
      reads gzip, zstd, xz and zip; writes .gz, .zst and .xz, by the name of the output
  gridmill solve puzzles.jsonl -o solutions.jsonl
      objects such as {\"id\": 7, \"puzzle\": \"53..7....\"}; solution, status, guesses and time_ns
      are appended
  cut -f 2 table.tsv | gridmill solve - > solutions.csv
      from a pipe into a pipe
  gridmill solve puzzles.txt -o solutions.csv --summary run.json --quiet
      the figures for a program, nothing on the terminal
  gridmill solve big.txt --shard 3/64 -o part3.csv --resume --skip-existing
      the third of 64 parts, each for a process of its own; together they are the whole
  gridmill solve sixteen.txt --alphabet 0-9A-F -o solutions.csv
      16x16 puzzles in which 0 is a digit; the shape is that of the first puzzle
  gridmill solve twelve.txt --shape 2x6 -o solutions.csv
      12x12 puzzles with boxes of 2 rows and 6 columns, rather than 3 and 4
  gridmill solve large.txt --budget-time 10 -o solutions.csv
      25x25 puzzles, ten seconds for each; if that is not enough, the status is budget
  gridmill solve sukaku.txt -o solutions.csv
      pencilmarks in lines of 729 characters: nine places a cell, . or 0 where a digit is eliminated

Status of a row: unique, multiple (the solution is the first one found), none, conflict (two equal
clues in a house), malformed (could not be read, or of another size than the first puzzle: --mixed
accepts all sizes), budget (the search is not finished, though it may have found a solution); with
--first: solved instead of unique and multiple.

Exit codes: 0 every record was solved, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Solve every puzzle of a file, and prove that its solution is the only one
#[derive(Debug, Args)]
#[command(after_help = OF_SOLVE)]
pub(crate) struct Solve {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Stop at the first solution of each puzzle: faster, but does not prove that it is the only one
    #[arg(long)]
    first: bool,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Solve {
    type Job = SolveJob;

    const TAKES_PENCILMARKS: bool = true;
    const KEEPS_LONG_LINES: bool = false;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, true);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<SolveJob, Error> {
        let limit = if self.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS };
        Ok(SolveJob { engine: self.engine.choose_for(layout)?, limit, budget: self.budget.of_each() })
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        let rows = self.rows.choice(&self.input, true);
        rows.report_left_out(layout);
        if rows.are_grids() { Box::new(Grids::Solutions) } else { rows.sink(layout, schema) }
    }

    fn engine(&self, job: &SolveJob) -> Option<Engine> {
        Some(job.engine)
    }
}

const OF_ENUMERATE: &str = "\
Examples:
  gridmill enumerate puzzles.txt -o solutions.csv
      a row for every solution: record,solution; records count from 1
  echo ................ | gridmill enumerate - --limit 10
      ten of the grids of 4x4
  gridmill enumerate puzzles.txt --limit 2 -o two.csv
      up to two solutions of each puzzle, about as quick as count --limit 2
  gridmill enumerate puzzles.txt --changes --limit 100
      also the cells in which a solution differs from the first one
  gridmill enumerate train.csv --columns id,solution -o solutions.csv
      the column id of train.csv, and each solution
  gridmill enumerate hexadecimal.txt --alphabet 0-9A-F | head
      16x16 puzzles in which 0 is a digit; ends when its reader does

A puzzle without a solution has no row. Records are numbered across all files. Solutions are listed
in the order in which the engine finds them, which is the same for any number of threads, and
--limit lists the first ones. With --engine auto the first 1,024 solutions of a puzzle are in the
order of lockstep, which searches many puzzles at once, and the others in that of bitmask. If a
budget ends a list, the summary counts the puzzle as budget.

Exit codes: 0 every record was searched, 1 some were malformed, in conflict or over budget, 2 the
job could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// List every solution of each puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = OF_ENUMERATE, mut_args(without_grids))]
pub(crate) struct Enumerate {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// List at most this number of solutions of a puzzle, 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,

    /// Add a column with the cells in which a solution differs from the first one of its puzzle, and .
    /// elsewhere
    #[arg(long)]
    changes: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Enumerate {
    type Job = EnumerateJob;

    const KEEPS_LONG_LINES: bool = false;
    const IS_NUMBERED: bool = true;
    const LISTS: Option<(&'static str, &'static str)> = Some(("solutions", "solution"));

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<EnumerateJob, Error> {
        let (batch, single) = self.engine.choose_for_lists(layout.shape)?;
        let (limit, changes, budget) = (self.limit, self.changes, self.budget.of_each());
        Ok(EnumerateJob { batch, single, limit, changes, budget })
    }

    fn sizing(&self, layout: &Layout, job: &EnumerateJob) -> ChunkSizing {
        match job.batch {
            Some(batch) if (1..=FEW).contains(&job.limit) => ChunkSizing::for_puzzles(layout.kind(), batch),
            Some(_) => ChunkSizing::LISTS,
            None => ChunkSizing::SINGLES,
        }
    }
}

/// Up to this `--limit`, lists are so short that chunks are as large as those of `solve`.
const FEW: u64 = 4;
