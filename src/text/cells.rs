//! The characters of a cell, and a puzzle in a line of 81 of them.

use std::fmt;
use std::str::FromStr;

use super::{Fault, FaultKind};
use crate::grid::{CELLS, Puzzle};

/// What a byte means as a cell: 0 to 9, or one of the two marks below.
static CELL: [u8; 256] = {
    let mut cell = [FOREIGN; 256];
    let mut digit = 0;
    while digit <= 9 {
        cell[b'0' as usize + digit] = digit as u8;
        digit += 1;
    }
    let blanks = b".Xx*_-?";
    let mut i = 0;
    while i < blanks.len() {
        cell[blanks[i] as usize] = 0;
        i += 1;
    }
    cell[b' ' as usize] = SPACE;
    cell
};

/// A blank in a line of 81 characters, a gap elsewhere.
const SPACE: u8 = 0x40;
/// No cell.
const FOREIGN: u8 = 0x80;

/// The cell that a byte stands for, spaces not counted.
pub(super) fn cell(byte: u8) -> Option<u8> {
    Some(CELL[byte as usize]).filter(|&cell| cell <= 9)
}

/// Reads 81 bytes of digits and dots, the form of nearly all files. `None` if there is any other byte.
#[inline]
pub(super) fn read_plain(text: &[u8; CELLS]) -> Option<[u8; CELLS]> {
    let mut cells = [0; CELLS];
    let mut foreign = false;
    // Branchless, so that it becomes vector code.
    for (cell, &byte) in cells.iter_mut().zip(text) {
        let value = byte.wrapping_sub(b'0');
        let digit = value <= 9;
        *cell = if digit { value } else { 0 };
        foreign |= !digit & (byte != b'.');
    }
    (!foreign).then_some(cells)
}

/// A puzzle read from a line, and where its cells stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) puzzle: Puzzle,
    /// Where the 81 characters begin; `None` if white space stands between them.
    pub(super) start: Option<usize>,
}

/// Reads a puzzle from a line without its line end. Offsets in the fault count from the line's start.
///
/// In this order: 81 numbers or nine groups of nine, set apart by white space; 81 characters from the
/// start of the line, a space being a blank; 81 characters behind white space.
pub(super) fn find_puzzle(line: &[u8]) -> Result<Found, Fault> {
    let indent = line.len() - line.trim_ascii_start().len();
    if let Some(puzzle) = read_list(line) {
        return Ok(Found { puzzle, start: None });
    }
    let attempt = read_run(line, 0);
    if indent > 0 && attempt.is_err() {
        return read_run(line, indent);
    }
    attempt
}

fn read_run(line: &[u8], start: usize) -> Result<Found, Fault> {
    let text = &line[start..];
    let cells = text.iter().take(CELLS).take_while(|&&byte| CELL[byte as usize] != FOREIGN).count();
    let fault = |kind| Fault { kind, offset: (start + cells) as u32 };
    let is_separator = |byte: &u8| matches!(byte, b' ' | b',' | b';' | b'\t');
    match text.get(cells) {
        None if cells < CELLS => Err(fault(FaultKind::TooFewCells { found: cells as u32 })),
        Some(byte) if cells < CELLS && is_separator(byte) => {
            Err(fault(FaultKind::TooFewCells { found: cells as u32 }))
        }
        Some(_) if cells < CELLS => Err(fault(FaultKind::foreign(&text[cells..]))),
        Some(byte) if !is_separator(byte) => Err(fault(FaultKind::TooManyCells)),
        _ => {
            let puzzle = collect(text[..CELLS].iter().map(|&byte| CELL[byte as usize] & 0xf));
            Ok(Found { puzzle: puzzle.ok_or(fault(FaultKind::TooManyCells))?, start: Some(start) })
        }
    }
}

