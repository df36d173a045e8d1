//! The files of a run that begins or goes on: found, locked and checked before anything is changed.

use std::fs::{self, File, OpenOptions};
use std::io;

use super::entry::{Entry, Task};
use super::error::JournalError;
use super::keeper::JournalFile;
use crate::error::{Error, ErrorKind};
use crate::output::leftovers::{lock, remove_leftovers};
use crate::output::partial::{PartialPaths, cut, read_tail};

/// Opens the incomplete file for this process alone, cut to the rows that the journal tells of, with what it says;
/// `None` for a run that begins.
///
/// # Errors
///
/// Where another run writes the file, or the earlier one can't be gone on with: all is as it was then.
pub(super) fn open(
    paths: &PartialPaths,
    journal: &JournalFile,
    task: &Task,
) -> Result<(File, Option<Entry>), Error> {
    let busy = || Error::other(JournalError::Busy { partial: paths.partial.clone() });
    let (mut rows, is_new) = paths.open().map_err(|error| failed(paths, error))?.ok_or_else(busy)?;
    let found = find(paths, journal, task, &mut rows, is_new);
    if found.is_err() && is_new {
        remove_if_empty(paths, &rows);
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

/// Removes an incomplete file that was made for nothing.
fn remove_if_empty(paths: &PartialPaths, rows: &File) {
    if rows.metadata().is_ok_and(|rows| rows.len() == 0) && paths.is_incomplete(rows) {
        let _ = fs::remove_file(&paths.partial);
    }
}

/// Finds an earlier run of the same task, whose rows are as its journal says; `None` if there is none.
fn find(
    paths: &PartialPaths,
    file: &JournalFile,
    task: &Task,
    rows: &mut File,
    is_new: bool,
) -> Result<Option<Entry>, Error> {
    let entry = earlier(paths, file, task).map_err(Error::other)?;
    let Some(entry) = entry else {
        let found = rows.metadata().map_err(|error| failed(paths, error))?.len();
        return if found == 0 { Ok(None) } else { Err(Error::other(no_journal(paths))) };
    };
    if is_new && let Some(named) = named(paths, &entry) {
        // Its last steps are made again, unless the run itself is at them.
        if !lock(&named) {
            return Err(Error::other(JournalError::Busy { partial: paths.partial.clone() }));
        }
        fs::rename(&paths.output, &paths.partial).map_err(|error| failed(paths, error))?;
        *rows = named;
    }
    check_rows(paths, rows, &entry).map_err(|error| failed(paths, error))??;
    Ok(Some(entry))
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

/// Checks that the rows are those that an entry tells of, as far as their length and their end show it.
fn check_rows(paths: &PartialPaths, rows: &File, entry: &Entry) -> io::Result<Result<(), Error>> {
    let PartialPaths { journal, partial, .. } = paths.clone();
    let (found, wanted) = (rows.metadata()?.len(), entry.saved.bytes);
    if found < wanted {
        return Ok(Err(Error::other(JournalError::Lost { journal, partial, found, wanted })));
    }
    let is_same = crc32fast::hash(&read_tail(rows, wanted)?) == entry.saved.tail;
    Ok(if is_same { Ok(()) } else { Err(Error::other(JournalError::OtherRows { journal, partial })) })
}

/// Returns the rows of a complete run that got their name before its journal was removed.
fn named(paths: &PartialPaths, entry: &Entry) -> Option<File> {
    let output = OpenOptions::new().read(true).write(true).open(&paths.output);
    let output = output.ok().filter(|_| entry.progress.is_complete)?;
    let is_long = output.metadata().is_ok_and(|output| output.len() == entry.saved.bytes);
    let tail = read_tail(&output, entry.saved.bytes).ok().filter(|_| is_long)?;
    (crc32fast::hash(&tail) == entry.saved.tail).then_some(output)
}

fn no_journal(paths: &PartialPaths) -> JournalError {
    JournalError::NoJournal { partial: paths.partial.clone() }
}

/// Returns the error for files of an output that can't be made or opened.
pub(super) fn failed(paths: &PartialPaths, error: io::Error) -> Error {
    ErrorKind::Create { path: paths.name.clone(), error }.into()
}
