//! The analysis of a grid: its solutions, its true candidates, how hard it is, the next step.
//!
//! The verdict comes first, in the thread of the request. Where there are several solutions, one thread goes on counting
//! them, another works out what else is wanted, and that of the request tells how far the count is.

mod count;
mod details;
mod step;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Grid;
use gridmill_core::jobs::{Rate, Solve, Status, Value};
use gridmill_core::logic::{Profile, Ties};
use gridmill_core::solver::{Engine, SolverKind};
use serde::{Deserialize, Serialize};

use super::grid::CheckedGrid;
use super::named::Named;
use super::{PageGrid, ask};
use crate::reply::{Refusal, Reply};

/// The request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analyse {
    grid: PageGrid,
    /// Solutions up to which are counted; 0 for all.
    cap: u64,
    /// Solutions of each candidate up to which are counted.
    candidate_cap: u64,
    wants: Vec<Want>,
    scale: Option<Named<Profile>>,
    ties: Option<Named<Ties>>,
}

/// A wish besides the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Candidates,
    Redundant,
    Rating,
    Step,
}

/// The grid and its verdict: all that is known when further wishes are answered.
#[derive(Clone, Copy)]
struct Known<'a> {
    grid: &'a CheckedGrid,
    verdict: &'a Verdict,
}

/// Whether a grid has no solution, one, or several.
#[derive(Debug)]
struct Verdict {
    status: Status,
    /// The solution, if there is exactly one.
    solution: Option<Grid>,
    /// The time of the search.
    nanos: u64,
}

impl Verdict {
    /// Searches a grid for up to two solutions. `None` if `stop` became true.
    fn of(grid: &Grid, stop: &AtomicBool) -> Result<Option<Verdict>, Refusal> {
        let job = Solve { engine: Engine::Other(SolverKind::Bitmask), ..Solve::default() };
        let Some(answers) = ask(&job, grid, stop)? else { return Ok(None) };
        let status = Status::ALL[usize::from(answers.statuses()[0])];
        let solution = match answers.value(0, 0) {
            Value::Cells(cells) if status == Status::Unique => Grid::new(grid.shape(), cells.to_vec()),
            _ => None,
        };
        let nanos = answers.numbers(3).map_or(0, |times| times[0]);
        Ok(Some(Verdict { status, solution, nanos }))
    }

    fn is_unique(&self) -> bool {
        self.status == Status::Unique
    }

    /// Returns how many solutions were found.
    fn found(&self) -> u64 {
        match self.status {
            Status::Unique => 1,
            Status::Multiple => 2,
            _ => 0,
        }
    }

    /// Returns its name: that of the status. Digits that repeat are no other verdict than no solution.
    fn name(&self) -> &'static str {
        if self.found() == 0 { Status::None.name() } else { self.status.name() }
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename = "solution")]
struct SolutionTold<'a> {
    digits: &'a [u8],
}

impl Analyse {
    /// Tells one after the other.
    pub(crate) fn answer(self, reply: &Reply) -> Result<(), Refusal> {
        if self.candidate_cap == 0 {
            return Err(Refusal::bad("candidate_cap counts from 1"));
        }
        let (scale, ties) = (self.scale.unwrap_or_default().0, self.ties.unwrap_or_default().0);
        let rate = Rate { scale, ties, ..Rate::default() };
        let grid = self.grid.check()?;
        // Without a verdict nobody is there any more to hear it.
        let Some(verdict) = Verdict::of(&grid.digits, reply.stop())? else { return Ok(()) };
        let known = Known { grid: &grid, verdict: &verdict };
        let wants = if verdict.status == Status::Conflict { &[][..] } else { &self.wants };
        count::tell(known, self.cap, reply, || known.tell(wants, self.candidate_cap, rate, reply))
    }
}

impl Known<'_> {
    /// Tells the solution of a unique grid, and what else is wanted.
    fn tell(self, wants: &[Want], cap: u64, rate: Rate, reply: &Reply) -> Result<(), Refusal> {
        if let Some(solution) = &self.verdict.solution {
            reply.send(&SolutionTold { digits: solution.cells() });
        }
        // The rating of a very hard puzzle takes seconds.
        for want in [Want::Candidates, Want::Redundant, Want::Step, Want::Rating] {
            if !wants.contains(&want) || reply.is_over() {
                continue;
            }
            match want {
                Want::Candidates => details::candidates(self, cap, reply)?,
                Want::Redundant => details::redundant(self, reply),
                Want::Rating => details::rating(self, rate, reply)?,
                Want::Step => step::tell(self, rate, reply)?,
            }
        }
        Ok(())
    }

    /// Returns whether the clues alone have exactly one solution; `None` if the reader is gone.
    fn is_proper(self, reply: &Reply) -> Result<Option<bool>, Refusal> {
        if self.grid.clues == self.grid.digits {
            return Ok(Some(self.verdict.is_unique()));
        }
        let verdict = Verdict::of(&self.grid.clues, reply.stop())?;
        Ok(verdict.map(|verdict| verdict.is_unique()))
    }
}
