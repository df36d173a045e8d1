//! The one dispatch on the kind of puzzles in a file: classic ones, ones of any shape, pencilmarks.

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{ChunkValue, Stage};
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText};

/// Makes the stage of a command for each kind of puzzle.
pub(crate) trait StageFactory<V: ChunkValue = Vec<u8>> {
    /// Makes the stage for a file.
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout) -> Result<Box<dyn Stage<V> + 'a>, Error>;
}

/// Makes the stage for a file whose puzzles are read as those of a kind. Classic puzzles have a kind of their own, whose
/// size the compiler knows.
pub(crate) fn stage_for<'a, V: ChunkValue>(
    factory: &'a impl StageFactory<V>,
    kind: PuzzleKind,
    layout: &Layout,
) -> Result<Box<dyn Stage<V> + 'a>, Error> {
    match kind {
        PuzzleKind::Classic => factory.stage::<Puzzle>(layout),
        PuzzleKind::AnyShape => factory.stage::<GridPuzzle>(layout),
        PuzzleKind::Pencilmarks => factory.stage::<Pencilmarks>(layout),
    }
}
