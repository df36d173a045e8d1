//! The analysis of a grid: its solutions, its true candidates, how hard it is, the next step.
//!
//! The verdict comes first, in the thread of the request. If there are several solutions, one thread continues to count
//! them, another works out what else is wanted, and that of the request reports how far the count is.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use gridmill_core::generate::Minimizer;
use gridmill_core::grid::{Cell, Grid, Puzzle, Solution};
use gridmill_core::jobs::{Candidates, Rate, Solve, Status, Value};
use gridmill_core::logic::{
    CandidateSet, Explainer, ExplanationEnd, Profile, Rater, Rating, RatingEnd, State, Technique, Ties, Until,
};
use gridmill_core::solver::{Bounds, Engine, SearchEnd, Searched, SolverKind};
use serde::Deserialize;

use super::grid::CheckedGrid;
use super::{Event, Named, PageGrid, PageStep, ask, with_ticks};
use crate::reply::{Refusal, Reply};

/// How often the count is reported.
const PERIOD: Duration = Duration::from_millis(50);

/// The note of a grid from which a candidate was taken that its solution needs.
const WRONG: &str = "a candidate was taken out that the solution needs";

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

/// A grid with its verdict, from which further wishes are answered.
struct Analysis<'a> {
    grid: CheckedGrid,
    verdict: Verdict,
    rate: Rate,
    reply: &'a Reply,
}

/// Whether a grid has no solution, one, or several.
struct Verdict {
    status: Status,
    /// The solution, if there is exactly one.
    solution: Option<Grid>,
    /// The time of the search.
    nanos: u64,
}

