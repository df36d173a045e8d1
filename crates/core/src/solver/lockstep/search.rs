//! The search in lanes: load puzzles, sweep until something happens, guess, retire, refill, and share the
//! remaining work once no puzzle is waiting.
//!
//! An idle lane takes over the oldest state that another lane has saved, because that is the largest part of
//! what is left there. Both continue on their own. If a search for two solutions finds at most one, it has
//! visited the whole tree, so its guesses and its solution are those that one lane would find in any order.
//! If there is a second solution, the order decides how many guesses come before it and which of the two is
//! the first. In that case the puzzle is searched again in one lane.

use std::ops::{IndexMut, Range};
use std::time::Instant;

use super::{BatchState, SWEEP_COST};
use crate::grid::Shape;
use crate::simd::{LaneWorker, Simd};

/// How many lanes are copied at a time.
const EIGHT: usize = 8;

/// The search in the lanes of one backend, for grids of one kind.
pub(super) struct LaneSearch<S: Simd, G: SweptGrids<S>> {
    simd: S,
    grids: Box<G>,
    lanes: Vec<Lane>,
    /// For each lane, the states that guesses have saved: [`SweptGrids::DEPTH`] entries for each.
    saved: Box<[G::Masks]>,
    /// Masks that are copied out of the cells or into them.
    copies: Box<[G::Masks; EIGHT]>,
    /// For each lane, what its puzzle has to pay of the cost of sweeps, in parts of [`SWEEP_COST`].
    costs: [u64; 32],
    /// Puzzles that are to be searched again, each in one lane.
    again: Vec<usize>,
}

/// The task of a lane: the search of a puzzle, or of a part of it.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    puzzle: Option<usize>,
    /// The lowest of its saved states; other lanes have taken over those below it.
    base: usize,
    /// The end of its saved states.
    depth: usize,
    sharing: Sharing,
    /// Whether a guess on the way to its grid has been undone.
    has_backtracked: bool,
}

/// Whether lanes may share the search of a puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sharing {
    #[default]
    Possible,
    /// It is shared, or was.
    Begun,
    Forbidden,
}

impl<S: Simd, G: SweptGrids<S>> LaneSearch<S, G> {
    /// Makes a search in grids of that shape; `None` if they don't fit into the lanes.
    pub(super) fn new(simd: S, shape: Shape) -> Option<LaneSearch<S, G>> {
        Some(LaneSearch {
            simd,
            grids: Box::new(G::new(shape)?),
            lanes: vec![Lane::default(); S::LANES],
            saved: vec![G::NO_MASKS; S::LANES * G::DEPTH].into_boxed_slice(),
            copies: Box::new([G::NO_MASKS; EIGHT]),
            costs: [0; 32],
            again: Vec::with_capacity(S::LANES),
        })
    }

