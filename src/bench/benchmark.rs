//! Engines against each other on one set of puzzles.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::runner::{Runner, runner};
use super::workload::Workload;
use super::{BenchError, Contender, Measurement, PuzzleSet};
use crate::solver::SolutionLimit;

/// Puzzles that a thread takes at once, at most: as many as a chunk of the pipeline has.
const BATCH: usize = 3200;

/// Rounds of which the times of all puzzles are kept.
const TIMED_ROUNDS: usize = 9;

/// Engines that take turns on a set of puzzles.
///
/// ```
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::bench::{Benchmark, Contender, PuzzleSet};
/// use gridmill::solver::SolutionLimit;
///
/// let set = PuzzleSet::from(vec![Grid::empty(Shape::new(2, 3).unwrap())]);
/// let contenders = [Contender::by_name("bitmask")?, Contender::by_name("dancing-links")?];
/// let mut benchmark = Benchmark::new(&set, &contenders, 1, SolutionLimit::UNIQUENESS)?;
/// benchmark.check()?;
/// benchmark.round(&mut |_| {});
/// assert!(benchmark.measurements().all(|measurement| measurement.rate() > 0.0));
/// # Ok::<(), gridmill::bench::BenchError>(())
/// ```
pub struct Benchmark<'a> {
    set: &'a PuzzleSet,
    /// One pass over the set.
    once: Workload,
    teams: Vec<Runners<'a>>,
}

/// An engine, once for each thread.
struct Runners<'a> {
    runners: Vec<Box<dyn Runner + 'a>>,
    /// A round: more than one pass over a small set.
    workload: Workload,
    measurement: Measurement,
}

impl<'a> Benchmark<'a> {
    /// A benchmark over puzzles, each engine on so many threads.
    ///
    /// # Errors
    ///
    /// [`BenchError::OtherShape`] where an engine does not serve a shape of the set.
    pub fn new(
        set: &'a PuzzleSet,
        contenders: &[Contender],
        threads: usize,
        limit: SolutionLimit,
    ) -> Result<Benchmark<'a>, BenchError> {
        let threads = threads.max(1);
        let batch = set.len().div_ceil(threads).clamp(1, BATCH);
        let once = Workload::once(set.len(), batch);
        let team = |&contender: &Contender| {
            let unserved = set.shapes().into_iter().find(|&shape| !contender.serves(shape));
            if let Some(shape) = unserved {
                return Err(BenchError::OtherShape { engine: contender, shape });
            }
            let runners = (0..threads).map(|_| runner(contender, set, batch, limit)).collect();
            Ok(Runners { runners, workload: once, measurement: Measurement::new(contender, set.len()) })
        };
        let teams = contenders.iter().map(team).collect::<Result<_, _>>()?;
        Ok(Benchmark { set, once, teams })
    }

    /// Solves all puzzles once with every engine: solutions must hold, and all engines must find as many.
    /// This warms up, too, and shows how many passes a round needs to be long enough for the clock: 20 ms.
    ///
    /// # Errors
    ///
    /// [`BenchError::Disagreement`] at the first answer that is wrong.
    pub fn check(&mut self) -> Result<(), BenchError> {
        let Benchmark { set, once, teams } = self;
        let mut expected: Vec<u64> = Vec::with_capacity(set.len());
        for Runners { runners, workload, measurement } in teams {
            let mut taken = Duration::ZERO;
            for part in once.parts() {
                let begun = Instant::now();
                runners[0].solve(part.clone());
                taken += begun.elapsed();
                for (index, puzzle) in part.enumerate() {
                    let answer = runners[0].answer(index);
                    if puzzle == expected.len() {
                        expected.push(answer.solutions);
                    }
                    if !runners[0].holds(index) || answer.solutions != expected[puzzle] {
                        return Err(BenchError::Disagreement {
                            engine: measurement.contender,
                            puzzle: Box::new(set.grid(puzzle)),
                        });
                    }
                    measurement.guesses += answer.guesses;
                    measurement.unguessed += usize::from(answer.guesses == 0);
                }
            }
            *workload = once.repeated(taken / runners.len() as u32);
            measurement.memory = runners[0].memory();
        }
        Ok(())
    }

    /// A round: every engine solves all puzzles against the clock. `next` is told whose turn it is.
    pub fn round(&mut self, next: &mut dyn FnMut(Contender)) {
        for team in &mut self.teams {
            next(team.measurement.contender);
            let seconds = team.workload.run(&mut team.runners, &|_, _| {});
            team.measurement.seconds.push(seconds);
        }
    }

    /// A round for the times of the single puzzles, in the last pass if there are several. It does not count
    /// as a round, since it takes longer. After nine of them nothing more is done.
    pub fn time_puzzles(&mut self, next: &mut dyn FnMut(Contender)) {
        for Runners { runners, workload, measurement } in &mut self.teams {
            if measurement.nanos.len() == TIMED_ROUNDS {
                continue;
            }
            next(measurement.contender);
            let nanos: Vec<AtomicU64> = (0..self.set.len()).map(|_| AtomicU64::new(0)).collect();
            workload.run(runners, &|part, runner| {
                for (index, nanos) in nanos[part].iter().enumerate() {
                    nanos.store(runner.answer(index).nanos, Ordering::Relaxed);
                }
            });
            measurement.nanos.push(nanos.into_iter().map(AtomicU64::into_inner).collect());
        }
    }

    /// How the engines did, in the order in which they were named.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.teams.iter().map(|team| &team.measurement)
    }
}
