//! Full grids, from which puzzles are dug: random ones, those around given digits, and a given one.
//!
//! [`RandomFill`] makes random grids of any shape, by search:
//!
//! ```text
//! take the blank with the fewest candidates, the first of several, and put a random one of them there
//! remove the digit from the cell's peers; if one has no candidate left: back to the last cell with another choice
//! too many steps back: give up, so that the caller starts again
//! ```
//!
//! Large grids are possible because the search starts again. A wrong choice among the first cells of a 25x25
//! grid shows only hundreds of cells later, and no search would ever come back to it; new random digits solve
//! the problem.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::Recipe;
use super::digger::grid;
use crate::grid::{CELLS, Cell, Digit, DigitSet, House, Isomorphism, Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::{
    AnyBitmask, Bounds, Lockstep, Outcome, Request, SearchEnd, SolutionEngine, SolutionLimit, Solver,
};

/// How many random fills are tried around given digits before a complete search.
const FILLS: usize = 20;

named! {
    /// A method to make full grids. Each grid is then transformed by a random isomorphism, so that no digit
    /// and no place is special.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum GridMethod {
        /// Draws the first band and the first stack at random, each possible pair equally likely, and
        /// searches for the rest. Any grid may result. It is fast, but for the classic shape only.
        Bands = "bands",
        /// Searches at random over all cells. Any grid may result.
        Backtracking = "backtracking",
        /// Draws one random box for the corner, and makes the other boxes by cycling its rows and columns.
        /// This is the fastest method, but all its grids have the same pattern: of the 5,472,730,538 classic
        /// grids that differ by more than an isomorphism it makes only one, and likewise for every other
        /// shape.
        Cycle = "cycle",
        /// Draws the boxes on the diagonal at random, and searches at random for the rest. Any grid may
        /// result.
        Diagonal = "diagonal",
    }
}

impl GridMethod {
    /// The default method for a shape.
    #[must_use]
    pub fn usual(shape: Shape) -> GridMethod {
        if shape == Shape::CLASSIC { GridMethod::Bands } else { GridMethod::Backtracking }
    }

    /// Checks whether the method can make grids of that shape.
    #[must_use]
    pub fn suits(self, shape: Shape) -> bool {
        self != GridMethod::Bands || shape == Shape::CLASSIC
    }
}

/// Makes random full grids of one shape.
///
/// ```
/// use gridmill_core::generate::{FullGrids, GridMethod};
/// use gridmill_core::grid::{Shape, rules};
/// use gridmill_core::simd::Backend;
/// use rand::SeedableRng;
///
/// let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
/// let grid = FullGrids::new(Shape::CLASSIC, GridMethod::Backtracking, Backend::best()).make(&mut rng);
/// assert!(rules::is_valid_grid(Shape::CLASSIC, &grid));
/// ```
#[derive(Debug)]
pub struct FullGrids {
    shape: Shape,
    method: GridMethod,
    fill: RandomFill,
    /// The engine that completes grids which begin with a band and a stack.
    engine: Lockstep,
}

impl FullGrids {
    /// Makes grids of a shape by a method. `backend` is for the lockstep engine.
    ///
    /// # Panics
    ///
    /// If the method does not suit the shape.
    #[must_use]
    pub fn new(shape: Shape, method: GridMethod, backend: Backend) -> FullGrids {
        assert!(method.suits(shape), "{} does not make {shape} grids", method.name());
        let engine = Lockstep::with_backend(backend).unwrap_or_default();
        FullGrids { shape, method, fill: RandomFill::new(shape), engine }
    }

    /// Makes a random grid: its digits in reading order.
    #[must_use]
    pub fn make(&mut self, rng: &mut impl Rng) -> Vec<u8> {
        let made = self.make_all(std::slice::from_mut(rng), &AtomicBool::new(false));
        made.expect("nothing stops it").remove(0)
    }

