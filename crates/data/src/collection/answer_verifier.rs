//! Verification that each given answer is the only solution of its puzzle.

use std::sync::Arc;

use gridmill_core::grid::{Cell, Digit};
use gridmill_core::solver::Outcome;

use super::{AnswerFormat, Reason, Verifier};
use crate::record::{DuplicateDigit, Verdict};
use crate::text::{Batch, Fault, FaultKind, PuzzleText, Record};

/// Verifies the answers beside puzzles. They are checked against the rules first, which costs less than a
/// search; only puzzles with a right answer are searched, for a second one.
pub struct AnswerVerifier<P> {
    format: Arc<AnswerFormat<P>>,
    answers: Batch<P>,
    /// For each puzzle, the index of its answer, or why there is none.
    given: Vec<Result<usize, Fault>>,
}

impl<P: PuzzleText> AnswerVerifier<P> {
    /// Makes a verifier of answers in that format.
    #[must_use]
    pub fn new(format: Arc<AnswerFormat<P>>) -> AnswerVerifier<P> {
        AnswerVerifier { format, answers: Batch::default(), given: Vec::new() }
    }

    /// Finds the answer of each puzzle.
    fn pair(&mut self, records: &[Record]) {
        self.given.clear();
        let mut read = 0;
        for (puzzle, answer) in records.iter().zip(&self.answers.records) {
            let given = answer.fault.map_or(Ok(read), Err);
            read += usize::from(answer.fault.is_none());
            if puzzle.fault.is_none() {
                self.given.push(given);
            }
        }
    }

    fn first_verdict(&self, puzzle: &P, given: Result<usize, Fault>) -> Option<Verdict> {
        let Ok(answer) = given else { return Some(Verdict::Malformed) };
        let answer = &self.answers.puzzles[answer];
        if answer.shape() != puzzle.shape() {
            return Some(Verdict::Malformed);
        }
        (!puzzle.is_solved_by(answer)).then_some(Verdict::Wrong)
    }
}

impl<P: PuzzleText> Verifier<P> for AnswerVerifier<P> {
    fn look(&mut self, chunk: &[u8], batch: &Batch<P>, verdicts: &mut Vec<Option<Verdict>>) {
        if !batch.puzzles.is_empty() {
            self.format.read(chunk, &batch.records, &mut self.answers);
            self.pair(&batch.records);
            let pairs = batch.puzzles.iter().zip(&self.given);
            verdicts.extend(pairs.map(|(puzzle, &given)| self.first_verdict(puzzle, given)));
        }
    }

    #[inline]
    fn conclude(&self, index: usize, puzzle: &P, found: &Outcome<P::Solution>) -> Option<Verdict> {
        let answer = &self.answers.puzzles[self.given[index].ok()?];
        match found.solutions {
            0 => None,
            1 => found.solution.as_ref().is_some_and(|only| answer.is_same_as(only)).then_some(Verdict::Ok),
            _ => puzzle.agrees(found).then_some(Verdict::NotUnique),
        }
    }

    fn explain(&self, index: usize, puzzle: &P, record: &Record, verdict: Verdict) -> Reason {
        match self.given[index] {
            Err(fault) => {
                let reason = Reason::of_fault(&fault);
                // A fault of the whole record is not one of the answer.
                let is_whole = matches!(fault.kind, FaultKind::RecordTooLong | FaultKind::OpenQuote);
                let text = if is_whole { reason.text } else { format!("solution: {}", reason.text).into() };
                Reason { text, ..reason }
            }
            Ok(answer) => {
                let answer = &self.answers.puzzles[answer];
                Reason::of_puzzle(
                    record,
                    match verdict {
                        Verdict::Wrong => mistake(puzzle, answer).into(),
                        Verdict::NotUnique => "the solution is right, and not the only one".into(),
                        Verdict::Malformed => other_shape(puzzle, answer).into(),
                        _ => std::borrow::Cow::default(),
                    },
                )
            }
        }
    }
}

/// Returns why an answer is no solution of a puzzle of its shape: the first cell that is blank or differs from a clue, or
/// the first house that holds a digit twice. `None` if it is one, whether or not there are others.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_data::collection::what_is_wrong;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answer: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286179".parse()?;
/// assert_eq!(what_is_wrong(&puzzle, &answer), None);
/// assert_eq!(what_is_wrong(&puzzle, &puzzle).unwrap(), "row 1, column 3 of the solution is blank");
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[must_use]
pub fn what_is_wrong<P: PuzzleText>(puzzle: &P, answer: &P) -> Option<String> {
    (!puzzle.is_solved_by(answer)).then(|| mistake(puzzle, answer))
}

/// Returns the first mistake of an answer that is no solution.
fn mistake<P: PuzzleText>(puzzle: &P, answer: &P) -> String {
    let pairs = || puzzle.cells().iter().zip(answer.cells()).enumerate();
    let place = |cell| {
        let (cell, shape) = (Cell::new(cell), puzzle.shape());
        format!("row {}, column {}", cell.row(shape) + 1, cell.column(shape) + 1)
    };
    if let Some((cell, _)) = pairs().find(|(_, (_, digit))| **digit == 0) {
        return format!("{} of the solution is blank", place(cell));
    }
    if let Some((cell, (&clue, &digit))) = pairs().find(|(_, (clue, digit))| **clue != 0 && clue != digit) {
        let (clue, digit) = (symbol(puzzle, clue), symbol(answer, digit));
        return format!("{} is {clue} in the puzzle and {digit} in the solution", place(cell));
    }
    DuplicateDigit::find(answer).map(|twice| format!("{twice} in the solution")).unwrap_or_default()
}

fn other_shape<P: PuzzleText>(puzzle: &P, answer: &P) -> String {
    let (puzzle, answer) = (puzzle.shape().side(), answer.shape().side());
    format!("the solution is {answer}x{answer} and the puzzle {puzzle}x{puzzle}")
}

/// Returns a digit as text.
fn symbol(board: &impl PuzzleText, digit: u8) -> String {
    let symbol = Digit::new(digit).and_then(|digit| board.symbol(digit));
    symbol.map_or_else(|| digit.to_string(), String::from)
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;
    use gridmill_core::jobs::Searchable;

    use super::*;

    #[test]
    fn the_first_thing_that_is_wrong() {
        let clues: Puzzle =
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
                .parse()
                .unwrap();
        let solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let wrong = |from: &str, to: &str| {
            let answer: Puzzle = solved.replacen(from, to, 1).parse().unwrap();
            assert!(!clues.is_solved_by(&answer));
            what_is_wrong(&clues, &answer).unwrap()
        };
        assert_eq!(wrong("912", "91."), "row 1, column 9 of the solution is blank");
        assert_eq!(wrong("53467", "33457"), "row 1, column 1 is 5 in the puzzle and 3 in the solution");
        assert_eq!(wrong("912", "911"), "row 1 holds two 1s in the solution");
        assert_eq!(wrong("672195348198342", "672195348198324"), "column 5 holds two 2s in the solution");
    }
}
