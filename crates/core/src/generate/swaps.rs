//! Clues that must stay, found without a search.
//!
//! Two digits of a full grid can often be swapped in some rows only: in rows that columns and boxes, followed
//! from one digit to the other, never lead out of. The same goes for two rows of a band in some of their
//! columns, and for two columns of a stack in some of their rows. The swap gives another grid, so a puzzle
//! without a clue there has more than one solution (an unavoidable set), and the last clue there must stay.
//!
//! Digits, rows and columns are all *lines* of nine *places*: a digit has a cell in each row, a row one in
//! each column, a column one in each row. Two lines divide the places into classes, each of which can be
//! swapped alone.

use crate::grid::CELLS;

/// A set of places of a line.
type PlaceSet = u16;

/// Every place.
const ALL: PlaceSet = 0x1ff;

/// A value for each of the eight other digits, which make a vector: the lowest eight, the digit itself replaced by
/// the highest.
type Others = [PlaceSet; 8];

/// Returns the values of the other eight digits.
#[inline(always)]
fn others(values: &[PlaceSet; 9], but: usize) -> Others {
    std::array::from_fn(|digit| if digit == but { values[8] } else { values[digit] })
}

/// For each pair of lines of a full classic grid that can be swapped, the classes of places; and the places
/// that still have a clue.
#[derive(Clone, Debug)]
pub(super) struct Swaps {
    /// For each digit and place, the class with each other digit.
    digits: [[Others; 9]; 9],
    /// For each row and place, the class with each of the next two rows of its band. Then the same for
    /// columns.
    neighbours: [[[PlaceSet; 2]; 9]; 18],
    /// For each digit, the places with a clue.
    digit_clues: [PlaceSet; 9],
    /// For each row, then for each column, the places with a clue.
    line_clues: [PlaceSet; 18],
}

impl Swaps {
    /// Returns the classes of a full grid, with clues in all cells.
    pub(super) fn of(grid: &[u8; CELLS]) -> Swaps {
        let positions = Positions::of(grid);
        let mut neighbours = [[[0; 2]; 9]; 18];
        for line in 0..18 {
            let [next, _] = after(line);
            for (place, class) in positions.line_classes(grid, line, next).into_iter().enumerate() {
                neighbours[line][place][0] = class;
                neighbours[next][place][1] = class;
            }
        }
        Swaps {
            digits: std::array::from_fn(|digit| positions.digit_classes(digit)),
            neighbours,
            digit_clues: [ALL; 9],
            line_clues: [ALL; 18],
        }
    }

    /// Returns whether the clue in a cell is the last one in any of its classes.
    pub(super) fn needs(&self, cell: usize, digit: u8) -> bool {
        let digit = usize::from(digit - 1) % 9;
        let [row, column] = [cell / 9 % 9, cell % 9];
        let rest = self.digit_clues[digit] & !(1 << row);
        let others = others(&self.digit_clues, digit);
        // No early exit, so that this becomes vector code.
        let mut missed = 0;
        for (class, clues) in self.digits[digit][row].into_iter().zip(others) {
            missed |= u16::from(class & (rest | clues) == 0);
        }
        for (line, place) in [(row, column), (9 + column, row)] {
            let rest = self.line_clues[line] & !(1 << place);
            for (class, other) in self.neighbours[line][place].iter().zip(after(line)) {
                missed |= u16::from(class & (rest | self.line_clues[other]) == 0);
            }
        }
        missed != 0
    }

    /// Takes a clue out.
    pub(super) fn take(&mut self, cell: usize, digit: u8) {
        let [row, column] = [cell / 9 % 9, cell % 9];
        self.change_digit(digit, |clues, here| clues & !(here & 1 << row));
        self.line_clues[row] &= !(1 << column);
        self.line_clues[9 + column] &= !(1 << row);
    }

    /// Puts a clue back.
    pub(super) fn put_back(&mut self, cell: usize, digit: u8) {
        let [row, column] = [cell / 9 % 9, cell % 9];
        self.change_digit(digit, |clues, here| clues | here & 1 << row);
        self.line_clues[row] |= 1 << column;
        self.line_clues[9 + column] |= 1 << row;
    }

    /// Changes the places of a digit; `here` is all ones for that digit and 0 for the others. All are written, the
    /// lowest eight as a vector: one that is read back soon would wait for single writes.
    #[inline(always)]
    fn change_digit(&mut self, digit: u8, change: impl Fn(PlaceSet, PlaceSet) -> PlaceSet) {
        let digit = u16::from(digit - 1);
        for (place, clues) in (0..).zip(&mut self.digit_clues) {
            *clues = change(*clues, u16::from(place == digit).wrapping_neg());
        }
    }
}

