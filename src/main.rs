//! The command line of gridmill: parse, run, exit.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use gridmill::cli::{Cli, exit_code};

fn main() -> ExitCode {
    let cli = Cli::from_args();
    exit_code(cli.run())
}
