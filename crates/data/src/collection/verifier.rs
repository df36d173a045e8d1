//! Verifying the records of a collection; whether puzzles are proper.

use std::borrow::Cow;

use gridmill_core::jobs::Status;
use gridmill_core::solver::{Outcome, SolutionLimit};

use crate::record::{DuplicateDigit, Verdict};
use crate::text::{Batch, Fault, FaultKind, PuzzleText, Record};

/// Verifies records: gives each a verdict and a reason. One value serves one worker, from chunk to chunk.
pub trait Verifier<P: PuzzleText>: Send {
    /// Appends the verdicts that need no search: one for each puzzle of a chunk, or `None` where a search
    /// must decide.
    fn look(&mut self, chunk: &[u8], batch: &Batch<P>, verdicts: &mut Vec<Option<Verdict>>);

    /// Returns the verdict on a puzzle, by its index in the batch, from a search for two solutions; `None` if
    /// that outcome is invalid.
    fn conclude(&self, index: usize, puzzle: &P, found: &Outcome<P::Solution>) -> Option<Verdict>;

    /// Returns the reason of a verdict that was given to a puzzle.
    fn explain(&self, index: usize, puzzle: &P, record: &Record, verdict: Verdict) -> Reason;
}

/// The reason of a record's verdict, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The reason as text; empty for a good record.
    pub text: Cow<'static, str>,
    /// The fault that the text ends with, where a record or its answer could not be read.
    pub fault: Option<FaultKind>,
    /// The place: bytes from the start of the chunk.
    pub offset: usize,
    /// Whether the place is a single character, and not only a line.
    pub is_exact: bool,
}

impl Reason {
    /// Returns a reason that is about a puzzle as a whole.
    #[must_use]
    pub fn of_puzzle(record: &Record, text: impl Into<Cow<'static, str>>) -> Reason {
        Reason { text: text.into(), fault: None, offset: record.first_cell(), is_exact: false }
    }

    /// Returns the reason why a record, or its answer, could not be read.
    #[must_use]
    pub fn of_fault(fault: &Fault) -> Reason {
        Reason {
            text: fault.kind.to_string().into(),
            fault: Some(fault.kind),
            offset: fault.offset as usize,
            is_exact: true,
        }
    }
}

/// Verifies that puzzles have exactly one solution. All are searched, and solutions are checked against the
/// rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniquenessVerifier;

impl<P: PuzzleText> Verifier<P> for UniquenessVerifier {
    fn look(&mut self, _: &[u8], batch: &Batch<P>, verdicts: &mut Vec<Option<Verdict>>) {
        verdicts.resize(verdicts.len() + batch.puzzles.len(), None);
    }

    #[inline]
    fn conclude(&self, _: usize, puzzle: &P, found: &Outcome<P::Solution>) -> Option<Verdict> {
        let status = Status::of(puzzle, found, SolutionLimit::UNIQUENESS);
        puzzle.agrees(found).then_some(match status {
            Status::Unique => Verdict::Unique,
            Status::Conflict => Verdict::Conflict,
            Status::None => Verdict::None,
            _ => Verdict::Multiple,
        })
    }

    fn explain(&self, _: usize, puzzle: &P, record: &Record, verdict: Verdict) -> Reason {
        let twice = || DuplicateDigit::find(puzzle).map(|twice| twice.to_string()).unwrap_or_default();
        match verdict {
            Verdict::Multiple => Reason::of_puzzle(record, "two solutions or more"),
            Verdict::None => Reason::of_puzzle(record, "no solution"),
            Verdict::Conflict => Reason::of_puzzle(record, twice()),
            _ => Reason::of_puzzle(record, ""),
        }
    }
}
