//! The collection: the files that the page shows, and what is known of their records.
//!
//! `indexing.rs` opens the files, and notes in the `index.rs` where each record is: an `entry.rs` of 32 bytes. `background.rs`
//! asks jobs of them, of all and of rows that are looked at. `records.rs` reads the text from the `file.rs` again, a span of
//! consecutive records at a time, and parses it as it was the first time: a file that has changed meanwhile is found out, and
//! has no rows from then on. `view.rs` filters and sorts, `answers.rs` and `export.rs` answer the page.

mod answers;
mod background;
mod entry;
mod export;
mod file;
mod index;
mod indexing;
mod records;
mod view;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak,
};
use std::time::Instant;

use crate::reply::Refusal;
pub(super) use answers::OneRecord;
use background::Queue;
pub(super) use background::RateAll;
use entry::Entry;
pub(super) use export::Export;
use file::File;
use index::Index;
pub use indexing::{CollectionFile, Wording};
use records::KnownRow;
use view::KeptView;

/// The files that the page shows, and what is known of their records.
#[derive(Debug)]
pub struct Collection {
    files: Vec<File>,
    index: Index,
    is_indexed: AtomicBool,
    /// The work of the background, and what wakes the threads that wait for it.
    queue: Mutex<Queue>,
    work: Condvar,
    /// Tasks of the queue that threads are working on.
    open_tasks: Arc<AtomicU32>,
    views: Mutex<Vec<KeptView>>,
    /// Flags that are set when the server ends, or before at their own time.
    flags: Mutex<Vec<(Option<Instant>, Weak<AtomicBool>)>>,
    /// Requests that are being answered.
    requests: Arc<AtomicU32>,
    /// Why the collection as a whole is not what it should be.
    error: Mutex<Option<String>>,
    wording: Wording,
    /// Bytes that are indexed together; `None` for the usual.
    chunk_bytes: Option<usize>,
    /// Becomes true when the server ends.
    stop: Arc<AtomicBool>,
}

impl Collection {
    fn has_ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn file_of(&self, entry: &Entry) -> &File {
        &self.files[usize::from(entry.file)]
    }

    /// Returns a number that grows with every change: of the index, or of the files that can be read.
    fn revision(&self) -> u64 {
        self.index.revision() + self.files.iter().filter(|file| file.is_broken()).count() as u64
    }

    /// Returns the number of a record in its file, from 1.
    fn number_of(&self, row: u32, entry: &Entry) -> u32 {
        row - self.file_of(entry).first_row.load(Ordering::Acquire) + 1
    }

    /// Returns what is known of some rows.
    fn known(&self, rows: &[u32]) -> Vec<KnownRow> {
        rows.iter().filter_map(|&row| Some((row, self.index.get(row)?))).collect()
    }

    /// Returns what is known of consecutive rows.
    fn known_rows(&self, rows: Range<u32>) -> Vec<KnownRow> {
        let mut known = Vec::with_capacity(rows.len());
        self.index.visit(rows, |first, entries| {
            known.extend((first..).zip(entries.iter().copied()));
            true
        });
        known
    }
}

/// Locks a mutex. A panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(value: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    value.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(value: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    value.write().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the refusal of a request whose reader is gone.
fn given_up() -> Refusal {
    Refusal::bad("the request was given up")
}

/// Refuses a request whose reader is gone, which sets the flag.
fn check_reader(stop: &AtomicBool) -> Result<(), Refusal> {
    if stop.load(Ordering::Relaxed) { Err(given_up()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
