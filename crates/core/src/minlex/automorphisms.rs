//! Listing the automorphisms of a puzzle: the ways to move its cells that change nothing but the names of
//! digits.
//!
//! For each order of the columns, rows are put in place one after the other, as long as the digits so far can
//! be renamed to those of the puzzle. An order of columns almost always fails in the first row or two. So a
//! puzzle takes less than a millisecond, unless it has many automorphisms.

use super::{Minlex, Transform};
use crate::grid::{line_orders, may_follow, rules};
use crate::solver::Clues;

impl Transform {
    /// Lists the transforms that lead from a puzzle to itself, including the one that changes nothing. There
    /// is one for each way to move the cells, as many as
    /// [`Canonical::automorphisms`](super::Canonical::automorphisms) counts. Those without a transposition
    /// come first, in the order of their rows and then of their columns. Digits that do not occur in the
    /// puzzle keep their order. `None` for a puzzle without a minlex form.
    ///
    /// ```
    /// use gridmill_core::grid::{Grid, Shape};
    /// use gridmill_core::minlex::Transform;
    /// use gridmill_core::solver::Solvable;
    ///
    /// let cells = vec![1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1];
    /// let grid = Grid::new(Shape::new(2, 2).unwrap(), cells).unwrap();
    /// let automorphisms = Transform::automorphisms(grid.clues()).unwrap();
    /// assert_eq!(automorphisms.len(), 32);
    /// assert_eq!(automorphisms[0].to_string(), "-/1234/1234/1234");
    /// assert!(automorphisms.iter().all(|it| it.isomorphism().apply(&grid) == grid));
    /// ```
    #[must_use]
    pub fn automorphisms(Clues { shape, cells }: Clues<'_>) -> Option<Vec<Transform>> {
        if !Minlex::serves(shape) || rules::find_conflict(shape, cells).is_some() {
            return None;
        }
        let is_square = shape.box_rows() == shape.box_columns();
        let orders = line_orders(shape.side(), shape.box_columns());
        let mut found = Vec::new();
        for transposed in [false, true].into_iter().filter(|&transposed| is_square || !transposed) {
            for &columns in &orders {
                let begun = Transform { transposed, columns, digits: [0; 10], ..Transform::identity(shape) };
                begun.extend_to_automorphisms(cells, 0, &mut found);
            }
        }
        found.sort_unstable_by_key(|it| (it.transposed, it.rows, it.columns));
        Some(found)
    }

    /// Adds the automorphisms whose first `done` rows are those of this transform.
    fn extend_to_automorphisms(self, cells: &[u8], done: usize, found: &mut Vec<Transform>) {
        let side = self.shape.side();
        if done == side {
            return found.push(self.with_all_names());
        }
        for row in 0..side as u8 {
            let mut next = self;
            next.rows[done] = row;
            if may_follow(&self.rows[..done], row, self.shape.box_rows()) && next.name_row_digits(cells, done)
            {
                next.extend_to_automorphisms(cells, done + 1, found);
            }
        }
    }

    /// Gives each digit that moves to a row the name of the digit that is there. Returns whether that is possible for
    /// all of them.
    fn name_row_digits(&mut self, cells: &[u8], row: usize) -> bool {
        let side = self.shape.side();
        (0..side).all(|column| {
            let (from, to) = (cells[self.source(row, column)], cells[side * row + column]);
            let name = self.digits[usize::from(from)];
            if from == 0 || to == 0 || name != 0 {
                return name == to && (from == 0) == (to == 0);
            }
            let is_free = !self.digits.contains(&to);
            self.digits[usize::from(from)] = to;
            is_free
        })
    }

    /// Gives the digits without a name the names that are left, in order.
    fn with_all_names(mut self) -> Transform {
        let side = self.shape.side();
        let named = self.digits;
        let mut left = (1..=side as u8).filter(|name| !named[1..].contains(name));
        let unnamed = self.digits[1..=side].iter_mut().filter(|name| **name == 0);
        unnamed.zip(&mut left).for_each(|(name, new)| *name = new);
        // Entries above the side belong to no digit.
        let identity = Transform::identity(self.shape).digits;
        self.digits[side + 1..].copy_from_slice(&identity[side + 1..]);
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;
    use crate::grid::{Grid, Isomorphism, Shape};
    use crate::solver::Solvable;

    /// Checks that the automorphisms of a puzzle lead to itself, are different, and are as many as are
    /// counted.
    fn check(puzzle: &Grid) -> usize {
        let found = Transform::automorphisms(puzzle.clues()).unwrap();
        assert!(found.iter().all(|it| it.isomorphism().apply(puzzle) == *puzzle), "{puzzle}");
        assert_eq!(found.iter().map(Transform::to_string).collect::<HashSet<_>>().len(), found.len());
        let counted = Minlex::new().canonical_cells(puzzle.clues()).unwrap().automorphisms;
        assert_eq!(found.len(), counted as usize, "{puzzle}");
        assert!(found.contains(&Transform::identity(puzzle.shape())));
        assert_eq!(found[0].rows, Transform::identity(puzzle.shape()).rows);
        found.len()
    }

    fn grid(shape: &str, line: &str) -> Grid {
        let cells = line.bytes().map(|cell| if cell == b'.' { 0 } else { cell - b'0' }).collect();
        Grid::new(shape.parse().unwrap(), cells).unwrap()
    }

    #[test]
    fn automorphisms_keep_the_puzzle_and_match_their_count() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (shape, line, count) in [
            ("3x3", "123456789456789123789123456231564897564897231897231564312645978645978312978312645", 648),
            ("3x3", "123456789456789123789123456214365897365897214897214365531642978642978531978531642", 3),
            ("3x3", "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79", 1),
            ("2x2", "1234341221434321", 32),
            ("2x2", "1.............2.", 1),
            ("2x3", "1...........2.......................", 1),
        ] {
            let puzzle = grid(shape, line);
            let found = check(&puzzle);
            assert!(count == 1 || found == count, "{line}: {found}");
            let disguised = Isomorphism::random(puzzle.shape(), &mut rng).apply(&puzzle);
            assert_eq!(check(&disguised), found);
        }
        assert_eq!(check(&Grid::empty("2x2".parse().unwrap())), 128);
        assert_eq!(check(&Grid::empty("2x3".parse().unwrap())), 3_456);
    }

    #[test]
    fn puzzles_without_a_form_have_no_automorphisms() {
        let conflict = grid("2x2", "11..............");
        assert_eq!(Transform::automorphisms(conflict.clues()), None);
        assert_eq!(Transform::automorphisms(Grid::empty(Shape::new(4, 4).unwrap()).clues()), None);
    }
}
