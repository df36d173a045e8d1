//! Who answers the questions of digs.

use std::ops::ControlFlow;

use super::dig::{Dig, Verdict};
use super::layout::Units;
use crate::grid::{CELLS, Grid, Puzzle, Shape};
use crate::solver::{AnyBitmask, Bounds, GridSolver, SearchEnd};

/// Digs are taken in while there are fewer than so many with open questions: enough for whole batches, and so few
/// that what they know stays in the cache.
const CROWD: usize = 256;

/// Answers questions.
pub(super) trait UniquenessOracle: Send {
    /// Answers the open question of each dig.
    fn judge(&mut self, digs: &mut [Numbered], units: &Units);
}

/// A dig, and which of all digs it is.
pub(super) type Numbered = (usize, Dig);

/// Digs in step, and takes more in when some have no more questions. Returns all in the order in which they came.
pub(super) fn dig_all(
    mut more: impl FnMut() -> Vec<Dig>,
    units: &Units,
    judge: &mut (impl UniquenessOracle + ?Sized),
) -> Vec<Dig> {
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
        if open.is_empty() {
            finished.sort_unstable_by_key(|&(number, _)| number);
            return finished.into_iter().map(|(_, dig)| dig).collect();
        }
        let mut place = 0;
        while place < open.len() {
            if open[place].1.ask(units) {
                place += 1;
            } else {
                finished.push(open.swap_remove(place));
            }
        }
        judge.judge(&mut open, units);
    }
}

/// A classic puzzle of cells that are known to be one.
pub(super) fn puzzle(cells: &[u8]) -> Puzzle {
    let cells: &[u8; CELLS] = cells.try_into().expect("a classic grid has 81 cells");
    Puzzle::from_cells(*cells).expect("clues come from a grid")
}

/// Is a puzzle of any shape proper, or solved by singles alone? By the bitmask engine, one after the other.
#[derive(Debug)]
pub(super) struct ByBitmask {
    shape: Shape,
    engine: AnyBitmask,
    bounds: Bounds,
    /// Is a search that ran out of guesses an answer, and not a doubt?
    strict: bool,
}

impl ByBitmask {
    /// Proper, if that takes no more than so many guesses.
    pub(super) fn proper(shape: Shape, guesses: u64) -> ByBitmask {
        let bounds = Bounds::solutions(2).and_guesses(guesses);
        ByBitmask { shape, engine: AnyBitmask::new(), bounds, strict: false }
    }

    /// Solved by naked and hidden singles.
    pub(super) fn singles(shape: Shape) -> ByBitmask {
        ByBitmask { strict: true, ..ByBitmask::proper(shape, 0) }
    }

    /// The guesses that it takes to see that a puzzle has one solution; `None` if it has not.
    pub(super) fn guesses(&mut self, clues: &[u8]) -> Option<u64> {
        let searched = self.engine.count(&grid(self.shape, clues), &self.bounds);
        (searched.solutions == 1 && searched.end == SearchEnd::Complete).then_some(searched.guesses)
    }
}

/// A grid of cells that are known to be one.
pub(super) fn grid(shape: Shape, cells: &[u8]) -> Grid {
    Grid::new(shape, cells.to_vec()).expect("clues come from a grid of the shape")
}

impl UniquenessOracle for ByBitmask {
    fn judge(&mut self, digs: &mut [Numbered], units: &Units) {
        for (_, dig) in digs {
            let mut other = None;
            let grid = grid(self.shape, dig.clues());
            let searched = self.engine.search(&grid, &self.bounds, &mut |found| {
                if found == dig.solution() {
                    return ControlFlow::Continue(());
                }
                other = Some(found.to_vec());
                ControlFlow::Break(())
            });
            let verdict = match (&other, searched.end) {
                (Some(other), _) => Verdict::Other(other),
                (None, SearchEnd::Complete) => Verdict::Proper,
                (None, _) if self.strict => Verdict::Improper,
                (None, _) => Verdict::Unknown,
            };
            dig.learn(verdict, units);
        }
    }
}
