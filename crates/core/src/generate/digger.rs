//! Digging full grids by a recipe.
//!
//! In grids of up to 12x12 the digs of all attempts run together until no unit can be removed. In larger
//! grids, the proof that a puzzle has one solution can take too long. So guesses are limited, for each
//! question and for a dig as a whole, and a dig has up to three passes over the same order:
//!
//! ```text
//! with a number of clues:  straight down to it; done if it is reached or every question was answered
//! else:                    as far as naked and hidden singles prove that there is one solution
//!                          on from there, with guesses
//! ```
//!
//! The pass with singles comes first, because its questions are cheap and a puzzle that singles solve can
//! lose about as many clues as any other. A dig that begins with guesses soon needs them for every question,
//! and stops earlier.
//!
//! Digs run together ([`dig_all_until`]), and a prover answers their questions: the lockstep engine answers
//! all of them in one batch, the bitmask engine one after the other.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Recipe;
use super::dig::{Dig, Uniqueness, Units};
use crate::grid::{CELLS, Digit, DigitSet, Grid, Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::{
    AnyBitmask, Bounds, Budget, Clues, Lockstep, NEVER, Outcome, SearchEnd, SearchResult, SolutionEngine,
    SolutionLimit, SolutionLists, Solver,
};

/// How many guesses a question may take where none of the limits below applies, e.g. of a minimal puzzle. Classic puzzles
/// have no limit.
pub(super) const GUESSES: u64 = 20_000;

/// How many guesses a question of the straight pass to a number of clues may take.
const STRAIGHT_GUESSES: u64 = 300;

/// How many guesses all questions of the straight pass may take.
const STRAIGHT_BUDGET: u64 = 20_000;

/// How many guesses a question of the last pass may take, if the recipe does not ask for puzzles that need
/// more.
const FURTHER_GUESSES: u64 = 100;

/// How many guesses all questions of the last pass may take.
pub(super) const PASS_GUESSES: u64 = 10_000;

/// Takes clues out of full grids.
pub(super) struct Digger {
    /// The straight pass, if a number of clues is wanted from a large grid.
    straight: Option<BitmaskProver>,
    /// The pass over large grids as far as singles prove that there is one solution. It comes first, or after a straight pass
    /// that failed.
    without_guesses: Option<BitmaskProver>,
    /// The last pass over large grids. For smaller grids it is the only one, and digs many together.
    further: Box<dyn UniquenessProver>,
    /// How many guesses all questions of the last pass may take.
    budget: u64,
}

/// Checks whether a single pass takes out everything that can be removed.
pub(super) fn is_unlimited(recipe: &Recipe) -> bool {
    recipe.shape.side() <= Recipe::LARGE || recipe.pattern.is_some() || recipe.digs_by_singles()
}

/// How many guesses a question of the last pass may take. There are more if the recipe asks for hard puzzles.
pub(super) fn further_guesses(recipe: &Recipe) -> u64 {
    let wanted = recipe.guesses.as_ref().map_or(0, |guesses| *guesses.start());
    wanted.saturating_mul(2).clamp(FURTHER_GUESSES, GUESSES)
}

impl Digger {
    pub(super) fn new(recipe: &Recipe, backend: Backend) -> Digger {
        let (shape, is_limited) = (recipe.shape, !is_unlimited(recipe));
        let is_straight = is_limited && recipe.clues.is_some() && !recipe.minimal;
        let further: Box<dyn UniquenessProver> = if recipe.digs_by_singles() {
            Box::new(BitmaskProver::singles(shape))
        } else if is_limited && !recipe.minimal {
            Box::new(BitmaskProver::proper(shape, further_guesses(recipe)))
        } else {
            proper_prover(shape, GUESSES, backend)
        };
        Digger {
            straight: is_straight.then(|| BitmaskProver::proper(shape, STRAIGHT_GUESSES)),
            without_guesses: is_limited.then(|| BitmaskProver::proper(shape, 0)),
            further,
            budget: recipe.guess_budget().unwrap_or(u64::MAX),
        }
    }

    /// Runs the digs that `more` starts. `None` if `stop` became true.
    pub(super) fn dig(
        &mut self,
        mut more: impl FnMut() -> Vec<Dig>,
        units: &Units,
        stop: &AtomicBool,
    ) -> Option<Vec<Dig>> {
        let Digger { straight, without_guesses, further, budget } = self;
        let Some(without_guesses) = without_guesses else {
            return dig_all_until(more, units, &mut **further, stop);
        };
        let mut done = Vec::new();
        loop {
            let begun = more();
            if begun.is_empty() {
                return Some(done);
            }
            for dig in begun {
                if let Some(straight) = straight {
                    let dug = pass(dig.clone().with_guesses(STRAIGHT_BUDGET), units, straight, stop)?;
                    if dug.is_at_goal() || !dug.is_doubtful {
                        done.push(dug);
                        continue;
                    }
                }
                let dug = pass(dig.clone(), units, without_guesses, stop)?;
                let dug = dug.again(&dig, units).with_guesses(*budget);
                done.push(pass(dug, units, &mut **further, stop)?);
            }
        }
    }
}

/// Digs as far as the prover can answer.
fn pass(dig: Dig, units: &Units, prover: &mut dyn UniquenessProver, stop: &AtomicBool) -> Option<Dig> {
    let mut digs = Some(vec![dig]);
    dig_all_until(|| digs.take().unwrap_or_default(), units, prover, stop)?.pop()
}

/// If fewer digs than this are open, more are started. It is enough for whole batches, and small enough that
/// the state of the digs stays in the cache.
const OPEN_DIGS: usize = 256;

/// Answers the question whether puzzles are proper.
pub(super) trait UniquenessProver: Send {
    /// Searches each puzzle for up to two solutions, and keeps the cells of the first and the guesses.
    /// Outcomes may be wrong if `stop` becomes true.
    fn search_all(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>>;

    /// Answers the open question of each dig. Digs may end up with wrong answers if `stop` becomes true.
    fn answer(&mut self, digs: &mut [NumberedDig], units: &Units, stop: &AtomicBool);
}

/// The prover for proper puzzles of a shape. If the shape is not classic, a proof may take up to `guesses`
/// guesses.
pub(super) fn proper_prover(shape: Shape, guesses: u64, backend: Backend) -> Box<dyn UniquenessProver> {
    match shape == Shape::CLASSIC {
        true => Box::new(LockstepProver::new(backend)),
        false => Box::new(BitmaskProver::proper(shape, guesses)),
    }
}

/// A dig with its index among all digs.
type NumberedDig = (usize, Dig);

/// Runs digs together, and starts more when some are done. Returns all in the order in which they were
/// started, or `None` if `stop` became true.
pub(super) fn dig_all_until(
    mut more: impl FnMut() -> Vec<Dig>,
    units: &Units,
    prover: &mut (impl UniquenessProver + ?Sized),
    stop: &AtomicBool,
) -> Option<Vec<Dig>> {
    let (mut open, mut finished, mut taken): (Vec<NumberedDig>, Vec<NumberedDig>, usize) = Default::default();
    loop {
        while open.len() < OPEN_DIGS {
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
        prover.answer(&mut open, units, stop);
    }
}

/// Makes a classic puzzle of valid cells.
pub(super) fn puzzle(cells: &[u8]) -> Puzzle {
    let cells: &[u8; CELLS] = cells.try_into().expect("a classic grid has 81 cells");
    Puzzle::from_cells(*cells).expect("clues come from a grid")
}

/// Finds out whether puzzles of any shape are proper, or solved by singles alone. It uses the bitmask engine,
/// for one puzzle after the other.
#[derive(Debug)]
pub(super) struct BitmaskProver {
    shape: Shape,
    engine: AnyBitmask,
    /// How many guesses a question may take.
    guesses: u64,
    /// The bounds that are left for all questions.
    budget: Bounds,
    /// Whether running out of guesses counts as the answer "not acceptable", and not as a doubt.
    is_strict: bool,
}

impl BitmaskProver {
    /// A prover for proper puzzles. A proof may take up to `guesses` guesses.
    pub(super) fn proper(shape: Shape, guesses: u64) -> BitmaskProver {
        BitmaskProver { shape, engine: AnyBitmask::new(), guesses, budget: Bounds::ALL, is_strict: false }
    }

    /// Gives all questions together a budget, whose time begins now.
    pub(super) fn within(self, budget: Budget) -> BitmaskProver {
        BitmaskProver { budget: Bounds::shared(budget), ..self }
    }

    /// A prover for puzzles that naked and hidden singles solve.
    pub(super) fn singles(shape: Shape) -> BitmaskProver {
        BitmaskProver { is_strict: true, ..BitmaskProver::proper(shape, 0) }
    }

    /// The bounds of a search for two solutions within what is left of the budget.
    fn bounds(&self, guesses: u64) -> Bounds {
        Bounds { solutions: 2, guesses: guesses.min(self.budget.guesses), ..self.budget }
    }
}

/// Makes a grid of valid cells.
pub(super) fn grid(shape: Shape, cells: &[u8]) -> Grid {
    Grid::from_cells(shape, cells).expect("clues come from a grid of the shape")
}

impl UniquenessProver for BitmaskProver {
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
            let SearchResult { solutions, guesses, end, .. } = searched;
            Outcome { solutions, solution, guesses, is_given_up: end == SearchEnd::Budget, ..Outcome::NONE }
        };
        puzzles.iter().map(one).collect()
    }

    fn answer(&mut self, digs: &mut [NumberedDig], units: &Units, stop: &AtomicBool) {
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
                (None, _) if self.is_strict => Uniqueness::Unacceptable,
                (None, _) => Uniqueness::Unknown,
            };
            dig.learn(uniqueness, units);
        }
    }
}

