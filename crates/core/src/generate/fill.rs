//! Random full grids of any shape, by search.
//!
//! ```text
//! take the blank with the fewest candidates, the first of several, and put a random one of them there
//! the candidate leaves the cell's peers; if one is left with none: back to the last cell with another choice
//! too many steps back: give up, for the caller to begin again
//! ```
//!
//! New beginnings make large grids possible. A wrong choice among the first cells of a 25x25 grid shows
//! hundreds of cells later, and no search would ever come back to it; new random digits do.

use rand::{Rng, RngExt};

use crate::grid::{Cell, Digit, DigitSet, Shape};

/// Steps back, as a multiple of the cells, after which a search begins again.
const PATIENCE: usize = 4;

/// The count of a filled cell: more than any cell has candidates.
const FILLED: u8 = u8::MAX;

/// Fills grids of one shape.
#[derive(Debug)]
pub(super) struct Fill {
    shape: Shape,
    /// For each cell, the cells that it sees, which are equally many.
    peers: Vec<u16>,
    grid: Vec<u8>,
    candidates: Vec<DigitSet>,
    /// How many candidates each cell has, or [`FILLED`].
    counts: Vec<u8>,
    steps: Vec<Step>,
    /// The cells that lost a candidate, step after step.
    trail: Vec<u16>,
}

/// A digit put into a cell.
#[derive(Clone, Copy, Debug)]
struct Step {
    cell: u16,
    digit: Digit,
    candidates: DigitSet,
    /// Candidates that have not been tried.
    untried: DigitSet,
    /// The start of the step in the trail.
    trail: usize,
}

impl Fill {
    pub(super) fn new(shape: Shape) -> Fill {
        let seen = |cell: Cell| Cell::all(shape).filter(move |&other| cell.sees(other, shape));
        let peers = Cell::all(shape).flat_map(seen).map(|peer| peer.index() as u16).collect();
        Fill {
            shape,
            peers,
            grid: vec![0; shape.cells()],
            candidates: vec![DigitSet::EMPTY; shape.cells()],
            counts: vec![0; shape.cells()],
            steps: Vec::with_capacity(shape.cells()),
            trail: Vec::new(),
        }
    }

    /// Returns a random grid that has those digits, 0 where any may stand. `None` if there is none, or if the
    /// search took too long: begin again then.
    pub(super) fn fill(&mut self, given: &[u8], rng: &mut impl Rng) -> Option<&[u8]> {
        self.begin(given);
        let mut patience = PATIENCE * self.grid.len();
        while let Some(cell) = self.most_constrained() {
            let candidates = self.candidates[cell];
            let mut fits = !candidates.is_empty() && self.put(cell, candidates, candidates, rng);
            while !fits {
                patience = patience.checked_sub(1)?;
                fits = self.try_another(rng)?;
            }
        }
        Some(&self.grid)
    }

    fn begin(&mut self, given: &[u8]) {
        let side = self.shape.side();
        self.grid.fill(0);
        self.candidates.fill(DigitSet::all(side));
        self.counts.fill(side as u8);
        self.steps.clear();
        self.trail.clear();
        for (cell, &digit) in given.iter().enumerate() {
            if let Some(digit) = Digit::new(digit) {
                self.take(cell, digit);
            }
        }
        self.trail.clear();
    }

    /// Returns the blank with the fewest candidates; `None` if there is no blank.
    fn most_constrained(&self) -> Option<usize> {
        // Two runs over bytes, a minimum and a search, which both become vector code.
        let fewest = self.counts.iter().fold(FILLED, |fewest, &count| fewest.min(count));
        (fewest != FILLED).then(|| memchr::memchr(fewest, &self.counts)).flatten()
    }

    /// Puts one of the untried digits into a cell. Returns false if that leaves a peer without a candidate.
    fn put(&mut self, cell: usize, candidates: DigitSet, untried: DigitSet, rng: &mut impl Rng) -> bool {
        let digit = pick(untried, rng);
        let trail = self.trail.len();
        self.steps.push(Step {
            cell: cell as u16,
            digit,
            candidates,
            untried: untried.without(digit),
            trail,
        });
        self.take(cell, digit)
    }

    /// Writes a digit, and removes it from the cell's peers. Returns false if that leaves one without a
    /// candidate.
    fn take(&mut self, cell: usize, digit: Digit) -> bool {
        self.grid[cell] = digit.get();
        self.candidates[cell] = DigitSet::EMPTY;
        self.counts[cell] = FILLED;
        let peers = self.peers.len() / self.grid.len();
        let mut fits = true;
        for &peer in &self.peers[cell * peers..][..peers] {
            let candidates = &mut self.candidates[usize::from(peer)];
            if candidates.contains(digit) {
                *candidates = candidates.without(digit);
                let count = &mut self.counts[usize::from(peer)];
                *count -= 1;
                fits &= *count > 0;
                self.trail.push(peer);
            }
        }
        fits
    }

    /// Takes steps back up to one that has another choice, and takes that. Returns false if it does not fit,
    /// and `None` if there is none.
    fn try_another(&mut self, rng: &mut impl Rng) -> Option<bool> {
        while let Some(step) = self.steps.pop() {
            for peer in self.trail.drain(step.trail..).map(usize::from) {
                self.candidates[peer] = self.candidates[peer].with(step.digit);
                self.counts[peer] += 1;
            }
            let cell = usize::from(step.cell);
            self.grid[cell] = 0;
            self.candidates[cell] = step.candidates;
            self.counts[cell] = step.candidates.len() as u8;
            if !step.untried.is_empty() {
                return Some(self.put(cell, step.candidates, step.untried, rng));
            }
        }
        None
    }
}

/// Returns a random digit of a set that has one.
fn pick(set: DigitSet, rng: &mut impl Rng) -> Digit {
    let mut left = set;
    if !set.is_single() {
        for _ in 0..rng.random_range(0..set.len() as u32) {
            left = left.lowest().map_or(left, |digit| left.without(digit));
        }
    }
    left.lowest().expect("the set is not empty")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn every_shape_is_filled_and_what_is_given_stays() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (high, wide) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 6), (4, 4), (5, 5)] {
            let shape = Shape::new(high, wide).unwrap();
            let mut fill = Fill::new(shape);
            let mut given = vec![0; shape.cells()];
            let mut filled = 0;
            for _ in 0..20 {
                let Some(grid) = fill.fill(&given, &mut rng) else { continue };
                assert!(rules::is_solution(shape, &given, grid), "{shape}");
                given.copy_from_slice(grid);
                given.iter_mut().step_by(4).for_each(|cell| *cell = 0);
                filled += 1;
            }
            assert!(filled > 1, "{shape}");
        }
    }

    #[test]
    fn what_has_no_solution_is_not_filled() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut fill = Fill::new(Shape::new(2, 2).unwrap());
        // The third cell sees 1, 2, 3 and 4.
        assert_eq!(fill.fill(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0], &mut rng), None);
    }

    /// Checks that each digit is equally likely in the first cell, and that the filled grids differ.
    #[test]
    fn the_first_digit_is_random() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut fill = Fill::new(Shape::CLASSIC);
        let mut seen = [0; 10];
        for _ in 0..900 {
            seen[usize::from(fill.fill(&[0; 81], &mut rng).unwrap()[0])] += 1;
        }
        assert!(seen[1..].iter().all(|count| (60..140).contains(count)), "{seen:?}");
    }
}
