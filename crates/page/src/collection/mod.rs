//! The collection: the files that the page shows, and what is known of their records.
//!
//! This file opens the files, and notes in the `index.rs` where each record is: an entry of 32 bytes. `background.rs` asks jobs
//! of them, of all and of rows that are looked at. `records.rs` reads the text from its file again, a span of consecutive records
//! at a time, and parses it as it was the first time: a file that has changed meanwhile is found out, and has no rows from then
//! on; one that only grew keeps its rows. `view.rs` filters and sorts, and answers the page, as `export.rs` does.

mod background;
mod export;
mod index;
mod records;
mod view;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak,
};
use std::time::Instant;

use gridmill_data::error::Error;
use gridmill_data::pipeline::{Chunk, Chunks, Input};
use gridmill_data::record::{Checksum as Span, Totals};
use gridmill_data::text::{FaultAdvice, FormatOptions, lines_of};
use gridmill_report::eprint_message;

use crate::reply::Refusal;
use background::Queue;
pub(super) use background::RateAll;
pub(super) use export::Export;
use index::{Entry, Index, Pass};
use records::{Content, File, KnownRow, RecordReader, reader_for};
use view::KeptView;
pub(super) use view::OneRecord;

/// The files that the page shows, and what is known of their records.
#[derive(Debug)]
pub struct Collection {
    files: Vec<File>,
    index: Index,
    is_indexed: AtomicBool,
    /// The work of the background, and what wakes the threads that wait for it.
    queue: Mutex<Queue>,
    work: Condvar,
    /// Shared with each task of the queue that a thread is working on.
    open_tasks: Arc<()>,
    views: Mutex<Vec<KeptView>>,
    /// Flags that are set when the server ends, or before at their own time.
    flags: Mutex<Vec<(Option<Instant>, Weak<AtomicBool>)>>,
    /// Shared with each request that is being answered.
    requests: Arc<()>,
    /// Why the collection as a whole is not what it should be.
    error: OnceLock<String>,
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

    /// Returns the number of a record in its file, from 1.
    fn number_of(&self, row: u32, entry: &Entry) -> u32 {
        row - self.file_of(entry).first_row.load(Ordering::Acquire) + 1
    }

    /// Returns what is known of some rows.
    fn known(&self, rows: impl IntoIterator<Item = u32>) -> Vec<KnownRow> {
        rows.into_iter().filter_map(|row| Some((row, self.index.get(row)?))).collect()
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

/// A file of the collection.
pub struct CollectionFile {
    /// Its name, to open it again; `None` for what has none.
    pub path: Option<PathBuf>,
    /// The open file, or why it can't be opened: the page then shows the error in place of its records.
    pub input: Result<Input, Error>,
    /// How the file is to be read.
    pub options: FormatOptions,
}

/// How errors are shown. A program with options says here which of them helps, because this crate does not know them.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// Returns the message of an error.
    pub explain: fn(&Error) -> String,
    /// Returns what follows the message of a malformed record.
    pub advice: FaultAdvice,
}

/// A file whose records are still to be found.
struct Unread {
    number: u16,
    /// What is open. A file whose text is in place is read again from its beginning: so thousands of them may be named.
    open: Option<Input>,
    options: FormatOptions,
}

impl Collection {
    /// Opens files, one after the other, and begins to index and search them in threads that end when `stop` becomes true.
    ///
    /// # Errors
    ///
    /// Where none can be read.
    pub fn open(
        files: impl ExactSizeIterator<Item = CollectionFile>,
        wording: Wording,
        stop: &Arc<AtomicBool>,
    ) -> Result<Arc<Collection>, Error> {
        Collection::with_limits(files, wording, None, u32::MAX, stop)
    }

    /// Opens files as [`Collection::open`] does; with bytes that are indexed together, and with the most rows.
    fn with_limits(
        files: impl ExactSizeIterator<Item = CollectionFile>,
        wording: Wording,
        chunk_bytes: Option<usize>,
        rows: u32,
        stop: &Arc<AtomicBool>,
    ) -> Result<Arc<Collection>, Error> {
        if files.len() > usize::from(u16::MAX) {
            return Err(Error::other(format!("there are more than {} files; join some of them", u16::MAX)));
        }
        let (files, unread) = open_all(files, wording, stop)?;
        let collection = Arc::new(Collection {
            files,
            index: Index::new(rows),
            is_indexed: AtomicBool::new(false),
            queue: Mutex::default(),
            work: Condvar::new(),
            open_tasks: Arc::default(),
            views: Mutex::default(),
            flags: Mutex::default(),
            requests: Arc::default(),
            error: OnceLock::new(),
            wording,
            chunk_bytes,
            stop: Arc::clone(stop),
        });
        let begun = collection.begin(unread);
        begun.map_err(|error| Error::other(format!("the threads of the page can't be started: {error}")))?;
        Ok(collection)
    }

    /// Notes where the records of all files are, one file after the other, until the server ends.
    fn index_all(&self, unread: Vec<Unread>) {
        for unread in unread {
            let file = &self.files[usize::from(unread.number)];
            file.first_row.store(self.index.rows(), Ordering::Release);
            if let Err(error) = self.index_file(file, unread) {
                file.fail((self.wording.explain)(&error.in_file(Path::new(&file.name))));
            }
            file.is_indexed.store(true, Ordering::Release);
            self.index.touch();
            if self.has_ended() {
                return;
            }
        }
        self.is_indexed.store(true, Ordering::Release);
        self.index.touch();
        self.wake();
    }

