//! `gridmill shuffle`: puzzles in disguise.

use std::io::Write;

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::End;
use super::count::put;
use super::shared::up_to;
use super::table::{Portion, Read1, TableArgs, row_of, write_row};
use crate::error::Error;
use crate::grid::{CELLS, GridIsomorphism, Puzzle, Shape};
use crate::text::{CsvHeader, read_puzzle};

const EXAMPLES: &str = "\
Examples:
  gridmill shuffle puzzles.txt -o disguised.txt
      for each puzzle a random isomorph, which is as hard and has as many solutions
  gridmill shuffle train.csv --times 10 --seed 3 -o more.csv
      ten rows for each row; puzzle, solution and any other grid of a row get the same change

Digits are renamed, bands and stacks, rows in a band and columns in a stack get another order, and the grid is
transposed or not. CSV comes out as CSV, with its header; anything else as one puzzle a line. What can't be read is
repeated as it stands, once.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Turn every puzzle into a random isomorph
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Shuffle {
    #[command(flatten)]
    table: TableArgs,

    /// Seed of the random changes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Isomorphs of each puzzle
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = up_to(1_000_000))]
    times: u64,
}

impl Shuffle {
    pub(super) fn run(self) -> Result<End, Error> {
        let table = self.table.open()?;
        let header = table.header.clone();
        let names = header.as_ref().map(|_| table.header_with(&[]));
        table.run(names, false, |_, portion, output| {
            let mut records = portion.records();
            records.try_for_each(|read| self.rows(header.as_ref(), portion, read, output))
        })
    }

    fn rows(
        &self,
        header: Option<&CsvHeader>,
        portion: &Portion<'_>,
        read: Read1<'_>,
        output: &mut dyn Write,
    ) -> Result<(), Error> {
        let row = row_of(header, portion.text, read);
        let Some((index, puzzle)) = read.1 else { return write(header, &row, output) };
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(portion.puzzles_before + index as u64);
        for _ in 0..self.times {
            let isomorphism = GridIsomorphism::random(Shape::CLASSIC, &mut rng);
            let mut row = row.clone();
            for field in row.iter_mut().filter(|field| field.len() == CELLS) {
                if let Ok(grid) = read_puzzle(field) {
                    *field = disguised(&grid, &isomorphism);
                }
            }
            // However it was written, in quotes or with blanks around it.
            row[header.map_or(0, |header| header.column)] = disguised(puzzle, &isomorphism);
            write(header, &row, output)?;
        }
        Ok(())
    }
}

/// Writes a row of CSV, or a line.
fn write(header: Option<&CsvHeader>, row: &[Vec<u8>], output: &mut dyn Write) -> Result<(), Error> {
    match header {
        Some(_) => write_row(row, output),
        None => put(output, &[&row[0][..], b"\n"].concat()),
    }
}

fn disguised(puzzle: &Puzzle, isomorphism: &GridIsomorphism) -> Vec<u8> {
    let cells = isomorphism.apply(puzzle.cells());
    cells.into_iter().map(|cell| if cell == 0 { b'.' } else { b'0' + cell }).collect()
}
