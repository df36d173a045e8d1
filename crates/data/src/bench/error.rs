//! Errors of benchmarks.

use gridmill_core::grid::{Grid, Shape};
use gridmill_core::simd::Backend;

use super::{Contender, ProgramError};

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
