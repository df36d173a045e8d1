//! The collection: the files that the page shows, and what is known about their records.
//!
//! - This file opens the files, and records in the index where each record is. An entry has 32 bytes.
//! - `index.rs` holds the entries.
//! - `files.rs` knows which files are shown, which row of the page is which record, and the other columns of the files, e.g. `id`.
//! - `background.rs` runs jobs on the records: on all of them, and first on those that the user looks at.
//! - `records.rs` reads a span of consecutive records from their file again, and parses it as before. If the file has changed, this
//!   is noticed, and the file has no rows until it is reloaded. If the file has grown, the new records are read too.
//! - `find.rs` searches for texts and puzzles.
//! - `view.rs` filters and sorts, and answers the page.
//! - `export.rs` makes downloads.

mod background;
mod export;
mod files;
mod find;
mod index;
mod records;
mod view;

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{
    Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak,
};
use std::time::Instant;

use gridmill_data::error::Error;
use gridmill_data::pipeline::{Chunk, Chunks, Input};
use gridmill_data::record::{Checksum, InputAmount};
use gridmill_data::text::{FaultAdvice, FormatOptions, lines_of};
use gridmill_report::eprint_message;
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::reply::{Answer, Refusal};
use background::Queue;
pub(super) use background::RateAll;
pub(super) use export::Export;
use files::{Files, Numbering};
use find::Search;
use index::{Entry, Index, Pass};
use records::{Content, File, KnownRecord, RecordReader, TextReader, reader_for};
use view::KeptView;
pub(super) use view::OneRecord;

/// The files that the page shows, and what is known about their records.
#[derive(Debug)]
pub struct Collection {
    files: RwLock<Arc<Files>>,
    /// Counts how often files were added, were removed or have grown, and how often records were removed.
    changes: AtomicU64,
    index: Index,
    is_indexed: AtomicBool,
    /// The files whose records have not been found yet.
    unread: Mutex<VecDeque<Unread>>,
    /// The work of the background.
    queue: Mutex<Queue>,
    /// Wakes the threads that wait for work.
    work_signal: Condvar,
    /// A count of references: this one, and one for each task that a thread is working on.
    open_tasks: Arc<()>,
    views: Mutex<Vec<KeptView>>,
    /// The latest searches.
    searches: Mutex<Vec<Arc<Search>>>,
    /// The flags that are set when the server ends, or earlier at a time of their own.
    flags: Mutex<Vec<(Option<Instant>, Weak<AtomicBool>)>>,
    /// A count of references: this one, and one for each request that is being answered.
    requests: Arc<()>,
    /// The error of the collection as a whole, if it has one.
    error: OnceLock<String>,
    wording: Wording,
    /// The number of bytes that are indexed together; `None` for the default.
    chunk_bytes: Option<usize>,
    /// Becomes true when the server ends.
    stop: Arc<AtomicBool>,
}

impl Collection {
    fn has_ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The present files.
    fn files(&self) -> Arc<Files> {
        Arc::clone(&read(&self.files))
    }

    /// The present numbers of rows.
    fn numbering(&self) -> Numbering {
        Numbering::new(self.files())
    }

    fn file_of(&self, entry: &Entry) -> Arc<File> {
        Arc::clone(read(&self.files).get(entry.file))
    }

    /// The number of a record in its file, from 1.
    fn number_of(&self, id: u32, entry: &Entry) -> u32 {
        self.file_of(entry).place(id).map_or(0, |place| place + 1)
    }

    /// The entries of some records, by their ids.
    fn known(&self, ids: impl IntoIterator<Item = u32>) -> Vec<KnownRecord> {
        ids.into_iter().filter_map(|id| Some((id, self.index.get(id)?))).collect()
    }

    /// The file with an id that the page got from the state of the collection.
    fn shown_file(&self, number: u16) -> Answer<Arc<File>> {
        let files = self.files();
        let gone = || Refusal::new(StatusCode::CONFLICT, "the file is no longer shown; load the page again");
        files.place(number).map(|_| Arc::clone(files.get(number))).ok_or_else(gone)
    }

    /// Records that a file was added or removed, or has grown.
    fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.index.touch();
        self.wake();
    }
}

/// Locks a mutex. A poisoned one can still be used, because a panic of an earlier holder can't have left its value half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(value: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    value.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(value: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    value.write().unwrap_or_else(PoisonError::into_inner)
}

/// The refusal of a request whose client has left.
fn given_up() -> Refusal {
    Refusal::bad("the request was cancelled")
}

