//! Formats: where the records of a file are, and how they are read.

pub(super) mod csv;
pub(super) mod line;
pub(super) mod proposed;
pub(super) mod rows;

use gridmill_core::grid::Puzzle;

use super::{Batch, MAX_RECORD, Record, is_comment};

/// Finds where a file may be cut.
pub trait Cut: Send + Sync {
    /// Returns the bytes of the whole records at the front of `window`, which begins where a record may begin
    /// and is followed by more bytes; 0 if not even the first record is whole. These are whole lines, if each record is
    /// one.
    fn whole(&self, window: &[u8]) -> usize {
        memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1)
    }

    /// Returns the most bytes that a record may have.
    fn longest(&self) -> usize {
        MAX_RECORD
    }
}

/// Reads records into batches of a type of puzzles: classic ones, or [`GridPuzzle`](super::GridPuzzle)s of
/// any shape.
pub trait Format<P = Puzzle>: Cut {
    /// Adds the records of a chunk to a batch. The chunk begins where a record may begin, and ends at the end
    /// of one.
    fn read(&self, chunk: &[u8], batch: &mut Batch<P>);

    /// Adds a record that is too long to a batch. The chunk is its beginning, longer than
    /// [`Cut::longest`], or all of it up to the end of the line. A comment of any length is
    /// no record.
    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<P>) {
        if !is_comment(chunk) {
            batch.records.push(Record::too_long(chunk));
        }
    }
}
