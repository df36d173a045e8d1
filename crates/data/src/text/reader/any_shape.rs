//! Reads puzzles of any shape from lines: adjacent characters, or cells separated by white space. Also
//! lists the shapes of each side.

use std::collections::BTreeMap;
use std::sync::Arc;

use gridmill_core::grid::{BLANKS, CELLS, Puzzle, Shape};

use crate::text::alphabet::CellTable;
use crate::text::reader::cells_of;
use crate::text::reader::classic::{find_puzzle, plain_line};
use crate::text::{
    Alphabet, Fault, FaultKind, FoundPuzzle, GridPuzzle, MAX_RECORD, PuzzleReader, PuzzleText,
};

/// Reads puzzles of any shape: either one shape for all lines, or each line by its length. There is an
/// alphabet for each side.
///
/// Sides up to 9 are written in digits. The alphabet of a larger side is given, or inferred from the lines.
/// Numbers separated by white space are accepted for every side.
///
/// ```
/// use gridmill_data::text::{AnyShapeReader, PuzzleReader};
///
/// let reader = AnyShapeReader::new(None, Vec::new());
/// let found = reader.read(b"1.....3..4.....2 # a remark").unwrap();
/// let grid = found.puzzle.grid;
/// assert_eq!((grid.shape().to_string(), grid.clue_count()), ("2x2".to_owned(), 4));
/// assert_eq!(found.text, 0..16);
/// ```
#[derive(Clone, Debug)]
pub struct AnyShapeReader {
    /// The shape of all lines, if they have the same.
    only: Option<Shape>,
    /// The shape for lines of its length.
    preferred: Option<Shape>,
    given: Vec<Alphabet>,
    known: BTreeMap<usize, Arc<Alphabet>>,
    numbers: BTreeMap<usize, Arc<Alphabet>>,
}

impl AnyShapeReader {
    /// Makes a reader for that shape, or for any shape if `None`. An alphabet is used for the side that
    /// equals its number of digits.
    #[must_use]
    pub fn new(shape: Option<Shape>, given: Vec<Alphabet>) -> AnyShapeReader {
        let (known, numbers) = (BTreeMap::new(), BTreeMap::new());
        let mut lines = AnyShapeReader { only: shape, preferred: shape, given, known, numbers };
        (4..=9).for_each(|side| lines.learn(Alphabet::digits(side)));
        lines.given.clone().into_iter().for_each(|alphabet| lines.learn(alphabet));
        let sides = 4..=Shape::MAX_SIDE;
        lines.numbers.extend(sides.map(|side| (side, Arc::new(Alphabet::numbers(side)))));
        lines
    }

    /// Makes a reader for all shapes, each line by its length. Lines as long as `preferred` have that
    /// shape.
    #[must_use]
    pub fn mixed(preferred: Option<Shape>, given: Vec<Alphabet>) -> AnyShapeReader {
        AnyShapeReader { only: None, preferred, ..AnyShapeReader::new(None, given) }
    }

    pub(in crate::text) fn learn(&mut self, alphabet: Alphabet) {
        self.known.insert(alphabet.side(), Arc::new(alphabet));
    }

    /// The alphabet for puzzles of that side, if it is known.
    pub(in crate::text) fn alphabet(&self, side: usize) -> Option<&Arc<Alphabet>> {
        self.known.get(&side)
    }

    pub(in crate::text) fn numbers(&self, side: usize) -> &Arc<Alphabet> {
        &self.numbers[&side]
    }

