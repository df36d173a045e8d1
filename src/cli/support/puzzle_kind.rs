//! The ways through the pipeline: for classic puzzles, for puzzles of any shape, for grids of candidates.

use super::engine::Engine;
use crate::grid::{Pencilmarks, Puzzle};
use crate::pipeline::{ChunkSizing, Search, SearchMarks};
use crate::record::PuzzleLike;
use crate::text::{Format, GridPuzzle, Layout};

/// A kind of puzzle, with how a file of it is read, searched and cut.
pub(crate) trait PuzzleKind: PuzzleLike + 'static {
    fn format(layout: &Layout) -> Box<dyn Format<Self>>;

    fn search(engine: Engine) -> Box<dyn Search<Self>>;

    fn grain(engine: Engine) -> ChunkSizing;
}

impl PuzzleKind for Puzzle {
    fn format(layout: &Layout) -> Box<dyn Format> {
        layout.classic()
    }

    fn search(engine: Engine) -> Box<dyn Search> {
        Box::new(engine.classic())
    }

    fn grain(_: Engine) -> ChunkSizing {
        ChunkSizing::BATCHES
    }
}

impl PuzzleKind for GridPuzzle {
    fn format(layout: &Layout) -> Box<dyn Format<GridPuzzle>> {
        layout.any_shape()
    }

    fn search(engine: Engine) -> Box<dyn Search<GridPuzzle>> {
        Box::new(engine.any_shape())
    }

    fn grain(engine: Engine) -> ChunkSizing {
        engine.grain()
    }
}

/// The engine is always the one that takes candidates: see [`EngineArgs`](super::engine::EngineArgs).
impl PuzzleKind for Pencilmarks {
    fn format(layout: &Layout) -> Box<dyn Format<Pencilmarks>> {
        layout.pencilmarks().expect("a file of pencilmarks")
    }

    fn search(_: Engine) -> Box<dyn Search<Pencilmarks>> {
        Box::new(SearchMarks::new())
    }

    fn grain(_: Engine) -> ChunkSizing {
        ChunkSizing::GRIDS
    }
}