/// Finds out whether classic puzzles are proper, all in one batch, with the lockstep engine.
///
/// A question about several clues is: does the puzzle without them have a second solution? If it does, the
/// engine makes many guesses before it finds one, because such a puzzle is wide open. A question about a
/// single clue has a cheaper form: does the puzzle have any solution with another digit in that cell? This is
/// asked for one possible digit after the other, until there is a solution.
#[derive(Debug)]
pub(super) struct LockstepProver {
    engine: Lockstep,
    /// Puzzles that may have a second solution.
    second: Vec<Puzzle>,
    /// Puzzles that may have any solution.
    any: Vec<Puzzle>,
    outcomes: Vec<Outcome>,
    /// The question of each dig in the current round.
    asked: Vec<Question>,
    /// The solutions of the puzzles in `second`. A dig learns from the one that it does not know yet.
    found: SolutionLists,
}

impl LockstepProver {
    pub(super) fn new(backend: Backend) -> LockstepProver {
        LockstepProver {
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
    /// Asks for a second solution.
    Second,
    /// Asks for a solution with another digit in the cell. The set has the digits that are left to try after
    /// this one.
    Digit(DigitSet),
    /// Needs no search, because no other digit fits into the cell.
    Settled,
}

impl UniquenessProver for LockstepProver {
    /// Searches all puzzles even if `stop` becomes true.
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

    /// Answers all questions even if `stop` becomes true, because a batch takes only milliseconds.
    fn answer(&mut self, digs: &mut [NumberedDig], units: &Units, _stop: &AtomicBool) {
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
                    // The question has two solutions, unless the puzzle is proper.
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

impl LockstepProver {
    /// Adds the question of a dig to one of the two batches.
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

/// The digits that fit into a blank, except one.
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