    /// Returns whether no alphabet has to be inferred from the lines.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.only.is_some_and(|shape| self.alphabet(shape.side()).is_some())
    }

    /// Returns whether a line may be for [`read_puzzle`](crate::text::read_puzzle), which reads more forms
    /// than 81 characters. It is not if another alphabet was given for classic puzzles.
    fn is_classic(&self, length: usize) -> bool {
        let other_length = length != CELLS && side_of(length).is_some();
        let given = self.given.iter().any(|alphabet| alphabet.side() == 9);
        !given && self.only.map_or(!other_length, |shape| shape == Shape::CLASSIC)
    }

    fn read_classic(&self, line: &[u8]) -> Result<FoundPuzzle<GridPuzzle>, Fault> {
        let FoundPuzzle { puzzle, first_cell, text, echo } = find_puzzle(line)?;
        Ok(FoundPuzzle { puzzle: self.classic(puzzle), first_cell, text, echo })
    }

    fn classic(&self, puzzle: Puzzle) -> GridPuzzle {
        GridPuzzle { grid: puzzle.into(), alphabet: Arc::clone(&self.known[&9]) }
    }

    fn read_cells(&self, list: &[(usize, &[u8])], line: &[u8]) -> Result<FoundPuzzle<GridPuzzle>, Fault> {
        let shape = self.shape_of(list.len()).map_err(|kind| Fault::new(kind, end_of(list)))?;
        let has_long = list.iter().any(|(_, text)| text.len() > 1);
        let alphabet = match self.known_alphabet(shape, list[0].0) {
            Ok(known) if !has_long => known,
            Err(unknown) if !has_long && !is_of_numbers(list) => return Err(unknown),
            _ => self.numbers(shape.side()),
        };
        let mut cells = [0; MAX_CELLS];
        for (cell, &(at, text)) in cells.iter_mut().zip(list) {
            let read = alphabet.read(text).unwrap_or_else(|| Err(FaultKind::foreign(text)));
            *cell = read.map_err(|kind| Fault::new(kind, at))?;
        }
        Ok(FoundPuzzle::in_line(puzzle_of(shape, &cells, alphabet), list[0].0, line))
    }

    fn known_alphabet(&self, shape: Shape, offset: usize) -> Result<&Arc<Alphabet>, Fault> {
        let unknown = Fault::new(FaultKind::NoAlphabet(shape.side() as u8), offset);
        self.alphabet(shape.side()).ok_or(unknown)
    }

    fn shape_of(&self, length: usize) -> Result<Shape, FaultKind> {
        let found = length as u32;
        if let Some(shape) = self.only {
            return match side_of(length) {
                Some(side) if side == shape.side() => Ok(shape),
                Some(_) => Err(FaultKind::OtherSize { found, shape }),
                None => Err(FaultKind::CellCount { found, needed: shape.cells() as u32 }),
            };
        }
        let side = side_of(length).ok_or(FaultKind::NoShape(found))?;
        let preferred = self.preferred.filter(|shape| shape.side() == side);
        preferred.or_else(|| usual(side)).ok_or(FaultKind::AmbiguousShape(side as u8))
    }

    /// Finds the side of a line that looks like a puzzle, and its cells, a byte each. `None` if that side
    /// is not read.
    pub(in crate::text) fn evidence(&self, line: &[u8]) -> Option<(usize, Vec<u8>)> {
        let cells = match cell_list(line) {
            None => cells_of(line).1.to_vec(),
            Some(list) => {
                let has_letters = list.iter().all(|(_, text)| text.len() == 1) && !is_of_numbers(&list);
                has_letters.then(|| list.into_iter().flat_map(|(_, text)| text).copied().collect())?
            }
        };
        Some((self.shape_of(cells.len()).ok()?.side(), cells))
    }
}

impl PuzzleReader for AnyShapeReader {
    type Puzzle = GridPuzzle;

    fn read(&self, line: &[u8]) -> Result<FoundPuzzle<GridPuzzle>, Fault> {
        let (start, text) = cells_of(line);
        // Counts characters of UTF-8: all bytes except continuation bytes.
        let length = text.iter().filter(|&byte| byte & 0xc0 != 0x80).count();
        if self.is_classic(length) {
            match self.read_classic(line) {
                Err(fault) if length == CELLS || self.only.is_some() => {
                    let other = self.only.and_then(|shape| other_size(line, shape, &self.given));
                    return Err(other.unwrap_or(fault));
                }
                Err(_) => {}
                read => return read,
            }
        }
        if let Some(list) = cell_list(line) {
            return self.read_cells(&list, line);
        }
        let shape = self.shape_of(length).map_err(|kind| Fault::new(kind, start + text.len()))?;
        let alphabet = self.known_alphabet(shape, start)?;
        let mut cells = [0; MAX_CELLS];
        for (index, (cell, &byte)) in cells.iter_mut().zip(text).enumerate() {
            let foreign = || Fault::new(FaultKind::foreign(&text[index..]), start + index);
            *cell = alphabet.cell(byte).ok_or_else(foreign)?;
        }
        let puzzle = puzzle_of(shape, &cells, alphabet);
        Ok(FoundPuzzle::adjacent(puzzle, start..start + text.len()))
    }