    /// Makes a grid for a recipe from each source of random numbers: the given grid, one around given digits,
    /// or any grid. `None` if `stop` became true.
    pub(super) fn make_for(
        &mut self,
        recipe: &Recipe,
        rngs: &mut [impl Rng],
        stop: &AtomicBool,
    ) -> Option<Vec<Vec<u8>>> {
        match (&recipe.solution, &recipe.digits) {
            (Some(solution), _) => Some(vec![solution.clone(); rngs.len()]),
            (None, Some(digits)) => rngs.iter_mut().map(|rng| self.around(digits, rng, stop)).collect(),
            (None, None) => self.make_all(rngs, stop),
        }
    }

    /// Makes a random grid from each source of random numbers, or `None` if `stop` became true. With
    /// [`GridMethod::Bands`] this is cheaper than one by one, because the engine gets batches.
    fn make_all<R: Rng>(&mut self, rngs: &mut [R], stop: &AtomicBool) -> Option<Vec<Vec<u8>>> {
        if self.method == GridMethod::Bands {
            return Some(self.around_bands(rngs));
        }
        let shape = self.shape;
        let one = |rng: &mut R| {
            let isomorphism = Isomorphism::random(shape, rng);
            let grid = match self.method {
                GridMethod::Cycle => cycled(shape, rng),
                GridMethod::Diagonal => self.filled(usize::MAX, rng, stop, |rng| diagonal(shape, rng))?,
                GridMethod::Bands | GridMethod::Backtracking => {
                    self.filled(usize::MAX, rng, stop, |_| vec![0; shape.cells()])?
                }
            };
            Some(isomorphism.apply_to_cells(&grid))
        };
        rngs.iter_mut().map(one).collect()
    }

    /// Makes a grid with a random band and stack from each source of random numbers.
    fn around_bands(&mut self, rngs: &mut [impl Rng]) -> Vec<Vec<u8>> {
        let starts: Vec<Puzzle> = rngs.iter_mut().map(band_and_stack).collect();
        let mut outcomes = vec![Outcome::NONE; starts.len()];
        self.engine.solve_batch(&starts, SolutionLimit::FIRST, &mut outcomes);
        let mut grids = Vec::with_capacity(starts.len());
        for (outcome, rng) in outcomes.into_iter().zip(rngs) {
            let mut found = outcome.solution;
            while found.is_none() {
                found = self.engine.solve(&band_and_stack(rng), SolutionLimit::FIRST).solution;
            }
            grids.extend(found.map(|grid| Isomorphism::random(self.shape, rng).apply_to_cells(grid.cells())));
        }
        grids
    }

    /// Runs up to `searches` searches, until one succeeds. `None` if none does, or if `stop` became true.
    fn filled<R: Rng>(
        &mut self,
        searches: usize,
        rng: &mut R,
        stop: &AtomicBool,
        begin: impl Fn(&mut R) -> Vec<u8>,
    ) -> Option<Vec<u8>> {
        (0..searches).take_while(|_| !stop.load(Ordering::Relaxed)).find_map(|_| {
            let begun = begin(rng);
            self.fill.fill(&begun, rng).map(<[u8]>::to_vec)
        })
    }

    /// Makes a random grid with given digits, 0 for any digit. `None` if there is none, or if `stop` became
    /// true.
    fn around(&mut self, digits: &[u8], rng: &mut impl Rng, stop: &AtomicBool) -> Option<Vec<u8>> {
        let filled = self.filled(FILLS, rng, stop, |_| digits.to_vec());
        filled.or_else(|| search_around(self.shape, digits, rng, stop))
    }
}

/// Makes a grid of one random box by cycling. In each box further to the right its rows move on by one, and
/// in each box further down its columns move on by one. So a row that runs through several boxes gets all
/// rows of the first one, and a column gets all columns.
fn cycled(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let (high, wide) = (shape.box_rows(), shape.box_columns());
    let first = shuffled_digits(shape, rng);
    let cell = |row: usize, column: usize| {
        let (band, stack) = (row / high, column / wide);
        first[(row + stack) % high * wide + (column + band) % wide]
    };
    let side = shape.side();
    (0..side).flat_map(|row| (0..side).map(move |column| cell(row, column))).collect()
}

