//! Backdoors: the fewest cells of a puzzle whose digits leave only easy steps to do.

use std::sync::atomic::Ordering;

use super::{
    BatchSearch, Column, ColumnKind, Job, PORTION, Refuted, Schema, Searchable, Status, StatusInfo, Worker,
    worker_from,
};
use crate::grid::{Cell, Shape};
use crate::hunt::{BackdoorFinder, BackdoorSets};
use crate::logic::Rating;
use crate::solver::{Bounds, Budget, Engine};

/// Finds the fewest cells of each puzzle whose digits leave only naked and hidden singles to do.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Backdoors, Job, Value};
///
/// let puzzle: Puzzle = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..".parse()?;
/// let answers = Backdoors::default().answer(&[puzzle])?;
/// assert_eq!(answers.value(0, 0), Value::Number(2));
/// assert_eq!(answers.value(1, 0), Value::Text("r1c2 r2c7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backdoors {
    /// The engine that solves the puzzles; the default is the fastest for 9x9.
    pub engine: Engine,
    /// The rating up to which all techniques count as easy, for 9x9; `None` for singles alone.
    pub up_to: Option<Rating>,
    /// Whether there are columns with all sets of the least size.
    pub all: bool,
    /// How much the solution of a puzzle may cost, and again its sets, each of which counts as a guess.
    pub budget: Budget,
}

/// A puzzle with one solution whose sets have more cells than are tried.
const MORE: Status = Status::Solved;

impl Job for Backdoors {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &Status::infos_with([(MORE, StatusInfo::right("more"))]);
        let size = "the least number of cells whose digits leave only easy steps";
        let backdoor = "the first set of so many cells, such as r1c2 r3c4; empty for 0 cells";
        let mut columns = vec![
            Column::new("size", ColumnKind::SmallNumber, size),
            Column::new("backdoor", ColumnKind::Text, backdoor),
        ];
        if self.all {
            let sets = "how many sets of so many cells there are";
            let all = "all of them, such as r1c2 r3c4; r1c2 r5c5";
            columns.push(Column::new("sets", ColumnKind::SmallNumber, sets));
            columns.push(Column::new("backdoors", ColumnKind::Text, all));
        }
        columns.push(Column::STATUS);
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let Backdoors { engine, up_to, all, budget } = *self;
        let mut search = BatchSearch::<P>::new(P::solver(engine), Bounds::solutions(2).and_budget(budget));
        let mut finder = BackdoorFinder::new(up_to, budget);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for (start, portion) in (0..).step_by(PORTION).zip(puzzles.chunks(PORTION)) {
                let of_all = |refuted: Refuted| Refuted { puzzle: start + refuted.puzzle, ..refuted };
                for (puzzle, status, only) in search.prove(portion, stop).map_err(of_all)? {
                    let found = match only {
                        Some(solution) => finder.find(puzzle, solution, all, stop),
                        None => Some(BackdoorSets::default()),
                    };
                    let Some(found) = found else { return Ok(()) };
                    let status = match (status, found.size) {
                        (Status::Unique, _) if found.is_given_up => Status::Budget,
                        (Status::Unique, None) => MORE,
                        _ => status,
                    };
                    answers.push_status(status as u8);
                    answers.push_numbers(0, [found.size.map(|size| size as u64)].into_iter());
                    let names = |set: &Vec<Cell>| cell_names(set, puzzle.shape());
                    answers.push_text(1, found.sets.first().map(names).unwrap_or_default());
                    if all {
                        let sets = found.size.map(|_| found.sets.len() as u64);
                        answers.push_numbers(2, [sets].into_iter());
                        answers.push_text(3, found.sets.iter().map(names).collect::<Vec<_>>().join("; "));
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

/// The names of cells, separated by a space, e.g. `r1c2 r3c4`.
fn cell_names(cells: &[Cell], shape: Shape) -> String {
    cells.iter().map(|cell| cell.name(shape)).collect::<Vec<_>>().join(" ")
}
