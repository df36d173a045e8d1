//! `gridmill shuffle`: turns puzzles into random isomorphs.

use clap::Args;
use gridmill_core::grid::Isomorphism;
use gridmill_core::jobs::{Read, Schema};
use gridmill_data::error::Error;
use gridmill_data::output::put_csv_row;
use gridmill_data::record::{AnsweredRecords, Sink};
use gridmill_data::text::{
    CsvHeader, Layout, PuzzleReader, PuzzleText, Record, SourceEcho, csv_fields, in_brackets,
};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::up_to;
use crate::support::rows::check_name;

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

impl JobCommand for Shuffle {
    type Job = Read;

    const HAS_SUMMARY: bool = false;

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: None, rows: None }
    }

    fn job(&self, _: &Layout) -> Result<Read, Error> {
        Ok(Read)
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_name(self.input.output.as_deref(), layout)
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        let (seed, times, header, reader) = (self.seed, self.times, layout.header.clone(), P::reader(layout));
        Box::new(Isomorphs::<P> { seed, times, header, reader })
    }
}

/// Writes isomorphs of each puzzle: rows of CSV, if the input is that, or lines.
struct Isomorphs<P: PuzzleText> {
    seed: u64,
    times: u64,
    /// The header of CSV.
    header: Option<CsvHeader>,
    /// Reads the other grids of a row.
    reader: P::Reader,
}

impl<P: PuzzleText> Sink<P> for Isomorphs<P> {
    fn header(&self, out: &mut Vec<u8>) {
        if let Some(header) = self.header.as_ref().filter(|header| header.is_written) {
            out.extend_from_slice(&header.text);
            out.push(b'\n');
        }
    }

    fn is_bulky(&self) -> bool {
        true
    }

    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let mut number = records.puzzle_number;
        for (_, record, answered) in records.iter() {
            let row = self.fields(record.text(records.chunk), record, answered.map(|(puzzle, _)| puzzle));
            match answered {
                Some((puzzle, _)) => {
                    self.put_isomorphs(puzzle, number, &row, out);
                    number += 1;
                }
                None => self.put(&row, out),
            }
        }
    }
}

impl<P: PuzzleText> Isomorphs<P> {
    /// Writes the isomorphs of a puzzle of that number, which has that row.
    fn put_isomorphs(&self, puzzle: &P, number: u64, row: &[Vec<u8>], out: &mut Vec<u8>) {
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
            let mut row = row.to_vec();
            for (field, grid) in row.iter_mut().zip(&grids) {
                grid.iter().for_each(|grid| *field = disguised(grid));
            }
            // The field may be in quotes, or have blanks around the puzzle.
            row[self.header.as_ref().map_or(0, |header| header.column)] = disguised(puzzle);
            self.put(&row, out);
        }
    }

    /// Returns the grid that a field is, if it is nothing else, and of the shape of the puzzle.
    fn grid_beside(&self, puzzle: &P, field: &[u8]) -> Option<P> {
        if field.len() < puzzle.cells().len() {
            return None;
        }
        let list = in_brackets(field);
        let text = list.as_deref().map_or(field, <[u8]>::trim_ascii);
        let found = self.reader.read(text).ok()?;
        let is_alone = found.text == (0..text.len()) && found.first_cell == 0;
        (is_alone && found.puzzle.shape() == puzzle.shape()).then_some(found.puzzle)
    }

    /// Returns the fields of a record: those of a CSV row, as many as its header has, or the puzzle.
    fn fields(&self, text: &[u8], record: &Record, puzzle: Option<&P>) -> Vec<Vec<u8>> {
        let Some(header) = &self.header else {
            let mut cells = Vec::new();
            match (puzzle, record.echo) {
                (Some(puzzle), SourceEcho::Puzzle) => puzzle.write(&mut cells),
                _ => cells.extend_from_slice(text),
            }
            return vec![cells];
        };
        let mut row = match record.echo {
            SourceEcho::Verbatim | SourceEcho::Ragged => {
                csv_fields(text, header.separator).iter().map(<[u8]>::to_vec).collect()
            }
            SourceEcho::Puzzle | SourceEcho::Field => {
                let mut row = vec![Vec::new(); header.column];
                row.push(text.to_vec());
                row
            }
        };
        row.resize(header.width, Vec::new());
        row
    }

    /// Writes a CSV row, or a line.
    fn put(&self, row: &[Vec<u8>], out: &mut Vec<u8>) {
        if let Some(header) = &self.header {
            return put_csv_row(row, header.separator, out);
        }
        out.extend_from_slice(&row[0]);
        out.push(b'\n');
    }
}
