//! The records of an input, one by one: for programs that want puzzles and no rows.

use std::iter::FusedIterator;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::NEVER;

use super::source::{Cursor, Source};
use super::{CHUNK_BYTES, Input};
use crate::error::{Error, Position};
use crate::record::{Places, Totals};
use crate::text::{Batch, Fault, FaultKind, Format, FormatError, FormatOptions, Layout, PuzzleText, Record};

/// The records of an input, in order: see [`Input::records`].
///
/// Reads a chunk of 256 KiB at a time, whatever the length of the input. After an error there are no more records.
pub struct Records<P = Puzzle> {
    input: Input,
    layout: Layout,
    format: Box<dyn Format<P>>,
    cursor: Cursor,
    /// The counts of what stands in front of the next chunk.
    before: Totals,
    batch: Batch<P>,
    /// The records of the last chunk that are still to be handed out.
    ready: std::vec::IntoIter<InputRecord<P>>,
    ended: bool,
}

/// A record of an input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputRecord<P = Puzzle> {
    /// Its number, from 1.
    pub number: u64,
    /// The line in which it begins, from 1.
    pub line: u64,
    /// Its text without line end: of a CSV row all fields, of a record that is longer than
    /// [`MAX_RECORD`](crate::text::MAX_RECORD) the beginning.
    pub text: Vec<u8>,
    /// The puzzle, or why there is none.
    pub puzzle: Result<P, MalformedRecord>,
}

/// Why a record could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: record {}: malformed: {kind}", position.record)]
#[non_exhaustive]
pub struct MalformedRecord {
    /// The place of the fault.
    pub position: Position,
    /// The reason.
    pub kind: FaultKind,
}

impl Input {
    /// Returns the records, each with its puzzle. `P` is [`Puzzle`] for 9x9 puzzles,
    /// [`GridPuzzle`](crate::text::GridPuzzle) for those of any shape, [`Pencilmarks`](gridmill_core::grid::Pencilmarks) for
    /// grids of candidates. How they are written is [found out](Input::detect) first.
    ///
    /// One thread reads, and each record gets memory of its own: some 0.3 µs a record, of which the reading is a
    /// twentieth. [`run`](super::run) uses all cores and allocates nothing for a record.
    ///
    /// # Errors
    ///
    /// As [`Input::detect`] says, and where the puzzles are of another kind. A malformed record is no error: it comes
    /// with its fault in place of the puzzle.
    ///
    /// ```
    /// use gridmill_data::pipeline::{Input, Records};
    /// use gridmill_data::text::FormatOptions;
    ///
    /// let text = "id,puzzle\n\
    ///     a,1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..\n\
    ///     b,1....7.9..3..2\n";
    /// let input = Input::from_bytes("two.csv", text.as_bytes());
    /// let records: Records = input.records(&FormatOptions::default())?;
    /// let records = records.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(records[0].puzzle.as_ref().unwrap().clue_count(), 23);
    /// let fault = records[1].puzzle.as_ref().unwrap_err();
    /// assert_eq!(fault.to_string(), "two.csv:3:17: record 2: malformed: 14 cells where 81 are needed");
    /// # Ok::<(), gridmill_data::Error>(())
    /// ```
    pub fn records<P: PuzzleText>(mut self, options: &FormatOptions) -> Result<Records<P>, Error> {
        // Nobody stops a program that asks for records: it stops asking.
        let layout = self.detect(options, &NEVER).map_err(|error| error.in_file(self.name()))?;
        let layout = layout.expect("nobody stops it");
        if layout.is_sure() && !P::KINDS.contains(&layout.kind()) {
            return Err(Error::from(FormatError::OtherKind { kind: layout.kind() }).in_file(self.name()));
        }
        Ok(Records {
            format: layout.format(),
            layout,
            cursor: Cursor::new(&self, CHUNK_BYTES),
            before: self.before_records(),
            batch: Batch::default(),
            ready: Vec::new().into_iter(),
            ended: false,
            input: self,
        })
    }
}

impl<P> Records<P> {
    /// Returns how the records are written.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Reads the next chunk. Returns false at the end of the input.
    fn read_chunk(&mut self) -> Result<bool, Error> {
        let (input, format) = (&self.input, &*self.format);
        let mut source = Source { input, format, keeps_long_lines: false, stop: &NEVER, cursor: self.cursor };
        let Some(chunk) = source.claim(&mut Vec::new())? else {
            input.check_unchanged()?;
            return Ok(false);
        };
        self.cursor = source.cursor;
        let size = chunk.read(format, &mut self.batch);
        self.ready = records(&chunk.text, &mut self.batch, self.before, input).into_iter();
        self.before += size;
        Ok(true)
    }
}

impl<P> Iterator for Records<P> {
    type Item = Result<InputRecord<P>, Error>;

    fn next(&mut self) -> Option<Result<InputRecord<P>, Error>> {
        while self.ready.as_slice().is_empty() && !self.ended {
            let read = self.read_chunk();
            self.ended = !matches!(read, Ok(true));
            if let Err(error) = read {
                return Some(Err(error));
            }
        }
        self.ready.next().map(Ok)
    }
}

impl<P> FusedIterator for Records<P> {}

/// Takes the records of a chunk out of its batch.
fn records<P>(text: &[u8], batch: &mut Batch<P>, before: Totals, input: &Input) -> Vec<InputRecord<P>> {
    let (mut begins, mut faults) = (Places::of(text, before.lines), Places::of(text, before.lines));
    let mut puzzles = batch.puzzles.drain(..);
    let record_of = |(record, number): (&Record, u64)| {
        let mut malformed = |fault: Fault| {
            let (line, column) = faults.at(fault.offset as usize);
            let position = Position { path: input.name().to_owned(), record: number, line, column };
            MalformedRecord { position, kind: fault.kind }
        };
        let puzzle = match record.fault {
            Some(fault) => Err(malformed(fault)),
            None => Ok(puzzles.next().expect("a record without a fault has a puzzle")),
        };
        let (line, _) = begins.at(record.start as usize);
        InputRecord { number, line, text: record.text(text).to_vec(), puzzle }
    };
    batch.records.iter().zip(before.records + 1..).map(record_of).collect()
}
