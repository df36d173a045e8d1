//! Formats: where the records of a file are, and how they are read.

pub(super) mod csv;
pub(super) mod proposed;
pub(super) mod rows;

use gridmill_core::grid::Puzzle;

use super::{Batch, Fault, FaultKind, MAX_RECORD, PuzzleReader, Record, SourceEcho, TextLine, is_comment};

/// Finds where a file can be cut.
pub trait Cut: Send + Sync {
    /// The length of the complete records at the front of `window`; 0 if not even the first one is
    /// complete. The window begins where a record may begin, and more bytes follow it. If each record is a
    /// line, this is the length of the complete lines.
    fn whole(&self, window: &[u8]) -> usize {
        memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1)
    }

    /// The maximal length of a record in bytes.
    fn longest(&self) -> usize {
        MAX_RECORD
    }
}

/// Reads records into batches of a type of puzzles, e.g. classic ones, or
/// [`GridPuzzle`](super::GridPuzzle)s of any shape.
pub trait Format<P = Puzzle>: Cut {
    /// Adds the records of a chunk to a batch. The chunk begins where a record may begin, and ends where
    /// one ends.
    fn read(&self, chunk: &[u8], batch: &mut Batch<P>);

    /// Adds a record that is too long to a batch. The chunk is its beginning, longer than [`Cut::longest`],
    /// or all of it up to the end of the line. A comment of any length is not a record.
    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<P>) {
        if !is_comment(chunk) {
            batch.records.push(Record::too_long(chunk));
        }
    }
}

/// Lines with one puzzle each, for any reader. Blank lines and lines that begin with `#` are skipped. Lines
/// end with LF or CRLF.
///
/// ```
/// use gridmill_data::text::{Batch, ClassicReader, Format, LineFormat};
///
/// let text = b"# one puzzle\n53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";
/// let mut batch = Batch::default();
/// LineFormat(ClassicReader).read(text, &mut batch);
/// assert_eq!((batch.puzzles[0].clue_count(), batch.records[0].start), (30, 13));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LineFormat<R>(pub R);

impl<R: PuzzleReader> Cut for LineFormat<R> {}

impl<R: PuzzleReader> Format<R::Puzzle> for LineFormat<R> {
    fn read(&self, chunk: &[u8], batch: &mut Batch<R::Puzzle>) {
        let mut at = 0;
        loop {
            // Fast path for plain lines, which need no search for the end of the line.
            while let Some(len) = self.0.push_plain(&chunk[at..], &mut batch.puzzles) {
                batch.records.push(Record::new(at, len, 0, SourceEcho::Verbatim, None));
                at += len + 1;
            }
            let Some(line) = TextLine::at(chunk, at) else { return };
            at = line.next;
            if self.0.is_record(line.text) {
                self.add(line, batch);
            }
        }
    }
}

impl<R: PuzzleReader> LineFormat<R> {
    #[inline(never)]
    fn add(&self, line: TextLine<'_>, batch: &mut Batch<R::Puzzle>) {
        let read = match line.text.len() {
            0..=MAX_RECORD => self.0.read(line.text),
            _ => Err(Fault::new(FaultKind::RecordTooLong, 0)),
        };
        batch.records.push(match read {
            Ok(found) => {
                batch.puzzles.push(found.puzzle);
                let lead = found.first_cell - found.text.start;
                Record::new(line.start + found.text.start, found.text.len(), lead, found.echo, None)
            }
            Err(fault) => {
                let fault = fault.shifted(line.start);
                Record::new(line.start, line.text.len(), 0, SourceEcho::Field, Some(fault))
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{AnyShapeReader, BankReader, ClassicReader, HodokuReader, PencilmarkReader};

    fn assert_refuses_long_lines<R: PuzzleReader>(reader: R) {
        let format = LineFormat(reader);
        for byte in *b"9. :" {
            let text = [&[b'#', b'\n'][..], &[byte; MAX_RECORD + 1], b"\n"].concat();
            let mut batch = Batch::default();
            format.read(&text, &mut batch);
            let fault = Fault { kind: FaultKind::RecordTooLong, offset: 2 };
            assert_eq!(batch.records.iter().map(|record| record.fault).collect::<Vec<_>>(), [Some(fault)]);
        }
    }

    #[test]
    fn every_reader_refuses_lines_that_are_too_long() {
        assert_refuses_long_lines(ClassicReader);
        assert_refuses_long_lines(AnyShapeReader::new(None, Vec::new()));
        assert_refuses_long_lines(PencilmarkReader);
        assert_refuses_long_lines(BankReader(ClassicReader));
        assert_refuses_long_lines(HodokuReader::<Puzzle>::default());
    }
}
