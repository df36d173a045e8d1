//! The lanes' lives: loaded, swept until something happens, branched, retired, refilled.

use std::ops::Range;
use std::time::Instant;

use super::guess::choose;
use super::sweep::{broken_lanes, sweep};
use crate::grid::{CELLS, Puzzle, Solution};
use crate::simd::{Masks, NO_MASKS, Simd};
use crate::solver::{Outcome, SolutionLimit};

/// A guess settles a cell, so no stack is deeper than this.
const DEPTH: usize = CELLS;

/// Lanes that are copied at a time.
const EIGHT: usize = 8;

/// What one sweep costs, in shares: so many that dividing them among lanes loses nothing that matters, and
/// so few that a trillion sweeps can be added up.
const SWEEP: u64 = 1 << 24;

/// The search of one worker, on one backend.
pub(super) struct Search<S: Simd> {
    simd: S,
    cells: Box<[S::Row; CELLS]>,
    lanes: Vec<Lane>,
    /// For each lane, the states to come back to.
    saved: Box<[[Masks; DEPTH]]>,
    /// Lanes on their way out of the cells, or into them.
    copies: Box<[Masks; EIGHT]>,
    /// For each lane, the shares of sweeps charged to its puzzle.
    shares: [u64; 32],
}

/// The puzzle in a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    puzzle: Option<usize>,
    depth: usize,
}

impl<S: Simd> Search<S> {
    pub(super) fn new(simd: S) -> Search<S> {
        Search {
            simd,
            cells: Box::new([simd.row(0); CELLS]),
            lanes: vec![Lane::default(); S::LANES],
            saved: vec![[NO_MASKS; DEPTH]; S::LANES].into_boxed_slice(),
            copies: Box::new([NO_MASKS; EIGHT]),
            shares: [0; 32],
        }
    }

    /// Bytes of memory, that on the heap included.
    pub(super) fn memory(&self) -> usize {
        let Search { cells, lanes, saved, copies, .. } = self;
        size_of_val(self)
            + size_of_val(&**cells)
            + size_of_val(&lanes[..])
            + size_of_val(&**saved)
            + size_of_val(&**copies)
    }