    /// Accepts 81 plain cells and a line feed, if puzzles may be classic.
    #[inline]
    fn push_plain(&self, text: &[u8], puzzles: &mut Vec<GridPuzzle>) -> Option<usize> {
        let cells = plain_line(text).filter(|_| self.is_classic(CELLS))?;
        let mut puzzle = Puzzle::EMPTY;
        puzzle.read_plain(cells).then(|| {
            puzzles.push(self.classic(puzzle));
            CELLS
        })
    }
}

/// The number of cells in the largest grid.
pub(in crate::text) const MAX_CELLS: usize = Shape::MAX_SIDE * Shape::MAX_SIDE;

fn puzzle_of(shape: Shape, cells: &[u8; MAX_CELLS], alphabet: &Arc<Alphabet>) -> GridPuzzle {
    let cells = &cells[..shape.cells()];
    GridPuzzle::from_clues(shape, cells, alphabet).expect("cells from the alphabet of the shape")
}

/// The smallest number of cells in a list.
const FEWEST: usize = 4;

/// Finds the cells at the front of a line that are separated by white space, with their offsets; `None` if
/// there are fewer than [`FEWEST`]. A remark begins at a comma, a semicolon, or something that is not a
/// cell.
fn cell_list(line: &[u8]) -> Option<Vec<(usize, &[u8])>> {
    let end = line.iter().position(|byte| matches!(byte, b',' | b';')).unwrap_or(line.len());
    let cells: Vec<_> = spans(&line[..end]).take_while(|(_, text)| is_cell(text)).collect();
    (cells.len() >= FEWEST).then_some(cells)
}

/// Finds the offset after the last cell of a list.
fn end_of(list: &[(usize, &[u8])]) -> usize {
    list.last().map_or(0, |(at, text)| at + text.len())
}

/// Returns whether all cells of a list are numbers or blanks.
fn is_of_numbers(list: &[(usize, &[u8])]) -> bool {
    list.iter().all(|(_, text)| number(text).is_some())
}

/// Reads a number up to the side, 0 for a blank; `None` if the text is not a number.
pub(in crate::text) fn read_number(text: &[u8], side: usize) -> Option<Result<u8, FaultKind>> {
    let number = number(text)?;
    let large = FaultKind::TooLarge { number, side: side as u8 };
    Some(if number as usize <= side { Ok(number as u8) } else { Err(large) })
}

/// Reads a number of one or two digits, 0 for a blank.
fn number(text: &[u8]) -> Option<u32> {
    match text {
        [blank] if BLANKS.contains(blank) => Some(0),
        [_] | [_, _] if text.iter().all(u8::is_ascii_digit) => str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

pub(super) fn is_cell(text: &[u8]) -> bool {
    number(text).is_some() || matches!(text, [byte] if byte.is_ascii_alphanumeric())
}

/// Iterates over the groups between white space or `|`, with their offsets.
pub(in crate::text) fn spans(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let separator = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'|';
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + line[at..].iter().position(|byte| !separator(byte))?;
        at = line[from..].iter().position(separator).map_or(line.len(), |len| from + len);
        Some((from, &line[from..at]))
    })
}