    /// Gives free lanes their last saved state, or else the next puzzle. Returns the lanes that got one.
    #[inline(always)]
    fn fill_lanes(
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
                if self.backtrack(lane, count) || self.refill(lane, count, waiting, batch_state) {
                    entered |= 1 << lane;
                    lanes[count] = lane;
                    count += 1;
                }
            }
            self.write_copies(&lanes[..count]);
        }
        entered
    }

    /// Writes the copies into lanes, if eight are copied at once.
    #[inline(always)]
    fn write_copies(&mut self, lanes: &[usize]) {
        for &lane in lanes {
            self.grids.renew(self.simd, lane);
        }
        if G::COPIES_EIGHT {
            self.grids.scatter(self.simd, lanes, &*self.copies);
        }
    }

    /// Restores the last saved state of a lane, or copies it for [`LaneSearch::write_copies`]. Returns false
    /// if there is none.
    #[inline(always)]
    fn backtrack(&mut self, lane: usize, copy: usize) -> bool {
        let Lane { base, depth, .. } = self.lanes[lane];
        if depth == base {
            return false;
        }
        self.lanes[lane].depth = depth - 1;
        self.lanes[lane].has_backtracked = true;
        self.copy_state((lane, depth - 1), lane, copy);
        true
    }

    /// Puts a saved state into a lane, or copies it for [`LaneSearch::write_copies`].
    #[inline(always)]
    fn copy_state(&mut self, (owner, depth): (usize, usize), lane: usize, copy: usize) {
        let state = &self.saved[owner * G::DEPTH + depth];
        if G::COPIES_EIGHT {
            self.copies[copy] = *state;
        } else {
            self.grids.scatter(self.simd, &[lane], std::slice::from_ref(state));
        }
    }

    /// Retires the puzzle of a lane, and loads the next one, or copies it for [`LaneSearch::write_copies`].
    /// Returns false if none is left.
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
                Some(puzzle) => (puzzle, Sharing::Possible),
                None => return false,
            },
        };
        self.lanes[lane] = Lane { puzzle: Some(puzzle), sharing, ..Lane::default() };
        self.costs[lane] = 0;
        let clues = batch_state.clues(puzzle);
        self.grids.load_clues(self.simd, lane, clues, &mut self.copies[copy]);
        true
    }

    /// Charges a lane's time to its puzzle, and leaves the lane idle.
    #[inline(always)]
    fn retire(&mut self, lane: usize, batch_state: &mut (impl BatchState + ?Sized)) {
        if let Some(puzzle) = self.lanes[lane].puzzle {
            batch_state.charge(puzzle, self.costs[lane]);
        }
        self.lanes[lane] = Lane::default();
    }

    /// Counts the solutions in lanes, and drops the saved states of a lane if no more are wanted. Returns
    /// other lanes that became idle by that.
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
                    if sharing == Sharing::Begun {
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
                self.grids.digits(self.simd, lane, &self.copies[copy], digits);
                batch_state.digits_written(puzzle);
            }
        }
        ended
    }

    /// Guesses in stuck lanes: each continues with the lowest candidate of a cell, and saves the others.
    /// Returns the lanes that must not guess any more; their saved states are dropped.
    #[inline(always)]
    fn branch(&mut self, mut stuck: u32, batch_state: &mut (impl BatchState + ?Sized)) -> u32 {
        let mut ended = 0;
        while stuck != 0 {
            let (mut lanes, mut guesses_so_far, mut count) = ([0; EIGHT], [None; EIGHT], 0);
            while stuck != 0 && count < EIGHT {
                let lane = next_lane(&mut stuck);
                let Lane { depth, has_backtracked, .. } = self.lanes[lane];
                (lanes[count], guesses_so_far[count]) = (lane, (!has_backtracked).then_some(depth));
                count += 1;
            }
            self.grids.gather(self.simd, &lanes[..count], &mut *self.copies);
            let cells = self.grids.choose(self.simd, &self.copies[..count], &guesses_so_far);
            for ((&lane, masks), cell) in lanes[..count].iter().zip(&*self.copies).zip(cells) {
                let Lane { puzzle, base, depth, .. } = self.lanes[lane];
                if !puzzle.is_some_and(|puzzle| batch_state.guess(puzzle)) {
                    self.lanes[lane].depth = base;
                    ended |= 1 << lane;
                    continue;
                }
                let saved = &mut self.saved[lane * G::DEPTH + depth];
                *saved = *masks;
                let guess = saved[cell] & saved[cell].wrapping_neg();
                saved[cell] ^= guess;
                self.grids.settle(self.simd, cell, lane, guess);
                self.lanes[lane].depth = depth + 1;
            }
        }
        ended
    }

    /// Gives saved states of busy lanes to idle ones. Returns the lanes that got one.
    #[cold]
    #[inline(always)]
    fn give_to_idle(&mut self, mut idle: u32) -> u32 {
        let mut entered = 0;
        while idle != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while idle != 0 && count < EIGHT {
                let Some(owner) = self.most_loaded() else { break };
                let lane = next_lane(&mut idle);
                let oldest = self.lanes[owner].base;
                self.copy_state((owner, oldest), lane, count);
                self.lanes[owner].base = oldest + 1;
                self.lanes[owner].sharing = Sharing::Begun;
                self.lanes[lane] = Lane { base: 0, depth: 0, has_backtracked: true, ..self.lanes[owner] };
                self.costs[lane] = 0;
                entered |= 1 << lane;
                lanes[count] = lane;
                count += 1;
            }
            if count == 0 {
                break;
            }
            self.write_copies(&lanes[..count]);
        }
        entered
    }

    /// Finds the lane that has saved most states, if there is one to take over.
    fn most_loaded(&self) -> Option<usize> {
        let load = |lane: &Lane| match lane.sharing {
            Sharing::Forbidden => 0,
            Sharing::Possible | Sharing::Begun => lane.depth - lane.base,
        };
        let (lane, most) = self.lanes.iter().map(load).enumerate().max_by_key(|&(_, load)| load)?;
        (most > 0).then_some(lane)
    }

    /// Drops all parts of a puzzle and schedules it to be searched again. Returns the lanes that had the
    /// parts.
    #[cold]
    fn search_again(&mut self, puzzle: usize, batch_state: &mut (impl BatchState + ?Sized)) -> u32 {
        let mut dropped = 0;
        for lane in 0..S::LANES {
            if self.lanes[lane].puzzle == Some(puzzle) {
                self.retire(lane, batch_state);
                dropped |= 1 << lane;
            }
        }
        batch_state.reopen(puzzle);
        self.again.push(puzzle);
        dropped
    }
}