/// Refuses a request whose client has left. The flag is set then.
fn check_client(stop: &AtomicBool) -> Answer {
    if stop.load(Ordering::Relaxed) { Err(given_up()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;

/// A file of the collection.
pub struct CollectionFile {
    /// The path from which it can be opened again; `None` if there is none, e.g. for a pipe.
    pub path: Option<PathBuf>,
    /// The open file, or the error that the page shows in place of its records.
    pub input: Result<Input, Error>,
    /// How to read the file.
    pub options: FormatOptions,
}

/// How errors are worded. A program with options adds here which of them helps, because this crate does not know them.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// Makes the message of an error.
    pub explain: fn(&Error) -> String,
    /// Makes the advice after the message of a malformed record.
    pub advice: FaultAdvice,
}

/// A file whose records have not been found yet: all of them, or those after the known ones.
#[derive(Debug)]
struct Unread {
    number: u16,
    /// The open input. `None` if the text is in place: it is then read from the file when it is needed, so that thousands of
    /// files do not keep as many inputs open.
    input: Option<Input>,
}

/// A question about a file, by its `id` in the state of the collection.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneFile {
    id: u16,
}

impl Collection {
    /// Opens files in order, and starts to index and search them in threads that end when `stop` becomes true.
    ///
    /// # Errors
    ///
    /// If none of the files can be read.
    pub fn open(
        files: impl ExactSizeIterator<Item = CollectionFile>,
        wording: Wording,
        stop: &Arc<AtomicBool>,
    ) -> Result<Arc<Collection>, Error> {
        Collection::with_limits(files, wording, None, u32::MAX, stop)
    }

    /// Opens files like [`Collection::open`], with a size of chunks for the index, and a limit for the records.
    fn with_limits(
        files: impl ExactSizeIterator<Item = CollectionFile>,
        wording: Wording,
        chunk_bytes: Option<usize>,
        limit: u32,
        stop: &Arc<AtomicBool>,
    ) -> Result<Arc<Collection>, Error> {
        if files.len() > usize::from(u16::MAX) {
            return Err(Error::other(format!("there are more than {} files; join some of them", u16::MAX)));
        }
        let (files, unread) = open_all(files, wording, stop)?;
        let collection = Arc::new(Collection {
            files: RwLock::new(Arc::new(Files::new(files))),
            changes: AtomicU64::new(0),
            index: Index::new(limit),
            is_indexed: AtomicBool::new(unread.is_empty()),
            unread: Mutex::new(unread.into()),
            queue: Mutex::default(),
            work_signal: Condvar::new(),
            open_tasks: Arc::default(),
            views: Mutex::default(),
            searches: Mutex::default(),
            flags: Mutex::default(),
            requests: Arc::default(),
            error: OnceLock::new(),
            wording,
            chunk_bytes,
            stop: Arc::clone(stop),
        });
        let begun = collection.begin();
        begun.map_err(|error| Error::other(format!("could not start the threads of the page: {error}")))?;
        Ok(collection)
    }

    /// Adds a file that was sent to the page, at the end and under this name. It is read while it arrives.
    pub(crate) fn take_in(&self, name: &str, text: impl io::Read + Send + 'static) -> Answer<Value> {
        let input = Ok(Input::from_reader(name, text));
        self.add(CollectionFile { path: None, input, options: FormatOptions::default() }, None)
    }

    /// Reads a changed file again, from its path on the command line.
    pub(crate) fn reload(&self, question: &OneFile) -> Answer<Value> {
        let file = self.shown_file(question.id)?;
        let source = file.source.clone().filter(|_| file.can_reload());
        let name = &file.name;
        let unchanged = || bad!("{name}: it has not changed, so there is nothing to reload");
        let (path, options) = source.ok_or_else(unchanged)?;
        // A special file, such as a pipe, could make the reader wait forever.
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(bad!(
                "{name}: it is no longer a file; remove it from the list, or restore the file and press Reload"
            ));
        }
        let input = Input::open(Some(&path), false);
        self.add(CollectionFile { path: Some(path), input, options }, Some(question.id))
    }

    /// Removes a file from the page.
    pub(crate) fn remove(&self, question: &OneFile) -> Answer<Value> {
        let file = self.shown_file(question.id)?;
        Arc::make_mut(&mut write(&self.files)).take_away(question.id);
        file.close();
        self.note_change();
        Ok(json!({}))
    }

    /// Adds a file at the end, or in place of another one.
    fn add(&self, file: CollectionFile, in_place_of: Option<u16>) -> Answer<Value> {
        let explained = |error: Error| Refusal::bad((self.wording.explain)(&error));
        let Some((file, input)) = open_file(file, &self.stop).map_err(explained)? else {
            return Err(given_up());
        };
        let full = || bad!("{} files have been opened, which is the limit; restart gridmill serve", u16::MAX);
        let number = Arc::make_mut(&mut write(&self.files)).add(file, in_place_of).ok_or_else(full)?;
        if let Some(old) = in_place_of {
            self.files().get(old).close();
        }
        self.is_indexed.store(false, Ordering::Release);
        lock(&self.unread).push_back(Unread { number, input });
        self.note_change();
        Ok(json!({ "id": number }))
    }

    /// Continues to read the files that have grown.
    fn read_on(&self) {
        for (number, file) in self.files().shown() {
            let is_waiting = !file.is_indexed.load(Ordering::Acquire) || file.is_broken();
            if is_waiting || !file.has_grown.swap(false, Ordering::AcqRel) {
                continue;
            }
            file.is_indexed.store(false, Ordering::Release);
            self.is_indexed.store(false, Ordering::Release);
            lock(&self.unread).push_back(Unread { number, input: None });
            self.note_change();
        }
    }

    /// Indexes the next file. Returns false if there is none.
    fn index_next(&self) -> bool {
        let Some(unread) = lock(&self.unread).pop_front() else { return false };
        let file = Arc::clone(read(&self.files).get(unread.number));
        if let Err(error) = self.index_file(&file, unread) {
            file.fail((self.wording.explain)(&error.in_file(Path::new(&file.name))));
        }
        file.is_indexed.store(true, Ordering::Release);
        if !self.has_ended() {
            // The lock is held, so that no file is added in between.
            let unread = lock(&self.unread);
            self.is_indexed.store(unread.is_empty(), Ordering::Release);
        }
        self.index.touch();
        self.wake();
        true
    }

    fn index_file(&self, file: &File, unread: Unread) -> Result<(), Error> {
        let (Some(content), number) = (&file.content, unread.number) else { return Ok(()) };
        // The marks are taken first, so that a change during the indexing differs from them.
        let marks = content.other_marks().unwrap_or(None);
        let (input, mut before, mut indexed) = match unread.input {
            Some(input) => {
                file.copy(0, input.preamble())?;
                let before = input.amount_before_chunks();
                (input, before, Checksum::default())
            }
            None => self.rest_of(file, content)?,
        };
        let (cutter, mut reader) = (reader_for(&content.layout), reader_for(&content.layout));
        let mut chunks = Chunks::new(&input, cutter.cut(), self.chunk_bytes, &self.stop);
        let mut taken = Ok(());
        let mut take = |chunk: &Chunk<'_>| {
            let known = indexed.bytes.saturating_sub(before.bytes).min(chunk.text.len() as u64);
            indexed.append(Checksum::of(&chunk.text[known as usize..]));
            taken = self.take(file, number, chunk, &mut before, &mut *reader);
            taken.is_ok() && !file.is_broken()
        };
        let mut goes_on = true;
        while goes_on && chunks.next(|chunk| goes_on = take(chunk))? {}
        taken?;
        if content.in_place.is_some() && !self.has_ended() {
            file.bytes.store(indexed.bytes, Ordering::Relaxed);
            *lock(&file.text_checked) = marks.map(|marks| (marks, Instant::now()));
            *lock(&file.indexed) = Some(indexed);
            file.has_grown.store(false, Ordering::Release);
        }
        // There is no message if the text was typed or is empty.
        let is_copied = content.in_place.is_none() && input.file().is_some() && before.bytes > 0;
        if is_copied && !self.has_ended() {
            // Among the copied texts, only those of compressed files have a known length.
            let copied = if input.known_len().is_some() { "unpacked" } else { "copied" };
            let note = format!("{copied} to a temporary file of {} bytes", before.bytes);
            eprint_message(format_args!("gridmill: {}: {note}\n", file.name));
            let _ = file.note.set(note);
        }
        file.check_unchanged();
        Ok(())
    }

    /// The unread rest of a text in place, the bytes before the rest, and the checksum of the known text. The last record is read
    /// again, because it may have been incomplete.
    fn rest_of(&self, file: &File, content: &Content) -> Result<(Input, InputAmount, Checksum), Error> {
        let failed = |error| Error::other(format!("reading failed: {error}"));
        let known = *lock(&file.indexed);
        let last = known.and_then(|_| file.take_last_id());
        let last = last.and_then(|id| self.forget(id, file));
        let body = content.layout.body_start;
        let begin = last.map_or(body as u64, |last| last.position);
        let known = match known {
            Some(known) => known,
            None => {
                let mut head = vec![0; body];
                io::Read::read_exact(&mut TextReader { text: &content.text, position: 0 }, &mut head)
                    .map_err(failed)?;
                Checksum::of(&head)
            }
        };
        let text = TextReader { text: content.text.try_clone().map_err(failed)?, position: begin };
        let before = InputAmount { bytes: begin, ..InputAmount::default() };
        Ok((Input::from_reader(&*file.name, text), before, known))
    }

    /// Clears the entry of a record whose id is not used any more, and returns the old entry.
    fn forget(&self, id: u32, file: &File) -> Option<Entry> {
        let mut forgotten = None;
        self.index.change(id..id + 1, |_, entries| {
            for entry in entries {
                forgotten = Some(std::mem::replace(entry, Entry { file: entry.file, ..Entry::MALFORMED }));
            }
        });
        let entry = forgotten?;
        for (pass, is_known) in
            [(Pass::Solve, entry.status.is_some()), (Pass::Rate, entry.rating.end().is_some())]
        {
            file.known[pass as usize].fetch_sub(u32::from(is_known), Ordering::AcqRel);
        }
        self.changes.fetch_add(1, Ordering::AcqRel);
        Some(entry)
    }

    /// Adds the records of a chunk to the index.
    fn take(
        &self,
        file: &File,
        number: u16,
        chunk: &Chunk<'_>,
        before: &mut InputAmount,
        reader: &mut dyn RecordReader,
    ) -> Result<(), Error> {
        file.copy(before.bytes, &chunk.text)?;
        reader.read(&chunk.text, chunk.too_long);
        let lines = lines_of(&chunk.text, reader.records());
        let entry = |(place, lines): (usize, Range<usize>)| Entry {
            position: before.bytes + lines.start as u64,
            len: lines.len() as u32,
            file: number,
            ..reader.entry(place)
        };
        let entries: Vec<Entry> = lines.enumerate().map(entry).collect();
        let puzzles = entries.iter().filter(|entry| entry.is_puzzle()).count();
        *before += InputAmount::for_chunk(entries.len(), puzzles, &chunk.text);
        let known = entries.iter().filter(|entry| entry.status.is_some()).count() as u32;
        let before = self.index.len();
        let appended = self.index.append(&entries);
        file.add_ids(before..self.index.len());
        file.known[Pass::Solve as usize].fetch_add(known, Ordering::AcqRel);
        // This is repeated, because a thread that saw the new rows may have missed the new counts.
        self.index.touch();
        self.wake();
        appended
    }
}

