//! The engines by name, and the engine of a job: a kind, and for lanes the backend.

use std::fmt;

use super::{AnyLockstep, Backtracking, Bitmask, DancingLinks, GridLike, GridSolver, Lockstep, Singles};
use crate::grid::{Puzzle, Shape};
use crate::simd::Backend;

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
    pub fn build(self) -> Box<dyn GridSolver<Puzzle>> {
        match self {
            SolverKind::Lockstep => Box::new(Lockstep::new()),
            other => other.build_any_shape(),
        }
    }

    /// Returns a new engine of this kind for puzzles of every shape that it [serves](SolverKind::serves).
    #[must_use]
    pub fn build_any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self {
            SolverKind::Lockstep => Box::new(AnyLockstep::new()),
            SolverKind::Bitmask => Box::new(Bitmask::new()),
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

/// The engine of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The lockstep engine on a backend.
    Lockstep(Backend),
    /// Another engine.
    Other(SolverKind),
}

/// The fastest engine for 9x9.
impl Default for Engine {
    fn default() -> Engine {
        Engine::fastest(Some(Shape::CLASSIC))
    }
}

impl Engine {
    /// Returns the fastest engine for puzzles of clues of a shape, or of any shape for `None`, by measurement:
    /// `scripts/measure engines`, figures in `docs/measuring.md`.
    #[must_use]
    pub fn fastest(shape: Option<Shape>) -> Engine {
        match shape.is_some_and(|shape| SolverKind::Lockstep.serves(shape)) {
            true => Engine::Lockstep(Backend::best()),
            false => Engine::Other(SolverKind::Bitmask),
        }
    }

    /// Makes the engine for classic puzzles. Its backend is available: that was checked when it was chosen.
    #[must_use]
    pub fn classic(self) -> Box<dyn GridSolver<Puzzle>> {
        match self {
            Engine::Lockstep(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build(),
        }
    }

    /// Makes the engine for puzzles of the shape that it was chosen for.
    #[must_use]
    pub fn any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self {
            Engine::Lockstep(backend) => Box::new(AnyLockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build_any_shape(),
        }
    }

    /// Returns the kind of the engine.
    #[must_use]
    pub const fn kind(self) -> SolverKind {
        match self {
            Engine::Lockstep(_) => SolverKind::Lockstep,
            Engine::Other(kind) => kind,
        }
    }

    /// Returns the name of the engine.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// Returns the features that the processor lacks for a faster backend, where the engine is on the best one.
    #[must_use]
    pub fn lacking(self) -> Vec<&'static str> {
        match self {
            Engine::Lockstep(backend) if backend == Backend::best() => Backend::lacking_for_a_faster_one(),
            _ => Vec::new(),
        }
    }

    /// Returns the name of its backend, if it has a choice.
    #[must_use]
    pub fn backend(self) -> Option<&'static str> {
        match self {
            Engine::Lockstep(backend) => Some(backend.name()),
            Engine::Other(_) => None,
        }
    }
}
