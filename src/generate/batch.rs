//! The questions of many classic digs at once, answered by the lockstep engine.
//!
//! A question about several clues is: has the puzzle without them a second solution? If it has, the engine goes
//! through many guesses before it meets one, since such a puzzle is open at many ends. A question about a single
//! clue has a cheaper form: the cell holds another digit, and has the puzzle with that any solution at all? This is
//! asked for one digit after the other that the cell can hold, until one will do.

use super::dig::{Dig, Verdict};
use super::layout::Units;
use super::oracle::{Numbered, UniquenessOracle, puzzle};
use crate::grid::{CELLS, Digit, DigitSet, Puzzle};
use crate::simd::Backend;
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solver};

/// Is a classic puzzle proper? All questions in one batch.
#[derive(Debug)]
pub(super) struct ByLockstep {
    engine: Lockstep,
    /// Is there a second solution?
    second: Batch,
    /// Is there any solution?
    any: Batch,
    /// The forms of a round's questions.
    forms: Vec<Form>,
}

/// Puzzles, and what was found.
#[derive(Debug, Default)]
struct Batch {
    questions: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
}

impl Batch {
    fn solve(&mut self, engine: &mut Lockstep, limit: SolutionLimit) {
        self.outcomes.resize(self.questions.len(), Outcome::NONE);
        engine.solve_batch(&self.questions, limit, &mut self.outcomes);
        self.questions.clear();
    }
}

impl ByLockstep {
    pub(super) fn new(backend: Backend) -> ByLockstep {
        let engine = Lockstep::with_backend(backend).unwrap_or_default();
        ByLockstep { engine, second: Batch::default(), any: Batch::default(), forms: Vec::new() }
    }

    /// Solves puzzles, as far as it takes to see whether they have one solution.
    pub(super) fn solve<'a>(&mut self, puzzles: impl Iterator<Item = &'a [u8]>) -> &[Outcome] {
        self.second.questions.extend(puzzles.map(puzzle));
        self.second.solve(&mut self.engine, SolutionLimit::UNIQUENESS);
        &self.second.outcomes
    }
}

/// The form that a question takes.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Is there a second solution?
    Second,
    /// Is there a solution with another digit in the cell? And then, is there one with one of the others?
    Digit(DigitSet),
    /// No other digit fits into the cell.
    Settled,
}

impl UniquenessOracle for ByLockstep {
    fn judge(&mut self, digs: &mut [Numbered], units: &Units) {
        self.forms.clear();
        for (_, dig) in &*digs {
            let form = self.pose(dig, units);
            self.forms.push(form);
        }
        self.second.solve(&mut self.engine, SolutionLimit::UNIQUENESS);
        self.any.solve(&mut self.engine, SolutionLimit::FIRST);
        let (mut second, mut any) = (self.second.outcomes.iter(), self.any.outcomes.iter());
        for ((_, dig), form) in digs.iter_mut().zip(&self.forms) {
            match form {
                Form::Second => {
                    second.next().into_iter().for_each(|outcome| second_solution(dig, outcome, units));
                }
                Form::Digit(others) => {
                    any.next().into_iter().for_each(|outcome| other_digit(dig, *others, outcome, units));
                }
                Form::Settled => dig.learn(Verdict::Proper, units),
            }
        }
    }
}

impl ByLockstep {
    /// Puts the question of a dig into one of the batches.
    fn pose(&mut self, dig: &Dig, units: &Units) -> Form {
        let Some(cell) = dig.asked_cell(units) else {
            self.second.questions.push(puzzle(dig.clues()));
            return Form::Second;
        };
        let digits = dig.untried().unwrap_or_else(|| other_digits(dig.clues(), cell, dig.solution()[cell]));
        let Some(digit) = digits.lowest() else { return Form::Settled };
        let mut cells = [0; CELLS];
        cells.copy_from_slice(dig.clues());
        cells[cell] = digit.get();
        self.any.questions.extend(Puzzle::from_cells(cells));
        Form::Digit(digits.without(digit))
    }
}

fn second_solution(dig: &mut Dig, outcome: &Outcome, units: &Units) {
    let verdict = match &outcome.solution {
        Some(other) if other.cells() != dig.solution() => Verdict::Other(other.cells()),
        _ if outcome.solutions == 1 => Verdict::Proper,
        _ => Verdict::Improper,
    };
    dig.learn(verdict, units);
}

fn other_digit(dig: &mut Dig, others: DigitSet, outcome: &Outcome, units: &Units) {
    match &outcome.solution {
        Some(other) => dig.learn(Verdict::Other(other.cells()), units),
        None if others.is_empty() => dig.learn(Verdict::Proper, units),
        None => dig.ask_again(others),
    }
}

/// The digits that fit into a blank, but for one.
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
