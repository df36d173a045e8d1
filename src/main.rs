//! The command line of gridmill: parse, run, exit.

#![deny(unsafe_code)]

mod cli;
mod commands;
mod support;

use std::process::ExitCode;

use gridmill_data::error::catch_panics;
use gridmill_data::output::report_leftovers;
use gridmill_report::eprint_message;

use cli::{Cli, exit_code};

fn main() -> ExitCode {
    report_leftovers(|path| {
        let path = path.display();
        eprint_message(format_args!("gridmill: removed {path}, which a run that was killed had left\n"));
    });
    exit_code(catch_panics(|| Cli::from_args().run()))
}
