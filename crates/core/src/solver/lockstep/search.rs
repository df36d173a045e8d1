//! The search in lanes: load, sweep until something happens, guess, retire, refill.

use std::ops::Range;
use std::time::Instant;

use super::batch_state::{BatchState, SWEEP};
use super::lane_grid::LaneGrid;
use crate::simd::Simd;

/// Lanes that are copied at a time.
pub(super) const EIGHT: usize = 8;

/// The search of one worker, on one backend, for grids of one kind.
pub(super) struct LaneSearch<S: Simd, G: LaneGrid<S>> {
    pub(super) simd: S,
    pub(super) grids: Box<G>,
    pub(super) lanes: Vec<Lane>,
    /// For each lane, the states that guesses have saved: [`LaneGrid::DEPTH`] a lane.
    saved: Box<[G::Masks]>,
    /// Masks that are copied out of the cells, or into them.
    copies: Box<[G::Masks; EIGHT]>,
    /// For each lane, the shares of sweeps to be charged to its puzzle.
    pub(super) shares: [u64; 32],
    /// Puzzles that are to be searched again, each in one lane.
    pub(super) again: Vec<usize>,
}

/// The task of a lane: the search of a puzzle, or of a part of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) puzzle: Option<usize>,
    /// The range of its saved states that are left: those below `base` have been taken over by other lanes.
    pub(super) base: usize,
    pub(super) depth: usize,
    pub(super) sharing: Sharing,
    /// Whether a guess on the way to its grid has been taken back.
    pub(super) has_come_back: bool,
}

/// Whether the search of a puzzle may be shared among lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sharing {
    #[default]
    Possible,
    /// It is, or was, shared.
    Done,
    Forbidden,
}

impl<S: Simd, G: LaneGrid<S>> LaneSearch<S, G> {
    pub(super) fn new(simd: S, grids: Box<G>) -> LaneSearch<S, G> {
        LaneSearch {
            simd,
            grids,
            lanes: vec![Lane::default(); S::LANES],
            saved: vec![G::NO_MASKS; S::LANES * G::DEPTH].into_boxed_slice(),
            copies: Box::new([G::NO_MASKS; EIGHT]),
            shares: [0; 32],
            again: Vec::with_capacity(S::LANES),
        }
    }

    /// Returns the bytes of memory, including those on the heap.
    pub(super) fn memory(&self) -> usize {
        let LaneSearch { grids, lanes, saved, copies, .. } = self;
        size_of_val(self)
            + size_of_val(&**grids)
            + size_of_val(&lanes[..])
            + size_of_val(&**saved)
            + size_of_val(&**copies)
    }

    /// Solves a batch, or as much of it as its state wants.
    #[inline(always)]
    pub(super) fn run(&mut self, batch_state: &mut (impl BatchState + ?Sized)) {
        let begun = Instant::now();
        // A search that was stopped leaves busy lanes behind.
        self.lanes.fill(Lane::default());
        self.again.clear();
        let every = u32::MAX >> (32 - S::LANES);
        let mut waiting = 0..batch_state.len();
        let mut alive = self.enter(every, &mut waiting, batch_state);
        let mut sweeps = 0;
        while alive != 0 && !batch_state.is_over() {
            let found = self.grids.sweep(self.simd);
            sweeps += 1;
            let share = SWEEP / u64::from(alive.count_ones());
            self.shares.iter_mut().for_each(|shares| *shares += share);

            let mut ended = alive & found.dead;
            let solved = alive & !found.dead & found.solved;
            if solved != 0 {
                ended |= solved;
                ended |= self.count(solved & !self.grids.broken_lanes(self.simd), batch_state);
            }
            let stuck = alive & !ended & found.unchanged;
            if stuck != 0 {
                ended |= self.branch(stuck, batch_state);
            }
            if ended != 0 {
                alive &= !ended;
                alive |= self.enter(ended, &mut waiting, batch_state);
            }
            if alive != every && batch_state.may_share() {
                alive |= self.share(every & !alive);
            }
        }
        batch_state.close(sweeps, begun);
    }

