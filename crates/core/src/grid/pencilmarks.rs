//! Grids of candidates.

use super::{CELLS, Cell, Digit, DigitSet, Puzzle, Solution};

const SIDE: usize = 9;

/// A classic grid of candidates for each cell: pencilmarks, or a Sukaku puzzle.
///
/// It can express more than clues: a solution takes every digit from the candidates of its cell. A cell with
/// one candidate is a clue. If a cell has no candidate, there is no solution.
///
/// ```
/// use gridmill_core::grid::{Cell, Digit, DigitSet, Pencilmarks, Puzzle};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let mut candidates = *Pencilmarks::from(&puzzle).candidates();
/// assert_eq!((candidates[0].len(), candidates[2].len()), (1, 9));
///
/// candidates[2] = candidates[2].without(Digit::new(4).unwrap());
/// let marks = Pencilmarks::new(candidates);
/// assert_eq!(marks.at(Cell::new(2)).len(), 8);
/// assert_eq!(marks.clues(), &puzzle);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Pencilmarks {
    candidates: [DigitSet; CELLS],
    clues: Puzzle,
}

impl Pencilmarks {
    /// Returns the grid of those candidates, cell by cell in reading order. Digits above 9 are left out.
    #[must_use]
    pub fn new(candidates: [DigitSet; CELLS]) -> Pencilmarks {
        let candidates = candidates.map(|digits| digits.intersection(DigitSet::all(SIDE)));
        let clue = |digits: DigitSet| digits.lowest().filter(|_| digits.is_single()).map_or(0, Digit::get);
        let clues = Puzzle::from_cells(candidates.map(clue)).expect("digits up to 9");
        Pencilmarks { candidates, clues }
    }

    /// Returns the candidates, cell by cell in reading order.
    #[must_use]
    pub const fn candidates(&self) -> &[DigitSet; CELLS] {
        &self.candidates
    }

    /// Returns the candidates of a cell.
    #[must_use]
    pub fn at(&self, cell: Cell) -> DigitSet {
        self.candidates[cell.index()]
    }

    /// Returns the cells with one candidate, as clues.
    #[must_use]
    pub const fn clues(&self) -> &Puzzle {
        &self.clues
    }

    /// Returns the text: nine places for each cell, with a digit in its place, or `.` where it is no
    /// candidate.
    #[must_use]
    pub fn to_ascii(&self) -> [u8; SIDE * CELLS] {
        let mut text = [b'.'; SIDE * CELLS];
        for (places, digits) in text.as_chunks_mut::<SIDE>().0.iter_mut().zip(&self.candidates) {
            // Branchless, so that it becomes vector code.
            for (place, mark) in places.iter_mut().enumerate() {
                *mark = if digits.mask() >> place & 1 != 0 { b'1' + place as u8 } else { b'.' };
            }
        }
        text
    }

    /// Returns whether a grid is a solution: every house holds every digit once, and every cell one of its
    /// candidates.
    #[must_use]
    pub fn are_solved_by(&self, solution: &Solution) -> bool {
        let mut cells = self.candidates.iter().zip(solution.cells());
        solution.solves(&self.clues)
            && cells.all(|(digits, &cell)| Digit::new(cell).is_some_and(|digit| digits.contains(digit)))
    }
}

/// Clues become cells with one candidate; blanks have all digits as candidates.
impl From<&Puzzle> for Pencilmarks {
    fn from(puzzle: &Puzzle) -> Pencilmarks {
        let candidates =
            |&clue: &u8| Digit::new(clue).map_or(DigitSet::all(SIDE), |digit| DigitSet::EMPTY.with(digit));
        Pencilmarks::new(puzzle.cells().each_ref().map(candidates))
    }
}

/// One line of 729 characters.
impl std::fmt::Display for Pencilmarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(str::from_utf8(&self.to_ascii()).map_err(|_| std::fmt::Error)?)
    }
}

impl std::fmt::Debug for Pencilmarks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pencilmarks({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn a_solution_keeps_the_candidates() {
        let puzzle: Puzzle = LINE.parse().unwrap();
        let cells = *SOLVED.parse::<Puzzle>().unwrap().cells();
        let solution = Solution::from_cells(cells).unwrap();
        let marks = Pencilmarks::from(&puzzle);
        assert!(marks.are_solved_by(&solution));
        for cell in 0..CELLS {
            let digit = Digit::new(cells[cell]).unwrap();
            let mut less = *marks.candidates();
            less[cell] = less[cell].without(digit);
            assert!(!Pencilmarks::new(less).are_solved_by(&solution), "{cell}");
            let mut other = cells;
            other[cell] = digit.get() % 9 + 1;
            assert!(!marks.are_solved_by(&Solution::from_cells(other).unwrap()), "{cell}");
        }
    }

    #[test]
    fn pencilmarks_are_written_as_nine_places_a_cell() {
        let text = Pencilmarks::from(&LINE.parse().unwrap()).to_string();
        assert_eq!((text.len(), &text[..27]), (729, "....5......3......123456789"));
    }
}
