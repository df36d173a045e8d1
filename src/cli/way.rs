//! The two ways through the pipeline: one for classic puzzles, one for puzzles of any shape.

use super::engine::Engine;
use crate::grid::Puzzle;
use crate::pipeline::{Grain, Search};
use crate::record::Board;
use crate::text::{Format, GridPuzzle, Layout};

/// A kind of puzzle, with how a file of it is read, searched and cut.
pub(super) trait Way: Board + 'static {
    fn format(layout: &Layout) -> Box<dyn Format<Self>>;

    fn search(engine: Engine) -> Box<dyn Search<Self>>;

    fn grain(engine: Engine) -> Grain;
}

impl Way for Puzzle {
    fn format(layout: &Layout) -> Box<dyn Format> {
        layout.classic()
    }

    fn search(engine: Engine) -> Box<dyn Search> {
        Box::new(engine.classic())
    }

    fn grain(_: Engine) -> Grain {
        Grain::BATCHES
    }
}

impl Way for GridPuzzle {
    fn format(layout: &Layout) -> Box<dyn Format<GridPuzzle>> {
        layout.any_shape()
    }

    fn search(engine: Engine) -> Box<dyn Search<GridPuzzle>> {
        Box::new(engine.any_shape())
    }

    fn grain(engine: Engine) -> Grain {
        engine.grain()
    }
}
