//! Reading pencilmarks from a line.

use gridmill_core::grid::{CELLS, DigitSet, Pencilmarks};

use crate::text::reader::cells_of;
use crate::text::{Fault, FaultKind, FoundPuzzle, PuzzleReader};

const SIDE: usize = 9;

/// Characters of a line.
const MARKS: usize = CELLS * SIDE;

/// Reads pencilmarks of 729 characters: nine places for each cell, with a digit in its place, or `.` or `0`
/// where it is eliminated. Remarks are as behind 81 characters. 729 characters can't be a grid of 27x27, as
/// sides end at 25.
#[derive(Clone, Copy, Debug, Default)]
pub struct PencilmarkReader;

impl PuzzleReader for PencilmarkReader {
    type Puzzle = Pencilmarks;

    fn format_name(&self) -> &'static str {
        "pencilmarks"
    }

    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<Pencilmarks>, Fault> {
        let (marks, first_cell) = read_marks(text)?;
        Ok(FoundPuzzle::in_line(marks, first_cell, text))
    }
}

/// Returns whether a line has as many characters as pencilmarks, all of them digits and blanks.
pub(in crate::text) fn looks_like_marks(line: &[u8]) -> bool {
    let (_, text) = cells_of(line);
    text.len() == MARKS && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Reads a line, and returns its candidates and the offset of the first place. The offset in a fault counts
/// from the line's start.
fn read_marks(line: &[u8]) -> Result<(Pencilmarks, usize), Fault> {
    let (start, text) = cells_of(line);
    let mut candidates = [DigitSet::EMPTY; CELLS];
    let mut is_good = text.len() == MARKS;
    for (digits, places) in candidates.iter_mut().zip(text.as_chunks().0) {
        is_good &= read_cell(places).map(|read| *digits = read).is_some();
    }
    if is_good {
        return Ok((Pencilmarks::new(candidates), start));
    }
    Err(fault_in(text, start))
}

/// Returns the digits of nine places; `None` if there is anything else.
#[inline]
fn read_cell(places: &[u8; SIDE]) -> Option<DigitSet> {
    let (mut digits, mut foreign) = (0, false);
    // Branchless, so that it becomes vector code.
    for (place, &mark) in places.iter().enumerate() {
        let holds = mark == b'1' + place as u8;
        digits |= u32::from(holds) << place;
        foreign |= !holds & (mark != b'.') & (mark != b'0');
    }
    (!foreign).then_some(DigitSet::from_mask(digits))
}

/// Returns the fault of a text that is no pencilmarks: its first wrong character, or its length.
fn fault_in(text: &[u8], start: usize) -> Fault {
    let expected = |at: usize| (at % SIDE + 1) as u8;
    let is_foreign =
        |&(at, &mark): &(usize, &u8)| mark != b'0' + expected(at) && !matches!(mark, b'.' | b'0');
    let (kind, at) = match text.iter().enumerate().take(MARKS).find(is_foreign) {
        Some((at, &mark)) if mark.is_ascii_digit() => {
            (FaultKind::OtherMark { found: mark - b'0', expected: expected(at) }, at)
        }
        Some((at, _)) => (FaultKind::foreign(&text[at..]), at),
        None => (FaultKind::MarkCount { found: text.len() as u32 }, text.len().min(MARKS)),
    };
    Fault { kind, offset: (start + at) as u32 }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;
    use crate::text::{Batch, Format, LineFormat};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn marks() -> Pencilmarks {
        Pencilmarks::from(&LINE.parse::<Puzzle>().unwrap())
    }

    fn found(line: &str) -> Result<(Pencilmarks, usize), (FaultKind, u32)> {
        read_marks(line.as_bytes()).map_err(|fault| (fault.kind, fault.offset))
    }

    #[test]
    fn a_cell_has_nine_places() {
        let line = marks().to_string();
        for (line, lead) in [
            (line.clone(), 0),
            (line.replace('.', "0"), 0),
            (line.replacen(".", "0", 7), 0),
            (format!("  {line} a remark"), 2),
            (format!("{line};x"), 0),
        ] {
            assert_eq!(found(&line), Ok((marks(), lead)), "{line}");
            assert!(looks_like_marks(line.as_bytes()));
        }
        let nothing = found(&".".repeat(729)).unwrap().0;
        assert!(nothing.candidates().iter().all(|digits| digits.is_empty()));
    }

    #[test]
    fn faults_name_their_place() {
        let line = marks().to_string();
        for (line, kind, offset) in [
            (line[1..].to_owned(), FaultKind::OtherMark { found: 5, expected: 4 }, 3),
            (line[..728].to_owned(), FaultKind::MarkCount { found: 728 }, 728),
            (format!("{line}."), FaultKind::MarkCount { found: 730 }, 729),
            (line.replacen("123", "133", 1), FaultKind::OtherMark { found: 3, expected: 2 }, 19),
            (line.replacen("123", "1x3", 1), FaultKind::Foreign('x'), 19),
            (format!(" {}", line.replacen("123", "1é3", 1)), FaultKind::Foreign('é'), 20),
            (LINE.to_owned(), FaultKind::OtherMark { found: 5, expected: 1 }, 0),
        ] {
            assert_eq!(found(&line), Err((kind, offset)), "{line}");
        }
    }

    #[test]
    fn every_line_is_a_record() {
        let line = marks().to_string();
        let text = format!("# pencilmarks\n{line}\r\n\nbad\n  {line}");
        let mut batch = Batch::default();
        LineFormat(PencilmarkReader).read(text.as_bytes(), &mut batch);
        assert_eq!((batch.puzzles.len(), batch.records.len()), (2, 3));
        assert_eq!(batch.records[1].fault.map(|fault| fault.kind), Some(FaultKind::Foreign('b')));
        assert_eq!(batch.records[2].first_cell(), text.len() - 729);
    }
}