/// Puts random digits into boxes that share no row and no column.
fn diagonal(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let mut cells = vec![0; shape.cells()];
    let (bands, stacks) = (shape.box_columns(), shape.box_rows());
    for number in 0..bands.min(stacks) {
        let digits = shuffled_digits(shape, rng);
        let house = House::Box(number * stacks + number);
        house.cells(shape).zip(digits).for_each(|(cell, digit)| cells[cell.index()] = digit);
    }
    cells
}

fn shuffled_digits(shape: Shape, rng: &mut impl Rng) -> Vec<u8> {
    let mut digits: Vec<u8> = (1..=shape.side() as u8).collect();
    digits.shuffle(rng);
    digits
}

/// Three digits in a row of a box.
type Mini = [u8; 3];

/// Draws a random band and a random stack that share their first box, all equally likely. The other cells are
/// 0, and the lockstep engine fills them in. (In a test, all of 100,000 such starts could be completed.)
fn band_and_stack(rng: &mut impl Rng) -> Puzzle {
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
    Puzzle::from_cells(cells).expect("digits from 1 to 9")
}

/// Draws random rows for the two boxes beside a box with those rows. (A stack is a transposed band, so the
/// function serves both.)
///
/// Beside a box with the rows `A`, `B`, `C`, taken as sets, the rows of the two other boxes can be split in
/// 56 ways. In one way, whole rows move on: `B C A` in one box and `C A B` in the other. In the others, one
/// digit of each row is the odd one out: `a`, `b` and `c`:
///
/// ```text
///        box 1   one box       the other box
/// row 1    A     b + C less c    c + B less b
/// row 2    B     c + A less a    a + C less c
/// row 3    C     a + B less b    b + A less a
/// ```
///
/// That makes 1 + 27 ways, and twice as many because the two boxes can be exchanged. Within its row of a box,
/// each digit can be in any place.
fn beside([a, b, c]: [Mini; 3], rng: &mut impl Rng) -> [[Mini; 3]; 2] {
    let mut boxes = match rng.random_range(0..28_u32) {
        0 => [[b, c, a], [c, a, b]],
        way => {
            let (one, two, three) =
                ((way - 1) as usize % 3, (way - 1) as usize / 3 % 3, (way - 1) as usize / 9);
            // The odd digit comes first in each row.
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

/// Finds a full grid with the given digits: renames the digits at random, searches for the first solution, and renames
/// them back. The search is complete, because random fills may miss the few grids that many given digits allow. `None`
/// if there is none, or if `stop` became true.
fn search_around(shape: Shape, digits: &[u8], rng: &mut impl Rng, stop: &AtomicBool) -> Option<Vec<u8>> {
    let mut names: Vec<u8> = (0..=shape.side() as u8).collect();
    names[1..].shuffle(rng);
    let renamed: Vec<u8> = digits.iter().map(|&digit| names[usize::from(digit)]).collect();
    let mut found = [Outcome::NONE];
    let request = Request { stop, ..Request::solve(SolutionLimit::FIRST) };
    AnyBitmask::new().solve_until(&[grid(shape, &renamed)], &request, &mut found);
    let digit = |name: &u8| names.iter().position(|other| other == name).unwrap_or(0) as u8;
    let [Outcome { solution, .. }] = found;
    solution.map(|grid| grid.cells().iter().map(digit).collect())
}

/// Checks whether any grid has the digits. It also returns true if the guesses run out before that is known.
pub(super) fn is_possible(shape: Shape, digits: &[u8], guesses: u64) -> bool {
    let bounds = Bounds { guesses, ..Bounds::solutions(1) };
    let searched = AnyBitmask::new().count(&grid(shape, digits), &bounds);
    searched.solutions > 0 || searched.end == SearchEnd::Budget
}

/// After how many steps back a search starts again, as a multiple of the number of cells.
const PATIENCE: usize = 4;

/// The count of a filled cell. It is larger than the number of candidates of any cell.
const FILLED: u8 = u8::MAX;

/// Fills grids of one shape at random.
#[derive(Debug)]
struct RandomFill {
    shape: Shape,
    /// For each cell, the cells that it sees. Every cell has equally many.
    peers: Vec<u16>,
    grid: Vec<u8>,
    candidates: Vec<DigitSet>,
    /// How many candidates each cell has, or [`FILLED`].
    counts: Vec<u8>,
    steps: Vec<FillStep>,
    /// The cells that lost a candidate, step after step.
    trail: Vec<u16>,
}

/// A digit that was put into a cell.
#[derive(Clone, Copy, Debug)]
struct FillStep {
    cell: u16,
    digit: Digit,
    candidates: DigitSet,
    /// The candidates that have not been tried.
    untried: DigitSet,
    /// Where the step begins in the trail.
    trail: usize,
}

impl RandomFill {
    fn new(shape: Shape) -> RandomFill {
        let seen = |cell: Cell| Cell::all(shape).filter(move |&other| cell.sees(other, shape));
        let peers = Cell::all(shape).flat_map(seen).map(|peer| peer.index() as u16).collect();
        RandomFill {
            shape,
            peers,
            grid: vec![0; shape.cells()],
            candidates: vec![DigitSet::EMPTY; shape.cells()],
            counts: vec![0; shape.cells()],
            steps: Vec::with_capacity(shape.cells()),
            trail: Vec::new(),
        }
    }

    /// Makes a random grid that has the given digits, 0 for any digit. `None` if there is none, or if the
    /// search took too long, so that the caller should start again.
    fn fill(&mut self, given: &[u8], rng: &mut impl Rng) -> Option<&[u8]> {
        self.start(given);
        let mut patience = PATIENCE * self.grid.len();
        while let Some(cell) = self.most_constrained() {
            let candidates = self.candidates[cell];
            let mut fits = !candidates.is_empty() && self.put(cell, candidates, candidates, rng);
            while !fits {
                patience = patience.checked_sub(1)?;
                fits = self.try_next(rng)?;
            }
        }
        Some(&self.grid)
    }

    fn start(&mut self, given: &[u8]) {
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

    /// The blank with the fewest candidates; `None` if there is no blank.
    fn most_constrained(&self) -> Option<usize> {
        // There are two passes over bytes (a minimum and a search), because both become vector code.
        let fewest = self.counts.iter().fold(FILLED, |fewest, &count| fewest.min(count));
        (fewest != FILLED).then(|| memchr::memchr(fewest, &self.counts)).flatten()
    }

    /// Puts one of the untried digits into a cell. Returns false if that leaves a peer without a candidate.
    fn put(&mut self, cell: usize, candidates: DigitSet, untried: DigitSet, rng: &mut impl Rng) -> bool {
        let digit = pick(untried, rng);
        let trail = self.trail.len();
        self.steps.push(FillStep {
            cell: cell as u16,
            digit,
            candidates,
            untried: untried.without(digit),
            trail,
        });
        self.take(cell, digit)
    }

    /// Writes a digit, and removes it from the cell's peers. Returns false if that leaves one of them without
    /// a candidate.
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

    /// Undoes steps up to one that has another choice, and takes that choice. Returns whether it fits, or
    /// `None` if no step has another choice.
    fn try_next(&mut self, rng: &mut impl Rng) -> Option<bool> {
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

/// Draws a random digit from a set that is not empty.
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
    fn every_method_makes_valid_grids_of_every_shape() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for (high, wide) in [(2, 2), (2, 3), (3, 2), (2, 5), (3, 3), (3, 4), (4, 4), (5, 5)] {
            let shape = Shape::new(high, wide).unwrap();
            for method in GridMethod::ALL.into_iter().filter(|method| method.suits(shape)) {
                let mut grids = FullGrids::new(shape, method, Backend::best());
                let (one, other) = (grids.make(&mut rng), grids.make(&mut rng));
                assert!(rules::is_valid_grid(shape, &one), "{method:?} {shape}");
                assert!(rules::is_valid_grid(shape, &other), "{method:?} {shape}");
                assert!(shape.side() < 9 || one != other, "{method:?} {shape}");
            }
        }
    }
}

#[cfg(test)]
mod band_tests {
    use super::*;
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use std::collections::HashMap;

    #[test]
    fn bands_and_stacks_hold_no_digit_twice_in_a_house() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..500 {
            let puzzle = band_and_stack(&mut rng);
            assert_eq!(puzzle.clue_count(), 45);
            assert_eq!(rules::find_conflict(Shape::CLASSIC, puzzle.cells()), None);
        }
    }

    /// Checks that all 56 splits of the rows occur, about equally often.
    #[test]
    fn all_splits_are_equally_likely() {
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

#[cfg(test)]
mod source_tests {
    use super::*;
    use crate::generate::{Generator, RecipeError};
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn digits(line: &str) -> Vec<u8> {
        line.bytes().map(|byte| byte.saturating_sub(b'0') * u8::from(byte != b'.')).collect()
    }

    #[test]
    fn grids_have_the_given_digits_and_differ() {
        let mut few = digits(LINE);
        few[20..].fill(0);
        for given in [digits(LINE), few] {
            let mut rngs: Vec<ChaCha8Rng> = (0..3).map(ChaCha8Rng::seed_from_u64).collect();
            let search = |rng| search_around(Shape::CLASSIC, &given, rng, &AtomicBool::new(false)).unwrap();
            let searched: Vec<_> = rngs.iter_mut().map(search).collect();
            let is_proper = given[20..].iter().any(|&digit| digit != 0);
            assert_eq!(searched[0] == searched[1], is_proper);
            let recipe = Recipe {
                pattern: Some(given.iter().map(|&digit| digit != 0).collect()),
                digits: Some(given.clone()),
                ..Recipe::default()
            };
            let method = GridMethod::usual(recipe.shape);
            let mut grids = FullGrids::new(recipe.shape, method, Backend::Portable);
            let made = grids.make_for(&recipe, &mut rngs, &AtomicBool::new(false)).unwrap();
            for grid in made.iter().chain(&searched) {
                assert!(rules::is_solution(Shape::CLASSIC, &given, grid));
            }
        }
    }

    #[test]
    fn a_given_grid_is_dug() {
        let solution: Vec<u8> =
            (0..81).map(|cell| (cell / 9 * 3 + cell / 27 + cell % 9) as u8 % 9 + 1).collect();
        let recipe = Recipe { solution: Some(solution.clone()), ..Recipe::default() };
        let made = Generator::new(&recipe, 1, None).unwrap().attempts(0..5);
        let made: Vec<_> = made.into_iter().flatten().collect();
        assert_eq!(made.len(), 5);
        assert!(made.iter().all(|made| made.solution.cells() == solution));
        assert_ne!(made[0].puzzle, made[1].puzzle);
    }

    #[test]
    fn impossible_digits_are_rejected() {
        let recipe = |line: &str| {
            let digits = digits(line);
            let pattern = Some(digits.iter().map(|&digit| digit != 0).collect());
            Recipe { pattern, digits: Some(digits), ..Recipe::default() }.check()
        };
        assert_eq!(recipe(LINE), Ok(()));
        let twice = LINE.replacen('3', "5", 1);
        assert!(matches!(recipe(&twice), Err(RecipeError::PatternConflict { .. })));
        // The third cell can only be 4, and then the 2 of the fifth row has no place.
        let none = LINE.replacen("53..", "531.", 1);
        assert_eq!(recipe(&none), Err(RecipeError::NoGrid));
    }
}

#[cfg(test)]
mod fill_tests {
    use super::*;
    use crate::grid::rules;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    #[test]
    fn every_shape_is_filled_around_given_digits() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for (high, wide) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 6), (4, 4), (5, 5)] {
            let shape = Shape::new(high, wide).unwrap();
            let mut fill = RandomFill::new(shape);
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
    fn impossible_grids_are_not_filled() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut fill = RandomFill::new(Shape::new(2, 2).unwrap());
        // The third cell sees 1, 2, 3 and 4.
        assert_eq!(fill.fill(&[1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0], &mut rng), None);
    }

    /// Checks that each digit is equally likely in the first cell, and that the filled grids differ.
    #[test]
    fn the_first_digit_is_random() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut fill = RandomFill::new(Shape::CLASSIC);
        let mut seen = [0; 10];
        for _ in 0..900 {
            seen[usize::from(fill.fill(&[0; 81], &mut rng).unwrap()[0])] += 1;
        }
        assert!(seen[1..].iter().all(|count| (60..140).contains(count)), "{seen:?}");
    }
}
