//! Reading lines of HoDoKu libraries: a technique, a grid, candidates.

use std::marker::PhantomData;
use std::sync::Arc;

use gridmill_core::grid::{CELLS, Puzzle, Shape};

use crate::text::reader::classic::cell;
use crate::text::{Alphabet, Fault, FaultKind, FoundPuzzle, PuzzleReader, PuzzleText};

/// The index of the field of cells; the deleted candidates are in the next one.
const CELL_FIELD: usize = 3;

/// Reads lines such as `:0702:1:.5..38+1...:714 723:...:`, a field behind each colon: a technique, its
/// digits, the cells, the deleted candidates, those that the technique eliminates, the digits that it sets, a
/// comment. Only the cells are needed, and fields behind them may be missing.
///
/// The grid is read as it is: a digit behind `+`, placed while solving, counts as a clue like the givens.
/// Deleted candidates must be well formed (`714`: digit 7, row 1, column 4), and are ignored: in a proper
/// puzzle they follow from the clues.
#[derive(Clone, Debug)]
pub struct HodokuReader<P = Puzzle> {
    alphabet: Arc<Alphabet>,
    puzzle: PhantomData<fn() -> P>,
}

impl<P> Default for HodokuReader<P> {
    /// Returns the reader of these libraries. All puzzles are classic, in the usual digits.
    fn default() -> HodokuReader<P> {
        let alphabet = Arc::new(Alphabet::digits(Shape::CLASSIC.side()));
        HodokuReader { alphabet, puzzle: PhantomData }
    }
}

impl<P: PuzzleText> PuzzleReader for HodokuReader<P> {
    type Puzzle = P;

    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<P>, Fault> {
        let (cells, first_cell) = read_entry(text)?;
        let puzzle = P::from_clues(Shape::CLASSIC, &cells, &self.alphabet).expect("81 cells up to 9");
        Ok(FoundPuzzle::in_line(puzzle, first_cell, text))
    }
}

/// Returns whether a line looks like one of a library.
pub(in crate::text) fn is_entry(line: &[u8]) -> bool {
    read_entry(line).is_ok()
}

/// Reads a line, and returns its cells and the offset of the first one. The offset in a fault counts from the
/// line's start.
fn read_entry(line: &[u8]) -> Result<([u8; CELLS], usize), Fault> {
    let mut fields = fields(line);
    if fields.next().is_none_or(|(_, text)| !text.trim_ascii().is_empty()) {
        return Err(Fault::new(FaultKind::NotOfLibrary, 0));
    }
    let (start, text) = fields.nth(CELL_FIELD - 1).ok_or(Fault::new(FaultKind::NotOfLibrary, 0))?;
    let cells = read_cells(text).map_err(|fault| fault.behind(start))?;
    let deleted = fields.next().unwrap_or((line.len(), b""));
    check_candidates(deleted)?;
    let first = usize::from(text.first() == Some(&b'+'));
    Ok((cells, start + first))
}

/// Returns the fields between the colons of a line, with their offsets; none if there is no colon.
fn fields(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    line.split(|&byte| byte == b':').map(move |text| {
        let start = at;
        at += text.len() + 1;
        (start, text)
    })
}

/// Reads 81 cells; digits may have a `+` in front.
fn read_cells(text: &[u8]) -> Result<[u8; CELLS], Fault> {
    let mut cells = [0; CELLS];
    let (mut found, mut is_placed) = (0, false);
    for (at, &byte) in text.iter().enumerate() {
        if byte == b'+' && !is_placed {
            is_placed = true;
            continue;
        }
        let value = cell(byte).filter(|&value| value > 0 || !is_placed);
        let value = value.ok_or_else(|| Fault::new(FaultKind::foreign(&text[at..]), at))?;
        if let Some(cell) = cells.get_mut(found) {
            *cell = value;
        }
        (found, is_placed) = (found + 1, false);
    }
    if is_placed {
        return Err(Fault::new(FaultKind::Foreign('+'), text.len() - 1));
    }
    if found != CELLS {
        return Err(Fault::new(
            FaultKind::CellCount { found: found as u32, needed: CELLS as u32 },
            text.len(),
        ));
    }
    Ok(cells)
}

