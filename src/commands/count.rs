//! `gridmill count`: how many solutions each puzzle has, or how many full grids a shape.

use std::time::{Duration, Instant};

use clap::Args;
use gridmill_core::solver::{
    AnyBitmask, Bounds, Counter, SharedCells, SolutionLimit, Solver, SolverKind, StagedCounter,
};
use gridmill_data::error::Error;
use gridmill_data::output::{ChosenRows, SearchColumn};
use gridmill_data::pipeline::{Engine, Searchable, Solve as SolveStage, Stage};
use gridmill_data::text::{GridPuzzle, Layout};
use gridmill_report::eprint_message;

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::engine::EngineArgs;
use crate::support::full_grids::count_full_grids;
use crate::support::given::Given;
use crate::support::input_args::InputArgs;
use crate::support::interrupt::stop_on_interrupt;
use crate::support::outputs::finish_rows;
use crate::support::parts::{PartArgs, Parts};
use crate::support::rows::RowsArgs;
use crate::support::run_summary::summary_of;
use crate::support::stage_factory::{StageFactory, stage_for};
use crate::support::summary::Summary;
use crate::support::values::seconds;

const EXAMPLES: &str = "\
Examples:
  gridmill count puzzles.txt -o counts.csv
      a row for every puzzle: puzzle,solutions,status,guesses,time_ns
  gridmill count puzzles.jsonl
      objects with a puzzle each come out with solutions, status, guesses and time_ns
  gridmill count puzzles.txt --columns record,line,solutions
      the number of each record, the line on which it begins, and the count
  gridmill count hexadecimal.txt --alphabet 0-9A-F --limit 1000
      16x16 puzzles whose 0 is a digit, counted to a thousand
  echo ................ | gridmill count -
      the 288 grids of 4x4
  gridmill count high.txt --shape 3x2 --budget-time 10
      boxes of 3 rows and 2 columns, ten seconds a puzzle
  gridmill count sukaku.txt --limit 1000
      lines of 729 characters, pencilmarks: nine places a cell, . or 0 where a digit is eliminated
  gridmill count puzzles.txt --shared
      and the cells that all solutions share, with . where they differ
  gridmill count big.txt --shard 3/64 -o part3.csv
      the third of 64 parts, each for a process of its own: together they are the whole
  gridmill count --grids --shape 3x3
      the 6670903752021072936960 full grids of 9x9, in a second; no puzzles are read

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not be
read, or of another size than the first puzzle: --mixed accepts all sizes), budget (the count is not
finished), solved (--limit 1 looks for no second solution).

Guesses of a puzzle with one solution or none are those of solve. With a budget engines other than lockstep search
9x9 puzzles as they search other sizes, which takes other numbers of guesses.

Exit codes: 0 every record was counted, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Up to how many solutions puzzles are counted in lanes, where the count has a limit. Lanes can't share such a count, so
/// a puzzle that is alone takes 5 times as long there as with `bitmask`, where a batch takes a third.
const IN_LANES: SolutionLimit = SolutionLimit::new(1024).unwrap();

/// The arguments about puzzles, which say nothing about full grids.
const OF_PUZZLES: [&str; 21] = [
    "resume",
    "skip_existing",
    "files",
    "format",
    "puzzle_column",
    "delimiter",
    "no_header",
    "rows",
    "columns",
    "alphabet",
    "mixed",
    "no_mmap",
    "chunk_bytes",
    "max_messages",
    "engine",
    "backend",
    "limit",
    "shared",
    "budget_guesses",
    "budget_time",
    "shard",
];

/// Count the solutions of every puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Count {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Count the full grids of --shape, by classes of bands, in place of the solutions of puzzles: 2x2, 2x3, 2x4,
    /// 3x3, within a second, 2x5, which takes a minute or more, and these turned
    #[arg(long, requires = "shape", conflicts_with_all = OF_PUZZLES)]
    grids: bool,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// Count up to so many solutions, 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,

    /// Add a column with the cells that all solutions share, and . where solutions differ: those of all solutions,
    /// whatever --limit and the budgets say, and empty only where there is no solution. They take searches of their
    /// own, which no budget ends. Guesses are then those of the engine for any shape
    #[arg(long)]
    shared: bool,

    /// Give a puzzle up after so many guesses
    #[arg(long, value_name = "N")]
    budget_guesses: Option<u64>,

    /// Give a puzzle up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget_time: Option<Duration>,
}

