//! Reads a classic puzzle from a line of text.

use gridmill_core::grid::{CELLS, Puzzle, Shape};

use crate::text::alphabet::CellTable;
use crate::text::reader::any_shape::other_size;
use crate::text::reader::is_separator;
use crate::text::{Fault, FaultKind, FoundPuzzle, PuzzleReader, is_skipped};

const SIDE: usize = 9;

static SYMBOLS: CellTable = CellTable::new(b"123456789");

/// CellTable for 81 characters in a row, where a space may be a blank.
static SYMBOLS_OF_RUN: CellTable = CellTable::new(b"123456789").with_blank(b' ');

/// Reads a byte as a cell. A space is not a cell.
pub(in crate::text) fn cell(byte: u8) -> Option<u8> {
    SYMBOLS.cell(byte)
}

/// Reads classic puzzles, like [`read_puzzle`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassicReader;

impl PuzzleReader for ClassicReader {
    type Puzzle = Puzzle;

    #[inline]
    fn read(&self, text: &[u8]) -> Result<FoundPuzzle<Puzzle>, Fault> {
        let mut puzzle = Puzzle::EMPTY;
        if text.try_into().is_ok_and(|text| puzzle.read_plain(text)) {
            return Ok(FoundPuzzle::adjacent(puzzle, 0..CELLS));
        }
        find_puzzle(text).map_err(|fault| other_size(text, Shape::CLASSIC, &[]).unwrap_or(fault))
    }

    /// Appends the puzzle of a line of 81 digits and dots, without a search for the end of the line.
    #[inline]
    fn push_plain(&self, text: &[u8], puzzles: &mut Vec<Puzzle>) -> Option<usize> {
        let cells = plain_line(text)?;
        // Read in place, because 81 bytes on the stack would be copied twice.
        puzzles.push(Puzzle::EMPTY);
        if puzzles.last_mut().is_some_and(|puzzle| puzzle.read_plain(cells)) {
            return Some(CELLS);
        }
        puzzles.pop();
        None
    }

    /// Returns whether a line is a record. 81 spaces are one, the empty puzzle.
    #[inline]
    fn is_record(&self, line: &[u8]) -> bool {
        !is_skipped(line) || line == [b' '; CELLS]
    }
}

/// Takes the first 81 bytes of a text, if a line feed follows them. They may be a plain puzzle.
#[inline]
pub(super) fn plain_line(text: &[u8]) -> Option<&[u8; CELLS]> {
    let (cells, rest) = text.split_first_chunk()?;
    (rest.first() == Some(&b'\n')).then_some(cells)
}

/// Reads a puzzle from a line without its line end. Offsets in the fault count from the start of the line.
///
/// It tries, in this order: 81 numbers separated by white space; nine groups of nine; 81 characters from
/// the start of the line; 81 characters after white space.
pub(in crate::text) fn find_puzzle(line: &[u8]) -> Result<FoundPuzzle<Puzzle>, Fault> {
    let indent = line.len() - line.trim_ascii_start().len();
    let apart = |puzzle| FoundPuzzle::in_line(puzzle, indent, line);
    if is_list(line) {
        return read_list(line).map(apart);
    }
    if let Some(puzzle) = read_groups(line) {
        return Ok(apart(puzzle));
    }
    let attempt = read_run(line, 0);
    if indent > 0 && attempt.is_err() {
        return read_run(line, indent);
    }
    attempt
}

/// Returns whether the line begins with separate single cells, and not with 81 characters where spaces are
/// blanks. It is a list if it also contains a different kind of blank, or if it has more cells than such a
/// puzzle could have.
fn is_list(line: &[u8]) -> bool {
    // Fast exit for nearly all lines.
    if !line.trim_ascii_start().get(1).is_some_and(u8::is_ascii_whitespace) {
        return false;
    }
    let reach = &line[..line.len().min(CELLS)];
    single_cells(reach).any(|cell| cell == 0) || single_cells(line).count() > CELLS.div_ceil(2)
}

