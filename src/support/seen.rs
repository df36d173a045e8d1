//! Whether a record was seen that is not right: it decides the exit code where the reader of the rows goes away
//! before the end.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::End;

/// Of the process, as its exit code is.
static BAD: AtomicBool = AtomicBool::new(false);

/// Notes that a record is not right.
pub(crate) fn note_bad() {
    BAD.store(true, Ordering::Relaxed);
}

/// Returns the end that follows from the records that have been seen.
pub(crate) fn end_so_far() -> End {
    if BAD.load(Ordering::Relaxed) { End::Imperfect } else { End::Good }
}
