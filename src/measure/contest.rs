//! Engines against each other on one set of puzzles.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::grid::Puzzle;
use crate::solver::{Outcome, SolutionLimit, Solver};

/// Puzzles that a thread takes at once: as many as a chunk of the pipeline has.
const BATCH: usize = 3200;

/// An engine that takes part.
pub struct Entrant<'a> {
    /// What it is called in the table.
    pub name: String,
    /// Makes one, for each thread.
    pub build: Box<dyn Fn() -> Box<dyn Solver> + Sync + 'a>,
}

/// A set of puzzles for engines to be measured on.
pub struct Contest<'a> {
    puzzles: &'a [Puzzle],
    threads: usize,
    limit: SolutionLimit,
}

/// How an engine did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Seconds of each round, in order.
    pub seconds: Vec<f64>,
    /// Puzzles in the set.
    pub puzzles: usize,
    /// Guesses over all puzzles.
    pub guesses: u64,
    /// Puzzles that needed no guess.
    pub unguessed: usize,
}

/// Two engines, or an engine and the rules, that don't agree about a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{engine}' gives a wrong answer to {puzzle}; nothing was timed")]
pub struct Disagreement {
    /// The engine.
    pub engine: String,
    /// The puzzle.
    pub puzzle: Puzzle,
}

impl Standing {
    /// Puzzles a second in the median round.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.puzzles as f64 / self.median()
    }

    /// Seconds of the median round.
    #[must_use]
    pub fn median(&self) -> f64 {
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// From the quickest round to the slowest, as a share of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let least = self.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.seconds.iter().copied().fold(0.0, f64::max);
        (most - least) / self.median()
    }
}

impl<'a> Contest<'a> {
    /// A contest over puzzles, each engine on so many threads.
    #[must_use]
    pub fn new(puzzles: &'a [Puzzle], threads: usize, limit: SolutionLimit) -> Contest<'a> {
        Contest { puzzles, threads: threads.max(1), limit }
    }

    /// Solves all puzzles once with every engine: solutions must hold, and all engines must find as many.
    /// This warms up, too.
    ///
    /// # Errors
    ///
    /// The first answer that is wrong.
    pub fn check(&self, entrants: &[Entrant<'_>]) -> Result<Vec<Standing>, Disagreement> {
        let mut standings = Vec::new();
        let mut expected: Option<Vec<u32>> = None;
        for entrant in entrants {
            let mut outcomes = vec![Outcome::NONE; self.puzzles.len()];
            (entrant.build)().solve_batch(self.puzzles, self.limit, &mut outcomes);
            let counts: Vec<u32> = outcomes.iter().map(|outcome| outcome.solutions).collect();
            let expected = expected.get_or_insert_with(|| counts.clone());
            for ((puzzle, outcome), expected) in self.puzzles.iter().zip(&outcomes).zip(expected) {
                let holds = outcome.solution.map_or(outcome.solutions == 0, |found| found.solves(puzzle));
                if !holds || outcome.solutions != *expected {
                    return Err(Disagreement { engine: entrant.name.clone(), puzzle: *puzzle });
                }
            }
            standings.push(Standing {
                seconds: Vec::new(),
                puzzles: outcomes.len(),
                guesses: outcomes.iter().map(|outcome| u64::from(outcome.guesses)).sum(),
                unguessed: outcomes.iter().filter(|outcome| outcome.guesses == 0).count(),
            });
        }
        Ok(standings)
    }

    /// Seconds that an engine takes for all puzzles, made and warmed up before the clock runs.
    #[must_use]
    pub fn time(&self, entrant: &Entrant<'_>) -> f64 {
        let next = AtomicUsize::new(0);
        let solvers: Vec<Box<dyn Solver>> = (0..self.threads).map(|_| (entrant.build)()).collect();
        let ready = Barrier::new(self.threads + 1);
        let begun = std::thread::scope(|scope| {
            for mut solver in solvers {
                let (next, ready) = (&next, &ready);
                scope.spawn(move || {
                    let mut outcomes = vec![Outcome::NONE; BATCH];
                    ready.wait();
                    while let Some(rest) = self.puzzles.get(next.fetch_add(BATCH, Ordering::Relaxed)..) {
                        let batch = &rest[..rest.len().min(BATCH)];
                        solver.solve_batch(batch, self.limit, &mut outcomes[..batch.len()]);
                        std::hint::black_box(&outcomes);
                    }
                });
            }
            ready.wait();
            Instant::now()
        });
        begun.elapsed().as_secs_f64()
    }
}