impl Count {
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        if self.parts.are_done(self.input.output.as_deref(), self.input.common.quiet)? {
            return Ok(End::Good);
        }
        if let (true, Some(shape)) = (self.grids, self.input.common.reading.shape) {
            return count_full_grids(&self.input, shape);
        }
        let mut files = self.input.open()?;
        let parts = Parts { args: &self.parts, given };
        let output = self.input.open_rows(&mut files, Some(parts))?;
        let stop = stop_on_interrupt();
        if !self.input.detect(&mut files, &stop)? {
            return Ok(End::Interrupted);
        }
        if self.shared && files.layout().is_pencilmarks() {
            return Err(CommandError::NoSharedCells.into());
        }
        let engine = self.engine.choose_for(files.layout())?;
        let columns = if self.shared { SearchColumn::SHARED } else { SearchColumn::COUNTED };
        let rows = self.rows.chosen(&self.input, &mut files, columns)?;
        let summary = summary_of(&files, &self.input, engine);
        let begun = Instant::now();
        let stages = CountStages { count: &self, engine, rows };
        let totals = files.run_in_parts(&output, &stop, &|layout| match self.shows_shared() {
            true if !layout.is_pencilmarks() => stages.stage_of(layout, |engine| {
                Box::new(SharedCells::new(self.solver::<GridPuzzle>(engine), Box::new(AnyBitmask::new())))
            }),
            _ => stage_for(&stages, layout),
        })?;
        let complete = !totals.stopped && !totals.lacks_files;
        let summary = Summary { complete, ..summary.with_counts(&totals.tally, totals.wall(begun)) };
        if !self.input.common.quiet && !self.input.answers_a_person() {
            eprint_message(&summary);
        }
        finish_rows(output, None, &totals, format_args!("{} whole records", totals.records))
    }

    /// Returns whether the cells that solutions share are wanted.
    fn shows_shared(&self) -> bool {
        self.shared || self.rows.are_grids(&self.input)
    }

    /// Returns the limit, if the engines that solve can count so far: up to some solutions, and without a budget.
    fn plain_limit(&self) -> Option<SolutionLimit> {
        let is_bounded = self.budget_guesses.is_some() || self.budget_time.is_some();
        u32::try_from(self.limit).ok().filter(|_| !is_bounded).and_then(SolutionLimit::new)
    }

    fn bounds(&self) -> Bounds {
        let bounds = Bounds::solutions(self.limit).and_guesses(self.budget_guesses.unwrap_or(u64::MAX));
        self.budget_time.map_or(bounds, |time| bounds.and_time(time))
    }

    /// Makes an engine. A count of all solutions is split over all threads where it takes long. A count with a
    /// limit goes in order, so that it stops at the same place on any number of threads.
    fn solver<P: Searchable>(&self, engine: Engine) -> Box<dyn Solver<P>> {
        if let Some(limit) = self.plain_limit() {
            if limit > IN_LANES && matches!(engine, Engine::Lockstep(_)) && !self.engine.is_named() {
                let single = P::bounded_solver(Engine::Other(SolverKind::Bitmask));
                let count = Box::new(Counter::new(single, self.bounds()));
                return Box::new(StagedCounter::new(P::solver(engine), count).beyond(IN_LANES));
            }
            P::solver(engine)
        } else if self.limit == 0 && self.budget_guesses.is_none() {
            P::counter(engine, self.budget_time)
        } else {
            Box::new(Counter::new(P::bounded_solver(engine), self.bounds()))
        }
    }
}

/// Makes stages that count.
struct CountStages<'c> {
    count: &'c Count,
    engine: Engine,
    /// The rows with the columns that are chosen, if any are.
    rows: Option<ChosenRows>,
}

impl StageFactory for CountStages<'_> {
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        self.stage_of(layout, |engine| self.count.solver::<P>(engine))
    }
}

impl CountStages<'_> {
    /// Makes the stage for a file, with the engines that `solver` makes.
    fn stage_of<'a, P: Searchable>(
        &'a self,
        layout: &Layout,
        solver: impl Fn(Engine) -> Box<dyn Solver<P>> + Sync + 'a,
    ) -> Result<Box<dyn Stage + 'a>, Error> {
        let (count, engine) = (self.count, self.engine);
        let is_short = count.plain_limit().is_some_and(|limit| limit <= SolutionLimit::UNIQUENESS);
        Ok(Box::new(SolveStage {
            format: layout.format(),
            engine: Box::new(move || solver(engine)),
            // Two solutions are enough for `multiple`; other counters have limits of their own.
            limit: match count.limit {
                1 => SolutionLimit::FIRST,
                _ => count.plain_limit().unwrap_or(SolutionLimit::UNIQUENESS),
            },
            rows: match &self.rows {
                Some(rows) => Box::new(rows.clone()),
                None => count.rows.counts(&count.input, layout, count.shared, count.limit),
            },
            diagnostics: !count.input.common.quiet,
            sizing: if is_short || layout.is_pencilmarks() { P::sizing(engine) } else { engine.sizing() },
        }))
    }
}
