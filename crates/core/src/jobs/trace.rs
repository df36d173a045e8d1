//! Traces: what an engine does with the cells, for people who learn how it works.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{Column, ColumnKind, Job, Schema, Searchable, StatusInfo, Steps, Worker, worker_from};
use crate::solver::{Bounds, SearchEnd, TraceEvent, TracedEngine, trace};

/// Watches an engine fill and clear cells, up to the first solution of each puzzle. Of pencilmarks it sees the clues alone.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Steps, Trace, Value};
///
/// let answers = Trace { limit: 3, ..Trace::default() }.answer(&[Puzzle::EMPTY])?;
/// assert_eq!(answers.value(0, 0), Value::Text("budget"));
/// let Value::Steps(Steps::Traced(traced)) = answers.value(1, 0) else { panic!("its clues are in no conflict") };
/// assert_eq!((traced.events.len(), traced.is_cut), (3, true));
/// # Ok::<(), gridmill_core::jobs::Refuted>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// The engine that is watched.
    pub engine: TracedEngine,
    /// The most events of a puzzle that are kept; its search ends there.
    pub limit: usize,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace { engine: TracedEngine::Backtracking, limit: 200 }
    }
}

/// The record of a watched search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRecord {
    /// The engine.
    pub engine: TracedEngine,
    /// The events, as far as it was watched.
    pub events: Vec<TraceEvent>,
    /// Whether the search was broken off, as there were enough events.
    pub is_cut: bool,
    /// Whether it came to a solution.
    pub is_solved: bool,
}

/// The places of the statuses.
const SOLVED: u8 = 0;
const BUDGET: u8 = 1;
const NONE: u8 = 2;
const CONFLICT: u8 = 3;

impl Job for Trace {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("solved"),
            StatusInfo::right("budget"),
            StatusInfo::right("none"),
            StatusInfo::CONFLICT,
            StatusInfo::MALFORMED,
        ];
        let steps = "the events of the search, as far as the limit";
        Schema {
            columns: vec![Column::STATUS, Column::new("steps", ColumnKind::Steps, steps)],
            statuses: STATUSES,
        }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let job = *self;
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for puzzle in puzzles {
                if puzzle.find_conflict().is_some() {
                    answers.push_status(CONFLICT);
                    answers.push_steps(1, None);
                    continue;
                }
                let Some(traced) = job.watch(puzzle, stop) else { break };
                let status = match traced {
                    TraceRecord { is_cut: true, .. } => BUDGET,
                    TraceRecord { is_solved: true, .. } => SOLVED,
                    _ => NONE,
                };
                answers.push_status(status);
                answers.push_steps(1, Some(Steps::Traced(traced)));
            }
            Ok(())
        })
    }
}

impl Trace {
    /// Watches the search for the first solution; `None` if `stop` became true.
    fn watch<P: Searchable>(&self, puzzle: &P, stop: &AtomicBool) -> Option<TraceRecord> {
        let mut watched =
            TraceRecord { engine: self.engine, events: Vec::new(), is_cut: false, is_solved: false };
        let mut watch = |event| {
            if watched.events.len() == self.limit {
                watched.is_cut = true;
                return ControlFlow::Break(());
            }
            watched.events.push(event);
            ControlFlow::Continue(())
        };
        let mut found = |_: &[u8]| ControlFlow::Continue(());
        let clues = puzzle.clues();
        let searched = trace(self.engine, &clues, &Bounds::solutions(1), stop, &mut watch, &mut found);
        watched.is_solved = searched.solutions > 0;
        (searched.end != SearchEnd::Stopped || watched.is_cut).then_some(watched)
    }
}
