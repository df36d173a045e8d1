//! Panics that become errors of a job: one defect ends one job, and the process goes on.

use std::any::Any;
use std::collections::VecDeque;
use std::io::Write;
use std::panic::{PanicHookInfo, set_hook, take_hook};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use super::{Error, ErrorKind};

/// The end of the message of a panic, for users of the program.
pub const PLEASE_REPORT: &str = ". This is a fault of gridmill; please report it with the input";

/// Panics that no error tells of yet, the oldest first: the text of each, and its place.
static NOTED: Mutex<VecDeque<(String, String)>> = Mutex::new(VecDeque::new());

/// The most panics that are noted. One is enough to be mended.
const MOST_NOTED: usize = 64;

/// The message of the standard library where a scope ends in which a thread has panicked. The cause was noted before.
const OF_A_SCOPE: &str = "a scoped thread panicked";

/// Whether panics are told of at once, since the process goes on.
static TELLS_AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Notes each panic from now on, and prints it only where `RUST_BACKTRACE` asks for more than an error tells.
/// Errors about panics then name their places.
pub fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                print(info);
            }
            note(info);
        }));
    });
}

/// Returns how the work of a whole process ended, which [`catch_unwind`](std::panic::catch_unwind) ran below
/// [`note_panics`]: a panic is an error, which says where the defect is.
///
/// # Errors
///
/// Where the work failed or panicked.
pub fn end_of_process<T>(ended: std::thread::Result<Result<T, Error>>) -> Result<T, Error> {
    let end = Error::of_ended("the command", ended);
    if !end.as_ref().is_err_and(Error::is_of_panic) {
        tell_untold_panic();
    }
    end
}

/// Tells of each panic on standard error from now on, where [`note_panics`] has been called: for a process that
/// serves others, and goes on.
pub fn tell_panics_at_once() {
    TELLS_AT_ONCE.store(true, Ordering::Relaxed);
}

fn note(info: &PanicHookInfo<'_>) {
    let text = text_of(info.payload());
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    if TELLS_AT_ONCE.load(Ordering::Relaxed) {
        let thread = std::thread::current();
        tell(thread.name().unwrap_or("a thread"), &place, &text);
        return;
    }
    let mut noted = noted();
    if noted.len() < MOST_NOTED && text != OF_A_SCOPE {
        noted.push_back((text, place));
    }
}

/// Tells of the first panic that no error told of: it was in a thread whose work nobody waited for.
fn tell_untold_panic() {
    if let Some((text, place)) = noted().pop_front() {
        tell("a thread", &place, &text);
    }
}

fn tell(part: &str, place: &str, text: &str) {
    let _ = writeln!(std::io::stderr(), "gridmill: {part} panicked at {place}: {text}{PLEASE_REPORT}");
}

fn noted() -> MutexGuard<'static, VecDeque<(String, String)>> {
    NOTED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no reason given".to_owned())
}

impl Error {
    /// Returns how some work ended that [`catch_unwind`](std::panic::catch_unwind) ran: a panic of it is an error. `part` names
    /// who worked. What the work had in hand must be thrown away then.
    pub(crate) fn of_ended<T>(part: &str, ended: std::thread::Result<Result<T, Error>>) -> Result<T, Error> {
        ended.unwrap_or_else(|panic| Err(Error::of_panic(part, &*panic)))
    }

    /// Returns the error about a panic that was caught.
    pub(crate) fn of_panic(part: &str, payload: &(dyn Any + Send)) -> Error {
        // The first one is the cause, where several follow from it.
        let (text, place) = match noted().pop_front() {
            Some((text, place)) => (text, Some(place)),
            None => (text_of(payload), None),
        };
        ErrorKind::Panicked { part: part.to_owned(), records: None, place, text }.into()
    }

    /// Returns whether the error tells of a panic.
    pub fn is_of_panic(&self) -> bool {
        match &*self.0 {
            ErrorKind::InFile { error, .. } => error.is_of_panic(),
            kind => matches!(kind, ErrorKind::Panicked { .. }),
        }
    }

    /// Adds the records that were being worked on to the error about a panic.
    pub(crate) fn at_records(mut self, at: Option<(u64, u64)>) -> Error {
        if let ErrorKind::Panicked { records, .. } = &mut *self.0 {
            *records = at;
        }
        self
    }
}

/// Returns where a panic was, for a message.
pub(super) fn position(place: Option<&str>, records: Option<(u64, u64)>) -> String {
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    let records = match records {
        Some((first, last)) if first == last => format!(", in record {first}"),
        Some((first, last)) => format!(", in records {first} to {last}"),
        None => String::new(),
    };
    place + &records
}