/// Finds the side of the puzzle that a line looks like, and the offset after its cells.
pub(in crate::text) fn find_side(line: &[u8], given: &[Alphabet]) -> Option<(usize, usize)> {
    if line.len() > MAX_RECORD {
        return None;
    }
    if let Some(list) = cell_list(line) {
        let side = side_of(list.len())?;
        let fits = |text: &[u8]| number(text).is_some_and(|number| number as usize <= side);
        let symbols = CellTable::possible(side, given);
        let is_puzzle = list.iter().all(|(_, text)| fits(text))
            || list.iter().all(|(_, text)| text.len() == 1 && symbols.have(text));
        return is_puzzle.then_some((side, end_of(&list)));
    }
    let (start, text) = cells_of(line);
    let side = side_of(text.len())?;
    // It may as well be the rule of a frame.
    let is_rule = matches!(text[0], b'-' | b'*' | b'_') && text.iter().all(|&byte| byte == text[0]);
    (!is_rule && CellTable::possible(side, given).have(text)).then_some((side, start + text.len()))
}

/// Finds the side above 9 of a line of letters and digits, even if no known alphabet fits.
pub(in crate::text) fn side_by_length(line: &[u8]) -> Option<usize> {
    let (_, text) = cells_of(line);
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    side_of(text.len()).filter(|&side| side > 9 && text.iter().all(fits))
}

/// Makes the fault of a line that looks like a puzzle of a different size.
pub(in crate::text) fn other_size(line: &[u8], shape: Shape, given: &[Alphabet]) -> Option<Fault> {
    let (side, end) = find_side(line, given).filter(|&(side, _)| side != shape.side())?;
    let kind = FaultKind::OtherSize { found: (side * side) as u32, shape };
    Some(Fault::new(kind, end))
}

/// The usual boxes of each side: as wide as high, or wider.
const USUAL: [(usize, usize); 10] =
    [(2, 2), (2, 3), (2, 4), (3, 3), (2, 5), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)];

/// Returns the side of a grid with this number of cells, if there is a shape of that side.
fn side_of(cells: usize) -> Option<usize> {
    (4..=Shape::MAX_SIDE).find(|&side| side * side == cells && shapes(side).next().is_some())
}

/// Returns the shape that a side usually has.
pub fn usual(side: usize) -> Option<Shape> {
    USUAL.iter().filter_map(|&(rows, columns)| Shape::new(rows, columns)).find(|shape| shape.side() == side)
}

