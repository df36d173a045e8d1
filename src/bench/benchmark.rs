//! A benchmark: several engines on one set of puzzles.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::runner::{Runner, runner};
use super::workload::Workload;
use super::{BenchError, Contender, Measurement, PuzzleSet};
use crate::grid::Shape;
use crate::solver::SolutionLimit;

/// The most puzzles that a thread takes at once: as many as a chunk of the pipeline has.
const BATCH: usize = 3200;

/// Rounds of which the times of all puzzles are kept.
const TIMED_ROUNDS: usize = 9;

/// The stop flag of a benchmark that goes on to its end.
static NEVER: AtomicBool = AtomicBool::new(false);

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
    contenders: Vec<Runners<'a>>,
    stop: &'a AtomicBool,
}

/// An engine, once for each thread.
struct Runners<'a> {
    all: Vec<Box<dyn Runner + 'a>>,
    /// A round: one pass over the set, or several over a small one.
    workload: Workload,
    measurement: Measurement,
}

impl<'a> Benchmark<'a> {
    /// Returns a benchmark of engines over a set of puzzles, each engine on so many threads.
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
        let start = |&contender: &Contender| {
            let other = |shape| BenchError::OtherShape { engine: contender, shape };
            let unserved = set.shapes().into_iter().find(|&shape| !contender.serves(shape));
            if let Some(shape) = unserved {
                return Err(other(shape));
            }
            let all = (0..threads).map(|_| runner(contender, set, batch, limit)).collect::<Option<_>>();
            let all = all.ok_or_else(|| other(Shape::CLASSIC))?;
            let with_several = (limit != SolutionLimit::FIRST).then_some(0);
            let measurement = Measurement { with_several, ..Measurement::new(contender, set.len()) };
            Ok(Runners { all, workload: once, measurement })
        };
        let contenders = contenders.iter().map(start).collect::<Result<_, _>>()?;
        Ok(Benchmark { set, once, contenders, stop: &NEVER })
    }

    /// Lets a flag stop the benchmark: when it becomes true, what is being done ends soon and is not counted, be it a
    /// check or a round.
    #[must_use]
    pub fn with_stop(self, stop: &'a AtomicBool) -> Benchmark<'a> {
        Benchmark { stop, ..self }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Solves all puzzles once with every engine: solutions must obey the rules, and all engines must find as
    /// many. This also warms up, and shows how many passes a round needs to last 20 ms, which is long enough
    /// for the clock.
    ///
    /// # Errors
    ///
    /// [`BenchError::Disagreement`] at the first wrong answer.
    pub fn check(&mut self) -> Result<(), BenchError> {
        let Benchmark { set, once, contenders, stop } = self;
        let mut expected: Vec<u64> = Vec::with_capacity(set.len());
        for Runners { all: runners, workload, measurement } in contenders {
            let mut taken = Duration::ZERO;
            for part in once.parts() {
                let begun = Instant::now();
                runners[0].solve(part.clone(), stop);
                taken += begun.elapsed();
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                for (index, puzzle) in part.enumerate() {
                    let outcome = runners[0].outcome(index);
                    if puzzle == expected.len() {
                        expected.push(outcome.solutions);
                    }
                    if !runners[0].holds(index) || outcome.solutions != expected[puzzle] {
                        return Err(BenchError::Disagreement {
                            engine: measurement.contender,
                            puzzle: Box::new(set.grid(puzzle)),
                        });
                    }
                    measurement.without_solution += usize::from(outcome.solutions == 0);
                    if let Some(several) = &mut measurement.with_several {
                        *several += usize::from(outcome.solutions > 1);
                    }
                    measurement.guesses += outcome.guesses;
                    measurement.unguessed += usize::from(outcome.guesses == 0);
                }
            }
            *workload = once.repeated(taken / runners.len() as u32);
            measurement.memory = runners[0].memory();
        }
        Ok(())
    }

    /// Runs a round: every engine solves all puzzles against the clock. `next` gets each engine before its
    /// run.
    pub fn round(&mut self, next: &mut dyn FnMut(Contender)) {
        let mut round = Vec::with_capacity(self.contenders.len());
        for runners in &mut self.contenders {
            next(runners.measurement.contender);
            round.push(runners.workload.run(&mut runners.all, self.stop, &|_, _| {}));
        }
        if !self.is_stopped() {
            for (runners, seconds) in self.contenders.iter_mut().zip(round) {
                runners.measurement.seconds.push(seconds);
            }
        }
    }

    /// Times the single puzzles in a round of its own, in the last of its passes. It takes longer, and does
    /// not count as a round. After nine such rounds nothing more is done.
    pub fn time_puzzles(&mut self, next: &mut dyn FnMut(Contender)) {
        for Runners { all: runners, workload, measurement } in &mut self.contenders {
            if measurement.nanos.len() == TIMED_ROUNDS {
                continue;
            }
            next(measurement.contender);
            let nanos: Vec<AtomicU64> = (0..self.set.len()).map(|_| AtomicU64::new(0)).collect();
            workload.run(runners, self.stop, &|part, runner| {
                for (index, nanos) in nanos[part].iter().enumerate() {
                    nanos.store(runner.outcome(index).nanos, Ordering::Relaxed);
                }
            });
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            measurement.nanos.push(nanos.into_iter().map(AtomicU64::into_inner).collect());
        }
    }

    /// Returns the measurements of the engines, in the order in which they were named.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.contenders.iter().map(|runners| &runners.measurement)
    }
}
