//! Whether a grid has no solution, one, or several.

use std::slice;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Grid;
use gridmill_core::solver::{Outcome, SolutionLimit, Solvable, SolverKind};
use serde::Serialize;

use crate::refusal::Refusal;

/// The result of a search for up to two solutions.
#[derive(Debug)]
pub(super) struct Verdict {
    /// How many were found.
    pub(super) found: u64,
    /// The solution, if there is exactly one.
    pub(super) solution: Option<Grid>,
    /// The time of the search.
    pub(super) nanos: u64,
}

/// The name of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum VerdictName {
    None,
    Unique,
    Multiple,
}

impl Verdict {
    /// The verdict of digits that contradict each other.
    pub(super) const NONE: Verdict = Verdict { found: 0, solution: None, nanos: 0 };

    /// Searches a grid. `None` if `stop` became true.
    pub(super) fn of(grid: &Grid, stop: &AtomicBool) -> Result<Option<Verdict>, Refusal> {
        let mut found = [Outcome::NONE];
        let mut engine = SolverKind::Bitmask.build_any_shape::<Grid>();
        let searched = engine.solve_until(slice::from_ref(grid), SolutionLimit::UNIQUENESS, &mut found, stop);
        let [found] = found;
        if searched == 0 {
            return Ok(None);
        }
        if !grid.agrees(&found) {
            return Err(Refusal::defect(format!(
                "the engine '{}' gave a grid that is no solution",
                engine.name()
            )));
        }
        let Outcome { solutions, solution, nanos, .. } = found;
        Ok(Some(Verdict { found: solutions, solution: solution.filter(|_| solutions == 1), nanos }))
    }

    pub(super) fn is_unique(&self) -> bool {
        self.found == 1
    }

    pub(super) fn name(&self) -> VerdictName {
        match self.found {
            0 => VerdictName::None,
            1 => VerdictName::Unique,
            _ => VerdictName::Multiple,
        }
    }
}
