//! Verifies that every record is a proper puzzle.

use super::{Reason, Verifier};
use crate::record::{DuplicateDigit, PuzzleLike, Status, Verdict};
use crate::solver::{Outcome, SolutionLimit};
use crate::text::{Batch, Record};

/// Verifies that puzzles have exactly one solution. All of them are searched, and what is found is checked
/// against the rules.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniquenessVerifier;

impl<P: PuzzleLike> Verifier<P> for UniquenessVerifier {
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
