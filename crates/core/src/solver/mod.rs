//! Engines that find the solutions of puzzles.
//!
//! Two traits: a [`Solver`] solves puzzles of a kind a batch at a time, and a [`GridSolver`] can also list
//! every solution, and search within [`Bounds`]. Every engine solves classic puzzles; the engines for any
//! shape solve whatever is [`GridLike`], and [`PencilmarkBitmask`] solves grids of candidates.

mod account;
pub mod backtracking;
mod batch;
pub mod bitmask;
mod bounds;
mod count;
pub mod dancing_links;
mod engine;
mod houses;
mod lister;
mod lists;
pub mod lockstep;
mod outcome;
mod puzzle;
mod search;
pub mod singles;
mod solve_all;
mod split;
mod trace;
mod true_candidates;

use std::fmt;

use crate::grid::Shape;

pub use backtracking::Backtracking;
pub use batch::Solver;
use bitmask::EitherBitmask;
pub use bitmask::{AnyBitmask, Bitmask, PencilmarkBitmask};
pub use bounds::Bounds;
pub use bounds::NEVER;
pub use count::{Counter, StagedCounter};
pub use dancing_links::DancingLinks;
pub use engine::Engine;
pub use lister::Lister;
pub use lists::SolutionLists;
pub use lockstep::{AnyLockstep, Lockstep};
pub use outcome::{Outcome, SolutionLimit};
pub use puzzle::{Clues, GridLike, Solvable};
pub use search::{GridSolver, SearchEnd, Searched};
pub use singles::Singles;
pub use solve_all::{solve_all, solve_all_up_to};
pub use split::SplitCounter;
pub use trace::{TraceEvent, TracedEngine, trace};
pub use true_candidates::{Narrowable, TrueCandidates, true_candidates};

/// The engines, by name.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{SolutionLimit, SolverKind};
///
/// let puzzle: Puzzle = ".6.5.1.9.1...9..539....7....4.8...7.......5.8.817.5.3.....5.2............76..8...".parse().unwrap();
/// let mut engine = SolverKind::Bitmask.build();
/// let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
/// assert!(outcome.solution.unwrap().solves(&puzzle));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SolverKind {
    /// [`Lockstep`]: a puzzle in each lane of a vector; for batches.
    Lockstep,
    /// [`Bitmask`]: a board of bits for each digit, the most constrained cell first.
    Bitmask,
    /// [`DancingLinks`]: Algorithm X on the exact-cover matrix.
    DancingLinks,
    /// [`Singles`]: naked singles, then a guess in the first blank.
    Singles,
    /// [`Backtracking`]: cell by cell in reading order; the oracle of the tests.
    Backtracking,
}

impl SolverKind {
    /// Every engine.
    pub const ALL: [SolverKind; 5] = [
        SolverKind::Lockstep,
        SolverKind::Bitmask,
        SolverKind::DancingLinks,
        SolverKind::Singles,
        SolverKind::Backtracking,
    ];

    /// Returns a new engine of this kind for classic puzzles.
    #[must_use]
    pub fn build(self) -> Box<dyn Solver> {
        match self {
            SolverKind::Lockstep => Box::new(Lockstep::new()),
            SolverKind::Bitmask => Box::new(Bitmask::new()),
            SolverKind::DancingLinks => Box::new(DancingLinks::new()),
            SolverKind::Singles => Box::new(Singles::new()),
            SolverKind::Backtracking => Box::new(Backtracking::new()),
        }
    }

    /// Returns a new engine of this kind for puzzles of every shape that it [serves](SolverKind::serves).
    #[must_use]
    pub fn build_any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self {
            SolverKind::Lockstep => Box::new(AnyLockstep::new()),
            SolverKind::Bitmask => Box::new(EitherBitmask::default()),
            SolverKind::DancingLinks => Box::new(DancingLinks::new()),
            SolverKind::Singles => Box::new(Singles::new()),
            SolverKind::Backtracking => Box::new(Backtracking::new()),
        }
    }

    /// Returns whether the engine can search grids of that shape. Only [`SolverKind::Lockstep`] has a limit,
    /// 16 digits.
    #[must_use]
    pub const fn serves(self, shape: Shape) -> bool {
        !matches!(self, SolverKind::Lockstep) || shape.side() <= AnyLockstep::MAX_SIDE
    }

    /// Returns the name by which the engine is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SolverKind::Lockstep => "lockstep",
            SolverKind::Bitmask => "bitmask",
            SolverKind::DancingLinks => "dancing-links",
            SolverKind::Singles => "singles",
            SolverKind::Backtracking => "backtracking",
        }
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
