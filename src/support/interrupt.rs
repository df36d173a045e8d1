//! Ctrl-C and other requests to end.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gridmill_data::output::remove_staged;

use super::command_error::report;

/// Requests so soon after the first one are part of it, because `timeout`, for example, signals the program and then its group.
const ONE_REQUEST: Duration = Duration::from_millis(250);

/// Reports how far an interrupted run got, and where its output is kept.
pub(crate) fn report_interrupted(done: fmt::Arguments<'_>, kept: Option<&Path>) {
    let kept = kept.map(|path| format!("; they are in {}", path.display())).unwrap_or_default();
    report(format_args!("interrupted after {done}{kept}"));
}

/// Lets Ctrl-C end the process at once, and removes incomplete files.
pub(crate) fn end_on_interrupt() {
    let handler = || {
        remove_staged();
        std::process::exit(130);
    };
    if let Err(error) = at_each_request(handler) {
        report(format_args!("Ctrl-C may leave a temporary file: {error}"));
    }
}

/// Returns a flag that the first Ctrl-C or termination signal sets. The second one ends the process, unless it comes within
/// a quarter of a second.
pub(crate) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let first = OnceLock::new();
    let handler = move || {
        let is_late = first.get_or_init(Instant::now).elapsed() > ONE_REQUEST;
        if flag.swap(true, Ordering::Relaxed) && is_late {
            remove_staged();
            report("interrupted twice, so it ends at once; rows that were not saved are lost");
            std::process::exit(130);
        }
    };
    if let Err(error) = at_each_request(handler) {
        report(format_args!("Ctrl-C will end the run at once: {error}"));
    }
    stop
}

/// Calls `handler` at each request to end: Ctrl-C, Ctrl-\\, a termination signal, a terminal that goes away.
#[cfg(unix)]
fn at_each_request(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    // What is handled does not end the process: a file above the limit fails to be written, as a full disk does.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let (give, given) = std::sync::mpsc::channel::<Signals>();
    let wait = move || given.iter().for_each(|mut signals| signals.forever().for_each(|_| handler()));
    // The thread first: where there is none, signals that were taken would be ignored.
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    let _ = give.send(Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?);
    Ok(())
}

#[cfg(not(unix))]
fn at_each_request(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handler).map_err(io::Error::other)
}
