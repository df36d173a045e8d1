//! Resuming a run that was interrupted: a journal next to the incomplete output says how far its rows are
//! complete.
//!
//! Rows are written to `OUTPUT.partial`. About twice a second they are synced to disk, and then
//! `OUTPUT.journal` is replaced. It holds the job, the place in the input with a checksum of the text read
//! so far, the counts, and the length of the rows. A later run of the same job truncates the rows to that
//! length, and continues. At the end the rows are synced, the journal says that they are complete, they get
//! their name, and the journal is removed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use same_file::Handle;
use serde::{Deserialize, Serialize};

use super::destination::{Destination, check_no_input, directory_of, target, with_ending};
use super::staged_file::{SUFFIX, lock, remove_leftovers};
use crate::error::{Error, ErrorKind};
use crate::packing::check_name;
use crate::record::{Checksum, ChunkReport, InputAmount, StatusCounts, Tally};

/// The time between two entries.
const INTERVAL: Duration = Duration::from_millis(500);

/// If the last entry on disk is older than this, rows wait for the next one. This bounds the work that a
/// resumed run repeats.
const MAX_ENTRY_AGE: Duration = Duration::from_millis(1000);

/// The journal of a run, and how far the run has come.
#[derive(Debug)]
pub(super) struct Journal {
    task: Task,
    /// How far the run has come: its rows are written, but perhaps not on disk.
    pub(super) progress: RunProgress,
    paths: PartialPaths,
    /// The file of the rows, which is synced before an entry counts them.
    rows: Arc<File>,
    /// The thread that writes an entry, so that the run continues while the disk works. There is at most
    /// one at a time.
    writing: Option<JoinHandle<io::Result<()>>>,
    /// When this run began, and how long earlier runs took.
    begun: Instant,
    earlier_seconds: f64,
    /// When the last entry was sent to the disk.
    last_sent_at: Instant,
    /// When the last entry that is on disk was sent.
    last_on_disk_at: Instant,
    /// Whether an entry that counts rows was sent to the disk.
    has_sent: bool,
    /// Whether an entry on disk counts rows, so that a later run can resume after them.
    holds_rows: bool,
}

impl Journal {
    /// Begins a run, or resumes an earlier one of the same task.
    ///
    /// # Errors
    ///
    /// If an earlier run can't be resumed, or files can't be created.
    pub(super) fn open(
        path: &Path,
        inputs: &[Option<&Path>],
        task: Task,
    ) -> Result<(Destination, Journal), Error> {
        let no_file =
            || Error::other(format!("{}: --resume needs an output that is a regular file", path.display()));
        let not_created = |error| Error::from(ErrorKind::Create { path: path.to_owned(), error });
        let paths = PartialPaths::for_output(path).map_err(not_created)?.ok_or_else(no_file)?;
        for path in [&paths.output, &paths.partial, &paths.journal] {
            check_no_input(Some(path), inputs)?;
        }
        check_name(path).map_err(not_created)?;
        let (rows, earlier) = open_rows(&paths, &task)?;
        let holds_rows = earlier.as_ref().is_some_and(|entry| entry.progress.has_begun());
        let entry = earlier.unwrap_or_else(|| JournalEntry {
            task,
            progress: RunProgress::default(),
            saved: Saved::default(),
        });
        let failed = |error| create_error(&paths, error);
        let to_sync = rows.try_clone().map_err(failed)?;
        let destination = Destination::resume(&paths, rows, &entry.saved).map_err(failed)?;
        paths.write_journal(&entry.to_bytes()).map_err(failed)?;
        let begun = Instant::now();
        let JournalEntry { task, progress, .. } = entry;
        let journal = Journal {
            earlier_seconds: progress.seconds,
            task,
            progress,
            paths,
            rows: Arc::new(to_sync),
            writing: None,
            begun,
            last_sent_at: begun,
            last_on_disk_at: begun,
            has_sent: false,
            holds_rows,
        };
        Ok((destination, journal))
    }

    /// The incomplete file, if a later run can resume after its rows.
    pub(super) fn resumable_partial(&mut self) -> Option<&Path> {
        // The entry that is being written may be the first one that counts rows, so wait for it.
        self.holds_rows |= self.wait().is_ok() && self.has_sent;
        self.holds_rows.then_some(&*self.paths.partial)
    }

