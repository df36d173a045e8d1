//! Unavoidable sets: cells of a solution of which every puzzle must have one as a clue.

use std::sync::atomic::Ordering;

use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, PORTION, Refuted, Schema, Searchable, Status, Worker,
    worker_from,
};
use crate::grid::Cell;
use crate::hunt::{UnavoidableFinder, UnavoidableSets, disjoint_sets};
use crate::solver::{Bounds, Budget, Engine};

/// Finds the minimal unavoidable sets of the solution of each puzzle: all sets up to a number of cells, and all
/// within a few digits.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Unavoidable, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Unavoidable { cells: 4, ..Unavoidable::default() }.answer(&[puzzle])?;
/// let Value::Grids(sets) = answers.value(0, 0) else { panic!("it has sets") };
/// assert_eq!(sets[..81].iter().filter(|&&digit| digit != 0).count(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavoidable {
    /// The engine that solves the puzzles; the default is the fastest for 9x9.
    pub engine: Engine,
    /// Up to how many cells all sets are found.
    pub cells: usize,
    /// Up to how many digits all sets are found, however many cells they have.
    pub digits: usize,
    /// How many clues of the puzzle the sets must have; `None` for any number.
    pub clues: Option<usize>,
    /// Whether there are columns with the numbers of sets instead of the sets.
    pub counts: bool,
    /// How much the solution of a puzzle may cost, and again its sets; see [`UnavoidableFinder::budget`].
    pub budget: Budget,
}

impl Default for Unavoidable {
    fn default() -> Unavoidable {
        Unavoidable {
            engine: Engine::default(),
            cells: UnavoidableFinder::CELLS,
            digits: UnavoidableFinder::DIGITS,
            clues: None,
            counts: false,
            budget: Budget::NONE,
        }
    }
}

impl Job for Unavoidable {
    fn schema(&self) -> Schema {
        let mut columns = if self.counts {
            let sets = "how many minimal unavoidable sets were found";
            let sizes = "how many of them have each number of cells, such as 4:3 6:26";
            let least_clues = "a number of clues that every puzzle with this solution has at least: so many of the sets are disjoint";
            vec![
                Column::new("sets", ColumnKind::SmallNumber, sets),
                Column::new("sizes", ColumnKind::Text, sizes),
                Column::new("least_clues", ColumnKind::SmallNumber, least_clues),
            ]
        } else {
            let sets = "the minimal unavoidable sets, each as its digits, 0 in the other cells";
            vec![Column::new("unavoidable", ColumnKind::Grids, sets)]
        };
        columns.push(Column::STATUS);
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let job = *self;
        let bounds = Bounds::solutions(2).and_budget(self.budget);
        let mut search = BatchSearch::<P>::new(P::solver(self.engine), bounds);
        let mut finder = UnavoidableFinder::new(self.cells, self.digits, self.budget);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (start, portion) in (0..).step_by(PORTION).zip(puzzles.chunks(PORTION)) {
                let of_all = |refuted: Refuted| Refuted { puzzle: start + refuted.puzzle, ..refuted };
                for (puzzle, status, only) in search.prove(portion, stop).map_err(of_all)? {
                    let Some(solution) = only else {
                        job.push(status, &[], None, answers);
                        continue;
                    };
                    let Some(found) = finder.find(puzzle.shape(), solution, stop) else { return Ok(()) };
                    let UnavoidableSets { mut sets, is_given_up } = found;
                    if let Some(clues) = job.clues {
                        sets.retain(|set| clues_in(puzzle.cells(), set) == clues);
                    }
                    match is_given_up {
                        true => job.push(Status::Budget, &[], None, answers),
                        false => job.push(status, solution, Some(&sets), answers),
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Unavoidable {
    /// Adds an answer; `sets` are those of the solution, if they are known.
    fn push(&self, status: Status, solution: &[u8], sets: Option<&[Vec<Cell>]>, answers: &mut Answers) {
        answers.push_status(status as u8);
        if self.counts {
            let number = |number: usize| Some(number as u64);
            answers.push_numbers(0, [sets.and_then(|sets| number(sets.len()))].into_iter());
            answers.push_text(1, sets.map(sizes).unwrap_or_default());
            answers.push_numbers(2, [sets.and_then(|sets| number(disjoint_sets(sets)))].into_iter());
            return;
        }
        let grids = answers.cells(0);
        grids.push(&[]);
        for set in sets.unwrap_or_default() {
            let digit = |cell| if set.contains(&Cell::new(cell)) { solution[cell] } else { 0 };
            grids.lengthen((0..solution.len()).map(digit));
        }
    }
}

/// How many clues of a puzzle are in a set.
fn clues_in(puzzle: &[u8], set: &[Cell]) -> usize {
    set.iter().filter(|cell| puzzle[cell.index()] != 0).count()
}

/// How many sets have each number of cells, e.g. `4:3 6:26`. Smaller sets come first.
fn sizes(sets: &[Vec<Cell>]) -> String {
    let runs = sets.chunk_by(|one, next| one.len() == next.len());
    runs.map(|run| format!("{}:{}", run[0].len(), run.len())).collect::<Vec<_>>().join(" ")
}
