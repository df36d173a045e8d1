//! Puzzles to text: lines, grids with and without frames, lines of a HoDoKu library.

use std::collections::BTreeMap;
use std::iter::repeat_n;

use gridmill_core::grid::{Digit, Pencilmarks, Puzzle, Shape};

use super::{Alphabet, PuzzleText};

/// How a puzzle is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PuzzleForm {
    /// One line, with a character for each cell.
    Line,
    /// A line for each row, and a blank line after the puzzle.
    Grid,
    /// A line for each row, with spaces between cells and a frame around each box, and a blank line after
    /// the puzzle.
    Framed,
    /// Like [`Grid`](PuzzleForm::Grid), after the heading `[Puzzle]` of `.sdk` files.
    Sdk,
    /// A line of a HoDoKu library, for classic puzzles.
    Hodoku,
    /// A line of candidates, for classic puzzles. Each cell has nine places, which contain its candidates.
    /// The cell of a clue has only that candidate, and a blank cell has all digits.
    Pencilmarks,
}

impl PuzzleForm {
    /// Returns whether puzzles of that shape can be written in this form.
    #[must_use]
    pub fn suits(self, shape: Shape) -> bool {
        !matches!(self, PuzzleForm::Hodoku | PuzzleForm::Pencilmarks) || shape == Shape::CLASSIC
    }

    /// Returns whether a puzzle is a single line.
    #[must_use]
    pub fn is_line(self) -> bool {
        !matches!(self, PuzzleForm::Grid | PuzzleForm::Framed | PuzzleForm::Sdk)
    }

    /// Appends a puzzle with a line end.
    ///
    /// # Panics
    ///
    /// If the form does not [suit](PuzzleForm::suits) the shape.
    ///
    /// ```
    /// use gridmill_data::text::{AnyShapeReader, PuzzleForm, PuzzleReader, Spelling};
    ///
    /// let puzzle = AnyShapeReader::new(None, Vec::new()).read(b"1.....3..4.....2").unwrap().puzzle;
    /// let mut text = Vec::new();
    /// PuzzleForm::Framed.write(&puzzle, &Spelling::new(b'.', []), &mut text);
    /// let expected = "\
    /// +-----+-----+
    /// | 1 . | . . |
    /// | . . | 3 . |
    /// +-----+-----+
    /// | . 4 | . . |
    /// | . . | . 2 |
    /// +-----+-----+
    ///
    /// ";
    /// assert_eq!(String::from_utf8(text).unwrap(), expected);
    /// ```
    #[inline]
    pub fn write(self, puzzle: &impl PuzzleText, spelling: &Spelling, out: &mut Vec<u8>) {
        if self == PuzzleForm::Line {
            spelling.write(puzzle, out);
            return out.push(b'\n');
        }
        let shape = puzzle.shape();
        assert!(self.suits(shape));
        let mut line = Vec::new();
        if self == PuzzleForm::Pencilmarks && puzzle.pencilmarks().is_none() {
            let clues = puzzle.cells().try_into().ok().and_then(Puzzle::from_cells);
            let clues = clues.expect("a form for classic puzzles");
            line.extend_from_slice(&Pencilmarks::from(&clues).to_ascii());
        } else {
            spelling.write(puzzle, &mut line);
        }
        match self {
            PuzzleForm::Line | PuzzleForm::Pencilmarks => out.extend_from_slice(&line),
            PuzzleForm::Grid => write_rows(shape, &line, out),
            PuzzleForm::Framed => write_framed(shape, &line, out),
            PuzzleForm::Sdk => {
                out.extend_from_slice(b"[Puzzle]\n");
                write_rows(shape, &line, out);
            }
            PuzzleForm::Hodoku => {
                out.extend_from_slice(b":0000:x:");
                out.extend_from_slice(&line);
                out.extend_from_slice(b":::");
            }
        }
        out.push(b'\n');
    }
}