    fn index_file(&self, file: &File, unread: Unread) -> Result<(), Error> {
        let (Some(content), number) = (&file.content, unread.number) else { return Ok(()) };
        let Some(input) = unread.open(content, &self.stop)? else {
            file.look();
            if !file.is_broken() && !self.has_ended() {
                file.fail_changed("it was changed");
            }
            return Ok(());
        };
        let (cutter, mut reader) = (reader_for(&content.layout), reader_for(&content.layout));
        let mut before = input.before_records();
        let mut indexed = Span::of(input.preamble());
        file.copy(0, input.preamble())?;
        let mut chunks = Chunks::new(&input, cutter.cut(), self.chunk_bytes, &self.stop);
        let mut taken = Ok(());
        let mut take = |chunk: &Chunk<'_>| {
            indexed.append(Span::of(&chunk.text));
            taken = self.take(file, number, chunk, &mut before, &mut *reader);
            taken.is_ok()
        };
        let mut goes_on = true;
        while goes_on && chunks.next(|chunk| goes_on = take(chunk))? {}
        taken?;
        if content.in_place.is_some() && !self.has_ended() {
            file.bytes.store(indexed.bytes, Ordering::Relaxed);
            let _ = file.indexed.set(indexed);
        }
        // A text that was typed or is empty is no news.
        let is_copied = content.in_place.is_none() && input.file().is_some() && before.bytes > 0;
        if is_copied && !self.has_ended() {
            // Only files that are compressed have a length and are copied.
            let copied = if input.known_len().is_some() { "unpacked" } else { "copied" };
            let note = format!("{copied} to a temporary file of {} bytes", before.bytes);
            eprint_message(format_args!("gridmill: {}: {note}\n", file.name));
            let _ = file.note.set(note);
        }
        file.look();
        Ok(())
    }

    /// Notes the records of a chunk.
    fn take(
        &self,
        file: &File,
        number: u16,
        chunk: &Chunk<'_>,
        before: &mut Totals,
        reader: &mut dyn RecordReader,
    ) -> Result<(), Error> {
        file.copy(before.bytes, &chunk.text)?;
        reader.read(&chunk.text, chunk.too_long);
        let lines = lines_of(&chunk.text, reader.records());
        let entry = |(place, lines): (usize, Range<usize>)| Entry {
            position: before.bytes + lines.start as u64,
            len: lines.len() as u32,
            file: number,
            ..reader.seen(place)
        };
        let entries: Vec<Entry> = lines.enumerate().map(entry).collect();
        let puzzles = entries.iter().filter(|entry| entry.is_puzzle()).count();
        *before += Totals::for_chunk(entries.len(), puzzles, &chunk.text);
        let known = entries.iter().filter(|entry| entry.status.is_some()).count() as u32;
        let rows_before = self.index.rows();
        let appended = self.index.append(&entries);
        file.records.fetch_add(self.index.rows() - rows_before, Ordering::AcqRel);
        file.known[Pass::Search as usize].fetch_add(known, Ordering::AcqRel);
        // Once more, because a thread that saw the new rows may have missed the new counts.
        self.index.touch();
        self.wake();
        appended
    }
}

/// Opens all files that can be opened, and notes why others can't. If none can, returns the error of the last one.
fn open_all(
    files: impl ExactSizeIterator<Item = CollectionFile>,
    wording: Wording,
    stop: &AtomicBool,
) -> Result<(Vec<File>, Vec<Unread>), Error> {
    let (mut opened, mut unread, count) = (Vec::new(), Vec::new(), files.len());
    for (number, file) in (0..).zip(files) {
        let name = name_of(&file);
        match open_file(file, number, stop) {
            Ok(Some((file, begun))) => {
                opened.push(file);
                unread.push(begun);
            }
            Ok(None) => return Ok((opened, Vec::new())),
            Err(error) if unread.is_empty() && usize::from(number) + 1 == count => return Err(error),
            Err(error) => {
                let file = File::new(name, None);
                file.fail((wording.explain)(&error));
                opened.push(file);
            }
        }
    }
    Ok((opened, unread))
}

fn name_of(file: &CollectionFile) -> String {
    let path = match &file.input {
        Ok(input) => Some(input.name()),
        Err(_) => file.path.as_deref(),
    };
    path.unwrap_or(Path::new("<stdin>")).display().to_string()
}

/// Opens a file, and finds out how it is written. `None` if the run is stopped before that.
fn open_file(file: CollectionFile, number: u16, stop: &AtomicBool) -> Result<Option<(File, Unread)>, Error> {
    let name = name_of(&file);
    let CollectionFile { path, input, options } = file;
    let mut input = input?;
    let detected = input.detect(&options, stop).map_err(|error| error.in_file(input.name()))?;
    let Some(layout) = detected else { return Ok(None) };
    let failed = |error| Error::other(format!("no temporary file can be made for its text: {error}"));
    let (content, open) = match path.and_then(Content::open) {
        Some((text, in_place)) => (Content { layout, text, in_place: Some(in_place) }, None),
        None => {
            let text = tempfile::tempfile().map_err(|error| failed(error).in_file(input.name()))?;
            (Content { layout, text, in_place: None }, Some(input))
        }
    };
    Ok(Some((File::new(name, Some(content)), Unread { number, open, options })))
}

impl Unread {
    /// Opens the file to be read from its first record on. `None` if it is not what it was, or the run is stopped.
    fn open(self, content: &Content, stop: &AtomicBool) -> Result<Option<Input>, Error> {
        let Some((path, _)) = &content.in_place else { return Ok(self.open) };
        let mut input = Input::open(Some(path), false)?;
        let layout = input.detect(&self.options, stop)?;
        let is_same = layout.is_some_and(|layout| {
            content.layout.difference(&layout).is_none() && content.layout.body == layout.body
        });
        Ok(is_same.then_some(input))
    }
}
