//! How the clues of full grids are taken out, by a recipe.
//!
//! In grids of up to 12x12 the digs of all attempts run together, until no unit can go. In larger ones the
//! proof that a puzzle has one solution can take longer than anyone waits, so guesses are limited, for each
//! question and for a dig as a whole, and a dig comes in up to three passes over the same order:
//!
//! ```text
//! with a number of clues:  straight down to it; done, if it comes there or every question was answered
//! else:                    as far as naked and hidden singles prove that there is one solution
//!                          on from there, with guesses
//! ```
//!
//! A puzzle that singles solve can lose about as many clues as any other, and its questions are cheap. A dig
//! that begins with guesses soon needs them for every question, and stops earlier.
//!
//! Digs run together ([`dig_all_until`]), and an oracle answers their questions: the lockstep engine all of them in one
//! batch, the bitmask engine one after the other.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Recipe;
use super::dig::{Dig, Uniqueness, Units};
use crate::grid::{CELLS, Digit, DigitSet, Grid, Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::{
    AnyBitmask, Bounds, Budget, Clues, GridSolver, Lockstep, NEVER, Outcome, SearchEnd, Searched,
    SolutionLimit, SolutionLists, Solver,
};

/// The most guesses for a question of a minimal puzzle, and of one with a pattern.
pub(super) const GUESSES: u64 = 20_000;

/// The most guesses for a question on the straight way to a number of clues.
const STRAIGHT_GUESSES: u64 = 300;

/// The most guesses for all questions of the straight way.
const STRAIGHT_BUDGET: u64 = 20_000;

/// The most guesses for a question on the way beyond what singles prove, if the recipe does not ask for
/// puzzles that take more.
const FURTHER_GUESSES: u64 = 100;

/// The most guesses for all questions of the way beyond what singles prove.
pub(super) const PASS_GUESSES: u64 = 10_000;

/// Takes clues out of full grids.
pub(super) struct Digger {
    /// For large grids of which a number of clues is wanted: takes clues straight down to that number.
    straight: Option<BitmaskOracle>,
    /// The first pass over other large grids: goes as far as singles prove that there is one solution.
    singles: Option<BitmaskOracle>,
    /// The last pass over large grids; the only one over smaller grids, of which it digs many together.
    further: Box<dyn UniquenessOracle>,
    /// The most guesses for all questions of the last pass.
    budget: u64,
}

/// Returns whether one pass takes out what can go.
pub(super) fn is_unlimited(recipe: &Recipe) -> bool {
    recipe.shape.side() <= Recipe::LARGE || recipe.pattern.is_some() || recipe.digs_by_singles()
}

/// Returns the most guesses for a question beyond what singles prove: more where hard puzzles are wanted.
pub(super) fn further_guesses(recipe: &Recipe) -> u64 {
    let wanted = recipe.guesses.as_ref().map_or(0, |guesses| *guesses.start());
    wanted.saturating_mul(2).clamp(FURTHER_GUESSES, GUESSES)
}

impl Digger {
    pub(super) fn new(recipe: &Recipe, backend: Backend) -> Digger {
        let (shape, is_limited) = (recipe.shape, !is_unlimited(recipe));
        let is_straight = is_limited && recipe.clues.is_some() && !recipe.minimal;
        let further: Box<dyn UniquenessOracle> = if recipe.digs_by_singles() {
            Box::new(BitmaskOracle::singles(shape))
        } else if is_limited && !recipe.minimal {
            Box::new(BitmaskOracle::proper(shape, further_guesses(recipe)))
        } else {
            proper(shape, GUESSES, backend)
        };
        Digger {
            straight: is_straight.then(|| BitmaskOracle::proper(shape, STRAIGHT_GUESSES)),
            singles: is_limited.then(|| BitmaskOracle::proper(shape, 0)),
            further,
            budget: recipe.guess_budget().unwrap_or(u64::MAX),
        }
    }

    /// Runs the digs that `more` begins, or returns `None` when `stop` becomes true.
    pub(super) fn dig(
        &mut self,
        mut more: impl FnMut() -> Vec<Dig>,
        units: &Units,
        stop: &AtomicBool,
    ) -> Option<Vec<Dig>> {
        let Digger { straight, singles, further, budget } = self;
        let Some(singles) = singles else { return dig_all_until(more, units, &mut **further, stop) };
        let mut done = Vec::new();
        loop {
            let begun = more();
            if begun.is_empty() {
                return Some(done);
            }
            for dig in begun {
                if let Some(straight) = straight {
                    let dug = pass(dig.clone().with_guesses(STRAIGHT_BUDGET), units, straight, stop)?;
                    if dug.is_down() || !dug.doubtful {
                        done.push(dug);
                        continue;
                    }
                }
                let dug = pass(dig.clone(), units, singles, stop)?;
                let dug = dug.again(&dig, units).with_guesses(*budget);
                done.push(pass(dug, units, &mut **further, stop)?);
            }
        }
    }
}

/// Digs as far as the oracle answers.
fn pass(dig: Dig, units: &Units, oracle: &mut dyn UniquenessOracle, stop: &AtomicBool) -> Option<Dig> {
    let mut digs = Some(vec![dig]);
    dig_all_until(|| digs.take().unwrap_or_default(), units, oracle, stop)?.pop()
}

/// The number of open digs up to which more are taken in: enough for whole batches, and so few that their
/// state stays in the cache.
const CROWD: usize = 256;

/// Answers the question whether puzzles are proper.
pub(super) trait UniquenessOracle: Send {
    /// Searches each puzzle for up to two solutions, and keeps the cells of the first, and the guesses. When `stop` becomes
    /// true, outcomes may be wrong.
    fn search_all(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>>;

    /// Answers the open question of each dig. When `stop` becomes true, digs may be left with wrong answers.
    fn answer(&mut self, digs: &mut [Numbered], units: &Units, stop: &AtomicBool);
}

/// Returns the oracle for proper puzzles of a shape; others than classic ones are proved by no more than so many guesses.
pub(super) fn proper(shape: Shape, guesses: u64, backend: Backend) -> Box<dyn UniquenessOracle> {
    match shape == Shape::CLASSIC {
        true => Box::new(LockstepOracle::new(backend)),
        false => Box::new(BitmaskOracle::proper(shape, guesses)),
    }
}

/// A dig, with its index among all digs.
type Numbered = (usize, Dig);

/// Runs digs together, and takes more in when some are done. Returns all in the order in which they came, or
/// `None` when `stop` becomes true.
pub(super) fn dig_all_until(
    mut more: impl FnMut() -> Vec<Dig>,
    units: &Units,
    oracle: &mut (impl UniquenessOracle + ?Sized),
    stop: &AtomicBool,
) -> Option<Vec<Dig>> {
    let (mut open, mut finished, mut taken): (Vec<Numbered>, Vec<Numbered>, usize) = Default::default();
    loop {
        while open.len() < CROWD {
            let fresh = more();
            if fresh.is_empty() {
                break;
            }
            let numbers = taken..;
            taken += fresh.len();
            open.extend(numbers.zip(fresh));
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if open.is_empty() {
            finished.sort_unstable_by_key(|&(number, _)| number);
            return Some(finished.into_iter().map(|(_, dig)| dig).collect());
        }
        let mut place = 0;
        while place < open.len() {
            if open[place].1.ask(units) {
                place += 1;
            } else {
                finished.push(open.swap_remove(place));
            }
        }
        oracle.answer(&mut open, units, stop);
    }
}

/// Returns a classic puzzle of valid cells.
pub(super) fn puzzle(cells: &[u8]) -> Puzzle {
    let cells: &[u8; CELLS] = cells.try_into().expect("a classic grid has 81 cells");
    Puzzle::from_cells(*cells).expect("clues come from a grid")
}

/// Finds out whether puzzles of any shape are proper, or solved by singles alone: with the bitmask engine,
/// one after the other.
#[derive(Debug)]
pub(super) struct BitmaskOracle {
    shape: Shape,
    engine: AnyBitmask,
    /// The most guesses for a question.
    guesses: u64,
    /// What is left for all questions.
    budget: Bounds,
    /// Whether a search that ran out of guesses counts as an answer, and not as a doubt.
    strict: bool,
}

impl BitmaskOracle {
    /// Returns an oracle for proper puzzles, proved by no more than so many guesses.
    pub(super) fn proper(shape: Shape, guesses: u64) -> BitmaskOracle {
        BitmaskOracle { shape, engine: AnyBitmask::new(), guesses, budget: Bounds::ALL, strict: false }
    }

    /// Lets all questions together end at a budget, whose time begins now.
    pub(super) fn within(self, budget: Budget) -> BitmaskOracle {
        BitmaskOracle { budget: Bounds::shared(budget), ..self }
    }

    /// Returns an oracle for puzzles that naked and hidden singles solve.
    pub(super) fn singles(shape: Shape) -> BitmaskOracle {
        BitmaskOracle { strict: true, ..BitmaskOracle::proper(shape, 0) }
    }

    /// Returns the bounds of a search for two solutions, within what is left of the budget.
    fn bounds(&self, guesses: u64) -> Bounds {
        Bounds { solutions: 2, guesses: guesses.min(self.budget.guesses), ..self.budget }
    }
}

/// Returns a grid of valid cells.
pub(super) fn grid(shape: Shape, cells: &[u8]) -> Grid {
    Grid::from_cells(shape, cells).expect("clues come from a grid of the shape")
}

impl UniquenessOracle for BitmaskOracle {
    fn search_all(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>> {
        let one = |puzzle: &Clues<'_>| {
            let bounds = self.bounds(self.guesses);
            let mut solution = None;
            let searched =
                self.engine.search_until(&grid(self.shape, puzzle.cells), &bounds, stop, &mut |found| {
                    solution.get_or_insert_with(|| found.to_vec());
                    ControlFlow::Continue(())
                });
            self.budget.spend(&searched);
            let Searched { solutions, guesses, end, .. } = searched;
            Outcome { solutions, solution, guesses, is_given_up: end == SearchEnd::Budget, ..Outcome::NONE }
        };
        puzzles.iter().map(one).collect()
    }

    fn answer(&mut self, digs: &mut [Numbered], units: &Units, stop: &AtomicBool) {
        for (_, dig) in digs {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let mut other = None;
            let grid = grid(self.shape, &dig.clues);
            let bounds = self.bounds(self.guesses.min(dig.guesses));
            let searched = self.engine.search_until(&grid, &bounds, stop, &mut |found| {
                if found == dig.solution {
                    return ControlFlow::Continue(());
                }
                other = Some(found.to_vec());
                ControlFlow::Break(())
            });
            dig.guesses = dig.guesses.saturating_sub(searched.guesses);
            self.budget.spend(&searched);
            let uniqueness = match (&other, searched.end) {
                (Some(other), _) => Uniqueness::Other(other),
                (None, SearchEnd::Complete) => Uniqueness::Proper,
                (None, _) if self.strict => Uniqueness::Improper,
                (None, _) => Uniqueness::Unknown,
            };
            dig.learn(uniqueness, units);
        }
    }
}

/// Finds out whether classic puzzles are proper, all in one batch, with the lockstep engine.
///
/// A question about several clues is: has the puzzle without them a second solution? If it has, the engine
/// makes many guesses before it finds one, since such a puzzle is wide open. A question about a single clue
/// has a cheaper form: with another digit in that cell, has the puzzle any solution? This is asked for one
/// possible digit after the other, until there is a solution.
#[derive(Debug)]
pub(super) struct LockstepOracle {
    engine: Lockstep,
    /// Puzzles that may have a second solution.
    second: Vec<Puzzle>,
    /// Puzzles that may have any solution.
    any: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
    /// The question of each dig in a round.
    asked: Vec<Question>,
    /// The solutions of the questions for a second one. The one that a dig does not know is what it learns from.
    found: SolutionLists,
}

impl LockstepOracle {
    pub(super) fn new(backend: Backend) -> LockstepOracle {
        LockstepOracle {
            engine: Lockstep::with_backend(backend).unwrap_or_default(),
            second: Vec::new(),
            any: Vec::new(),
            outcomes: Vec::new(),
            asked: Vec::new(),
            found: SolutionLists::new(),
        }
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
        self.second.clear();
        self.second.extend(puzzles.iter().map(|clues| puzzle(clues.cells)));
        self.outcomes.resize(self.second.len(), Outcome::NONE);
        self.engine.solve_batch(&self.second, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let in_cells = |outcome: &Outcome| Outcome {
            solutions: outcome.solutions,
            solution: outcome.solution.map(|solution| solution.cells().to_vec()),
            guesses: outcome.guesses,
            ..Outcome::NONE
        };
        self.outcomes.iter().map(in_cells).collect()
    }

    /// Answers all, whatever `stop` says: a batch takes milliseconds.
    fn answer(&mut self, digs: &mut [Numbered], units: &Units, _stop: &AtomicBool) {
        self.second.clear();
        self.any.clear();
        self.asked.clear();
        for (_, dig) in &*digs {
            let question = self.pose(dig, units);
            self.asked.push(question);
        }
        self.engine.list_until(&self.second, &Bounds::solutions(2), &mut self.found, &NEVER);
        self.outcomes.resize(self.any.len(), Outcome::NONE);
        self.engine.solve_batch(&self.any, SolutionLimit::FIRST, &mut self.outcomes);
        let (mut second, mut any) = (0.., self.outcomes.iter());
        for ((_, dig), question) in digs.iter_mut().zip(&self.asked) {
            match question {
                Question::Second => {
                    // Such a question has two solutions, unless it is proper.
                    let mut found = second.next().into_iter().flat_map(|index| self.found.solutions(index));
                    let other = found.find(|&other| other != dig.solution);
                    dig.learn(other.map_or(Uniqueness::Proper, Uniqueness::Other), units);
                }
                Question::Digit(others) => match any.next().and_then(|outcome| outcome.solution.as_ref()) {
                    Some(other) => dig.learn(Uniqueness::Other(other.cells()), units),
                    None if others.is_empty() => dig.learn(Uniqueness::Proper, units),
                    None => dig.window.untried = Some(*others),
                },
                Question::Settled => dig.learn(Uniqueness::Proper, units),
            }
        }
    }
}

impl LockstepOracle {
    /// Adds the question of a dig to one of the batches.
    fn pose(&mut self, dig: &Dig, units: &Units) -> Question {
        let Some(cell) = dig.asked_cell(units) else {
            self.second.push(puzzle(&dig.clues));
            return Question::Second;
        };
        let digits = dig.window.untried.unwrap_or_else(|| other_digits(&dig.clues, cell, dig.solution[cell]));
        let Some(digit) = digits.lowest() else { return Question::Settled };
        let mut cells = [0; CELLS];
        cells.copy_from_slice(&dig.clues);
        cells[cell] = digit.get();
        self.any.extend(Puzzle::from_cells(cells));
        Question::Digit(digits.without(digit))
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
