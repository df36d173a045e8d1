//! The program `gridmill`: it parses the command line, runs the command, and exits.
#![deny(unsafe_code)]

mod cli;
mod commands;
mod support;

use std::panic::catch_unwind;
use std::process::ExitCode;

use gridmill_data::error::{process_result, record_panics};
use gridmill_data::output::set_leftover_report;

use cli::{Cli, exit_code};
use support::command_error::report;

fn main() -> ExitCode {
    set_leftover_report(|path| {
        let path = path.display();
        report(format_args!("removed {path}, left by a run that was killed"));
    });
    record_panics();
    exit_code(process_result(catch_unwind(|| Cli::from_args().run())))
}

/// Finds out whether standard input or output was closed before the program began. This must happen before
/// `main`, because the runtime of Rust opens /dev/null in place of closed streams: rows would vanish without
/// an error, and the input would seem empty.
#[cfg(unix)]
#[allow(unsafe_code)]
mod closed_streams {
    use gridmill_data::output::mark_stdout_closed;
    use gridmill_data::pipeline::mark_stdin_closed;
    use rustix::io::fcntl_getfd;
    use rustix::stdio::{stdin, stdout};

    ctor::declarative::ctor! {
        // SAFETY: it makes two system calls and two stores, and none of them needs the runtime.
        #[ctor(unsafe)]
        fn look() {
            if fcntl_getfd(stdin()).is_err() {
                mark_stdin_closed();
            }
            if fcntl_getfd(stdout()).is_err() {
                mark_stdout_closed();
            }
        }
    }
}
