//! `gridmill shuffle`: turns puzzles into random isomorphs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use gridmill_core::grid::Isomorphism;
use gridmill_data::error::Error;
use gridmill_data::pipeline::{RowMapper, Searchable};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status};
use gridmill_data::text::{Layout, PuzzleReader, in_brackets};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::cli::End;
use crate::support::input_args::InputArgs;
use crate::support::rows::TableRowsArgs;
use crate::support::tabulate::{Columns, MapperFactory, tabulate, write_row};
use crate::support::values::up_to;

const EXAMPLES: &str = "\
Examples:
  gridmill shuffle puzzles.txt -o disguised.txt
      for each puzzle a random isomorph, which is as hard and has as many solutions
  gridmill shuffle train.csv --times 10 --seed 3 -o more.csv
      ten rows for each row; puzzle, solution and any other grid of a row get the same change

Digits are renamed, bands and stacks, rows in a band and columns in a stack get another order, and the grid is
transposed or not. CSV comes out as CSV, with its header; anything else as one puzzle a line. What can't be read is
repeated as it stands, once. Only puzzles with square boxes are transposed.

For puzzles of every size.

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
        tabulate(&self.input, &self, None)
    }
}

impl MapperFactory for Shuffle {
    type Mapper<P: Searchable> = ShuffleMapper<P::Reader>;

    const HAS_SUMMARY: bool = false;

    fn rows(&self) -> Option<&TableRowsArgs> {
        None
    }

    fn names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    fn mappers<P: Searchable>(
        &self,
        layout: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> ShuffleMapper<P::Reader> + Sync + 'static, Error> {
        let (seed, times, reader) = (self.seed, self.times, Arc::new(P::reader(layout)));
        Ok(move || ShuffleMapper { seed, times, reader: Arc::clone(&reader), columns: columns.clone() })
    }
}

pub(crate) struct ShuffleMapper<R> {
    seed: u64,
    times: u64,
    /// Reads the other grids of a row.
    reader: Arc<R>,
    columns: Columns,
}

impl<P: PuzzleLike, R: PuzzleReader<Puzzle = P>> RowMapper<P> for ShuffleMapper<R> {
    /// The number of the puzzle.
    type Answer = u64;

    fn answer(&mut self, puzzles: &[P], first: u64, _: &AtomicBool, answers: &mut Vec<u64>) {
        answers.extend((first..).take(puzzles.len()));
    }

    fn rows(&self, record: &PlacedRecord<'_>, answered: Option<(&P, &u64)>, out: &mut Vec<u8>) -> Status {
        let row = self.columns.fields(record.chunk, record.record, answered.map(|(puzzle, _)| puzzle));
        let Some((puzzle, &number)) = answered else {
            self.write(&row, out);
            return Status::Malformed;
        };
        let grids: Vec<Option<P>> = row.iter().map(|field| self.grid_beside(puzzle, field)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        for _ in 0..self.times {
            let isomorphism = Isomorphism::random(puzzle.shape(), &mut rng);
            let disguised = |puzzle: &P| {
                let mut cells = Vec::new();
                puzzle.write_cells(&isomorphism.apply_to_cells(puzzle.cells()), &mut cells);
                cells
            };
            let mut row = row.clone();
            for (field, grid) in row.iter_mut().zip(&grids) {
                grid.iter().for_each(|grid| *field = disguised(grid));
            }
            // The field may be in quotes, or have blanks around the puzzle.
            row[self.columns.puzzle()] = disguised(puzzle);
            self.write(&row, out);
        }
        Status::Solved
    }
}

impl<R> ShuffleMapper<R> {
    /// Returns the grid that a field is, if it is nothing else, and of the shape of the puzzle.
    fn grid_beside<P: PuzzleLike>(&self, puzzle: &P, field: &[u8]) -> Option<P>
    where
        R: PuzzleReader<Puzzle = P>,
    {
        if field.len() < puzzle.cells().len() {
            return None;
        }
        let list = in_brackets(field);
        let text = list.as_deref().map_or(field, <[u8]>::trim_ascii);
        let found = self.reader.read(text).ok()?;
        let is_alone = found.text == (0..text.len()) && found.first_cell == 0;
        (is_alone && found.puzzle.shape() == puzzle.shape()).then_some(found.puzzle)
    }

    /// Writes a CSV row, or a line.
    fn write(&self, row: &[Vec<u8>], out: &mut Vec<u8>) {
        if let Some(header) = &self.columns.input {
            return write_row(row, header.separator, out);
        }
        out.extend_from_slice(&row[0]);
        out.push(b'\n');
    }
}