/// Opens all files that can be opened, and records the errors of the others. If none can be opened, returns the last error.
fn open_all(
    files: impl ExactSizeIterator<Item = CollectionFile>,
    wording: Wording,
    stop: &AtomicBool,
) -> Result<(Vec<File>, Vec<Unread>), Error> {
    let (mut opened, mut unread, count) = (Vec::new(), Vec::<Unread>::new(), files.len());
    for (number, file) in (0..).zip(files) {
        let (name, source) = (name_of(&file), source_of(&file));
        match open_file(file, stop) {
            Ok(Some((file, input))) => {
                opened.push(file);
                unread.push(Unread { number, input });
            }
            Ok(None) => return Ok((opened, Vec::new())),
            Err(error) if unread.is_empty() && usize::from(number) + 1 == count => return Err(error),
            Err(error) => {
                let file = File { source, ..File::new(name, None) };
                file.fail((wording.explain)(&error));
                opened.push(file);
            }
        }
    }
    Ok((opened, unread))
}

fn name_of(file: &CollectionFile) -> String {
    let path = file.input.as_ref().map_or(file.path.as_deref(), |input| Some(input.name()));
    path.unwrap_or(Path::new("<stdin>")).display().to_string()
}

/// The path and options for reading a file again, if it has a name.
fn source_of(file: &CollectionFile) -> Option<(PathBuf, FormatOptions)> {
    file.path.clone().map(|path| (path, file.options.clone()))
}

/// Opens a file, and detects its format. Also returns its input, unless the text is read in place. `None` if the run is stopped
/// first.
fn open_file(file: CollectionFile, stop: &AtomicBool) -> Result<Option<(File, Option<Input>)>, Error> {
    let (name, source) = (name_of(&file), source_of(&file));
    let CollectionFile { path, input, options } = file;
    let mut input = input?;
    let container = input.container(stop)?;
    let detected = input.detect(&options, stop).map_err(|error| error.in_file(input.name()))?;
    let Some(layout) = detected else { return Ok(None) };
    let failed = |error| Error::other(format!("could not create a temporary file for its text: {error}"));
    let (content, input) = match path.and_then(Content::open) {
        Some((text, in_place)) => (Content { layout, text, in_place: Some(in_place) }, None),
        None => {
            let text = tempfile::tempfile().map_err(|error| failed(error).in_file(input.name()))?;
            (Content { layout, text, in_place: None }, Some(input))
        }
    };
    Ok(Some((File { source, container, ..File::new(name, Some(content)) }, input)))
}