    /// Returns whether an output is one of the files of the run.
    pub(super) fn has_file(&self, output: &Path) -> bool {
        [&self.paths.output, &self.paths.partial, &self.paths.journal].iter().any(|path| **path == output)
    }

    /// Takes the report on a complete chunk whose rows are in `rows`, and sends an entry if it is time.
    pub(super) fn written(&mut self, chunk: &ChunkReport, rows: &mut Destination) -> io::Result<()> {
        let Some(figures) = &chunk.journal else { return Ok(()) };
        let mut place = chunk.before;
        place += chunk.size;
        self.progress.written = Some(place);
        self.progress.checksum.append(figures.checksum);
        self.progress.tally.merge(&figures.tally);
        if let Some(input) = self.progress.input_counts.last_mut() {
            input.statuses.merge(&chunk.statuses);
        }
        self.send_entry_if_due(rows)
    }

    /// Sends an entry about the rows so far, if the last one was sent long ago. If the entry on disk is too
    /// old, this waits for the one that is being written.
    pub(super) fn send_entry_if_due(&mut self, rows: &mut Destination) -> io::Result<()> {
        if self.last_sent_at.elapsed() < INTERVAL {
            return Ok(());
        }
        let is_busy = self.writing.as_ref().is_some_and(|thread| !thread.is_finished());
        if is_busy && self.last_on_disk_at.elapsed() < MAX_ENTRY_AGE {
            return Ok(());
        }
        self.wait()?;
        self.last_on_disk_at = self.last_sent_at;
        self.send_entry(rows)
    }

    /// Waits until no entry is being written.
    fn wait(&mut self) -> io::Result<()> {
        let written = self.writing.take().map_or(Ok(Ok(())), JoinHandle::join);
        written.unwrap_or_else(|_| Err(io::Error::other("the thread that writes the journal has ended")))
    }

    /// Starts to write an entry to the disk, in a thread of its own.
    fn send_entry(&mut self, rows: &mut Destination) -> io::Result<()> {
        let saved = rows.save()?;
        self.last_sent_at = Instant::now();
        self.wait()?;
        let (entry, rows, paths) = (self.entry(saved), Arc::clone(&self.rows), self.paths.clone());
        let write = move || rows.sync_data().and_then(|()| paths.write_journal(&entry.to_bytes()));
        self.writing = Some(thread::Builder::new().name("journal".to_owned()).spawn(write)?);
        self.has_sent = true;
        Ok(())
    }

    /// Makes an entry about the rows so far.
    fn entry(&mut self, saved: Saved) -> JournalEntry {
        self.progress.seconds = self.begun.elapsed().as_secs_f64() + self.earlier_seconds;
        JournalEntry { task: self.task.clone(), progress: self.progress.clone(), saved }
    }

    /// Ends a run that is interrupted. Returns the name of its incomplete file, unless that is empty. Pass
    /// the `rows` only if they end with a complete chunk; without them, the last entry counts.
    pub(super) fn interrupt(mut self, rows: Option<Destination>) -> Result<Option<PathBuf>, Error> {
        let last = rows.filter(|_| self.progress.has_begun());
        let kept = last.map_or(Ok(()), |mut rows| self.send_entry(&mut rows)).and_then(|()| self.wait());
        kept.map_err(|error| ErrorKind::Write { error })?;
        Ok(self.resumable_partial().map(Path::to_owned))
    }

    /// Gives the complete rows their name, and then the `summary`, and removes the journal.
    pub(super) fn commit(mut self, rows: Destination, summary: Option<Destination>) -> Result<(), Error> {
        let write_error = |error| Error::from(ErrorKind::Write { error });
        self.wait().map_err(write_error)?;
        rows.commit_synced(|saved| {
            self.progress.is_complete = true;
            let entry = self.entry(saved);
            self.paths.write_journal(&entry.to_bytes()).map_err(write_error)?;
            self.holds_rows = true;
            Ok(())
        })?;
        summary.map_or(Ok(()), Destination::commit)?;
        let synced = self.paths.sync_directory();
        synced.and_then(|()| fs::remove_file(&self.paths.journal)).map_err(write_error)
    }
}

