//! The solutions of each puzzle: one of them, all of them, or their number; and its true candidates, the
//! digits that each cell holds in some solution.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{
    Absent, Answers, BatchSearch, Column, ColumnKind, CountOptions, Job, JobPuzzle, Result, Schema, Status,
    TakePart, Worker, WrongAnswer, worker_from,
};
use crate::grid::{Cell, Digit, Shape};
use crate::solver::{
    Bounds, Budget, Engine, EngineKind, Lister, Outcome, SearchEnd, SolutionLimit, Solver, StagedCounter,
    TrueCandidates, true_candidates,
};

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
    pub fn worker_with<P: JobPuzzle>(&self, engine: Box<dyn Solver<P>>) -> Box<dyn Worker<P>> {
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
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        self.worker_with(P::solver(self.engine))
    }
}

/// Solves puzzles.
struct SolveWorker<P: JobPuzzle> {
    limit: SolutionLimit,
    search: BatchSearch<P>,
}

impl<P: JobPuzzle> Worker<P> for SolveWorker<P> {
    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        let found = self.search.run(puzzles, stop)?;
        answers.push_searched(puzzles, found, self.limit, [2, 3], Some(0));
        Ok(())
    }
}

/// Lists the solutions of puzzles, in the order of the engine's search.
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
/// # Ok::<(), gridmill_core::jobs::WrongAnswer>(())
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
        let single = Engine::Other(EngineKind::Bitmask);
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
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let lister = Lister::new(self.batch.map(P::solver), P::solver(self.single));
        Box::new(EnumerateWorker { job: *self, lister: lister.within(self.budget) })
    }
}

/// Lists solutions, in parts if the caller wants that.
struct EnumerateWorker<P: JobPuzzle> {
    job: Enumerate,
    lister: Lister<P>,
}

