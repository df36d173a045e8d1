//! `gridmill minimize`: takes redundant clues out of puzzles.

use clap::Args;

use crate::cli::End;
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::tabulate::{Columns, status, tabulate};
use crate::cli::support::values::up_to;
use crate::error::Error;
use crate::generate::Minimizer;
use crate::grid::Puzzle;
use crate::pipeline::RowMapper;
use crate::record::Status;
use crate::solver::Outcome;
use crate::text::Record;

const EXAMPLES: &str = "\
Examples:
  gridmill minimize puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,minimal,status,clues
  gridmill minimize puzzles.txt --all-orders 100 --seed 3
      a hundred tries a puzzle, of which the one with the fewest clues is kept

Clues go one by one in random order as long as one solution is left; what comes out depends on the order, the seed
and the place of the puzzle in the file. clues counts those of the minimal puzzle.

Status of a row: unique; for puzzles without exactly one solution, which have no minimal one: multiple, none,
conflict (two equal clues in a house); malformed (could not be read).

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Take clues out of every puzzle until none can go
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimize {
    #[command(flatten)]
    input: InputArgs,

    /// Seed of the random orders
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Try so many orders a puzzle, and keep the fewest clues
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = up_to(1_000_000))]
    all_orders: u64,
}

impl Minimize {
    pub(crate) fn run(self) -> Result<End, Error> {
        tabulate(&self.input, &["minimal", "status", "clues"], |columns| MinimizeMapper {
            minimizer: Minimizer::new(None),
            seed: self.seed,
            orders: self.all_orders as usize,
            columns,
        })
    }
}

struct MinimizeMapper {
    minimizer: Minimizer,
    seed: u64,
    orders: usize,
    columns: Columns,
}

impl RowMapper for MinimizeMapper {
    type Answer = (Outcome, Option<Puzzle>);

    fn answer(&mut self, puzzles: &[Puzzle], first: u64, answers: &mut Vec<Self::Answer>) {
        answers.extend(self.minimizer.minimize(puzzles, first, self.seed, self.orders));
    }

    fn rows(
        &self,
        chunk: &[u8],
        record: &Record,
        answered: Option<(&Puzzle, &Self::Answer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let (minimal, status) = match answered {
            None => (None, Status::Malformed),
            Some((puzzle, (outcome, minimal))) => (*minimal, status(puzzle, outcome)),
        };
        let cells = minimal.map_or_else(String::new, |minimal| minimal.to_string());
        let clues = minimal.map_or_else(String::new, |minimal| minimal.clue_count().to_string());
        let new = [cells.as_bytes(), status.name().as_bytes(), clues.as_bytes()];
        self.columns.write_row(chunk, record, puzzle, &new, out);
        status
    }
}
