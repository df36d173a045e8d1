//! Searches for those who hunt puzzles: the neighbors of a puzzle, which differ from it in a few clues; which few
//! digits make it easy; and which sets of cells of a grid need a clue in every puzzle.

mod backdoors;
mod candidates;
mod neighbors;
mod solved_grid;
mod unavoidable;

pub use backdoors::{BackdoorFinder, BackdoorSets};
pub use neighbors::{Exchange, Neighbor, NeighborFinder, TakeNeighbor, base_keys};
use solved_grid::SolvedGrid;
pub use unavoidable::{UnavoidableFinder, UnavoidableSets, disjoint_sets};
