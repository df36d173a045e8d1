//! Four commands that search for solutions. `gridmill solve` writes one solution of every puzzle of a file,
//! `gridmill enumerate` all of them, and `gridmill count` their number, or the number of full grids of a shape.
//! `gridmill candidates` writes for each cell the digits that it has in some solution.

use std::io::Write;
use std::time::{Duration, Instant};

use clap::Args;
use gridmill_core::census::{CensusError, count_grids};
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{
    Candidates as CandidatesJob, Count as CountJob, Enumerate as EnumerateJob, Schema, Solve as SolveJob,
};
use gridmill_core::solver::{Engine, SolutionLimit};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{CandidateCounts, CandidateGrids, Destination, Grids, Rows};
use gridmill_data::packing::{ColumnType, TableColumns};
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};
use gridmill_report::eprint_message;
use indicatif::ProgressBar;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::refuse;
use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand, run_job};
use crate::support::options::{BudgetArgs, EngineArgs};
use crate::support::outputs::{report_interrupted, stop_on_interrupt};
use crate::support::parts::PartArgs;
use crate::support::progress::{new_bar, style};
use crate::support::rows::{RowsArgs, RowsChoice, without_grids};

const SOLVE_HELP: &str = "\
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
      pencilmarks in lines of 729 characters: nine for each cell, . or 0 where a digit is eliminated

Status of a row: unique, multiple (the solution is the first one found), none, conflict (two equal
clues in a house), malformed (could not be read, or differs in size from the first puzzle: --mixed
accepts all sizes), budget (the search is not finished, though it may have found a solution); with
--first: solved instead of unique and multiple.

Exit codes: 0 every record was solved, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted.";

/// Solve every puzzle of a file, and prove that its solution is the only one
#[derive(Debug, Args)]
#[command(after_help = SOLVE_HELP)]
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
        Ok(SolveJob { engine: self.engine.choose_for(layout)?, limit, budget: self.budget.per_puzzle() })
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

const ENUMERATE_HELP: &str = "\
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
#[command(after_help = ENUMERATE_HELP, mut_args(without_grids))]
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
    const NEEDS_NUMBERS: bool = true;
    const LISTS: Option<(&'static str, &'static str)> = Some(("solutions", "solution"));

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<EnumerateJob, Error> {
        let (batch, single) = self.engine.choose_for_lists(layout.shape)?;
        let (limit, changes, budget) = (self.limit, self.changes, self.budget.per_puzzle());
        Ok(EnumerateJob { batch, single, limit, changes, budget })
    }

    fn sizing(&self, layout: &Layout, job: &EnumerateJob) -> ChunkSizing {
        match job.batch {
            Some(batch) if (1..=FEW).contains(&job.limit) => ChunkSizing::for_puzzles(layout.kind(), batch),
            Some(_) => ChunkSizing::LISTS,
            None => ChunkSizing::SLOW,
        }
    }
}

/// Up to this `--limit`, lists are so short that chunks are as large as those of `solve`.
const FEW: u64 = 4;

const COUNT_HELP: &str = "\
Examples:
  gridmill count puzzles.txt -o counts.csv
      a row for every puzzle: puzzle,solutions,status,guesses,time_ns
  gridmill count puzzles.jsonl
      objects with a puzzle each, to which solutions, status, guesses and time_ns are added
  gridmill count puzzles.txt --columns record,line,solutions
      the number of each record, the line on which it begins, and the count
  gridmill count hexadecimal.txt --alphabet 0-9A-F --limit 1000
      16x16 puzzles in which 0 is a digit, counted up to a thousand
  echo ................ | gridmill count -
      the 288 grids of 4x4
  gridmill count high.txt --shape 3x2 --budget-time 10
      boxes of 3 rows and 2 columns, ten seconds a puzzle
  gridmill count 1................................... --shape 2x3 --limit 10000000
      one puzzle, on all threads; Ctrl-C shows how many solutions it has at least
  gridmill count sukaku.txt --limit 1000
      pencilmarks in lines of 729 characters: nine places a cell, . or 0 where a digit is eliminated
  gridmill count puzzles.txt --shared
      also the cells that all solutions share, with . where they differ
  gridmill count big.txt --shard 3/64 -o part3.csv
      the third of 64 parts, each for a process of its own; together they are the whole
  gridmill count --grids --shape 3x3
      the 6670903752021072936960 full grids of 9x9, in a second; reads no puzzles

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not
be read, or differs in size from the first puzzle: --mixed accepts all sizes), budget (the count, or
the search for shared cells, is not finished), solved (--limit 1 looks for no second solution).