impl<P: JobPuzzle> Worker<P> for EnumerateWorker<P> {
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
        let (mut lists, mut wrong) =
            (SolutionColumns { job: self.job, answers, begun: 0, first: Vec::new() }, None);
        let mut cells = 0;
        let searched = self.lister.list(puzzles, self.job.limit, stop, &mut |puzzle, digits| {
            if !puzzles[puzzle].is_solved_by(digits) {
                wrong = Some(puzzle);
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
        if let Some(puzzle) = wrong {
            return Err(WrongAnswer { puzzle, engine: self.lister.name() });
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

/// Counts the solutions of puzzles.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Count, Job, Value};
///
/// let answers = Count { limit: 1000, ..Count::default() }.answer(&[Puzzle::EMPTY])?;
/// assert_eq!(answers.value(0, 0), Value::Number(1000));
/// # Ok::<(), gridmill_core::jobs::WrongAnswer>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// Whether only this engine may be used. Otherwise `bitmask` takes over from lanes for puzzles with more
    /// than 1,024 solutions, if the limit is higher than that, because it is faster with a single puzzle.
    pub only_engine: bool,
    /// Solutions are counted up to this number; 0 counts all.
    pub limit: u64,
    /// How much the count of a puzzle may cost before it is given up.
    pub budget: Budget,
    /// Whether there is a column with the cells that all solutions share. It covers all solutions, even if
    /// fewer are counted. Finding them takes a few dozen more searches, which together get the same budget
    /// once more. If the cells of a puzzle are not known then, it has the status `budget`.
    pub shared: bool,
}

/// Up to how many solutions puzzles are counted in lanes, if the count has a limit. Lanes can't share such a
/// count, so a single puzzle takes 6 times as long there as with `bitmask`, although a batch takes only a
/// third.
const IN_LANES: SolutionLimit = SolutionLimit::new(1024).unwrap();

impl Count {
    /// The limit as a [`SolutionLimit`]. `None` if all solutions are counted, if it does not fit into 32 bits, or
    /// if there is a budget.
    #[must_use]
    pub fn plain_limit(&self) -> Option<SolutionLimit> {
        u32::try_from(self.limit).ok().filter(|_| !self.budget.is_bounded()).and_then(SolutionLimit::new)
    }

    /// Makes a search. A count that takes long is split over all threads, unless its limit is small or its
    /// guesses are bounded. A bounded count is not split, because the guesses up to the bound are those that
    /// the engine makes in its own order, and splits make others.
    fn search<P: JobPuzzle>(&self) -> BatchSearch<P> {
        let engine = self.engine;
        let may_change_engine = matches!(engine, Engine::Lockstep(_)) && !self.only_engine;
        let is_small = self.limit > 0 && self.limit <= IN_LANES.get().into();
        let options = CountOptions {
            is_timed: self.budget.time.is_some(),
            is_limited: self.limit > 0,
            may_change_engine,
        };
        let (solver, keeps_solutions): (Box<dyn Solver<P>>, bool) = match self.plain_limit() {
            Some(limit) if limit > IN_LANES && may_change_engine => {
                let single = P::counter(Engine::Other(EngineKind::Bitmask), options);
                (Box::new(StagedCounter::new(P::solver(engine), IN_LANES, single)), false)
            }
            plain if is_small || self.budget.guesses.is_some() => (P::solver(engine), plain.is_some()),
            _ => (P::counter(engine, options), false),
        };
        let bounds = Bounds::solutions(self.limit).and_budget(self.budget);
        let mut search = BatchSearch::new(solver, bounds);
        search.keeps_solutions = keeps_solutions;
        search
    }
}

impl Job for Count {
    fn schema(&self) -> Schema {
        let solutions = "how many solutions there are, up to the limit";
        let solutions = Column::new("solutions", ColumnKind::Number, solutions);
        let solutions = Column { absent: Absent::ZeroInCsv, ..solutions };
        let shared = "the cells that all solutions share, 0 where they differ";
        let mut columns = vec![solutions, Column::STATUS, Column::GUESSES, Column::TIME];
        if self.shared {
            columns.insert(1, Column::new("shared", ColumnKind::Cells, shared));
        }
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let limit = match self.limit {
            1 => SolutionLimit::FIRST,
            // This limit only decides the status; the bounds of the search are set in `search`. Two solutions are
            // enough for `multiple`.
            _ => self.plain_limit().unwrap_or(SolutionLimit::UNIQUENESS),
        };
        let mut search = self.search::<P>();
        // The engine that finds the cells that all solutions share, if they are wanted.
        let mut shared = self.shared.then(|| P::solver(Engine::Other(EngineKind::Bitmask)));
        let costs = if self.shared { [3, 4] } else { [2, 3] };
        let budget = self.budget;
        worker_from(move |puzzles, _, stop, answers| {
            let mut found = Cow::Borrowed(search.run(puzzles, stop)?);
            let mut counted = None;
            if let Some(engine) = &mut shared {
                let shared = answers.cells(1);
                for (index, puzzle) in puzzles[..found.len()].iter().enumerate() {
                    if found[index].solutions == 0 && !found[index].is_given_up {
                        shared.push(&[]);
                        continue;
                    }
                    let Some(all) = true_candidates(puzzle, 1, budget, &mut **engine, stop) else {
                        counted = Some(found[index].solutions);
                        found.to_mut().truncate(index);
                        break;
                    };
                    if all.is_given_up {
                        found.to_mut()[index].is_given_up = true;
                    }
                    shared.push(&[]);
                    shared.lengthen(shared_cells(&all, puzzle.shape()));
                }
            }
            let before = answers.len();
            answers.push_searched(puzzles, &found, limit, costs, None);
            let statuses = answers.statuses()[before..].to_vec();
            // There is no number if clues contradict each other.
            let solutions = |(found, status): (&Outcome<_>, u8)| {
                (status != Status::Conflict as u8).then_some(found.solutions)
            };
            answers.push_numbers(0, found.iter().zip(statuses).map(solutions));
            drop(found);
            answers.set_found_when_stopped(counted.unwrap_or(search.found_when_stopped));
            Ok(())
        })
    }
}

/// The cells that all solutions share, 0 where they differ. There are none if there is no solution, or if not
/// all candidates are known.
fn shared_cells(all: &TrueCandidates, shape: Shape) -> impl Iterator<Item = u8> {
    let cells = if all.counts().is_empty() { 0 } else { shape.cells() };
    (0..cells).map(|cell| {
        let digits = all.digits(Cell::new(cell));
        digits.lowest().filter(|_| digits.is_single()).map_or(0, Digit::get)
    })
}

/// Finds the digits that each cell holds in some solution, and how many solutions have each of them there.
///
/// ```
/// use gridmill_core::Grid;
/// use gridmill_core::jobs::{Candidates, Job, Value};
///
/// // 4x4 with 1 and 2 in the first row: the third cell is a 3 or a 4, in 12 solutions each.
/// let mut cells = vec![0; 16];
/// cells[..2].copy_from_slice(&[1, 2]);
/// let puzzle = Grid::new("2x2".parse()?, cells).unwrap();
/// let answers = Candidates { cap: 1000, ..Candidates::default() }.answer(&[puzzle])?;
/// let Value::Candidates(counts) = answers.value(0, 0) else { panic!("it has solutions") };
/// assert_eq!(counts[8..12], [0, 0, 12, 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// Solutions of each candidate are counted up to this number, at least 1. More than 1 takes longer.
    pub cap: u64,
    /// How much a puzzle may cost before it is given up and gets no candidates.
    pub budget: Budget,
}

impl Default for Candidates {
    fn default() -> Candidates {
        Candidates { cap: 1, budget: Budget::NONE }
    }
}

impl Job for Candidates {
    fn schema(&self) -> Schema {
        let candidates = "for each cell the digits that it holds in some solution";
        let columns = vec![Column::new("candidates", ColumnKind::Candidates, candidates), Column::STATUS];
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let Candidates { cap, budget } = *self;
        let mut engine = P::solver(Engine::Other(EngineKind::Bitmask));
        worker_from(move |puzzles, _, stop, answers| {
            for puzzle in puzzles {
                let Some(found) = true_candidates(puzzle, cap, budget, &mut *engine, stop) else { break };
                let status = Status::from_two(puzzle, found.first_solutions, found.is_given_up);
                answers.push_status(status as u8);
                answers.candidates(0).push(found.counts());
            }
            Ok(())
        })
    }
}
