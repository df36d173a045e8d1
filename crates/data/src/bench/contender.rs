//! The contenders of a benchmark (engines and programs), sets of puzzles, and the errors of both.

use std::fmt;
use std::sync::Arc;

use gridmill_core::grid::{Grid, Isomorphism, Puzzle, Shape};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Engine, EngineKind, Solver};
use rand::Rng;

use super::Program;

/// A contender in a [`super::Benchmark`]: an engine of gridmill (with a certain backend if you like), an
/// engine of your own, or a [`Program`]. Cheap to clone.
///
/// ```
/// use gridmill_data::bench::Contender;
/// use gridmill_core::solver::EngineKind;
///
/// let contender = Contender::by_name("lockstep-portable")?;
/// assert_eq!(contender.engine().unwrap().kind(), EngineKind::Lockstep);
/// assert_eq!(contender.to_string(), "lockstep-portable");
/// assert!(Contender::by_name("lockstep-abacus").is_err());
/// # Ok::<(), gridmill_data::bench::BenchError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Contender {
    /// An engine of gridmill.
    Engine {
        /// The name by which it was chosen, including its backend if that was chosen too.
        name: String,
        /// The engine. Its backend is available.
        engine: Engine,
    },
    /// An engine of your own, for classic puzzles.
    ///
    /// ```
    /// use gridmill_data::bench::{Benchmark, Contender, PuzzleSet};
    /// use gridmill_core::grid::Puzzle;
    /// use gridmill_core::solver::{Bitmask, EngineKind, SolutionLimit};
    ///
    /// let set = PuzzleSet::Classic(vec![Puzzle::EMPTY; 10]);
    /// let mine = Contender::Custom { name: "mine", build: || Box::new(Bitmask::new()) };
    /// let contenders = [mine, EngineKind::Lockstep.into()];
    /// let mut benchmark = Benchmark::new(&set, &contenders, 1, SolutionLimit::FIRST)?;
    /// benchmark.check()?;
    /// assert_eq!(benchmark.measurements().next().unwrap().contender.to_string(), "mine");
    /// # Ok::<(), gridmill_data::bench::BenchError>(())
    /// ```
    Custom {
        /// A name that differs from those of the other contenders.
        name: &'static str,
        /// Makes an engine for each thread.
        build: fn() -> Box<dyn Solver>,
    },
    /// A program of others.
    Program(Arc<Program>),
}

impl Contender {
    /// Finds an engine by its name: that of a [`EngineKind`] (e.g. `bitmask`), or `lockstep-` and the name
    /// of a [`Backend`] (e.g. `lockstep-avx2`).
    ///
    /// # Errors
    ///
    /// [`BenchError::NoEngine`] for an unknown name, [`BenchError::NoBackend`] if this processor can't run
    /// the backend.
    pub fn by_name(name: &str) -> Result<Contender, BenchError> {
        let unknown = || BenchError::NoEngine(name.to_owned());
        let Some(backend) = name.strip_prefix("lockstep-") else {
            let kind = EngineKind::ALL.into_iter().find(|kind| kind.name() == name);
            return kind.map(Contender::from).ok_or_else(unknown);
        };
        let backend = Backend::ALL.into_iter().find(|known| known.name() == backend).ok_or_else(unknown)?;
        if !backend.is_available() {
            return Err(BenchError::NoBackend(backend));
        }
        Ok(Contender::Engine { name: name.to_owned(), engine: Engine::Lockstep(backend) })
    }

    /// The engine, if it is one of gridmill.
    #[must_use]
    pub const fn engine(&self) -> Option<Engine> {
        match self {
            Contender::Engine { engine, .. } => Some(*engine),
            _ => None,
        }
    }

    /// The name of the engine, by which users choose it, or that of the program.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Contender::Engine { name, .. } => name,
            Contender::Custom { name, .. } => name,
            Contender::Program(program) => program.name(),
        }
    }

    /// Builds an engine for classic puzzles; `None` for a program.
    #[must_use]
    pub fn build(&self) -> Option<Box<dyn Solver>> {
        match self {
            Contender::Engine { engine, .. } => Some(engine.classic()),
            Contender::Custom { build, .. } => Some(build()),
            Contender::Program(_) => None,
        }
    }

    /// Returns whether the contender can solve puzzles of that shape. Programs get only classic ones.
    #[must_use]
    pub fn serves(&self, shape: Shape) -> bool {
        self.engine().map_or(shape == Shape::CLASSIC, |engine| engine.kind().serves(shape))
    }
}

