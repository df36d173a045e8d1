//! One puzzle of any shape a line.

use std::collections::BTreeMap;

use super::alphabet::Evidence;
use super::{Alphabet, Fault, FaultKind, MAX_RECORD, is_skipped, read_puzzle};
use crate::error::ErrorKind;
use crate::grid::{CELLS, Grid, Shape};

/// The shapes that lines are taken for by their length: the usual boxes of each side.
const USUAL: [(usize, usize); 10] =
    [(2, 2), (2, 3), (2, 4), (3, 3), (2, 5), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)];

/// How lines are read: one shape for all or each by its length, and an alphabet for each side.
///
/// Sides up to 9 are written in digits. The alphabet of a larger side is given, or proved by the lines.
///
/// ```
/// use gridmill::text::GridLines;
///
/// let lines = GridLines::new(None, Vec::new());
/// let read = lines.read(b"1.....3..4.....2 # a remark").unwrap();
/// assert_eq!((read.grid.shape().to_string(), read.grid.clue_count()), ("2x2".to_owned(), 4));
/// assert_eq!(read.text, b"1.....3..4.....2");
/// ```
#[derive(Clone, Debug)]
pub struct GridLines {
    shape: Option<Shape>,
    given: Vec<Alphabet>,
    alphabets: BTreeMap<usize, Alphabet>,
}

/// A puzzle that was read.
#[derive(Clone, Debug)]
pub struct GridLine<'a> {
    /// The puzzle.
    pub grid: Grid,
    /// The text of its cells, white space and remark left out.
    pub text: &'a [u8],
    /// What its digits are written in.
    pub alphabet: &'a Alphabet,
}

/// The alphabets among which a user must choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// The alphabets.
    pub alphabets: Vec<Alphabet>,
    /// Can the lines be read in them?
    pub fit: bool,
}

/// The evidence for an alphabet of each side above 9, gathered line by line.
#[derive(Clone, Debug)]
pub struct Survey {
    lines: GridLines,
    evidence: BTreeMap<usize, Evidence>,
}

impl GridLines {
    /// Lines of that shape, or of any if there is none. An alphabet is for the side that has as many
    /// digits.
    #[must_use]
    pub fn new(shape: Option<Shape>, given: Vec<Alphabet>) -> GridLines {
        let mut alphabets: BTreeMap<_, _> = (4..=9).map(|side| (side, Alphabet::digits(side))).collect();
        alphabets.extend(given.iter().map(|alphabet| (alphabet.side(), alphabet.clone())));
        GridLines { shape, given, alphabets }
    }

    /// Is there nothing left to be proved, whatever the lines are?
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.shape.is_some_and(|shape| self.alphabets.contains_key(&shape.side()))
    }

    /// Reads a line without its line end. The offset in a fault counts from the line's start.
    ///
    /// # Errors
    ///
    /// What is wrong with the line.
    pub fn read<'a>(&'a self, line: &'a [u8]) -> Result<GridLine<'a>, Fault> {
        if line.len() > MAX_RECORD {
            return Err(Fault { kind: FaultKind::RecordTooLong, offset: 0 });
        }
        let (start, text) = cells_of(line);
        let length = characters(text);
        if self.is_classic(length) {
            match read_puzzle(line) {
                Ok(puzzle) => return Ok(self.classic(puzzle.into(), line, text)),
                Err(fault) if length == CELLS || self.shape.is_some() => return Err(fault),
                Err(_) => {}
            }
        }
        let shape = self.shape_of(length).map_err(|kind| fault(kind, start + text.len()))?;
        let unknown = fault(FaultKind::NoAlphabet { side: shape.side() as u8 }, start);
        let alphabet = self.alphabets.get(&shape.side()).ok_or(unknown)?;
        let cells = text.iter().enumerate().map(|(index, &byte)| {
            let foreign = || fault(FaultKind::foreign(&text[index..]), start + index);
            alphabet.cell(byte).ok_or_else(foreign)
        });
        let cells = cells.collect::<Result<Vec<u8>, Fault>>()?;
        let grid = Grid::new(shape, cells).expect("as many cells as the shape has, from its alphabet");
        Ok(GridLine { grid, text, alphabet })
    }

    /// May the line be what [`read_puzzle`] reads, which knows more forms than 81 characters? Not if
    /// another alphabet was given for them.
    fn is_classic(&self, length: usize) -> bool {
        let other_length =
            length != CELLS && USUAL.iter().any(|&(rows, columns)| length == (rows * columns).pow(2));
        let given = self.given.iter().any(|alphabet| alphabet.side() == 9);
        !given && self.shape.map_or(!other_length, |shape| shape == Shape::CLASSIC)
    }

    fn classic<'a>(&'a self, grid: Grid, line: &'a [u8], text: &'a [u8]) -> GridLine<'a> {
        let text = if text.len() == CELLS { text } else { line };
        GridLine { grid, text, alphabet: &self.alphabets[&9] }
    }

    fn shape_of(&self, length: usize) -> Result<Shape, FaultKind> {
        match self.shape {
            Some(shape) if shape.cells() == length => Ok(shape),
            Some(shape) => Err(FaultKind::WrongLength { found: length as u32, needed: shape.cells() as u32 }),
            None => usual(length).ok_or(FaultKind::NoShape { found: length as u32 }),
        }
    }

    /// Begins a survey of lines, to find out their alphabets.
    #[must_use]
    pub fn survey(self) -> Survey {
        Survey { lines: self, evidence: BTreeMap::new() }
    }
}

