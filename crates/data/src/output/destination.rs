//! The place where rows are written: standard output, or a file that gets its name when it is complete,
//! with or without a journal.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gridmill_core::generate::MadeStats;
use same_file::Handle;
use tempfile::Builder;

use super::journal::{Journal, PartialPaths, RunProgress, Saved, Task, read_tail};
use super::staged_file::{SUFFIX, StagedFile, lock, remove_leftovers};
use crate::error::{Error, ErrorKind, display_name};
#[cfg(feature = "columnar")]
use crate::packing::{Container, ContainerEncoder};
use crate::packing::{Encoder, FrameEncoder, Packing, TableColumns, check_name, split_member};
use crate::record::ChunkReport;

/// An output that is being written.
///
/// A file is written under a temporary name in the same directory, and [`Destination::commit`] renames it.
/// If it is dropped before that, it is removed. So a file with the output's name is always complete.
/// Devices and pipes are written directly. If the name ends in `.gz`, `.zst` or `.xz`, the output is
/// compressed. If it ends in `.parquet` or `.arrow`, the rows become columns, once
/// [`Destination::set_container_columns`] has set their types.
#[derive(Debug)]
pub struct Destination {
    name: Option<PathBuf>,
    /// Compresses the rows, or turns them into columns, if the name asks for it.
    encoder: Option<Box<dyn Encoder>>,
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Stdout(StandardOutput),
    Direct(File),
    Staged { file: StagedFile, path: PathBuf },
}

