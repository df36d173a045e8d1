//! `gridmill minimal`: which puzzles are minimal, and which clues the others could do without.

use clap::Args;
use rayon::prelude::*;

use super::End;
use super::table::{PORTION, TableArgs, row_of, status, write_row};
use crate::error::Error;
use crate::generate::Minimizer;
use crate::grid::{Cell, Shape};
use crate::record::Status;

const EXAMPLES: &str = "\
Examples:
  gridmill minimal puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,status,redundant
  gridmill generate --clues 30 | gridmill minimal -
      which of 30 clues could go

Status of a row: minimal; redundant (each of the clues listed could go alone, though perhaps not all of them
together); for puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read). Clues are listed as r1c1 for the first row and column, a space between two.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Tell which puzzles are minimal, and which clues of the others are redundant
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Minimal {
    #[command(flatten)]
    table: TableArgs,
}

impl Minimal {
    pub(super) fn run(self) -> Result<End, Error> {
        let table = self.table.open()?;
        let header = table.header.clone();
        let names = table.header_with(&["status", "redundant"]);
        table.run(Some(names), true, |pool, portion, output| {
            let parts = portion.batch.puzzles.par_chunks(PORTION);
            let judged = parts.map_init(|| Minimizer::new(None), Minimizer::redundant);
            let judged: Vec<_> = pool.install(|| judged.flatten_iter().collect());
            for read in portion.records() {
                let mut row = row_of(header.as_ref(), portion.text, read);
                let (status, redundant) = match read.1 {
                    None => (Status::Malformed.name(), String::new()),
                    Some((index, puzzle)) => {
                        let (outcome, redundant) = &judged[index];
                        let name = match status(puzzle, outcome) {
                            Status::Unique if redundant.is_empty() => "minimal",
                            Status::Unique => "redundant",
                            other => other.name(),
                        };
                        (name, listed(redundant))
                    }
                };
                row.push(status.into());
                row.push(redundant.into_bytes());
                write_row(&row, output)?;
            }
            Ok(())
        })
    }
}

fn listed(cells: &[Cell]) -> String {
    let shape = Shape::CLASSIC;
    let name = |cell: &Cell| format!("r{}c{}", cell.row(shape) + 1, cell.column(shape) + 1);
    cells.iter().map(name).collect::<Vec<_>>().join(" ")
}
