//! What the search needs to know of the grids in the lanes.

use crate::simd::Simd;

/// The grids of one shape in the lanes of a backend.
pub(super) trait LaneGrid<S: Simd>: Send {
    /// The candidates of one grid, cell by cell.
    type Masks: Copy + Send;
    /// No candidates anywhere.
    const NO_MASKS: Self::Masks;
    /// The most guesses that can be open at once: one settles a cell.
    const DEPTH: usize;
    /// Whether it is cheaper to copy eight lanes at a time than one by one.
    const COPIES_EIGHT: bool;

    /// Does one round of inference over all lanes.
    fn sweep(&mut self, simd: S) -> SweepResult;
    /// Of lanes that look solved, those in which some house lacks a digit.
    fn broken_lanes(&self, simd: S) -> u32;
    /// Takes note that a lane has got another grid.
    fn renew(&mut self, simd: S, lane: usize);
    /// Leaves one candidate in a cell.
    fn settle(&mut self, simd: S, cell: usize, lane: usize, candidate: u16);
    /// For each of at most eight stuck grids, the cell to guess in.
    fn choose(&self, simd: S, grids: &[Self::Masks]) -> [usize; 8];

    /// Copies at most eight lanes out.
    fn gather(&self, simd: S, lanes: &[usize], into: &mut [Self::Masks]);
    /// Copies at most eight lanes in, in ascending order.
    fn scatter(&mut self, simd: S, lanes: &[usize], from: &[Self::Masks]);
    /// The candidates that clues leave.
    fn masks_of_clues(&self, simd: S, clues: &[u8], masks: &mut Self::Masks);
    /// Puts them into a lane, without a copy on the way.
    fn enter_clues(&mut self, simd: S, lane: usize, clues: &[u8]);
    /// The digits of cells with one candidate each.
    fn digits(&self, simd: S, masks: &Self::Masks, digits: &mut [u8]);
    /// The digits of a lane, without a copy on the way.
    fn lane_digits(&self, simd: S, lane: usize, digits: &mut [u8]);
    /// The candidates of a cell.
    fn mask(masks: &mut Self::Masks, cell: usize) -> &mut u16;
}

/// What a sweep found, as sets of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepResult {
    /// A house has no place for a digit, or the same single twice; or a cell has no candidate.
    pub(super) dead: u32,
    /// What looks like a solution: unless the lane is dead, [`LaneGrid::broken_lanes`] says whether it is one.
    pub(super) solved: u32,
    /// No candidate went.
    pub(super) unchanged: u32,
}
