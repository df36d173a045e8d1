//! Reads puzzles as other programs write them: lines of HoDoKu libraries (a technique, a grid, candidates)
//! and of puzzle banks; and pencilmarks, from a line and from grids of candidates.

use std::marker::PhantomData;
use std::sync::Arc;

use gridmill_core::grid::{CELLS, DigitSet, Pencilmarks, Puzzle, Shape};

use super::classic::cell;
use crate::text::reader::cells_of;
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

const SIDE: usize = 9;

/// The number of characters in a line.
const MARKS: usize = CELLS * SIDE;

/// Reads pencilmarks of 729 characters. Each cell has nine places, with a digit in its place, or `.` or `0`
/// if the digit is eliminated. Remarks may follow, like after 81 characters. 729 characters can't be a grid
/// of 27x27, because the largest side is 25.
#[derive(Clone, Copy, Debug, Default)]
pub struct PencilmarkReader;

impl PuzzleReader for PencilmarkReader {
    type Puzzle = Pencilmarks;

    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<Pencilmarks>, Fault> {
        let (start, marks) = cells_of(text);
        let mut candidates = [DigitSet::EMPTY; CELLS];
        let mut is_good = marks.len() == MARKS;
        for (digits, places) in candidates.iter_mut().zip(marks.as_chunks().0) {
            is_good &= read_cell(places).map(|read| *digits = read).is_some();
        }
        match is_good {
            true => Ok(FoundPuzzle::in_line(Pencilmarks::new(candidates), start, text)),
            false => Err(fault_in(marks, start)),
        }
    }
}