/// 81 single cells, or nine groups of nine, with white space between them.
fn read_list(line: &[u8]) -> Option<Puzzle> {
    let mut groups = line.split(u8::is_ascii_whitespace).filter(|group| !group.is_empty());
    let size = groups.clone().next()?.len();
    if (size != 1 && size != 9) || !groups.clone().all(|group| group.len() == size) {
        return None;
    }
    collect(groups.by_ref().flatten().map_while(|&byte| cell(byte)))
}

/// A puzzle of exactly 81 cells.
pub(super) fn collect(cells: impl Iterator<Item = u8>) -> Option<Puzzle> {
    let mut read = [0; CELLS];
    let mut count = 0;
    for cell in cells {
        *read.get_mut(count)? = cell;
        count += 1;
    }
    if count == CELLS { Puzzle::from_cells(read) } else { None }
}

/// Reads a classic puzzle from a line of text.
///
/// Cells are 81 characters in reading order: `1` to `9`, and `0 . X x * _ - ?` or a space for a blank. A
/// space, comma, semicolon or tab after them begins a remark. 81 numbers, or nine groups of nine, with
/// white space between them are read too.
///
/// # Errors
///
/// What is wrong with the text; the offset counts bytes from its start.
///
/// ```
/// use gridmill::text::{read_puzzle, FaultKind};
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

/// A line that is not a puzzle: what is wrong, and in which column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ParsePuzzleError(Fault);

impl fmt::Display for ParsePuzzleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.0.offset + 1, self.0.kind)
    }
}

/// As [`read_puzzle`] reads it.
impl FromStr for Puzzle {
    type Err = ParsePuzzleError;

    fn from_str(line: &str) -> Result<Puzzle, ParsePuzzleError> {
        read_puzzle(line.as_bytes()).map_err(ParsePuzzleError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn puzzle() -> Puzzle {
        LINE.parse().unwrap()
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
            let general = read_run(&text, 0).ok().map(|found| *found.puzzle.cells());
            let expected = general.filter(|_| byte == b'.' || byte.is_ascii_digit());
            assert_eq!(read_plain(&text), expected, "{byte}");
        }
    }

    #[test]
    fn remarks_need_a_separator() {
        for separator in [" ", ",", ";", "\t"] {
            assert_eq!(format!("{LINE}{separator}rated 1.2").parse(), Ok(puzzle()));
        }
        assert_eq!(fault(&format!("{LINE}!")), (FaultKind::TooManyCells, 81));
        assert_eq!(fault(&format!("{LINE}5")), (FaultKind::TooManyCells, 81));
    }

    #[test]
    fn white_space_between_cells() {
        let spaced: Vec<String> = LINE.chars().map(|c| c.to_string()).collect();
        assert_eq!(spaced.join(" ").parse(), Ok(puzzle()));
        assert_eq!(spaced.join("  ").replace('.', "0").parse(), Ok(puzzle()));
        let rows: Vec<&str> = LINE.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect();
        assert_eq!(rows.join(" ").parse(), Ok(puzzle()));
        assert_eq!(format!("  {LINE}").parse(), Ok(puzzle()));
    }

    #[test]
    fn faults_name_their_place() {
        assert_eq!(fault(&LINE[..80]), (FaultKind::TooFewCells { found: 80 }, 80));
        assert_eq!(fault(&format!("{},x", &LINE[..50])), (FaultKind::TooFewCells { found: 50 }, 50));
        assert_eq!(fault(&LINE.replacen("53..", "53.é", 1)), (FaultKind::Foreign('é'), 3));
        assert_eq!(fault(&LINE.replacen("53..", "53.\0", 1)), (FaultKind::Foreign('\0'), 3));
        assert_eq!(read_puzzle(b"12\xff").unwrap_err().kind, FaultKind::NotUtf8(0xff));
        assert_eq!(
            "12a".parse::<Puzzle>().unwrap_err().to_string(),
            "column 3: 'a' is neither digit nor blank"
        );
    }
}
