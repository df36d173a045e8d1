//! `gridmill minimal`: which puzzles are minimal, and which clues of the others are redundant.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use gridmill_core::generate::{Minimized, Minimizer};
use gridmill_core::grid::{Cell, Shape};
use gridmill_core::solver::Clues;
use gridmill_data::error::Error;
use gridmill_data::pipeline::{ChunkSizing, RowMapper, Searchable};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status, Tally};
use gridmill_data::text::Layout;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::input_args::InputArgs;
use crate::support::rows::TableRowsArgs;
use crate::support::tabulate::{Columns, MapperFactory, searched_status, singles_sizing, tabulate};

const EXAMPLES: &str = "\
Examples:
  gridmill minimal puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,status,redundant
  gridmill generate --clues 30 | gridmill minimal -
      which of 30 clues could go

Status of a row: minimal; redundant (each of the clues listed could go alone, though perhaps not all of them
together); for puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read); budget (a search took more guesses than --budget-guesses allows, so the list may not
be complete). Clues are listed as r1c1 for the first row and column, a space between two.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job could
not be done, 130 interrupted.";

/// Tell which puzzles are minimal, and which clues of the others are redundant
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimal {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    rows: TableRowsArgs,

    /// Give a search up after so many guesses; 9x9 puzzles are searched to the end
    #[arg(long, value_name = "N", default_value_t = Minimizer::GUESSES)]
    budget_guesses: u64,

    #[clap(skip)]
    minimal: Arc<AtomicU64>,
}

impl Minimal {
    pub(crate) fn run(self) -> Result<End, Error> {
        tabulate(&self.input, &self, None)
    }
}

impl MapperFactory for Minimal {
    type Mapper<P: Searchable> = MinimalMapper;

    fn rows(&self) -> Option<&TableRowsArgs> {
        Some(&self.rows)
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["status", "redundant"]
    }

    fn gains(&self, _: &Tally) -> Vec<(&'static str, String)> {
        vec![("minimal", HumanCount(self.minimal.load(Ordering::Relaxed)).to_string())]
    }

    fn mappers<P: Searchable>(
        &self,
        _: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> MinimalMapper + Sync + 'static, Error> {
        let (guesses, minimal) = (self.budget_guesses, Arc::clone(&self.minimal));
        Ok(move || MinimalMapper {
            minimizer: Minimizer::new(None).with_guesses(guesses),
            minimal: Arc::clone(&minimal),
            columns: columns.clone(),
        })
    }

    fn sizing<P: Searchable>(&self, _: &Layout) -> ChunkSizing {
        singles_sizing::<P>()
    }
}

pub(crate) struct MinimalMapper {
    minimizer: Minimizer,
    /// The number of minimal puzzles.
    minimal: Arc<AtomicU64>,
    columns: Columns,
}

impl<P: PuzzleLike> RowMapper<P> for MinimalMapper {
    type Answer = Minimized<Vec<Cell>>;

    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Vec<Self::Answer>) {
        let clues: Vec<Clues<'_>> = puzzles.iter().map(PuzzleLike::as_clues).collect();
        answers.extend(self.minimizer.redundant_until(&clues, stop));
    }

    fn rows(
        &self,
        record: &PlacedRecord<'_>,
        answered: Option<(&P, &Self::Answer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let status = answered.map_or(Status::Malformed, |(puzzle, found)| {
            searched_status(puzzle, found.solutions, found.is_given_up)
        });
        let redundant =
            answered.map_or_else(String::new, |(puzzle, found)| listed(puzzle.shape(), &found.result));
        let name = match status {
            Status::Unique if redundant.is_empty() => "minimal",
            Status::Unique => "redundant",
            other => other.name(),
        };
        self.minimal.fetch_add(u64::from(name == "minimal"), Ordering::Relaxed);
        self.columns.write_row(record, puzzle, &[name.as_bytes(), redundant.as_bytes()], out);
        status
    }
}

fn listed(shape: Shape, cells: &[Cell]) -> String {
    let name = |cell: &Cell| format!("r{}c{}", cell.row(shape) + 1, cell.column(shape) + 1);
    cells.iter().map(name).collect::<Vec<_>>().join(" ")
}
