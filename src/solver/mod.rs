//! Search: engines that find the solutions of puzzles.
//!
//! Two traits: a [`Solver`] takes classic puzzles a batch at a time, a [`GridSolver`] takes one grid of any
//! shape and can hand out every solution. [`Classic`] makes a `Solver` of a `GridSolver`. [`PencilmarkBitmask`] takes
//! grids of candidates.

pub mod backtracking;
pub mod bitmask;
mod classic;
pub mod dancing_links;
mod houses;
pub mod lockstep;
mod search;
pub mod singles;
mod split;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Instant;

use crate::grid::{Puzzle, Shape, Solution};

pub use backtracking::Backtracking;
pub use bitmask::{AnyBitmask, Bitmask, PencilmarkBitmask};
pub use classic::Classic;
pub use dancing_links::DancingLinks;
pub use lockstep::{AnyLockstep, Lockstep};
pub use search::{Bounds, End, GridBatch, GridOutcome, GridSolver, Searched};
pub use singles::Singles;
pub use split::count_split;

/// An engine. One value serves one thread and is reused from batch to batch, so that solving allocates
/// nothing.
pub trait Solver: Send {
    /// The name under which the engine is chosen, in lower case.
    fn name(&self) -> &'static str;

    /// Solves `puzzles[i]` into `outcomes[i]`, searching on until `limit` solutions are found.
    ///
    /// # Panics
    ///
    /// Where the two slices differ in length.
    fn solve_batch(&mut self, puzzles: &[Puzzle], limit: SolutionLimit, outcomes: &mut [Outcome]);

    /// How many puzzles to hand over at once where a run must be able to stop: enough to lose nothing, and
    /// so few that hard ones don't hold it up.
    fn grain(&self) -> usize {
        16
    }

    /// Bytes of memory that it keeps from batch to batch; `None` if it does not say.
    fn memory(&self) -> Option<usize> {
        None
    }

    /// Solves one puzzle.
    fn solve(&mut self, puzzle: &Puzzle, limit: SolutionLimit) -> Outcome {
        let mut outcome = [Outcome::NONE];
        self.solve_batch(std::slice::from_ref(puzzle), limit, &mut outcome);
        outcome[0]
    }
}

/// The engines, by name.
///
/// ```
/// use gridmill::grid::Puzzle;
/// use gridmill::solver::{SolutionLimit, SolverKind};
///
/// let puzzle: Puzzle = ".6.5.1.9.1...9..539....7....4.8...7.......5.8.817.5.3.....5.2............76..8...".parse().unwrap();
/// let mut engine = SolverKind::Bitmask.build();
/// let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
/// assert!(outcome.solution.unwrap().solves(&puzzle));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// A new engine of this kind for classic puzzles.
    #[must_use]
    pub fn build(self) -> Box<dyn Solver> {
        match self {
            SolverKind::Lockstep => Box::new(Lockstep::new()),
            SolverKind::Bitmask => Box::new(Bitmask::new()),
            SolverKind::DancingLinks => Box::new(Classic::new(DancingLinks::new())),
            SolverKind::Singles => Box::new(Classic::new(Singles::new())),
            SolverKind::Backtracking => Box::new(Classic::new(Backtracking::new())),
        }
    }

    /// A new engine of this kind for grids of every shape that it [serves](SolverKind::serves).
    #[must_use]
    pub fn build_any_shape(self) -> Box<dyn GridSolver> {
        match self {
            SolverKind::Lockstep => Box::new(AnyLockstep::new()),
            SolverKind::Bitmask => Box::new(AnyBitmask::new()),
            SolverKind::DancingLinks => Box::new(DancingLinks::new()),
            SolverKind::Singles => Box::new(Singles::new()),
            SolverKind::Backtracking => Box::new(Backtracking::new()),
        }
    }

    /// Can it search grids of that shape? All of them can, but [`SolverKind::Lockstep`] only up to 16 digits.
    #[must_use]
    pub const fn serves(self, shape: Shape) -> bool {
        !matches!(self, SolverKind::Lockstep) || shape.side() <= AnyLockstep::MAX_SIDE
    }

    /// The name under which the engine is chosen.
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

/// The number of solutions at which a search stops, at least one.
///
/// Only a search that is allowed a second solution can prove that the first is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolutionLimit(NonZeroU32);

impl SolutionLimit {
    /// Stop at the first solution.
    pub const FIRST: SolutionLimit = SolutionLimit(NonZeroU32::MIN);

    /// Stop at the second: enough to tell none, one and many apart.
    pub const UNIQUENESS: SolutionLimit = SolutionLimit(NonZeroU32::MIN.saturating_add(1));

    /// Stop at that number of solutions; `None` for zero.
    #[must_use]
    pub const fn new(solutions: u32) -> Option<SolutionLimit> {
        match NonZeroU32::new(solutions) {
            Some(limit) => Some(SolutionLimit(limit)),
            None => None,
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Solutions found, up to the limit.
    pub solutions: u32,
    /// The first solution found, if there is one.
    pub solution: Option<Solution>,
    /// Times that the engine had to choose among possibilities without proof. The same for every run;
    /// each engine says what it counts.
    pub guesses: u32,
    /// Time charged to this puzzle, in nanoseconds. Summed over a batch it is the time that the engine
    /// spent on the batch.
    pub nanos: u64,
}

impl Outcome {
    /// The outcome of a search that found nothing, at no cost.
    pub const NONE: Outcome = Outcome { solutions: 0, solution: None, guesses: 0, nanos: 0 };
}

/// Runs an engine that solves one puzzle at a time over a batch. One reading of the clock ends a puzzle
/// and begins the next, so that the times add up to the whole.
fn solve_each(puzzles: &[Puzzle], outcomes: &mut [Outcome], mut solve: impl FnMut(&Puzzle, &mut Outcome)) {
    assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
    let mut begun = Instant::now();
    for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
        *outcome = Outcome::NONE;
        solve(puzzle, outcome);
        let ended = Instant::now();
        outcome.nanos = (ended - begun).as_nanos() as u64;
        begun = ended;
    }
}
