//! Reads pencilmarks from a line, and from grids of candidates as people and programs show them.

use gridmill_core::grid::{CELLS, DigitSet, Pencilmarks};

use crate::text::reader::cells_of;
use crate::text::{Fault, FaultKind, FoundPuzzle, PuzzleReader};

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
    use crate::text::{Batch, Format, LineFormat};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn marks() -> Pencilmarks {
        Pencilmarks::from(&LINE.parse::<Puzzle>().unwrap())
    }

    fn found(line: &str) -> Result<(Pencilmarks, usize), (FaultKind, u32)> {
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
            (line[..728].to_owned(), FaultKind::MarkCount(728), 728),
            (format!("{line}."), FaultKind::MarkCount(730), 729),
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
