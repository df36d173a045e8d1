//! Rows of unavoidable sets, one for each set.

use std::io::Write;

use gridmill_core::grid::Cell;
use gridmill_core::jobs::Value;

use crate::packing::ColumnType;
use crate::record::{AnsweredRecords, Sink};
use crate::text::PuzzleText;

/// Writes a row for each set of a list: `record,size,cells,hits`, where `hits` is the number of clues that the
/// puzzle has in the set. For answers of [`Unavoidable`](gridmill_core::jobs::Unavoidable). Records count from 1,
/// over all files.
#[derive(Clone, Copy, Debug)]
pub struct UnavoidableRows;

impl UnavoidableRows {
    /// The types of the columns.
    pub const TYPES: [ColumnType; 4] =
        [ColumnType::Number, ColumnType::Number, ColumnType::Text, ColumnType::Number];
}

impl<P: PuzzleText> Sink<P> for UnavoidableRows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,size,cells,hits\n");
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (number, _, answered) in records.iter() {
            let Some((puzzle, answer)) = answered else { continue };
            let Value::Grids(grids) = records.answers.value(0, answer) else { continue };
            let (shape, record) = (puzzle.shape(), records.earlier_records + number);
            for set in grids.chunks(shape.cells()) {
                let cells: Vec<Cell> = Cell::all(shape).filter(|cell| set[cell.index()] != 0).collect();
                let hits = cells.iter().filter(|cell| puzzle.cells()[cell.index()] != 0).count();
                let names: Vec<String> = cells.iter().map(|cell| cell.name(shape)).collect();
                // The result is ignored, because writing to memory can't fail.
                let _ = writeln!(out, "{record},{},{},{hits}", cells.len(), names.join(" "));
            }
        }
    }
}
