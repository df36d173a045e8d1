//! One puzzle with very many solutions, counted by all threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::houses::{HouseMap, Used};
use super::{Bounds, End, GridSolver, Searched};
use crate::grid::{Digit, Grid};

/// Guesses after which a search is split.
const PATIENCE: u64 = 1 << 15;

/// Puzzles that a search is split into, at least, if there are so many.
const PARTS: usize = 256;

/// Counts all solutions of a puzzle on the threads of the current rayon pool, until the deadline.
///
/// A search that takes many guesses is given up for searches of a few hundred puzzles with more clues,
/// the first cells tried breadth-first; these may be split again. What is split depends on guesses alone,
/// so that the answer, guesses included, is the same for any number of threads. Guesses of searches that
/// were given up do not count, those by which they were split do.
///
/// `engine` does what one thread can do, others are made for the parts; `stop` ends the search when it
/// becomes true.
///
/// ```
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::solver::{SolverKind, count_split};
///
/// let make = || SolverKind::Bitmask.build_any_shape().unwrap();
/// let blank = Grid::empty(Shape::new(2, 2).unwrap());
/// assert_eq!(count_split(&blank, &mut *make(), &make, None, &Default::default()).solutions, 288);
/// ```
#[must_use]
pub fn count_split(
    grid: &Grid,
    engine: &mut dyn GridSolver,
    make: &(dyn Fn() -> Box<dyn GridSolver> + Sync),
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> Searched {
    count(grid, engine, &Terms { make, deadline, stop })
}

/// What stays the same from part to part.
struct Terms<'a> {
    make: &'a (dyn Fn() -> Box<dyn GridSolver> + Sync),
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
}

impl Terms<'_> {
    fn bounds(&self) -> Bounds {
        let bounds = Bounds::ALL.and_guesses(PATIENCE);
        self.deadline
            .map_or(bounds, |deadline| bounds.and_time(deadline.saturating_duration_since(Instant::now())))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

fn count(grid: &Grid, engine: &mut dyn GridSolver, terms: &Terms<'_>) -> Searched {
    let searched = engine.search_until(grid, &terms.bounds(), terms.stop, &mut |_| ControlFlow::Continue(()));
    if searched.end != End::Budget || terms.is_late() {
        return searched;
    }
    let (parts, guesses) = split(grid);
    let split = Searched { solutions: 0, guesses, end: End::Complete };
    if terms.stop.load(Ordering::Relaxed) {
        return Searched { end: End::Stopped, ..split };
    }
    let counts = parts.par_iter().map_init(terms.make, |engine, part| count(part, &mut **engine, terms));
    add(split, counts.reduce(|| Searched { guesses: 0, ..split }, add))
}

/// Two parts together: complete if both are.
fn add(one: Searched, other: Searched) -> Searched {
    let end = if one.end == End::Complete { other.end } else { one.end };
    Searched { solutions: one.solutions + other.solutions, guesses: one.guesses + other.guesses, end }
}

/// Puzzles that share out the solutions of one, and the guesses that they were made by.
fn split(grid: &Grid) -> (Vec<Grid>, u64) {
    let map = HouseMap::new(grid.shape());
    let (mut parts, mut guesses) = (vec![grid.clone()], 0);
    while parts.len() < PARTS {
        let tried: Vec<Vec<Grid>> = parts.iter().map(|part| try_cell(part, &map)).collect();
        guesses += tried.iter().map(|choices| choices.len().saturating_sub(1) as u64).sum::<u64>();
        let tried = tried.concat();
        if tried == parts {
            break;
        }
        parts = tried;
    }
    (parts, guesses)
}

/// The puzzle with each candidate of its most constrained blank; as it is if it has none.
fn try_cell(grid: &Grid, map: &HouseMap) -> Vec<Grid> {
    let mut used = Used::NONE;
    // They don't contradict each other: a search has gone on from them, or a candidate was added.
    used.add_clues(map, grid.cells());
    let candidates = |cell: usize| used.around(map.of(cell)).complement(map.side());
    let blanks = (0..grid.cells().len()).filter(|&cell| grid.cells()[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| candidates(cell).len()) else { return vec![grid.clone()] };
    let with = |digit: Digit| {
        let mut cells = grid.cells().to_vec();
        cells[cell] = digit.get();
        Grid::new(grid.shape(), cells).expect("a digit of the shape")
    };
    let possible = candidates(cell);
    Digit::all(map.side()).filter(|&digit| possible.contains(digit)).map(with).collect()
}