/// The temporary files of this process, so that they can be removed at an exit without destructors
/// (Ctrl-C).
static STAGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How many links of a path are followed; Linux follows as many.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Opens standard output (`None`) or prepares a file, before the inputs are open. The inputs (`None`
    /// for standard input) are needed to check that the output is not one of them. Only regular files are
    /// opened for this check, and closed again.
    ///
    /// # Errors
    ///
    /// If the file can't be created, or is one of the inputs.
    pub fn create_apart_from(path: Option<&Path>, inputs: &[Option<&Path>]) -> Result<Destination, Error> {
        check_no_input(path, inputs)?;
        Destination::create(path)
    }

    /// Opens standard output (`None`) or prepares a file, for commands without an input.
    ///
    /// # Errors
    ///
    /// If the file can't be created.
    pub fn create(path: Option<&Path>) -> Result<Destination, Error> {
        let name = display_name(path, "<stdout>");
        let writer = match path {
            None => Ok(Writer::Stdout(StandardOutput)),
            Some(path) => check_name(path).and_then(|()| open_file(path)),
        };
        let writer = writer.map_err(|error| ErrorKind::Create { path: name.to_owned(), error })?;
        let encoder = FrameEncoder::new(path.and_then(Packing::from_name)).map(boxed);
        Ok(Destination { name: path.map(Path::to_owned), encoder, writer })
    }

    /// Sets the columns of a Parquet or Arrow table. The following rows, which must be CSV, are written as such a table
    /// if the name of the file chooses one (e.g. `rows.parquet`) and the feature `columnar` is enabled.
    pub fn set_container_columns(&mut self, columns: &TableColumns) {
        #[cfg(feature = "columnar")]
        if let Some(container) = self.name.as_deref().and_then(Container::from_name) {
            self.encoder = Some(Box::new(ContainerEncoder::new(container, columns.clone())));
        }
        #[cfg(not(feature = "columnar"))]
        let _ = (self, columns);
    }

    /// Continues an incomplete file after the part that was saved. The file is never removed, so that
    /// another attempt can resume it.
    pub(super) fn resume(paths: &PartialPaths, file: File, saved: &Saved) -> io::Result<Destination> {
        let tail = read_tail(&file, saved.bytes)?;
        let file = StagedFile::kept(file, paths.partial.clone(), saved.bytes, tail)?;
        let writer = Writer::Staged { file, path: paths.output.clone() };
        let encoder = FrameEncoder::new(Packing::from_name(&paths.name));
        let encoder = encoder.map(|encoder| boxed(encoder.resumed(saved.rest.clone(), saved.bytes > 0)));
        Ok(Destination { name: Some(paths.name.clone()), encoder, writer })
    }

    /// Flushes complete frames to the system, and returns where they end.
    pub(super) fn save(&mut self) -> io::Result<Saved> {
        self.flush()?;
        let Writer::Staged { file, .. } = &self.writer else { return Ok(Saved::default()) };
        let rest = self.encoder.as_ref().map_or(&[][..], |encoder| encoder.rest()).to_vec();
        Ok(Saved { bytes: file.written(), tail_crc32: file.tail_crc32(), rest })
    }

    /// Gives a complete file its name, once it is synced to disk and `note` has recorded that.
    pub(super) fn commit_synced(self, note: impl FnOnce(Saved) -> Result<(), Error>) -> Result<(), Error> {
        let name = self.name.clone();
        let writer = self.finish()?;
        if let Writer::Staged { file, .. } = &writer {
            let synced = file.file().sync_all().map_err(|error| about(name.as_deref(), error));
            synced.map_err(|error| ErrorKind::Write { error })?;
            note(Saved { bytes: file.written(), tail_crc32: file.tail_crc32(), rest: Vec::new() })?;
        }
        writer.keep_as(Path::to_owned).map(drop)
    }

    /// The name that the file will get.
    fn file_name(&self) -> Option<&Path> {
        match &self.writer {
            Writer::Staged { path, .. } => Some(path),
            Writer::Stdout(_) | Writer::Direct(_) => None,
        }
    }

    /// Returns whether both write to standard output, or to the same file.
    #[must_use]
    pub fn is_same(&self, other: &Destination) -> bool {
        match (&self.writer, &other.writer) {
            (Writer::Stdout(_), Writer::Stdout(_)) => true,
            (Writer::Staged { path, .. }, Writer::Staged { path: other, .. }) => path == other,
            _ => false,
        }
    }

    /// Gives a complete file its name.
    ///
    /// # Errors
    ///
    /// If the end of the file can't be written, or the file can't be renamed.
    pub fn commit(self) -> Result<(), Error> {
        Destination::commit_all([self])
    }

    /// Gives several files their names, after all of them have been written completely.
    ///
    /// # Errors
    ///
    /// If the end of a file can't be written (then no file gets its name), or a file can't be renamed.
    pub fn commit_all(all: impl IntoIterator<Item = Destination>) -> Result<(), Error> {
        let finished = all.into_iter().map(Destination::finish).collect::<Result<Vec<_>, _>>()?;
        finished.into_iter().try_for_each(|writer| writer.keep_as(Path::to_owned).map(drop))
    }

    /// Keeps an incomplete file under its name with `.partial`, and returns that name; `None` without a
    /// file. If a journal already exists for that name, its incomplete file stays and this one is removed,
    /// because a later run can resume the other one.
    ///
    /// # Errors
    ///
    /// If the end of the file can't be written, or the file can't be renamed.
    pub fn keep_partial(self) -> Result<Option<PathBuf>, Error> {
        let writer = self.finish()?;
        if let Writer::Staged { path, .. } = &writer
            && let Ok(Some(paths)) = PartialPaths::for_output(path)
            && paths.has_journal()
        {
            return Ok(None);
        }
        writer.keep_as(Destination::partial_name)
    }

    /// The name of the incomplete file for an output of that name.
    #[must_use]
    pub fn partial_name(path: &Path) -> PathBuf {
        with_ending(path, ".partial")
    }

    /// Finishes the compression and the file.
    fn finish(mut self) -> Result<Writer, Error> {
        let to = self.writer.as_write();
        let packed = self.encoder.map_or(Ok(()), |encoder| encoder.finish(to));
        let finished = packed.and_then(|()| match &mut self.writer {
            Writer::Staged { file, .. } => file.finish(),
            writer => writer.as_write().flush(),
        });
        finished.map_err(|error| ErrorKind::Write { error: about(self.name.as_deref(), error) })?;
        Ok(self.writer)
    }
}

