//! Outputs: how they are written and completed, or kept as incomplete files if a run is stopped, e.g. by
//! Ctrl-C.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, RowOutput, remove_staged};
use gridmill_data::text::Layout;
use indicatif::HumanCount;

use super::command_error::{refuse, report};
use super::inputs::RunTotals;
use super::options::file_name;
use super::parts::{report_resumable, with_resume_advice};
use super::summary::plural;
use crate::cli::End;

/// Requests within this time after the first one count as the same request, because e.g. `timeout` signals
/// the program and then its group.
const ONE_REQUEST: Duration = Duration::from_millis(250);

/// Reports how far an interrupted run got, and where its output is kept.
pub(crate) fn report_interrupted(done: fmt::Arguments<'_>, kept: Option<&Path>) {
    let kept = kept.map(|path| format!("; the rows so far are in {}", path.display())).unwrap_or_default();
    report(format_args!("interrupted after {done}{kept}"));
}

/// Lets Ctrl-C remove incomplete files and end the process immediately.
pub(crate) fn end_on_interrupt() {
    let handler = || {
        remove_staged();
        std::process::exit(130);
    };
    if let Err(error) = at_each_request(handler) {
        report(format_args!("Ctrl-C may leave a temporary file: {error}"));
    }
}

/// A flag that the first Ctrl-C or termination signal sets. The second one ends the process, unless it comes
/// within a quarter of a second (see `ONE_REQUEST`).
pub(crate) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let first = OnceLock::new();
    let handler = move || {
        let is_late = first.get_or_init(Instant::now).elapsed() > ONE_REQUEST;
        if flag.swap(true, Ordering::Relaxed) && is_late {
            remove_staged();
            report("interrupted twice, so the run ends immediately; rows that were not saved are lost");
            std::process::exit(130);
        }
    };
    if let Err(error) = at_each_request(handler) {
        report(format_args!("Ctrl-C will end the run immediately: {error}"));
    }
    stop
}

/// Calls `handler` at each request to end: Ctrl-C, Ctrl-\\, a termination signal, or a closed terminal.
#[cfg(unix)]
fn at_each_request(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    // A handled signal does not end the process. So writing beyond the limit of file sizes fails with an
    // error, as on a full disk.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let (give, given) = std::sync::mpsc::channel::<Signals>();
    let wait = move || given.iter().for_each(|mut signals| signals.forever().for_each(|_| handler()));
    // The thread is started before the signals are taken. If it can't be started, they keep their default
    // action instead of being ignored.
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    let _ = give.send(Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?);
    Ok(())
}

#[cfg(not(unix))]
fn at_each_request(handler: impl Fn() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handler).map_err(io::Error::other)
}

/// Completes the output, or keeps it as incomplete with its journal if the run was stopped, and reports this.
/// `summary` is the file of the summary, which is complete in both cases.
pub(crate) fn finish_rows(
    output: RowOutput,
    summary: Option<Destination>,
    totals: &RunTotals,
    done: fmt::Arguments<'_>,
) -> Result<End, Error> {
    if totals.stopped {
        let has_journal = output.has_journal();
        let kept = output.keep_partial()?;
        summary.map(Destination::commit).transpose()?;
        report_interrupted(done, kept.as_deref());
        if let Some((record, solutions)) = totals.tally.unfinished {
            let (solutions, things) = (HumanCount(solutions), plural(solutions, "solution"));
            report(format_args!(
                "record {record} has at least {solutions} {things}; its count is incomplete"
            ));
        }
        report_resumable(has_journal && kept.is_some());
        return Ok(End::Interrupted);
    }
    let is_bad = totals.tally.statuses.failed > 0;
    commit(output, summary).map_err(|error| error.noting_failures(is_bad))?;
    Ok(End::from_findings(totals.lacks_files, is_bad))
}

/// Completes the outputs if everything is `written`. Otherwise the run was stopped: keeps them as incomplete
/// files, and reports how much was `done` and where the content of each output is. Returns whether they are
/// complete.
pub(crate) fn finish_outputs<'w>(
    outputs: impl IntoIterator<Item = (BufWriter<Destination>, &'w str)>,
    written: bool,
    done: fmt::Arguments<'_>,
) -> Result<bool, Error> {
    let unbuffered = |(output, what)| Ok((unbuffered(output)?, what));
    let outputs = outputs.into_iter().map(unbuffered).collect::<Result<Vec<_>, Error>>()?;
    if written {
        Destination::commit_all(outputs.into_iter().map(|(output, _)| output))?;
        return Ok(true);
    }
    let kept = outputs.into_iter().map(|(output, what)| Ok((output.keep_partial()?, what)));
    let kept = kept.collect::<Result<Vec<_>, Error>>()?;
    report_interrupted(done, None);
    for (path, what) in kept.iter().filter_map(|(path, what)| Some((path.as_ref()?, what))) {
        report(format_args!("{what} in {}", path.display()));
    }
    Ok(false)
}

/// Completes an output, and then the file of its summary.
pub(crate) fn commit(output: RowOutput, summary: Option<Destination>) -> Result<(), Error> {
    let kept = output.resumable_partial();
    output.commit(summary).map_err(|error| with_resume_advice(error, kept))
}

/// Whether an output with this path is a terminal.
pub(crate) fn is_terminal(path: Option<&Path>) -> bool {
    file_name(path).is_none() && io::stdout().is_terminal()
}

/// Flushes a buffer, and unwraps the writer in it.
pub(crate) fn unbuffered<W: Write>(output: BufWriter<W>) -> Result<W, Error> {
    output.into_inner().map_err(|error| ErrorKind::Write { error: error.into_error() }.into())
}

/// Writes bytes, with an error of this program.
pub(crate) fn put(output: &mut dyn Write, bytes: &[u8]) -> Result<(), Error> {
    output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
}

/// Writes the CSV header, if there is one.
pub(crate) fn put_header(layout: &Layout, output: &mut dyn Write) -> Result<(), Error> {
    if let Some(header) = layout.header.as_ref().filter(|header| header.is_in_file) {
        put(output, &header.text)?;
        put(output, b"\n")?;
    }
    Ok(())
}

/// Writes the rest of a buffer.
pub(crate) fn flush(output: &mut dyn Write) -> Result<(), Error> {
    output.flush().map_err(|error| ErrorKind::Write { error }.into())
}

/// Refuses an output whose name has another ending, because you may have put the file of puzzles
/// after the option by mistake, and it would be overwritten. Compressed
/// files (e.g. `plot.svg.gz`), devices and pipes are accepted. `what` says what the option writes.
pub(crate) fn check_ending(path: &Path, ending: &str, what: &str) -> Result<(), Error> {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let unpacked =
        [".gz", ".zst", ".xz"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    let has_ending = unpacked.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.'));
    if has_ending || (path.exists() && !path.is_file()) {
        return Ok(());
    }
    let path = path.display();
    refuse(format!(
        "{path}: {what}: give a name that ends in .{ending}, or in .{ending}.gz for a compressed one"
    ))
}
