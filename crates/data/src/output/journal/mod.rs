//! Going on with a run that was broken off: a journal beside the incomplete output says how far its rows go.
//!
//! Rows go to `OUTPUT.partial`. About twice a second they are brought to the disk, and then `OUTPUT.journal` is replaced by
//! one that tells of them: the job, the place in the input with a checksum of what has been read, the counts, and the
//! length of the rows. A later run of the same job cuts the rows there, and goes on. When all is written the rows are
//! brought to the disk, the journal says that they are complete, they get their name, and the journal is removed.

mod entry;
mod error;
mod keeper;
mod opening;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use entry::{InputCounts, InputMark, Progress, Task};
pub(crate) use error::JournalError;

use super::destination::{Destination, check_no_input};
use super::partial::{PartialPaths, Saved};
use crate::error::{Error, ErrorKind};
use crate::packing::check_name;
use crate::record::ChunkReport;
use entry::Entry;
use keeper::{JournalFile, Keeper};
use opening::failed;

/// The time from one entry to the next.
const INTERVAL: Duration = Duration::from_millis(500);

/// The age of the last entry on the disk at which rows wait for the next one: so much work may be repeated.
const LATEST: Duration = Duration::from_millis(1000);

/// The journal of a run, and how far the run has come.
#[derive(Debug)]
pub(crate) struct Journal {
    task: Task,
    progress: Progress,
    paths: PartialPaths,
    file: JournalFile,
    keeper: Keeper,
    /// When this run began, less the time of earlier ones.
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
    pub(crate) fn open(
        path: &Path,
        inputs: &[Option<&Path>],
        task: Task,
    ) -> Result<(Destination, Journal), Error> {
        let no_file = || Error::other(JournalError::NoFile { path: path.to_owned() });
        let create_error = |error| Error::from(ErrorKind::Create { path: path.to_owned(), error });
        let paths = PartialPaths::of(path).map_err(create_error)?.ok_or_else(no_file)?;
        for path in [&paths.output, &paths.partial, &paths.journal] {
            check_no_input(Some(path), inputs)?;
        }
        check_name(path).map_err(create_error)?;
        let file = JournalFile::of(&paths);
        let (rows, earlier) = opening::open(&paths, &file, &task)?;
        let holds_rows = earlier.as_ref().is_some_and(|entry| entry.progress.has_begun());
        Journal::begin(paths, file, rows, earlier.unwrap_or_else(|| Entry::first(task)), holds_rows)
    }

    /// Begins to write behind the rows of an entry.
    fn begin(
        paths: PartialPaths,
        file: JournalFile,
        rows: File,
        entry: Entry,
        holds_rows: bool,
    ) -> Result<(Destination, Journal), Error> {
        let failed = |error| failed(&paths, error);
        let to_sync = rows.try_clone().map_err(failed)?;
        let destination = Destination::resume(&paths, rows, &entry.saved).map_err(failed)?;
        file.write(&entry).map_err(failed)?;
        let keeper = Keeper::start(&paths, to_sync).map_err(failed)?;
        let (begun, earlier_seconds) = (Instant::now(), entry.progress.seconds);
        let Entry { task, progress, .. } = entry;
        let (sent, kept) = (begun, begun);
        let journal = Journal {
            task,
            progress,
            paths,
            file,
            keeper,
            begun,
            earlier_seconds,
            sent,
            kept,
            has_sent: false,
            holds_rows,
        };
        Ok((destination, journal))
    }

    /// Returns how far the run has come, with its rows written, on the disk or not.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the time that all parts of the run have taken.
    fn elapsed(&self) -> Duration {
        self.begun.elapsed() + Duration::from_secs_f64(self.earlier_seconds)
    }

    /// Returns the incomplete file, if a later run can go on behind its rows.
    pub(crate) fn resumable(&mut self) -> Option<&Path> {
        self.settle();
        self.holds_rows.then_some(&*self.paths.partial)
    }

    /// Waits for the entry that is on its way, and notes whether one tells of rows.
    fn settle(&mut self) {
        self.holds_rows |= self.keeper.wait().is_ok() && self.has_sent;
    }

    /// Returns whether an output is one of the files of the run.
    pub(crate) fn takes(&self, output: &Path) -> bool {
        [&self.paths.output, &self.paths.partial, &self.paths.journal].iter().any(|path| **path == output)
    }

    /// Takes the report on a whole chunk whose rows have been written to `rows`, and keeps an entry where it is time.
    pub(crate) fn written(&mut self, chunk: &ChunkReport, rows: &mut Destination) -> io::Result<()> {
        let Some(item) = &chunk.item else { return Ok(()) };
        let mut place = chunk.before;
        place += chunk.size;
        self.progress.place = Some(place);
        self.progress.span.append(item.span);
        self.progress.tally.merge(&item.tally);
        if let Some(input) = self.progress.inputs.last_mut() {
            input.statuses.merge(&chunk.statuses);
        }
        self.keep_in_time(rows)
    }

    /// Changes the progress where an input begins or ends.
    pub(crate) fn update(&mut self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.progress);
    }

    /// Keeps an entry if the last one is long ago, and waits for it where that on the disk is too old.
    fn keep_in_time(&mut self, rows: &mut Destination) -> io::Result<()> {
        if self.sent.elapsed() < INTERVAL {
            return Ok(());
        }
        if self.keeper.is_busy()? {
            if self.kept.elapsed() < LATEST {
                return Ok(());
            }
            self.keeper.wait()?;
        }
        self.kept = self.sent;
        self.keep(rows)
    }

    /// Sends an entry to the disk.
    fn keep(&mut self, rows: &mut Destination) -> io::Result<()> {
        let saved = rows.save()?;
        self.sent = Instant::now();
        let entry = self.entry(saved);
        self.keeper.keep(entry)?;
        self.has_sent = true;
        Ok(())
    }

    /// Returns an entry about the rows so far.
    fn entry(&mut self, saved: Saved) -> Entry {
        self.progress.seconds = self.elapsed().as_secs_f64();
        Entry { task: self.task.clone(), progress: self.progress.clone(), saved }
    }

    /// Ends a run that is broken off, and returns the name of its incomplete file, unless there is nothing in it. `rows`
    /// end with a whole chunk; without them the last entry stands.
    pub(crate) fn break_off(mut self, rows: Option<Destination>) -> Result<Option<PathBuf>, Error> {
        let last = rows.filter(|_| self.progress.has_begun());
        let kept = last.map_or(Ok(()), |mut rows| self.keep(&mut rows)).and_then(|()| self.keeper.wait());
        kept.map_err(|error| ErrorKind::Write { error })?;
        Ok(self.resumable().map(Path::to_owned))
    }

    /// Gives the complete rows their name, and `beside` after them, and removes the journal.
    pub(crate) fn commit(mut self, rows: Destination, beside: Option<Destination>) -> Result<(), Error> {
        let write_error = |error| Error::from(ErrorKind::Write { error });
        self.keeper.wait().map_err(write_error)?;
        rows.commit_synced(|saved| {
            self.progress.is_complete = true;
            let entry = self.entry(saved);
            self.file.write(&entry).map_err(write_error)?;
            self.holds_rows = true;
            Ok(())
        })?;
        beside.map_or(Ok(()), Destination::commit)?;
        self.file.sync_directory().and_then(|()| self.file.remove()).map_err(write_error)
    }
}

impl Drop for Journal {
    /// Removes what nobody can go on with.
    fn drop(&mut self) {
        self.settle();
        if !self.holds_rows {
            let _ = fs::remove_file(&self.paths.partial);
            let _ = self.file.remove();
        }
    }
}
