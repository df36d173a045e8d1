//! The true candidates of a grid, with the number of solutions of each.

use gridmill_core::grid::{Cell, Digit};
use gridmill_core::solver::{SolverKind, true_candidates};
use serde::Serialize;

use super::Known;
use crate::reply::Reply;

#[derive(Serialize)]
#[serde(tag = "event", rename = "candidates")]
struct Candidates {
    cap: u64,
    /// For each cell and each digit.
    solutions: Vec<Vec<u64>>,
}

/// Tells the true candidates. The verdict says those of a grid without a solution, or with one.
pub(super) fn tell(known: Known<'_>, cap: u64, reply: &Reply) {
    let solutions = match (known.verdict.found, &known.verdict.solution) {
        (0, _) => table(known, |_, _| 0),
        (_, Some(solution)) => {
            table(known, |cell, digit| u64::from(solution.cells()[cell.index()] == digit.get()))
        }
        _ => {
            let mut engine = SolverKind::Bitmask.build_any_shape();
            let found = true_candidates(&known.grid.digits, cap, &mut *engine, reply.stop());
            let Some(found) = found else { return };
            table(known, |cell, digit| found.solutions(cell, digit))
        }
    };
    reply.send(&Candidates { cap, solutions });
}

/// Returns a number for each digit of each cell.
fn table(known: Known<'_>, solutions: impl Fn(Cell, Digit) -> u64) -> Vec<Vec<u64>> {
    let shape = known.grid.digits.shape();
    let of_cell = |cell| Digit::all(shape.side()).map(|digit| solutions(cell, digit)).collect();
    Cell::all(shape).map(of_cell).collect()
}
