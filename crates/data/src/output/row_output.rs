//! The output of a command that makes rows, with or without a journal.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::destination::{Destination, check_no_input};
use super::journal::{Journal, Progress, Task};
use super::partial::PartialPaths;
use crate::error::{Error, ErrorKind};
use crate::record::ChunkReport;

/// Where the rows of a command go. The pipeline hands it the rows of a chunk, and tells it by another handle what was
/// written.
#[derive(Debug)]
pub struct RowOutput {
    rows: RefCell<Destination>,
    journal: RefCell<Option<Journal>>,
    /// The files of an earlier run that was broken off, without a journal of this one.
    earlier: Option<PartialPaths>,
    /// Why the journal could not be kept: the next write fails by it.
    failure: RefCell<Option<io::Error>>,
    /// Whether the rows end within a chunk, as far as the journal knows.
    is_within_chunk: Cell<bool>,
}

impl RowOutput {
    /// Takes an output without a journal.
    pub fn plain(rows: Destination) -> RowOutput {
        RowOutput::of(rows, None, None)
    }

    /// Takes an output without a journal, and finds the files of an earlier run that was broken off: they go when this one
    /// is complete, unless they are inputs; `None` is standard input.
    pub fn anew(rows: Destination, inputs: &[Option<&Path>]) -> RowOutput {
        let paths = rows.file_name().and_then(|path| PartialPaths::of(path).ok().flatten());
        let are_inputs = |paths: &PartialPaths| {
            [&paths.partial, &paths.journal].iter().any(|path| check_no_input(Some(path), inputs).is_err())
        };
        RowOutput::of(rows, None, paths.filter(|paths| paths.has_journal() && !are_inputs(paths)))
    }

    fn of(rows: Destination, journal: Option<Journal>, earlier: Option<PartialPaths>) -> RowOutput {
        let (rows, journal) = (RefCell::new(rows), RefCell::new(journal));
        RowOutput { rows, journal, earlier, failure: RefCell::default(), is_within_chunk: Cell::default() }
    }

    /// Returns the journal of another run that this one does not go on with, and whether that run is under way.
    pub fn other_journal(&self) -> Option<(PathBuf, bool)> {
        let paths = self.earlier.as_ref().filter(|paths| paths.partial.is_file())?;
        Some((paths.journal.clone(), paths.is_busy()))
    }

    /// Begins a run with a journal, or goes on with one. None of the inputs may be the output, nor beside it by the names
    /// of its incomplete file and its journal; `None` is standard input.
    ///
    /// # Errors
    ///
    /// Where an earlier run can't be gone on with, or the files can't be made.
    pub fn resume(path: &Path, inputs: &[Option<&Path>], task: Task) -> Result<RowOutput, Error> {
        let (rows, journal) = Journal::open(path, inputs, task)?;
        Ok(RowOutput::of(rows, Some(journal), None))
    }

    /// Returns whether there is a journal.
    pub fn has_journal(&self) -> bool {
        self.journal.borrow().is_some()
    }

    /// Returns how far the run has come, if there is a journal.
    pub fn progress(&self) -> Option<Progress> {
        self.journal.borrow().as_ref().map(|journal| journal.progress.clone())
    }

    /// Changes the progress, where an input begins or ends.
    pub fn update(&self, change: impl FnOnce(&mut Progress)) {
        if let Some(journal) = &mut *self.journal.borrow_mut() {
            change(&mut journal.progress);
        }
    }

    /// Writes rows, and takes all there are.
    pub fn take(&self, rows: &[u8]) -> Result<ControlFlow<()>, Error> {
        self.is_within_chunk.set(true);
        let written = self.failure.take().map_or_else(|| self.rows.borrow_mut().write_all(rows), Err);
        written.map(ControlFlow::Continue).map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Takes the report on a chunk that was written.
    pub fn written(&self, chunk: &ChunkReport) {
        let Some(journal) = &mut *self.journal.borrow_mut() else { return };
        self.is_within_chunk.set(false);
        // The first failure counts: a disk tells of what it lost once.
        let failure = &mut *self.failure.borrow_mut();
        if failure.is_none() {
            *failure = journal.written(chunk, &mut self.rows.borrow_mut()).err();
        }
    }

    /// Returns the incomplete file, if a later run can go on behind its rows.
    pub fn resumable(&self) -> Option<PathBuf> {
        self.journal.borrow_mut().as_mut()?.resumable().map(Path::to_owned)
    }

    /// Returns whether this output and another are one file, or both standard output.
    pub fn is_same(&self, other: &Destination) -> bool {
        let is_beside = |path| self.journal.borrow().as_ref().is_some_and(|journal| journal.takes(path));
        self.rows.borrow().is_same(other) || other.file_name().is_some_and(is_beside)
    }

    /// Gives the complete file its name, and `beside` after it.
    pub fn commit(self, beside: Option<Destination>) -> Result<(), Error> {
        if let Some(error) = self.failure.take() {
            return Err(ErrorKind::Write { error }.into());
        }
        let rows = self.rows.into_inner();
        if let Some(journal) = self.journal.into_inner() {
            return journal.commit(rows, beside);
        }
        Destination::commit_all([rows].into_iter().chain(beside))?;
        let removed = self.earlier.map_or(Ok(()), |earlier| earlier.remove());
        removed.map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Keeps the file of a run that was stopped, and returns its name.
    pub fn keep_partial(self) -> Result<Option<PathBuf>, Error> {
        let rows = self.rows.into_inner();
        match self.journal.into_inner() {
            Some(journal) => journal.break_off((!self.is_within_chunk.get()).then_some(rows)),
            None => rows.keep_partial(),
        }
    }
}
