//! A benchmark: several engines and programs solve one set of puzzles, in turns and against the clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::solver::{CluePuzzle, NEVER, Outcome, Request, SolutionLimit, Solver};
use hdrhistogram::Histogram;

use super::program::CheckedProgram;
use super::usage::ProgramUsage;
use super::{BenchError, Contender, Program, PuzzleSet};

/// How many puzzles a thread takes at once: as many as a chunk of the pipeline has, so that engines work as
/// they do in real runs.
pub(super) const BATCH: usize = 3200;

/// In how many rounds the time of each puzzle is kept.
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
    /// The contenders with their measurements.
    contenders: Vec<(PreparedContender<'a>, Measurement)>,
    /// How many of the hardest puzzles are kept for each engine.
    hardest: usize,
    stop: &'a AtomicBool,
}

/// How a contender runs.
enum PreparedContender<'a> {
    /// An engine: one runner for each thread. A round is one pass over the set, or several passes if the
    /// set is small.
    Engine { runners: Vec<Box<dyn Runner + 'a>>, workload: Workload },
    /// A program with classic puzzles. `ready` is set once its answers have been checked.
    Program { program: Arc<Program>, puzzles: &'a [Puzzle], ready: Option<CheckedProgram<'a>> },
}

impl<'a> Benchmark<'a> {
    /// Prepares a benchmark on a set of puzzles. Each engine uses `threads` threads and stops at `limit`. A
    /// program chooses its own number of threads, and has no limit.
    ///
    /// # Errors
    ///
    /// [`BenchError::OtherShape`] if a contender does not solve a shape of the set.
    pub fn new(
        set: &'a PuzzleSet,
        contenders: &[Contender],
        threads: usize,
        limit: SolutionLimit,
    ) -> Result<Benchmark<'a>, BenchError> {
        let threads = threads.max(1);
        let batch = set.len().div_ceil(threads).clamp(1, BATCH);
        let workload = Workload::once(set.len(), batch);
        let engine = |contender: &Contender| {
            let runners =
                (0..threads).map(|_| runner(contender, set, batch, limit)).collect::<Option<_>>()?;
            Some(PreparedContender::Engine { runners, workload: workload.clone() })
        };
        let start = |contender: &Contender| {
            let other = |shape| BenchError::OtherShape { engine: contender.clone(), shape };
            let unserved = set.shapes().into_iter().find(|&shape| !contender.serves(shape));
            if let Some(shape) = unserved {
                return Err(other(shape));
            }
            let runs = match (contender, set) {
                (Contender::Program(program), PuzzleSet::Classic(puzzles)) => {
                    Some(PreparedContender::Program { program: Arc::clone(program), puzzles, ready: None })
                }
                _ => engine(contender),
            };
            let runs = runs.ok_or_else(|| other(Shape::CLASSIC))?;
            let with_several = (limit != SolutionLimit::FIRST).then_some(0);
            let measurement = Measurement { with_several, ..Measurement::new(contender.clone(), set.len()) };
            Ok((runs, measurement))
        };
        let contenders = contenders.iter().map(start).collect::<Result<_, _>>()?;
        Ok(Benchmark { set, contenders, hardest: 0, stop: &NEVER })
    }

    /// Keeps the `count` puzzles that cost each engine the most guesses, when the answers are checked.
    #[must_use]
    pub fn with_hardest(self, count: usize) -> Benchmark<'a> {
        Benchmark { hardest: count, ..self }
    }

    /// Lets a flag stop the benchmark. When it becomes true, the current check or round ends soon and does
    /// not count. A program is killed.
    #[must_use]
    pub fn with_stop(self, stop: &'a AtomicBool) -> Benchmark<'a> {
        Benchmark { stop, ..self }
    }

    /// Solves all puzzles once with every contender, before anything is timed. Solutions must obey the
    /// rules, and all engines must find the same number of solutions.
    ///
    /// This also warms up, and shows how many passes a round needs. A round of an engine lasts at least 20
    /// ms, because the clock is too coarse for less. A round of a program lasts at least ten times as long
    /// as its start-up, but it gets at most 64 MB of puzzles for that.
    ///
    /// # Errors
    ///
    /// [`BenchError::Disagreement`] at the first wrong answer of an engine; [`BenchError::Program`] if a
    /// program can't be run or gives a wrong answer.
    pub fn check(&mut self) -> Result<(), BenchError> {
        let (set, stop, hardest) = (self.set, self.stop, self.hardest);
        let mut expected: Vec<u64> = Vec::with_capacity(set.len());
        for (runs, measurement) in &mut self.contenders {
            match runs {
                PreparedContender::Engine { runners, workload } => {
                    let parts = &workload.parts;
                    let mut costs = HardestPuzzles::new(hardest);
                    let runner = &mut *runners[0];
                    let taken =
                        check_engine(set, parts, runner, measurement, &mut expected, &mut costs, stop)?;
                    measurement.hardest = costs.into_vec();
                    workload.repeat(taken / runners.len() as u32);
                }
                PreparedContender::Program { program, puzzles, ready } => {
                    let checked = CheckedProgram::check(program, puzzles, measurement, stop);
                    *ready = checked.map_err(|reason| program_error(measurement, reason))?;
                }
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    }

    /// Runs a round: every contender solves all puzzles against the clock. `next` is called with each
    /// contender before its run.
    ///
    /// # Errors
    ///
    /// [`BenchError::Program`] if a program fails or gives a wrong answer. Then the round does not count.
    pub fn round(&mut self, next: &mut dyn FnMut(&Contender)) -> Result<(), BenchError> {
        let mut round = Vec::with_capacity(self.contenders.len());
        for (runs, measurement) in &mut self.contenders {
            next(&measurement.contender);
            match runs {
                PreparedContender::Engine { runners, workload } => {
                    round.push((workload.run(runners, self.stop, &|_, _| {}), None));
                }
                PreparedContender::Program { program, puzzles, ready } => {
                    let mut seconds = || {
                        if ready.is_none() {
                            *ready = CheckedProgram::check(program, puzzles, measurement, self.stop)?;
                        }
                        ready.as_ref().map_or(Ok(None), |runs| runs.round(self.stop))
                    };
                    let run = seconds().map_err(|reason| program_error(measurement, reason))?;
                    round.extend(run.map(|(seconds, usage)| (seconds, Some(usage))));
                }
            }
        }
        if !self.stop.load(Ordering::Relaxed) && round.len() == self.contenders.len() {
            for ((_, measurement), (seconds, usage)) in self.contenders.iter_mut().zip(round) {
                measurement.seconds.push(seconds);
                measurement.usages.extend(usage);
            }
        }
        Ok(())
    }

    /// Times single puzzles, in the last pass of an extra round. The extra round does not count as a round,
    /// because timing each puzzle slows the engine down. After nine such rounds this does nothing. Programs
    /// have no times of single puzzles.
    pub fn time_puzzles(&mut self, next: &mut dyn FnMut(&Contender)) {
        for (runs, measurement) in &mut self.contenders {
            let PreparedContender::Engine { runners, workload } = runs else { continue };
            if measurement.nanos.len() == TIMED_ROUNDS {
                continue;
            }
            next(&measurement.contender);
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

    /// The measurements of the contenders, in the order in which the contenders were given.
    pub fn measurements(&self) -> impl Iterator<Item = &Measurement> {
        self.contenders.iter().map(|(_, measurement)| measurement)
    }
}

/// Solves all puzzles once, and checks the answers against the rules and against the numbers of solutions
/// that were found before. Returns the time of the searches, which means nothing if `stop` is true.
fn check_engine(
    set: &PuzzleSet,
    parts: &[Range<usize>],
    runner: &mut dyn Runner,
    measurement: &mut Measurement,
    expected: &mut Vec<u64>,
    hardest: &mut HardestPuzzles,
    stop: &AtomicBool,
) -> Result<Duration, BenchError> {
    let mut taken = Duration::ZERO;
    let (mut guesses, mut unguessed) = (0, 0);
    for part in parts {
        let begun = Instant::now();
        runner.solve(part.clone(), stop);
        taken += begun.elapsed();
        if stop.load(Ordering::Relaxed) {
            return Ok(taken);
        }
        for (index, puzzle) in part.clone().enumerate() {
            let outcome = runner.outcome(index);
            if puzzle == expected.len() {
                expected.push(outcome.solutions);
            }
            if !runner.is_plausible(index) || outcome.solutions != expected[puzzle] {
                let (engine, puzzle) = (measurement.contender.clone(), Box::new(set.grid(puzzle)));
                return Err(BenchError::Disagreement { engine, puzzle });
            }
            measurement.without_solution += usize::from(outcome.solutions == 0);
            if let Some(several) = &mut measurement.with_several {
                *several += usize::from(outcome.solutions > 1);
            }
            hardest.add(PuzzleCost { puzzle, guesses: outcome.guesses, nanos: outcome.nanos });
            guesses += outcome.guesses;
            unguessed += usize::from(outcome.guesses == 0);
        }
    }
    (measurement.guesses, measurement.unguessed) = (Some(guesses), Some(unguessed));
    measurement.memory = runner.memory();
    Ok(taken)
}

fn program_error(measurement: &Measurement, reason: String) -> BenchError {
    BenchError::Program { program: measurement.contender.to_string(), reason }
}

/// The shortest time that is measured. In shorter ones, the system's scheduler has too much influence.
pub(super) const SHORTEST: Duration = Duration::from_millis(20);

/// Passes over a set of puzzles, part by part.
#[derive(Clone, Debug)]
struct Workload {
    parts: Vec<Range<usize>>,
    passes: usize,
}

impl Workload {
    /// Makes one pass over the puzzles, in parts of `batch`.
    fn once(puzzles: usize, batch: usize) -> Workload {
        let part = |start| start..puzzles.min(start + batch);
        Workload { parts: (0..puzzles).step_by(batch).map(part).collect(), passes: 1 }
    }

    /// Sets the number of passes so that a measurement is long enough, if one pass takes `one`.
    fn repeat(&mut self, one: Duration) {
        self.passes = SHORTEST.as_nanos().div_ceil(one.as_nanos().max(1)) as usize;
    }

    /// Returns the seconds per pass of all runners together. Each runner has its own thread; it claims a
    /// part when it is free, and calls `done` after each part. If `stop` becomes true, the time means
    /// nothing.
    fn run(
        &self,
        runners: &mut [Box<dyn Runner + '_>],
        stop: &AtomicBool,
        done: &(dyn Fn(Range<usize>, &dyn Runner) + Sync),
    ) -> f64 {
        let (next, parts) = (AtomicUsize::new(0), &self.parts);
        let claim = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let continues = index < self.passes * parts.len() && !stop.load(Ordering::Relaxed);
            continues.then(|| parts[index % parts.len()].clone())
        };
        let ready = Barrier::new(runners.len());
        // Each thread reads the clock itself, because the main thread may have to wait for a processor.
        let times: Vec<(Instant, Instant)> = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for runner in runners {
                let (claim, ready) = (&claim, &ready);
                threads.push(scope.spawn(move || {
                    ready.wait();
                    let begun = Instant::now();
                    while let Some(part) = claim() {
                        runner.solve(part.clone(), stop);
                        done(part, &**runner);
                    }
                    (begun, Instant::now())
                }));
            }
            threads.into_iter().map(|thread| thread.join().expect("a search does not panic")).collect()
        });
        let begun = times.iter().map(|(begun, _)| *begun).min();
        let ended = times.iter().map(|(_, ended)| *ended).max();
        let elapsed = begun.zip(ended).map_or(Duration::ZERO, |(begun, ended)| ended - begun);
        elapsed.as_secs_f64() / self.passes as f64
    }
}

/// Runs an engine over parts of a set, and keeps the outcomes.
trait Runner: Send {
    /// Solves a part of the set, unless `stop` becomes true. The part may be as long as the runner was made
    /// for.
    fn solve(&mut self, part: Range<usize>, stop: &AtomicBool);

    /// The outcome of a puzzle without its solution, by its index in the last part that was solved.
    fn outcome(&self, index: usize) -> Outcome<()>;

    /// The bytes of memory that the engine keeps, if known.
    fn memory(&self) -> Option<usize>;

    /// Returns whether the outcome of a puzzle, by the same index as in `outcome`, can be true: its solution obeys the
    /// rules, or there is none.
    fn is_plausible(&self, index: usize) -> bool;
}

/// Gives an engine a set of puzzles, in parts up to `longest`. `None` for a program, and for an engine that
/// solves only classic puzzles if the set has other ones.
fn runner<'a>(
    contender: &Contender,
    set: &'a PuzzleSet,
    longest: usize,
    limit: SolutionLimit,
) -> Option<Box<dyn Runner + 'a>> {
    fn over<'a, P: CluePuzzle>(
        engine: Box<dyn Solver<P>>,
        puzzles: &'a [P],
        limit: SolutionLimit,
        longest: usize,
    ) -> Box<dyn Runner + 'a> {
        Box::new(BatchRunner { engine, puzzles, limit, start: 0, outcomes: vec![Outcome::NONE; longest] })
    }
    Some(match set {
        PuzzleSet::Classic(puzzles) => over(contender.build()?, puzzles, limit, longest),
        PuzzleSet::AnyShape(grids) => over(contender.engine()?.any_shape(), grids, limit, longest),
    })
}

