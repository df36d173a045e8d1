//! Going on with a run that was broken off: a journal beside the incomplete output says how far its rows go.
//!
//! Rows go to `OUTPUT.partial`. About twice a second they are brought to the disk, and then `OUTPUT.journal` is replaced by
//! one that tells of them: the job, the place in the input with a checksum of what has been read, the counts, and the
//! length of the rows. A later run of the same job cuts the rows there, and goes on. When all is written the rows are
//! brought to the disk, the journal says that they are complete, they get their name, and the journal is removed.

mod entry;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use entry::{InputCounts, InputMark, Progress, Task};

use super::destination::{Destination, check_no_input};
use super::leftovers::{lock, remove_leftovers};
use super::partial::{PartialPaths, Saved, cut, read_tail};
use crate::error::{Error, ErrorKind};
use crate::packing::check_name;
use crate::record::ChunkReport;
use entry::Entry;

/// The time from one entry to the next.
const INTERVAL: Duration = Duration::from_millis(500);

/// The age of the last entry on the disk at which rows wait for the next one: so much work may be repeated.
const LATEST: Duration = Duration::from_millis(1000);

/// The journal of a run, and how far the run has come.
#[derive(Debug)]
pub(super) struct Journal {
    task: Task,
    /// How far the run has come, with its rows written, on the disk or not.
    pub(super) progress: Progress,
    paths: PartialPaths,
    /// The file of the rows, to bring them to the disk before an entry tells of them.
    rows: Arc<File>,
    /// The thread that writes an entry, so that rows go on while the disk works. One is under way at a time.
    under_way: Option<JoinHandle<io::Result<()>>>,
    /// When this run began, and the time that earlier ones took.
    begun: Instant,
    earlier_seconds: f64,
    /// When the entry was made that is on its way, and the last one that is on the disk.
    sent: Instant,
    kept: Instant,
    /// Whether an entry that tells of rows was sent to the disk.
    has_sent: bool,
    /// Whether an entry on the disk tells of rows, so that a later run can go on behind them.
    holds_rows: bool,
}

impl Journal {
    /// Begins a run, or goes on with an earlier one of the same task.
    ///
    /// # Errors
    ///
    /// Where there is an earlier run that can't be gone on with, or files can't be made.
    pub(super) fn open(
        path: &Path,
        inputs: &[Option<&Path>],
        task: Task,
    ) -> Result<(Destination, Journal), Error> {
        let no_file = || Error::other(format!("{}: --resume is for files", path.display()));
        let create_error = |error| Error::from(ErrorKind::Create { path: path.to_owned(), error });
        let paths = PartialPaths::of(path).map_err(create_error)?.ok_or_else(no_file)?;
        for path in [&paths.output, &paths.partial, &paths.journal] {
            check_no_input(Some(path), inputs)?;
        }
        check_name(path).map_err(create_error)?;
        let (rows, earlier) = open_rows(&paths, &task)?;
        let holds_rows = earlier.as_ref().is_some_and(|entry| entry.progress.has_begun());
        let entry =
            earlier.unwrap_or_else(|| Entry { task, progress: Progress::default(), saved: Saved::default() });
        let failed = |error| failed(&paths, error);
        let to_sync = rows.try_clone().map_err(failed)?;
        let destination = Destination::resume(&paths, rows, &entry.saved).map_err(failed)?;
        paths.write_journal(&entry.to_bytes()).map_err(failed)?;
        let begun = Instant::now();
        let Entry { task, progress, .. } = entry;
        let journal = Journal {
            earlier_seconds: progress.seconds,
            task,
            progress,
            paths,
            rows: Arc::new(to_sync),
            under_way: None,
            begun,
            sent: begun,
            kept: begun,
            has_sent: false,
            holds_rows,
        };
        Ok((destination, journal))
    }

    /// Returns the incomplete file, if a later run can go on behind its rows.
    pub(super) fn resumable(&mut self) -> Option<&Path> {
        // The entry that is on its way may be the first that tells of rows.
        self.holds_rows |= self.wait().is_ok() && self.has_sent;
        self.holds_rows.then_some(&*self.paths.partial)
    }