    /// Gives lanes their last saved state, or the next puzzle. Returns the lanes that got one.
    #[inline(always)]
    fn enter(
        &mut self,
        mut free: u32,
        waiting: &mut Range<usize>,
        batch_state: &mut (impl BatchState + ?Sized),
    ) -> u32 {
        let mut entered = 0;
        while free != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while free != 0 && count < EIGHT {
                let lane = next_lane(&mut free);
                if self.come_back(lane, count) || self.refill(lane, count, waiting, batch_state) {
                    entered |= 1 << lane;
                    lanes[count] = lane;
                    count += 1;
                }
            }
            self.put_in(&lanes[..count]);
        }
        entered
    }

    /// Puts the copies into lanes, where eight are copied at once.
    #[inline(always)]
    pub(super) fn put_in(&mut self, lanes: &[usize]) {
        for &lane in lanes {
            self.grids.renew(self.simd, lane);
        }
        if G::COPIES_EIGHT {
            self.grids.scatter(self.simd, lanes, &*self.copies);
        }
    }

    /// Restores the last saved state of a lane, or copies it for [`LaneSearch::put_in`]. Returns false if
    /// there is none.
    #[inline(always)]
    fn come_back(&mut self, lane: usize, copy: usize) -> bool {
        let Lane { base, depth, .. } = self.lanes[lane];
        if depth == base {
            return false;
        }
        self.lanes[lane].depth = depth - 1;
        self.lanes[lane].has_come_back = true;
        self.copy_state((lane, depth - 1), lane, copy);
        true
    }

    /// Puts a saved state into a lane, or copies it for [`LaneSearch::put_in`].
    #[inline(always)]
    pub(super) fn copy_state(&mut self, (owner, depth): (usize, usize), lane: usize, copy: usize) {
        let state = &self.saved[owner * G::DEPTH + depth];
        if G::COPIES_EIGHT {
            self.copies[copy] = *state;
        } else {
            self.grids.scatter(self.simd, &[lane], std::slice::from_ref(state));
        }
    }

    /// Retires the puzzle of a lane, and loads the next one, or copies it for [`LaneSearch::put_in`]. Returns
    /// false if none is left.
    #[inline(always)]
    fn refill(
        &mut self,
        lane: usize,
        copy: usize,
        waiting: &mut Range<usize>,
        batch_state: &mut (impl BatchState + ?Sized),
    ) -> bool {
        self.retire(lane, batch_state);
        let (puzzle, sharing) = match self.again.pop() {
            Some(puzzle) => (puzzle, Sharing::Forbidden),
            None => match waiting.next() {
                Some(puzzle) => {
                    batch_state.open(puzzle);
                    (puzzle, Sharing::Possible)
                }
                None => return false,
            },
        };
        self.lanes[lane] = Lane { puzzle: Some(puzzle), sharing, ..Lane::default() };
        self.shares[lane] = 0;
        let clues = batch_state.clues(puzzle);
        if G::COPIES_EIGHT {
            self.grids.masks_of_clues(self.simd, clues, &mut self.copies[copy]);
        } else {
            self.grids.enter_clues(self.simd, lane, clues);
        }
        true
    }

    /// Charges a lane's time to its puzzle, and leaves the lane idle.
    #[inline(always)]
    pub(super) fn retire(&mut self, lane: usize, batch_state: &mut (impl BatchState + ?Sized)) {
        if let Some(puzzle) = self.lanes[lane].puzzle {
            batch_state.charge(puzzle, self.shares[lane]);
        }
        self.lanes[lane] = Lane::default();
    }

    /// Counts the solutions in lanes, and drops the saved states of a lane if no more are wanted. Returns
    /// other lanes that became idle.
    #[inline(always)]
    fn count(&mut self, mut solved: u32, batch_state: &mut (impl BatchState + ?Sized)) -> u32 {
        let mut ended = 0;
        while solved != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while solved != 0 && count < EIGHT {
                let lane = next_lane(&mut solved);
                let Lane { puzzle: Some(puzzle), base, sharing, .. } = self.lanes[lane] else { continue };
                let wanted = batch_state.solution(puzzle);
                if !wanted.more {
                    self.lanes[lane].depth = base;
                    if sharing == Sharing::Done {
                        ended |= self.search_again(puzzle, batch_state);
                        continue;
                    }
                }
                if wanted.digits {
                    lanes[count] = lane;
                    count += 1;
                }
            }
            if G::COPIES_EIGHT {
                self.grids.gather(self.simd, &lanes[..count], &mut *self.copies);
            }
            for (copy, &lane) in lanes[..count].iter().enumerate() {
                let Some(puzzle) = self.lanes[lane].puzzle else { continue };
                let digits = batch_state.digits(puzzle);
                if G::COPIES_EIGHT {
                    self.grids.digits(self.simd, &self.copies[copy], digits);
                } else {
                    self.grids.lane_digits(self.simd, lane, digits);
                }
                batch_state.digits_are_there(puzzle);
            }
        }
        ended
    }

    /// Guesses in stuck lanes: each goes on with the lowest candidate of a cell, and saves the others.
    /// Returns the lanes that must not guess any more, and have no saved state.
    #[inline(always)]
    fn branch(&mut self, mut stuck: u32, batch_state: &mut (impl BatchState + ?Sized)) -> u32 {
        let mut ended = 0;
        while stuck != 0 {
            let (mut lanes, mut first_paths, mut count) = ([0; EIGHT], [None; EIGHT], 0);
            while stuck != 0 && count < EIGHT {
                let lane = next_lane(&mut stuck);
                let Lane { depth, has_come_back, .. } = self.lanes[lane];
                (lanes[count], first_paths[count]) = (lane, (!has_come_back).then_some(depth));
                count += 1;
            }
            self.grids.gather(self.simd, &lanes[..count], &mut *self.copies);
            let cells = self.grids.choose(self.simd, &self.copies[..count], &first_paths);
            for ((&lane, masks), cell) in lanes[..count].iter().zip(&*self.copies).zip(cells) {
                let Lane { puzzle, base, depth, .. } = self.lanes[lane];
                if !puzzle.is_some_and(|puzzle| batch_state.guess(puzzle)) {
                    self.lanes[lane].depth = base;
                    ended |= 1 << lane;
                    continue;
                }
                let saved = &mut self.saved[lane * G::DEPTH + depth];
                *saved = *masks;
                let mask = G::mask(saved, cell);
                let guess = *mask & mask.wrapping_neg();
                *mask ^= guess;
                self.grids.settle(self.simd, cell, lane, guess);
                self.lanes[lane].depth = depth + 1;
            }
        }
        ended
    }
}

/// Removes the lowest lane from a set that has one, and returns it.
#[inline(always)]
pub(super) fn next_lane(set: &mut u32) -> usize {
    let lane = set.trailing_zeros() as usize;
    *set &= *set - 1;
    lane
}
