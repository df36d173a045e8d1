//! Solving: the first solution of each puzzle, and whether it is the only one.

use std::sync::atomic::AtomicBool;

use super::{Answers, Column, ColumnKind, Job, Result, Schema, Search, Searchable, Status, Worker};
use crate::solver::{Engine, SolutionLimit, Solver};

/// Solves puzzles, and proves that their solutions are the only ones.
///
/// ```
/// use gridmill_core::Grid;
/// use gridmill_core::jobs::{Job, Solve, Value};
/// use gridmill_core::solver::Engine;
///
/// let shape = "2x2".parse()?;
/// let puzzle = Grid::of(shape, &[1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]).unwrap();
/// let answers = Solve { engine: Engine::fastest(Some(shape)), ..Solve::default() }.answer(&[puzzle])?;
/// assert_eq!(answers.value(1, 0), Value::Text("unique"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Solve {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// At how many solutions a search stops: two, to prove that there is one, unless told otherwise.
    pub limit: SolutionLimit,
}

impl Solve {
    /// Makes a worker that searches with an engine of your own.
    #[must_use]
    pub fn worker_with<P: Searchable>(&self, engine: Box<dyn Solver<P>>) -> Box<dyn Worker<P>> {
        Box::new(SolveWorker { limit: self.limit, search: Search::with(engine) })
    }
}

impl Job for Solve {
    fn schema(&self) -> Schema {
        let solution = "the first solution that was found, empty where there is none";
        let columns = vec![
            Column::new("solution", ColumnKind::Cells, solution),
            Column::STATUS,
            Column::GUESSES,
            Column::TIME,
        ];
        Schema { columns, statuses: Status::INFOS }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        self.worker_with(P::solver(self.engine))
    }
}

struct SolveWorker<P: Searchable> {
    limit: SolutionLimit,
    search: Search<P>,
}

impl<P: Searchable> Worker<P> for SolveWorker<P> {
    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        let found = self.search.run(puzzles, self.limit, stop)?;
        answers.push_searched(puzzles, found, self.limit, [2, 3], Some(0));
        Ok(())
    }
}
