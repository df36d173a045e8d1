//! `gridmill minimal`: which puzzles are minimal, and which clues of the others are redundant.

use clap::Args;

use crate::cli::End;
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::tabulate::{Columns, status, tabulate};
use crate::error::Error;
use crate::generate::Minimizer;
use crate::grid::{Cell, Puzzle, Shape};
use crate::pipeline::RowMapper;
use crate::record::Status;
use crate::solver::Outcome;
use crate::text::Record;

const EXAMPLES: &str = "\
Examples:
  gridmill minimal puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,status,redundant
  gridmill generate --clues 30 | gridmill minimal -
      which of 30 clues could go

Status of a row: minimal; redundant (each of the clues listed could go alone, though perhaps not all of them
together); for puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read). Clues are listed as r1c1 for the first row and column, a space between two.

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Tell which puzzles are minimal, and which clues of the others are redundant
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimal {
    #[command(flatten)]
    input: InputArgs,
}

impl Minimal {
    pub(crate) fn run(self) -> Result<End, Error> {
        tabulate(&self.input, &["status", "redundant"], |columns| MinimalMapper {
            minimizer: Minimizer::new(None),
            columns,
        })
    }
}

struct MinimalMapper {
    minimizer: Minimizer,
    columns: Columns,
}

impl RowMapper for MinimalMapper {
    type Answer = (Outcome, Vec<Cell>);

    fn answer(&mut self, puzzles: &[Puzzle], _: u64, answers: &mut Vec<Self::Answer>) {
        answers.extend(self.minimizer.redundant(puzzles));
    }

    fn rows(
        &self,
        chunk: &[u8],
        record: &Record,
        answered: Option<(&Puzzle, &Self::Answer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let status = answered.map_or(Status::Malformed, |(puzzle, (outcome, _))| status(puzzle, outcome));
        let redundant = answered.map_or_else(String::new, |(_, (_, redundant))| listed(redundant));
        let name = match status {
            Status::Unique if redundant.is_empty() => "minimal",
            Status::Unique => "redundant",
            other => other.name(),
        };
        self.columns.write_row(chunk, record, puzzle, &[name.as_bytes(), redundant.as_bytes()], out);
        status
    }
}

fn listed(cells: &[Cell]) -> String {
    let shape = Shape::CLASSIC;
    let name = |cell: &Cell| format!("r{}c{}", cell.row(shape) + 1, cell.column(shape) + 1);
    cells.iter().map(name).collect::<Vec<_>>().join(" ")
}