/// Returns whether a line has as many characters as pencilmarks, and all of them are digits or blanks.
pub(in crate::text) fn looks_like_marks(line: &[u8]) -> bool {
    let (_, text) = cells_of(line);
    text.len() == MARKS && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Reads the digits of nine places; `None` if there is anything else.
#[inline]
fn read_cell(places: &[u8; SIDE]) -> Option<DigitSet> {
    let (mut digits, mut foreign) = (0, false);
    // Branchless, so that the compiler makes vector code.
    for (place, &mark) in places.iter().enumerate() {
        let holds = mark == b'1' + place as u8;
        digits |= u32::from(holds) << place;
        foreign |= !holds & (mark != b'.') & (mark != b'0');
    }
    (!foreign).then_some(DigitSet::from_mask(digits))
}

/// Finds the fault of a text that is not pencilmarks: its first wrong character, or its length.
fn fault_in(text: &[u8], start: usize) -> Fault {
    let expected = |at: usize| (at % SIDE + 1) as u8;
    let is_foreign =
        |&(at, &mark): &(usize, &u8)| mark != b'0' + expected(at) && !matches!(mark, b'.' | b'0');
    let (kind, at) = match text.iter().enumerate().take(MARKS).find(is_foreign) {
        Some((at, &mark)) if mark.is_ascii_digit() => {
            (FaultKind::OtherMark { found: mark - b'0', expected: expected(at) }, at)
        }
        Some((at, _)) => (FaultKind::foreign(&text[at..]), at),
        None => (FaultKind::MarkCount(text.len() as u32), text.len().min(MARKS)),
    };
    Fault::new(kind, start + at)
}

/// Converts a grid of candidates, with or without frames, to a line of pencilmarks. It accepts what
/// `explain` and other programs show: 81 groups of digits, at least one of them with several; or three
/// lines for each row of cells, where each candidate has its place. `None` for any other text.
pub fn candidate_grid_line(text: &str) -> Option<String> {
    groups(text).or_else(|| blocks(text))
}

/// Converts 81 groups of digits.
fn groups(text: &str) -> Option<String> {
    let is_frame = |group: &&str| group.chars().all(|mark| "+-=*.:'".contains(mark));
    let groups = text.split(|mark: char| mark.is_whitespace() || "|│".contains(mark));
    let groups: Vec<&str> = groups.filter(|group| !is_frame(group)).take(CELLS + 1).collect();
    let has_several = groups.iter().any(|group| group.len() > 1);
    let mut line = String::with_capacity(CELLS * SIDE);
    for group in &groups {
        let digits: Vec<char> = group.chars().collect();
        let is_cell = digits.is_sorted_by(|one, next| one < next);
        if !is_cell || !digits.iter().all(|digit| ('1'..='9').contains(digit)) {
            return None;
        }
        line.extend(('1'..='9').map(|digit| if digits.contains(&digit) { digit } else { '.' }));
    }
    (groups.len() == CELLS && has_several).then_some(line)
}

/// Converts a framed grid with three lines for each row of cells.
fn blocks(text: &str) -> Option<String> {
    let lines: Vec<&[u8]> = text.lines().map(|line| line.trim().as_bytes()).filter(is_of_places).collect();
    if lines.len() != 3 * SIDE {
        return None;
    }
    let mut line = String::with_capacity(CELLS * SIDE);
    for row in lines.chunks(3) {
        for column in 0..SIDE {
            let start = column / 3 * 14 + column % 3 * 4 + 2;
            let places: Vec<u8> = row.iter().flat_map(|line| &line[start..start + 3]).copied().collect();
            line.push_str(&candidates(&places)?);
        }
    }
    Some(line)
}

/// Returns whether a line of a framed grid contains candidates, i.e. is neither frame nor blank.
fn is_of_places(line: &&[u8]) -> bool {
    let has_frame = line.len() == 43 && [0, 14, 28, 42].into_iter().all(|at| line[at] == b'|');
    has_frame && line.iter().any(|byte| !b"| ".contains(byte))
}

/// Reads the candidates of a cell of three by three places. A placed digit is alone in the middle.
fn candidates(places: &[u8]) -> Option<String> {
    let digit = places[4];
    if places.iter().enumerate().all(|(place, &byte)| place == 4 || byte == b' ') {
        let is_digit = (b'1'..=b'9').contains(&digit);
        return is_digit
            .then(|| (b'1'..=b'9').map(|it| char::from(if it == digit { it } else { b'.' })).collect());
    }
    let is_mark = |(&byte, digit): (&u8, u8)| byte == b'.' || byte == digit;
    places.iter().zip(b'1'..).all(is_mark).then(|| places.iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

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
        assert_eq!(read(&long).records[0].fault.unwrap().kind, FaultKind::too_long(MAX_RECORD));
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

    fn marks() -> Pencilmarks {
        Pencilmarks::from(&LINE.parse::<Puzzle>().unwrap())
    }

    fn found_marks(line: &str) -> Result<(Pencilmarks, usize), (FaultKind, u32)> {
        let found = PencilmarkReader.read(line.as_bytes());
        found.map(|found| (found.puzzle, found.first_cell)).map_err(|fault| (fault.kind, fault.offset))
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
            assert_eq!(found_marks(&line), Ok((marks(), lead)), "{line}");
            assert!(looks_like_marks(line.as_bytes()));
        }
        let nothing = found_marks(&".".repeat(729)).unwrap().0;
        assert!(nothing.candidates().iter().all(|digits| digits.is_empty()));
    }

    #[test]
    fn faults_in_pencilmarks_name_their_place() {
        let line = marks().to_string();
        for (line, kind, offset) in [
            (line[1..].to_owned(), FaultKind::OtherMark { found: 5, expected: 4 }, 3),
            (line[..728].to_owned(), FaultKind::MarkCount(728), 728),
            (format!("{line}."), FaultKind::MarkCount(730), 729),
            (line.replacen("123", "133", 1), FaultKind::OtherMark { found: 3, expected: 2 }, 19),
            (line.replacen("123", "1x3", 1), FaultKind::Foreign('x'), 19),
            (format!(" {}", line.replacen("123", "1é3", 1)), FaultKind::Foreign('é'), 20),
            (LINE.to_owned(), FaultKind::OtherMark { found: 5, expected: 1 }, 0),
        ] {
            assert_eq!(found_marks(&line), Err((kind, offset)), "{line}");
        }
    }

    #[test]
    fn every_line_of_pencilmarks_is_a_record() {
        let line = marks().to_string();
        let text = format!("# pencilmarks\n{line}\r\n\nbad\n  {line}");
        let mut batch = Batch::default();
        LineFormat(PencilmarkReader).read(text.as_bytes(), &mut batch);
        assert_eq!((batch.puzzles.len(), batch.records.len()), (2, 3));
        assert_eq!(batch.records[1].fault.map(|fault| fault.kind), Some(FaultKind::Foreign('b')));
        assert_eq!(batch.records[2].first_cell(), text.len() - 729);
    }

    #[test]
    fn groups_of_digits_are_pencilmarks() {
        let cells: Vec<String> =
            (0..81).map(|cell| if cell % 2 == 0 { "7" } else { "129" }.to_owned()).collect();
        let line: String =
            cells.iter().map(|cell| if cell == "7" { "......7.." } else { "12......9" }).collect();
        let rows: Vec<String> = cells.chunks(9).map(|row| row.join(" ")).collect();
        let framed: Vec<String> =
            cells.chunks(3).map(|part| format!("| {} ", part.join("  "))).collect::<Vec<_>>();
        let framed: Vec<String> = framed.chunks(3).map(|row| format!("{}|", row.concat())).collect();
        let border = "+-----+-----+-----+";
        for text in [
            rows.join("\n"),
            cells.join(" "),
            format!("{border}\n{}\n{border}", framed.join("\n")),
            format!(".---.---.\n{}\n'---'---'", framed.join("\n").replace('|', ":")),
        ] {
            assert_eq!(candidate_grid_line(&text).as_ref(), Some(&line), "{text}");
        }
        for text in [rows[1..].join("\n"), cells.join(" ").replace("129", "219"), "5 ".repeat(81)] {
            assert_eq!(candidate_grid_line(&text), None, "{text}");
        }
    }

    #[test]
    fn places_of_candidates_are_pencilmarks() {
        let frame = format!("+{0}+{0}+{0}+", "-".repeat(13));
        let row = |places: [&str; 2]| {
            let stacks = [places[0], places[1], places[1]].join(" ");
            let others = [places[1]; 3].join(" ");
            format!("| {stacks} | {others} | {others} |\n")
        };
        let first = [row(["   ", "1.3"]), row([" 5 ", ".5."]), row(["   ", "..9"])].concat();
        let blank = format!("|{0}|{0}|{0}|\n", " ".repeat(13));
        let band = format!("{frame}\n{}\n", [&first[..], &first, &first].join(&blank));
        let text = format!("{}{frame}\n", band.repeat(3));
        let rows = format!("....5....{}", "1.3.5...9".repeat(8));
        assert_eq!(candidate_grid_line(&text), Some(rows.repeat(9)), "{text}");
        assert_eq!(candidate_grid_line(&text.replace(".5.", ".6.")), None);
        assert_eq!(candidate_grid_line(&text.replace(" 5 ", "   ")), None);
        assert_eq!(candidate_grid_line(&text[frame.len() * 3..]), None);
    }
}
