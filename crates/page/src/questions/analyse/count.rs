//! The count of the solutions, which is told while it goes on.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use gridmill_core::grid::Grid;
use gridmill_core::solver::{Bounds, SearchEnd, Searched, SolverKind};
use serde::Serialize;

use super::Known;
use crate::questions::ticks::with_ticks;
use crate::reply::{Refusal, Reply};

/// How often the count is told.
const PERIOD: Duration = Duration::from_millis(50);

/// How far the count is.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename = "count")]
struct Count {
    verdict: &'static str,
    solutions: u64,
    is_final: bool,
    /// Whether it ended at the cap; there may be more.
    is_capped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_ns: Option<u64>,
}

impl Count {
    /// Returns the count when the verdict is known; it is final where that says how many there are, or they reach the
    /// cap.
    fn first(known: Known<'_>, cap: u64) -> Count {
        let (verdict, found) = (known.verdict, known.verdict.found());
        let is_capped = found > 1 && (1..=found).contains(&cap);
        Count {
            verdict: verdict.name(),
            solutions: if is_capped { cap } else { found },
            is_final: is_capped || found < 2,
            is_capped,
            engine_ns: Some(verdict.nanos),
        }
    }

    /// Returns a later count; the engine begins again, and those found before are there all the same.
    fn later(self, solutions: u64) -> Count {
        Count { solutions: self.solutions.max(solutions), engine_ns: None, ..self }
    }

    /// Returns the last count.
    fn last(self, searched: Searched) -> Count {
        Count {
            is_final: true,
            is_capped: searched.end == SearchEnd::Limit,
            ..self.later(searched.solutions)
        }
    }
}

/// Tells the count until it is final, and meanwhile, in a thread of its own, what else is wanted.
pub(super) fn tell(
    known: Known<'_>,
    cap: u64,
    reply: &Reply,
    wants: impl FnOnce() -> Result<(), Refusal> + Send,
) -> Result<(), Refusal> {
    let count = Count::first(known, cap);
    reply.send(&count);
    if count.is_final {
        return wants();
    }
    thread::scope(|scope| {
        let wants = thread::Builder::new().spawn_scoped(scope, wants).map_err(Refusal::no_thread)?;
        let seen = AtomicU64::new(0);
        let searched = with_ticks(
            PERIOD,
            || search(&known.grid.digits, cap, &seen, reply.stop()),
            || _ = reply.send(&count.later(seen.load(Ordering::Relaxed))),
        )
        .map_err(Refusal::no_thread)?;
        if searched.end != SearchEnd::Stopped {
            reply.send(&count.last(searched));
        }
        wants.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Counts the solutions of a grid, and says meanwhile how many were seen.
fn search(grid: &Grid, cap: u64, seen: &AtomicU64, stop: &AtomicBool) -> Searched {
    let mut found = 0;
    let mut engine = SolverKind::Bitmask.build_any_shape::<Grid>();
    engine.search_until(grid, &Bounds::solutions(cap), stop, &mut |_| {
        found += 1;
        seen.store(found, Ordering::Relaxed);
        ControlFlow::Continue(())
    })
}
