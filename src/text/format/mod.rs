//! Where the records of a file stand, and what is the same for every kind of puzzle.

pub(super) mod csv;
pub(super) mod line;
pub(super) mod row_record;
pub(super) mod rows;

use super::{Batch, Record, is_comment};
use crate::grid::Puzzle;

/// Where a file may be cut.
pub trait Cut: Send + Sync {
    /// The name that people choose the format by.
    fn name(&self) -> &'static str;

    /// The bytes of the whole records at the front of `window`, which begins where a record may begin and
    /// is followed by more bytes. 0 if not even the first record is whole.
    fn whole(&self, window: &[u8]) -> usize;
}

/// How the records of a file are written, for puzzles of a type: classic ones, or [`GridPuzzle`](super::GridPuzzle)s of any
/// shape.
pub trait Format<P = Puzzle>: Cut {
    /// Adds the records of a chunk to a batch. The chunk begins where a record may begin and ends where
    /// one ends.
    fn read(&self, chunk: &[u8], batch: &mut Batch<P>);

    /// Adds a record that is too long to a batch. The chunk is its beginning, longer than [`MAX_RECORD`](super::MAX_RECORD), or all of
    /// it up to the end of the line. A comment, however long, is no record.
    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<P>) {
        if !is_comment(chunk) {
            batch.records.push(Record::too_long(chunk));
        }
    }
}
