//! Formats: where the records of a file are, and how they are read. Here are lines, and puzzles with proposed
//! solutions, in two columns of a table or one after another on a line.

pub(super) mod csv;
pub(super) mod grids;

use std::fmt;
use std::sync::{Mutex, PoisonError};

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::Proposed;

use super::reader::is_separator;
use super::{
    Batch, Fault, FaultKind, MAX_RECORD, PuzzleReader, PuzzleText, Record, SourceEcho, TextLine, is_comment,
};

/// Finds where a file can be cut.
pub trait Cut: Send + Sync {
    /// Returns the length of the complete records at the front of `window`; 0 if not even the first one is
    /// complete. The window begins where a record may begin, and more bytes follow it. If each record is a
    /// line, this is the length of the complete lines.
    fn complete_len(&self, window: &[u8]) -> usize {
        memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1)
    }

    /// Returns the maximal length of a record in bytes.
    fn max_record_len(&self) -> usize {
        MAX_RECORD
    }
}

/// Reads records into batches of a type of puzzles, e.g. classic ones, or
/// [`GridPuzzle`](super::GridPuzzle)s of any shape.
pub trait Format<P = Puzzle>: Cut {
    /// Adds the records of a chunk to a batch. The chunk begins where a record may begin, and ends where
    /// one ends.
    fn read(&self, chunk: &[u8], batch: &mut Batch<P>);

    /// Adds to a batch a record that is too long. The chunk is its whole line, or only the beginning of it (more than
    /// [`Cut::max_record_len`] bytes). A comment of any length is not a record.
    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<P>) {
        if !is_comment(chunk) {
            batch.records.push(Record::too_long(chunk, self.max_record_len()));
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

impl<R: PuzzleReader> Cut for LineFormat<R> {
    fn max_record_len(&self) -> usize {
        self.0.max_line_len()
    }
}

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
        let limit = self.0.max_line_len();
        let read = match line.text.len() <= limit {
            true => self.0.read(line.text),
            false => Err(Fault::new(FaultKind::too_long(limit), 0)),
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

/// Reads puzzles together with their proposed solutions.
pub struct ProposedFormat<P> {
    puzzles: Box<dyn Format<P>>,
    /// The format of the solutions; `None` if they follow their puzzles on the line, after a comma,
    /// semicolon, tab or space.
    solutions: Option<Box<dyn Format<P>>>,
    /// Recycled memory for the puzzles and solutions of a chunk, one entry for each worker. It exists
    /// because allocating for each chunk took 5 % of the time of `check`.
    spare: Mutex<Vec<[Batch<P>; 2]>>,
}

/// Why a proposed solution could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolutionFault(pub Fault);

/// Like the fault itself, with `solution: ` before it unless it is about the whole record. E.g. `solution:
/// 80 cells where 81 are needed`.
impl fmt::Display for SolutionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            kind @ (FaultKind::TooLong { .. } | FaultKind::OpenQuote) => write!(f, "{kind}"),
            kind => write!(f, "solution: {kind}"),
        }
    }
}

impl<P: PuzzleText> ProposedFormat<P> {
    /// Reads puzzles and solutions from different places, e.g. from two columns, with a format for each.
    /// Without a format for solutions, it reads lines with a puzzle and its solution.
    #[must_use]
    pub fn new(puzzles: Box<dyn Format<P>>, solutions: Option<Box<dyn Format<P>>>) -> ProposedFormat<P> {
        ProposedFormat { puzzles, solutions, spare: Mutex::default() }
    }

    /// Reads the solution that follows a puzzle on its line.
    fn read_following(&self, chunk: &[u8], puzzle: &Record, solutions: &mut Batch<P>) {
        let (start, end) = following(chunk, puzzle);
        let known = solutions.records.len();
        if puzzle.fault.is_none() {
            self.puzzles.read(&chunk[start..end], solutions);
        }
        let missing = Fault::new(FaultKind::CellCount { found: 0, needed: puzzle.len }, start);
        match solutions.records.get_mut(known) {
            Some(solution) => {
                solution.start += start as u32;
                solution.fault = solution.fault.map(|fault| fault.shifted(start));
            }
            None => {
                let fault = puzzle.fault.unwrap_or(missing);
                solutions.records.push(Record { fault: Some(fault), ..*puzzle });
            }
        }
    }
}

