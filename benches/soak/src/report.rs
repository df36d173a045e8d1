//! What is told during a run and at its end, and when the state is saved.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::run::End;
use crate::state::{Folder, State};
use crate::tally::grouped;

/// Time between two saved states.
const SAVE: Duration = Duration::from_secs(5);

/// Tells how far a run is, on standard error; reports go to the log too.
pub(crate) struct Reporter {
    folder: Folder,
    report_every: Duration,
    puzzles: u64,
    saved: Instant,
    told: Instant,
    reported: Instant,
    /// Puzzles and seconds at the beginning of this run.
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
        Reporter { folder, report_every, puzzles, saved: now, told: now, reported: now, before, is_terminal }
    }

    /// Saves, tells and reports, as often as each should be.
    pub(crate) fn observe(&mut self, state: &State) {
        let now = Instant::now();
        if now - self.saved >= SAVE {
            self.saved = now;
            if let Err(error) = self.folder.save(state) {
                eprintln!("soak: the state could not be saved: {error}");
            }
        }
        if now - self.told >= Duration::from_secs(if self.is_terminal { 1 } else { 60 }) {
            self.told = now;
            let (before, after) = if self.is_terminal { ("\r", "\x1b[K") } else { ("", "\n") };
            eprint!("{before}{}{after}", self.line(state));
            let _ = io::stderr().flush();
        }
        if now - self.reported >= self.report_every {
            self.reported = now;
            self.tell(&format!("{}\n{}", self.line(state), state.tally.table()));
        }
    }

    /// Saves the state and reports how the run ended.
    pub(crate) fn conclude(&mut self, state: &State, end: &End) -> io::Result<()> {
        let how = match end {
            End::Done => "done: no difference\n".to_owned(),
            End::Stopped => "interrupted: no difference so far; start again to go on\n".to_owned(),
            End::Difference(difference) => difference.to_string(),
        };
        self.tell(&format!("{}\n{}{how}", self.line(state), state.tally.table()));
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

    fn line(&self, state: &State) -> String {
        let searched = state.tally.by_every_backend();
        let rate = (searched - self.before.0) as f64 / (state.seconds - self.before.1).max(0.001);
        let left = self.puzzles.saturating_sub(searched) as f64 / rate.max(1.0);
        format!(
            "seed {}, round {}: {} of {} puzzles by every backend, {} guesses, {:.1} min, {} puzzles/s, {:.0} min left",
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