impl Drop for Journal {
    /// Removes the files if no run can resume them.
    fn drop(&mut self) {
        if self.resumable_partial().is_none() {
            let _ = fs::remove_file(&self.paths.partial);
            let _ = fs::remove_file(&self.paths.journal);
        }
    }
}

/// Opens and locks the incomplete file, truncates it to the rows that the journal counts, and returns it with
/// the entry of the journal (`None` for a new run). Everything is found, locked and checked before any file changes, so that an
/// error leaves all as it was.
///
/// # Errors
///
/// If another run is writing the file, or the earlier run can't be resumed.
fn open_rows(paths: &PartialPaths, task: &Task) -> Result<(File, Option<JournalEntry>), Error> {
    let mut rows =
        paths.open().map_err(|error| create_error(paths, error))?.ok_or_else(|| busy_error(paths))?;
    let found = find(paths, task, &mut rows);
    let is_empty = || rows.metadata().is_ok_and(|rows| rows.len() == 0);
    if found.is_err() && is_empty() && paths.is_incomplete(&rows) {
        // This call created the file, and it is not needed.
        let _ = fs::remove_file(&paths.partial);
    }
    let entry = found?;
    if let (Some(directory), Some(name)) = (paths.output.parent(), paths.output.file_name()) {
        remove_leftovers(directory, name);
    }
    if let Some(entry) = &entry {
        truncate(&rows, &entry.saved).map_err(|error| create_error(paths, error))?;
    }
    Ok((rows, entry))
}

/// Finds an earlier run of the same task; `None` if there is none. The rows are checked against the journal
/// by their length and their last bytes, because reading all of them would take too long.
fn find(paths: &PartialPaths, task: &Task, rows: &mut File) -> Result<Option<JournalEntry>, Error> {
    let (journal, partial) = (paths.journal.display(), paths.partial.display());
    let refused = |message: String| Err(Error::other(message));
    let length_of =
        |rows: &File| rows.metadata().map(|rows| rows.len()).map_err(|error| create_error(paths, error));
    let entry = match fs::read(&paths.journal).and_then(|bytes| JournalEntry::from_bytes(&bytes)) {
        Ok(entry) => entry,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if length_of(rows)? == 0 {
                return Ok(None);
            }
            return refused(format!(
                "{partial}: the journal of these rows is missing; move the file away to start again"
            ));
        }
        Err(error) => {
            return refused(format!(
                "{journal}: this journal can't be used: {error}; remove it and {partial} to start again"
            ));
        }
    };
    if let Some(difference) = entry.task.difference(task) {
        return refused(format!(
            "{journal}: this journal belongs to another run: {difference}; use the earlier options, or remove the journal and {partial} to start again"
        ));
    }
    if length_of(rows)? == 0
        && let Some(named) = find_named(paths, &entry)
    {
        // That run was interrupted between its last steps, which are repeated now. If it has not ended, it
        // still holds the lock.
        if !lock(&named) {
            return Err(busy_error(paths));
        }
        fs::rename(&paths.output, &paths.partial).map_err(|error| create_error(paths, error))?;
        *rows = named;
    }
    let (found, wanted) = (length_of(rows)?, entry.saved.bytes);
    if found < wanted {
        return refused(format!(
            "{partial}: it has {found} bytes of the {wanted} that {journal} records; remove both to start again"
        ));
    }
    if !ends_as(rows, &entry.saved).map_err(|error| create_error(paths, error))? {
        return refused(format!(
            "{partial}: these are not the rows that {journal} records; remove both to start again"
        ));
    }
    Ok(Some(entry))
}

/// Opens the rows of a complete run that got their name, but whose journal was not removed yet.
fn find_named(paths: &PartialPaths, entry: &JournalEntry) -> Option<File> {
    let output = OpenOptions::new().read(true).write(true).open(&paths.output);
    let output = output.ok().filter(|_| entry.progress.is_complete)?;
    let is_long = output.metadata().is_ok_and(|output| output.len() == entry.saved.bytes);
    (is_long && ends_as(&output, &entry.saved).unwrap_or(false)).then_some(output)
}

