//! The kinds of puzzles in files, and their readers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gridmill_core::grid::{CELLS, Cell, Digit, Grid, Pencilmarks, Puzzle, Shape};
use gridmill_core::jobs::{Searchable, split_counter};
use gridmill_core::logic::{Ratable, State};
use gridmill_core::solver::{Engine, GridLike, GridSolver, Narrowable, Solvable, Solver};

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

/// A type of puzzles that can be read from text, and written.
pub trait PuzzleText: Searchable {
    /// Reads such puzzles from lines.
    type Reader: PuzzleReader<Puzzle = Self> + 'static;

    /// The kinds of files of which all puzzles are read as what they are.
    const KINDS: &'static [PuzzleKind];

    /// Whether the puzzle has candidates that its [`cells`](Searchable::cells) do not show.
    const HAS_CANDIDATES: bool = false;

    /// Returns the reader for a file of that layout.
    fn reader(layout: &Layout) -> Self::Reader;

    /// Returns a puzzle of cells in reading order, 0 for a blank, in an alphabet; `None` if the type has no
    /// puzzles of that shape, or these are not its cells.
    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Self>;

    /// Returns the alphabet in which the puzzle was written, if it is not the only one of the type.
    fn alphabet(&self) -> Option<&Arc<Alphabet>> {
        None
    }

    /// Appends the cells, or the candidates, as they are written in a row.
    fn write(&self, out: &mut Vec<u8>) {
        self.write_cells(self.cells(), out);
    }

    /// Appends the cells of another puzzle of this shape, e.g. its solution, written as this one is.
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>);
}

impl PuzzleText for Puzzle {
    type Reader = ClassicReader;

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Classic];

    fn reader(_: &Layout) -> ClassicReader {
        ClassicReader
    }

    fn from_clues(_: Shape, cells: &[u8], _: &Arc<Alphabet>) -> Option<Puzzle> {
        <[u8; CELLS]>::try_from(cells).ok().and_then(Puzzle::from_cells)
    }

    #[inline]
    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        // As an array, so that it becomes vector code.
        let cells: &[u8; CELLS] = cells.try_into().expect("the cells are of another shape");
        // 46 is a dot, and 48 the digit 0.
        out.extend_from_slice(&cells.map(|cell| 46 + cell + 2 * cell.min(1)));
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

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Classic, PuzzleKind::AnyShape];

    fn reader(layout: &Layout) -> AnyShapeReader {
        layout.reader.clone()
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<GridPuzzle> {
        Some(GridPuzzle { grid: Grid::of(shape, cells)?, alphabet: Arc::clone(alphabet) })
    }

    fn alphabet(&self) -> Option<&Arc<Alphabet>> {
        Some(&self.alphabet)
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.alphabet.write_to(cells, out);
    }
}

/// As its grid.
impl Solvable for GridPuzzle {
    type Solution = Grid;

    fn shape(&self) -> Shape {
        self.grid.shape()
    }

    fn cells(&self) -> &[u8] {
        self.grid.cells()
    }

    fn fill_in<'a>(&self, place: &'a mut Option<Grid>) -> &'a mut [u8] {
        self.grid.fill_in(place)
    }

    fn is_solution(&self, grid: &Grid) -> bool {
        self.grid.is_solution(grid)
    }
}

impl GridLike for GridPuzzle {}

/// As its grid.
impl Narrowable for GridPuzzle {
    fn narrowed(&self, cell: Cell, digit: Digit) -> GridPuzzle {
        GridPuzzle { grid: self.grid.narrowed(cell, digit), alphabet: Arc::clone(&self.alphabet) }
    }
}

/// As its grid.
impl Ratable for GridPuzzle {
    fn state(&self) -> State {
        self.grid.state()
    }

    fn classic(&self) -> Option<Puzzle> {
        self.grid.classic()
    }
}

/// As its grid.
impl Searchable for GridPuzzle {
    fn digits_of(solution: &Grid) -> &[u8] {
        solution.cells()
    }

    fn symbol(&self, digit: Digit) -> Option<char> {
        self.alphabet.symbol(digit)
    }

    fn solver(engine: Engine) -> Box<dyn GridSolver<GridPuzzle>> {
        engine.any_shape()
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<GridPuzzle>> {
        split_counter(engine.any_shape(), engine, time)
    }
}

impl PuzzleText for Pencilmarks {
    type Reader = PencilmarkReader;

    const KINDS: &'static [PuzzleKind] = &[PuzzleKind::Pencilmarks];
    const HAS_CANDIDATES: bool = true;

    fn reader(_: &Layout) -> PencilmarkReader {
        PencilmarkReader
    }

    fn from_clues(shape: Shape, cells: &[u8], alphabet: &Arc<Alphabet>) -> Option<Pencilmarks> {
        Puzzle::from_clues(shape, cells, alphabet).map(|puzzle| Pencilmarks::from(&puzzle))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_ascii());
    }

    fn write_cells(&self, cells: &[u8], out: &mut Vec<u8>) {
        self.clues().write_cells(cells, out);
    }
}
