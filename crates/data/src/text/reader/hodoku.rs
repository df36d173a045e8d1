//! Reads lines of other programs: of HoDoKu libraries (a technique, a grid, candidates), and of puzzle
//! banks.

use std::marker::PhantomData;
use std::sync::Arc;

use gridmill_core::grid::{CELLS, Puzzle, Shape};

use super::classic::cell;
use crate::text::{Alphabet, Fault, FaultKind, FoundPuzzle, PuzzleReader, PuzzleText, is_skipped};

/// The index of the field with the cells. The next field has the deleted candidates.
const CELL_FIELD: usize = 3;

/// Reads lines such as `:0702:1:.5..38+1...:714 723:...:`. A field follows each colon: a technique, its
/// digits, the cells, the deleted candidates, the candidates that the technique eliminates, the digits that
/// it sets, and a comment. Only the cells are needed, and the fields after them may be missing.
///
/// The grid is read as it is: a digit after `+`, which was placed while solving, counts as a clue like the
/// givens. Deleted candidates must be well formed (`714`: digit 7, row 1, column 4). They are ignored,
/// because in a proper puzzle they follow from the clues.
#[derive(Clone, Debug)]
pub struct HodokuReader<P = Puzzle> {
    alphabet: Arc<Alphabet>,
    puzzle: PhantomData<fn() -> P>,
}

impl<P> Default for HodokuReader<P> {
    /// Makes the reader. All puzzles in these libraries are classic, with the usual digits.
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

/// Reads the cells of a line, and the offset of the first one. The offset in a fault counts from the start
/// of the line.
pub(in crate::text) fn read_entry(line: &[u8]) -> Result<([u8; CELLS], usize), Fault> {
    let mut fields = fields(line);
    if fields.next().is_none_or(|(_, text)| !text.trim_ascii().is_empty()) {
        return Err(Fault::new(FaultKind::NotOfLibrary, 0));
    }
    let (start, text) = fields.nth(CELL_FIELD - 1).ok_or(Fault::new(FaultKind::NotOfLibrary, 0))?;
    let cells = read_cells(text).map_err(|fault| fault.shifted(start))?;
    let deleted = fields.next().unwrap_or((line.len(), b""));
    check_candidates(deleted)?;
    let first = usize::from(text.first() == Some(&b'+'));
    Ok((cells, start + first))
}

/// Splits a line at its colons into fields with their offsets. Without a colon, the line is a single field.
fn fields(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    line.split(|&byte| byte == b':').map(move |text| {
        let start = at;
        at += text.len() + 1;
        (start, text)
    })
}

/// Reads 81 cells; digits may have a `+` before them.
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

/// Checks that candidates have three digits each: digit, row and column.
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

/// The number of hexadecimal digits in a hash.
const HASH: usize = 12;

/// Reads lines such as `0000183b305c 05070306...  1.2`: a hash of 12 hexadecimal digits, white space, and a
/// line for another reader, with the rating as a remark. The hash is not part of the puzzle.
#[derive(Clone, Copy, Debug, Default)]
pub struct BankReader<R>(pub R);

impl<R: PuzzleReader> PuzzleReader for BankReader<R> {
    type Puzzle = R::Puzzle;

    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<R::Puzzle>, Fault> {
        let rest = after_hash(text).filter(|rest| !is_skipped(rest));
        let rest = rest.ok_or(Fault::new(FaultKind::NotOfBank, 0))?;
        let lead = text.len() - rest.len();
        // For CR CR LF, only one CR has been removed so far.
        match self.0.read(rest.strip_suffix(b"\r").unwrap_or(rest)) {
            Ok(found) => Ok(found.shifted(lead)),
            Err(fault) => Err(fault.shifted(lead)),
        }
    }
}

/// Returns the text after the hash, if the line begins with one.
pub(in crate::text) fn after_hash(line: &[u8]) -> Option<&[u8]> {
    let (hash, rest) = line.trim_ascii_start().split_at_checked(HASH)?;
    let is_apart = matches!(rest.first(), Some(b' ' | b'\t'));
    (hash.iter().all(u8::is_ascii_hexdigit) && is_apart).then_some(rest.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{
        AnyShapeReader, Batch, ClassicReader, Format, GridPuzzle, LineFormat, MAX_RECORD, SourceEcho,
    };

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn found(line: &str) -> Result<(Puzzle, usize), (FaultKind, u32)> {
        let found = HodokuReader::<Puzzle>::default().read(line.as_bytes());
        found.map(|found| (found.puzzle, found.first_cell)).map_err(|fault| (fault.kind, fault.offset))
    }

    #[test]
    fn the_grid_is_read_unchanged() {
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

    fn read(text: &str) -> Batch {
        let mut batch = Batch::default();
        LineFormat(BankReader(ClassicReader)).read(text.as_bytes(), &mut batch);
        batch
    }

    #[test]
    fn the_hash_is_skipped_and_the_rating_is_a_remark() {
        let zeros = LINE.replace('.', "0");
        for line in [
            format!("0000183b305c {LINE}  1.2"),
            format!("0000183b305c {zeros}  1.2\r"),
            format!("000018330512\t{zeros}"),
            format!("  ABCDEF012345  {LINE} 10.3"),
        ] {
            let batch = read(&line);
            assert_eq!(batch.puzzles, [LINE.parse().unwrap()], "{line}");
            let (text, record) = (line.as_bytes(), batch.records[0]);
            assert_eq!(
                (record.text(text).len(), record.echo, record.fault),
                (81, SourceEcho::Verbatim, None)
            );
            assert!(text[record.first_cell()..].starts_with(b"53"));
        }
    }

    #[test]
    fn a_bad_line_affects_no_other_line() {
        let good = format!("0000183b305c {LINE}  1.2");
        let (few, few_at) = (good.replacen("53..", "3..", 1), 93);
        for (bad, kind, column) in [
            (LINE, FaultKind::NotOfBank, 0),
            ("0000183b305c", FaultKind::NotOfBank, 0),
            ("0000183b305c  ", FaultKind::NotOfBank, 0),
            ("0000183b305c # 12", FaultKind::NotOfBank, 0),
            (&few, FaultKind::CellCount { found: 80, needed: 81 }, few_at),
            (&good.replacen("53..", "53z.", 1), FaultKind::Foreign('z'), 15),
        ] {
            let text = format!("# bank\n{good}\n\n{bad}\n{good}");
            let batch = read(&text);
            assert_eq!((batch.puzzles.len(), batch.records.len()), (2, 3));
            let start = 7 + good.len() as u32 + 2;
            let fault = Some(Fault { kind, offset: start + column });
            let record = batch.records[1];
            assert_eq!((record.fault, record.text(text.as_bytes())), (fault, bad.as_bytes()));
        }
        let long = format!("0000183b305c {LINE} {}", "9".repeat(MAX_RECORD));
        assert_eq!(read(&long).records[0].fault.unwrap().kind, FaultKind::RecordTooLong);
    }

    #[test]
    fn other_sizes_are_read() {
        let format = LineFormat(BankReader(AnyShapeReader::new(None, Vec::new())));
        let mut batch = Batch::default();
        format.read(
            b"0000183b305c 1.....3..4.....2 0.1\n0000183b305d 1 0 0 0 0 0 3 0 0 4 0 0 0 0 0 2\n",
            &mut batch,
        );
        assert_eq!(batch.puzzles[0].grid, batch.puzzles[1].grid);
        assert_eq!(
            batch.records.iter().map(|record| record.echo).collect::<Vec<_>>(),
            [SourceEcho::Verbatim, SourceEcho::Puzzle]
        );
    }
}