/// Returns the next two rows of a row's band, cyclically, or columns of a column's stack; columns count from
/// 9.
fn after(line: usize) -> [usize; 2] {
    let first = line / 3 * 3;
    [first + (line + 1) % 3, first + (line + 2) % 3]
}

/// The places of each digit.
struct Positions {
    /// By column and digit: the row, as a set.
    in_column: [[PlaceSet; 9]; 9],
    /// By box and digit: the row, as a set.
    in_box: [[PlaceSet; 9]; 9],
    /// By row and digit: the column.
    columns: [[u8; 9]; 9],
}

impl Positions {
    fn of(grid: &[u8; CELLS]) -> Positions {
        let mut positions = Positions { in_column: [[0; 9]; 9], in_box: [[0; 9]; 9], columns: [[0; 9]; 9] };
        for row in 0..9 {
            for column in 0..9 {
                let digit = usize::from(grid[9 * row + column] - 1) % 9;
                positions.columns[row][digit] = column as u8;
                positions.in_column[column][digit] = 1 << row;
                positions.in_box[row / 3 * 3 + column / 3][digit] = 1 << row;
            }
        }
        positions
    }

    /// Returns for each row, and each other digit, the rows that following columns and boxes reaches.
    fn digit_classes(&self, digit: usize) -> [Others; 9] {
        let mut reached = [[0; 8]; 9];
        for row in 0..9 {
            let column = usize::from(self.columns[row][digit]) % 9;
            let in_column = others(&self.in_column[column], digit);
            let in_box = others(&self.in_box[row / 3 * 3 + column / 3], digit);
            for other in 0..8 {
                reached[row][other] = 1 << row | in_column[other] | in_box[other];
            }
        }
        // The transitive closure, by Warshall's algorithm for eight digits at once: `over` is the next row
        // that paths may pass through.
        for over in 0..9 {
            let from_there = reached[over];
            for row in 0..9 {
                for other in 0..8 {
                    let leads_there = (reached[row][other] >> over & 1).wrapping_neg();
                    reached[row][other] |= from_there[other] & leads_there;
                }
            }
        }
        reached
    }

    /// Returns the classes of places of two neighbouring lines: the cycles of going from a digit of one line
    /// to the same digit of the other.
    fn line_classes(&self, grid: &[u8; CELLS], line: usize, other: usize) -> [PlaceSet; 9] {
        let next: [usize; 9] = std::array::from_fn(|place| {
            let cell = if line < 9 { 9 * line + place } else { 9 * place + line - 9 };
            let digit = usize::from(grid[cell] - 1) % 9;
            if line < 9 {
                self.columns[other][digit].into()
            } else {
                self.in_column[other - 9][digit].trailing_zeros() as usize
            }
        });
        let mut classes = [0; 9];
        let mut left = ALL;
        while left != 0 {
            let (mut class, mut place) = (0, left.trailing_zeros() as usize);
            while class >> place & 1 == 0 {
                class |= 1 << place;
                place = next[place] % 9;
            }
            left &= !class;
            for place in 0..9 {
                classes[place] |= class & (class >> place & 1).wrapping_neg();
            }
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{FullGrids, GridMethod};
    use crate::grid::{Puzzle, Shape};
    use crate::solver::{Bitmask, SolutionLimit, Solver};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom;

    /// Checks that there is another solution without a clue that is needed, and that nearly half of those are
    /// found.
    #[test]
    fn a_needed_clue_is_needed() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let (mut needed, mut overlooked) = (0, 0);
        for _ in 0..30 {
            let grid = FullGrids::new(Shape::CLASSIC, GridMethod::Backtracking).make(&mut rng);
            let mut clues: [u8; CELLS] = grid.clone().try_into().unwrap();
            let mut swaps = Swaps::of(&clues);
            let mut order: Vec<usize> = (0..CELLS).collect();
            order.shuffle(&mut rng);
            for cell in order {
                let digit = std::mem::take(&mut clues[cell]);
                let puzzle = Puzzle::from_cells(clues).unwrap();
                let is_proper = Bitmask::new().solve(&puzzle, SolutionLimit::UNIQUENESS).solutions == 1;
                let needs = swaps.needs(cell, digit);
                assert!(!(needs && is_proper), "{puzzle} {cell}");
                swaps.take(cell, digit);
                if !is_proper {
                    (needed, overlooked) = (needed + u32::from(needs), overlooked + u32::from(!needs));
                    clues[cell] = digit;
                    swaps.put_back(cell, digit);
                }
            }
        }
        assert!(5 * needed > 3 * overlooked, "{needed} {overlooked}");
    }
}