/// Returns whether the last bytes that the journal counts are unchanged.
fn ends_as(file: &File, saved: &Saved) -> io::Result<bool> {
    Ok(crc32fast::hash(&read_tail(file, saved.bytes)?) == saved.tail_crc32)
}

/// Makes the error for an incomplete file that another run is writing.
fn busy_error(paths: &PartialPaths) -> Error {
    Error::other(format!(
        "{}: another run is writing this file; wait until it has ended",
        paths.partial.display()
    ))
}

/// Makes the error for files of an output that can't be created or opened.
fn create_error(paths: &PartialPaths, error: io::Error) -> Error {
    ErrorKind::Create { path: paths.name.clone(), error }.into()
}

/// The version of the journal's format. It follows [`MAGIC`].
const FORMAT_VERSION: &str = "2";

/// The state of a run when its last rows were synced to disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct JournalEntry {
    task: Task,
    #[serde(flatten)]
    saved: Saved,
    pub(crate) progress: RunProgress,
}

/// The work of a run. A run can only resume an earlier one with an equal task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The version of the program.
    pub version: String,
    /// The command, and all options that affect the rows, with their values.
    pub options: Vec<(String, Vec<String>)>,
    /// The inputs, in order.
    pub inputs: Vec<InputMark>,
}

/// Identifies an input, so that a changed file is noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMark {
    /// The name, as the user wrote it.
    pub name: String,
    /// The length in bytes, and the time of the last change, in nanoseconds since 1970; `None` if it is not
    /// a regular file.
    pub file: Option<(u64, u64)>,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunProgress {
    /// The index of the input that is being read. Earlier ones are done.
    pub input_index: usize,
    /// The number of records in earlier inputs.
    pub earlier_records: u64,
    /// How many of them come before the shard of this run. These are only counted, so that records keep
    /// their numbers.
    #[serde(default)]
    pub skipped_records: u64,
    /// The part of the current input whose rows are written; `None` before its first chunk.
    pub written: Option<InputAmount>,
    /// The checksum of that part. Before the first chunk, it covers the text before the records.
    pub checksum: Checksum,
    /// The counts of all inputs.
    pub tally: Tally,
    /// The counts of each input that has been begun, if the run counts by input.
    pub input_counts: Vec<InputCounts>,
    /// For a run without inputs, the figures of the puzzles that were generated so far: see
    /// `MadeStats::to_numbers`.
    #[serde(default)]
    pub made: Option<[u64; 11]>,
    /// How long the run took, in seconds.
    pub seconds: f64,
    /// Whether all inputs are done.
    is_complete: bool,
}

/// The counts of one input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputCounts {
    /// How many records have each status.
    pub statuses: StatusCounts,
    /// Why the input, or the rest of it, could not be read.
    pub failure: Option<String>,
    /// Whether nothing of it could be read.
    pub is_unread: bool,
}

impl RunProgress {
    /// Returns whether there are any rows of an input or of generated puzzles.
    pub fn has_begun(&self) -> bool {
        self.input_index > 0 || self.written.is_some() || self.made.is_some()
    }

    /// Records that an input is done. `records` counts all records up to its end, and `skipped` those
    /// before the shard of this run.
    pub fn end_input(&mut self, records: u64, skipped: u64) {
        self.input_index += 1;
        (self.earlier_records, self.skipped_records) = (records, skipped);
        (self.written, self.checksum) = (None, Checksum::default());
    }
}

impl Task {
    /// Describes the first difference to the task of a later run; `None` if they are equal.
    fn difference(&self, now: &Task) -> Option<String> {
        if self.version != now.version {
            return Some(format!("it is of gridmill {}, and this is {}", self.version, now.version));
        }
        self.other_option(now).or_else(|| self.other_input(now))
    }

