//! Puzzles to text: lines, grids with and without frames, lines of a HoDoKu library.

use gridmill_core::grid::Shape;

use super::Alphabet;

/// How a puzzle is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PuzzleForm {
    /// One line, a character for each cell.
    Line,
    /// A line for each row, and a blank line behind the puzzle.
    Grid,
    /// A line for each row, cells set apart by spaces, with a frame around each box, and a blank line behind.
    Framed,
    /// As [`Grid`](PuzzleForm::Grid), below the heading `[Puzzle]` of `.sdk` files.
    Sdk,
    /// A line of a HoDoKu library, for classic puzzles.
    Hodoku,
    /// A line of candidates, for classic puzzles: for each cell nine places, of which those of its candidates
    /// hold the digit. A clue is the only candidate of its cell; every digit is one of a blank cell.
    Pencilmarks,
}

impl PuzzleForm {
    /// Returns whether puzzles of a shape can be written so.
    #[must_use]
    pub fn suits(self, shape: Shape) -> bool {
        !self.is_classic() || shape == Shape::CLASSIC
    }

    /// Returns whether only classic puzzles can be written so.
    #[must_use]
    pub fn is_classic(self) -> bool {
        matches!(self, PuzzleForm::Hodoku | PuzzleForm::Pencilmarks)
    }

    /// Returns whether a puzzle is one line.
    #[must_use]
    pub fn is_line(self) -> bool {
        !matches!(self, PuzzleForm::Grid | PuzzleForm::Framed | PuzzleForm::Sdk)
    }

    /// Appends a puzzle of cells that are written as a line, with a line end; candidates as they stand.
    pub(crate) fn arrange(self, shape: Shape, line: &[u8], out: &mut Vec<u8>) {
        match self {
            PuzzleForm::Line | PuzzleForm::Pencilmarks => out.extend_from_slice(line),
            PuzzleForm::Grid => write_rows(shape, line, out),
            PuzzleForm::Framed => write_framed(shape, line, out),
            PuzzleForm::Sdk => {
                out.extend_from_slice(b"[Puzzle]\n");
                write_rows(shape, line, out);
            }
            PuzzleForm::Hodoku => {
                out.extend_from_slice(b":0000:x:");
                out.extend_from_slice(line);
                out.extend_from_slice(b":::");
            }
        }
        out.push(b'\n');
    }
}

/// Writes puzzles of any shape.
///
/// ```
/// use gridmill_core::grid::Shape;
/// use gridmill_data::text::{Alphabet, PuzzleForm, PuzzleWriter};
///
/// let cells = [1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2];
/// let mut text = Vec::new();
/// let writer = PuzzleWriter { form: PuzzleForm::Framed, blank: b'.' };
/// writer.write(Shape::new(2, 2).unwrap(), &cells, &Alphabet::digits(4), &mut text);
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleWriter {
    /// How a puzzle is written.
    pub form: PuzzleForm,
    /// The character of a blank, where cells are characters.
    pub blank: u8,
}