impl From<EngineKind> for Contender {
    /// Takes the engine of that kind, on the best backend if it has a choice.
    fn from(kind: EngineKind) -> Contender {
        let engine = match kind {
            EngineKind::Lockstep => Engine::Lockstep(Backend::best()),
            other => Engine::Other(other),
        };
        Contender::Engine { name: kind.name().to_owned(), engine }
    }
}

impl From<Program> for Contender {
    fn from(program: Program) -> Contender {
        Contender::Program(Arc::new(program))
    }
}

/// Contenders are equal if their names are, because functions can't be compared.
impl PartialEq for Contender {
    fn eq(&self, other: &Contender) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Contender {}

/// The name.
impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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
    /// The number of puzzles.
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

    /// Iterates over the puzzles as grids of their shapes.
    pub fn grids(&self) -> impl Iterator<Item = Grid> {
        (0..self.len()).map(|index| self.grid(index))
    }

    /// The puzzle at that index, as a grid of its shape.
    ///
    /// # Panics
    ///
    /// If there is no puzzle at that index.
    #[must_use]
    pub fn grid(&self, index: usize) -> Grid {
        match self {
            PuzzleSet::Classic(puzzles) => puzzles[index].into(),
            PuzzleSet::AnyShape(grids) => grids[index].clone(),
        }
    }

    /// The shapes of the puzzles. Each occurs once, in the order of their first puzzles.
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

    /// Replaces each puzzle by a random isomorph, so that no contender benefits from knowing the puzzles.
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

/// Makes a classic set if all grids are classic.
impl From<Vec<Grid>> for PuzzleSet {
    fn from(grids: Vec<Grid>) -> PuzzleSet {
        match grids.iter().map(Grid::to_classic).collect() {
            Some(puzzles) => PuzzleSet::Classic(puzzles),
            None => PuzzleSet::AnyShape(grids),
        }
    }
}

/// Why engines can't be measured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// No engine has that name.
    #[error("there is no engine '{_0}'")]
    NoEngine(String),
    /// This processor can't run the backend.
    #[error("this processor can't run the backend {_0}: it lacks {}", _0.lacking().join(", "))]
    NoBackend(Backend),
    /// The engine does not solve puzzles of that shape.
    #[error(
        "'{engine}' does not solve puzzles of {side}x{side} with boxes of {shape}; {others} do",
        side = shape.side(),
        others = engines_for(*shape)
    )]
    OtherShape {
        /// The engine.
        engine: Contender,
        /// The shape.
        shape: Shape,
    },
    /// Two engines disagree about a puzzle, or an engine breaks the rules: a bug in an engine.
    #[error("'{engine}' gives a wrong answer to {puzzle}; nothing was timed")]
    Disagreement {
        /// The engine.
        engine: Contender,
        /// The puzzle.
        puzzle: Box<Grid>,
    },
    /// A program can't be measured, or answers wrongly. You can run the benchmark without it.
    #[error("'{program}': {reason}")]
    Program {
        /// The name of the program.
        program: String,
        /// The reason, in words. Puzzles in it count from 1.
        reason: String,
    },
}

/// Lists the engines for puzzles of a shape, as text for a message.
fn engines_for(shape: Shape) -> String {
    let names = EngineKind::ALL.into_iter().filter(|kind| kind.serves(shape)).map(EngineKind::name);
    let names: Vec<&str> = names.collect();
    // Only one engine does not solve all shapes.
    let (last, others) = names.split_last().expect("there are engines for every shape");
    format!("{} and {last}", others.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_engine() {
        let backends = Backend::ALL.into_iter().filter(|backend| backend.is_available());
        let names = EngineKind::ALL.map(|kind| kind.name().to_owned()).into_iter();
        for name in names.chain(backends.map(|backend| format!("lockstep-{backend}"))) {
            let contender = Contender::by_name(&name).unwrap();
            assert_eq!(contender.to_string(), name);
            let engine = contender.engine().unwrap();
            assert_eq!(contender.build().unwrap().name(), engine.name());
            assert_eq!(engine.backend().is_some(), engine.kind() == EngineKind::Lockstep);
        }
        for (side, expected) in [(3, true), (5, false)] {
            let names = engines_for(Shape::new(side, side).unwrap());
            assert_eq!(names.starts_with("lockstep, bitmask, "), expected, "{names}");
            assert!(names.ends_with("bitmask, dancing-links, singles and backtracking"), "{names}");
        }
        for name in ["", "lockstep-", "Lockstep", "bitmask-avx2"] {
            assert!(Contender::by_name(name).is_err(), "{name}");
        }
    }
}
