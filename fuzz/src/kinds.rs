//! The three kinds of puzzles, which can be used as one.

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText};

/// A puzzle of any kind.
pub trait AnyPuzzle: PuzzleText {}

impl<P: PuzzleText> AnyPuzzle for P {}

/// Work on the puzzles of a file, for any kind of puzzle.
pub trait ForKind {
    /// Does the work for a type of puzzle.
    fn run<P: AnyPuzzle>(self);
}

/// Does the work for the type of puzzle that the file has.
pub fn for_kind(layout: &Layout, work: impl ForKind) {
    match layout.kind() {
        PuzzleKind::Classic => work.run::<Puzzle>(),
        PuzzleKind::Pencilmarks => work.run::<Pencilmarks>(),
        _ => work.run::<GridPuzzle>(),
    }
}

/// The text of a puzzle.
pub fn written(puzzle: &impl PuzzleText) -> Vec<u8> {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    text
}