/// The cells at the front of a line that have white space around them.
fn single_cells(line: &[u8]) -> impl Iterator<Item = u8> {
    words(line).map_while(|word| if let [byte] = word { cell(*byte) } else { None })
}

/// Iterates over the words of a line: what stands between white space.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Reads 81 single cells separated by white space, perhaps with a remark.
fn read_list(line: &[u8]) -> Result<Puzzle, Fault> {
    let skip_gap = |at: usize| line.len() - line[at..].trim_ascii_start().len();
    let mut cells = [0; CELLS];
    let mut at = 0;
    for found in 0..CELLS {
        let start = skip_gap(at);
        // Two adjacent cells end the list.
        let place = if found > 0 && start == at { None } else { line.get(start) };
        cells[found] =
            place.and_then(|&byte| cell(byte)).ok_or_else(|| fault_after_cells(line, start, found))?;
        at = start + 1;
    }
    let text = skip_gap(at);
    let tab_apart = line[at..text].contains(&b'\t') && !line[..at].contains(&b'\t');
    let is_remark = match line.get(text) {
        None | Some(b',' | b';') => true,
        Some(&byte) => tab_apart || (text > at && cell(byte).is_none()),
    };
    let too_many = Fault::new(FaultKind::TextAfterCells(81), text);
    Puzzle::from_cells(cells).filter(|_| is_remark).ok_or(too_many)
}

/// Reads nine groups of nine cells separated by white space.
fn read_groups(line: &[u8]) -> Option<Puzzle> {
    let groups = words(line);
    if groups.clone().any(|group| group.len() != SIDE) || groups.clone().count() != SIDE {
        return None;
    }
    let mut cells = [0; CELLS];
    for (value, &byte) in cells.iter_mut().zip(groups.flatten()) {
        *value = cell(byte)?;
    }
    Puzzle::from_cells(cells)
}

/// Reads 81 characters, perhaps with a remark.
fn read_run(line: &[u8], start: usize) -> Result<FoundPuzzle<Puzzle>, Fault> {
    let text = &line[start..];
    let found = run_length(text);
    if found < CELLS {
        return Err(fault_after_cells(line, start + found, found));
    }
    let is_remark = text.get(CELLS).is_none_or(is_separator);
    let cells = std::array::from_fn(|i| SYMBOLS_OF_RUN.0[text[i] as usize]);
    let puzzle = Puzzle::from_cells(cells).filter(|_| is_remark);
    let too_many = Fault::new(FaultKind::TextAfterCells(81), start + CELLS);
    puzzle.map(|puzzle| FoundPuzzle::adjacent(puzzle, start..start + CELLS)).ok_or(too_many)
}

/// Counts how many of the first 81 characters are cells.
///
/// A space is a blank, unless another kind of blank occurs, or all spaces come after the last digit with a
/// remark after them.
fn run_length(text: &[u8]) -> usize {
    let len = text.iter().take(CELLS).take_while(|&&byte| SYMBOLS_OF_RUN.cell(byte).is_some()).count();
    let run = &text[..len];
    let Some(space) = memchr::memchr(b' ', run) else { return len };
    let other_blank = run.iter().any(|&byte| cell(byte) == Some(0));
    let before_remark = text.len() > CELLS && !run.trim_ascii_end().contains(&b' ');
    if other_blank || before_remark { space } else { len }
}

/// Finds the fault of a line with only `found` cells, by what comes after them.
fn fault_after_cells(line: &[u8], offset: usize, found: usize) -> Fault {
    let kind = match line.get(offset) {
        Some(byte) if !is_separator(byte) && cell(*byte).is_none() => FaultKind::foreign(&line[offset..]),
        _ => FaultKind::CellCount { found: found as u32, needed: 81 },
    };
    Fault::new(kind, offset)
}

