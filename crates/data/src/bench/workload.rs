//! A workload: passes over a set by the runners of an engine, against the clock.

use std::ops::Range;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::runner::Runner;

/// The least time of a measurement. Shorter ones are at the mercy of the system's scheduler.
const SHORTEST: Duration = Duration::from_millis(20);

/// Some passes over a set of puzzles, part by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Workload {
    puzzles: usize,
    batch: usize,
    passes: usize,
}

impl Workload {
    /// Returns one pass over so many puzzles, in parts of a batch.
    pub(super) fn once(puzzles: usize, batch: usize) -> Workload {
        Workload { puzzles, batch, passes: 1 }
    }

    /// Returns as many passes as make a measurement long enough, where one pass takes `one`.
    pub(super) fn repeated(self, one: Duration) -> Workload {
        let passes = SHORTEST.as_nanos().div_ceil(one.as_nanos().max(1));
        Workload { passes: passes as usize, ..self }
    }

    /// Returns the parts of a pass.
    pub(super) fn parts(self) -> impl Iterator<Item = Range<usize>> {
        (0..self.parts_of_a_pass()).map(move |index| self.part(index))
    }

    fn parts_of_a_pass(self) -> usize {
        self.puzzles.div_ceil(self.batch)
    }

    fn part(self, index: usize) -> Range<usize> {
        let start = index * self.batch;
        start..self.puzzles.min(start + self.batch)
    }

    /// Returns the seconds per pass of all runners together, each on its own thread. They take parts as they
    /// come, and hand each finished part to `done`, until `stop` becomes true: the time means nothing then.
    pub(super) fn run(
        self,
        runners: &mut [Box<dyn Runner + '_>],
        stop: &AtomicBool,
        done: &(dyn Fn(Range<usize>, &dyn Runner) + Sync),
    ) -> f64 {
        let (next, parts) = (AtomicUsize::new(0), self.parts_of_a_pass());
        let claim = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let goes_on = index < self.passes * parts && !stop.load(Ordering::Relaxed);
            goes_on.then(|| self.part(index % parts))
        };
        let ready = Barrier::new(runners.len());
        // Each thread reads the clock itself: another thread may have to wait for a processor.
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::bench::runner::RunnerOutcome;

    /// Records the parts that it was given.
    struct RecordingRunner<'a>(&'a Mutex<Vec<usize>>);

    impl Runner for RecordingRunner<'_> {
        fn solve(&mut self, part: Range<usize>, _: &AtomicBool) {
            self.0.lock().unwrap().extend(part);
        }

        fn outcome(&self, _: usize) -> RunnerOutcome {
            RunnerOutcome::default()
        }

        fn memory(&self) -> Option<usize> {
            None
        }

        fn holds(&self, _: usize) -> bool {
            true
        }
    }

    #[test]
    fn every_pass_goes_through_all_puzzles() {
        for (threads, millis, passes) in [(1, 100, 1), (3, 100, 1), (2, 7, 3)] {
            let workload = Workload::once(10, 4).repeated(Duration::from_millis(millis));
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
    fn parts_cover_a_pass() {
        assert_eq!(Workload::once(10, 4).parts().collect::<Vec<_>>(), [0..4, 4..8, 8..10]);
        assert_eq!(Workload::once(8, 4).parts().collect::<Vec<_>>(), [0..4, 4..8]);
        assert_eq!(Workload::once(0, 4).parts().count(), 0);
    }
}