    /// Returns whether an output is one of the files of the run.
    pub(super) fn takes(&self, output: &Path) -> bool {
        [&self.paths.output, &self.paths.partial, &self.paths.journal].iter().any(|path| **path == output)
    }

    /// Takes the report on a whole chunk whose rows have been written to `rows`, and keeps an entry
    /// if the last one is long ago. Waits for that one where the one on the disk is too old.
    pub(super) fn written(&mut self, chunk: &ChunkReport, rows: &mut Destination) -> io::Result<()> {
        let Some(item) = &chunk.item else { return Ok(()) };
        let mut place = chunk.before;
        place += chunk.size;
        self.progress.place = Some(place);
        self.progress.span.append(item.span);
        self.progress.tally.merge(&item.tally);
        if let Some(input) = self.progress.inputs.last_mut() {
            input.statuses.merge(&chunk.statuses);
        }
        if self.sent.elapsed() < INTERVAL {
            return Ok(());
        }
        let is_busy = self.under_way.as_ref().is_some_and(|thread| !thread.is_finished());
        if is_busy && self.kept.elapsed() < LATEST {
            return Ok(());
        }
        self.wait()?;
        self.kept = self.sent;
        self.keep(rows)
    }

    /// Waits until no entry is on its way.
    fn wait(&mut self) -> io::Result<()> {
        let written = self.under_way.take().map_or(Ok(Ok(())), JoinHandle::join);
        written.unwrap_or_else(|_| Err(io::Error::other("the thread that writes the journal has ended")))
    }

    /// Sends an entry to the disk.
    fn keep(&mut self, rows: &mut Destination) -> io::Result<()> {
        let saved = rows.save()?;
        self.sent = Instant::now();
        self.wait()?;
        let (entry, rows, paths) = (self.entry(saved), Arc::clone(&self.rows), self.paths.clone());
        let write = move || rows.sync_data().and_then(|()| paths.write_journal(&entry.to_bytes()));
        self.under_way = Some(thread::Builder::new().name("journal".to_owned()).spawn(write)?);
        self.has_sent = true;
        Ok(())
    }

    /// Returns an entry about the rows so far.
    fn entry(&mut self, saved: Saved) -> Entry {
        self.progress.seconds = self.begun.elapsed().as_secs_f64() + self.earlier_seconds;
        Entry { task: self.task.clone(), progress: self.progress.clone(), saved }
    }

    /// Ends a run that is broken off, and returns the name of its incomplete file, unless there is nothing in it. `rows`
    /// end with a whole chunk; without them the last entry stands.
    pub(super) fn break_off(mut self, rows: Option<Destination>) -> Result<Option<PathBuf>, Error> {
        let last = rows.filter(|_| self.progress.has_begun());
        let kept = last.map_or(Ok(()), |mut rows| self.keep(&mut rows)).and_then(|()| self.wait());
        kept.map_err(|error| ErrorKind::Write { error })?;
        Ok(self.resumable().map(Path::to_owned))
    }

    /// Gives the complete rows their name, and `beside` after them, and removes the journal.
    pub(super) fn commit(mut self, rows: Destination, beside: Option<Destination>) -> Result<(), Error> {
        let write_error = |error| Error::from(ErrorKind::Write { error });
        self.wait().map_err(write_error)?;
        rows.commit_synced(|saved| {
            self.progress.is_complete = true;
            let entry = self.entry(saved);
            self.paths.write_journal(&entry.to_bytes()).map_err(write_error)?;
            self.holds_rows = true;
            Ok(())
        })?;
        beside.map_or(Ok(()), Destination::commit)?;
        self.paths.sync_directory().and_then(|()| self.paths.remove_journal()).map_err(write_error)
    }
}

impl Drop for Journal {
    /// Removes what nobody can go on with.
    fn drop(&mut self) {
        if self.resumable().is_none() {
            let _ = fs::remove_file(&self.paths.partial);
            let _ = self.paths.remove_journal();
        }
    }
}