impl Survey {
    /// Takes a line into account.
    pub fn add(&mut self, line: &[u8]) {
        if is_skipped(line) || line.len() > MAX_RECORD {
            return;
        }
        let (_, text) = cells_of(line);
        let Ok(shape) = self.lines.shape_of(text.len()) else { return };
        if !self.lines.alphabets.contains_key(&shape.side()) {
            let none = || Evidence::none(shape.side());
            self.evidence.entry(shape.side()).or_insert_with(none).add(text);
        }
    }

    /// The lines with the alphabets that were proved.
    ///
    /// # Errors
    ///
    /// Where there are lines of a side whose alphabet the characters leave open.
    pub fn conclude(self) -> Result<GridLines, ErrorKind> {
        let Survey { mut lines, evidence } = self;
        for (side, evidence) in evidence {
            let proved = evidence.conclude();
            let proved = proved.map_err(|alternatives| ErrorKind::NoAlphabet { side, alternatives })?;
            lines.alphabets.insert(side, proved);
        }
        Ok(lines)
    }
}

fn fault(kind: FaultKind, offset: usize) -> Fault {
    Fault { kind, offset: offset as u32 }
}

fn usual(cells: usize) -> Option<Shape> {
    USUAL.iter().filter_map(|&(rows, columns)| Shape::new(rows, columns)).find(|shape| shape.cells() == cells)
}

/// What stands before the first separator, white space at the start apart, and where it begins.
fn cells_of(line: &[u8]) -> (usize, &[u8]) {
    let text = line.trim_ascii_start();
    let end = text.iter().position(|byte| matches!(byte, b' ' | b',' | b';' | b'\t'));
    (line.len() - text.len(), &text[..end.unwrap_or(text.len())])
}

/// Characters of UTF-8: its bytes, those apart that go on with one.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(length: usize) -> Option<String> {
        let line = ".".repeat(length);
        let given = ["A-J", "A-L", "A-O", "A-P", "A-T", "A-Y"].map(|name| name.parse().unwrap()).to_vec();
        let lines = GridLines::new(None, given);
        lines.read(line.as_bytes()).ok().map(|read| read.grid.shape().to_string())
    }

    #[test]
    fn shapes_by_length() {
        let shapes = [16, 36, 64, 81, 100, 144, 225, 256, 400, 625].map(|length| shape(length).unwrap());
        assert_eq!(shapes, ["2x2", "2x3", "2x4", "3x3", "2x5", "3x4", "3x5", "4x4", "4x5", "5x5"]);
        assert_eq!(shape(49), None);
    }

    #[test]
    fn a_shape_for_all() {
        let lines = GridLines::new(Some("3x2".parse().unwrap()), Vec::new());
        assert!(lines.is_settled());
        assert_eq!(lines.read(&[b'6'; 36]).unwrap().grid.shape().box_rows(), 3);
        let fault = lines.read(&[b'.'; 16]).unwrap_err();
        assert_eq!((fault.kind, fault.offset), (FaultKind::WrongLength { found: 16, needed: 36 }, 16));
    }

    #[test]
    fn faults_have_their_place() {
        let lines = GridLines::new(None, Vec::new());
        let fault = |line: &str| lines.read(line.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(fault(" 12345..........."), Fault { kind: FaultKind::Foreign('5'), offset: 5 });
        assert_eq!(fault("12é............."), Fault { kind: FaultKind::Foreign('é'), offset: 2 });
        assert_eq!(fault("12.. a").kind, FaultKind::NoShape { found: 4 });
        assert_eq!(fault(&".".repeat(256)).kind, FaultKind::NoAlphabet { side: 16 });
    }
}