/// Reads a classic puzzle from a line of text.
///
/// Cells are 81 characters in reading order: `1` to `9`, and `0 . X x * _ - ?` for a blank, or a space if
/// none of these occurs. After them, a space, comma, semicolon or tab begins a remark. You can also write
/// 81 numbers, or nine groups of nine, separated by white space. A remark after numbers begins with a
/// comma, a semicolon or a tab, or with a character that can't be a cell.
///
/// # Errors
///
/// The fault of the text; its offset counts bytes from the start of the text.
///
/// ```
/// use gridmill_data::text::{read_puzzle, FaultKind};
///
/// let line = "53  7    6  195    98    6 8   6   34  8 3  17   2   6 6    28    419  5    8  79 ; a classic";
/// assert_eq!(read_puzzle(line.as_bytes()).unwrap().clue_count(), 30);
///
/// let fault = read_puzzle(b"53..7.a..").unwrap_err();
/// assert_eq!((fault.kind, fault.offset), (FaultKind::Foreign('a'), 6));
/// ```
pub fn read_puzzle(line: &[u8]) -> Result<Puzzle, Fault> {
    find_puzzle(line).map(|found| found.puzzle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    trait Read {
        fn read(&self) -> Result<Puzzle, Fault>;
    }

    impl Read for str {
        fn read(&self) -> Result<Puzzle, Fault> {
            read_puzzle(self.as_bytes())
        }
    }

    fn puzzle() -> Puzzle {
        LINE.read().unwrap()
    }

    fn fault(line: &str) -> (FaultKind, u32) {
        let fault = read_puzzle(line.as_bytes()).unwrap_err();
        (fault.kind, fault.offset)
    }

    #[test]
    fn every_blank_is_read() {
        for blank in "0.Xx*_-? ".chars() {
            let line = LINE.replace('.', &blank.to_string());
            assert_eq!(read_puzzle(line.as_bytes()), Ok(puzzle()), "{blank:?}");
        }
    }

    #[test]
    fn plain_reading_agrees_for_every_byte() {
        for byte in 0..=255 {
            let mut text: [u8; CELLS] = LINE.as_bytes().try_into().unwrap();
            text[40] = byte;
            let general = read_run(&text, 0).ok().map(|found| found.puzzle);
            let expected = general.filter(|_| byte == b'.' || byte.is_ascii_digit());
            let mut plain = Puzzle::EMPTY;
            assert_eq!(plain.read_plain(&text).then_some(plain), expected, "{byte}");
        }
    }

    #[test]
    fn remarks_need_a_separator() {
        for separator in [" ", ",", ";", "\t"] {
            assert_eq!(format!("{LINE}{separator}rated 1.2").read(), Ok(puzzle()));
        }
        assert_eq!(fault(&format!("{LINE}!")), (FaultKind::TextAfterCells(81), 81));
        assert_eq!(fault(&format!("{LINE}5")), (FaultKind::TextAfterCells(81), 81));
    }

    #[test]
    fn white_space_may_separate_cells() {
        let spaced: Vec<String> = LINE.chars().map(|c| c.to_string()).collect();
        assert_eq!(spaced.join(" ").read(), Ok(puzzle()));
        assert_eq!(spaced.join("  ").replace('.', "0").read(), Ok(puzzle()));
        let rows: Vec<&str> = LINE.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect();
        assert_eq!(rows.join(" ").read(), Ok(puzzle()));
        assert_eq!(format!("  {LINE}").read(), Ok(puzzle()));
    }

    /// A solved grid. It has no blanks, so nothing shows whether a space is a blank or a separator.
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    fn spaced(cells: &str, separator: &str) -> String {
        cells.chars().map(|cell| cell.to_string()).collect::<Vec<_>>().join(separator)
    }

    #[test]
    fn a_list_has_81_numbers() {
        for line in [LINE, &LINE.replace('.', "0"), SOLVED] {
            let puzzle: Puzzle = line.read().unwrap();
            for separator in [" ", "  ", "\t", " \t "] {
                let step = 1 + separator.len() as u32;
                assert_eq!(spaced(line, separator).read(), Ok(puzzle));
                let few = (FaultKind::CellCount { found: 80, needed: 81 }, 79 * step + 1);
                assert_eq!(fault(&spaced(&line[..80], separator)), few);
                assert_eq!(fault(&(spaced(&line[..80], separator) + ";1")), few);
                let more = spaced(&format!("{line}1"), separator);
                assert_eq!(fault(&more), (FaultKind::TextAfterCells(81), 81 * step));
                let foreign = spaced(&line.replacen(&line[70..], "a", 1), separator);
                assert_eq!(fault(&foreign), (FaultKind::Foreign('a'), 70 * step));
            }
        }
        let run_together = spaced(LINE, " ").replacen(". 7 .", ". 7.", 1);
        assert_eq!(fault(&run_together), (FaultKind::CellCount { found: 5, needed: 81 }, 9));
        assert_eq!(fault("5 3 0 0 7"), (FaultKind::CellCount { found: 5, needed: 81 }, 9));
        assert_eq!(fault("5 3 0 a 7"), (FaultKind::Foreign('a'), 6));
    }

    #[test]
    fn remarks_may_follow_a_list() {
        let list = spaced(LINE, " ");
        for remark in [",5", ";", " ; 5", "\t5", " (hard)", " rated 1.2", "  "] {
            assert_eq!(format!("{list}{remark}").read(), Ok(puzzle()), "{remark:?}");
        }
        assert_eq!(fault(&format!("{list} 5 stars")), (FaultKind::TextAfterCells(81), 162));
        assert_eq!(fault(&format!("{list}!")), (FaultKind::TextAfterCells(81), 161));
        assert_eq!(fault(&format!("{}\t5", list.replace(' ', "\t"))), (FaultKind::TextAfterCells(81), 162));
    }

    #[test]
    fn groups_are_nine_of_nine() {
        let groups = |cells: &str| -> Vec<String> {
            cells.as_bytes().chunks(9).map(|group| String::from_utf8_lossy(group).into_owned()).collect()
        };
        for line in [LINE, SOLVED] {
            let groups = groups(line);
            assert_eq!(groups.join(" ").read(), line.read());
            assert!(groups[1..].join(" ").read().is_err());
            assert!(format!("{} {}", groups.join(" "), groups[0]).read().is_err());
            assert!(format!("{} remarked!", groups.join(" ")).read().is_err());
        }
    }

    #[test]
    fn a_space_is_a_blank_if_there_is_no_other_blank() {
        let with_spaces = LINE.replace('.', " ");
        for remark in ["", " easy", "  1", ";x", " 1 easy"] {
            assert_eq!(format!("{with_spaces}{remark}").read(), Ok(puzzle()), "{remark:?}");
        }
        // No two clues are adjacent, so this looks like a list of numbers that is too short.
        let checkered: String = (0..81).map(|i| if i % 2 == 0 { &SOLVED[i..=i] } else { " " }).collect();
        for line in [checkered.clone(), checkered.replace(['5', '3', '7'], " ")] {
            let clues = line.bytes().filter(u8::is_ascii_digit).count();
            assert_eq!(line.read().map(|puzzle| puzzle.clue_count()), Ok(clues));
            assert_eq!(format!("{line} easy").read(), line.read());
        }
        for line in [LINE, SOLVED] {
            let few = format!("{}  a remark", &line[..80]);
            assert_eq!(fault(&few), (FaultKind::CellCount { found: 80, needed: 81 }, 80));
        }
        let mixed = LINE.replacen("..", ". ", 1);
        assert_eq!(fault(&mixed), (FaultKind::CellCount { found: 3, needed: 81 }, 3));
    }

    #[test]
    fn faults_name_their_place() {
        assert_eq!(fault(&LINE[..80]), (FaultKind::CellCount { found: 80, needed: 81 }, 80));
        assert_eq!(
            fault(&format!("{},x", &LINE[..50])),
            (FaultKind::CellCount { found: 50, needed: 81 }, 50)
        );
        assert_eq!(fault(&LINE.replacen("53..", "53.é", 1)), (FaultKind::Foreign('é'), 3));
        assert_eq!(fault(&LINE.replacen("53..", "53.\0", 1)), (FaultKind::Foreign('\0'), 3));
        assert_eq!(read_puzzle(b"12\xff").unwrap_err().kind, FaultKind::NotUtf8(0xff));
    }
}