/// Runs an engine over puzzles of one kind, a batch at a time.
struct BatchRunner<'a, P: CluePuzzle> {
    engine: Box<dyn Solver<P>>,
    puzzles: &'a [P],
    limit: SolutionLimit,
    start: usize,
    outcomes: Vec<Outcome<P::Solution>>,
}

impl<P: CluePuzzle> Runner for BatchRunner<'_, P> {
    fn solve(&mut self, part: Range<usize>, stop: &AtomicBool) {
        self.start = part.start;
        let outcomes = &mut self.outcomes[..part.len()];
        let request = Request { stop, ..Request::solve(self.limit) };
        self.engine.solve_until(&self.puzzles[part], &request, outcomes);
    }

    fn outcome(&self, index: usize) -> Outcome<()> {
        let Outcome { solutions, guesses, nanos, is_given_up, .. } = self.outcomes[index];
        Outcome { solutions, solution: None, guesses, nanos, is_given_up }
    }

    fn memory(&self) -> Option<usize> {
        self.engine.memory()
    }

    fn is_plausible(&self, index: usize) -> bool {
        self.puzzles[self.start + index].is_consistent_with(&self.outcomes[index])
    }
}

/// The guesses and the time of a puzzle, when the engine's answer was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleCost {
    /// The index of the puzzle in the set, from 0.
    pub puzzle: usize,
    /// The guesses; they are the same in every run.
    pub guesses: u64,
    /// The time charged to the puzzle, in nanoseconds.
    pub nanos: u64,
}

