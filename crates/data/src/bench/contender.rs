//! The contenders of a benchmark, which are engines and programs, their sets of puzzles, and the errors of both.

use std::fmt;
use std::sync::Arc;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, Shape};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{AnyLockstep, GridLike, GridSolver, Lockstep, Solver, SolverKind};
use rand::Rng;

use super::{Program, ProgramError};

/// An engine that takes part in a [`super::Benchmark`]: one of ours, perhaps on a backend that is forced, or one of the
/// caller's; or a [`Program`]. Cheap to clone.
///
/// ```
/// use gridmill_data::bench::Contender;
/// use gridmill_core::solver::SolverKind;
///
/// let contender = Contender::by_name("lockstep-portable")?;
/// assert_eq!(contender.kind(), Some(SolverKind::Lockstep));
/// assert_eq!(contender.to_string(), "lockstep-portable");
/// assert!(Contender::by_name("lockstep-abacus").is_err());
/// # Ok::<(), gridmill_data::bench::BenchError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contender(Choice);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    /// An engine that chooses its backend, if it has a choice.
    Kind(SolverKind),
    /// [`Lockstep`] on a backend that was asked for, and is available.
    Forced(Backend),
    Custom(&'static str, Build),
    Program(Arc<Program>),
}

/// The maker of a caller's engine. Engines are told apart by their names: functions have no identity.
#[derive(Clone, Copy, Debug)]
struct Build(fn() -> Box<dyn Solver>);

impl PartialEq for Build {
    fn eq(&self, _: &Build) -> bool {
        true
    }
}

impl Eq for Build {}

impl Contender {
    /// Returns the engine of that name: that of a [`SolverKind`], or `lockstep-` and that of a [`Backend`].
    ///
    /// # Errors
    ///
    /// [`BenchError::NoEngine`] where nothing has that name, [`BenchError::NoBackend`] where this processor
    /// can't run it.
    pub fn by_name(name: &str) -> Result<Contender, BenchError> {
        let unknown = || BenchError::NoEngine { name: name.to_owned() };
        let Some(backend) = name.strip_prefix("lockstep-") else {
            let kind = SolverKind::ALL.into_iter().find(|kind| kind.name() == name);
            return kind.map(Contender::from).ok_or_else(unknown);
        };
        let backend = Backend::ALL.into_iter().find(|known| known.name() == backend).ok_or_else(unknown)?;
        if !backend.is_available() {
            return Err(BenchError::NoBackend { backend });
        }
        Ok(Contender(Choice::Forced(backend)))
    }

    /// Returns an engine of the caller's, for classic puzzles, under a name of its own. `build` makes one for each
    /// thread.
    ///
    /// ```
    /// use gridmill_data::bench::{Benchmark, Contender, PuzzleSet};
    /// use gridmill_core::grid::Puzzle;
    /// use gridmill_core::solver::{Bitmask, SolutionLimit, SolverKind};
    ///
    /// let set = PuzzleSet::Classic(vec![Puzzle::EMPTY; 10]);
    /// let mine = Contender::custom("mine", || Box::new(Bitmask::new()));
    /// let contenders = [mine, SolverKind::Lockstep.into()];
    /// let mut benchmark = Benchmark::new(&set, &contenders, 1, SolutionLimit::FIRST)?;
    /// benchmark.check()?;
    /// assert_eq!(benchmark.measurements().next().unwrap().contender.to_string(), "mine");
    /// # Ok::<(), gridmill_data::bench::BenchError>(())
    /// ```
    #[must_use]
    pub const fn custom(name: &'static str, build: fn() -> Box<dyn Solver>) -> Contender {
        Contender(Choice::Custom(name, Build(build)))
    }

    /// Returns its kind; `None` for an engine of the caller's and for a program.
    #[must_use]
    pub const fn kind(&self) -> Option<SolverKind> {
        match &self.0 {
            Choice::Kind(kind) => Some(*kind),
            Choice::Forced(_) => Some(SolverKind::Lockstep),
            Choice::Custom(..) | Choice::Program(_) => None,
        }
    }