/// Iterates over all shapes of a side.
pub(in crate::text) fn shapes(side: usize) -> impl Iterator<Item = Shape> {
    let rows = (2..=side / 2).filter(move |rows| side.is_multiple_of(*rows));
    rows.filter_map(move |rows| Shape::new(rows, side / rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fault::alternatives;

    fn shape(length: usize) -> Option<String> {
        let line = ".".repeat(length);
        let given = ["A-J", "A-L", "A-O", "A-P", "A-T", "A-Y"].map(|name| name.parse().unwrap()).to_vec();
        let lines = AnyShapeReader::new(None, given);
        lines.read(line.as_bytes()).ok().map(|read| read.puzzle.grid.shape().to_string())
    }

    #[test]
    fn lengths_decide_the_shape() {
        let shapes = [16, 36, 64, 81, 100, 144, 225, 256, 400, 625].map(|length| shape(length).unwrap());
        assert_eq!(shapes, ["2x2", "2x3", "2x4", "3x3", "2x5", "3x4", "3x5", "4x4", "4x5", "5x5"]);
        assert_eq!(shape(49), None);
    }

    #[test]
    fn a_given_shape_holds_for_all() {
        let lines = AnyShapeReader::new(Some("3x2".parse().unwrap()), Vec::new());
        assert!(lines.is_settled());
        assert_eq!(lines.read(&[b'6'; 36]).unwrap().puzzle.grid.shape().box_rows(), 3);
        let fault = lines.read(&[b'.'; 16]).unwrap_err();
        assert_eq!(
            (fault.kind, fault.offset),
            (FaultKind::OtherSize { found: 16, shape: "3x2".parse().unwrap() }, 16)
        );
    }

    #[test]
    fn plain_classic_lines_are_read_alike_in_both_ways() {
        let line = b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..500008..79\n";
        let push = |reader: &AnyShapeReader| {
            let mut puzzles = Vec::new();
            (reader.push_plain(line, &mut puzzles), puzzles.pop().map(|puzzle: GridPuzzle| puzzle.grid))
        };
        let reader = AnyShapeReader::new(None, Vec::new());
        let read = reader.read(&line[..CELLS]).unwrap();
        assert_eq!((read.text, push(&reader)), (0..CELLS, (Some(CELLS), Some(read.puzzle.grid))));
        // Another alphabet, or another shape, was given for them.
        let given = AnyShapeReader::new(None, vec!["A-I".parse().unwrap()]);
        let other = AnyShapeReader::new(Some("2x3".parse().unwrap()), Vec::new());
        assert_eq!((push(&given), push(&other)), ((None, None), (None, None)));
    }

    #[test]
    fn faults_have_their_place() {
        let lines = AnyShapeReader::new(None, Vec::new());
        let fault = |line: &str| lines.read(line.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(fault(" 12345..........."), Fault { kind: FaultKind::Foreign('5'), offset: 5 });
        assert_eq!(fault("12é............."), Fault { kind: FaultKind::Foreign('é'), offset: 2 });
        assert_eq!(fault("12.. a").kind, FaultKind::NoShape(4));
        assert_eq!(fault(&".".repeat(256)).kind, FaultKind::NoAlphabet(16));
    }

    #[test]
    fn lists_of_numbers_are_read() {
        let lines = AnyShapeReader::new(None, Vec::new());
        let mut numbers = vec!["0"; 256];
        (numbers[0], numbers[255]) = ("16", "3");
        let line = numbers.join(" ") + " ; a remark";
        let read = lines.read(line.as_bytes()).unwrap();
        assert_eq!(
            (read.puzzle.grid.shape().side(), read.puzzle.grid.cells()[0], read.puzzle.grid.cells()[255]),
            (16, 16, 3)
        );
        assert_eq!(read.puzzle.alphabet.write(read.puzzle.grid.cells()), numbers.join(" "));
        let fault = |line: &str| lines.read(line.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(
            fault(&numbers.join(" ").replacen("16", "17", 1)),
            Fault { kind: FaultKind::TooLarge { number: 17, side: 16 }, offset: 0 }
        );
        assert_eq!(fault(&numbers[1..].join(" ")).kind, FaultKind::NoShape(255));
        let four = lines.read(b"1 0 0 0 0 0 3 0 0 4 0 0 0 0 0 2").unwrap();
        assert_eq!((four.puzzle.grid.clue_count(), four.puzzle.alphabet.to_string()), (4, "1-4".to_owned()));
    }

    #[test]
    fn sizes_are_mixed_only_on_request() {
        let six = "3x2".parse().unwrap();
        let mixed = AnyShapeReader::mixed(Some(six), Vec::new());
        assert_eq!(mixed.read(&[b'.'; 36]).unwrap().puzzle.grid.shape(), six);
        assert_eq!(mixed.read(&[b'.'; 64]).unwrap().puzzle.grid.shape().to_string(), "2x4");
        let kind = AnyShapeReader::new(Some(Shape::CLASSIC), Vec::new())
            .read(&[b'.'; 36])
            .map(|_| ())
            .unwrap_err()
            .kind;
        assert_eq!(kind, FaultKind::OtherSize { found: 36, shape: Shape::CLASSIC });
        assert_eq!(mixed.read(&[b'.'; 324]).map(|_| ()).unwrap_err().kind, FaultKind::AmbiguousShape(18));
    }

    #[test]
    fn sides_have_their_shapes() {
        let sides: Vec<_> = (0..=700).filter_map(side_of).collect();
        assert_eq!(sides, [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25]);
        assert_eq!(alternatives(18), "2x9, 3x6, 6x3 or 9x2");
        assert_eq!((usual(12), usual(18)), (Shape::new(3, 4), None));
        assert_eq!(alternatives(9), "3x3");
    }
}