A puzzle with one solution or none takes the same guesses as in solve. With a budget, engines other
than lockstep search 9x9 puzzles in the same way as other sizes, so that the numbers of guesses
differ.

Exit codes: 0 every record was counted, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// The arguments about puzzles. They conflict with `--grids`, because full grids are counted without reading
/// puzzles.
const PUZZLE_OPTIONS: &str = "resume skip_existing files format puzzle_column delimiter no_header to columns alphabet \
    summary mixed no_mmap chunk_bytes max_messages engine backend limit shared budget_guesses budget_time shard";

/// Count the solutions of every puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = COUNT_HELP)]
pub(crate) struct Count {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Count the full grids of --shape instead of the solutions of puzzles. Shapes: 2x2, 2x3, 2x4 and 3x3
    /// (within a second), 2x5 (a minute or more), and these transposed
    #[arg(long, requires = "shape", conflicts_with_all = PUZZLE_OPTIONS.split(' '))]
    grids: bool,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// Stop at this number of solutions; 0 counts all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,

    /// Add a column with the cells that all solutions share, and . where solutions differ. It covers all
    /// solutions, whatever --limit is, and is empty only if there is no solution or the cells are not known
    /// within the budget. This takes extra searches, which have the same budget again. Guesses are then those
    /// of the engine for any shape
    #[arg(long)]
    shared: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl Count {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        if let (true, Some(shape)) = (self.grids, self.input.common.reading.shape) {
            return count_full_grids(&self.input, shape);
        }
        run_job(&self, task_options)
    }

    fn choice(&self) -> RowsChoice<'_> {
        self.rows.choice(&self.input, true)
    }

    /// Whether the cells that all solutions share are needed, either for a column or for grids.
    fn shows_shared(&self, layout: &Layout) -> bool {
        (self.shared || self.choice().are_grids()) && !layout.is_pencilmarks()
    }
}

impl JobCommand for Count {
    type Job = CountJob;

    const TAKES_PENCILMARKS: bool = true;
    const KEEPS_LONG_LINES: bool = false;

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(self.choice()) }
    }

    fn job(&self, layout: &Layout) -> Result<CountJob, Error> {
        if self.shared && layout.is_pencilmarks() {
            return refuse(
                "--shared is for puzzles with clues, but these are pencilmarks: gridmill candidates shows where their solutions differ",
            );
        }
        Ok(CountJob {
            engine: self.engine.choose_for(layout)?,
            only_engine: self.engine.is_named(),
            limit: self.limit,
            budget: self.budget.per_puzzle(),
            shared: self.shows_shared(layout),
        })
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        let limit = (self.limit > 0).then_some(self.limit);
        match self.choice().are_grids() {
            true => Box::new(Grids::Counts { limit }),
            false => self.choice().sink(layout, schema),
        }
    }

    /// To find shared cells, 9x9 puzzles are searched like those of other sizes.
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        if self.shows_shared(layout) { PuzzleKind::AnyShape } else { layout.kind() }
    }

    fn sizing(&self, layout: &Layout, job: &CountJob) -> ChunkSizing {
        let is_short = job.plain_limit().is_some_and(|limit| limit <= SolutionLimit::UNIQUENESS);
        let kind = if is_short || layout.is_pencilmarks() { self.kind(layout) } else { PuzzleKind::AnyShape };
        ChunkSizing::for_puzzles(kind, job.engine)
    }

    fn engine(&self, job: &CountJob) -> Option<Engine> {
        Some(job.engine)
    }
}

/// Counts the full grids of a shape, and writes the number.
fn count_full_grids(input: &InputArgs, shape: Shape) -> Result<End, Error> {
    let threads = rayon::ThreadPoolBuilder::new().num_threads(input.common.threads());
    let pool = threads.build().map_err(Error::other)?;
    let mut output = Destination::create(input.output_file())?;
    let bar = counting_bar(input.common.shows_progress());
    let (stop, begun) = (stop_on_interrupt(), Instant::now());
    let step = |done: usize, all: usize| {
        if bar.length().is_none() {
            bar.set_style(style("{bar:30} {percent:>3} %  {human_pos} of {human_len} steps  {elapsed} gone"));
        }
        bar.set_length(all as u64);
        // Threads may report their steps out of order, so the bar never moves back.
        bar.set_position(bar.position().max(done as u64));
    };
    let counted = pool.install(|| count_grids(shape, &stop, &step));
    let (done, all) = (bar.position(), bar.length().unwrap_or(0));
    bar.finish_and_clear();
    let grids = match counted {
        Err(CensusError::Stopped) => {
            report_interrupted(format_args!("{done} of {all} steps, without a result"), None);
            return Ok(End::Interrupted);
        }
        counted => counted.map_err(Error::other)?,
    };
    writeln!(output, "{grids}").map_err(|error| ErrorKind::Write { error })?;
    output.commit()?;
    if !input.common.quiet {
        let (side, seconds) = (shape.side(), begun.elapsed().as_secs_f64());
        let grids = separated(grids);
        eprint_message(format_args!("{grids} full grids of {side}x{side}, counted in {seconds:.3} s\n"));
    }
    Ok(End::Good)
}

