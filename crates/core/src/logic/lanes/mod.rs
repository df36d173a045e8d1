//! Makes the rounds up to claiming (2.8) in many puzzles at once, with one puzzle in each lane of the
//! vectors. Nearly all rounds are of that kind, so batches are rated much faster than single puzzles.
//!
//! The vectors are laid out as in the lockstep engine (`solver/lockstep/README.md`). A sweep makes a round in
//! every lane that has a hidden single:
//!
//! ```text
//! refill ──► sweep ──► full, and every house has all digits: the puzzle is rated, refill
//!              │ └───► full, but not a solution: rate it again, without lanes
//!              └─────► no hidden single: wait until half of the lanes have none
//!                           └─────► a direct technique, a naked single, a locked candidate: continue with sweeps
//!                                     └─────► nothing: rounds one by one, until there is a hidden single or the end
//! ```
//!
//! [`grids`] has the sweep and the later rounds. This file controls what happens to each lane. The ratings
//! equal those of rounds made one by one, in every field.

mod grids;

use std::fmt;
use std::sync::atomic::AtomicBool;

use self::grids::LaneGrids;
use super::cells::{CandidateSet, CellSet};
use super::rater::{PuzzleRating, RatingEnd, Rounds};
use super::state::State;
use crate::grid::{Puzzle, Shape};
use crate::simd::{CellBits, LaneWorker, MadeForBackend, NO_MASKS, Simd};

/// The lanes, on one of the backends.
pub(super) struct Lanes(Box<dyn for<'b> LaneWorker<Batch<'b>>>);

impl Lanes {
    /// Rates the puzzles of a batch.
    pub(super) fn rate(&mut self, mut batch: Batch<'_>) {
        self.0.run(&mut batch);
    }
}

impl MadeForBackend for Lanes {
    fn new<S: Simd>(simd: S, _: Shape) -> Option<Lanes> {
        Some(Lanes(Box::new(LaneRater::new(simd))))
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").finish_non_exhaustive()
    }
}

/// Rates puzzles in lanes.
struct LaneRater<S: Simd> {
    simd: S,
    grids: LaneGrids<S>,
    lanes: [Lane; 32],
    /// The lanes that have a puzzle, as a set.
    alive: u32,
}

/// The puzzle in a lane with its rating. `LaneGrids` has its grid.
#[derive(Clone, Debug)]
struct Lane {
    /// The index of the puzzle in the batch.
    puzzle: usize,
    /// The rating of its rounds so far. Rounds that the lane itself has made since are counted in `LaneGrids`
    /// and added later.
    rating: PuzzleRating,
}

impl Lane {
    const IDLE: Lane = Lane { puzzle: 0, rating: PuzzleRating::NONE };
}

/// A batch of puzzles while it is rated.
pub(in crate::logic) struct Batch<'b> {
    pub(in crate::logic) puzzles: &'b [Puzzle],
    /// The number of puzzles that have entered a lane.
    pub(in crate::logic) taken: usize,
    /// Makes rounds one by one where lanes cannot continue.
    pub(in crate::logic) rounds: &'b mut Rounds,
    /// The number of lane techniques within the limit.
    pub(in crate::logic) levels: usize,
    /// One rating for each puzzle, to be overwritten.
    pub(in crate::logic) ratings: &'b mut [PuzzleRating],
    /// If it becomes true, the ratings are discarded.
    pub(in crate::logic) stop: &'b AtomicBool,
}

impl<S: Simd> LaneRater<S> {
    fn new(simd: S) -> LaneRater<S> {
        LaneRater { simd, grids: LaneGrids::new(), lanes: [Lane::IDLE; 32], alive: 0 }
    }

    /// Puts the next puzzle of the batch into a lane, if one is left.
    #[inline(always)]
    fn refill(&mut self, batch: &mut Batch<'_>, lane: usize) {
        self.alive &= !(1 << lane);
        if let Some(puzzle) = batch.puzzles.get(batch.taken) {
            self.grids.load_clues(self.simd, lane, puzzle.cells());
            self.lanes[lane] = Lane { puzzle: batch.taken, ..Lane::IDLE };
            self.alive |= 1 << lane;
            batch.taken += 1;
        }
    }

