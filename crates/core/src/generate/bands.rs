//! Random classic grids, filled from a band and a stack.
//!
//! The first band and the first stack are drawn without a search, and the lockstep engine fills in the rest,
//! many grids at once. (Of 100,000 such beginnings every one could be filled.)
//!
//! Beside a box with the rows `A`, `B`, `C`, as sets, the rows of the two other boxes can be split in 56
//! ways. Either whole rows move on, `B C A` in one box and `C A B` in the other; or one digit of each row is
//! the odd one out, `a`, `b`, `c`:
//!
//! ```text
//!        box 1   one box       the other box
//! row 1    A     b + C less c    c + B less b
//! row 2    B     c + A less a    a + C less c
//! row 3    C     a + B less b    b + A less a
//! ```
//!
//! That makes 1 + 27 ways, and twice as many with the two boxes exchanged. Within its row of a box each digit
//! can stand anywhere. A stack is a transposed band.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::grid::{CELLS, Puzzle};
use crate::simd::Backend;
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solver};

/// Three digits in a row of a box.
type Mini = [u8; 3];

/// Makes grids, many at once.
#[derive(Debug)]
pub(super) struct BandFiller {
    engine: Lockstep,
    starts: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
}

impl BandFiller {
    pub(super) fn new(backend: Backend) -> BandFiller {
        let engine = Lockstep::with_backend(backend).unwrap_or_default();
        BandFiller { engine, starts: Vec::new(), outcomes: Vec::new() }
    }

    /// Makes a grid from each source of random numbers.
    pub(super) fn complete(&mut self, rngs: &mut [impl Rng]) {
        self.starts.clear();
        self.starts.extend(rngs.iter_mut().map(start));
        self.outcomes.resize(self.starts.len(), Outcome::NONE);
        self.engine.solve_batch(&self.starts, SolutionLimit::FIRST, &mut self.outcomes);
        for (outcome, rng) in self.outcomes.iter_mut().zip(rngs) {
            while outcome.solution.is_none() {
                *outcome = self.engine.solve(&start(rng), SolutionLimit::FIRST);
            }
        }
    }

    /// Returns one of the completed grids.
    pub(super) fn grid(&self, index: usize) -> &[u8; CELLS] {
        self.outcomes[index].solution.as_ref().expect("every start has been completed").cells()
    }
}

fn start(rng: &mut impl Rng) -> Puzzle {
    Puzzle::from_cells(band_and_stack(rng)).expect("digits from 1 to 9")
}

/// Returns a random band and a random stack that share their first box, all equally likely; 0 in the other
/// cells.
fn band_and_stack(rng: &mut impl Rng) -> [u8; CELLS] {
    let mut first = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    first.shuffle(rng);
    let rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8]].map(|mini: [usize; 3]| mini.map(|place| first[place]));
    let columns = std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]));
    let mut cells = [0; CELLS];
    for (place, digit) in first.into_iter().enumerate() {
        cells[place / 3 * 9 + place % 3] = digit;
    }
    for (beside, minis) in beside(rows, rng).into_iter().enumerate() {
        for (line, mini) in minis.into_iter().enumerate() {
            cells[9 * line + 3 * (beside + 1)..][..3].copy_from_slice(&mini);
        }
    }
    for (below, minis) in beside(columns, rng).into_iter().enumerate() {
        for (line, mini) in minis.into_iter().enumerate() {
            for (place, digit) in mini.into_iter().enumerate() {
                cells[9 * (3 * (below + 1) + place) + line] = digit;
            }
        }
    }
    cells
}

/// Returns random rows for the two boxes beside a box with those rows.
fn beside([a, b, c]: [Mini; 3], rng: &mut impl Rng) -> [[Mini; 3]; 2] {
    let mut boxes = match rng.random_range(0..28_u32) {
        0 => [[b, c, a], [c, a, b]],
        way => {
            let (one, two, three) =
                ((way - 1) as usize % 3, (way - 1) as usize / 3 % 3, (way - 1) as usize / 9);
            // The odd digit in front.
            let [a, b, c] = [(a, one), (b, two), (c, three)].map(|(mini, odd)| {
                let mut mini = mini;
                mini.swap(0, odd);
                mini
            });
            let join = |odd: Mini, others: Mini| [odd[0], others[1], others[2]];
            [[join(b, c), join(c, a), join(a, b)], [join(c, b), join(a, c), join(b, a)]]
        }
    };
    boxes.shuffle(rng);
    boxes.iter_mut().flatten().for_each(|mini| mini.shuffle(rng));
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Shape, rules};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::HashMap;

    #[test]
    fn bands_and_stacks_hold_no_digit_twice_in_a_house() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..500 {
            let cells = band_and_stack(&mut rng);
            assert_eq!(cells.iter().filter(|&&cell| cell != 0).count(), 45);
            assert_eq!(rules::find_conflict(Shape::CLASSIC, &cells), None);
        }
    }

    /// Checks that all 56 splits of the rows come, and about equally often.
    #[test]
    fn every_split_is_as_likely() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
        for _ in 0..28_000 {
            let [one, _] = beside([[1, 2, 3], [4, 5, 6], [7, 8, 9]], &mut rng);
            let sorted = one.into_iter().flat_map(|mut mini| {
                mini.sort_unstable();
                mini
            });
            *seen.entry(sorted.collect()).or_default() += 1;
        }
        assert_eq!(seen.len(), 56);
        assert!(seen.values().all(|count| (380..620).contains(count)), "{seen:?}");
    }
}