    /// Returns the program, if it is one.
    #[must_use]
    pub const fn program(&self) -> Option<&Arc<Program>> {
        match &self.0 {
            Choice::Program(program) => Some(program),
            _ => None,
        }
    }

    /// Returns the vector unit of the engine, if it has a choice.
    #[must_use]
    pub fn backend(&self) -> Option<Backend> {
        match &self.0 {
            Choice::Kind(kind) => (*kind == SolverKind::Lockstep).then(Backend::best),
            Choice::Forced(backend) => Some(*backend),
            Choice::Custom(..) | Choice::Program(_) => None,
        }
    }

    /// Returns a new engine for classic puzzles; `None` for a program.
    #[must_use]
    pub fn build(&self) -> Option<Box<dyn Solver>> {
        match &self.0 {
            Choice::Kind(kind) => Some(kind.build()),
            // The backend was available when the contender was named.
            Choice::Forced(backend) => Some(Box::new(Lockstep::with_backend(*backend).unwrap_or_default())),
            Choice::Custom(_, Build(build)) => Some(build()),
            Choice::Program(_) => None,
        }
    }

    /// Returns a new engine for puzzles of every shape that it serves; `None` for an engine of the caller's and for a
    /// program.
    #[must_use]
    pub fn build_any_shape<P: GridLike>(&self) -> Option<Box<dyn GridSolver<P>>> {
        match &self.0 {
            Choice::Kind(kind) => Some(kind.build_any_shape()),
            Choice::Forced(backend) => {
                Some(Box::new(AnyLockstep::with_backend(*backend).unwrap_or_default()))
            }
            Choice::Custom(..) | Choice::Program(_) => None,
        }
    }

    /// Returns whether the contender can solve puzzles of that shape. Programs get classic ones alone.
    #[must_use]
    pub fn serves(&self, shape: Shape) -> bool {
        self.kind().map_or(shape == Shape::CLASSIC, |kind| kind.serves(shape))
    }
}

impl From<SolverKind> for Contender {
    fn from(kind: SolverKind) -> Contender {
        Contender(Choice::Kind(kind))
    }
}

impl From<Program> for Contender {
    fn from(program: Program) -> Contender {
        Contender(Choice::Program(Arc::new(program)))
    }
}

/// The name by which the engine is chosen, or the name of the program.
impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Choice::Kind(kind) => kind.fmt(f),
            Choice::Forced(backend) => f.pad(&format!("{}-{backend}", SolverKind::Lockstep)),
            Choice::Custom(name, _) => f.pad(name),
            Choice::Program(program) => f.pad(program.name()),
        }
    }
}

/// Puzzles to measure engines on.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_data::bench::PuzzleSet;
///
/// let four = Grid::empty(Shape::new(2, 2).unwrap());
/// assert!(matches!(PuzzleSet::from(vec![four.clone()]), PuzzleSet::AnyShape(_)));
/// assert_eq!(PuzzleSet::from(vec![four]).shapes(), [Shape::new(2, 2).unwrap()]);
/// assert!(matches!(PuzzleSet::from(vec![Grid::empty(Shape::CLASSIC)]), PuzzleSet::Classic(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PuzzleSet {
    /// Classic puzzles.
    Classic(Vec<Puzzle>),
    /// Puzzles of any shape, or of several.
    AnyShape(Vec<Grid>),
}