/// The puzzles that cost the most guesses. If two have the same number, the earlier one counts as harder.
struct HardestPuzzles {
    most: usize,
    /// The easiest of them is on top, so that it is removed first. Times do not count for the order,
    /// because they differ from run to run.
    kept: BinaryHeap<Reverse<(u64, Reverse<usize>, u64)>>,
}

impl HardestPuzzles {
    fn new(most: usize) -> HardestPuzzles {
        HardestPuzzles { most, kept: BinaryHeap::new() }
    }

    fn add(&mut self, PuzzleCost { puzzle, guesses, nanos }: PuzzleCost) {
        if self.most == 0 {
            return;
        }
        self.kept.push(Reverse((guesses, Reverse(puzzle), nanos)));
        if self.kept.len() > self.most {
            self.kept.pop();
        }
    }

    /// Lists the puzzles, the hardest first.
    fn into_vec(self) -> Vec<PuzzleCost> {
        let cost = |Reverse((guesses, Reverse(puzzle), nanos))| PuzzleCost { puzzle, guesses, nanos };
        self.kept.into_sorted_vec().into_iter().map(cost).collect()
    }
}

/// The measurement of a contender.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measurement {
    /// The engine or program.
    pub contender: Contender,
    /// The number of puzzles in the set.
    pub puzzles: usize,
    /// The number of guesses over all puzzles; `None` for a program, and before answers are checked.
    pub guesses: Option<u64>,
    /// The number of puzzles that needed no guess; `None` if `guesses` is.
    pub unguessed: Option<usize>,
    /// The number of puzzles without a solution.
    pub without_solution: usize,
    /// The number of puzzles with several solutions; `None` if searches end at the first one.
    pub with_several: Option<usize>,
    /// Bytes of memory that the engine keeps on one thread, if known.
    pub memory: Option<usize>,
    /// The puzzles that cost the engine the most guesses, the hardest first, if any were asked for.
    pub hardest: Vec<PuzzleCost>,
    /// The median number of seconds that a program takes on an empty file; `None` for an engine.
    pub startup: Option<f64>,
    /// The other costs of each round of a program (processor time, memory), in order; empty for an engine.
    pub usages: Vec<ProgramUsage>,
    /// Seconds for the whole set in each round, in order; for a program without its start-up time.
    pub seconds: Vec<f64>,
    /// The nanoseconds of each puzzle, for each round that timed single puzzles.
    pub nanos: Vec<Vec<u64>>,
}

