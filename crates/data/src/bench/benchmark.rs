//! A benchmark: several engines and programs on one set of puzzles.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gridmill_core::grid::Shape;
use gridmill_core::solver::{NEVER, SolutionLimit};

use super::program::ProgramRuns;
use super::runner::{Runner, runner};
use super::workload::Workload;
use super::{BenchError, Contender, Measurement, ProgramError, PuzzleSet};

/// The most puzzles that a thread takes at once: as many as a chunk of the pipeline has.
const BATCH: usize = 3200;

/// Rounds of which the times of all puzzles are kept.
const TIMED_ROUNDS: usize = 9;

/// Engines and programs that take turns on a set of puzzles.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_data::bench::{Benchmark, Contender, PuzzleSet};
/// use gridmill_core::solver::SolutionLimit;
///
/// let set = PuzzleSet::from(vec![Grid::empty(Shape::new(2, 3).unwrap())]);
/// let contenders = [Contender::by_name("bitmask")?, Contender::by_name("dancing-links")?];
/// let mut benchmark = Benchmark::new(&set, &contenders, 1, SolutionLimit::UNIQUENESS)?;
/// benchmark.check()?;
/// benchmark.round(&mut |_| {})?;
/// assert!(benchmark.measurements().all(|measurement| measurement.rate() > 0.0));
/// # Ok::<(), gridmill_data::bench::BenchError>(())
/// ```
pub struct Benchmark<'a> {
    set: &'a PuzzleSet,
    /// One pass over the set.
    once: Workload,
    contenders: Vec<Entry<'a>>,
    stop: &'a AtomicBool,
}

/// A contender, and what it reached.
struct Entry<'a> {
    runs: Runs<'a>,
    measurement: Measurement,
}

enum Runs<'a> {
    Engine(EngineRuns<'a>),
    Program(ProgramRuns<'a>),
}

/// An engine, once for each thread.
struct EngineRuns<'a> {
    all: Vec<Box<dyn Runner + 'a>>,
    /// A round: one pass over the set, or several over a small one.
    workload: Workload,
}

