//! The program `gridmill`: it parses the command line, runs the command, and exits.
#![deny(unsafe_code)]

mod cli;
#[cfg(unix)]
mod closed_streams;
mod commands;
mod support;

use std::panic::catch_unwind;
use std::process::ExitCode;

use gridmill_data::error::{process_result, record_panics};
use gridmill_data::output::report_leftovers;

use cli::{Cli, exit_code};
use support::command_error::report;

fn main() -> ExitCode {
    report_leftovers(|path| {
        let path = path.display();
        report(format_args!("removed {path}, which a run that was killed had left"));
    });
    record_panics();
    exit_code(process_result(catch_unwind(|| Cli::from_args().run())))
}
