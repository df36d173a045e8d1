//! True candidates: the digits that each cell holds in some solution.

use super::{Column, ColumnKind, Job, Schema, Searchable, Status, Worker, worker_from};
use crate::grid::{Cell, Digit};
use crate::solver::{Engine, SolverKind, TrueCandidates, true_candidates};

/// Finds the digits that each cell holds in some solution, and how many solutions have them there.
///
/// ```
/// use gridmill_core::Grid;
/// use gridmill_core::jobs::{Candidates, Job, Value};
///
/// // 4x4 with 1 and 2 in the first row: the third cell is a 3 or a 4, in 12 solutions each.
/// let mut cells = vec![0; 16];
/// cells[..2].copy_from_slice(&[1, 2]);
/// let puzzle = Grid::new("2x2".parse()?, cells).unwrap();
/// let answers = Candidates { cap: 1000 }.answer(&[puzzle])?;
/// let Value::Candidates(counts) = answers.value(0, 0) else { panic!("it has solutions") };
/// assert_eq!(counts[8..12], [0, 0, 12, 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Up to how many solutions of each candidate are counted, at least 1. More than 1 takes longer.
    pub cap: u64,
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates { cap: 1 }
    }
}

impl Job for Candidates {
    fn schema(&self) -> Schema {
        let candidates = "for each cell the digits that it holds in some solution";
        let columns = vec![Column::new("candidates", ColumnKind::Candidates, candidates), Column::STATUS];
        Schema { columns, statuses: Status::INFOS }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let (cap, mut engine) = (self.cap, P::solver(Engine::Other(SolverKind::Bitmask)));
        worker_from(move |puzzles, _, stop, answers| {
            for puzzle in puzzles {
                let Some(found) = true_candidates(puzzle, cap, &mut *engine, stop) else { break };
                let solutions = match (found.has_solution(), found.is_unique()) {
                    (false, _) => 0,
                    (_, true) => 1,
                    _ => 2,
                };
                answers.push_status(Status::of_two(puzzle, solutions, false) as u8);
                answers.candidates(0).push_all(counts(&found));
            }
            Ok(())
        })
    }
}

/// Returns the counts of all cells and digits; nothing where there is no solution.
fn counts(found: &TrueCandidates) -> impl Iterator<Item = u64> {
    let side = found.side();
    let cells = if found.has_solution() { side * side } else { 0 };
    let of_cell = move |cell| Digit::all(side).map(move |digit| found.solutions(Cell::new(cell), digit));
    (0..cells).flat_map(of_cell)
}
