//! Questions about one puzzle.

mod analyse;
#[cfg(test)]
mod asking;
mod generate;
mod grid;
mod minimize;
mod named;
mod read;
mod solutions;
mod ticks;
mod write;

use std::slice;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Grid;
use gridmill_core::jobs::{Answers, Job, Refuted};

use crate::reply::Refusal;
pub(super) use analyse::Analyse;
pub(super) use generate::Generate;
pub(super) use grid::PageGrid;
pub(super) use minimize::Minimize;
pub(super) use read::Read;
pub(super) use solutions::Solutions;
pub(super) use write::Write;

/// Asks a job of a grid. `None` if `stop` became true.
fn ask(job: &impl Job, grid: &Grid, stop: &AtomicBool) -> Result<Option<Answers>, Refusal> {
    let mut answers = Answers::new(job.schema());
    let defect = |Refuted { engine, .. }| {
        Refusal::defect(format!("the engine '{engine}' gave a grid that is no solution"))
    };
    job.worker().answer(slice::from_ref(grid), 0, stop, &mut answers).map_err(defect)?;
    Ok(Some(answers).filter(|answers| !answers.is_empty()))
}
