//! What the search needs of the grids in the lanes.

use crate::simd::Simd;

/// The grids of one shape in the lanes of a backend.
pub(super) trait LaneGrid<S: Simd>: Send {
    /// The candidates of one grid, cell by cell.
    type Masks: Copy + Send;
    /// No candidates anywhere.
    const NO_MASKS: Self::Masks;
    /// The most guesses that can be open at once, as each settles a cell.
    const DEPTH: usize;
    /// Whether it is cheaper to copy eight lanes at a time than one by one.
    const COPIES_EIGHT: bool;

    /// Runs one round of inference over all lanes.
    fn sweep(&mut self, simd: S) -> SweepResult;
    /// Returns the lanes in which some house lacks a digit, of those that look solved.
    fn broken_lanes(&self, simd: S) -> u32;
    /// Prepares for a new grid in a lane.
    fn renew(&mut self, simd: S, lane: usize);
    /// Leaves one candidate in a cell.
    fn settle(&mut self, simd: S, cell: usize, lane: usize, candidate: u16);
    /// Returns the cell to guess in, for each of at most eight stuck grids. `first_paths` has the number of guesses
    /// that led to a grid, where none of them has been taken back.
    fn choose(&self, simd: S, grids: &[Self::Masks], first_paths: &[Option<usize>; 8]) -> [usize; 8];

    /// Copies at most eight lanes out.
    fn gather(&self, simd: S, lanes: &[usize], into: &mut [Self::Masks]);
    /// Copies at most eight lanes in, in ascending order.
    fn scatter(&mut self, simd: S, lanes: &[usize], from: &[Self::Masks]);
    /// Writes the candidates that clues leave.
    fn masks_of_clues(&self, simd: S, clues: &[u8], masks: &mut Self::Masks);
    /// Puts the candidates that clues leave into a lane, without a copy in between.
    fn enter_clues(&mut self, simd: S, lane: usize, clues: &[u8]);
    /// Writes the digits of cells with one candidate each.
    fn digits(&self, simd: S, masks: &Self::Masks, digits: &mut [u8]);
    /// Writes the digits of a lane, without a copy in between.
    fn lane_digits(&self, simd: S, lane: usize, digits: &mut [u8]);
    /// Returns the candidates of a cell.
    fn mask(masks: &mut Self::Masks, cell: usize) -> &mut u16;
}

/// The result of a sweep, as sets of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepResult {
    /// Lanes where a house has no place for a digit, or the same single twice; or where a cell has no
    /// candidate.
    pub(super) dead: u32,
    /// Lanes that look solved: unless a lane is dead, [`LaneGrid::broken_lanes`] decides.
    pub(super) solved: u32,
    /// Lanes that lost no candidate.
    pub(super) unchanged: u32,
}
