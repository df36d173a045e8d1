//! The lanes' lives: loaded, swept until something happens, branched, retired, refilled.

use std::ops::Range;
use std::time::Instant;

use super::guess::choose;
use super::sweep::{Grids, broken_lanes, sweep};
use crate::grid::{CELLS, Puzzle, Solution};
use crate::simd::{Masks, NO_MASKS, Simd};
use crate::solver::{Outcome, SolutionLimit};

/// A guess settles a cell, so no stack is deeper than this.
pub(super) const DEPTH: usize = CELLS;

/// Lanes that are copied at a time.
pub(super) const EIGHT: usize = 8;

/// What one sweep costs, in shares: so many that dividing them among lanes loses nothing that matters, and
/// so few that a trillion sweeps can be added up.
const SWEEP: u64 = 1 << 24;

/// The search of one worker, on one backend.
pub(super) struct Search<S: Simd> {
    pub(super) simd: S,
    pub(super) grids: Box<Grids<S>>,
    pub(super) lanes: Vec<Lane>,
    /// For each lane, the states to come back to.
    pub(super) saved: Box<[[Masks; DEPTH]]>,
    /// Lanes on their way out of the cells, or into them.
    pub(super) copies: Box<[Masks; EIGHT]>,
    /// For each lane, the shares of sweeps to be charged to its puzzle.
    pub(super) shares: [u64; 32],
    /// Puzzles that are to be searched once more, no part of them elsewhere.
    pub(super) again: Vec<usize>,
}

/// What a lane is at: the search of a puzzle, or of a part of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) puzzle: Option<usize>,
    /// How much of its stack has been given away, and how much there is to come back to.
    pub(super) base: usize,
    pub(super) depth: usize,
    pub(super) sharing: Sharing,
}

/// May the search of a puzzle be shared among lanes?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sharing {
    #[default]
    Possible,
    /// It is, or was.
    Done,
    Forbidden,
}

/// What is to be done, and what came of it.
pub(super) struct Batch<'a> {
    pub(super) puzzles: &'a [Puzzle],
    pub(super) limit: SolutionLimit,
    pub(super) outcomes: &'a mut [Outcome],
    /// The puzzles that no lane has had.
    pub(super) waiting: Range<usize>,
}

impl<S: Simd> Search<S> {
    pub(super) fn new(simd: S) -> Search<S> {
        Search {
            simd,
            grids: Box::new(Grids::new(simd)),
            lanes: vec![Lane::default(); S::LANES],
            saved: vec![[NO_MASKS; DEPTH]; S::LANES].into_boxed_slice(),
            copies: Box::new([NO_MASKS; EIGHT]),
            shares: [0; 32],
            again: Vec::with_capacity(S::LANES),
        }
    }

