//! What a job is asked about.

use gridmill_core::jobs::Proposed;

use crate::text::{Fault, PuzzleText, SolutionFault};

/// What a job is asked about a record: a puzzle, perhaps with a proposed solution.
pub trait Subject {
    /// The type of the puzzle.
    type Puzzle: PuzzleText;

    /// Returns the puzzle.
    fn puzzle(&self) -> &Self::Puzzle;

    /// Returns why that which belongs to the puzzle could not be read, if it could not.
    fn fault(&self) -> Option<Fault> {
        None
    }
}

impl<P: PuzzleText> Subject for P {
    type Puzzle = P;

    #[inline]
    fn puzzle(&self) -> &P {
        self
    }
}

impl<P: PuzzleText> Subject for Proposed<P, SolutionFault> {
    type Puzzle = P;

    fn puzzle(&self) -> &P {
        &self.puzzle
    }

    fn fault(&self) -> Option<Fault> {
        self.solution.as_ref().err().map(|fault| fault.0)
    }
}
