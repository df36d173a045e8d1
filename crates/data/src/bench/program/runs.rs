//! The runs of a program in a benchmark.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gridmill_core::grid::{CELLS, Puzzle};

use super::answers::AnswerKey;
use super::folder::Folder;
use super::process::{Ended, run};
use super::{Program, ProgramError};
use crate::bench::{Measurement, median};

/// Runs on an empty file, of which the median counts.
const STARTS: usize = 7;

/// The least time of a round beside that of the start.
const SHORTEST: Duration = Duration::from_millis(20);

/// The least ratio of the rest of a round to the start: what the start-up time varies by counts little
/// then.
const STARTS_A_ROUND: u32 = 10;

/// The most bytes of puzzles in a round of several passes.
const LARGEST: usize = 64 << 20;

/// The most bytes that a program may write: for nothing, and for each puzzle.
const MOST: [u64; 2] = [1 << 20, 4096];

/// A program with a set of puzzles.
pub(crate) struct ProgramRuns<'a> {
    program: Arc<Program>,
    puzzles: &'a [Puzzle],
    ready: Option<Ready<'a>>,
}

/// The preparation of rounds.
struct Ready<'a> {
    key: AnswerKey<'a>,
    folder: Folder,
    startup: Duration,
    /// The number of times that a round gives the puzzles, so that it lasts long enough.
    passes: usize,
}

impl<'a> ProgramRuns<'a> {
    pub(crate) fn new(program: Arc<Program>, puzzles: &'a [Puzzle]) -> ProgramRuns<'a> {
        ProgramRuns { program, puzzles, ready: None }
    }

    /// Measures the start-up time, checks the answers, and finds out how long rounds are, unless `stop` becomes true.
    pub(crate) fn check(
        &mut self,
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<(), ProgramError> {
        let key = AnswerKey::new(self.puzzles, stop);
        let folder = Folder::new().map_err(ProgramError::files)?;
        let Some(startup) = startup(&self.program, &folder, stop)? else { return Ok(()) };
        let mut ready = Ready { key, folder, startup, passes: 1 };
        loop {
            ready.folder.write(self.puzzles, ready.passes).map_err(ProgramError::files)?;
            let Some(time) = ready.run(&self.program, self.puzzles.len(), stop)? else { return Ok(()) };
            let passes = ready.longer(time, self.puzzles.len());
            if passes == ready.passes {
                break;
            }
            ready.passes = passes;
        }
        measurement.startup = Some(startup.as_secs_f64());
        measurement.without_solution = ready.key.count(0);
        measurement.with_several = measurement.with_several.map(|_| ready.key.count(2));
        self.ready = Some(ready);
        Ok(())
    }

    /// Runs a round; returns the seconds of a pass without the start. `None` where `stop` became true.
    pub(crate) fn round(
        &mut self,
        measurement: &mut Measurement,
        stop: &AtomicBool,
    ) -> Result<Option<f64>, ProgramError> {
        if self.ready.is_none() {
            self.check(measurement, stop)?;
        }
        let Some(ready) = &self.ready else { return Ok(None) };
        let Some(time) = ready.run(&self.program, self.puzzles.len(), stop)? else { return Ok(None) };
        let puzzles = self.puzzles.len() * ready.passes;
        match time.checked_sub(ready.startup) {
            Some(rest) if !rest.is_zero() => Ok(Some(rest.as_secs_f64() / ready.passes as f64)),
            _ => Err(ProgramError::TooQuick { puzzles }),
        }
    }
}

impl Ready<'_> {
    /// Gives the puzzles to the program, and checks its answers; returns the time of the run.
    fn run(
        &self,
        program: &Program,
        puzzles: usize,
        stop: &AtomicBool,
    ) -> Result<Option<Duration>, ProgramError> {
        let most = MOST[0] + MOST[1] * (puzzles * self.passes) as u64;
        let ended = run(program, &self.folder, &self.folder.puzzles(), most, stop)?;
        let Some(Ended { status, time }) = ended else { return Ok(None) };
        if !status.success() {
            let (command, message) = (program.to_string(), self.folder.last_message());
            return Err(ProgramError::Failed { command, status, message });
        }
        self.key.check(self.folder.open_answers().map_err(ProgramError::files)?, self.passes)?;
        Ok(Some(time))
    }

    /// Returns how many passes the next run makes, after one of `time`: as many as before where that was long enough.
    fn longer(&self, time: Duration, puzzles: usize) -> usize {
        let enough = SHORTEST.max(self.startup * STARTS_A_ROUND);
        let rest = time.saturating_sub(self.startup);
        if rest >= enough {
            return self.passes;
        }
        let most = (LARGEST / (puzzles * (CELLS + 1)).max(1)).max(1);
        // A short run says little about a long one, so the length grows in steps.
        let factor = 1.2 * enough.as_secs_f64() / rest.as_secs_f64().max(1e-9);
        let passes = (self.passes as f64 * factor.clamp(1.5, 10.0)).ceil();
        (passes as usize).min(most).max(self.passes)
    }
}

/// Returns the median time of runs on an empty file; `None` where `stop` became true. A first run is not counted. How
/// they end does not matter: an empty file may be an error.
fn startup(program: &Program, folder: &Folder, stop: &AtomicBool) -> Result<Option<Duration>, ProgramError> {
    let mut times = Vec::with_capacity(STARTS);
    for start in 0..=STARTS {
        let Some(ended) = run(program, folder, &folder.empty(), MOST[0], stop)? else { return Ok(None) };
        if start > 0 {
            times.push(ended.time.as_secs_f64());
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    Ok(Some(Duration::from_secs_f64(median(&times))))
}
