//! The command line: one file for each command, with its arguments and its run.

mod commands;
mod support;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use crate::error::{Error, note_panics, tell_untold_panic};
use crate::output::eprint_message;
use support::given::Given;

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

    #[clap(skip)]
    given: Given,
}

#[derive(Debug, Subcommand)]
enum Command {
    Solve(commands::solve::Solve),
    Count(commands::count::Count),
    Enumerate(commands::enumerate::Enumerate),
    Candidates(commands::candidates::Candidates),
    Rate(commands::rate::Rate),
    Explain(Box<commands::explain::Explain>),
    Hint(commands::hint::Hint),
    Generate(Box<commands::generate::Generate>),
    Minimize(commands::minimize::Minimize),
    Minimal(commands::minimal::Minimal),
    Shuffle(commands::shuffle::Shuffle),
    Convert(commands::convert::Convert),
    Matrix(commands::matrix::Matrix),
    Canon(commands::canon::Canon),
    Verify(commands::verify::Verify),
    Check(commands::check::Check),
    Dedupe(commands::dedupe::Dedupe),
    Overlap(commands::overlap::Overlap),
    Select(commands::select::Select),
    Split(commands::split::Split),
    Stats(commands::stats::Stats),
    #[cfg(feature = "serve")]
    Serve(commands::serve::Serve),
    Bench(commands::bench::Bench),
    Completions(commands::shell::Completions),
    Man(commands::shell::Man),
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All is right.
    Good,
    /// The job is done, and some of the data is not right.
    Imperfect,
    /// The job is done for some of the files, and the others could not be read.
    Incomplete,
    /// The user stopped it.
    Interrupted,
}

impl Cli {
    /// Parses the arguments of this process. Ends the process where they are wrong or ask for help.
    #[must_use]
    pub fn from_args() -> Cli {
        let mut program = support::help::command();
        let matches = program.try_get_matches_from_mut(std::env::args_os());
        let matches = matches.unwrap_or_else(|error| error.exit());
        let parsed = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        Cli { given: Given::of(&program, &matches), ..parsed }
    }

    /// Runs the command.
    ///
    /// # Errors
    ///
    /// Where the job could not be done.
    pub fn run(self) -> Result<End, Error> {
        match self.command {
            Command::Solve(solve) => solve.run(&self.given),
            Command::Count(count) => count.run(&self.given),
            Command::Enumerate(enumerate) => enumerate.run(),
            Command::Candidates(candidates) => candidates.run(),
            Command::Rate(rate) => rate.run(&self.given),
            Command::Explain(explain) => explain.run(),
            Command::Hint(hint) => hint.run(),
            Command::Generate(generate) => generate.run(),
            Command::Minimize(minimize) => minimize.run(),
            Command::Minimal(minimal) => minimal.run(),
            Command::Shuffle(shuffle) => shuffle.run(),
            Command::Convert(convert) => convert.run(),
            Command::Matrix(matrix) => matrix.run(),
            Command::Canon(canon) => canon.run(&self.given),
            Command::Verify(verify) => verify.run(&self.given),
            Command::Check(check) => check.run(&self.given),
            Command::Dedupe(dedupe) => dedupe.run(),
            Command::Overlap(overlap) => overlap.run(),
            Command::Select(select) => select.run(),
            Command::Split(split) => split.run(),
            Command::Stats(stats) => stats.run(),
            #[cfg(feature = "serve")]
            Command::Serve(serve) => serve.run(),
            Command::Bench(bench) => bench.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    }
}

/// Runs a command, and makes a panic of it an error: temporary files are gone then, and the message says where the
/// defect is. Texts of panics are printed only where `RUST_BACKTRACE` is set.
///
/// # Errors
///
/// As the command says, and where it panics.
pub fn catch_panics(command: impl FnOnce() -> Result<End, Error>) -> Result<End, Error> {
    note_panics();
    let end = Error::or_panic("the command", command);
    if !end.as_ref().is_err_and(Error::is_of_panic) {
        tell_untold_panic();
    }
    end
}

/// Returns the exit code of an end. Where the reader of the rows went away, what had been seen by then counts.
#[must_use]
pub fn exit_code(end: Result<End, Error>) -> ExitCode {
    let end = match end {
        Err(error) if error.is_closed_pipe() => Ok(support::seen::end_so_far()),
        end => end,
    };
    match end {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Imperfect) => ExitCode::from(1),
        Ok(End::Incomplete) => ExitCode::from(2),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprint_message(format_args!("gridmill: {}\n", support::advice::message(&error)));
            ExitCode::from(2)
        }
    }
}
