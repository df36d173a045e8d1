//! The command line: one file a command, its arguments and its run.

mod bench;
mod bench_report;
mod canon;
mod check;
mod count;
mod dedupe;
mod engine;
mod enumerate;
mod figures;
mod files;
mod generate;
mod minimal;
mod minimize;
mod notes;
mod overlap;
mod puzzle_files;
mod reading;
mod review;
mod sample;
mod select;
mod shared;
mod shell;
mod shuffle;
mod solve;
mod stats;
mod table;
mod twice;
mod twins;
mod verify;
mod way;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;
use crate::output::tell;

/// A high-throughput batch engine for Sudoku
///
/// Streams files of puzzles through all cores into solutions, timings and verdicts.
#[derive(Debug, Parser)]
#[command(name = "gridmill", version, propagate_version = true, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 all is right, 1 the data is not all right, 2 the job could not be done."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(solve::Solve),
    Count(count::Count),
    Enumerate(enumerate::Enumerate),
    Generate(Box<generate::Generate>),
    Minimize(minimize::Minimize),
    Minimal(minimal::Minimal),
    Shuffle(shuffle::Shuffle),
    Canon(canon::Canon),
    Verify(verify::Verify),
    Check(check::Check),
    Dedupe(dedupe::Dedupe),
    Overlap(overlap::Overlap),
    Select(select::Select),
    Stats(stats::Stats),
    Bench(bench::Bench),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All is right.
    Good,
    /// The job is done, and the data is not all right.
    Imperfect,
    /// The user stopped it.
    Interrupted,
}

impl Cli {
    /// The arguments of this process. Ends the process where they are wrong, or ask for help.
    #[must_use]
    pub fn from_args() -> Cli {
        Cli::parse()
    }

    /// Runs the command.
    ///
    /// # Errors
    ///
    /// Where the job could not be done.
    pub fn run(self) -> Result<End, Error> {
        match self.command {
            Command::Solve(solve) => solve.run(),
            Command::Count(count) => count.run(),
            Command::Enumerate(enumerate) => enumerate.run(),
            Command::Generate(generate) => generate.run(),
            Command::Minimize(minimize) => minimize.run(),
            Command::Minimal(minimal) => minimal.run(),
            Command::Shuffle(shuffle) => shuffle.run(),
            Command::Canon(canon) => canon.run(),
            Command::Verify(verify) => verify.run(),
            Command::Check(check) => check.run(),
            Command::Dedupe(dedupe) => dedupe.run(),
            Command::Overlap(overlap) => overlap.run(),
            Command::Select(select) => select.run(),
            Command::Stats(stats) => stats.run(),
            Command::Bench(bench) => bench.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    }
}

/// The exit code of an end. A reader that closes its pipe is a good end.
#[must_use]
pub fn exit_code(end: Result<End, Error>) -> ExitCode {
    match end {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Imperfect) => ExitCode::from(1),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("gridmill: {error}\n"));
            ExitCode::from(2)
        }
    }
}