    fn other_option(&self, now: &Task) -> Option<String> {
        let all = self.options.iter().chain(&now.options);
        let value = |task: &Task, name: &String| {
            task.options.iter().find(|(other, _)| other == name).map(|(_, values)| values.join(" "))
        };
        let other = all.map(|(name, _)| name).find(|name| value(self, name) != value(now, name))?;
        let shown = |value: Option<String>| {
            value.map_or_else(|| "not given".to_owned(), |value| format!("'{value}'"))
        };
        Some(format!("{other} was {}, and now it is {}", shown(value(self, other)), shown(value(now, other))))
    }

    fn other_input(&self, now: &Task) -> Option<String> {
        let names =
            |task: &Task| task.inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>().join(" ");
        if names(self) != names(now) {
            return Some(format!("it read {}, and this reads {}", names(self), names(now)));
        }
        let mut pairs = self.inputs.iter().zip(&now.inputs);
        let (then, now) = pairs.find(|(then, now)| then != now)?;
        let how = match (then.file, now.file) {
            (Some((then, _)), Some((now, _))) if then != now => format!("from {then} bytes to {now}"),
            (Some(_), Some(_)) => "it was written at another time".to_owned(),
            _ => "it was a regular file only one of the two times".to_owned(),
        };
        Some(format!("{} has changed since ({how})", then.name))
    }
}

impl JournalEntry {
    /// Writes a journal: a line with lengths and a checksum, a line with the state as JSON, and the
    /// beginning of the next frame.
    fn to_bytes(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec(self).expect("a state is numbers and texts");
        text.push(b'\n');
        let length = text.len();
        text.extend_from_slice(&self.saved.rest);
        [head(&text, length).into_bytes(), text].concat()
    }

    /// Reads a journal.
    ///
    /// # Errors
    ///
    /// If it is incomplete or changed, or has another format.
    fn from_bytes(bytes: &[u8]) -> io::Result<JournalEntry> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let (state, rest) =
            whole(bytes).ok_or_else(|| invalid("it is damaged, or of another version of gridmill"))?;
        let other = |_| invalid("it is of another version of gridmill");
        let mut entry: JournalEntry = serde_json::from_slice(state).map_err(other)?;
        entry.saved.rest = rest.to_vec();
        entry.is_consistent().then_some(entry).ok_or_else(|| invalid("its numbers contradict each other"))
    }

    /// Returns whether the numbers are consistent, as they are in every journal that a run has written.
    fn is_consistent(&self) -> bool {
        let RunProgress { input_index, written, checksum, seconds, .. } = &self.progress;
        // A run over a shard has not read the text before it, so the checksum may cover less than was
        // written.
        let is_read = written.is_none_or(|written| checksum.bytes <= written.bytes);
        *input_index <= self.task.inputs.len() && is_read && Duration::try_from_secs_f64(*seconds).is_ok()
    }
}

/// Writes the first line of a journal: the length of the state, the length of the rest, and the checksum of
/// both.
fn head(text: &[u8], length: usize) -> String {
    format!("{MAGIC} {FORMAT_VERSION} {length} {} {:08x}\n", text.len() - length, crc32fast::hash(text))
}

/// Splits a journal into the line of the state and the rest; `None` if it is incomplete or changed.
fn whole(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = |text: &[u8]| Some(memchr::memchr(b'\n', text)? + 1);
    let (first, text) = bytes.split_at(line(bytes)?);
    let length = line(text)?;
    (head(text, length).as_bytes() == first).then_some(text.split_at(length))
}

/// The first word of a journal.
const MAGIC: &str = "gridmill-journal";

/// How many bytes at the end of a file identify it.
pub(super) const TAIL: usize = 256;

/// How often opening is tried, because another run may rename or remove the file between opening and
/// locking.
const ATTEMPTS: usize = 10;

/// How much of an output is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Saved {
    /// The length in bytes; if it is compressed, that of the complete frames.
    #[serde(rename = "output")]
    pub(crate) bytes: u64,
    /// The checksum of the last [`TAIL`] bytes of that.
    pub(crate) tail_crc32: u32,
    /// The beginning of the next frame, before compression. In a journal it follows the JSON.
    #[serde(skip)]
    pub(crate) rest: Vec<u8>,
}