fn boxed(encoder: FrameEncoder) -> Box<dyn Encoder> {
    Box::new(encoder)
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Checks that an output is not one of the inputs (`None` for standard input).
pub(super) fn check_no_input(path: Option<&Path>, inputs: &[Option<&Path>]) -> Result<(), Error> {
    let output = match path {
        // Only regular files: opening a named pipe would wait for its reader.
        Some(path) => handle_of_file(path),
        None => handle_of(&io::stdout()).ok().filter(is_regular),
    };
    let Some(output) = output else { return Ok(()) };
    let is_output = |input: &Option<&Path>| {
        let handle = match input {
            Some(path) => handle_of_file(split_member(path).map_or(path, |(archive, _)| archive)),
            None => handle_of(&io::stdin()).ok(),
        };
        handle.as_ref() == Some(&output)
    };
    if inputs.iter().any(is_output) {
        return Err(ErrorKind::SameFile { path: display_name(path, "<stdout>").to_owned() }.into());
    }
    Ok(())
}

/// Opens a handle of a regular file, if there is one with that name.
fn handle_of_file(path: &Path) -> Option<Handle> {
    if path.is_file() { Handle::from_path(path).ok() } else { None }
}

impl Writer {
    fn as_write(&mut self) -> &mut dyn Write {
        match self {
            Writer::Stdout(stdout) => stdout,
            Writer::Direct(file) => file,
            Writer::Staged { file, .. } => file,
        }
    }

    /// Renames a temporary file.
    fn keep_as(self, name: impl Fn(&Path) -> PathBuf) -> Result<Option<PathBuf>, Error> {
        let Writer::Staged { file, path } = self else { return Ok(None) };
        let path = name(&path);
        staged().retain(|staged| staged != file.path());
        match file.persist(&path) {
            Ok(()) => Ok(Some(path)),
            Err(error) => Err(ErrorKind::Create { path, error }.into()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let to = self.writer.as_write();
        let written = match &mut self.encoder {
            None => to.write(bytes),
            Some(encoder) => encoder.write(bytes, to),
        };
        written.map_err(|error| about(self.name.as_deref(), error))
    }

    /// Flushes to the system. If the output is compressed, an incomplete frame stays in memory.
    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_write().flush().map_err(|error| about(self.name.as_deref(), error))
    }
}

/// Adds the name of the file to the message of an error.
fn about(name: Option<&Path>, error: io::Error) -> io::Error {
    match name {
        Some(name) => io::Error::new(error.kind(), format!("{}: {error}", name.display())),
        None => error,
    }
}

/// Whether standard output was closed when the program began. As a library, this is never set.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records that standard output was closed when the program began. Writing to it fails from then on. The
/// program finds this out before `main`.
pub fn mark_stdout_closed() {
    WAS_CLOSED.store(true, Ordering::Relaxed);
}

/// Standard output. Writing fails if it was closed when the program began. Rust's runtime replaces a closed
/// standard output by /dev/null, so rows would vanish without an error. Only code that runs before the
/// runtime can notice this.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if WAS_CLOSED.load(Ordering::Relaxed) {
            return Err(io::Error::other("standard output is closed"));
        }
        io::stdout().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Removes the temporary files of this process, for an exit without destructors.
pub fn remove_staged() {
    for path in staged().drain(..) {
        let _ = fs::remove_file(path);
    }
}

fn staged() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open_file(path: &Path) -> io::Result<Writer> {
    let Some(path) = target(path)? else {
        return fs::OpenOptions::new().write(true).open(path).map(Writer::Direct);
    };
    let name = path.file_name().unwrap_or_default();
    let directory = directory_of(&path)?;
    remove_leftovers(&directory, name);
    let mut prefix = name.to_owned();
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    let permissions = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    // New files get the usual permissions (0666 minus the user's umask), because `tempfile` would make them
    // private.
    #[cfg(unix)]
    let permissions = permissions.or_else(|| Some(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let file = loop {
        let file = builder.tempfile_in(&directory)?;
        // Another run may have removed the file as a leftover before it was locked; then make a new one.
        if lock(file.as_file()) && file.path().exists() {
            break file;
        }
    };
    staged().push(file.path().to_owned());
    Ok(Writer::Staged { file: StagedFile::temporary(file), path: directory.join(name) })
}

/// Follows all links of an output's name to the file, which may not exist yet; `None` for a device or a
/// pipe.
///
/// # Errors
///
/// If it can't be written.
pub(super) fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    // A link such as `/dev/stdout` may lead to a pipe, which has no path. Such a link is not followed.
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let path = if is_file || !path.exists() { resolve_links(path) } else { path.to_owned() };
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(None),
        Ok(metadata) if metadata.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        Err(_) if path.file_name().is_none() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]) => {
            Err(io::ErrorKind::NotADirectory.into())
        }
        _ => Ok(Some(path)),
    }
}

