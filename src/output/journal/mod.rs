//! Going on with a run that was broken off: a journal beside the incomplete output says how far its rows go.
//!
//! Rows go to `OUTPUT.partial`. About twice a second they are brought to the disk, and then `OUTPUT.journal` is replaced by
//! one that tells of them: the job, the place in the input with a checksum of what has been read, the counts, and the
//! length of the rows. A later run of the same job cuts the rows there, and goes on. When all is written the rows are
//! brought to the disk, the journal says that they are complete, they get their name, and the journal is removed.

mod entry;
mod error;
mod keeper;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use entry::{InputMark, Progress, Task};
pub(crate) use error::JournalError;

use super::destination::{Destination, check_no_input};
use super::partial::{PartialPaths, cut};
use crate::error::{Error, ErrorKind};
use crate::packing::check_name;
use crate::record::ChunkReport;
use entry::Entry;
use keeper::{JournalFile, Keeper};

/// The time from one entry to the next.
const INTERVAL: Duration = Duration::from_millis(500);

/// The age of the last entry on the disk at which rows wait for the next one: so much work may be repeated.
const LATEST: Duration = Duration::from_millis(1500);

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
    /// Whether there are rows that an entry tells of.
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
        let failed = |error| ErrorKind::Create { path: path.to_owned(), error };
        let no_file = || JournalError::NoFile { path: path.to_owned() };
        let paths = PartialPaths::of(path).map_err(failed)?.ok_or_else(no_file).map_err(Error::other)?;
        for path in [&paths.output, &paths.partial, &paths.journal] {
            check_no_input(Some(path), inputs)?;
        }
        check_name(&paths.output).map_err(failed)?;
        let file = JournalFile::of(&paths);
        let earlier = earlier(&paths, &file, &task).map_err(Error::other)?;
        if earlier.as_ref().is_some_and(|entry| was_named(&paths, entry)) {
            fs::rename(&paths.output, &paths.partial).map_err(failed)?;
        }
        let busy = || JournalError::Busy { partial: paths.partial.clone() };
        let rows = paths.open().map_err(failed)?.ok_or_else(busy).map_err(Error::other)?;
        let found = rows.metadata().map_err(failed)?.len();
        let holds_rows = earlier.is_some();
        let entry = match earlier {
            None if found > 0 => {
                return Err(Error::other(JournalError::NoJournal { partial: paths.partial }));
            }
            Some(Entry { saved, .. }) if saved.bytes > found => {
                let PartialPaths { journal, partial, .. } = paths;
                let wanted = saved.bytes;
                return Err(Error::other(JournalError::Lost { journal, partial, found, wanted }));
            }
            earlier => earlier.unwrap_or_else(|| Entry::first(task)),
        };
        cut(&rows, &entry.saved).map_err(failed)?;
        let to_sync = rows.try_clone().map_err(failed)?;
        file.write(&entry).map_err(failed)?;
        let keeper = Keeper::start(&paths, to_sync).map_err(failed)?;
        let destination = Destination::resume(&paths, rows, &entry.saved).map_err(failed)?;
        let Entry { task, progress, .. } = entry;
        let (begun, earlier_seconds) = (Instant::now(), progress.seconds);
        let journal = Journal {
            task,
            progress,
            paths,
            file,
            keeper,
            begun,
            earlier_seconds,
            sent: begun,
            kept: begun,
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

    /// Takes the report on a chunk whose rows have been written to `rows`, and keeps an entry where it is time. Returns
    /// whether the chunk is whole.
    pub(crate) fn written(&mut self, chunk: &ChunkReport, rows: &mut Destination) -> io::Result<bool> {
        let Some(item) = chunk.item.as_ref().filter(|item| !item.cut_short) else { return Ok(false) };
        let mut place = chunk.before;
        place += chunk.size;
        self.progress.place = Some(place);
        self.progress.span.append(item.span);
        self.progress.tally.merge(&item.tally);
        if let Some(verdicts) = self.progress.verdicts.last_mut() {
            verdicts.merge(&chunk.verdicts);
        }
        self.keep_in_time(rows)?;
        Ok(true)
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
        self.progress.seconds = self.elapsed().as_secs_f64();
        self.sent = Instant::now();
        self.holds_rows = true;
        self.keeper.keep(Entry { task: self.task.clone(), progress: self.progress.clone(), saved })
    }

    /// Ends a run that is broken off, and returns the name of its incomplete file. `rows` end with a whole chunk; without
    /// them the last entry stands.
    pub(crate) fn break_off(mut self, rows: Option<Destination>) -> Result<Option<PathBuf>, Error> {
        self.holds_rows = true;
        let kept = rows.map_or(Ok(()), |mut rows| self.keep(&mut rows)).and_then(|()| self.keeper.wait());
        kept.map_err(|error| ErrorKind::Write { error })?;
        Ok(Some(self.paths.partial.clone()))
    }

    /// Gives the complete rows their name, and removes the journal.
    pub(crate) fn commit(mut self, rows: Destination) -> Result<(), Error> {
        let write_error = |error| Error::from(ErrorKind::Write { error });
        self.keeper.wait().map_err(write_error)?;
        self.holds_rows = true;
        rows.commit_synced(|bytes| {
            self.progress.is_complete = true;
            self.progress.seconds = self.elapsed().as_secs_f64();
            let saved = super::partial::Saved { bytes, rest: Vec::new() };
            let entry = Entry { task: self.task.clone(), progress: self.progress.clone(), saved };
            self.file.write(&entry).map_err(write_error)
        })?;
        self.file.sync_directory().and_then(|()| self.file.remove()).map_err(write_error)
    }
}

impl Drop for Journal {
    /// Removes what nobody can go on with.
    fn drop(&mut self) {
        if !self.holds_rows {
            let _ = fs::remove_file(&self.paths.partial);
            let _ = self.file.remove();
        }
    }
}

/// Reads the journal of an earlier run, which must be of the same task.
fn earlier(paths: &PartialPaths, file: &JournalFile, task: &Task) -> Result<Option<Entry>, JournalError> {
    let (journal, partial) = (paths.journal.clone(), paths.partial.clone());
    match file.read() {
        Err(error) => Err(JournalError::Unreadable { journal, partial, error }),
        Ok(None) => Ok(None),
        Ok(Some(entry)) => match entry.task.difference(task) {
            Some(difference) => Err(JournalError::OtherTask { journal, partial, difference }),
            None => Ok(Some(entry)),
        },
    }
}

/// Returns whether the rows of a complete run got their name before its journal was removed.
fn was_named(paths: &PartialPaths, entry: &Entry) -> bool {
    let is_whole = fs::metadata(&paths.output).is_ok_and(|output| output.len() == entry.saved.bytes);
    entry.progress.is_complete && !paths.partial.exists() && is_whole
}