impl PuzzleWriter {
    /// Appends a puzzle of cells in reading order, 0 for a blank, in an alphabet of its side, with a line end.
    ///
    /// # Panics
    ///
    /// Where there are not as many cells as the shape has, a cell is above the side, or the form does not
    /// [suit](PuzzleForm::suits) the shape.
    pub fn write(&self, shape: Shape, cells: &[u8], alphabet: &Alphabet, out: &mut Vec<u8>) {
        assert!(cells.len() == shape.cells() && self.form.suits(shape));
        let mut line = Vec::new();
        if self.form == PuzzleForm::Pencilmarks {
            write_candidates(cells, &mut line);
        } else {
            alphabet.write_to(cells, &mut line);
            let blanks =
                line.iter_mut().zip(cells).filter(|(_, cell)| **cell == 0 && !alphabet.has_numbers());
            blanks.for_each(|(byte, _)| *byte = self.blank);
        }
        self.form.arrange(shape, &line, out);
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

/// Appends the cells of a line as a grid: characters, or numbers that are set apart by spaces.
///
/// # Panics
///
/// Where the line does not have as many cells as the shape.
pub(crate) fn write_framed(shape: Shape, line: &[u8], out: &mut Vec<u8>) {
    let (side, box_rows, box_columns) = (shape.side(), shape.box_rows(), shape.box_columns());
    let cells = cells_of_line(line);
    assert_eq!(cells.len(), shape.cells());
    let width = cells.iter().map(|cell| cell.len()).max().unwrap_or(1);
    let border = format!("+{}", "-".repeat(box_columns * (width + 1) + 1)).repeat(side / box_columns) + "+\n";
    for (row, cells) in cells.chunks(side).enumerate() {
        if row % box_rows == 0 {
            out.extend_from_slice(border.as_bytes());
        }
        for of_box in cells.chunks(box_columns) {
            out.push(b'|');
            for cell in of_box {
                out.extend(std::iter::repeat_n(b' ', 1 + width - cell.len()));
                out.extend_from_slice(cell);
            }
            out.push(b' ');
        }
        out.extend_from_slice(b"|\n");
    }
    out.extend_from_slice(border.as_bytes());
}

/// Returns the cells of a line: its characters, or numbers that are set apart by spaces.
fn cells_of_line(line: &[u8]) -> Vec<&[u8]> {
    if line.contains(&b' ') { line.split(|&byte| byte == b' ').collect() } else { line.chunks(1).collect() }
}

/// Appends the candidates that clues say by themselves: nine places a cell.
pub(crate) fn write_candidates(cells: &[u8], out: &mut Vec<u8>) {
    for &cell in cells {
        let mut places = *b"123456789";
        if cell != 0 {
            places = [b'.'; 9];
            places[usize::from(cell) - 1] = b'0' + cell;
        }
        out.extend_from_slice(&places);
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Grid;

    use super::*;
    use crate::text::{Batch, FormatOptions, GridPuzzle};

    const FORMS: [PuzzleForm; 4] = [PuzzleForm::Line, PuzzleForm::Grid, PuzzleForm::Framed, PuzzleForm::Sdk];

    fn puzzle(shape: Shape, seed: usize) -> Grid {
        let side = shape.side();
        let cell =
            |cell: usize| if (cell * 7 + seed).is_multiple_of(3) { (cell * 5 + seed) % side + 1 } else { 0 };
        let mut cells: Vec<u8> = (0..shape.cells()).map(|index| cell(index) as u8).collect();
        // Every digit stands in the puzzle, so that its alphabet is certain.
        (0..side).for_each(|digit| cells[digit] = digit as u8 + 1);
        Grid::new(shape, cells).unwrap()
    }

    /// Texts are read as the puzzles that they were written from.
    #[test]
    fn what_is_written_can_be_read() {
        let shapes = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 4), (3, 5), (5, 5)];
        for shape in shapes.map(|(rows, columns)| Shape::new(rows, columns).unwrap()) {
            let side = shape.side();
            let alphabet =
                if side > 9 { Alphabet::conventions(side).remove(0) } else { Alphabet::digits(side) };
            let puzzles = [1, 2, 3].map(|seed| puzzle(shape, seed));
            for form in FORMS {
                for blank in [b'.', b'*'] {
                    let mut text = Vec::new();
                    let writer = PuzzleWriter { form, blank };
                    puzzles.iter().for_each(|it| writer.write(shape, it.cells(), &alphabet, &mut text));
                    let options = FormatOptions {
                        shape: Some(shape),
                        alphabets: if side > 9 { vec![alphabet.clone()] } else { Vec::new() },
                        ..FormatOptions::default()
                    };
                    let layout = options.layout(&text, true).unwrap().unwrap();
                    let mut batch = Batch::default();
                    layout.format::<GridPuzzle>().read(&text[layout.body..], &mut batch);
                    let read: Vec<Grid> = batch.puzzles.into_iter().map(|puzzle| puzzle.grid).collect();
                    assert_eq!(read, puzzles, "{shape} {form:?}: {}", String::from_utf8_lossy(&text));
                    assert_eq!(batch.records.len(), puzzles.len());
                }
            }
        }
    }

    #[test]
    fn hodoku_and_candidates_are_lines() {
        let puzzle = puzzle(Shape::CLASSIC, 1);
        let text = |form| {
            let mut text = Vec::new();
            let writer = PuzzleWriter { form, blank: b'.' };
            writer.write(Shape::CLASSIC, puzzle.cells(), &Alphabet::digits(9), &mut text);
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
        let writer = PuzzleWriter { form: PuzzleForm::Framed, blank: b'.' };
        writer.write(shape, puzzle(shape, 1).cells(), &Alphabet::numbers(10), &mut text);
        let text = String::from_utf8(text).unwrap();
        let widths: Vec<usize> = text.lines().take(13).map(str::len).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
        assert!(text.contains("|  1  2  3  4  5 |  6  7  8  9 10 |"), "{text}");
    }
}
