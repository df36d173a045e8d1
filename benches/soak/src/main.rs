//! A soak test: generates puzzles of all kinds for hours, and compares all engines with each other and with
//! the rules.

mod bases;
mod batch;
mod compare;
mod engines;
mod kind;
mod make;
mod marks_oracle;
mod report;
mod run;
mod soaker;
mod state;
mod tally;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Parser;
use signal_hook::consts::{SIGINT, SIGTERM};

use bases::Bases;
use compare::Difference;
use engines::Engines;
use report::Reporter;
use run::{End, Job, try_round};
use soaker::Soaker;
use state::{Folder, State};

/// Generate puzzles of all kinds, and compare the answers of all engines, round by round
///
/// All backends of lockstep search every puzzle, and must agree in solutions and guesses. The bitmask engine
/// gets one of 4, dancing links one of 400. Every solution is compared with the known one, or checked by
/// naive rules.
///
/// Run the same command again to continue a stopped run. Ctrl-C stops a run after the current rounds.
///
/// Exit codes: 0 no difference, 1 a difference, 2 an error, 130 interrupted.
#[derive(Parser)]
#[command(name = "soak", after_help = "Example:\n  scripts/soak --puzzles 1000000 --threads 2")]
struct Arguments {
    /// Puzzles that every backend should search, including those of earlier runs
    #[arg(long, default_value_t = 1_000_000_000)]
    puzzles: u64,

    /// Seed; together with the number of a round, it determines the puzzles of that round
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Run only this round, and show its first difference; the saved state does not change
    #[arg(long)]
    round: Option<u64>,

    /// Threads
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,

    /// Folder for the state and the log [default: target/soak in the repository]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,

    /// Start from the first round, and ignore the saved state
    #[arg(long)]
    fresh: bool,

    /// Also use the proper puzzles in this file, one per line
    #[arg(long, value_name = "FILE")]
    given: Option<PathBuf>,

    /// Minutes between two reports
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    report_every: u64,
}

fn main() -> ExitCode {
    match Arguments::parse().run() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::from(2)
        }
    }
}

impl Arguments {
    fn run(&self) -> io::Result<u8> {
        let given = self.given.as_deref();
        let bases =
            Bases::new(given).map_err(|error| with_path(given.unwrap_or(Path::new("bases")), &error))?;
        match self.round {
            Some(round) => Ok(self.run_one_round(round, &bases)),
            None => self.run_all_rounds(&bases),
        }
    }

    fn run_one_round(&self, round: u64, bases: &Bases) -> u8 {
        match try_round(&mut Soaker::new(self.seed, bases, Engines::new()), round) {
            Ok(tally) => {
                print!("{}", tally.table());
                println!("seed {}, round {round}: no difference", self.seed);
                0
            }
            Err(case) => {
                let (seed, options) = (self.seed, self.options());
                eprint!("{}", Difference { seed, round, options, puzzle: *case });
                1
            }
        }
    }

    fn run_all_rounds(&self, bases: &Bases) -> io::Result<u8> {
        let path = self.state.clone().unwrap_or_else(|| {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .nth(2)
                .unwrap_or(Path::new("."))
                .join("target/soak")
        });
        let folder = Folder::open(&path).map_err(|error| with_path(&path, &error))?;
        let new = State::new(self.seed, self.options(), bases.given.len());
        let mut state = folder.load(new, self.fresh).map_err(|error| with_path(&path, &error))?;
        let stop = stop_on_interrupt()?;
        let job = Job {
            bases,
            engines: &Engines::new,
            threads: self.threads.into(),
            puzzles: self.puzzles,
            stop: &stop,
        };
        let mut reporter =
            Reporter::new(folder, Duration::from_secs(60 * self.report_every), self.puzzles, &state);
        let end = job.run(&mut state, &mut |state| reporter.observe(state));
        reporter.finish(&state, &end)?;
        Ok(match end {
            End::Done => 0,
            End::Stopped => 130,
            End::Difference(_) => 1,
        })
    }

    /// The options, except the seed, that determine the puzzles of a round.
    fn options(&self) -> String {
        self.given.as_ref().map(|path| format!(" --given {}", path.display())).unwrap_or_default()
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A flag that is set by the first Ctrl-C or SIGTERM. The second one ends the process.
fn stop_on_interrupt() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
