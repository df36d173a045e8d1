//! `gridmill shuffle`: turns puzzles into random isomorphs.

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::cli::End;
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::tabulate::{Columns, tabulate, write_row};
use crate::cli::support::values::up_to;
use crate::error::Error;
use crate::grid::{CELLS, Isomorphism, Puzzle, Shape};
use crate::pipeline::RowMapper;
use crate::record::Status;
use crate::text::{Record, read_puzzle};

const EXAMPLES: &str = "\
Examples:
  gridmill shuffle puzzles.txt -o disguised.txt
      for each puzzle a random isomorph, which is as hard and has as many solutions
  gridmill shuffle train.csv --times 10 --seed 3 -o more.csv
      ten rows for each row; puzzle, solution and any other grid of a row get the same change

Digits are renamed, bands and stacks, rows in a band and columns in a stack get another order, and the grid is
transposed or not. CSV comes out as CSV, with its header; anything else as one puzzle a line. What can't be read is
repeated as it stands, once.

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Turn every puzzle into a random isomorph
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Shuffle {
    #[command(flatten)]
    input: InputArgs,

    /// Seed of the random changes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Isomorphs of each puzzle
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = up_to(1_000_000))]
    times: u64,
}

impl Shuffle {
    pub(crate) fn run(self) -> Result<End, Error> {
        let (seed, times) = (self.seed, self.times);
        tabulate(&self.input, &[], |columns| ShuffleMapper { seed, times, columns })
    }
}

struct ShuffleMapper {
    seed: u64,
    times: u64,
    columns: Columns,
}

impl RowMapper for ShuffleMapper {
    /// The number of the puzzle.
    type Answer = u64;

    fn answer(&mut self, puzzles: &[Puzzle], first: u64, answers: &mut Vec<u64>) {
        answers.extend((first..).take(puzzles.len()));
    }

    fn rows(
        &self,
        chunk: &[u8],
        record: &Record,
        answered: Option<(&Puzzle, &u64)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let row = self.columns.fields(chunk, record, answered.map(|(puzzle, _)| puzzle));
        let Some((puzzle, &number)) = answered else {
            self.write(&row, out);
            return Status::Malformed;
        };
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        for _ in 0..self.times {
            let isomorphism = Isomorphism::random(Shape::CLASSIC, &mut rng);
            let disguised = |puzzle: &Puzzle| isomorphism.apply_classic(puzzle).to_ascii().to_vec();
            let mut row = row.clone();
            for field in row.iter_mut().filter(|field| field.len() == CELLS) {
                if let Ok(grid) = read_puzzle(field) {
                    *field = disguised(&grid);
                }
            }
            // The field may be in quotes, or have blanks around the puzzle.
            row[self.columns.puzzle()] = disguised(puzzle);
            self.write(&row, out);
        }
        Status::Solved
    }
}

impl ShuffleMapper {
    /// Writes a CSV row, or a line.
    fn write(&self, row: &[Vec<u8>], out: &mut Vec<u8>) {
        if let Some(header) = &self.columns.input {
            return write_row(row, header.separator, out);
        }
        out.extend_from_slice(&row[0]);
        out.push(b'\n');
    }
}