impl<'a> Benchmark<'a> {
    /// Returns a benchmark of engines and programs over a set of puzzles, each engine on so many threads. A program has
    /// threads of its own, and knows no limit.
    ///
    /// # Errors
    ///
    /// [`BenchError::OtherShape`] where a contender does not serve a shape of the set.
    pub fn new(
        set: &'a PuzzleSet,
        contenders: &[Contender],
        threads: usize,
        limit: SolutionLimit,
    ) -> Result<Benchmark<'a>, BenchError> {
        let threads = threads.max(1);
        let batch = set.len().div_ceil(threads).clamp(1, BATCH);
        let once = Workload::once(set.len(), batch);
        let engine = |contender: &Contender| {
            let all = (0..threads).map(|_| runner(contender, set, batch, limit)).collect::<Option<_>>()?;
            Some(Runs::Engine(EngineRuns { all, workload: once }))
        };
        let start = |contender: &Contender| {
            let other = |shape| BenchError::OtherShape { engine: contender.clone(), shape };
            let unserved = set.shapes().into_iter().find(|&shape| !contender.serves(shape));
            if let Some(shape) = unserved {
                return Err(other(shape));
            }
            let runs = match (contender.program(), set) {
                (Some(program), PuzzleSet::Classic(puzzles)) => {
                    Some(Runs::Program(ProgramRuns::new(Arc::clone(program), puzzles)))
                }
                _ => engine(contender),
            };
            let runs = runs.ok_or_else(|| other(Shape::CLASSIC))?;
            let with_several = (limit != SolutionLimit::FIRST).then_some(0);
            let measurement = Measurement { with_several, ..Measurement::new(contender.clone(), set.len()) };
            Ok(Entry { runs, measurement })
        };
        let contenders = contenders.iter().map(start).collect::<Result<_, _>>()?;
        Ok(Benchmark { set, once, contenders, stop: &NEVER })
    }

    /// Lets a flag stop the benchmark: when it becomes true, what is being done ends soon and is not counted, be it a
    /// check or a round. A program is killed.
    #[must_use]
    pub fn with_stop(self, stop: &'a AtomicBool) -> Benchmark<'a> {
        Benchmark { stop, ..self }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Solves all puzzles once with every contender: solutions must obey the rules, and all engines must find as
    /// many. This also warms up, and shows how many passes a round needs to last 20 ms, which is long enough
    /// for the clock. A round of a program takes ten times as long as its start-up at least, but not more than 64 MB
    /// of puzzles for that.
    ///
    /// # Errors
    ///
    /// [`BenchError::Disagreement`] at the first wrong answer of an engine, [`BenchError::Program`] for a program that
    /// can't be run or gives a wrong answer.
    pub fn check(&mut self) -> Result<(), BenchError> {
        let Benchmark { set, once, contenders, stop } = self;
        let mut expected: Vec<u64> = Vec::with_capacity(set.len());
        for Entry { runs, measurement } in contenders {
            match runs {
                Runs::Engine(engine) => engine.check(set, *once, measurement, &mut expected, stop)?,
                Runs::Program(program) => {
                    program.check(measurement, stop).map_err(|error| of_program(measurement, error))?;
                }
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    /// Runs a round: every contender solves all puzzles against the clock. `next` gets each contender before its
    /// run.
    ///
    /// # Errors
    ///
    /// [`BenchError::Program`] for a program that fails or gives a wrong answer; the round does not count then.
    pub fn round(&mut self, next: &mut dyn FnMut(&Contender)) -> Result<(), BenchError> {
        let mut round = Vec::with_capacity(self.contenders.len());
        for Entry { runs, measurement } in &mut self.contenders {
            next(&measurement.contender);
            let seconds = match runs {
                Runs::Engine(EngineRuns { all, workload }) => Some(workload.run(all, self.stop, &|_, _| {})),
                Runs::Program(program) => {
                    program.round(measurement, self.stop).map_err(|error| of_program(measurement, error))?
                }
            };
            round.extend(seconds);
        }
        if !self.is_stopped() && round.len() == self.contenders.len() {
            for (entry, seconds) in self.contenders.iter_mut().zip(round) {
                entry.measurement.seconds.push(seconds);
            }
        }
        Ok(())
    }

    /// Times the single puzzles in a round of its own, in the last of its passes. It takes longer, and does
    /// not count as a round. After nine such rounds nothing more is done. Programs have no times of single puzzles.
    pub fn time_puzzles(&mut self, next: &mut dyn FnMut(&Contender)) {
        for Entry { runs, measurement } in &mut self.contenders {
            let Runs::Engine(EngineRuns { all, workload }) = runs else { continue };
            if measurement.nanos.len() == TIMED_ROUNDS {
                continue;
            }
            next(&measurement.contender);
            let nanos: Vec<AtomicU64> = (0..self.set.len()).map(|_| AtomicU64::new(0)).collect();
            workload.run(all, self.stop, &|part, runner| {
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

    /// Returns the measurements of the contenders, in the order in which they were named.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.contenders.iter().map(|entry| &entry.measurement)
    }
}

impl EngineRuns<'_> {
    /// Solves all puzzles once, and holds the answers to the rules and to the numbers of solutions that were found before.
    fn check(
        &mut self,
        set: &PuzzleSet,
        once: Workload,
        measurement: &mut Measurement,
        expected: &mut Vec<u64>,
        stop: &AtomicBool,
    ) -> Result<(), BenchError> {
        let EngineRuns { all: runners, workload } = self;
        let mut taken = Duration::ZERO;
        let (mut guesses, mut unguessed) = (0, 0);
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
                        engine: measurement.contender.clone(),
                        puzzle: Box::new(set.grid(puzzle)),
                    });
                }
                measurement.without_solution += usize::from(outcome.solutions == 0);
                if let Some(several) = &mut measurement.with_several {
                    *several += usize::from(outcome.solutions > 1);
                }
                guesses += outcome.guesses;
                unguessed += usize::from(outcome.guesses == 0);
            }
        }
        (measurement.guesses, measurement.unguessed) = (Some(guesses), Some(unguessed));
        *workload = once.repeated(taken / runners.len() as u32);
        measurement.memory = runners[0].memory();
        Ok(())
    }
}

fn of_program(measurement: &Measurement, error: ProgramError) -> BenchError {
    BenchError::Program { program: measurement.contender.to_string(), error }
}