    /// Solves a batch.
    #[inline(always)]
    pub(super) fn run(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]) {
        let begun = Instant::now();
        let batch = &mut Batch { puzzles, limit, outcomes, waiting: 0..puzzles.len() };
        let every = u32::MAX >> (32 - S::LANES);
        let mut alive = self.enter(every, batch);
        let mut sweeps = 0;
        while alive != 0 {
            let found = sweep(self.simd, &mut self.grids);
            sweeps += 1;
            let share = SWEEP / u64::from(alive.count_ones());
            self.shares.iter_mut().for_each(|shares| *shares += share);

            let mut ended = alive & found.dead;
            let solved = alive & !found.dead & found.solved;
            if solved != 0 {
                ended |= solved;
                ended |= self.count(solved & !broken_lanes(self.simd, &self.grids.cells), batch);
            }
            let stuck = alive & !ended & found.unchanged;
            if stuck != 0 {
                self.branch(stuck, batch);
            }
            if ended != 0 {
                alive &= !ended;
                alive |= self.enter(ended, batch);
            }
            if alive != every && limit == SolutionLimit::UNIQUENESS {
                alive |= self.share(every & !alive);
            }
        }
        charge(batch.outcomes, sweeps, begun);
    }

    /// Gives lanes something to go on with: the state that they saved last, or the next puzzle. Returns the
    /// lanes that got something.
    #[inline(always)]
    fn enter(&mut self, mut free: u32, batch: &mut Batch<'_>) -> u32 {
        let mut entered = 0;
        while free != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while free != 0 && count < EIGHT {
                let lane = next_lane(&mut free);
                if self.come_back(lane, count) || self.refill(lane, count, batch) {
                    entered |= 1 << lane;
                    lanes[count] = lane;
                    count += 1;
                }
            }
            self.put_in(&lanes[..count]);
        }
        entered
    }

    /// Puts the copies into lanes, unless the backend does so one by one.
    #[inline(always)]
    pub(super) fn put_in(&mut self, lanes: &[usize]) {
        for &lane in lanes {
            self.simd.set(&mut self.grids.total, lane, 0);
        }
        if S::COPIES_EIGHT {
            self.simd.scatter(&mut self.grids.cells, lanes, &*self.copies);
        }
    }

    /// Brings back the state that a lane saved last, or copies it to be put in. False if there is none.
    #[inline(always)]
    fn come_back(&mut self, lane: usize, copy: usize) -> bool {
        let Lane { base, depth, .. } = self.lanes[lane];
        if depth == base {
            return false;
        }
        self.lanes[lane].depth = depth - 1;
        self.copy_state((lane, depth - 1), lane, copy);
        true
    }

    /// Brings a saved state into a lane, or copies it to be put in.
    #[inline(always)]
    pub(super) fn copy_state(&mut self, (owner, depth): (usize, usize), lane: usize, copy: usize) {
        let state = &self.saved[owner][depth % DEPTH];
        if S::COPIES_EIGHT {
            self.copies[copy] = *state;
        } else {
            self.simd.scatter(&mut self.grids.cells, &[lane], std::slice::from_ref(state));
        }
    }

    /// Retires the puzzle of a lane, and puts in the next one, or copies it to be put in. False if none is left.
    #[inline(always)]
    fn refill(&mut self, lane: usize, copy: usize, batch: &mut Batch<'_>) -> bool {
        self.retire(lane, batch);
        let (puzzle, sharing) = match self.again.pop() {
            Some(puzzle) => (puzzle, Sharing::Forbidden),
            None => match batch.waiting.next() {
                Some(puzzle) => (puzzle, Sharing::Possible),
                None => return false,
            },
        };
        if sharing == Sharing::Possible {
            batch.outcomes[puzzle] = Outcome::NONE;
        }
        self.lanes[lane] = Lane { puzzle: Some(puzzle), base: 0, depth: 0, sharing };
        self.shares[lane] = 0;
        let clues = batch.puzzles[puzzle].cells();
        if S::COPIES_EIGHT {
            self.simd.masks_of_clues(clues, &mut self.copies[copy]);
        } else {
            self.simd.enter_clues(&mut self.grids.cells, lane, clues);
        }
        true
    }

    /// Charges a lane's time to its puzzle, and leaves the lane with nothing to do.
    #[inline(always)]
    pub(super) fn retire(&mut self, lane: usize, batch: &mut Batch<'_>) {
        if let Some(puzzle) = self.lanes[lane].puzzle {
            batch.outcomes[puzzle].nanos += self.shares[lane];
        }
        self.lanes[lane] = Lane::default();
    }

    /// Counts the solutions in lanes. At the limit a lane has nothing to come back to. Returns other lanes
    /// that have nothing left to do.
    #[inline(always)]
    fn count(&mut self, mut solved: u32, batch: &mut Batch<'_>) -> u32 {
        let mut ended = 0;
        while solved != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while solved != 0 && count < EIGHT {
                let lane = next_lane(&mut solved);
                let Lane { puzzle: Some(puzzle), base, sharing, .. } = self.lanes[lane] else { continue };
                let outcome = &mut batch.outcomes[puzzle];
                outcome.solutions += 1;
                if outcome.solutions == batch.limit.get() {
                    self.lanes[lane].depth = base;
                    if sharing == Sharing::Done {
                        ended |= self.search_again(puzzle, batch);
                        continue;
                    }
                }
                if outcome.solution.is_none() {
                    lanes[count] = lane;
                    count += 1;
                }
            }
            if S::COPIES_EIGHT {
                self.simd.gather(&self.grids.cells, &lanes[..count], &mut *self.copies);
            }
            for (copy, &lane) in lanes[..count].iter().enumerate() {
                let Some(puzzle) = self.lanes[lane].puzzle else { continue };
                let digits = batch.outcomes[puzzle].solution.insert(Solution::UNFILLED).digits_mut();
                if S::COPIES_EIGHT {
                    self.simd.digits(&self.copies[copy], digits);
                } else {
                    self.simd.lane_digits(&self.grids.cells, lane, digits);
                }
            }
        }
        ended
    }

    /// Guesses in stuck lanes: each goes on with the lowest candidate of a cell, and the others are saved.
    #[inline(always)]
    fn branch(&mut self, mut stuck: u32, batch: &mut Batch<'_>) {
        while stuck != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while stuck != 0 && count < EIGHT {
                lanes[count] = next_lane(&mut stuck);
                count += 1;
            }
            self.simd.gather(&self.grids.cells, &lanes[..count], &mut *self.copies);
            let cells = choose(self.simd, &self.copies[..count]);
            for ((&lane, masks), cell) in lanes[..count].iter().zip(&*self.copies).zip(cells) {
                let Lane { puzzle, depth, .. } = self.lanes[lane];
                let guess = masks[cell] & masks[cell].wrapping_neg();
                let saved = &mut self.saved[lane][depth];
                *saved = *masks;
                saved[cell] ^= guess;
                self.simd.set(&mut self.grids.cells[cell], lane, guess);
                self.lanes[lane].depth = depth + 1;
                puzzle.into_iter().for_each(|puzzle| batch.outcomes[puzzle].guesses += 1);
            }
        }
    }
}

/// Takes the lowest lane out of a set that has one.
#[inline(always)]
pub(super) fn next_lane(set: &mut u32) -> usize {
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
