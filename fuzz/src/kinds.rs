//! The three kinds of puzzles, as what all of them are.

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText};

/// A puzzle of any kind.
pub trait AnyPuzzle: PuzzleText {}

impl<P: PuzzleText> AnyPuzzle for P {}

/// What is done with the puzzles of a file, of whichever kind they are.
pub trait ForKind {
    /// Does it for the type of the puzzles.
    fn run<P: AnyPuzzle>(self);
}

/// Does something with the type of the puzzles of a file.
pub fn for_kind(layout: &Layout, work: impl ForKind) {
    match layout.kind() {
        PuzzleKind::Classic => work.run::<Puzzle>(),
        PuzzleKind::Pencilmarks => work.run::<Pencilmarks>(),
        _ => work.run::<GridPuzzle>(),
    }
}

/// Returns a puzzle as it is written.
pub fn written(puzzle: &impl PuzzleText) -> Vec<u8> {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    text
}
