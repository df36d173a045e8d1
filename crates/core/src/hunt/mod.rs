//! Searches for those who hunt puzzles: the neighbors of a puzzle, which differ from it in a few clues.

mod neighbors;

pub use neighbors::{Exchange, Neighbor, NeighborFinder, TakeNeighbor, base_keys};