impl<S: Simd, G: SweptGrids<S>, B: BatchState + ?Sized> LaneWorker<B> for LaneSearch<S, G> {
    fn run(&mut self, batch_state: &mut B) {
        self.simd.run_with_features(self, batch_state);
    }

    /// Solves a batch, or as much of it as the batch wants.
    #[inline(always)]
    fn work(&mut self, batch_state: &mut B) {
        let begun = Instant::now();
        // A search that was stopped left lanes busy.
        self.lanes.fill(Lane::default());
        self.again.clear();
        let every = u32::MAX >> (32 - S::LANES);
        let mut waiting = 0..batch_state.len();
        let mut alive = self.fill_lanes(every, &mut waiting, batch_state);
        let mut sweeps = 0;
        while alive != 0 && !batch_state.is_over() {
            let found = self.grids.sweep(self.simd);
            sweeps += 1;
            let cost = SWEEP_COST / u64::from(alive.count_ones());
            self.costs.iter_mut().for_each(|costs| *costs += cost);

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
                alive |= self.fill_lanes(ended, &mut waiting, batch_state);
            }
            if alive != every && batch_state.may_share() {
                alive |= self.give_to_idle(every & !alive);
            }
        }
        batch_state.close(sweeps, begun);
    }

    fn memory(&self) -> usize {
        let LaneSearch { grids, lanes, saved, copies, .. } = self;
        size_of_val(self)
            + size_of_val(&**grids)
            + size_of_val(&lanes[..])
            + size_of_val(&**saved)
            + size_of_val(&**copies)
    }
}

/// Removes the lowest lane from a set that is not empty, and returns it.
#[inline(always)]
fn next_lane(set: &mut u32) -> usize {
    let lane = set.trailing_zeros() as usize;
    *set &= *set - 1;
    lane
}

/// The grids of one shape in the lanes of a backend.
pub(super) trait SweptGrids<S: Simd>: Send + Sized {
    /// The candidates of one grid, cell by cell.
    type Masks: Copy + Send + IndexMut<usize, Output = u16>;
    /// Masks without any candidates.
    const NO_MASKS: Self::Masks;
    /// The largest number of guesses that can be open at once. It is the number of cells, because each guess
    /// settles one.
    const DEPTH: usize;
    /// Whether copying eight lanes together is cheaper than copying them one by one.
    const COPIES_EIGHT: bool;

    /// Makes grids of that shape; `None` if they don't fit into the lanes.
    fn new(shape: Shape) -> Option<Self>;
    /// Runs one round of inference over all lanes.
    fn sweep(&mut self, simd: S) -> SweepResult;
    /// Finds the lanes in which some house lacks a digit, among those that look solved.
    fn broken_lanes(&self, simd: S) -> u32;
    /// Prepares for a new grid in a lane.
    #[inline(always)]
    fn renew(&mut self, _simd: S, _lane: usize) {}
    /// Leaves one candidate in a cell.
    fn settle(&mut self, simd: S, cell: usize, lane: usize, candidate: u16);
    /// Chooses the cell to guess in, for each of at most eight stuck grids. `guesses_so_far` has the number of
    /// guesses that led to a grid, or `None` if any of them has been undone.
    fn choose(&self, simd: S, grids: &[Self::Masks], guesses_so_far: &[Option<usize>; 8]) -> [usize; 8];

    /// Copies at most eight lanes out.
    fn gather(&self, simd: S, lanes: &[usize], into: &mut [Self::Masks]);
    /// Copies at most eight lanes in. They are in ascending order.
    fn scatter(&mut self, simd: S, lanes: &[usize], from: &[Self::Masks]);
    /// Puts the candidates that clues leave into a lane, or into the copy if eight lanes are copied at a
    /// time.
    fn load_clues(&mut self, simd: S, lane: usize, clues: &[u8], copy: &mut Self::Masks);
    /// Writes the digits of a lane whose cells have one candidate each, or of its copy if eight lanes are
    /// copied at a time.
    fn digits(&self, simd: S, lane: usize, copy: &Self::Masks, digits: &mut [u8]);
}

/// The result of a sweep, as sets of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepResult {
    /// Lanes without a solution: a house has no place for a digit, or two cells of a house have the same
    /// single, or a cell has no candidate.
    pub(super) dead: u32,
    /// Lanes that look solved. If such a lane is not dead, [`SweptGrids::broken_lanes`] decides.
    pub(super) solved: u32,
    /// Lanes that lost no candidate.
    pub(super) unchanged: u32,
}