/// The names of an output, of its incomplete file, and of its journal.
#[derive(Clone, Debug)]
pub struct PartialPaths {
    /// The output, as the user wrote it.
    pub(crate) name: PathBuf,
    /// The output after all links are resolved.
    pub(crate) output: PathBuf,
    pub(crate) partial: PathBuf,
    /// The journal.
    pub journal: PathBuf,
}

impl PartialPaths {
    /// Finds the names for an output; `None` for a device or a pipe.
    pub fn for_output(name: &Path) -> io::Result<Option<PartialPaths>> {
        let Some(path) = target(name)? else { return Ok(None) };
        let output = directory_of(&path)?.join(path.file_name().unwrap_or_default());
        let (partial, journal) = (Destination::partial_name(&output), with_ending(&output, ".journal"));
        Ok(Some(PartialPaths { name: name.to_owned(), output, partial, journal }))
    }

    /// The name of a new journal until it is complete.
    fn draft(&self) -> PathBuf {
        with_ending(&self.journal, SUFFIX)
    }

    /// Replaces the journal atomically. It is on disk when this returns.
    fn write_journal(&self, bytes: &[u8]) -> io::Result<()> {
        let replace = || {
            let mut file = File::create(self.draft())?;
            // Without a lock, another run would remove the file as a leftover.
            let _ = lock(&file);
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(self.draft(), &self.journal)?;
            self.sync_directory()
        };
        replace().map_err(|error: io::Error| {
            // The old journal is still valid.
            let _ = fs::remove_file(self.draft());
            io::Error::new(error.kind(), format!("{}: {error}", self.journal.display()))
        })
    }

    /// Syncs new names to disk, on systems where a directory can be opened for that.
    fn sync_directory(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(directory) = self.journal.parent() {
            return match File::open(directory)?.sync_all() {
                // Some file systems sync names by themselves.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                result => result,
            };
        }
        Ok(())
    }

    /// Returns whether a journal exists. Other files of its name don't count, so that they are never
    /// removed.
    pub(super) fn has_journal(&self) -> bool {
        let mut first = [0; MAGIC.len()];
        let read = File::open(&self.journal).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *MAGIC.as_bytes()
    }

    /// Opens or creates the incomplete file, and locks it; `None` if another run is writing it.
    fn open(&self) -> io::Result<Option<File>> {
        for _ in 0..ATTEMPTS {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).open(&self.partial)?;
            if !lock(&file) {
                return Ok(None);
            }
            // If another run finished after the file was opened, the file has got its name and is not ours.
            // Try again.
            if !self.is_incomplete(&file) {
                continue;
            }
            if file.metadata()?.len() == 0
                && let Ok(replaced) = fs::metadata(&self.output)
            {
                // The output keeps the permissions of the file that it replaces.
                let _ = file.set_permissions(replaced.permissions());
            }
            return Ok(Some(file));
        }
        Ok(None)
    }

    /// Opens an existing incomplete file. It is opened for writing, because some file systems lock only
    /// such files.
    fn open_incomplete(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.partial)
    }

    /// Returns whether the incomplete file is still this one.
    fn is_incomplete(&self, file: &File) -> bool {
        let ours = file.try_clone().and_then(Handle::from_file);
        ours.is_ok_and(|ours| Handle::from_path(&self.partial).is_ok_and(|named| named == ours))
    }

    /// Returns whether another run is writing the incomplete file.
    pub(super) fn is_busy(&self) -> bool {
        self.open_incomplete().is_ok_and(|file| !lock(&file))
    }

    /// Removes the files of an interrupted run, unless a run is still writing them.
    pub(super) fn remove(&self) -> io::Result<()> {
        if let Ok(file) = self.open_incomplete() {
            if !lock(&file) {
                return Ok(());
            }
            drop(file);
            fs::remove_file(&self.partial)?;
        }
        fs::remove_file(&self.journal)
    }
}

/// Reads the last bytes before `end`, which identify a file.
pub(super) fn read_tail(mut file: &File, end: u64) -> io::Result<Vec<u8>> {
    let mut tail = vec![0; usize::try_from(end).unwrap_or(TAIL).min(TAIL)];
    file.seek(SeekFrom::Start(end - tail.len() as u64))?;
    file.read_exact(&mut tail)?;
    Ok(tail)
}

