//! The life of a lane: a puzzle after the other, from its clues to its rating.

use std::sync::atomic::AtomicBool;

use super::grids::LaneGrids;
use crate::grid::Puzzle;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::rater::{Advance, PuzzleRating, RatingEnd, Rounds};
use crate::logic::state::State;
use crate::simd::{CellSet as Board, NO_MASKS, Simd};

/// Rates puzzles in lanes.
pub(in crate::logic) struct LaneRater<S: Simd> {
    simd: S,
    grids: LaneGrids<S>,
    lanes: [Lane; 32],
    /// The lanes that have a puzzle, as a set.
    alive: u32,
}

/// The puzzle in a lane and its rounds, besides its grid.
#[derive(Clone, Debug)]
struct Lane {
    /// The puzzle, by its index in the batch.
    puzzle: usize,
    /// Its rounds until now, but those of the lane itself.
    rating: PuzzleRating,
}

impl Lane {
    const IDLE: Lane = Lane { puzzle: 0, rating: PuzzleRating::NONE };
}

/// A batch on its way.
pub(in crate::logic) struct Batch<'b> {
    puzzles: &'b [Puzzle],
    /// How many puzzles have been taken.
    taken: usize,
    rounds: &'b mut Rounds,
    /// How many of the levels are below the limit.
    levels: usize,
    ratings: &'b mut [PuzzleRating],
    stop: &'b AtomicBool,
}

impl<'b> Batch<'b> {
    /// Returns the batch of some puzzles; `rounds` goes on where lanes end, and the ratings, one for each puzzle, are
    /// overwritten. When `stop` becomes true, they are of no account.
    pub(in crate::logic) fn new(
        puzzles: &'b [Puzzle],
        rounds: &'b mut Rounds,
        ratings: &'b mut [PuzzleRating],
        stop: &'b AtomicBool,
    ) -> Batch<'b> {
        let levels = rounds.lane_levels();
        Batch { puzzles, taken: 0, rounds, levels, ratings, stop }
    }
}

impl<S: Simd> LaneRater<S> {
    pub(super) fn new(simd: S) -> LaneRater<S> {
        LaneRater { simd, grids: LaneGrids::new(simd), lanes: [Lane::IDLE; 32], alive: 0 }
    }

    /// Rates the puzzles of a batch.
    #[inline(always)]
    pub(super) fn rate(&mut self, batch: &mut Batch<'_>) {
        for lane in 0..S::LANES {
            self.refill(batch, lane);
        }
        // A sweep costs as much for few lanes as for all: at the end rounds one by one are less work.
        while self.alive.count_ones() as usize > S::LANES / 4 || batch.taken < batch.puzzles.len() {
            let swept = self.grids.sweep(self.simd);
            self.attend(batch, swept.full & self.alive, swept.solved);
            let waiting = swept.stuck & !swept.full & self.alive;
            // What comes next costs as much for one lane as for all, so lanes wait for each other. At ratings of 2.5 and 2.6
            // half of them rate 1.36 times as many puzzles as a quarter, two thirds 1.44 times; of easy ones 0.92 and 0.81.
            if 2 * waiting.count_ones() >= self.alive.count_ones() {
                let moved = self.grids.make_direct_round(self.simd, waiting, batch.levels);
                self.help(batch, waiting & !moved, false);
            }
        }
        self.help(batch, self.alive, true);
    }

    /// Gives a lane the next puzzle of the batch, if there is one.
    #[inline(always)]
    fn refill(&mut self, batch: &mut Batch<'_>, lane: usize) {
        self.alive &= !(1 << lane);
        if let Some(puzzle) = batch.puzzles.get(batch.taken) {
            self.grids.enter(self.simd, lane, puzzle.cells());
            self.lanes[lane] = Lane { puzzle: batch.taken, ..Lane::IDLE };
            self.alive |= 1 << lane;
            batch.taken += 1;
        }
    }

    /// Ends the puzzles of full lanes.
    #[inline(always)]
    fn attend(&mut self, batch: &mut Batch<'_>, full: u32, solved: u32) {
        let mut rest = full;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            self.take_rounds(lane);
            let Lane { puzzle, rating, .. } = &self.lanes[lane];
            batch.ratings[*puzzle] = match solved >> lane & 1 {
                1 => PuzzleRating { end: RatingEnd::Solved, ..rating.clone() },
                _ => batch.rounds.rate(&batch.puzzles[*puzzle], batch.stop),
            };
            self.refill(batch, lane);
        }
    }

    /// Makes rounds one by one in some lanes: until there are hidden singles again, or, `to_the_end`, as long as
    /// something moves.
    #[inline(always)]
    fn help(&mut self, batch: &mut Batch<'_>, lanes: u32, to_the_end: bool) {
        let mut rest = lanes;
        while rest != 0 {
            let (mut group, mut count) = ([0; 8], 0);
            while rest != 0 && count < 8 {
                group[count] = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                count += 1;
            }
            let (mut digits, mut candidates) = ([NO_MASKS; 8], [NO_MASKS; 8]);
            self.grids.gather(self.simd, &group[..count], &mut digits, &mut candidates);
            for i in 0..count {
                let grid = [&digits[i], &candidates[i]].map(|masks| self.simd.boards(masks));
                self.help_one(batch, group[i], &grid, to_the_end);
            }
        }
    }

    #[inline(always)]
    fn help_one(&mut self, batch: &mut Batch<'_>, lane: usize, grid: &[[Board; 9]; 2], to_the_end: bool) {
        self.take_rounds(lane);
        let helped = advance(batch, &mut self.lanes[lane], grid, to_the_end);
        match helped {
            None => self.refill(batch, lane),
            Some(advance) => {
                for (cell, digit) in advance.removed.iter() {
                    self.grids.remove(self.simd, lane, cell, digit);
                }
                for (cell, digit) in advance.placed.iter() {
                    self.grids.place(self.simd, lane, cell, digit);
                }
            }
        }
    }

    /// Adds the rounds that a lane made to the rating of its puzzle.
    #[inline(always)]
    fn take_rounds(&mut self, lane: usize) {
        let rounds = self.grids.take_rounds(self.simd, lane);
        self.lanes[lane].rating.add_lane_rounds(&rounds);
    }
}

/// Goes on with the puzzle of a lane, from the cells that hold each digit, and those that may. Returns what changed, if
/// hidden singles are next; otherwise the puzzle is rated.
#[inline(never)]
fn advance(
    batch: &mut Batch<'_>,
    lane: &mut Lane,
    grid: &[[Board; 9]; 2],
    to_the_end: bool,
) -> Option<Advance> {
    let puzzle = &batch.puzzles[lane.puzzle];
    let [placed, candidates] = grid.map(|boards| CandidateSet(boards.map(CellSet::from_bits)));
    let mut state = State::of_placed(puzzle, &placed);
    let mut removed = state.all_candidates();
    (0..9).for_each(|digit| removed.0[digit] -= candidates.0[digit]);
    state.remove_all(&removed);
    if state.is_contradictory() {
        batch.ratings[lane.puzzle] = batch.rounds.rate(puzzle, batch.stop);
        return None;
    }
    if to_the_end {
        batch.rounds.finish(state, &mut lane.rating, batch.stop);
    } else if let Some(advance) = batch.rounds.advance(&mut state, &mut lane.rating, batch.stop) {
        return Some(advance);
    }
    batch.ratings[lane.puzzle] = lane.rating.clone();
    None
}
