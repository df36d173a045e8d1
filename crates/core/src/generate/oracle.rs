//! Digging in many puzzles together, and answering their questions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::dig::{Dig, Uniqueness};
use super::units::Units;
use crate::grid::{CELLS, Grid, Puzzle, Shape};
use crate::solver::{AnyBitmask, Bounds, Clues, GridSolver, Outcome, SearchEnd};

/// The number of open digs up to which more are taken in: enough for whole batches, and so few that their
/// state stays in the cache.
const CROWD: usize = 256;

/// Answers the question whether puzzles are proper.
pub(super) trait UniquenessOracle: Send {
    /// Searches each puzzle for up to two solutions, and keeps the cells of the first. When `stop` becomes true,
    /// outcomes may be wrong.
    fn search_all(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>>;

    /// Answers the open question of each dig. When `stop` becomes true, digs may be left with wrong answers.
    fn answer(&mut self, digs: &mut [Numbered], units: &Units, stop: &AtomicBool);
}

/// A dig, with its index among all digs.
pub(super) type Numbered = (usize, Dig);

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
    bounds: Bounds,
    /// Whether a search that ran out of guesses counts as an answer, and not as a doubt.
    strict: bool,
}

impl BitmaskOracle {
    /// Returns an oracle for proper puzzles, proved by no more than so many guesses.
    pub(super) fn proper(shape: Shape, guesses: u64) -> BitmaskOracle {
        let bounds = Bounds::solutions(2).and_guesses(guesses);
        BitmaskOracle { shape, engine: AnyBitmask::new(), guesses, bounds, strict: false }
    }

    /// Returns an oracle for puzzles that naked and hidden singles solve.
    pub(super) fn singles(shape: Shape) -> BitmaskOracle {
        BitmaskOracle { strict: true, ..BitmaskOracle::proper(shape, 0) }
    }

    /// Returns the shape of the puzzles.
    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    /// Searches a puzzle for up to two solutions.
    fn search_one(&mut self, puzzle: &Clues<'_>, stop: &AtomicBool) -> Outcome<Vec<u8>> {
        let mut solution = None;
        let searched = GridSolver::<Clues<'_>>::search_until(
            &mut self.engine,
            puzzle,
            &self.bounds,
            stop,
            &mut |found| {
                solution.get_or_insert_with(|| found.to_vec());
                ControlFlow::Continue(())
            },
        );
        let is_given_up = searched.end == SearchEnd::Budget;
        Outcome { solutions: searched.solutions, solution, is_given_up, ..Outcome::NONE }
    }

    /// Returns the guesses that prove a puzzle to have one solution; `None` if it has not, or if `stop`
    /// becomes true.
    pub(super) fn guesses(&mut self, clues: &[u8], stop: &AtomicBool) -> Option<u64> {
        let grid = grid(self.shape, clues);
        let count = &mut |_: &[u8]| ControlFlow::Continue(());
        let searched = self.engine.search_until(&grid, &self.bounds, stop, count);
        (searched.solutions == 1 && searched.end == SearchEnd::Complete).then_some(searched.guesses)
    }
}

/// Returns a grid of valid cells.
pub(super) fn grid(shape: Shape, cells: &[u8]) -> Grid {
    Grid::new(shape, cells.to_vec()).expect("clues come from a grid of the shape")
}

impl UniquenessOracle for BitmaskOracle {
    fn search_all(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool) -> Vec<Outcome<Vec<u8>>> {
        puzzles.iter().map(|puzzle| self.search_one(puzzle, stop)).collect()
    }

    fn answer(&mut self, digs: &mut [Numbered], units: &Units, stop: &AtomicBool) {
        for (_, dig) in digs {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let mut other = None;
            let grid = grid(self.shape, dig.clues());
            let bounds = self.bounds.and_guesses(self.guesses.min(dig.guesses_left()));
            let searched = self.engine.search_until(&grid, &bounds, stop, &mut |found| {
                if found == dig.solution() {
                    return ControlFlow::Continue(());
                }
                other = Some(found.to_vec());
                ControlFlow::Break(())
            });
            dig.spend(searched.guesses);
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
