//! The command line of gridmill: parse, run, exit.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use gridmill::cli::{Cli, catch_panics, exit_code};

fn main() -> ExitCode {
    exit_code(catch_panics(|| Cli::from_args().run()))
}
