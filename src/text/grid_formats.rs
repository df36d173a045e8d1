//! The formats of puzzles of any shape: lines, CSV and rows, as for classic ones.

use super::csv::unquoted;
use super::line::{record, whole_lines};
use super::{
    Alphabet, Batch, CsvFormat, Cut, Fault, Format, GridFormat, GridLine, GridLines, GridPuzzle, Line,
    SourceEcho, is_skipped, lines,
};
use crate::grid::Grid;
use std::sync::Arc;

impl From<GridLine<'_>> for GridPuzzle {
    fn from(line: GridLine<'_>) -> GridPuzzle {
        GridPuzzle { grid: line.grid, alphabet: Arc::clone(line.alphabet) }
    }
}

/// Lines, as [`GridLines`] reads them. Blank lines and lines that begin with `#` are skipped.
#[derive(Clone, Debug)]
pub struct GridLineFormat(pub GridLines);

impl Cut for GridLineFormat {
    fn name(&self) -> &'static str {
        "line"
    }

    fn whole(&self, window: &[u8]) -> usize {
        whole_lines(window)
    }
}

impl Format<GridPuzzle> for GridLineFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch<GridPuzzle>) {
        for line in lines(chunk).filter(|line| !is_skipped(line.text)) {
            self.add(line, batch);
        }
    }
}

impl GridLineFormat {
    fn add(&self, line: Line<'_>, batch: &mut Batch<GridPuzzle>) {
        batch.records.push(match self.0.read(line.text) {
            Ok(read) => {
                let (start, len, together) = (read.start, read.text.len(), read.together);
                batch.puzzles.push(read.into());
                if together {
                    record(line.start + start, len, 0, SourceEcho::Verbatim, None)
                } else {
                    record(line.start, line.text.len(), start, SourceEcho::Puzzle, None)
                }
            }
            Err(fault) => {
                let fault = Fault { offset: line.start as u32 + fault.offset, ..fault };
                record(line.start, line.text.len(), 0, SourceEcho::Field, Some(fault))
            }
        });
    }
}

/// CSV, the puzzle in one of the columns.
#[derive(Clone, Debug)]
pub struct GridTableFormat {
    /// The table.
    pub table: CsvFormat,
    /// How its puzzles are read.
    pub lines: GridLines,
}

impl Cut for GridTableFormat {
    fn name(&self) -> &'static str {
        self.table.name()
    }

    fn whole(&self, window: &[u8]) -> usize {
        self.table.whole(window)
    }
}

impl Format<GridPuzzle> for GridTableFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch<GridPuzzle>) {
        let read = |text: &[u8]| {
            self.lines.read(text).map(|line| (line.start, line)).map(|(start, line)| (line.into(), start))
        };
        self.table.read_with(chunk, batch, |field| unquoted(field, read));
    }
}

/// Rows of cells, with or without frames.
#[derive(Clone, Debug)]
pub struct GridRowFormat {
    /// How the rows are read.
    pub rows: GridFormat,
    /// What their digits are written in.
    pub alphabet: Arc<Alphabet>,
}

impl Cut for GridRowFormat {
    fn name(&self) -> &'static str {
        self.rows.name()
    }

    fn whole(&self, window: &[u8]) -> usize {
        self.rows.whole(window)
    }
}

impl Format<GridPuzzle> for GridRowFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch<GridPuzzle>) {
        let shape = self.rows.shape();
        self.rows.records(chunk, |open| {
            let grid = open.cells(shape).map(|cells| Grid::of(shape, cells).expect("cells of the shape"));
            batch.records.push(open.record(grid.as_ref().err().copied()));
            batch.puzzles.extend(grid.map(|grid| GridPuzzle { grid, alphabet: Arc::clone(&self.alphabet) }));
        });
    }
}
