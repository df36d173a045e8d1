//! The engine of a run.

use gridmill_core::grid::Puzzle;
use gridmill_core::simd::Backend;
use gridmill_core::solver::{AnyLockstep, GridLike, GridSolver, Lockstep, Solver, SolverKind};

use super::ChunkSizing;
use crate::text::Layout;

/// The engine of a run.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// The lockstep engine on a backend.
    Lockstep(Backend),
    /// Another engine.
    Other(SolverKind),
}

impl Engine {
    /// Returns the fastest engine for the puzzles of a file, by measurement: `scripts/measure engines`, figures in
    /// `docs/measuring.md`.
    pub fn fastest_for(layout: &Layout) -> Engine {
        let is_served = |shape| !layout.is_pencilmarks() && SolverKind::Lockstep.serves(shape);
        match layout.shape.is_some_and(is_served) {
            true => Engine::Lockstep(Backend::best()),
            false => Engine::Other(SolverKind::Bitmask),
        }
    }

    /// Makes the engine for classic puzzles. Its backend is available: that was checked when it was chosen.
    pub(crate) fn classic(self) -> Box<dyn Solver> {
        match self {
            Engine::Lockstep(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build(),
        }
    }

    /// Makes the engine that searches classic puzzles within bounds, and lists their solutions.
    pub(crate) fn bounded_classic(self) -> Box<dyn GridSolver<Puzzle>> {
        match self {
            Engine::Lockstep(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build_any_shape(),
        }
    }

    /// Makes the engine for puzzles of the shape that it was chosen for.
    pub(crate) fn any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self {
            Engine::Lockstep(backend) => Box::new(AnyLockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build_any_shape(),
        }
    }

    /// Returns how an input is cut for the engine.
    pub fn sizing(self) -> ChunkSizing {
        match self {
            Engine::Lockstep(_) => ChunkSizing::GRIDS,
            Engine::Other(_) => ChunkSizing::SINGLES,
        }
    }

    /// Returns the name of the engine.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Lockstep(_) => SolverKind::Lockstep.name(),
            Engine::Other(kind) => kind.name(),
        }
    }

    /// Returns the features that the processor lacks for a faster backend, where the engine is on the best one.
    pub fn lacking(self) -> Vec<&'static str> {
        match self {
            Engine::Lockstep(backend) if backend == Backend::best() => Backend::lacking_for_a_faster_one(),
            _ => Vec::new(),
        }
    }

    /// Returns the name of its backend, if it has a choice.
    pub fn backend(self) -> Option<&'static str> {
        match self {
            Engine::Lockstep(backend) => Some(backend.name()),
            Engine::Other(_) => None,
        }
    }
}
