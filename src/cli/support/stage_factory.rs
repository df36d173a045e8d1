//! The one dispatch on the kind of puzzles in a file: classic ones, ones of any shape, pencilmarks.

use super::engine::Engine;
use crate::error::Error;
use crate::grid::{Pencilmarks, Puzzle};
use crate::pipeline::{ChunkSizing, Stage};
use crate::record::PuzzleLike;
use crate::solver::{PencilmarkBitmask, Solver};
use crate::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText};

/// Makes the stage of a command for each kind of puzzle.
pub(crate) trait StageFactory {
    /// Makes the stage for a file.
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error>;
}

/// Makes a stage for the kind of puzzles in a file. Classic puzzles have a kind of their own, whose size the
/// compiler knows.
pub(crate) fn stage_for<'a>(
    factory: &'a impl StageFactory,
    layout: &Layout,
) -> Result<Box<dyn Stage + 'a>, Error> {
    match layout.kind() {
        PuzzleKind::Classic => factory.stage::<Puzzle>(layout),
        PuzzleKind::AnyShape => factory.stage::<GridPuzzle>(layout),
        PuzzleKind::Pencilmarks => factory.stage::<Pencilmarks>(layout),
    }
}

/// A kind of puzzle: how it is searched, and how a file of it is cut.
pub(crate) trait Searchable: PuzzleLike + PuzzleText + 'static {
    /// Makes the engine for these puzzles.
    fn solver(engine: Engine) -> Box<dyn Solver<Self>>;

    /// Returns how an input is cut for the engine.
    fn sizing(engine: Engine) -> ChunkSizing;
}

impl Searchable for Puzzle {
    fn solver(engine: Engine) -> Box<dyn Solver> {
        engine.classic()
    }

    fn sizing(_: Engine) -> ChunkSizing {
        ChunkSizing::BATCHES
    }
}

impl Searchable for GridPuzzle {
    fn solver(engine: Engine) -> Box<dyn Solver<GridPuzzle>> {
        engine.any_shape()
    }

    fn sizing(engine: Engine) -> ChunkSizing {
        engine.sizing()
    }
}

/// Always the engine that takes candidates: see [`EngineArgs`](super::engine::EngineArgs).
impl Searchable for Pencilmarks {
    fn solver(_: Engine) -> Box<dyn Solver<Pencilmarks>> {
        Box::new(PencilmarkBitmask::new())
    }

    fn sizing(_: Engine) -> ChunkSizing {
        ChunkSizing::GRIDS
    }
}
