//! The collection: the files that the page shows, and what is known of their records.
//!
//! `open.rs` opens the files, and `threads.rs` begins the threads. `indexing.rs` notes in the `index.rs` where each record
//! is: an `entry.rs` of 32 bytes. `background.rs` asks jobs of them, of all and of rows that are looked at.
//! Text is read from the `file.rs` again, a `span.rs` of consecutive records at a time, and parsed as it was the first
//! time (`records.rs`): a file that has changed meanwhile is found out, and has no rows from then on.

mod background;
mod entry;
mod export;
mod file;
mod filter;
mod index;
mod indexing;
mod open;
mod records;
mod rows;
mod span;
mod state;
mod threads;
mod view;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::reply::Refusal;
use background::Queue;
pub(super) use background::RateAll;
use entry::Entry;
pub(super) use export::Export;
use file::File;
use index::Index;
pub use open::{CollectionFile, Wording};
pub(super) use rows::{OneRecord, Rows};
use span::KnownRow;
pub(super) use state::Pictures;
use threads::Watch;
use view::KeptView;
pub(super) use view::Position;

/// The files that the page shows, and what is known of their records.
#[derive(Debug)]
pub struct Collection {
    files: Vec<File>,
    index: Index,
    is_indexed: AtomicBool,
    /// The work of the background, and what wakes the threads that wait for it.
    queue: Mutex<Queue>,
    work: Condvar,
    views: Mutex<Vec<KeptView>>,
    watch: Watch,
    /// Requests that are being answered.
    requests: AtomicU32,
    /// Why the collection as a whole is not what it should be.
    error: Mutex<Option<String>>,
    wording: Wording,
    /// Bytes that are indexed together; `None` for the usual.
    chunk_bytes: Option<usize>,
}

impl Collection {
    fn new(files: Vec<File>, wording: Wording, chunk_bytes: Option<usize>, index: Index) -> Collection {
        Collection {
            files,
            index,
            is_indexed: AtomicBool::new(false),
            queue: Mutex::default(),
            work: Condvar::new(),
            views: Mutex::default(),
            watch: Watch::default(),
            requests: AtomicU32::new(0),
            error: Mutex::default(),
            wording,
            chunk_bytes,
        }
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

    /// Says that a request is being answered, until the value is dropped. The background makes room for it: for
    /// what somebody waits for, not for what is asked again and again.
    fn begin_request(&self) -> Request<'_> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Request(&self.requests)
    }
}

/// A request that is being answered.
struct Request<'a>(&'a AtomicU32);

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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

/// Refuses a request whose reader is gone.
fn given_up() -> Refusal {
    Refusal::bad("the request was given up")
}

#[cfg(test)]
mod tests;