/// Checks that candidates are three digits each: digit, row and column.
fn check_candidates((start, text): (usize, &[u8])) -> Result<(), Fault> {
    let mut at = 0;
    for group in text.split(|&byte| byte == b' ') {
        let fits = group.len() == 3 && group.iter().all(|byte| (b'1'..=b'9').contains(byte));
        if !fits && !group.is_empty() {
            return Err(Fault::new(FaultKind::NotACandidate, start + at));
        }
        at += group.len() + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Batch, Format, GridPuzzle, LineFormat};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn found(line: &str) -> Result<(Puzzle, usize), (FaultKind, u32)> {
        let found = HodokuReader::<Puzzle>::default().read(line.as_bytes());
        found.map(|found| (found.puzzle, found.first_cell)).map_err(|fault| (fault.kind, fault.offset))
    }

    #[test]
    fn the_grid_is_read_as_it_stands() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        let placed: String = LINE.replacen("6..195", "6..+19+5", 1).replace("79", "7+9");
        for (line, lead) in [
            (format!(":0000:x:{LINE}:::"), 8),
            (format!(":0000:x:{LINE}"), 8),
            (format!("::: {LINE}").replace(' ', ""), 3),
            (format!(":0702:1:{LINE}:714 723:114:2 r1c3:a comment: with colons"), 8),
            (format!(":0300-1:29:{placed}: 414  945 ::"), 11),
            (format!(":0000:x:+{placed}:::"), 9),
            (format!("  :0000:x:{}:::", placed.replace('.', "0")), 10),
        ] {
            assert_eq!(found(&line), Ok((puzzle, lead)), "{line}");
        }
    }

    #[test]
    fn faults_name_their_place() {
        let of = |cells: &str| format!(":0000:x:{cells}:::");
        for (line, kind, offset) in [
            (LINE.to_owned(), FaultKind::NotOfLibrary, 0),
            (String::new(), FaultKind::NotOfLibrary, 0),
            (":0000:x".to_owned(), FaultKind::NotOfLibrary, 0),
            (of(&LINE[1..]), FaultKind::CellCount { found: 80, needed: 81 }, 88),
            (of(&format!("{LINE}+5")), FaultKind::CellCount { found: 82, needed: 81 }, 91),
            (of(&format!("{LINE}+")), FaultKind::Foreign('+'), 89),
            (of(&LINE.replacen("..", "+.", 1)), FaultKind::Foreign('.'), 11),
            (of(&LINE.replacen("..", "++", 1)), FaultKind::Foreign('+'), 11),
            (of(&LINE.replacen("..", ".é", 1)), FaultKind::Foreign('é'), 11),
            (format!(":0000:x:{LINE}:714 72 723::"), FaultKind::NotACandidate, 94),
            (format!(":0000:x:{LINE}:704::"), FaultKind::NotACandidate, 90),
        ] {
            assert_eq!(found(&line), Err((kind, offset)), "{line}");
        }
    }

    #[test]
    fn every_line_is_a_record() {
        let text = format!("# library\n:0000:x:{LINE}:::\n\nbad\n:0000:x:+{LINE}:::\r\n");
        let mut batch = Batch::default();
        LineFormat(HodokuReader::<Puzzle>::default()).read(text.as_bytes(), &mut batch);
        assert_eq!((batch.puzzles.len(), batch.records.len()), (2, 3));
        assert_eq!(batch.records[1].fault.unwrap().kind, FaultKind::NotOfLibrary);
        assert!(batch.records[2].text(text.as_bytes()).ends_with(b":::"));
        let mut grids = Batch::default();
        LineFormat(HodokuReader::<GridPuzzle>::default()).read(text.as_bytes(), &mut grids);
        assert_eq!(grids.records, batch.records);
        assert_eq!(grids.puzzles[0].grid, batch.puzzles[0].into());
    }
}
