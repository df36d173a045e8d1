//! The engine of a run: chosen by the user and by the shape of the puzzles.

use clap::{Args, ValueEnum};
use gridmill_core::grid::Shape;
use gridmill_core::simd::Backend;
use gridmill_core::solver::{Engine, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::text::Layout;

use super::command_error::CommandError;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EngineArg {
    /// The fastest
    #[default]
    Auto,
    /// A puzzle in each lane of a vector: for batches, up to 16x16
    Lockstep,
    /// Masks of bits, the most constrained cell first
    Bitmask,
    /// Algorithm X on the exact-cover matrix
    DancingLinks,
    /// Naked singles, then a guess in the first blank
    Singles,
    /// Cell by cell in reading order: simple, and slow
    Backtracking,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BackendArg {
    /// The best that this processor has
    #[default]
    Auto,
    /// AVX-512 with VBMI2, BITALG and VPOPCNTDQ, 32 puzzles at once
    Avx512,
    /// AVX-512 with F, BW and VL, 32 puzzles at once
    Avx512Base,
    /// AVX2, 16 puzzles at once
    Avx2,
    /// Any processor, 8 puzzles at once
    Portable,
}

/// Which engine is to search.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct EngineArgs {
    /// How to search
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,

    /// The vector unit for the lockstep engine
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
}

/// `auto` is the best by measurement: `scripts/measure engines`, figures in `docs/measuring.md`.
impl EngineArgs {
    /// Returns the engine for puzzles of a shape, or of any shape for `None`.
    pub(crate) fn choose(self, shape: Option<Shape>) -> Result<Engine, Error> {
        let engine = self.best()?;
        let is_served = shape.is_some_and(|shape| SolverKind::Lockstep.serves(shape));
        match engine {
            Engine::Lockstep(_) if is_served => Ok(engine),
            Engine::Lockstep(_) if self.is_named() => Err(CommandError::NotForLanes { shape }.into()),
            Engine::Lockstep(_) => Ok(Engine::Other(SolverKind::Bitmask)),
            Engine::Other(_) => Ok(engine),
        }
    }

    /// Returns the engine for the puzzles of a file.
    pub(crate) fn choose_for(self, layout: &Layout) -> Result<Engine, Error> {
        match self.best()? {
            _ if !layout.is_pencilmarks() => self.choose(layout.shape),
            Engine::Other(SolverKind::Bitmask) => Ok(Engine::Other(SolverKind::Bitmask)),
            engine if self.is_named() => {
                Err(CommandError::NotForPencilmarks { engine: engine.name() }.into())
            }
            _ => Ok(Engine::Other(SolverKind::Bitmask)),
        }
    }

    /// Returns the engines for lists of solutions of puzzles of a shape, or of any shape for `None`: one for the first solutions
    /// of many puzzles at once, if there is any, and one for the others, of one puzzle at a time.
    ///
    /// Lanes list 2 to 4 times as quick as `bitmask` where a batch fills them, and take 5 times as long for a puzzle that
    /// is alone, as lists can't be shared. `bitmask` is quicker than `dancing-links` in both, by 1.05 to 3 times.
    pub(crate) fn choose_for_lists(self, shape: Option<Shape>) -> Result<(Option<Engine>, Engine), Error> {
        let engine = self.choose(shape)?;
        let batch = matches!(engine, Engine::Lockstep(_)).then_some(engine);
        let single = if self.is_named() { engine } else { Engine::Other(SolverKind::Bitmask) };
        Ok((batch, single))
    }

    /// Returns whether the user chose the engine or its backend.
    pub(crate) fn is_named(self) -> bool {
        self.engine != EngineArg::Auto || self.backend != BackendArg::Auto
    }

    fn best(self) -> Result<Engine, Error> {
        let wanted = match self.backend {
            BackendArg::Auto => None,
            BackendArg::Avx512 => Some(Backend::Avx512),
            BackendArg::Avx512Base => Some(Backend::Avx512Base),
            BackendArg::Avx2 => Some(Backend::Avx2),
            BackendArg::Portable => Some(Backend::Portable),
        };
        match (self.engine, wanted) {
            (EngineArg::Auto | EngineArg::Lockstep, None) => Ok(Engine::Lockstep(Backend::best())),
            (EngineArg::Auto | EngineArg::Lockstep, Some(backend)) if backend.is_available() => {
                Ok(Engine::Lockstep(backend))
            }
            (EngineArg::Auto | EngineArg::Lockstep, Some(backend)) => {
                Err(CommandError::NoBackend { backend }.into())
            }
            (_, Some(backend)) => Err(CommandError::NoUseForBackend { backend }.into()),
            (EngineArg::Bitmask, None) => Ok(Engine::Other(SolverKind::Bitmask)),
            (EngineArg::DancingLinks, None) => Ok(Engine::Other(SolverKind::DancingLinks)),
            (EngineArg::Singles, None) => Ok(Engine::Other(SolverKind::Singles)),
            (EngineArg::Backtracking, None) => Ok(Engine::Other(SolverKind::Backtracking)),
        }
    }
}
