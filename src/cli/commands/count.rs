//! `gridmill count`: how many solutions each puzzle has, or how many full grids a shape.

use std::time::Duration;

use clap::Args;

use crate::cli::End;
use crate::cli::support::command_error::CommandError;
use crate::cli::support::engine::{Engine, EngineArgs};
use crate::cli::support::full_grids::count_full_grids;
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::interrupt::stop_on_interrupt;
use crate::cli::support::outputs::finish_output;
use crate::cli::support::rows::RowsArgs;
use crate::cli::support::stage_factory::Searchable;
use crate::cli::support::values::seconds;
use crate::error::Error;
use crate::grid::Pencilmarks;
use crate::pipeline::{Solve as SolveStage, Stage};
use crate::solver::{
    AnyBitmask, Bounds, Counter, PencilmarkBitmask, SharedCells, SolutionLimit, Solver, SplitCounter,
};
use crate::text::{GridPuzzle, Layout};

const EXAMPLES: &str = "\
Examples:
  gridmill count puzzles.txt -o counts.csv
      a row for every puzzle: puzzle,solutions,status,guesses,time_ns
  gridmill count puzzles.jsonl
      objects with a puzzle each come out with solutions, status, guesses and time_ns
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
  gridmill count --grids --shape 3x3
      the 6670903752021072936960 full grids of 9x9, in a second; no puzzles are read

Status of a row: unique, multiple, none, conflict (two equal clues in a house), malformed (could not be
read, or of another size than the first puzzle: --mixed accepts all sizes), budget (the count is not
finished), solved (--limit 1 looks for no second solution).

Exit codes: 0 every record was counted, 1 some were malformed, in conflict or over budget, 2 the job
could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// What says nothing about full grids.
const OF_PUZZLES: [&str; 14] = [
    "files",
    "format",
    "puzzle_column",
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
];

/// Count the solutions of every puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Count {
    #[command(flatten)]
    input: InputArgs,

    /// Count the full grids of --shape, by classes of bands, in place of the solutions of puzzles: 2x2, 2x3, 2x4,
    /// 2x5, 3x3, and these turned
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
    /// whatever --limit says
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
    pub(crate) fn run(self) -> Result<End, Error> {
        if let (true, Some(shape)) = (self.grids, self.input.common.shape) {
            return count_full_grids(&self.input, shape);
        }
        let mut files = self.input.open()?;
        let mut output = self.input.open_output(&files)?;
        let stop = stop_on_interrupt();
        if !self.input.detect(&mut files, &stop)? {
            return Ok(End::Interrupted);
        }
        if self.shared && files.layout().is_pencilmarks() {
            return Err(CommandError::NoSharedCells.into());
        }
        let engine = self.engine.choose_for(files.layout())?;
        let totals = files.run(&mut output, &stop, &|layout| Ok(self.stage(engine, layout)))?;
        finish_output(output, None, &totals, format_args!("{} whole records", totals.records))
    }

    /// Makes the stage for a file. Classic puzzles are counted like those of any shape.
    fn stage(&self, engine: Engine, layout: &Layout) -> Box<dyn Stage + '_> {
        match layout.is_pencilmarks() {
            true => self.stage_of::<Pencilmarks>(engine, layout, || {
                Box::new(Counter::new(Box::new(PencilmarkBitmask::new()), self.bounds()))
            }),
            false => self.stage_of::<GridPuzzle>(engine, layout, move || self.counter_of(engine)),
        }
    }

    fn stage_of<'a, P: Searchable>(
        &'a self,
        engine: Engine,
        layout: &Layout,
        counter: impl Fn() -> Box<dyn Solver<P>> + Sync + 'a,
    ) -> Box<dyn Stage + 'a> {
        Box::new(SolveStage {
            format: layout.format(),
            engine: Box::new(counter),
            // Two solutions are enough for `multiple`, however many are counted.
            limit: if self.limit == 1 { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS },
            rows: self.rows.counts(&self.input, layout, self.shared),
            diagnostics: !self.input.common.quiet,
            sizing: P::sizing(engine),
        })
    }

    /// Returns whether the cells that solutions share are wanted.
    fn shows_shared(&self) -> bool {
        self.shared || self.rows.are_grids(&self.input)
    }

    /// Makes a counter, which also finds shared cells where they are wanted.
    fn counter_of(&self, engine: Engine) -> Box<dyn Solver<GridPuzzle>> {
        match self.shows_shared() {
            true => Box::new(SharedCells::new(self.counter(engine), Box::new(AnyBitmask::new()))),
            false => self.counter(engine),
        }
    }

    /// Makes a counter. A count of all solutions is split over all threads where it takes long. A count with
    /// a limit goes in order, so that it stops at the same place on any number of threads.
    fn counter(&self, engine: Engine) -> Box<dyn Solver<GridPuzzle>> {
        if self.limit == 0 && self.budget_guesses.is_none() {
            let make = Box::new(move || engine.any_shape());
            Box::new(SplitCounter::new(engine.any_shape(), make, self.budget_time))
        } else {
            Box::new(Counter::new(engine.any_shape(), self.bounds()))
        }
    }

    fn bounds(&self) -> Bounds {
        let bounds = Bounds::solutions(self.limit).and_guesses(self.budget_guesses.unwrap_or(u64::MAX));
        self.budget_time.map_or(bounds, |time| bounds.and_time(time))
    }
}