impl PuzzleSet {
    /// Returns how many puzzles there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            PuzzleSet::Classic(puzzles) => puzzles.len(),
            PuzzleSet::AnyShape(grids) => grids.len(),
        }
    }

    /// Returns whether there are no puzzles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the puzzles.
    pub fn grids(&self) -> impl Iterator<Item = Grid> {
        (0..self.len()).map(|index| self.grid(index))
    }

    /// Returns a puzzle as a grid of its shape.
    ///
    /// # Panics
    ///
    /// Where there is no puzzle of that index.
    #[must_use]
    pub fn grid(&self, index: usize) -> Grid {
        match self {
            PuzzleSet::Classic(puzzles) => puzzles[index].into(),
            PuzzleSet::AnyShape(grids) => grids[index].clone(),
        }
    }

    /// Returns the shapes of the puzzles, each once, in the order of their first puzzles.
    #[must_use]
    pub fn shapes(&self) -> Vec<Shape> {
        let PuzzleSet::AnyShape(grids) = self else { return vec![Shape::CLASSIC] };
        let mut shapes = Vec::new();
        for grid in grids {
            if !shapes.contains(&grid.shape()) {
                shapes.push(grid.shape());
            }
        }
        shapes
    }

    /// Returns a random isomorph of each puzzle.
    #[must_use]
    pub fn permuted(&self, rng: &mut impl Rng) -> PuzzleSet {
        match self {
            PuzzleSet::Classic(puzzles) => {
                let mut disguise = |puzzle| Isomorphism::random(Shape::CLASSIC, rng).apply_classic(puzzle);
                PuzzleSet::Classic(puzzles.iter().map(&mut disguise).collect())
            }
            PuzzleSet::AnyShape(grids) => {
                let disguise = |grid: &Grid| Isomorphism::random(grid.shape(), rng).apply(grid);
                PuzzleSet::AnyShape(grids.iter().map(disguise).collect())
            }
        }
    }
}

/// Classic puzzles if all of them are.
impl From<Vec<Grid>> for PuzzleSet {
    fn from(grids: Vec<Grid>) -> PuzzleSet {
        let classic = |grid: &Grid| match grid.shape() {
            Shape::CLASSIC => grid.cells().try_into().ok().and_then(Puzzle::from_cells),
            _ => None,
        };
        match grids.iter().map(classic).collect() {
            Some(puzzles) => PuzzleSet::Classic(puzzles),
            None => PuzzleSet::AnyShape(grids),
        }
    }
}

/// Why engines can't be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// There is no such engine.
    #[error("there is no engine '{name}'")]
    NoEngine {
        /// The name that was asked for.
        name: String,
    },
    /// This processor can't run the backend.
    #[error("this processor can't run the backend {backend}: it lacks {}", .backend.lacking().join(", "))]
    NoBackend {
        /// The backend that was asked for.
        backend: Backend,
    },
    /// The engine does not solve puzzles of that shape.
    #[error(
        "'{engine}' does not solve puzzles of {side}x{side} with boxes of {shape}; bitmask, dancing-links, singles and backtracking do",
        side = shape.side()
    )]
    OtherShape {
        /// The engine.
        engine: Contender,
        /// The shape.
        shape: Shape,
    },
    /// Two engines, or an engine and the rules, disagree about a puzzle: a defect of an engine.
    #[error("'{engine}' gives a wrong answer to {puzzle}; nothing was timed")]
    Disagreement {
        /// The engine.
        engine: Contender,
        /// The puzzle.
        puzzle: Box<Grid>,
    },
    /// A program of others can't be measured, or answers wrongly. A benchmark without it may go on.
    #[error("'{program}': {error}")]
    Program {
        /// The name of the program.
        program: String,
        /// The reason.
        error: ProgramError,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_engine() {
        let backends = Backend::ALL.into_iter().filter(|backend| backend.is_available());
        let names = SolverKind::ALL.map(|kind| kind.name().to_owned()).into_iter();
        for name in names.chain(backends.map(|backend| format!("lockstep-{backend}"))) {
            let contender = Contender::by_name(&name).unwrap();
            assert_eq!(contender.to_string(), name);
            let kind = contender.kind().unwrap();
            assert_eq!(contender.build().unwrap().name(), kind.name());
            assert_eq!(contender.backend().is_some(), kind == SolverKind::Lockstep);
        }
        for name in ["", "lockstep-", "Lockstep", "bitmask-avx2"] {
            assert!(Contender::by_name(name).is_err(), "{name}");
        }
    }
}