impl<P: PuzzleText> Cut for ProposedFormat<P> {
    fn complete_len(&self, window: &[u8]) -> usize {
        self.puzzles.complete_len(window)
    }

    fn max_record_len(&self) -> usize {
        self.puzzles.max_record_len()
    }
}

impl<P: PuzzleText> Format<Proposed<P, SolutionFault>> for ProposedFormat<P> {
    #[inline(never)]
    fn read(&self, chunk: &[u8], batch: &mut Batch<Proposed<P, SolutionFault>>) {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let [mut read, mut solutions] = spare().pop().unwrap_or_default();
        self.puzzles.read(chunk, &mut read);
        match &self.solutions {
            Some(format) => format.read(chunk, &mut solutions),
            None => read.records.iter().for_each(|it| self.read_following(chunk, it, &mut solutions)),
        }
        let (mut puzzles, mut found) = (read.puzzles.drain(..), solutions.puzzles.drain(..));
        for (record, beside) in read.records.iter().zip(&solutions.records) {
            let solution = match beside.fault {
                Some(fault) => Err(SolutionFault(fault)),
                None => found.next().map(Ok).expect("each record without a fault has a puzzle"),
            };
            if record.fault.is_none()
                && let Some(puzzle) = puzzles.next()
            {
                batch.puzzles.push(Proposed { puzzle, solution });
            }
        }
        drop((puzzles, found));
        batch.records.append(&mut read.records);
        solutions.clear();
        spare().push([read, solutions]);
    }

    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<Proposed<P, SolutionFault>>) {
        let mut read = Batch::default();
        self.puzzles.read_too_long(chunk, &mut read);
        batch.records.append(&mut read.records);
    }
}

/// Finds the start and the end of the text after the cells of a puzzle.
fn following(chunk: &[u8], puzzle: &Record) -> (usize, usize) {
    let first = puzzle.first_cell();
    let text = TextLine::at(chunk, first).map_or(&b""[..], |line| line.text);
    let cells = text.iter().position(is_separator).unwrap_or(text.len());
    let separators = text[cells..].iter().take_while(|byte| is_separator(byte)).count();
    (first + cells + separators, first + text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{
        AnyShapeReader, BankReader, ClassicReader, HodokuReader, JsonReader, LineFormat, PencilmarkReader,
    };

    fn assert_refuses_long_lines<R: PuzzleReader>(reader: R) {
        let format = LineFormat(reader);
        for byte in *b"9. :" {
            let limit = format.max_record_len();
            let text = [b"#\n", &*vec![byte; limit + 1], b"\n"].concat();
            let mut batch = Batch::default();
            format.read(&text, &mut batch);
            let fault = Fault { kind: FaultKind::too_long(limit), offset: 2 };
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
        assert_refuses_long_lines(JsonReader { key: "puzzle".to_owned(), reader: ClassicReader });
    }

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn every_puzzle_has_a_solution_or_a_fault() {
        let text = format!("{LINE},{SOLVED}\nbad\n# no\n {LINE} \t{SOLVED} easy\n{LINE}\n{LINE};{LINE}!\n");
        let mut batch = Batch::default();
        let format = ProposedFormat::<Puzzle>::new(Box::new(LineFormat(ClassicReader)), None);
        format.read(text.as_bytes(), &mut batch);
        let faults: Vec<bool> = batch.records.iter().map(|record| record.fault.is_some()).collect();
        assert_eq!(faults, [false, true, false, false, false]);
        let (missing, needed) = (FaultKind::CellCount { found: 0, needed: 81 }, 81);
        let solutions: Vec<_> = batch.puzzles.iter().map(|pair| pair.solution).collect();
        let right = Ok(SOLVED.parse().unwrap());
        assert_eq!(solutions[..2], [right; 2]);
        assert_eq!(solutions[2].unwrap_err().0.kind, missing);
        let too_many = solutions[3].unwrap_err().0;
        assert_eq!(too_many.kind, FaultKind::TextAfterCells(needed));
        assert_eq!(&text[too_many.offset as usize..], "!\n");
    }
}
