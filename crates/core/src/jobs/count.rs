//! Counting: how many solutions each puzzle has.

use std::time::Duration;

use super::{Absent, Column, ColumnKind, Job, Schema, Search, Searchable, Status, Worker, worker_from};
use crate::grid::{Cell, Digit};
use crate::solver::{
    Bounds, Counter, Engine, Outcome, SolutionLimit, Solver, SolverKind, StagedCounter, TrueCandidates,
    true_candidates,
};

/// Counts the solutions of puzzles.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Count, Job, Value};
///
/// let answers = Count { limit: 1000, ..Count::default() }.answer(&[Puzzle::EMPTY])?;
/// assert_eq!(answers.value(0, 0), Value::Number(1000));
/// # Ok::<(), gridmill_core::jobs::Refuted>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
    /// Whether no other engine takes part. Else puzzles of more than 1,024 solutions, where the limit is above that, go from
    /// lanes to `bitmask`, because it is quicker where a puzzle is alone.
    pub only_engine: bool,
    /// Up to how many solutions are counted; 0 for all.
    pub limit: u64,
    /// The guesses after which a puzzle is given up.
    pub budget_guesses: Option<u64>,
    /// The time after which a puzzle is given up.
    pub budget_time: Option<Duration>,
    /// Whether there is a column with the cells that all solutions share. They are those of all solutions, however many are
    /// counted, and cost a few dozen searches more, which no budget ends.
    pub shared: bool,
}

/// Up to how many solutions puzzles are counted in lanes, where the count has a limit. Lanes can't share such a count, so
/// a puzzle that is alone takes 5 times as long there as with `bitmask`, where a batch takes a third.
const IN_LANES: SolutionLimit = SolutionLimit::new(1024).unwrap();

impl Count {
    /// Returns the limit, if the engines that solve can count so far: up to some solutions, and without a budget.
    #[must_use]
    pub fn plain_limit(&self) -> Option<SolutionLimit> {
        let is_bounded = self.budget_guesses.is_some() || self.budget_time.is_some();
        u32::try_from(self.limit).ok().filter(|_| !is_bounded).and_then(SolutionLimit::new)
    }

    fn bounds(&self) -> Bounds {
        let bounds = Bounds::solutions(self.limit).and_guesses(self.budget_guesses.unwrap_or(u64::MAX));
        self.budget_time.map_or(bounds, |time| bounds.and_time(time))
    }

    /// Makes an engine. A count of all solutions is split over all threads where it takes long. A count with a
    /// limit goes in order, so that it stops at the same place on any number of threads.
    fn solver<P: Searchable>(&self) -> Box<dyn Solver<P>> {
        let engine = self.engine;
        if let Some(limit) = self.plain_limit() {
            if limit > IN_LANES && matches!(engine, Engine::Lockstep(_)) && !self.only_engine {
                let single = P::solver(Engine::Other(SolverKind::Bitmask));
                let count = Box::new(Counter::new(single, self.bounds()));
                return Box::new(StagedCounter::new(P::solver(engine), count).beyond(IN_LANES));
            }
            P::solver(engine)
        } else if self.limit == 0 && self.budget_guesses.is_none() {
            P::counter(engine, self.budget_time)
        } else {
            Box::new(Counter::new(P::solver(engine), self.bounds()))
        }
    }
}

impl Job for Count {
    fn schema(&self) -> Schema {
        let solutions = Column {
            absent: Absent::ZeroInCsv,
            ..Column::new("solutions", ColumnKind::Number, "how many solutions there are, up to the limit")
        };
        let shared = "the cells that all solutions share, 0 where they differ";
        let mut columns = vec![solutions, Column::STATUS, Column::GUESSES, Column::TIME];
        if self.shared {
            columns.insert(1, Column::new("shared", ColumnKind::Cells, shared));
        }
        Schema { columns, statuses: Status::INFOS }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let limit = match self.limit {
            1 => SolutionLimit::FIRST,
            // Two solutions are enough for `multiple`; other counters have limits of their own.
            _ => self.plain_limit().unwrap_or(SolutionLimit::UNIQUENESS),
        };
        let mut search = Search::with(self.solver::<P>());
        // Finds the cells that all solutions share, if they are wanted.
        let mut shared = self.shared.then(|| P::solver(Engine::Other(SolverKind::Bitmask)));
        let costs = if self.shared { [3, 4] } else { [2, 3] };
        worker_from(move |puzzles, _, stop, answers| {
            let mut found = search.run(puzzles, limit, stop)?;
            if let Some(engine) = &mut shared {
                let shared = answers.cells(1);
                for (index, (puzzle, outcome)) in puzzles.iter().zip(found).enumerate() {
                    if outcome.solutions == 0 && !outcome.is_given_up {
                        shared.push(&[]);
                        continue;
                    }
                    let Some(all) = true_candidates(puzzle, 1, &mut **engine, stop) else {
                        found = &found[..index];
                        break;
                    };
                    shared.push_all(shared_cells(&all));
                }
            }
            let before = answers.len();
            answers.push_searched(puzzles, found, limit, costs, None);
            let statuses = answers.statuses()[before..].to_vec();
            // Where clues contradict each other, there is no number.
            let solutions = |(found, status): (&Outcome<_>, u8)| {
                (status != Status::Conflict as u8).then_some(found.solutions)
            };
            answers.push_numbers(0, found.iter().zip(statuses).map(solutions));
            Ok(())
        })
    }
}

/// Returns the cells that all solutions share, 0 where they differ; nothing where there is no solution.
fn shared_cells(all: &TrueCandidates) -> impl Iterator<Item = u8> {
    let cells = if all.has_solution() { all.side() * all.side() } else { 0 };
    (0..cells).map(|cell| {
        let digits = all.digits(Cell::new(cell));
        digits.lowest().filter(|_| digits.is_single()).map_or(0, Digit::get)
    })
}