/// How cells are written: the character of a blank, and the alphabets that replace those of the input.
#[derive(Clone, Debug)]
pub struct Spelling {
    blank: u8,
    /// The new alphabet for each side that gets one.
    replaced: BTreeMap<usize, Alphabet>,
    /// The digits for each side up to 9.
    digits: BTreeMap<usize, Alphabet>,
}

impl Spelling {
    /// Writes blanks as `blank`, and digits in the alphabet for their side. Puzzles of other sides keep
    /// their alphabet, except that numbers up to 9 become digits without spaces.
    pub fn new(blank: u8, alphabets: impl IntoIterator<Item = Alphabet>) -> Spelling {
        let replaced = alphabets.into_iter().map(|alphabet| (alphabet.side(), alphabet)).collect();
        Spelling { blank, replaced, digits: (4..=9).map(|side| (side, Alphabet::digits(side))).collect() }
    }

    /// Appends the cells of a puzzle as one line. Candidates are not changed.
    #[inline]
    pub(crate) fn write<P: PuzzleText>(&self, puzzle: &P, out: &mut Vec<u8>) {
        if puzzle.pencilmarks().is_some() {
            return puzzle.write(out);
        }
        let start = out.len();
        match self.alphabet_for(puzzle) {
            None => puzzle.write(out),
            Some(alphabet) => alphabet.write_to(puzzle.cells(), out),
        }
        if self.blank != b'.' {
            // Branchless, so that the compiler makes vector code.
            out[start..].iter_mut().for_each(|byte| *byte = if *byte == b'.' { self.blank } else { *byte });
        }
    }

    /// The alphabet that replaces that of a puzzle, if any.
    #[inline]
    fn alphabet_for(&self, puzzle: &impl PuzzleText) -> Option<&Alphabet> {
        let side = puzzle.shape().side();
        let has_numbers = || Digit::new(1).and_then(|digit| puzzle.symbol(digit)).is_none();
        let of_numbers = || if has_numbers() { self.digits.get(&side) } else { None };
        self.replaced.get(&side).or_else(of_numbers)
    }
}

/// Appends a line for each row of cells.
fn write_rows(shape: Shape, line: &[u8], out: &mut Vec<u8>) {
    if !line.contains(&b' ') {
        for row in line.chunks(shape.side()) {
            out.extend_from_slice(row);
            out.push(b'\n');
        }
        return;
    }
    for row in cells_of_line(line).chunks(shape.side()) {
        out.extend_from_slice(&row.join(&b' '));
        out.push(b'\n');
    }
}

/// Appends the cells of a line as a framed grid. The cells are characters, or numbers separated by spaces.
///
/// # Panics
///
/// If the number of cells is not that of the shape.
pub(crate) fn write_framed(shape: Shape, line: &[u8], out: &mut Vec<u8>) {
    let cells = cells_of_line(line);
    assert_eq!(cells.len(), shape.cells());
    let width = cells.iter().map(|cell| cell.len()).max().unwrap_or(1);
    let put = |cell: usize, out: &mut Vec<u8>| {
        out.extend(repeat_n(b' ', 1 + width - cells[cell].len()));
        out.extend_from_slice(cells[cell]);
    };
    write_boxes(shape, &vec![width; shape.side()], put, out);
}

