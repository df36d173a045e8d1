//! The reports during a run and at its end, and the saving of the state.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::run::End;
use crate::state::{Folder, State};
use crate::tally::grouped;

/// The time between two saved states.
const SAVE: Duration = Duration::from_secs(5);

/// The time within which a round should end, even on a busy machine.
const LATE: Duration = Duration::from_secs(120);

/// Shows progress on standard error, and writes reports there and to the log.
pub(crate) struct Reporter {
    folder: Folder,
    report_every: Duration,
    puzzles: u64,
    /// When the state was last saved. At the start it is `None`, so that the first rounds are saved
    /// immediately.
    saved: Option<Instant>,
    told: Instant,
    reported: Instant,
    /// The first round that is not complete, and since when it has been the first.
    first: (u64, Instant),
    /// The puzzles and seconds at the beginning of this run.
    before: (u64, f64),
    is_terminal: bool,
}

impl Reporter {
    pub(crate) fn new(folder: Folder, report_every: Duration, puzzles: u64, state: &State) -> Reporter {
        let now = Instant::now();
        let before = (state.tally.by_every_backend(), state.seconds);
        if state.next > 0 {
            eprintln!("going on at round {}, with {} puzzles done", grouped(state.next), grouped(before.0));
        }
        let is_terminal = io::stderr().is_terminal();
        Reporter {
            folder,
            report_every,
            puzzles,
            saved: None,
            told: now,
            reported: now,
            first: (state.next, now),
            before,
            is_terminal,
        }
    }

    /// Saves the state, shows progress and writes reports, each in its own interval.
    pub(crate) fn observe(&mut self, state: &State) {
        let now = Instant::now();
        if state.next != self.first.0 {
            self.first = (state.next, now);
        }
        if self.saved.is_none_or(|saved| now - saved >= SAVE) && state.next > 0 {
            self.saved = Some(now);
            if let Err(error) = self.folder.save(state) {
                eprintln!("soak: the state could not be saved: {error}");
            }
        }
        if now - self.told >= Duration::from_secs(if self.is_terminal { 1 } else { 60 }) {
            self.told = now;
            let (before, after) = if self.is_terminal { ("\r", "\x1b[K") } else { ("", "\n") };
            eprint!("{before}{}{after}", self.line(state, now));
            let _ = io::stderr().flush();
        }
        if now - self.reported >= self.report_every {
            self.reported = now;
            self.tell(&format!("{}\n{}", self.line(state, now), state.tally.table()));
        }
    }

    /// Saves the state, and reports how the run ended.
    pub(crate) fn conclude(&mut self, state: &State, end: &End) -> io::Result<()> {
        let how = match end {
            End::Done => "done: no difference\n".to_owned(),
            End::Stopped => "interrupted: no difference so far; start again to go on\n".to_owned(),
            End::Difference(difference) => difference.to_string(),
        };
        self.tell(&format!("{}\n{}{how}", self.line(state, Instant::now()), state.tally.table()));
        self.folder.save(state)
    }

    /// Writes a report to standard error and the log.
    fn tell(&mut self, text: &str) {
        if self.is_terminal {
            eprint!("\r\x1b[K");
        }
        eprint!("{text}");
        if let Err(error) = self.folder.log(text) {
            eprintln!("soak: the log could not be written: {error}");
        }
    }

    fn line(&self, state: &State, now: Instant) -> String {
        let searched = state.tally.by_every_backend();
        let rate = (searched - self.before.0) as f64 / (state.seconds - self.before.1).max(0.001);
        let waited = now - self.first.1;
        let late = if waited < LATE {
            String::new()
        } else {
            format!("; it has not ended for {} s", waited.as_secs())
        };
        let left = self.puzzles.saturating_sub(searched) as f64 / rate.max(1.0);
        format!(
            "seed {}, round {}{late}: {} of {} puzzles by every backend, {} guesses, {:.1} min, {} puzzles/s, {:.0} min left",
            state.seed,
            grouped(state.next),
            grouped(searched),
            grouped(self.puzzles),
            grouped(state.tally.total().guesses),
            state.seconds / 60.0,
            grouped(rate as u64),
            left / 60.0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_does_not_end_is_told() {
        let path = tempfile::tempdir().unwrap();
        let state = State::new(1, String::new(), 10);
        let reporter = Reporter::new(Folder::open(path.path()).unwrap(), LATE, 1000, &state);
        let begun = reporter.first.1;
        assert!(reporter.line(&state, begun).starts_with("seed 1, round 0: "));
        let line = reporter.line(&state, begun + LATE);
        assert!(line.starts_with("seed 1, round 0; it has not ended for 120 s: "), "{line}");
    }
}