    /// Solves a batch.
    #[inline(always)]
    pub(super) fn run(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]) {
        let begun = Instant::now();
        let mut waiting = 0..puzzles.len();
        let mut alive = self.enter(u32::MAX >> (32 - S::LANES), puzzles, &mut waiting, outcomes);
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
                self.count(solved & !broken_lanes(self.simd, &self.cells), limit, outcomes);
            }
            let stuck = alive & !found.dead & !found.single & !found.changed;
            if stuck != 0 {
                self.branch(stuck, outcomes);
            }
            if ended != 0 {
                alive &= !ended;
                alive |= self.enter(ended, puzzles, &mut waiting, outcomes);
            }
        }
        charge(outcomes, sweeps, begun);
    }

    /// Gives lanes something to go on with: the state that they saved last, or the next puzzle. Returns the
    /// lanes that got something.
    #[inline(always)]
    fn enter(
        &mut self,
        mut free: u32,
        puzzles: &[Puzzle],
        waiting: &mut Range<usize>,
        outcomes: &mut [Outcome],
    ) -> u32 {
        let mut entered = 0;
        while free != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while free != 0 && count < EIGHT {
                let lane = next_lane(&mut free);
                if self.come_back(lane, count) || self.refill(lane, count, puzzles, waiting, outcomes) {
                    entered |= 1 << lane;
                    lanes[count] = lane;
                    count += 1;
                }
            }
            if S::COPIES_EIGHT {
                self.simd.scatter(&mut self.cells, &lanes[..count], &*self.copies);
            }
        }
        entered
    }

    /// Brings back the state that a lane saved last, or copies it to be brought back. False if there is none.
    #[inline(always)]
    fn come_back(&mut self, lane: usize, copy: usize) -> bool {
        let Some(depth) = self.lanes[lane].depth.checked_sub(1) else { return false };
        self.lanes[lane].depth = depth;
        let state = &self.saved[lane][depth];
        if S::COPIES_EIGHT {
            self.copies[copy] = *state;
        } else {
            self.simd.scatter(&mut self.cells, &[lane], std::slice::from_ref(state));
        }
        true
    }

    /// Retires the puzzle of a lane, and puts in the next one, or copies it to be put in. False if none is left.
    #[inline(always)]
    fn refill(
        &mut self,
        lane: usize,
        copy: usize,
        puzzles: &[Puzzle],
        waiting: &mut Range<usize>,
        outcomes: &mut [Outcome],
    ) -> bool {
        if let Some(puzzle) = self.lanes[lane].puzzle.take() {
            outcomes[puzzle].nanos = self.shares[lane];
        }
        let Some(puzzle) = waiting.next() else { return false };
        outcomes[puzzle] = Outcome::NONE;
        self.lanes[lane] = Lane { puzzle: Some(puzzle), depth: 0 };
        self.shares[lane] = 0;
        let clues = puzzles[puzzle].cells();
        if S::COPIES_EIGHT {
            self.simd.masks_of_clues(clues, &mut self.copies[copy]);
        } else {
            self.simd.enter_clues(&mut self.cells, lane, clues);
        }
        true
    }

    /// Counts the solutions in lanes. At the limit a lane has nothing to come back to.
    #[inline(always)]
    fn count(&mut self, mut solved: u32, limit: SolutionLimit, outcomes: &mut [Outcome]) {
        while solved != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while solved != 0 && count < EIGHT {
                let lane = next_lane(&mut solved);
                let Some(outcome) = self.lanes[lane].puzzle.map(|puzzle| &mut outcomes[puzzle]) else {
                    continue;
                };
                outcome.solutions += 1;
                if outcome.solutions == limit.get() {
                    self.lanes[lane].depth = 0;
                }
                if outcome.solution.is_none() {
                    lanes[count] = lane;
                    count += 1;
                }
            }
            if S::COPIES_EIGHT {
                self.simd.gather(&self.cells, &lanes[..count], &mut *self.copies);
            }
            for (copy, &lane) in lanes[..count].iter().enumerate() {
                let Some(puzzle) = self.lanes[lane].puzzle else { continue };
                let digits = outcomes[puzzle].solution.insert(Solution::UNFILLED).digits_mut();
                if S::COPIES_EIGHT {
                    self.simd.digits(&self.copies[copy], digits);
                } else {
                    self.simd.lane_digits(&self.cells, lane, digits);
                }
            }
        }
    }

    /// Guesses in stuck lanes: each goes on with the lowest candidate of a cell, and the others are saved.
    #[inline(always)]
    fn branch(&mut self, mut stuck: u32, outcomes: &mut [Outcome]) {
        while stuck != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while stuck != 0 && count < EIGHT {
                lanes[count] = next_lane(&mut stuck);
                count += 1;
            }
            self.simd.gather(&self.cells, &lanes[..count], &mut *self.copies);
            for (&lane, masks) in lanes[..count].iter().zip(&*self.copies) {
                let Lane { puzzle, depth } = self.lanes[lane];
                let cell = choose(self.simd, masks);
                let guess = masks[cell] & masks[cell].wrapping_neg();
                let saved = &mut self.saved[lane][depth];
                *saved = *masks;
                saved[cell] ^= guess;
                self.simd.set(&mut self.cells[cell], lane, guess);
                self.lanes[lane].depth = depth + 1;
                puzzle.into_iter().for_each(|puzzle| outcomes[puzzle].guesses += 1);
            }
        }
    }
}

/// Takes the lowest lane out of a set that has one.
#[inline(always)]
fn next_lane(set: &mut u32) -> usize {
    let lane = set.trailing_zeros() as usize;
    *set &= *set - 1;
    lane
}

/// Turns shares of sweeps into nanoseconds of the batch's time.
fn charge(outcomes: &mut [Outcome], sweeps: u64, begun: Instant) {
    let a_share = begun.elapsed().as_nanos() as f64 / (sweeps.max(1) as f64 * SWEEP as f64);
    for outcome in outcomes {
        outcome.nanos = (outcome.nanos as f64 * a_share) as u64;
    }
}
