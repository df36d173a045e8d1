//! Verdicts: whether proposed solutions are right and unique, and whether puzzles are proper; if not, why
//! not.

use std::fmt::Display;

use super::answers::NO_REASON;
use super::{
    Answers, BatchSearch, Column, DuplicateDigit, Job, JobPuzzle, Result, Schema, Status, StatusInfo, Worker,
    WrongAnswer, worker_from,
};
use crate::grid::{Cell, Digit};
use crate::solver::{Bounds, Budget, Engine, NEVER, Outcome, Request, Solver};

/// Checks that proposed solutions are right, and that their puzzles have no other solution.
///
/// Solutions are first checked against the rules, because that costs less than a search. Only if the solution is right is its
/// puzzle searched for a second one.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Check, Proposed, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let right = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// let wrong = right.replacen("912", "921", 1);
/// let pairs = [right.parse(), wrong.parse(), "12".parse()].map(|solution| Proposed { puzzle, solution });
/// let answers = Check::default().answer(&pairs)?;
/// assert_eq!(answers.value(0, 0), Value::Text("ok"));
/// assert_eq!(answers.value(0, 1), Value::Text("wrong"));
/// assert_eq!(answers.value(1, 1), Value::Text("column 8 holds two 2s in the solution"));
/// assert_eq!(answers.value(0, 2), Value::Text("malformed"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// How much the search of a puzzle may cost before it is given up.
    pub budget: Budget,
}

/// A puzzle and its proposed solution, or the reason why there is no solution, e.g. an error in its text. Use
/// [`std::convert::Infallible`] as the reason if every puzzle has a solution.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<P, F> {
    /// The puzzle.
    pub puzzle: P,
    /// The solution, which may be any grid.
    pub solution: Result<P, F>,
}

impl Check {
    /// The places of the statuses.
    const OK: u8 = 0;
    const NOT_UNIQUE: u8 = 1;
    const WRONG: u8 = 2;
    const BUDGET: u8 = 3;
    const MALFORMED: u8 = 4;

    /// The columns and statuses of the answers.
    #[must_use]
    pub fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("ok"),
            StatusInfo::wrong("not-unique"),
            StatusInfo::wrong("wrong"),
            StatusInfo::wrong("budget"),
            StatusInfo::MALFORMED,
        ];
        Schema { columns: vec![Column::VERDICT, Column::REASON], statuses: STATUSES }
    }

    /// Makes a worker for pairs of one kind of puzzle. Make one for each thread, because it keeps its memory
    /// from batch to batch.
    #[must_use]
    #[inline(never)]
    pub fn worker<P: JobPuzzle, F: Display + 'static>(&self) -> Box<dyn Worker<Proposed<P, F>>> {
        let (mut engine, mut outcomes) = (P::solver(self.engine), Vec::new());
        let bounds = Bounds::solutions(2).and_budget(self.budget);
        // The statuses of a batch by the rules alone, and its puzzles with a right solution.
        let (mut statuses, mut right) = (Vec::new(), Vec::new());
        worker_from(move |pairs: &[Proposed<P, F>], _, stop, answers| {
            statuses.clear();
            statuses.extend(pairs.iter().map(Proposed::status_by_rules));
            right.clear();
            let is_right = |(_, status): &(&Proposed<P, F>, &u8)| **status == Check::OK;
            right.extend(pairs.iter().zip(&statuses).filter(is_right).map(|(pair, _)| pair.puzzle.clone()));

            outcomes.resize(right.len(), Outcome::NONE);
            let request = Request { bounds, keeps_solutions: true, stop };
            let searched = engine.solve_until(&right, &request, &mut outcomes);
            let mut found = outcomes[..searched].iter();
            for (puzzle, (pair, &status)) in pairs.iter().zip(&statuses).enumerate() {
                if status != Check::OK {
                    answers.push_verdict(status, Some(pair.mistake()));
                    continue;
                }
                // If the run was stopped, the answers end before the first pair that was not searched.
                let Some(found) = found.next() else { break };
                match found.solutions {
                    _ if found.is_given_up => {
                        let reason =
                            "the solution is right, but the search for another one ended at the budget";
                        answers.push_verdict(Check::BUDGET, Some(reason));
                    }
                    1 if pair.is_solved_by(found.solution.as_ref()) => {
                        answers.push_verdict(status, NO_REASON);
                    }
                    2.. if pair.puzzle.is_consistent_with(found) => {
                        let reason = "the solution is right, and not the only one";
                        answers.push_verdict(Check::NOT_UNIQUE, Some(reason));
                    }
                    _ => return Err(WrongAnswer { puzzle, engine: engine.name() }),
                }
            }
            Ok(())
        })
    }

    /// Checks some pairs on this thread.
    ///
    /// # Errors
    ///
    /// If an engine gives an answer that breaks the rules, which is a bug in this library.
    pub fn answer<P: JobPuzzle, F: Display + 'static>(&self, pairs: &[Proposed<P, F>]) -> Result<Answers> {
        let mut answers = Answers::new(self.schema());
        self.worker().answer(pairs, 0, &NEVER, &mut answers)?;
        Ok(answers)
    }
}

impl<P: JobPuzzle, F: Display> Proposed<P, F> {
    /// The status by the rules alone, which does not say whether the solution is unique.
    #[inline]
    fn status_by_rules(&self) -> u8 {
        match &self.solution {
            Ok(solution) if solution.shape() != self.puzzle.shape() => Check::MALFORMED,
            Ok(solution) if self.puzzle.is_solved_by(solution.cells()) => Check::OK,
            Ok(_) => Check::WRONG,
            Err(_) => Check::MALFORMED,
        }
    }