/// Appends a grid with a frame around each box. `put` appends a space, and then the cell with that index in
/// the width of its column.
pub(crate) fn write_boxes(
    shape: Shape,
    widths: &[usize],
    put: impl Fn(usize, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let (side, box_rows, box_columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let mut border = Vec::new();
    for of_box in widths.chunks(box_columns) {
        border.push(b'+');
        border.extend(repeat_n(b'-', of_box.iter().sum::<usize>() + box_columns + 1));
    }
    border.extend_from_slice(b"+\n");
    for row in 0..side {
        if row % box_rows == 0 {
            out.extend_from_slice(&border);
        }
        for first in (row * side..(row + 1) * side).step_by(box_columns) {
            out.push(b'|');
            (first..first + box_columns).for_each(|cell| put(cell, out));
            out.push(b' ');
        }
        out.extend_from_slice(b"|\n");
    }
    out.extend_from_slice(&border);
}

/// Splits a line into its cells: characters, or numbers separated by spaces.
fn cells_of_line(line: &[u8]) -> Vec<&[u8]> {
    if line.contains(&b' ') { line.split(|&byte| byte == b' ').collect() } else { line.chunks(1).collect() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gridmill_core::grid::Grid;

    use super::*;
    use crate::text::{Batch, FormatOptions, GridPuzzle};

    const FORMS: [PuzzleForm; 4] = [PuzzleForm::Line, PuzzleForm::Grid, PuzzleForm::Framed, PuzzleForm::Sdk];

    fn puzzle(shape: Shape, seed: usize) -> Grid {
        let side = shape.side();
        let cell =
            |cell: usize| if (cell * 7 + seed).is_multiple_of(3) { (cell * 5 + seed) % side + 1 } else { 0 };
        let mut cells: Vec<u8> = (0..shape.cells()).map(|index| cell(index) as u8).collect();
        // Every digit occurs in the puzzle, so that its alphabet is certain.
        (0..side).for_each(|digit| cells[digit] = digit as u8 + 1);
        Grid::new(shape, cells).unwrap()
    }

    /// Checks that reading a text gives the puzzles that were written.
    #[test]
    fn written_puzzles_can_be_read() {
        let shapes = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 4), (3, 5), (5, 5)];
        for shape in shapes.map(|(rows, columns)| Shape::new(rows, columns).unwrap()) {
            let side = shape.side();
            let alphabet =
                if side > 9 { Alphabet::conventions(side).remove(0) } else { Alphabet::digits(side) };
            let alphabet = Arc::new(alphabet);
            let puzzles = [1, 2, 3].map(|seed| puzzle(shape, seed));
            let written = puzzles.clone().map(|grid| GridPuzzle { grid, alphabet: alphabet.clone() });
            for form in FORMS {
                for blank in [b'.', b'*'] {
                    let mut text = Vec::new();
                    let spelling = Spelling::new(blank, []);
                    written.iter().for_each(|puzzle| form.write(puzzle, &spelling, &mut text));
                    let options = FormatOptions {
                        shape: Some(shape),
                        alphabets: if side > 9 { vec![(*alphabet).clone()] } else { Vec::new() },
                        ..FormatOptions::default()
                    };
                    let layout = options.layout(&text, true).unwrap().unwrap();
                    let mut batch = Batch::default();
                    layout.format::<GridPuzzle>().read(&text[layout.body_start..], &mut batch);
                    let read: Vec<Grid> = batch.puzzles.into_iter().map(|puzzle| puzzle.grid).collect();
                    assert_eq!(read, puzzles, "{shape} {form:?}: {}", String::from_utf8_lossy(&text));
                    assert_eq!(batch.records.len(), puzzles.len());
                }
            }
        }
    }

    #[test]
    fn hodoku_and_candidates_are_lines() {
        let puzzle = puzzle(Shape::CLASSIC, 1).to_classic().unwrap();
        let text = |form: PuzzleForm| {
            let mut text = Vec::new();
            form.write(&puzzle, &Spelling::new(b'.', []), &mut text);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(text(PuzzleForm::Hodoku), format!(":0000:x:{puzzle}:::\n"));
        let candidates = text(PuzzleForm::Pencilmarks);
        assert!(candidates.len() == 730 && candidates.starts_with("1.........2"), "{candidates}");
        assert!(!PuzzleForm::Hodoku.suits(Shape::new(2, 3).unwrap()));
    }

    #[test]
    fn numbers_are_aligned_in_frames() {
        let shape = Shape::new(2, 5).unwrap();
        let mut text = Vec::new();
        let puzzle = GridPuzzle { grid: puzzle(shape, 1), alphabet: Arc::new(Alphabet::numbers(10)) };
        PuzzleForm::Framed.write(&puzzle, &Spelling::new(b'.', []), &mut text);
        let text = String::from_utf8(text).unwrap();
        let widths: Vec<usize> = text.lines().take(13).map(str::len).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
        assert!(text.contains("|  1  2  3  4  5 |  6  7  8  9 10 |"), "{text}");
    }
}
