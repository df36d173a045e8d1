//! The kinds of puzzles in files, and their readers.

use std::fmt;
use std::sync::Arc;

use gridmill_core::grid::{CELLS, Grid, Pencilmarks, Puzzle, Shape};

use super::{Alphabet, AnyShapeReader, ClassicReader, Layout, PencilmarkReader, PuzzleReader};

/// The kind of puzzles that a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PuzzleKind {
    /// Puzzles of 9x9 cells in the usual digits: [`Puzzle`].
    Classic,
    /// Puzzles of other shapes or in other alphabets, classic ones among them: [`GridPuzzle`].
    AnyShape,
    /// Classic grids of candidates: [`Pencilmarks`].
    Pencilmarks,
}

/// In words: `9x9 puzzles`.
impl fmt::Display for PuzzleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PuzzleKind::Classic => "9x9 puzzles",
            PuzzleKind::AnyShape => "puzzles of any shape",
            PuzzleKind::Pencilmarks => "pencilmarks",
        })
    }
}

/// A type of puzzles that can be read from text.
pub trait PuzzleText: Sized + 'static {
    /// Reads such puzzles from lines.
    type Reader: PuzzleReader<Puzzle = Self> + 'static;

    /// Returns whether all puzzles of a file of that kind are read as what they are.
    fn is_of_kind(kind: PuzzleKind) -> bool;

    /// Returns the reader for a file of that layout.
    fn reader(layout: &Layout) -> Self::Reader;

    /// Returns a puzzle of cells in reading order, 0 for a blank, in an alphabet; `None` if the type has no
    /// puzzles of that shape, or these are not its cells.
    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Self>;
}

impl PuzzleText for Puzzle {
    type Reader = ClassicReader;

    fn is_of_kind(kind: PuzzleKind) -> bool {
        kind == PuzzleKind::Classic
    }

    fn reader(_: &Layout) -> ClassicReader {
        ClassicReader
    }

    fn from_clues(_: Shape, cells: &[u8], _: &Arc<Alphabet>) -> Option<Puzzle> {
        <[u8; CELLS]>::try_from(cells).ok().and_then(Puzzle::from_cells)
    }
}

/// A puzzle of any shape, with the alphabet of its text and of its solution.
#[derive(Clone, Debug)]
pub struct GridPuzzle {
    /// The puzzle.
    pub grid: Grid,
    /// The alphabet of its digits.
    pub alphabet: Arc<Alphabet>,
}

impl PuzzleText for GridPuzzle {
    type Reader = AnyShapeReader;

    fn is_of_kind(kind: PuzzleKind) -> bool {
        kind != PuzzleKind::Pencilmarks
    }

    fn reader(layout: &Layout) -> AnyShapeReader {
        layout.reader.clone()
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<GridPuzzle> {
        Some(GridPuzzle { grid: Grid::of(shape, cells)?, alphabet: Arc::clone(alphabet) })
    }
}

impl PuzzleText for Pencilmarks {
    type Reader = PencilmarkReader;

    fn is_of_kind(kind: PuzzleKind) -> bool {
        kind == PuzzleKind::Pencilmarks
    }

    fn reader(_: &Layout) -> PencilmarkReader {
        PencilmarkReader
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Pencilmarks> {
        Puzzle::from_clues(shape, cells, alphabet).map(|puzzle| Pencilmarks::from(&puzzle))
    }
}
