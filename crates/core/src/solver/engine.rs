//! The engine of a job: a kind, and for lanes the backend.

use super::{AnyLockstep, GridLike, GridSolver, Lockstep, Solver, SolverKind};
use crate::grid::{Puzzle, Shape};
use crate::simd::Backend;

/// The engine of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The lockstep engine on a backend.
    Lockstep(Backend),
    /// Another engine.
    Other(SolverKind),
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
    #[must_use]
    pub fn any_shape<P: GridLike>(self) -> Box<dyn GridSolver<P>> {
        match self {
            Engine::Lockstep(backend) => Box::new(AnyLockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build_any_shape(),
        }
    }

    /// Returns the name of the engine.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Lockstep(_) => SolverKind::Lockstep.name(),
            Engine::Other(kind) => kind.name(),
        }
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
