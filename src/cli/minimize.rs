//! `gridmill minimize`: puzzles without their redundant clues.

use clap::Args;
use rayon::prelude::*;

use super::End;
use super::shared::up_to;
use super::table::{PORTION, TableArgs, row_of, status, write_row};
use crate::error::Error;
use crate::generate::Minimizer;
use crate::record::Status;

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

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Take clues out of every puzzle until none can go
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Minimize {
    #[command(flatten)]
    table: TableArgs,

    /// Seed of the random orders
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Try so many orders a puzzle, and keep the fewest clues
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = up_to(1_000_000))]
    all_orders: u64,
}

impl Minimize {
    pub(super) fn run(self) -> Result<End, Error> {
        let table = self.table.open()?;
        let header = table.header.clone();
        let names = table.header_with(&["minimal", "status", "clues"]);
        let (seed, orders) = (self.seed, self.all_orders as usize);
        table.run(Some(names), true, |pool, portion, output| {
            let parts = portion.batch.puzzles.par_chunks(PORTION).enumerate();
            let minimized = parts.map_init(
                || Minimizer::new(None),
                |minimizer, (index, part)| {
                    let first = portion.puzzles_before + (index * PORTION) as u64;
                    minimizer.minimize(part, first, seed, orders)
                },
            );
            let minimized: Vec<_> = pool.install(|| minimized.flatten_iter().collect());
            for read in portion.records() {
                let mut row = row_of(header.as_ref(), portion.text, read);
                let (minimal, status) = match read.1 {
                    None => (None, Status::Malformed),
                    Some((index, puzzle)) => (minimized[index].1, status(puzzle, &minimized[index].0)),
                };
                row.push(minimal.map_or_else(Vec::new, |minimal| minimal.to_ascii().to_vec()));
                row.push(status.name().into());
                row.push(minimal.map_or_else(String::new, |minimal| minimal.clue_count().to_string()).into());
                write_row(&row, output)?;
            }
            Ok(())
        })
    }
}