/// The directory of a file in canonical form, so that a file has the same path however the user wrote it.
pub(super) fn directory_of(path: &Path) -> io::Result<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs::canonicalize(parent.unwrap_or(Path::new(".")))
}

/// Follows a chain of links to the name at its end, even if no such file exists. The later rename then
/// creates or replaces that file, and keeps the links.
fn resolve_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Makes a handle of a standard stream from a duplicate, because handles of `same_file` close the stream if
/// they fail.
#[cfg(unix)]
fn handle_of(stream: &impl std::os::fd::AsFd) -> io::Result<Handle> {
    stream.as_fd().try_clone_to_owned().map(File::from).and_then(Handle::from_file)
}

/// Makes a handle of a standard stream from a duplicate, because handles of `same_file` close the stream if
/// they fail.
#[cfg(windows)]
fn handle_of(stream: &impl std::os::windows::io::AsHandle) -> io::Result<Handle> {
    stream.as_handle().try_clone_to_owned().map(File::from).and_then(Handle::from_file)
}

fn is_regular(handle: &Handle) -> bool {
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file())
}

/// The output for the rows of a command. The pipeline writes the rows of a chunk through one reference to
/// it, and reports what has been written through another one; so its fields are cells.
#[derive(Debug)]
pub struct RowOutput {
    rows: RefCell<Destination>,
    journal: RefCell<Option<Journal>>,
    /// The files of an earlier run that was interrupted, if this run has no journal.
    earlier: Option<PartialPaths>,
    /// Why the journal could not be written. The next write fails with this error.
    failure: RefCell<Option<io::Error>>,
    /// Whether rows were written after the last report of a chunk to the journal, so that the rows may end inside a
    /// chunk.
    is_within_chunk: Cell<bool>,
}

impl Write for &RowOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_within_chunk.set(true);
        self.failure.take().map_or_else(|| self.rows.borrow_mut().write(bytes), Err)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.rows.borrow_mut().flush()
    }
}

impl RowOutput {
    /// Takes an output without a journal.
    pub fn plain(rows: Destination) -> RowOutput {
        RowOutput::new(rows, None, None)
    }

    /// Takes an output without a journal, and finds the files of an earlier run that was interrupted. They
    /// are removed when this run is complete, unless they are inputs (`None` for standard input).
    pub fn without_journal(rows: Destination, inputs: &[Option<&Path>]) -> RowOutput {
        let paths = rows.file_name().and_then(|path| PartialPaths::for_output(path).ok().flatten());
        let are_inputs = |paths: &PartialPaths| {
            [&paths.partial, &paths.journal].iter().any(|path| check_no_input(Some(path), inputs).is_err())
        };
        RowOutput::new(rows, None, paths.filter(|paths| paths.has_journal() && !are_inputs(paths)))
    }

    fn new(rows: Destination, journal: Option<Journal>, earlier: Option<PartialPaths>) -> RowOutput {
        let (rows, journal) = (RefCell::new(rows), RefCell::new(journal));
        RowOutput { rows, journal, earlier, failure: RefCell::default(), is_within_chunk: Cell::default() }
    }

    /// The journal of another run for the same output, and whether that run is still working.
    pub fn other_journal(&self) -> Option<(PathBuf, bool)> {
        let paths = self.earlier.as_ref().filter(|paths| paths.partial.is_file())?;
        Some((paths.journal.clone(), paths.is_busy()))
    }

