//! The engine of a run, by what the user says and by the shape of the puzzles.

use clap::ValueEnum;

use crate::error::{Error, ErrorKind};
use crate::grid::Shape;
use crate::pipeline::Search;
use crate::simd::Backend;
use crate::solver::{Lockstep, Solver, SolverKind};
use crate::text::GridPuzzle;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineArg {
    /// The fastest
    #[default]
    Auto,
    /// A puzzle in each lane of a vector: for batches of 9x9 puzzles
    Lockstep,
    /// Boards of bits, the most constrained cell first
    Bitmask,
    /// Algorithm X on the exact-cover matrix
    DancingLinks,
    /// Naked singles, then a guess in the first blank
    Singles,
    /// Cell by cell in reading order: simple, and slow
    Backtracking,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum BackendArg {
    /// The best that this processor has
    #[default]
    Auto,
    /// AVX-512, 32 puzzles at once
    Avx512,
    /// AVX2, 16 puzzles at once
    Avx2,
    /// Any processor, 8 puzzles at once
    Portable,
}

/// The engine of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Engine {
    Lockstep { backend: Backend, named: bool },
    Other(SolverKind),
}

impl Engine {
    pub(super) fn choose(engine: EngineArg, backend: BackendArg) -> Result<Engine, Error> {
        let wanted = match backend {
            BackendArg::Auto => None,
            BackendArg::Avx512 => Some(Backend::Avx512),
            BackendArg::Avx2 => Some(Backend::Avx2),
            BackendArg::Portable => Some(Backend::Portable),
        };
        let named = engine != EngineArg::Auto || wanted.is_some();
        match (engine, wanted) {
            (EngineArg::Auto | EngineArg::Lockstep, None) => {
                Ok(Engine::Lockstep { backend: Backend::best(), named })
            }
            (EngineArg::Auto | EngineArg::Lockstep, Some(backend)) if backend.is_available() => {
                Ok(Engine::Lockstep { backend, named })
            }
            (_, Some(backend)) => Err(ErrorKind::NoBackend { backend: backend.name() }.into()),
            (EngineArg::Bitmask, None) => Ok(Engine::Other(SolverKind::Bitmask)),
            (EngineArg::DancingLinks, None) => Ok(Engine::Other(SolverKind::DancingLinks)),
            (EngineArg::Singles, None) => Ok(Engine::Other(SolverKind::Singles)),
            (EngineArg::Backtracking, None) => Ok(Engine::Other(SolverKind::Backtracking)),
        }
    }

    /// The engine in its place for puzzles of that shape, or of any if there is none.
    pub(super) fn for_shape(self, shape: Option<Shape>) -> Result<Engine, Error> {
        match self {
            Engine::Lockstep { named: true, .. } => {
                Err(ErrorKind::OnlyClassic { engine: self.name(), shape }.into())
            }
            Engine::Lockstep { named: false, .. } => Ok(Engine::Other(SolverKind::Bitmask)),
            Engine::Other(_) => Ok(self),
        }
    }

    /// What searches classic puzzles.
    pub(super) fn classic(self) -> Box<dyn Search> {
        Box::new(self.build())
    }

    /// What searches puzzles of any shape. An engine that takes them a batch at a time has its place here,
    /// once [`Engine::for_shape`] lets it pass.
    pub(super) fn any_shape(self) -> Box<dyn Search<GridPuzzle>> {
        let kind = if let Engine::Other(kind) = self { kind } else { SolverKind::Bitmask };
        Box::new(kind.build_any_shape().expect("all engines but lockstep are for any shape"))
    }

    fn build(self) -> Box<dyn Solver> {
        match self {
            // Availability was asked when the backend was chosen, and does not change.
            Engine::Lockstep { backend, .. } => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build(),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Engine::Lockstep { .. } => SolverKind::Lockstep.name(),
            Engine::Other(kind) => kind.name(),
        }
    }

    pub(super) fn backend(self) -> Option<&'static str> {
        match self {
            Engine::Lockstep { backend, .. } => Some(backend.name()),
            Engine::Other(_) => None,
        }
    }
}

/// The engines for any shape.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum AnyShapeArg {
    /// Masks of candidates, the most constrained cell first
    #[default]
    Bitmask,
    /// Algorithm X on the exact-cover matrix
    DancingLinks,
    /// Naked singles, then a guess in the first blank
    Singles,
    /// Cell by cell in reading order: simple, and slow
    Backtracking,
}

impl From<AnyShapeArg> for SolverKind {
    fn from(engine: AnyShapeArg) -> SolverKind {
        match engine {
            AnyShapeArg::Bitmask => SolverKind::Bitmask,
            AnyShapeArg::DancingLinks => SolverKind::DancingLinks,
            AnyShapeArg::Singles => SolverKind::Singles,
            AnyShapeArg::Backtracking => SolverKind::Backtracking,
        }
    }
}
