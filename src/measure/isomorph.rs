//! The same puzzle in disguise.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::grid::{CELLS, Puzzle};

/// A change that leaves a Sudoku as hard as it was: digits renamed, the grid perhaps transposed, bands and
/// stacks, rows in a band and columns in a stack put in another order.
///
/// ```
/// use gridmill::grid::Puzzle;
/// use gridmill::measure::Isomorphism;
/// use rand::SeedableRng;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
/// let disguised = Isomorphism::random(&mut rng).apply(&puzzle);
/// assert_eq!(disguised.clue_count(), puzzle.clue_count());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isomorphism {
    /// For each cell, the one that its content comes from.
    from: [u8; CELLS],
    /// For each digit, 0 for none, its new name.
    digits: [u8; 10],
}

impl Isomorphism {
    /// One of all 1,218,998,108,160, each as likely as any other.
    #[must_use]
    pub fn random(rng: &mut impl Rng) -> Isomorphism {
        let (rows, columns) = (lines(rng), lines(rng));
        let transposed = rng.random_bool(0.5);
        let from = std::array::from_fn(|cell| {
            let (row, column) = (rows[cell / 9], columns[cell % 9]);
            if transposed { 9 * column + row } else { 9 * row + column }
        });
        let mut digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        digits[1..].shuffle(rng);
        Isomorphism { from, digits }
    }

    /// The puzzle in its new form.
    #[must_use]
    pub fn apply(&self, puzzle: &Puzzle) -> Puzzle {
        let cells = self.from.map(|cell| self.digits[puzzle.cells()[cell as usize] as usize]);
        Puzzle::from_cells(cells).expect("digits are renamed to digits")
    }
}

/// The nine lines of one direction: three groups in random order, and the lines of each.
fn lines(rng: &mut impl Rng) -> [u8; 9] {
    let mut groups = [0, 1, 2];
    groups.shuffle(rng);
    let mut lines = [0; 9];
    for (group, lines) in groups.into_iter().zip(lines.as_chunks_mut::<3>().0) {
        *lines = [3 * group, 3 * group + 1, 3 * group + 2];
        lines.shuffle(rng);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::rules::is_solution;
    use crate::grid::{Shape, Solution};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn a_solution_stays_one() {
        let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let grid: Puzzle = line.parse().unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut seen = Vec::new();
        for _ in 0..200 {
            let other = Isomorphism::random(&mut rng).apply(&grid);
            let solution = Solution::from_cells(*other.cells()).unwrap();
            assert!(is_solution(Shape::CLASSIC, &[0; CELLS], solution.cells()), "{other}");
            seen.push(*other.cells());
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 200);
    }
}
