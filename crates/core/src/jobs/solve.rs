//! Solving: the first solution of each puzzle, and whether it is the only one; or every solution.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{
    Answers, BatchSearch, Column, ColumnKind, Job, Refuted, Result, Schema, Searchable, Status, TakePart,
    Worker,
};
use crate::solver::{Bounds, Budget, Engine, Lister, SearchEnd, SolutionLimit, Solver, SolverKind};

/// Solves puzzles, and proves that their solutions are the only ones.
///
/// ```
/// use gridmill_core::Grid;
/// use gridmill_core::jobs::{Job, Solve, Value};
/// use gridmill_core::solver::Engine;
///
/// let shape = "2x2".parse()?;
/// let puzzle = Grid::from_cells(shape, &[1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0, 2]).unwrap();
/// let answers = Solve { engine: Engine::fastest(Some(shape)), ..Solve::default() }.answer(&[puzzle])?;
/// assert_eq!(answers.value(1, 0), Value::Text("unique"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Solve {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// The number of solutions at which a search stops. The default is two, which proves that there is only
    /// one.
    pub limit: SolutionLimit,
    /// How much a puzzle may cost before it is given up.
    pub budget: Budget,
}

impl Solve {
    /// Makes a worker that searches with an engine of your own.
    #[must_use]
    pub fn worker_with<P: Searchable>(&self, engine: Box<dyn Solver<P>>) -> Box<dyn Worker<P>> {
        let bounds = Bounds::solutions(self.limit.get().into()).and_budget(self.budget);
        Box::new(SolveWorker { limit: self.limit, search: BatchSearch::new(engine, bounds) })
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

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        self.worker_with(P::solver(self.engine))
    }
}

/// Solves puzzles.
struct SolveWorker<P: Searchable> {
    limit: SolutionLimit,
    search: BatchSearch<P>,
}

impl<P: Searchable> Worker<P> for SolveWorker<P> {
    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        let found = self.search.run(puzzles, stop)?;
        answers.push_searched(puzzles, found, self.limit, [2, 3], Some(0));
        Ok(())
    }
}

/// SolutionColumns the solutions of puzzles, in the order of the engine's search.
///
/// The answers hold all solutions in memory, so set a limit if puzzles may have millions. You need no limit
/// if you take them in parts ([`Worker::answer_in_parts`]).
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Enumerate, Job, Value};
///
/// let answers = Enumerate { limit: 10, ..Enumerate::default() }.answer(&[Puzzle::EMPTY; 2])?;
/// let Value::Grids(solutions) = answers.value(0, 1) else { panic!("it has solutions") };
/// assert_eq!(solutions.chunks(81).count(), 10);
/// # Ok::<(), gridmill_core::jobs::Refuted>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enumerate {
    /// The engine that lists the first 1,024 solutions of many puzzles at once; see [`Lister`].
    pub batch: Option<Engine>,
    /// The engine that lists the others, one puzzle at a time. It lists all solutions if there is no engine
    /// for batches.
    pub single: Engine,
    /// How many solutions of a puzzle are listed; 0 for all.
    pub limit: u64,
    /// Whether there is a column with the cells in which each solution differs from the first one of its
    /// puzzle.
    pub changes: bool,
    /// How much a puzzle may cost before its list ends; see [`Lister::within`].
    pub budget: Budget,
}

impl Default for Enumerate {
    fn default() -> Enumerate {
        let single = Engine::Other(SolverKind::Bitmask);
        Enumerate { batch: None, single, limit: 0, changes: false, budget: Budget::NONE }
    }
}

/// How many cells of solutions a part has at least, if the caller takes parts.
pub(super) const PART_CELLS: usize = 64 * 1024;

/// The indices of the columns.
const SOLUTIONS: usize = 0;
const CHANGES: usize = 1;

impl Job for Enumerate {
    fn schema(&self) -> Schema {
        let changes = "the cells that differ from the first solution of the puzzle, 0 in place of the others";
        let mut columns =
            vec![Column::new("solution", ColumnKind::Grids, "the solutions, one after the other")];
        columns.extend(self.changes.then_some(Column::new("changes", ColumnKind::Grids, changes)));
        columns.push(Column::STATUS);
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let lister = Lister::new(self.batch.map(P::solver), P::solver(self.single));
        Box::new(EnumerateWorker { job: *self, lister: lister.within(self.budget) })
    }
}

/// SolutionColumns solutions, in parts if the caller wants that.
struct EnumerateWorker<P: Searchable> {
    job: Enumerate,
    lister: Lister<P>,
}

impl<P: Searchable> Worker<P> for EnumerateWorker<P> {
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        self.answer_in_parts(puzzles, first, stop, answers, &mut |_, _| ControlFlow::Continue(()))
    }

    fn answer_in_parts(
        &mut self,
        puzzles: &[P],
        _: u64,
        stop: &AtomicBool,
        answers: &mut Answers,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let (mut lists, mut refuted) =
            (SolutionColumns { job: self.job, answers, begun: 0, first: Vec::new() }, None);
        let mut cells = 0;
        let searched = self.lister.list(puzzles, self.job.limit, stop, &mut |puzzle, digits| {
            if !puzzles[puzzle].is_solved_by(digits) {
                refuted = Some(puzzle);
                return ControlFlow::Break(());
            }
            lists.push(puzzle, digits);
            cells += digits.len();
            if cells < PART_CELLS {
                return ControlFlow::Continue(());
            }
            cells = 0;
            take(lists.answers, lists.begun)
        });
        if let Some(puzzle) = refuted {
            return Err(Refuted { puzzle, engine: self.lister.name() });
        }
        let is_whole = searched.last().is_none_or(|last| last.end != SearchEnd::Stopped);
        lists.begin(searched.len());
        if !is_whole {
            // The last puzzle gets no status, because its list is incomplete, but the caller gets what was
            // found.
            let _ = take(lists.answers, lists.begun);
        }
        // A list of one solution does not show whether there is a second one.
        let limit = if self.job.limit == 1 { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS };
        let whole = searched.iter().filter(|searched| searched.end != SearchEnd::Stopped);
        for (puzzle, searched) in puzzles.iter().zip(whole) {
            let is_given_up = searched.end == SearchEnd::Budget;
            answers.push_status(Status::from_count(puzzle, searched.solutions, is_given_up, limit) as u8);
        }
        Ok(())
    }
}

/// The columns of solutions of a batch, while they are filled.
struct SolutionColumns<'a> {
    job: Enumerate,
    answers: &'a mut Answers,
    /// How many puzzles have a list, which may be empty. The last of them may get more solutions.
    begun: usize,
    /// The first solution of the last puzzle.
    first: Vec<u8>,
}

impl SolutionColumns<'_> {
    /// Begins the lists of the first `puzzles` puzzles.
    fn begin(&mut self, puzzles: usize) {
        for _ in self.begun..puzzles {
            self.answers.cells(SOLUTIONS).push(&[]);
            if self.job.changes {
                self.answers.cells(CHANGES).push(&[]);
            }
            self.first.clear();
        }
        self.begun = self.begun.max(puzzles);
    }

    /// Adds a solution to the list of a puzzle.
    fn push(&mut self, puzzle: usize, digits: &[u8]) {
        self.begin(puzzle + 1);
        self.answers.cells(SOLUTIONS).lengthen(digits.iter().copied());
        if self.job.changes {
            if self.first.is_empty() {
                self.first.extend_from_slice(digits);
            }
            let pairs = self.first.iter().zip(digits);
            let changes = pairs.map(|(before, &now)| if *before == now { 0 } else { now });
            self.answers.cells(CHANGES).lengthen(changes);
        }
    }
}
