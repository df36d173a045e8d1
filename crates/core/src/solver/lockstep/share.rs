//! Sharing searches among lanes, once no puzzle is waiting.
//!
//! An idle lane takes over the oldest state that another one has saved: the largest part of what is left
//! there. Both go on by themselves. A search for two solutions that finds one at most goes through the whole
//! tree, in whatever order, so guesses and solution are those that one lane would find. Where there is a
//! second solution, the order decides how many guesses come before it and which of the two is the first: the
//! puzzle is searched again, in one lane.

use super::batch_state::BatchState;
use super::lane_grid::LaneGrid;
use super::search::{EIGHT, Lane, LaneSearch, Sharing, next_lane};
use crate::simd::Simd;

impl<S: Simd, G: LaneGrid<S>> LaneSearch<S, G> {
    /// Gives saved states to idle lanes. Returns the lanes that got one.
    #[cold]
    #[inline(always)]
    pub(super) fn share(&mut self, mut idle: u32) -> u32 {
        let mut entered = 0;
        while idle != 0 {
            let (mut lanes, mut count) = ([0; EIGHT], 0);
            while idle != 0 && count < EIGHT {
                let Some(owner) = self.most_loaded() else { break };
                let lane = next_lane(&mut idle);
                let oldest = self.lanes[owner].base;
                self.copy_state((owner, oldest), lane, count);
                self.lanes[owner].base = oldest + 1;
                self.lanes[owner].sharing = Sharing::Done;
                self.lanes[lane] = Lane { base: 0, depth: 0, has_come_back: true, ..self.lanes[owner] };
                self.shares[lane] = 0;
                entered |= 1 << lane;
                lanes[count] = lane;
                count += 1;
            }
            if count == 0 {
                break;
            }
            self.put_in(&lanes[..count]);
        }
        entered
    }

    /// Returns the lane that has saved most, if there is anything to take over.
    fn most_loaded(&self) -> Option<usize> {
        let load = |lane: &Lane| match lane.sharing {
            Sharing::Forbidden => 0,
            Sharing::Possible | Sharing::Done => lane.depth - lane.base,
        };
        let (lane, most) = self.lanes.iter().map(load).enumerate().max_by_key(|&(_, load)| load)?;
        (most > 0).then_some(lane)
    }

    /// Drops all parts of a puzzle, which is to be searched again. Returns the lanes that had them.
    #[cold]
    pub(super) fn search_again(
        &mut self,
        puzzle: usize,
        batch_state: &mut (impl BatchState + ?Sized),
    ) -> u32 {
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
