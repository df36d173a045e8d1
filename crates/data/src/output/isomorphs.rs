//! Replaces each puzzle, and the other grids in its row (e.g. the solution), by random isomorphs.

use gridmill_core::grid::Isomorphism;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::csv::put_csv_row;
use crate::record::{AnsweredRecords, Sink};
use crate::text::{CsvHeader, Layout, PuzzleReader, PuzzleText, Record, SourceEcho, csv_fields, in_brackets};

/// Writes isomorphs of each puzzle, as rows of CSV if the input is CSV, else as lines.
pub struct Isomorphs<P: PuzzleText> {
    seed: u64,
    times: u64,
    /// The header of CSV input.
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

    #[inline(never)]
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
    /// Writes `times` isomorphs of each puzzle; the same seed gives the same ones.
    #[must_use]
    pub fn new(seed: u64, times: u64, layout: &Layout) -> Isomorphs<P> {
        Isomorphs { seed, times, header: layout.header.clone(), reader: P::reader(layout) }
    }

    /// Writes the isomorphs of a puzzle with its row. The number of the puzzle chooses the random stream,
    /// so that the result does not depend on chunks or threads.
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
            // Replaces the puzzle itself, because its field may have quotes or blanks around it, and so may
            // not be recognised as a grid.
            row[self.header.as_ref().map_or(0, |header| header.column)] = disguised(puzzle);
            self.put(&row, out);
        }
    }

    /// Reads a field as a grid. `None` if it is anything more than that, or has another shape than the
    /// puzzle.
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

    /// Splits a record into fields: for CSV as many as the header has, otherwise just the puzzle.
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

    /// Writes a row of CSV, or a line.
    fn put(&self, row: &[Vec<u8>], out: &mut Vec<u8>) {
        if let Some(header) = &self.header {
            return put_csv_row(row, header.separator, out);
        }
        out.extend_from_slice(&row[0]);
        out.push(b'\n');
    }
}
