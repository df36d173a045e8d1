//! Where records are: in which file, at which number, on which line.

use std::cell::Cell;
use std::path::Path;

use super::{Places, Totals};
use crate::text::Record;

/// Where a chunk is: its file, and how much of that stands in front of it.
#[derive(Clone, Copy, Debug)]
pub struct ChunkPlace<'a> {
    /// The name of the file.
    pub file: &'a Path,
    /// The input in front of the chunk.
    pub before: Totals,
}

impl Default for ChunkPlace<'_> {
    /// Returns the beginning of a file without a name.
    fn default() -> Self {
        ChunkPlace { file: Path::new(""), before: Totals::default() }
    }
}

impl ChunkPlace<'_> {
    /// Returns the lines of the chunk, for [`PlacedRecord`].
    #[must_use]
    pub fn lines<'c>(&self, chunk: &'c [u8]) -> Cell<Places<'c>> {
        Cell::new(Places::of(chunk, self.before.lines))
    }
}

/// A record of a chunk, and where it is in its file.
#[derive(Clone, Copy, Debug)]
pub struct PlacedRecord<'a> {
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// The record.
    pub record: &'a Record,
    /// The name of the file.
    pub file: &'a Path,
    /// The number of the record in the file, from 1.
    pub number: u64,
    /// The lines of the chunk, counted as far as was asked.
    pub lines: &'a Cell<Places<'a>>,
}

impl<'a> PlacedRecord<'a> {
    /// Returns the text of the record.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.record.text(self.chunk)
    }

    /// Returns the line of the file on which the record begins, from 1. Lines are counted only when this is called; for
    /// all records of a chunk together that costs one reading.
    #[must_use]
    pub fn line(&self) -> u64 {
        let mut lines = self.lines.get();
        let (line, _) = lines.at(self.record.start as usize);
        self.lines.set(lines);
        line
    }
}
