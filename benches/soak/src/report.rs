//! Reports during and after a run, and saves the state.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::run::End;
use crate::state::{Folder, State};
use crate::tally::grouped;

/// The time between two saves of the state.
const SAVE_INTERVAL: Duration = Duration::from_secs(5);

/// If a round takes longer than this, the progress says so. Even on a busy machine, rounds are shorter.
const SLOW_ROUND: Duration = Duration::from_secs(120);

/// Shows progress on standard error, and writes reports to standard error and the log.
pub(crate) struct Reporter {
    folder: Folder,
    report_every: Duration,
    puzzles: u64,
    /// When the state was last saved. `None` at the start, so that the first rounds are saved immediately.
    saved: Option<Instant>,
    /// When the progress was last shown.
    shown: Instant,
    /// When the last report was written.
    reported: Instant,
    /// The first incomplete round, and since when it has been the first.
    first: (u64, Instant),
    /// The puzzles and seconds of earlier runs.
    before: (u64, f64),
    is_terminal: bool,
}

impl Reporter {
    pub(crate) fn new(folder: Folder, report_every: Duration, puzzles: u64, state: &State) -> Reporter {
        let now = Instant::now();
        let before = (state.tally.by_every_backend(), state.seconds);
        if state.next > 0 {
            eprintln!("continuing at round {}, after {} puzzles", grouped(state.next), grouped(before.0));
        }
        let is_terminal = io::stderr().is_terminal();
        Reporter {
            folder,
            report_every,
            puzzles,
            saved: None,
            shown: now,
            reported: now,
            first: (state.next, now),
            before,
            is_terminal,
        }
    }

    /// Saves the state, shows progress and writes reports, each at its own interval.
    pub(crate) fn observe(&mut self, state: &State) {
        let now = Instant::now();
        if state.next != self.first.0 {
            self.first = (state.next, now);
        }
        if self.saved.is_none_or(|saved| now - saved >= SAVE_INTERVAL) && state.next > 0 {
            self.saved = Some(now);
            if let Err(error) = self.folder.save(state) {
                eprintln!("soak: can't save the state: {error}");
            }
        }
        if now - self.shown >= Duration::from_secs(if self.is_terminal { 1 } else { 60 }) {
            self.shown = now;
            let (before, after) = if self.is_terminal { ("\r", "\x1b[K") } else { ("", "\n") };
            eprint!("{before}{}{after}", self.progress_line(state, now));
            let _ = io::stderr().flush();
        }
        if now - self.reported >= self.report_every {
            self.reported = now;
            self.write_report(&format!("{}\n{}", self.progress_line(state, now), state.tally.table()));
        }
    }

    /// Saves the state, and reports how the run ended.
    pub(crate) fn finish(&mut self, state: &State, end: &End) -> io::Result<()> {
        let result = match end {
            End::Done => "done: no difference\n".to_owned(),
            End::Stopped => {
                "interrupted: no difference so far; run the same command again to continue\n".to_owned()
            }
            End::Difference(difference) => difference.to_string(),
        };
        self.write_report(&format!(
            "{}\n{}{result}",
            self.progress_line(state, Instant::now()),
            state.tally.table()
        ));
        self.folder.save(state)
    }

    /// Writes a report to standard error and the log.
    fn write_report(&mut self, text: &str) {
        if self.is_terminal {
            eprint!("\r\x1b[K");
        }
        eprint!("{text}");
        if let Err(error) = self.folder.log(text) {
            eprintln!("soak: can't write to the log: {error}");
        }
    }

    fn progress_line(&self, state: &State, now: Instant) -> String {
        let searched = state.tally.by_every_backend();
        let rate = (searched - self.before.0) as f64 / (state.seconds - self.before.1).max(0.001);
        let elapsed = now - self.first.1;
        let delay = if elapsed < SLOW_ROUND {
            String::new()
        } else {
            format!(", not finished after {} s", elapsed.as_secs())
        };
        let seconds_left = self.puzzles.saturating_sub(searched) as f64 / rate.max(1.0);
        format!(
            "seed {}, round {}{delay}: {} of {} puzzles by every backend, {} guesses, {:.1} min, {} puzzles/s, {:.0} min left",
            state.seed,
            grouped(state.next),
            grouped(searched),
            grouped(self.puzzles),
            grouped(state.tally.total().guesses),
            state.seconds / 60.0,
            grouped(rate as u64),
            seconds_left / 60.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_says_how_long_a_slow_round_has_run() {
        let path = tempfile::tempdir().unwrap();
        let state = State::new(1, String::new(), 10);
        let reporter = Reporter::new(Folder::open(path.path()).unwrap(), SLOW_ROUND, 1000, &state);
        let start = reporter.first.1;
        assert!(reporter.progress_line(&state, start).starts_with("seed 1, round 0: "));
        let line = reporter.progress_line(&state, start + SLOW_ROUND);
        assert!(line.starts_with("seed 1, round 0, not finished after 120 s: "), "{line}");
    }
}