impl Measurement {
    /// Makes an empty measurement of a contender on `puzzles` puzzles.
    #[must_use]
    pub const fn new(contender: Contender, puzzles: usize) -> Measurement {
        Measurement {
            contender,
            puzzles,
            guesses: None,
            unguessed: None,
            without_solution: 0,
            with_several: None,
            memory: None,
            hardest: Vec::new(),
            startup: None,
            usages: Vec::new(),
            seconds: Vec::new(),
            nanos: Vec::new(),
        }
    }

    /// Puzzles per second in the median round.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.puzzles as f64 / median(&self.seconds)
    }

    /// The median processor time, in seconds, that a program takes for the whole set; `None` if it is not
    /// known.
    #[must_use]
    pub fn processor_seconds(&self) -> Option<f64> {
        let seconds: Vec<f64> = self.usages.iter().filter_map(|usage| usage.processor_seconds).collect();
        (!seconds.is_empty()).then(|| median(&seconds))
    }

    /// The most bytes of memory that a program had in any round; `None` if that is not known.
    #[must_use]
    pub fn peak_memory(&self) -> Option<u64> {
        self.usages.iter().filter_map(|usage| usage.peak_memory).max()
    }

    /// The difference between the slowest and the quickest round, as a share of the median.
    #[must_use]
    pub fn spread(&self) -> f64 {
        spread(&self.seconds)
    }

    /// The times of the puzzles. Each is the median over the rounds, so that a disturbance of one round
    /// does not count.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        let mut rounds = Vec::with_capacity(self.nanos.len());
        let of_puzzle = |puzzle: usize| {
            rounds.clear();
            rounds.extend(self.nanos.iter().map(|round| round[puzzle]));
            rounds.sort_unstable();
            rounds[rounds.len() / 2]
        };
        let puzzles = if self.nanos.is_empty() { 0 } else { self.puzzles };
        (0..puzzles).map(of_puzzle).collect()
    }
}

