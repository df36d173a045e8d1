//! Engines that find the solutions of puzzles.
//!
//! There are two traits. A [`Solver`] solves puzzles of one kind, a batch at a time. A [`SolutionEngine`] can
//! also list every solution, and search within [`Bounds`]. Every engine solves classic puzzles. The engines
//! for any shape solve everything that is [`CluePuzzle`], and [`Bitmask`] also solves grids of candidates.

pub mod backtracking;
pub mod bitmask;
mod count;
pub mod dancing_links;
mod engine;
mod houses;
mod lister;
pub mod lockstep;
mod search;
pub mod singles;

pub use backtracking::Backtracking;
pub(crate) use bitmask::ClueProbe;
pub use bitmask::{AnyBitmask, Bitmask};
pub(crate) use count::lock;
pub use count::{SplitCounter, StagedCounter};
pub use dancing_links::DancingLinks;
pub use engine::{Engine, EngineKind, TraceEvent, TracedEngine, solve_all, solve_all_up_to, trace};
pub use lister::{Lister, SolutionLists, TrueCandidates, true_candidates};
pub use lockstep::{AnyLockstep, Lockstep};
use search::CHECK_INTERVAL;
pub use search::{
    AsGrid, Bounds, Budget, CluePuzzle, Clues, NEVER, Outcome, Request, SearchEnd, SearchResult,
    SolutionEngine, SolutionLimit, Solvable, Solver,
};
pub use singles::Singles;