/// Opens the incomplete file for this process alone, cut to the rows that the journal tells of, with what it says;
/// `None` for a run that begins. All is found, locked and checked before anything is changed.
///
/// # Errors
///
/// Where another run writes the file, or where the earlier run can't be continued. Then no file has changed.
fn open_rows(paths: &PartialPaths, task: &Task) -> Result<(File, Option<Entry>), Error> {
    let (mut rows, is_new) =
        paths.open().map_err(|error| failed(paths, error))?.ok_or_else(|| busy(paths))?;
    let found = find(paths, task, &mut rows, is_new);
    let is_empty = || rows.metadata().is_ok_and(|rows| rows.len() == 0);
    if found.is_err() && is_new && is_empty() && paths.is_incomplete(&rows) {
        // It was made for nothing.
        let _ = fs::remove_file(&paths.partial);
    }
    let entry = found?;
    if let (Some(directory), Some(name)) = (paths.output.parent(), paths.output.file_name()) {
        remove_leftovers(directory, name);
    }
    if let Some(entry) = &entry {
        cut(&rows, &entry.saved).map_err(|error| failed(paths, error))?;
    }
    Ok((rows, entry))
}

/// Finds an earlier run of the same task, whose rows are as its journal says, as far as their length and their end show
/// it; `None` if there is none.
fn find(paths: &PartialPaths, task: &Task, rows: &mut File, is_new: bool) -> Result<Option<Entry>, Error> {
    let (journal, partial) = (paths.journal.display(), paths.partial.display());
    let refused = |message: String| Err(Error::other(message));
    let length_of =
        |rows: &File| rows.metadata().map(|rows| rows.len()).map_err(|error| failed(paths, error));
    let read = paths.read_journal().and_then(|bytes| bytes.map(|bytes| Entry::of_bytes(&bytes)).transpose());
    let entry = match read {
        Ok(Some(entry)) => entry,
        Ok(None) if length_of(rows)? == 0 => return Ok(None),
        Ok(None) => {
            return refused(format!(
                "{partial}: there is no journal that says how far these rows go; move them away to begin anew"
            ));
        }
        Err(error) => {
            return refused(format!(
                "{journal}: this journal can't be relied on: {error}; to begin anew, remove it and {partial}"
            ));
        }
    };
    if let Some(difference) = entry.task.difference(task) {
        return refused(format!(
            "{journal}: this journal is of another run: {difference}; run it as then, or remove the journal and {partial} to begin anew"
        ));
    }
    if is_new && let Some(named) = named(paths, &entry) {
        // Its last steps are made again, unless the run itself is at them.
        if !lock(&named) {
            return Err(busy(paths));
        }
        fs::rename(&paths.output, &paths.partial).map_err(|error| failed(paths, error))?;
        *rows = named;
    }
    let (found, wanted) = (length_of(rows)?, entry.saved.bytes);
    if found < wanted {
        return refused(format!(
            "{partial}: {found} bytes are left of the {wanted} that {journal} tells of; remove both to begin anew"
        ));
    }
    let tail = read_tail(rows, wanted).map_err(|error| failed(paths, error))?;
    if crc32fast::hash(&tail) != entry.saved.tail {
        return refused(format!(
            "{partial}: these are not the rows that {journal} tells of; remove both to begin anew"
        ));
    }
    Ok(Some(entry))
}

/// Returns the rows of a complete run that got their name before its journal was removed.
fn named(paths: &PartialPaths, entry: &Entry) -> Option<File> {
    let output = OpenOptions::new().read(true).write(true).open(&paths.output);
    let output = output.ok().filter(|_| entry.progress.is_complete)?;
    let is_long = output.metadata().is_ok_and(|output| output.len() == entry.saved.bytes);
    let tail = read_tail(&output, entry.saved.bytes).ok().filter(|_| is_long)?;
    (crc32fast::hash(&tail) == entry.saved.tail).then_some(output)
}

/// Returns the error where another run writes the incomplete file.
fn busy(paths: &PartialPaths) -> Error {
    Error::other(format!("{}: another run is writing it", paths.partial.display()))
}

/// Returns the error for files of an output that can't be made or opened.
fn failed(paths: &PartialPaths, error: io::Error) -> Error {
    ErrorKind::Create { path: paths.name.clone(), error }.into()
}