    /// Finishes the puzzles of full lanes and refills these lanes.
    #[inline(always)]
    fn finish_full(&mut self, batch: &mut Batch<'_>, full: u32, solved: u32) {
        let mut rest = full;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let Lane { puzzle, rating } = &mut self.lanes[lane];
            self.grids.take_rounds(self.simd, lane, rating);
            batch.ratings[*puzzle] = match solved >> lane & 1 {
                1 => PuzzleRating { end: RatingEnd::Solved, ..rating.clone() },
                _ => batch.rounds.rate(State::from_puzzle(&batch.puzzles[*puzzle]), batch.stop),
            };
            self.refill(batch, lane);
        }
    }

    /// Makes rounds one by one in some lanes: until there is a hidden single again, or with `to_the_end` as
    /// long as something is found. Eight lanes are read at a time, because one gather of the vectors serves
    /// all of them.
    #[inline(always)]
    fn advance_lanes(&mut self, batch: &mut Batch<'_>, lanes: u32, to_the_end: bool) {
        let mut rest = lanes;
        while rest != 0 {
            let (mut group, mut count) = ([0; 8], 0);
            while rest != 0 && count < 8 {
                group[count] = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                count += 1;
            }
            let (mut digits, mut candidates) = ([NO_MASKS; 8], [NO_MASKS; 8]);
            self.simd.gather(&self.grids.digits, &group[..count], &mut digits);
            self.simd.gather(&self.grids.cells, &group[..count], &mut candidates);
            for i in 0..count {
                let grid = [&digits[i], &candidates[i]].map(|masks| self.simd.boards(masks));
                self.advance_lane(batch, group[i], &grid, to_the_end);
            }
        }
    }

    #[inline(always)]
    fn advance_lane(
        &mut self,
        batch: &mut Batch<'_>,
        lane: usize,
        grid: &[[CellBits; 9]; 2],
        to_the_end: bool,
    ) {
        self.grids.take_rounds(self.simd, lane, &mut self.lanes[lane].rating);
        let changes = advance(batch, &mut self.lanes[lane], grid, to_the_end);
        match changes {
            None => self.refill(batch, lane),
            Some([placed, removed]) => {
                for (cell, digit) in removed.iter() {
                    self.grids.remove(self.simd, lane, cell, digit);
                }
                for (cell, digit) in placed.iter() {
                    self.grids.place(self.simd, lane, cell, digit);
                }
            }
        }
    }
}

impl<'b, S: Simd> LaneWorker<Batch<'b>> for LaneRater<S> {
    fn run(&mut self, batch: &mut Batch<'b>) {
        self.simd.run_with_features(self, batch);
    }

    /// Rates the puzzles of a batch.
    #[inline(always)]
    fn work(&mut self, batch: &mut Batch<'b>) {
        for lane in 0..S::LANES {
            self.refill(batch, lane);
        }
        // A sweep costs the same for a few lanes as for all. So the last puzzles, which leave most lanes
        // empty, are finished by rounds one by one.
        while self.alive.count_ones() as usize > S::LANES / 4 || batch.taken < batch.puzzles.len() {
            let swept = self.grids.sweep(self.simd);
            self.finish_full(batch, swept.full & self.alive, swept.solved);
            let waiting = swept.stuck & !swept.full & self.alive;
            // The next stage costs the same for one lane as for all, so lanes wait for each other until half
            // of them have no hidden single. At ratings of 2.5 and 2.6, waiting for half rates 1.36 times as
            // many puzzles as waiting for a quarter, and waiting for two thirds 1.44 times. With easy puzzles
            // it is 0.92 and 0.81 times, so half is the compromise.
            if 2 * waiting.count_ones() >= self.alive.count_ones() {
                let moved = self.grids.make_later_round(self.simd, waiting, batch.levels);
                self.advance_lanes(batch, waiting & !moved, false);
            }
        }
        self.advance_lanes(batch, self.alive, true);
    }
}

/// Continues the puzzle of a lane. `grid` has the cells that hold each digit, and the cells that may hold it.
/// Returns what changed if the next round has a hidden single. Otherwise the puzzle has been rated.
#[inline(never)]
fn advance(
    batch: &mut Batch<'_>,
    lane: &mut Lane,
    grid: &[[CellBits; 9]; 2],
    to_the_end: bool,
) -> Option<[CandidateSet; 2]> {
    let puzzle = &batch.puzzles[lane.puzzle];
    let [placed, candidates] = grid.map(|boards| CandidateSet(boards.map(CellSet::from_bits)));
    let mut state = State::from_placed(puzzle, &placed);
    let mut removed = state.all_candidates();
    removed.subtract(&candidates);
    state.remove_all(&removed);
    if state.is_contradictory() {
        batch.ratings[lane.puzzle] = batch.rounds.rate(State::from_puzzle(puzzle), batch.stop);
        return None;
    }
    if to_the_end {
        batch.rounds.finish(state, &mut lane.rating, batch.stop);
    } else if let Some(changes) = batch.rounds.advance_to_single(&mut state, &mut lane.rating, batch.stop) {
        return Some(changes);
    }
    batch.ratings[lane.puzzle] = lane.rating.clone();
    None
}
