//! Answering the questions of many classic digs at once, with the lockstep engine.
//!
//! A question about several clues is: has the puzzle without them a second solution? If it has, the engine
//! makes many guesses before it finds one, since such a puzzle is wide open. A question about a single clue
//! has a cheaper form: with another digit in that cell, has the puzzle any solution? This is asked for one
//! possible digit after the other, until there is a solution.

use std::sync::atomic::AtomicBool;

use super::dig::{Dig, Uniqueness};
use super::oracle::{Numbered, UniquenessOracle, puzzle};
use super::units::Units;
use crate::grid::{CELLS, Digit, DigitSet, Puzzle};
use crate::simd::Backend;
use crate::solver::{
    Bounds, Clues, GridSolver, Lockstep, NEVER, Outcome, SolutionLimit, SolutionLists, Solver,
};

/// Finds out whether classic puzzles are proper, all in one batch.
#[derive(Debug)]
pub(super) struct LockstepOracle {
    engine: Lockstep,
    /// Questions for a second solution.
    second: Questions,
    /// Questions for any solution.
    any: Questions,
    /// The question of each dig in a round.
    asked: Vec<Question>,
    /// The solutions of the questions for a second one. The one that a dig does not know is what it learns from.
    found: SolutionLists,
}

/// Puzzles in question, and their outcomes.
#[derive(Debug, Default)]
struct Questions {
    questions: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
}

impl Questions {
    fn solve(&mut self, engine: &mut Lockstep, limit: SolutionLimit) {
        self.outcomes.resize(self.questions.len(), Outcome::NONE);
        engine.solve_batch(&self.questions, limit, &mut self.outcomes);
        self.questions.clear();
    }
}

impl LockstepOracle {
    pub(super) fn new(backend: Backend) -> LockstepOracle {
        let engine = Lockstep::with_backend(backend).unwrap_or_default();
        LockstepOracle {
            engine,
            second: Questions::default(),
            any: Questions::default(),
            asked: Vec::new(),
            found: SolutionLists::new(),
        }
    }

    /// Solves puzzles up to a second solution.
    pub(super) fn solve<'a>(&mut self, puzzles: impl Iterator<Item = &'a [u8]>) -> &[Outcome] {
        self.second.questions.extend(puzzles.map(puzzle));
        self.second.solve(&mut self.engine, SolutionLimit::UNIQUENESS);
        &self.second.outcomes
    }
}

/// The question of a dig.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// Whether there is a second solution.
    Second,
    /// Whether there is a solution with another digit in the cell. These digits are then left to be tried.
    Digit(DigitSet),
    /// None: no other digit fits into the cell.
    Settled,
}

impl UniquenessOracle for LockstepOracle {
    /// Searches all, whatever `stop` says.
    fn search_all(&mut self, puzzles: &[Clues<'_>], _stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>> {
        let outcomes = self.solve(puzzles.iter().map(|puzzle| puzzle.cells)).iter();
        let in_cells = |outcome: &Outcome| Outcome {
            solutions: outcome.solutions,
            solution: outcome.solution.map(|solution| solution.cells().to_vec()),
            ..Outcome::NONE
        };
        outcomes.map(in_cells).collect()
    }

    /// Answers all, whatever `stop` says: a batch takes milliseconds.
    fn answer(&mut self, digs: &mut [Numbered], units: &Units, _stop: &AtomicBool) {
        self.asked.clear();
        for (_, dig) in &*digs {
            let question = self.pose(dig, units);
            self.asked.push(question);
        }
        // A batch takes milliseconds, and is never stopped.
        self.engine.list_until(&self.second.questions, &Bounds::solutions(2), &mut self.found, &NEVER);
        self.second.questions.clear();
        self.any.solve(&mut self.engine, SolutionLimit::FIRST);
        let (mut second, mut any) = (0..self.found.len(), self.any.outcomes.iter());
        for ((_, dig), question) in digs.iter_mut().zip(&self.asked) {
            match question {
                Question::Second => {
                    let found = second.next().into_iter().flat_map(|index| self.found.solutions(index));
                    second_solution(dig, found, units);
                }
                Question::Digit(others) => {
                    any.next().into_iter().for_each(|outcome| other_digit(dig, *others, outcome, units));
                }
                Question::Settled => dig.learn(Uniqueness::Proper, units),
            }
        }
    }
}

impl LockstepOracle {
    /// Adds the question of a dig to one of the batches.
    fn pose(&mut self, dig: &Dig, units: &Units) -> Question {
        let Some(cell) = dig.asked_cell(units) else {
            self.second.questions.push(puzzle(dig.clues()));
            return Question::Second;
        };
        let digits = dig.untried().unwrap_or_else(|| other_digits(dig.clues(), cell, dig.solution()[cell]));
        let Some(digit) = digits.lowest() else { return Question::Settled };
        let mut cells = [0; CELLS];
        cells.copy_from_slice(dig.clues());
        cells[cell] = digit.get();
        self.any.questions.extend(Puzzle::from_cells(cells));
        Question::Digit(digits.without(digit))
    }
}

/// Takes the answer from the solutions, of which a question has two unless it is proper.
fn second_solution<'a>(dig: &mut Dig, mut found: impl Iterator<Item = &'a [u8]>, units: &Units) {
    match found.find(|&other| other != dig.solution()) {
        Some(other) => dig.learn(Uniqueness::Other(other), units),
        None => dig.learn(Uniqueness::Proper, units),
    }
}

fn other_digit(dig: &mut Dig, others: DigitSet, outcome: &Outcome, units: &Units) {
    match &outcome.solution {
        Some(other) => dig.learn(Uniqueness::Other(other.cells()), units),
        None if others.is_empty() => dig.learn(Uniqueness::Proper, units),
        None => dig.ask_again(others),
    }
}

/// Returns the digits that fit into a blank, except one.
fn other_digits(clues: &[u8], cell: usize, but: u8) -> DigitSet {
    let clues: &[u8; CELLS] = clues.try_into().expect("a classic grid has 81 cells");
    let (row, column) = (cell / 9, cell % 9);
    let corner = row / 3 * 27 + column / 3 * 3;
    let mut seen: u16 = 1 << but;
    for place in 0..9 {
        let in_box = corner + place / 3 * 9 + place % 3;
        seen |= 1 << clues[9 * row + place] | 1 << clues[9 * place + column] | 1 << clues[in_box];
    }
    let fits = |digit: &Digit| seen >> digit.get() & 1 == 0;
    Digit::all(9).filter(fits).fold(DigitSet::EMPTY, DigitSet::with)
}
