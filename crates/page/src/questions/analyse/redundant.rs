//! The clues of which each alone could go.

use std::slice;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::Cell;
use serde::Serialize;

use super::Known;
use crate::reply::Reply;

#[derive(Serialize)]
#[serde(tag = "event", rename = "redundant")]
struct Redundant {
    cells: Vec<usize>,
    is_doubtful: bool,
}

/// Tells the redundant clues, where the clues alone have exactly one solution.
pub(super) fn tell(known: Known<'_>, reply: &Reply) {
    let grid = known.grid;
    if grid.clues == grid.digits && !known.verdict.is_unique() {
        return;
    }
    let found = Minimizer::new(None).redundant_until(slice::from_ref(&grid.clues), reply.stop());
    for found in found.into_iter().filter(|found| found.solutions == 1) {
        let cells = found.result.into_iter().map(Cell::index).collect();
        reply.send(&Redundant { cells, is_doubtful: found.is_given_up });
    }
}
