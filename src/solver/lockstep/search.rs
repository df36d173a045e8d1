//! The lanes' lives: loaded, swept until something happens, branched, retired, refilled.

use std::ops::Range;
use std::time::Instant;

use super::guess::choose;
use super::sweep::{ALL, broken_lanes, sweep};
use crate::grid::{CELLS, Puzzle, Solution};
use crate::simd::{Masks, NO_MASKS, Simd};
use crate::solver::{Outcome, SolutionLimit};

/// A guess settles a cell, so no stack is deeper than this.
const DEPTH: usize = CELLS;

/// What one sweep costs, in shares: so many that dividing them among lanes loses nothing that matters, and
/// so few that a trillion sweeps can be added up.
const SWEEP: u64 = 1 << 24;

/// The candidates of a cell with that clue.
static MASK: [u16; 16] = [ALL, 1, 2, 4, 8, 16, 32, 64, 128, 256, 0, 0, 0, 0, 0, 0];

/// The digit of a mask with one bit.
static DIGIT: [u8; 512] = {
    let mut digits = [0; 512];
    let mut digit = 1;
    while digit <= 9 {
        digits[1 << (digit - 1)] = digit as u8;
        digit += 1;
    }
    digits
};

/// The search of one worker, on one backend.
pub(super) struct Search<S: Simd> {
    simd: S,
    cells: Box<[S::Row; CELLS]>,
    lanes: Vec<Lane>,
    /// For each lane, the states to come back to.
    saved: Box<[[Masks; DEPTH]]>,
    /// For each lane, the shares of sweeps charged to its puzzle.
    shares: [u64; 32],
}

/// The puzzle in a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    puzzle: usize,
    depth: usize,
}

impl<S: Simd> Search<S> {
    pub(super) fn new(simd: S) -> Search<S> {
        Search {
            simd,
            cells: Box::new([simd.row(0); CELLS]),
            lanes: vec![Lane::default(); S::LANES],
            saved: vec![[NO_MASKS; DEPTH]; S::LANES].into_boxed_slice(),
            shares: [0; 32],
        }
    }

    /// Solves a batch.
    #[inline(always)]
    pub(super) fn run(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]) {
        let begun = Instant::now();
        let mut waiting = 0..puzzles.len();
        let mut alive = 0;
        for lane in 0..S::LANES.min(puzzles.len()) {
            alive |= self.refill(lane, puzzles, &mut waiting, outcomes);
        }
        let mut sweeps = 0;
        while alive != 0 {
            let found = sweep(self.simd, &mut self.cells);
            sweeps += 1;
            let share = SWEEP / u64::from(alive.count_ones());
            self.shares.iter_mut().for_each(|shares| *shares += share);

            let mut ended = alive & found.dead;
            let solved = alive & !found.dead & found.single;
            if solved != 0 {
                ended |= solved;
                for lane in each(solved & !broken_lanes(self.simd, &self.cells)) {
                    self.count(lane, limit, outcomes);
                }
            }
            let stuck = alive & !found.dead & !found.single & !found.changed;
            if stuck != 0 {
                self.branch(stuck, outcomes);
            }
            for lane in each(ended) {
                if !self.come_back(lane) {
                    outcomes[self.lanes[lane].puzzle].nanos = self.shares[lane];
                    alive &= !(1 << lane);
                    alive |= self.refill(lane, puzzles, &mut waiting, outcomes);
                }
            }
        }
        charge(outcomes, sweeps, begun);
    }

    /// Puts the next puzzle into a lane. Returns the lane as a set, or nothing if no puzzle is left.
    #[inline(always)]
    fn refill(
        &mut self,
        lane: usize,
        puzzles: &[Puzzle],
        waiting: &mut Range<usize>,
        outcomes: &mut [Outcome],
    ) -> u32 {
        let Some(puzzle) = waiting.next() else { return 0 };
        outcomes[puzzle] = Outcome::NONE;
        self.lanes[lane] = Lane { puzzle, depth: 0 };
        self.shares[lane] = 0;
        let clues = puzzles[puzzle].cells();
        for cell in 0..CELLS {
            self.simd.set(&mut self.cells[cell], lane, MASK[clues[cell] as usize % MASK.len()]);
        }
        1 << lane
    }

    /// Counts the solution in a lane. At the limit the lane has nothing to come back to.
    #[inline(always)]
    fn count(&mut self, lane: usize, limit: SolutionLimit, outcomes: &mut [Outcome]) {
        let outcome = &mut outcomes[self.lanes[lane].puzzle];
        outcome.solutions += 1;
        if outcome.solution.is_none() {
            let mut digits = [0; CELLS];
            for cell in 0..CELLS {
                digits[cell] = DIGIT[self.simd.get(&self.cells[cell], lane) as usize % DIGIT.len()];
            }
            outcome.solution = Some(Solution::from_digits(digits));
        }
        if outcome.solutions == limit.get() {
            self.lanes[lane].depth = 0;
        }
    }

    /// Guesses in stuck lanes: each goes on with the lowest candidate of a cell, and the others are saved.
    #[inline(always)]
    fn branch(&mut self, stuck: u32, outcomes: &mut [Outcome]) {
        // First all lanes are gathered, then all are looked at: a wide load right behind the narrow stores
        // that fill its bytes would wait for them.
        for lane in each(stuck) {
            let depth = self.lanes[lane].depth;
            let saved = &mut self.saved[lane][depth];
            for cell in 0..CELLS {
                saved[cell] = self.simd.get(&self.cells[cell], lane);
            }
        }
        for lane in each(stuck) {
            let Lane { puzzle, depth } = self.lanes[lane];
            let saved = &mut self.saved[lane][depth];
            let cell = choose(self.simd, saved);
            let guess = saved[cell] & saved[cell].wrapping_neg();
            saved[cell] ^= guess;
            self.simd.set(&mut self.cells[cell], lane, guess);
            self.lanes[lane].depth = depth + 1;
            outcomes[puzzle].guesses += 1;
        }
    }

    /// Goes on with the state that a lane saved last. False if there is none.
    #[inline(always)]
    fn come_back(&mut self, lane: usize) -> bool {
        let Some(depth) = self.lanes[lane].depth.checked_sub(1) else { return false };
        self.lanes[lane].depth = depth;
        let saved = &self.saved[lane][depth];
        for cell in 0..CELLS {
            self.simd.set(&mut self.cells[cell], lane, saved[cell]);
        }
        true
    }
}

/// The members of a set of lanes.
#[inline(always)]
fn each(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros();
        lanes &= lanes.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// Turns shares of sweeps into nanoseconds of the batch's time.
fn charge(outcomes: &mut [Outcome], sweeps: u64, begun: Instant) {
    let a_share = begun.elapsed().as_nanos() as f64 / (sweeps.max(1) as f64 * SWEEP as f64);
    for outcome in outcomes {
        outcome.nanos = (outcome.nanos as f64 * a_share) as u64;
    }
}