    /// Begins a run with a journal, or resumes one. The output, its incomplete file and its journal must
    /// differ from all inputs (`None` for standard input).
    ///
    /// # Errors
    ///
    /// If an earlier run can't be resumed, or the files can't be created.
    pub fn resume(path: &Path, inputs: &[Option<&Path>], task: Task) -> Result<RowOutput, Error> {
        let (rows, journal) = Journal::open(path, inputs, task)?;
        Ok(RowOutput::new(rows, Some(journal), None))
    }

    /// Sets the columns of a Parquet or Arrow table: see [`Destination::set_container_columns`].
    pub fn set_container_columns(&self, columns: &TableColumns) {
        self.rows.borrow_mut().set_container_columns(columns);
    }

    /// Returns whether the run has a journal.
    pub fn has_journal(&self) -> bool {
        self.journal.borrow().is_some()
    }

    /// How far the run has come, if it has a journal.
    pub fn progress(&self) -> Option<RunProgress> {
        self.journal.borrow().as_ref().map(|journal| journal.progress.clone())
    }

    /// Changes the progress when an input begins or ends.
    pub fn update(&self, change: impl FnOnce(&mut RunProgress)) {
        if let Some(journal) = &mut *self.journal.borrow_mut() {
            change(&mut journal.progress);
        }
    }

    /// Makes a writer with a buffer, for rows in small pieces. Not inlined, so that the conversion to `dyn Write` is
    /// compiled in this crate: the release profile compiles the program at opt-level 0 (see `Cargo.toml`).
    #[inline(never)]
    pub fn buffered(&self) -> Box<dyn Write + '_> {
        Box::new(BufWriter::with_capacity(1 << 18, self))
    }

    /// Writes rows, and asks for more.
    pub fn take(&self, rows: &[u8]) -> Result<ControlFlow<()>, Error> {
        let written = (&mut &*self).write_all(rows);
        written.map(ControlFlow::Continue).map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Takes the report on a chunk that was written.
    pub fn written(&self, chunk: &ChunkReport) {
        self.with_journal(|journal, rows| journal.written(chunk, rows));
    }

    /// Takes the figures of a run without inputs: the puzzles that were generated and written so far.
    pub fn made(&self, stats: &MadeStats) {
        self.with_journal(|journal, rows| {
            journal.progress.made = Some(stats.to_numbers());
            journal.send_entry_if_due(rows)
        });
    }

    fn with_journal(&self, update: impl FnOnce(&mut Journal, &mut Destination) -> io::Result<()>) {
        let Some(journal) = &mut *self.journal.borrow_mut() else { return };
        self.is_within_chunk.set(false);
        // Keeps the first failure, because a disk reports a lost write only once.
        let failure = &mut *self.failure.borrow_mut();
        if failure.is_none() {
            *failure = update(journal, &mut self.rows.borrow_mut()).err();
        }
    }

    /// The incomplete file, if a later run can resume after its rows.
    pub fn resumable_partial(&self) -> Option<PathBuf> {
        self.journal.borrow_mut().as_mut()?.resumable_partial().map(Path::to_owned)
    }

    /// Returns whether this output and another one are the same file, or both are standard output.
    pub fn is_same(&self, other: &Destination) -> bool {
        let is_beside = |path| self.journal.borrow().as_ref().is_some_and(|journal| journal.has_file(path));
        self.rows.borrow().is_same(other) || other.file_name().is_some_and(is_beside)
    }

    /// Gives the complete file its name, and then the file of the summary.
    pub fn commit(self, summary: Option<Destination>) -> Result<(), Error> {
        if let Some(error) = self.failure.take() {
            return Err(ErrorKind::Write { error }.into());
        }
        let rows = self.rows.into_inner();
        if let Some(journal) = self.journal.into_inner() {
            return journal.commit(rows, summary);
        }
        Destination::commit_all([rows].into_iter().chain(summary))?;
        let removed = self.earlier.map_or(Ok(()), |earlier| earlier.remove());
        removed.map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Keeps the file of a run that was stopped, and returns its name.
    pub fn keep_partial(self) -> Result<Option<PathBuf>, Error> {
        let rows = self.rows.into_inner();
        match self.journal.into_inner() {
            Some(journal) => journal.interrupt((!self.is_within_chunk.get()).then_some(rows)),
            None => rows.keep_partial(),
        }
    }
}