/// Truncates a file to its saved part, and moves to the end so that more can be appended.
fn truncate(mut file: &File, saved: &Saved) -> io::Result<()> {
    file.set_len(saved.bytes)?;
    file.seek(SeekFrom::Start(saved.bytes)).map(drop)
}

#[cfg(test)]
mod tests {
    use gridmill_core::logic::Rating;

    use super::*;

    fn entry() -> JournalEntry {
        let task = Task {
            version: "1.2.3".to_owned(),
            options: vec![("--limit".to_owned(), vec!["0".to_owned()])],
            inputs: vec![InputMark { name: "p.txt".to_owned(), file: Some((99, u64::MAX)) }],
        };
        let mut tally = Tally::default();
        (0..50).for_each(|tenths| tally.add_rating(Rating::tenths(tenths), 1));
        let written = InputAmount { records: 3, puzzles: 2, lines: 5, bytes: 77 };
        let progress = RunProgress {
            written: Some(written),
            checksum: Checksum { bytes: 77, crc32: 5 },
            tally,
            input_counts: vec![InputCounts { failure: Some("no".to_owned()), ..InputCounts::default() }],
            seconds: 1.25,
            ..RunProgress::default()
        };
        let saved = Saved { bytes: u64::MAX, tail_crc32: 7, rest: b"a,b\n\0\xff".to_vec() };
        JournalEntry { task, progress, saved }
    }

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let bytes = entry().to_bytes();
        let read = JournalEntry::from_bytes(&bytes).unwrap();
        assert_eq!((read.task, read.saved), (entry().task, entry().saved));
        assert_eq!(read.progress.written, entry().progress.written);
        assert_eq!(read.progress.input_counts, entry().progress.input_counts);
        assert!(read.progress.tally.ratings().eq(entry().progress.tally.ratings()));
        assert_eq!(
            JournalEntry { task: entry().task, progress: read.progress, saved: entry().saved }.to_bytes(),
            bytes
        );
    }

    #[test]
    fn a_journal_with_any_byte_changed_is_refused() {
        let bytes = entry().to_bytes();
        for at in 0..bytes.len() {
            for change in [1, 0x20, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(JournalEntry::from_bytes(&changed).is_err(), "byte {at} changed by {change:#x}");
            }
        }
    }

    #[test]
    fn a_journal_that_is_cut_or_longer_is_refused() {
        let bytes = entry().to_bytes();
        for length in 0..bytes.len() {
            assert!(JournalEntry::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(JournalEntry::from_bytes(&[&bytes[..], b"\n"].concat()).is_err());
    }

    #[test]
    fn a_journal_whose_numbers_do_not_agree_is_refused() {
        let changes: [fn(&mut RunProgress); 4] = [
            |progress| progress.input_index = 2,
            |progress| progress.checksum.bytes = 78,
            |progress| progress.seconds = 1e300,
            |progress| progress.seconds = -1.0,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut entry = entry();
            change(&mut entry.progress);
            assert!(JournalEntry::from_bytes(&entry.to_bytes()).is_err(), "change {index}");
        }
    }

    #[test]
    fn differences_are_named() {
        let then = entry().task;
        let differs = |change: fn(&mut Task)| {
            let mut now = then.clone();
            change(&mut now);
            then.difference(&now).unwrap()
        };
        assert_eq!(then.difference(&then), None);
        assert_eq!(differs(|now| now.version = "2".to_owned()), "it is of gridmill 1.2.3, and this is 2");
        assert_eq!(differs(|now| now.options[0].1[0] = "9".to_owned()), "--limit was '0', and now it is '9'");
        assert_eq!(differs(|now| now.options.clear()), "--limit was '0', and now it is not given");
        assert_eq!(differs(|now| now.inputs[0].name = "q".to_owned()), "it read p.txt, and this reads q");
        let length = differs(|now| now.inputs[0].file = Some((100, u64::MAX)));
        assert_eq!(length, "p.txt has changed since (from 99 bytes to 100)");
        let time = differs(|now| now.inputs[0].file = Some((99, 1)));
        assert_eq!(time, "p.txt has changed since (it was written at another time)");
    }
}