    /// Describes what is wrong with a solution that is not right.
    fn mistake(&self) -> String {
        match &self.solution {
            Ok(solution) if solution.shape() != self.puzzle.shape() => {
                let (found, puzzle) = (solution.shape().side(), self.puzzle.shape().side());
                format!("the solution is {found}x{found} and the puzzle {puzzle}x{puzzle}")
            }
            Ok(solution) => first_mistake(&self.puzzle, solution),
            Err(reason) => reason.to_string(),
        }
    }

    /// Checks whether a solution that was found is the proposed one.
    #[inline]
    fn is_solved_by(&self, found: Option<&P::Solution>) -> bool {
        matches!((&self.solution, found), (Ok(solution), Some(found)) if P::digits_of(found) == solution.cells())
    }
}

/// Describes why a grid does not solve a puzzle of its shape: the first cell that is blank or differs from a
/// clue, or the first house that holds a digit twice. `None` if it is a solution, even if there are others.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::why_not_solution;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let solution: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286179".parse()?;
/// assert_eq!(why_not_solution(&puzzle, &solution), None);
/// assert_eq!(why_not_solution(&puzzle, &puzzle).unwrap(), "row 1, column 3 of the solution is blank");
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[must_use]
pub fn why_not_solution<P: JobPuzzle>(puzzle: &P, solution: &P) -> Option<String> {
    (!puzzle.is_solved_by(solution.cells())).then(|| first_mistake(puzzle, solution))
}

fn first_mistake<P: JobPuzzle>(puzzle: &P, solution: &P) -> String {
    let pairs = || puzzle.cells().iter().zip(solution.cells()).enumerate();
    let place = |cell| {
        let (cell, shape) = (Cell::new(cell), puzzle.shape());
        format!("row {}, column {}", cell.row(shape) + 1, cell.column(shape) + 1)
    };
    if let Some((cell, _)) = pairs().find(|(_, (_, digit))| **digit == 0) {
        return format!("{} of the solution is blank", place(cell));
    }
    if let Some((cell, (&clue, &digit))) = pairs().find(|(_, (clue, digit))| **clue != 0 && clue != digit) {
        let (clue, digit) = (written(puzzle, clue), written(solution, digit));
        return format!("{} is {clue} in the puzzle and {digit} in the solution", place(cell));
    }
    DuplicateDigit::find(solution).map(|twice| format!("{twice} in the solution")).unwrap_or_default()
}

/// Writes a digit like the puzzle does.
fn written(puzzle: &impl JobPuzzle, digit: u8) -> String {
    let symbol = Digit::new(digit).and_then(|digit| puzzle.symbol(digit));
    symbol.map_or_else(|| digit.to_string(), String::from)
}

/// Verifies that puzzles have exactly one solution.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Value, Verify};
///
/// let proper = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let twice = proper.replacen("53", "55", 1);
/// let answers = Verify::default().answer(&[proper.parse::<Puzzle>()?, twice.parse()?])?;
/// assert_eq!([answers.value(0, 0), answers.value(1, 0)], [Value::Text("unique"), Value::Missing]);
/// assert_eq!(answers.value(0, 1), Value::Text("conflict"));
/// assert_eq!(answers.value(1, 1), Value::Text("row 1 holds two 5s"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verify {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// How much a puzzle may cost before it is given up.
    pub budget: Budget,
}

impl Verify {
    /// The places of the statuses.
    const UNIQUE: u8 = 0;
    const MULTIPLE: u8 = 1;
    const NONE: u8 = 2;
    const BUDGET: u8 = 3;
    const CONFLICT: u8 = 4;

    /// Makes a worker that searches with an engine of your own.
    #[must_use]
    pub fn worker_with<P: JobPuzzle>(&self, engine: Box<dyn Solver<P>>) -> Box<dyn Worker<P>> {
        let mut search = BatchSearch::new(engine, Bounds::solutions(2).and_budget(self.budget));
        worker_from(move |puzzles, _, stop, answers| {
            for (puzzle, status, _) in search.prove(puzzles, stop)? {
                match status {
                    Status::Unique => answers.push_verdict(Verify::UNIQUE, NO_REASON),
                    Status::None => answers.push_verdict(Verify::NONE, Some("no solution")),
                    Status::Conflict => answers.push_verdict(Verify::CONFLICT, DuplicateDigit::find(puzzle)),
                    Status::Budget => {
                        let reason = "the search for two solutions ended at the budget";
                        answers.push_verdict(Verify::BUDGET, Some(reason));
                    }
                    _ => answers.push_verdict(Verify::MULTIPLE, Some("two solutions or more")),
                }
            }
            Ok(())
        })
    }
}

impl Job for Verify {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("unique"),
            StatusInfo::wrong("multiple"),
            StatusInfo::wrong("none"),
            StatusInfo::wrong("budget"),
            StatusInfo::CONFLICT,
            StatusInfo::MALFORMED,
        ];
        Schema { columns: vec![Column::VERDICT, Column::REASON], statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        self.worker_with(P::solver(self.engine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Puzzle;

    #[test]
    fn the_first_mistake_is_described() {
        let clues: Puzzle =
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
                .parse()
                .unwrap();
        let solved = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let wrong = |from: &str, to: &str| {
            let solution: Puzzle = solved.replacen(from, to, 1).parse().unwrap();
            why_not_solution(&clues, &solution).unwrap()
        };
        assert_eq!(wrong("912", "91."), "row 1, column 9 of the solution is blank");
        assert_eq!(wrong("53467", "33457"), "row 1, column 1 is 5 in the puzzle and 3 in the solution");
        assert_eq!(wrong("912", "911"), "row 1 holds two 1s in the solution");
        assert_eq!(wrong("672195348198342", "672195348198324"), "column 5 holds two 2s in the solution");
    }
}