/// A bar for the count of full grids, which is drawn ten times per second. It is a spinner until the first
/// step, which may take seconds, because the number of steps is known only when all classes of bands have
/// been found.
fn counting_bar(is_shown: bool) -> ProgressBar {
    let bar = new_bar(None, is_shown, style("{spinner} finding the classes of bands  {elapsed} gone"));
    if is_shown {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

/// A number with a comma before every three digits, e.g. `1,234,567`.
fn separated(number: u128) -> String {
    let digits = number.to_string();
    let comma = |(at, digit): (usize, char)| {
        let is_between = at > 0 && (digits.len() - at).is_multiple_of(3);
        is_between.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(comma).collect()
}

const CANDIDATES_HELP: &str = "\
Examples:
  gridmill candidates puzzles.txt -o candidates.csv
      a row for every puzzle: puzzle,candidates,status
  gridmill candidates puzzles.txt --to grid
      a framed grid for every puzzle, with the candidates of each cell
  gridmill candidates puzzles.txt --counts --cap 1000
      a row for every candidate: record,cell,digit,solutions,capped
  gridmill candidates puzzles.txt | gridmill solve - --puzzle-column candidates
      candidates of 9x9 puzzles can be read again as pencilmarks

A digit is a true candidate of a cell if the cell holds it in at least one solution. The column has
as many places for each cell as there are digits, i.e. 729 characters for 9x9: the digit if it is a
candidate, otherwise . (a period). For puzzles written in numbers, the places are separated by
spaces, and 0 is a place without a candidate.

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not
be read), budget (the searches for its candidates, all together, are not finished). The last four
have no candidates, and no row with --counts. In the rows of --counts, the cell is e.g. r1c1 for the
first row and column. The column capped is yes if the count reached --cap, because there may then be
more solutions.

Exit codes: 0 every record was searched, 1 some were malformed, in conflict or over budget, 2 the
job could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Find the digits that each cell holds in some solution, for puzzles of any shape
#[derive(Debug, Args)]
#[command(after_help = CANDIDATES_HELP)]
pub(crate) struct Candidates {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Write a row for each candidate, with the number of solutions that hold it, as CSV
    #[arg(long, conflicts_with_all = ["to", "columns"])]
    counts: bool,

    /// Stop at this number of solutions for each candidate
    #[arg(long, value_name = "N", default_value_t = 1, requires = "counts",
        value_parser = clap::value_parser!(u64).range(1..))]
    cap: u64,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl JobCommand for Candidates {
    type Job = CandidatesJob;

    const HAS_SUMMARY: bool = false;
    const TAKES_PENCILMARKS: bool = true;
    const KEEPS_LONG_LINES: bool = false;
    const NEEDS_NUMBERS: bool = true;

    fn args(&self) -> JobArgs<'_> {
        let rows = (!self.counts).then(|| self.rows.choice(&self.input, true));
        JobArgs { input: &self.input, parts: &self.parts, rows }
    }

    fn job(&self, _: &Layout) -> Result<CandidatesJob, Error> {
        Ok(CandidatesJob { cap: self.cap, budget: self.budget.per_puzzle() })
    }

    fn columns(&self, layout: &Layout, types: Vec<ColumnType>, schema: &Schema) -> TableColumns {
        match self.counts {
            true => TableColumns::with_header_row(CandidateCounts::TYPES),
            false => Rows::csv(layout, schema).columns(&types),
        }
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        match self.args().rows {
            None => Box::new(CandidateCounts { cap: self.cap }),
            Some(rows) if rows.are_grids() => Box::new(CandidateGrids),
            Some(rows) => rows.sink(layout, schema),
        }
    }

    fn may_write_json(&self) -> bool {
        !self.counts
    }

    /// The chunks are small, because a puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &CandidatesJob) -> ChunkSizing {
        ChunkSizing::SLOW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(separated(288), "288");
        assert_eq!(separated(28_200_960), "28,200,960");
        assert_eq!(separated(6_670_903_752_021_072_936_960), "6,670,903,752,021,072,936,960");
    }
}
