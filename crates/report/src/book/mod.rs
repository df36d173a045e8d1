//! Books of puzzles to print: numbered puzzles in sections, and their solutions at the end.
//!
//! A single layout (`layout.rs`) computes the place of every line and every text on a page. `formats.rs`
//! writes these pages as PDF, SVG and HTML, so that all formats look the same. Each book contains its font
//! (`font.rs`), because readers may not have it.

mod font;
mod formats;
mod layout;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Shape;
use gridmill_data::text::{Alphabet, PuzzleText};

pub use font::missing_letter;
use layout::Plan;

/// A book of puzzles.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::{EngineKind, Puzzle, SolutionLimit, Solver};
/// use gridmill_report::{Book, BookFormat, BookPuzzle, BookSection};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let outcome = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
/// let puzzle = BookPuzzle::new(&puzzle, outcome.solution.unwrap().cells());
/// let section = BookSection { name: "Easy".to_owned(), puzzles: vec![puzzle] };
/// let book = Book { title: "Sudoku".to_owned(), sections: vec![section], ..Book::default() };
///
/// let mut pdf = Vec::new();
/// let pages = book.write(BookFormat::Pdf, &mut pdf, &AtomicBool::new(false))?;
/// assert!(pages == Some(2) && pdf.starts_with(b"%PDF-"), "the puzzle and its solution have a page each");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Book {
    /// The title; empty for none.
    pub title: String,
    /// Whether the first page shows only the title and the contents.
    pub has_cover: bool,
    /// The size of pages.
    pub paper: Paper,
    /// Puzzles per page; `None` for the most that leave cells large enough to write in.
    pub per_page: Option<usize>,
    /// Solutions per page, 0 for none at all; `None` for the most that can be read.
    pub solutions_per_page: Option<usize>,
    /// The heading of the solutions.
    pub solutions_heading: String,
    /// The puzzles. They are numbered across all sections. Each section begins on a new page.
    pub sections: Vec<BookSection>,
}

impl Default for Book {
    fn default() -> Book {
        Book {
            title: String::new(),
            has_cover: false,
            paper: Paper::A4,
            per_page: None,
            solutions_per_page: None,
            solutions_heading: "Solutions".to_owned(),
            sections: Vec::new(),
        }
    }
}

/// A part of a book, e.g. the puzzles of one level.
#[derive(Clone, Debug, Default)]
pub struct BookSection {
    /// Its heading; empty for none.
    pub name: String,
    /// Its puzzles.
    pub puzzles: Vec<BookPuzzle>,
}

/// A puzzle in a book, with its solution.
#[derive(Clone, Debug)]
pub struct BookPuzzle {
    shape: Shape,
    clues: Vec<u8>,
    solution: Vec<u8>,
    /// The alphabet of its digits; `None` for 1, 2, 3 and so on.
    alphabet: Option<Arc<Alphabet>>,
}

impl BookPuzzle {
    /// Takes a puzzle and the digits of its solution. Both are printed in the alphabet of the puzzle.
    ///
    /// # Panics
    ///
    /// If the solution has not as many cells as the puzzle.
    #[must_use]
    pub fn new<P: PuzzleText>(puzzle: &P, solution: &[u8]) -> BookPuzzle {
        assert_eq!(puzzle.cells().len(), solution.len(), "the solution is that of another puzzle");
        BookPuzzle {
            shape: puzzle.shape(),
            clues: puzzle.cells().to_vec(),
            solution: solution.to_vec(),
            alphabet: puzzle.alphabet().cloned(),
        }
    }

    /// A digit as it is printed: a character or a number.
    fn symbol(&self, digit: u8) -> String {
        self.alphabet.as_ref().map_or_else(|| digit.to_string(), |alphabet| alphabet.write(&[digit]))
    }
}

/// A size of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Paper {
    /// 210 x 297 mm.
    A4,
    /// 148 x 210 mm.
    A5,
    /// 8.5 x 11 inches.
    Letter,
}

impl Paper {
    /// Width and height in points (72 per inch).
    #[must_use]
    pub fn size(self) -> (f64, f64) {
        match self {
            Paper::A4 => (595.28, 841.89),
            Paper::A5 => (419.53, 595.28),
            Paper::Letter => (612.0, 792.0),
        }
    }
}

/// The file format of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BookFormat {
    /// PDF, with a bookmark for each section.
    Pdf,
    /// A single SVG picture with all pages below each other.
    Svg,
    /// An HTML page that prints one page of the book on each sheet.
    Html,
}

impl Book {
    /// Writes the book, and returns its number of pages. `None` if `stop` became true meanwhile, so that
    /// the book is incomplete. Equal books give equal bytes, because they contain no date.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write(
        &self,
        format: BookFormat,
        out: &mut dyn Write,
        stop: &AtomicBool,
    ) -> io::Result<Option<usize>> {
        let plan = Plan::new(self);
        let is_whole = match format {
            BookFormat::Pdf => formats::write_pdf(&plan, out, stop)?,
            BookFormat::Svg => formats::write_svg(&plan, out, stop)?,
            BookFormat::Html => formats::write_html(&plan, out, stop)?,
        };
        Ok(is_whole.then(|| plan.pages()))
    }
}

/// A page: its lines and texts, with places in points from the upper left.
#[derive(Debug, Default)]
struct Page {
    lines: Vec<Line>,
    texts: Vec<Text>,
}

/// A black line.
#[derive(Debug)]
struct Line {
    from: (f64, f64),
    to: (f64, f64),
    width: f64,
}

/// A text on its baseline.
#[derive(Debug)]
struct Text {
    at: (f64, f64),
    anchor: Anchor,
    font: TextFont,
    text: String,
}

/// The look of a text.
#[derive(Clone, Copy, Debug)]
struct TextFont {
    size: f64,
    is_bold: bool,
    /// Whether it is grey, because it is less important.
    is_grey: bool,
}

/// Which point of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Start,
    Middle,
    End,
}