impl Verdict {
    /// Searches a grid for up to two solutions. `None` if `stop` became true.
    fn search(grid: &Grid, stop: &AtomicBool) -> Result<Option<Verdict>, Refusal> {
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

    /// Returns how many solutions were found, and the name of that. Digits that repeat are no other verdict than no
    /// solution.
    fn found(&self) -> (u64, &'static str) {
        match self.status {
            Status::Unique => (1, "unique"),
            Status::Multiple => (2, "multiple"),
            _ => (0, "none"),
        }
    }
}

impl Analyse {
    /// Sends the events.
    pub(crate) fn answer(self, reply: &Reply) -> Result<(), Refusal> {
        if self.candidate_cap == 0 {
            return Err(Refusal::bad("candidate_cap counts from 1"));
        }
        let (scale, ties) = (self.scale.unwrap_or_default().0, self.ties.unwrap_or_default().0);
        let rate = Rate { scale, ties, ..Rate::default() };
        let grid = self.grid.check()?;
        // Without a verdict the reader is gone.
        let Some(verdict) = Verdict::search(&grid.digits, reply.stop())? else { return Ok(()) };
        let wants = if verdict.status == Status::Conflict { &[][..] } else { &self.wants };
        let analysis = Analysis { grid, verdict, rate, reply };
        analysis.count(self.cap, || analysis.details(wants, self.candidate_cap))
    }
}

impl Analysis<'_> {
    /// Sends the count until it is final, and meanwhile, in a thread of its own, what else is wanted.
    fn count(&self, cap: u64, details: impl FnOnce() -> Result<(), Refusal> + Send) -> Result<(), Refusal> {
        let (found, verdict) = self.verdict.found();
        let is_capped = found > 1 && (1..=found).contains(&cap);
        let is_final = is_capped || found < 2;
        let known = if is_capped { cap } else { found };
        let send = |solutions: u64, is_final, is_capped, engine_ns| {
            // A later count begins again, and the solutions that were found before are there all the same.
            let solutions = solutions.max(known);
            self.reply.send(&Event::Count { verdict, solutions, is_final, is_capped, engine_ns });
        };
        send(known, is_final, is_capped, Some(self.verdict.nanos));
        if is_final {
            return details();
        }
        thread::scope(|scope| {
            let details = thread::Builder::new().spawn_scoped(scope, details).map_err(Refusal::no_thread)?;
            let seen = AtomicU64::new(0);
            let searched = with_ticks(
                PERIOD,
                || search(&self.grid.digits, cap, &seen, self.reply.stop()),
                || send(seen.load(Ordering::Relaxed), false, false, None),
            )
            .map_err(Refusal::no_thread)?;
            if searched.end != SearchEnd::Stopped {
                send(searched.solutions, true, searched.end == SearchEnd::Limit, None);
            }
            details.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Sends the solution of a unique grid, and what else is wanted.
    fn details(&self, wants: &[Want], cap: u64) -> Result<(), Refusal> {
        if let Some(solution) = &self.verdict.solution {
            self.reply.send(&Event::Solution { digits: solution.cells() });
        }
        // The rating of a very hard puzzle takes seconds.
        for want in [Want::Candidates, Want::Redundant, Want::Step, Want::Rating] {
            if !wants.contains(&want) || self.reply.is_over() {
                continue;
            }
            match want {
                Want::Candidates => self.candidates(cap)?,
                Want::Redundant => self.redundant(),
                Want::Rating => self.rating()?,
                Want::Step => self.step()?,
            }
        }
        Ok(())
    }

    /// Returns whether the clues alone have exactly one solution; `None` if the reader is gone.
    fn is_proper(&self) -> Result<Option<bool>, Refusal> {
        if self.grid.clues == self.grid.digits {
            return Ok(Some(self.verdict.is_unique()));
        }
        let verdict = Verdict::search(&self.grid.clues, self.reply.stop())?;
        Ok(verdict.map(|verdict| verdict.is_unique()))
    }

    /// Sends the true candidates with the number of solutions of each. For a grid without a solution, or with one, the verdict
    /// says them.
    fn candidates(&self, cap: u64) -> Result<(), Refusal> {
        let digits = &self.grid.digits;
        let side = digits.shape().side();
        let mut solutions = vec![0; digits.cells().len() * side];
        if let Some(solution) = &self.verdict.solution {
            for (of_cell, &digit) in solutions.chunks_mut(side).zip(solution.cells()) {
                of_cell[usize::from(digit) - 1] = 1;
            }
        } else if self.verdict.found().0 > 0 {
            let Some(answers) = ask(&Candidates { cap }, digits, self.reply.stop())? else { return Ok(()) };
            if let Value::Candidates(counts) = answers.value(0, 0) {
                solutions.copy_from_slice(counts);
            }
        }
        self.reply.send(&Event::Candidates { cap, solutions: solutions.chunks(side).collect() });
        Ok(())
    }

    /// Sends the redundant clues, if the clues alone have exactly one solution.
    fn redundant(&self) {
        let grid = &self.grid;
        if grid.clues == grid.digits && !self.verdict.is_unique() {
            return;
        }
        let found = Minimizer::default().redundant_until(slice::from_ref(&grid.clues), self.reply.stop());
        for found in found.into_iter().filter(|found| found.solutions == 1) {
            let cells = found.result.into_iter().map(Cell::index).collect();
            self.reply.send(&Event::Redundant { cells, is_doubtful: found.is_given_up });
        }
    }

    /// Sends the rating of 9x9 clues that alone have exactly one solution.
    fn rating(&self) -> Result<(), Refusal> {
        let Some(puzzle) = self.grid.clues.to_classic() else { return Ok(()) };
        if self.is_proper()? != Some(true) {
            return Ok(());
        }
        let mut rater = Rater::new(self.rate.scale, Rating::BEYOND).with_ties(self.rate.ties);
        let rating = rater.rate_until(&puzzle, self.reply.stop());
        if self.reply.is_over() {
            return Ok(());
        }
        if rating.end == RatingEnd::Contradiction {
            return Err(Refusal::defect(format!(
                "the techniques of {} find no solution",
                self.rate.version()
            )));
        }
        let (is_solved, has_rounds) = (rating.end == RatingEnd::Solved, rating.steps > 0);
        self.reply.send(&Event::Rating {
            er: (is_solved && has_rounds).then_some(rating.er.number()),
            ep: rating.ep.map(Rating::number),
            ed: rating.ed.map(Rating::number),
            at_least: (!is_solved).then_some(rating.er.max(Rating::LEAST).number()),
            hardest: rating.hardest.filter(|_| is_solved).map(Technique::slug),
            scale: self.rate.version(),
        });
        Ok(())
    }

    /// Sends the next step of a 9x9 grid with exactly one solution.
    fn step(&self) -> Result<(), Refusal> {
        let solution = self.verdict.solution.as_ref().map(Grid::cells);
        let solution = solution.and_then(|cells| Solution::from_cells(cells.try_into().ok()?));
        let (Some(solution), Some(digits)) = (solution, self.grid.digits.to_classic()) else { return Ok(()) };
        let Some(is_proper) = self.is_proper()? else { return Ok(()) };
        // Ties go by the clues, as long as these say what the solution is.
        let clues = self.grid.clues.to_classic().filter(|_| is_proper).unwrap_or(digits);
        let state = state(&clues, &digits, &self.grid.removed);
        if loses_solution(&state, &solution) {
            self.reply.send(&Event::Step { steps: Vec::new(), note: Some(WRONG) });
            return Ok(());
        }
        let mut explainer = Explainer::new(self.rate.scale, Some(Until::Round(1))).with_ties(self.rate.ties);
        let Some(found) = explainer.explain(state, &solution, self.reply.stop()) else { return Ok(()) };
        if found.end == ExplanationEnd::Refuted {
            return Err(Refusal::defect(format!(
                "a technique of {} contradicts the solution",
                self.rate.version()
            )));
        }
        let steps = found.rounds.first().map_or(&[][..], |round| &round.steps);
        self.reply.send(&Event::Step { steps: steps.iter().map(PageStep::new).collect(), note: None });
        Ok(())
    }
}

/// Counts the solutions of a grid, and stores meanwhile how many were seen.
fn search(grid: &Grid, cap: u64, seen: &AtomicU64, stop: &AtomicBool) -> Searched {
    let mut found = 0;
    let mut engine = SolverKind::Bitmask.build_any_shape::<Grid>();
    engine.search_until(grid, &Bounds::solutions(cap), stop, &mut |_| {
        found += 1;
        seen.store(found, Ordering::Relaxed);
        ControlFlow::Continue(())
    })
}

/// Returns the state of a puzzle after some steps: with digits besides its clues, and without some candidates.
fn state(clues: &Puzzle, digits: &Puzzle, removed: &[(usize, usize)]) -> State {
    let mut state = State::of_puzzle(clues);
    let mut entries = CandidateSet::EMPTY;
    for cell in state.empty().into_iter().filter(|&cell| digits.cells()[cell] != 0) {
        entries.insert(cell, usize::from(digits.cells()[cell]) - 1);
    }
    state.place_all(&entries);
    removed.iter().for_each(|&(cell, digit)| state.remove(cell, digit));
    state
}

/// Returns whether the digit of an empty cell is no candidate of it any more.
fn loses_solution(state: &State, solution: &Solution) -> bool {
    let digit = |cell: usize| usize::from(solution.cells()[cell]) - 1;
    state.empty().into_iter().any(|cell| !state.has(cell, digit(cell)))
}