/// Finds the median. Of an even number of values, it is the upper one of the two in the middle; NaN if
/// there are no values.
///
/// ```
/// assert_eq!(gridmill_data::bench::median(&[9.0, 1.0, 2.0]), 2.0);
/// ```
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The difference between the greatest and the least value, as a share of the median.
///
/// ```
/// assert_eq!(gridmill_data::bench::spread(&[9.0, 10.0, 12.0]), 0.3);
/// ```
#[must_use]
pub fn spread(values: &[f64]) -> f64 {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    (most - least) / median(values)
}

/// A distribution of times, to three figures. Its memory does not grow with their number.
///
/// ```
/// use gridmill_data::bench::Distribution;
///
/// let times: Distribution = (1..=100).collect();
/// assert_eq!((times.len(), times.least(), times.most()), (100, 1, 100));
/// assert_eq!(times.within(0.9), 90);
/// assert_eq!(times.values().map(|(_, count)| count).sum::<u64>(), 100);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    histogram: Histogram<u64>,
    least: u64,
    most: u64,
}

impl Distribution {
    /// The number of times.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns whether there are no times.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.histogram.is_empty()
    }

    /// The least time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn least(&self) -> u64 {
        self.least
    }

    /// The greatest time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The time, in nanoseconds, that a share (0 to 1) of the times does not exceed.
    #[must_use]
    pub fn within(&self, share: f64) -> u64 {
        self.histogram.value_at_quantile(share).clamp(self.least(), self.most())
    }

    /// Iterates over the values in rising order, each with its count.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> {
        let values = self.histogram.iter_recorded();
        values.map(|value| {
            let nanos = value.value_iterated_to().clamp(self.least(), self.most());
            (nanos, value.count_at_value())
        })
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(nanos: I) -> Distribution {
        let mut histogram = Histogram::new(3).expect("three figures can be kept");
        let (mut least, mut most) = (u64::MAX, 0);
        for nanos in nanos {
            histogram.record(nanos).expect("the histogram grows");
            (least, most) = (least.min(nanos), most.max(nanos));
        }
        // Without times, both are 0.
        Distribution { histogram, least: least.min(most), most }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use gridmill_core::solver::EngineKind;

    use super::*;

    /// Records the parts that it gets.
    struct RecordingRunner<'a>(&'a Mutex<Vec<usize>>);

    impl Runner for RecordingRunner<'_> {
        fn solve(&mut self, part: Range<usize>, _: &AtomicBool) {
            self.0.lock().unwrap().extend(part);
        }

        fn outcome(&self, _: usize) -> Outcome<()> {
            Outcome::NONE
        }

        fn memory(&self) -> Option<usize> {
            None
        }

        fn is_plausible(&self, _: usize) -> bool {
            true
        }
    }

    #[test]
    fn every_pass_covers_all_puzzles() {
        for (threads, millis, passes) in [(1, 100, 1), (3, 100, 1), (2, 7, 3)] {
            let mut workload = Workload::once(10, 4);
            workload.repeat(Duration::from_millis(millis));
            let solved = Mutex::new(Vec::new());
            let mut runners: Vec<Box<dyn Runner + '_>> = Vec::new();
            runners.resize_with(threads, || Box::new(RecordingRunner(&solved)));
            let done = Mutex::new(0);
            workload
                .run(&mut runners, &AtomicBool::new(false), &|part, _| *done.lock().unwrap() += part.len());
            drop(runners);
            let mut solved = solved.into_inner().unwrap();
            solved.sort_unstable();
            let expected: Vec<usize> = (0..10).flat_map(|puzzle| vec![puzzle; passes]).collect();
            assert_eq!((solved, done.into_inner().unwrap()), (expected, 10 * passes));
        }
    }

    #[test]
    fn the_hardest_puzzles_are_those_with_the_most_guesses_and_then_the_first() {
        let costs = [3, 9, 0, 9, 4, 9, 1].into_iter().enumerate();
        let costs = costs.map(|(puzzle, guesses)| PuzzleCost { puzzle, guesses, nanos: 100 - guesses });
        let costs: Vec<PuzzleCost> = costs.collect();
        for (most, expected) in
            [(0, &[][..]), (1, &[1]), (2, &[1, 3]), (4, &[1, 3, 5, 4]), (9, &[1, 3, 5, 4, 0, 6, 2])]
        {
            let mut hardest = HardestPuzzles::new(most);
            costs.iter().for_each(|&cost| hardest.add(cost));
            let kept: Vec<usize> = hardest.into_vec().iter().map(|cost| cost.puzzle).collect();
            assert_eq!(kept, expected);
        }
    }

    #[test]
    fn parts_cover_a_pass() {
        assert_eq!(Workload::once(10, 4).parts, [0..4, 4..8, 8..10]);
        assert_eq!(Workload::once(8, 4).parts, [0..4, 4..8]);
        assert!(Workload::once(0, 4).parts.is_empty());
    }

    #[test]
    fn a_disturbed_round_does_not_change_a_median() {
        let measurement = Measurement {
            seconds: vec![1.0, 4.0, 2.0],
            nanos: vec![vec![100, 300], vec![90_000, 301], vec![101, 299]],
            ..Measurement::new(EngineKind::Bitmask.into(), 2)
        };
        let times = measurement.distribution();
        assert_eq!((times.len(), times.least(), times.most()), (2, 101, 300));
        assert_eq!((measurement.rate(), measurement.spread()), (1.0, 1.5));
    }
}
