//! What commands that turn a file of puzzles into rows have in common.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

use crate::error::{Error, ErrorKind};
use crate::output::{eprint_message, remove_staged};
use crate::pipeline::Input;

/// A number from 1 up to a limit.
pub(crate) fn up_to(limit: usize) -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(1..=limit as u64)
}

/// A time in seconds, with or without decimals.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    parsed.ok_or_else(|| "give seconds, as in 10 or 0.5".to_owned())
}

/// `-` stands for standard input and output.
pub(crate) fn file_name(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Opens a file, or standard input unless a person sits at it.
pub(crate) fn open_input(path: &Path, may_map: bool) -> Result<Input, Error> {
    let path = file_name(Some(path));
    if path.is_none() && io::stdin().is_terminal() {
        return Err(ErrorKind::NothingToRead.into());
    }
    Input::open(path, may_map)
}

/// The threads that were asked for, or one for each core.
pub(crate) fn thread_count(asked: Option<u64>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(all, |threads| threads as usize)
}

/// Says how far an interrupted run got, and where that is kept.
pub(crate) fn tell_interrupted(done: fmt::Arguments<'_>, kept: Option<&Path>) {
    let kept = kept.map(|path| format!("; they are in {}", path.display())).unwrap_or_default();
    eprint_message(format_args!("gridmill: interrupted after {done}{kept}\n"));
}

/// Lets Ctrl-C end the process at once, with nothing left of files that are not complete.
pub(crate) fn end_on_interrupt() {
    let handler = || {
        remove_staged();
        std::process::exit(130);
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprint_message(format_args!("gridmill: Ctrl-C may leave a temporary file: {error}\n"));
    }
}

/// A flag that the first Ctrl-C (or a polite request to end) sets. The second one ends the process.
pub(crate) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            remove_staged();
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprint_message(format_args!("gridmill: Ctrl-C will end the run at once: {error}\n"));
    }
    stop
}

/// Writes what is left in a buffer, and takes the buffer off.
pub(crate) fn flushed<W: Write>(output: BufWriter<W>) -> Result<W, Error> {
    output.into_inner().map_err(|error| ErrorKind::Write { error: error.into_error() }.into())
}

pub(crate) fn put(output: &mut dyn Write, bytes: &[u8]) -> Result<(), Error> {
    output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
}
