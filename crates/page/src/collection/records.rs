//! Reading records of any kind from their files. Consecutive records are read together, as a span. This file also has the files of
//! the collection, which know where their text is, and check whether it has changed.

use std::borrow::Borrow;
use std::fs::{File as OsFile, Metadata};
use std::io::ErrorKind::{NotADirectory, NotFound, UnexpectedEof};
use std::io::{self, Read};
use std::ops::Range;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Instant, SystemTime};

use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::jobs::{Answers, Job, Keys, PuzzleKey, Rate, Solve, Status, Value, Worker, WrongAnswer};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::packing::{Container, Packing};
use gridmill_data::record::Checksum;
use gridmill_data::text::{Batch, Cut, Format, FormatOptions, Layout, PuzzleText, Record, lines_of};
use gridmill_data::with_kind;
use gridmill_report::eprint_message;
use hyper::StatusCode;

use super::index::{Entry, Pass, RatingMark};
use super::{Collection, lock, read, write};
use crate::questions::{PageGrid, text_of};
use crate::reply::{Answer, Refusal};

/// The largest number of bytes that are read together.
const SPAN_BYTES: u64 = 1 << 20;

/// How long a growing file is not read again, as a multiple of the time that reading it took.
const REST: u32 = 10;

/// The id of a record, and what is known about it.
pub(super) type KnownRecord = (u32, Entry);

/// Reads spans of records from their files.
pub(super) struct SpanReader<'a> {
    collection: &'a Collection,
    /// The reader of the last file, which is used again as long as the file is the same.
    reader: Option<(u16, Box<dyn RecordReader>)>,
    text: Vec<u8>,
}

/// A span that has been read: its text and its records.
pub(super) struct ReadSpan<'s> {
    pub(super) text: &'s [u8],
    /// Whether the text is complete. If a record is too long, only its beginning is read.
    pub(super) is_whole: bool,
    pub(super) records: &'s mut dyn RecordReader,
}

impl<'a> SpanReader<'a> {
    pub(super) fn new(collection: &'a Collection) -> SpanReader<'a> {
        SpanReader { collection, reader: None, text: Vec::new() }
    }

    /// Reads records, a span at a time, and passes the spans to `each` until it refuses one.
    pub(super) fn read_all(
        &mut self,
        mut records: &mut [KnownRecord],
        mut each: impl FnMut(&mut [KnownRecord], Answer<ReadSpan<'_>>) -> Answer,
    ) -> Answer {
        while !records.is_empty() {
            let (span, later) = records.split_at_mut(first_span(records));
            let read = self.read(span);
            each(span, read)?;
            records = later;
        }
        Ok(())
    }

    /// Reads the records of a span. If they are not where they were, the file has changed.
    fn read(&mut self, span: &[KnownRecord]) -> Answer<ReadSpan<'_>> {
        let (first, last) = (&span[0].1, &span[span.len() - 1].1);
        let file: Arc<File> = self.collection.file_of(first);
        let Some(content) = &file.content else { return Err(file.refusal()) };
        let reader = match self.reader.take() {
            Some((known, reader)) if known == first.file => reader,
            _ => reader_for(&content.layout),
        };
        let (_, reader) = self.reader.insert((first.file, reader));
        let longest = reader.cut().max_record_len();
        let len = (last.end() - first.position) as usize;
        // A format reads only the beginning of a longer record.
        let is_too_long = span.len() == 1 && len > 2 * longest;
        self.text.resize(if is_too_long { longest + 1 } else { len }, 0);
        file.read(first.position, &mut self.text)?;
        reader.read(&self.text, is_too_long);
        let records = reader.records();
        let is_there = |((_, entry), lines): (&KnownRecord, Range<usize>)| {
            let is_in_place = entry.position - first.position == lines.start as u64;
            is_in_place && (entry.len as usize == lines.len() || is_too_long)
        };
        let lines = lines_of(&self.text, records);
        if records.len() != span.len() || !span.iter().zip(lines).all(is_there) {
            file.fail_changed("it was changed");
            return Err(file.refusal());
        }
        Ok(ReadSpan { text: &self.text, is_whole: !is_too_long, records: &mut **reader })
    }
}

/// The number of records at the beginning that are read together. They follow each other in a file, and close to each other.
fn first_span(records: &[KnownRecord]) -> usize {
    let Some((first, _)) = records.split_first() else { return 0 };
    let is_near = |pair: &[KnownRecord]| {
        let [(id, entry), (next_id, next)] = pair else { return false };
        id + 1 == *next_id && entry.file == next.file && next.end() - first.1.position <= SPAN_BYTES
    };
    records.windows(2).take_while(|pair| is_near(pair)).count() + 1
}

/// The indices of the records whose puzzles a job took, and its results; or a wrong result.
type JobAnswers<'a> = Result<(Vec<usize>, &'a Answers), WrongAnswer>;

/// Reads records of a file, describes those that were read last, and runs jobs on them.
pub(super) trait RecordReader: Send {
    /// The rule for cutting the file into chunks.
    fn cut(&self) -> &dyn Cut;

    /// Reads a text of whole records, or of a single record that is too long.
    fn read(&mut self, text: &[u8], is_too_long: bool);

    /// The records that were read.
    fn records(&self) -> &[Record];

    /// The entry of the record with this index, before any search. Where it is in its file is not filled in yet.
    fn entry(&self, index: usize) -> Entry;

    /// Runs a job on puzzles until `stop` becomes true. Returns the indices and the results, which may be fewer: records are left
    /// out if the job can't take them, e.g. malformed ones.
    fn ask(&mut self, pass: Pass, indices: &[usize], stop: &AtomicBool) -> JobAnswers<'_>;

    /// The indices of the puzzles with their keys; fewer if `stop` becomes true. With `isomorphic`, isomorphs have the same key.
    fn keys(&mut self, isomorphic: bool, stop: &AtomicBool) -> Vec<(usize, PuzzleKey)>;

    /// The first solution of each puzzle that has one, on one line.
    fn solutions(&mut self, stop: &AtomicBool) -> Vec<Option<String>>;

    /// The puzzle of a record on one line, if it could be read.
    fn line(&self, index: usize) -> Option<String>;

    /// The puzzle of a record as a grid of the page, if it could be read.
    fn grid(&self, index: usize) -> Option<PageGrid>;
}

/// Makes the reader for a file.
pub(super) fn reader_for(layout: &Layout) -> Box<dyn RecordReader> {
    with_kind!(layout.kind(), P => Box::new(Reader::<P>::new(layout)))
}

/// Reads records of one kind.
struct Reader<P: PuzzleText> {
    format: Box<dyn Format<P>>,
    batch: Batch<P>,
    /// For each record, the index of its puzzle in the batch.
    puzzles: Vec<Option<usize>>,
    engine: Engine,
    /// The workers of the passes with their last results. They are made when they are first needed.
    asked: [Option<WorkerWithAnswers<P>>; 2],
    /// The same for keys: of the puzzles as they are, and of their minlex forms.
    keys: [Option<WorkerWithAnswers<P>>; 2],
}

type WorkerWithAnswers<P> = (Box<dyn Worker<P>>, Answers);

/// The worker of a job, and room for its results.
fn worker<P: PuzzleText>(job: impl Job) -> WorkerWithAnswers<P> {
    (job.worker(), Answers::new(job.schema()))
}

impl<P: PuzzleText> Reader<P> {
    fn new(layout: &Layout) -> Reader<P> {
        Reader {
            format: layout.format::<P>(),
            batch: Batch::default(),
            puzzles: Vec::new(),
            engine: layout.fastest_engine(),
            asked: [None, None],
            keys: [None, None],
        }
    }

    fn puzzle(&self, index: usize) -> Option<&P> {
        self.puzzles[index].map(|puzzle| &self.batch.puzzles[puzzle])
    }
}

impl<P: PuzzleText> RecordReader for Reader<P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn read(&mut self, text: &[u8], is_too_long: bool) {
        self.batch.clear();
        match is_too_long {
            true => self.format.read_too_long(text, &mut self.batch),
            false => self.format.read(text, &mut self.batch),
        }
        self.puzzles.clear();
        self.puzzles.extend(self.batch.iter().map(|(_, read)| read.map(|(puzzle, _)| puzzle)));
    }

    fn records(&self) -> &[Record] {
        &self.batch.records
    }

    fn entry(&self, index: usize) -> Entry {
        let Some(puzzle) = self.puzzle(index) else { return Entry::MALFORMED };
        let bits = Symmetry::ALL.into_iter().enumerate();
        let is_of = |symmetry: Symmetry| symmetry.holds_for(puzzle.shape(), puzzle.cells());
        Entry {
            status: puzzle.find_conflict().map(|_| Status::Conflict),
            clues: puzzle.clue_count() as u16,
            rating: if puzzle.shape() == Shape::CLASSIC { RatingMark::NONE } else { RatingMark::NEVER },
            symmetries: bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum(),
            ..Entry::MALFORMED
        }
    }

    fn ask(&mut self, pass: Pass, indices: &[usize], stop: &AtomicBool) -> JobAnswers<'_> {
        let suits = |puzzle: &&P| pass == Pass::Solve || puzzle.shape() == Shape::CLASSIC;
        let with_index = |&index: &usize| Some((index, self.puzzle(index).filter(suits)?.clone()));
        let (indices, puzzles): (Vec<usize>, Vec<P>) = indices.iter().filter_map(with_index).unzip();
        let engine = self.engine;
        let (worker, answers) = self.asked[pass as usize].get_or_insert_with(|| match pass {
            Pass::Solve => worker(Solve { engine, ..Solve::default() }),
            Pass::Rate => worker(Rate { engine, ..Rate::default() }),
        });
        answers.clear();
        let with_index = |wrong: WrongAnswer| WrongAnswer { puzzle: indices[wrong.puzzle], ..wrong };
        worker.answer(&puzzles, 0, stop, answers).map_err(with_index)?;
        Ok((indices, answers))
    }

    fn keys(&mut self, isomorphic: bool, stop: &AtomicBool) -> Vec<(usize, PuzzleKey)> {
        let job = Keys { isomorphic, ..Keys::default() };
        let (keys, answers) = self.keys[usize::from(isomorphic)].get_or_insert_with(|| worker(job));
        answers.clear();
        // A key needs no solution, so there is no engine that could be wrong.
        let _ = keys.answer(&self.batch.puzzles, 0, stop, answers);
        let indices = (0..self.puzzles.len()).filter_map(|index| Some((index, self.puzzles[index]?)));
        indices.filter_map(|(index, puzzle)| Some((index, answers.key(puzzle)?))).collect()
    }

    fn solutions(&mut self, stop: &AtomicBool) -> Vec<Option<String>> {
        let indices: Vec<usize> = (0..self.puzzles.len()).collect();
        let mut solutions = vec![None; indices.len()];
        // If there are no results, the column is empty. The search reports a wrong engine before.
        let Ok((indices, answers)) = self.ask(Pass::Solve, &indices, stop) else { return solutions };
        let column = answers.schema().names().position(|name| name == "solution");
        let cells = |(answer, index)| match answers.value(column?, answer) {
            Value::Cells(cells) => Some((index, cells.to_vec())),
            _ => None,
        };
        let found: Vec<_> = (0..answers.len()).zip(indices).filter_map(cells).collect();
        for (index, cells) in found {
            solutions[index] =
                self.puzzle(index).map(|puzzle| text_of(|line| puzzle.write_cells(&cells, line)));
        }
        solutions
    }

    fn line(&self, index: usize) -> Option<String> {
        self.puzzle(index).map(|puzzle| text_of(|line| puzzle.write(line)))
    }

    fn grid(&self, index: usize) -> Option<PageGrid> {
        self.puzzle(index).map(PageGrid::from_puzzle)
    }
}

/// A file of the collection.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    /// Its text and format, if it could be opened.
    pub(super) content: Option<Content>,
    /// The path and options for reading it again; `None` if that is not possible, e.g. for a pipe.
    pub(super) source: Option<(PathBuf, FormatOptions)>,
    /// The format of a file of columns, which is read as CSV.
    pub(super) container: Option<Container>,
    /// The ids of its records, in order. There are several ranges if it grew after other files were read.
    pub(super) ids: RwLock<Vec<Range<u32>>>,
    /// The number of records that have the results of each pass.
    pub(super) known: [AtomicU32; 2],
    /// Whether all of its records are known.
    pub(super) is_indexed: AtomicBool,
    /// The length of its text so far, in bytes.
    pub(super) bytes: AtomicU64,
    /// The checksum of the text with the known records, once these are complete.
    pub(super) indexed: Mutex<Option<Checksum>>,
    /// The last check that found the known text unchanged although the file had changed: the marks of the file at that time, and
    /// the earliest time of the next check.
    pub(super) text_checked: Mutex<Option<(FileMarks, Instant)>>,
    /// Whether new text follows, whose records have not been found yet.
    pub(super) has_grown: AtomicBool,
    /// A note for the page that is not an error.
    pub(super) note: OnceLock<String>,
    /// The reason why the file has no rows any more.
    pub(super) error: OnceLock<String>,
}

/// The text of a file, which can be read from any position.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) layout: Layout,
    pub(super) text: OsFile,
    /// The path of the file, and its marks when it was opened. `None` if the text is a copy in a temporary file without a name. A
    /// copy is needed for compressed files and pipes, because these can't be read from any position.
    pub(super) in_place: Option<(PathBuf, FileMarks)>,
}

/// The marks of a file at some time, by which a change is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileMarks {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64),
}

impl FileMarks {
    fn from_metadata(metadata: &Metadata) -> FileMarks {
        FileMarks {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            identity: (metadata.dev(), metadata.ino()),
        }
    }
}

impl Content {
    /// Opens a regular file that is not compressed, so that its text can be read in place; `None` for anything else.
    pub(super) fn open(path: PathBuf) -> Option<(OsFile, (PathBuf, FileMarks))> {
        // A named pipe must not be opened, because opening it would wait for a writer.
        if !path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
            return None;
        }
        let file = OsFile::open(&path).ok()?;
        let seen = FileMarks::from_metadata(&file.metadata().ok()?);
        let mut head = [0; Packing::SIGNATURE_BYTES];
        let read = read_at(&file, &mut head, 0).ok()?;
        Packing::detect(&head[..read]).is_none().then_some((file, (path, seen)))
    }

    /// The new marks of the file if they have changed, or an error if it was removed or replaced. `None` if they are the same, if
    /// the text is a copy, or if the system can't say at the moment.
    pub(super) fn other_marks(&self) -> Result<Option<FileMarks>, &'static str> {
        let Some((path, seen)) = &self.in_place else { return Ok(None) };
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Err("it was removed"),
            Err(_) => return Ok(None),
        };
        let found = FileMarks::from_metadata(&metadata);
        if !metadata.is_file() || is_other(&self.text, path, seen, &found) {
            return Err("it was replaced");
        }
        Ok((found != *seen).then_some(found))
    }

    /// Whether the file still begins with this text. If it can't be read, it does not.
    fn begins_with(&self, text: Checksum) -> bool {
        let mut reader = TextReader { text: &self.text, position: 0 };
        let (mut found, mut piece) = (Checksum::default(), vec![0; SPAN_BYTES as usize]);
        while found.bytes < text.bytes {
            let piece = &mut piece[..SPAN_BYTES.min(text.bytes - found.bytes) as usize];
            if reader.read_exact(piece).is_err() {
                return false;
            }
            found.append(Checksum::of(piece));
        }
        found == text
    }
}

/// Whether a path leads to a different file than the open one. This opens nothing, because there may be no free descriptor.
#[cfg(unix)]
fn is_other(_: &OsFile, _: &Path, seen: &FileMarks, found: &FileMarks) -> bool {
    found.identity != seen.identity
}

/// Whether a path leads to a different file than the open one.
#[cfg(not(unix))]
fn is_other(file: &OsFile, path: &Path, _: &FileMarks, _: &FileMarks) -> bool {
    let open = file.try_clone().and_then(same_file::Handle::from_file);
    open.is_ok_and(|open| same_file::Handle::from_path(path).is_ok_and(|found| found != open))
}

impl File {
    /// Makes a file. It has no content if it could not be opened.
    pub(super) fn new(name: String, content: Option<Content>) -> File {
        let in_place = content.as_ref().and_then(|content| content.in_place.as_ref());
        let bytes = in_place.map_or(0, |(_, seen)| seen.len).into();
        File { name, content, bytes, ..File::default() }
    }

    /// The number of records.
    pub(super) fn records(&self) -> u32 {
        read(&self.ids).iter().map(|ids| ids.end - ids.start).sum()
    }

    /// The ids of its records.
    pub(super) fn ids(&self) -> Vec<Range<u32>> {
        read(&self.ids).clone()
    }

    /// The id of the record at a place in the file, from 0.
    pub(super) fn id(&self, place: u64) -> Option<u32> {
        let ids = read(&self.ids);
        ids.iter().cloned().flatten().nth(usize::try_from(place).ok()?)
    }

    /// The place of a record in the file, from 0.
    pub(super) fn place(&self, id: u32) -> Option<u32> {
        let ids = read(&self.ids);
        let index = ids.iter().position(|ids| ids.contains(&id))?;
        Some(ids[..index].iter().map(|ids| ids.end - ids.start).sum::<u32>() + id - ids[index].start)
    }

    /// The number of records that have the results of a pass.
    pub(super) fn known(&self, pass: Pass) -> u64 {
        self.known[pass as usize].load(Ordering::Acquire).into()
    }

    /// Appends the ids of new records.
    pub(super) fn add_ids(&self, more: Range<u32>) {
        let mut ids = write(&self.ids);
        match ids.last_mut().filter(|last| last.end == more.start) {
            Some(last) => last.end = more.end,
            None if more.is_empty() => {}
            None => ids.push(more),
        }
    }

    /// Removes the last record, and returns its id.
    pub(super) fn take_last_id(&self) -> Option<u32> {
        let mut ids = write(&self.ids);
        let last = ids.last_mut()?;
        last.end -= 1;
        let id = last.end;
        ids.retain(|ids| !ids.is_empty());
        Some(id)
    }

    /// Whether the file can be read again on request.
    pub(super) fn can_reload(&self) -> bool {
        self.is_broken() && self.source.is_some()
    }

    /// The layout of its text, if it could be opened.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.content.as_ref().map(|content| &content.layout)
    }

    /// Whether the file has no rows any more.
    pub(super) fn is_broken(&self) -> bool {
        self.error.get().is_some()
    }

    /// Removes the rows, and prints the reason, which is a sentence with the name of the file. Only the first reason is kept.
    pub(super) fn fail(&self, error: String) {
        self.error.get_or_init(|| {
            eprint_message(format_args!("gridmill: {error}\n"));
            error
        });
        self.free_copy();
    }

    /// Removes the rows, because the file is no longer shown.
    pub(super) fn close(&self) {
        let _ = self.error.set(format!("{}: it is no longer shown; load the page again", self.name));
        self.free_copy();
    }

    fn free_copy(&self) {
        // The copy is not read any more, and it may be the reason why the disk is full.
        if let Some(Content { text, in_place: None, .. }) = &self.content {
            let _ = text.set_len(0);
            self.bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Refuses a request for rows that have been removed.
    pub(super) fn refusal(&self) -> Refusal {
        let error = self.error.get().expect("rows go with an error");
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// Removes the rows, because the file has changed.
    pub(super) fn fail_changed(&self, change: &str) {
        let name = &self.name;
        self.fail(format!(
            "{name}: {change} while it was shown; press Reload in the list of files to read it again"
        ));
    }

    /// Checks whether the text with the known records is unchanged. Returns false if the file is broken.
    pub(super) fn check_unchanged(&self) -> bool {
        if !self.is_broken()
            && let Some(change) = self.change()
        {
            self.fail_changed(change);
        }
        !self.is_broken()
    }

    /// Describes how the file has changed, but only if its records are certainly different. A file that has grown keeps them if its
    /// beginning is the same. The beginning is read again, because it may have changed too. While records are still
    /// being found, there is nothing yet to compare the text with, so only a file that is shorter than what was read
    /// has certainly changed.
    fn change(&self) -> Option<&'static str> {
        let content = self.content.as_ref()?;
        let found = match content.other_marks() {
            Ok(marks) => marks?,
            Err(change) => return Some(change),
        };
        let Some(indexed) = *lock(&self.indexed) else {
            return (found.len < self.bytes.load(Ordering::Relaxed)).then_some("it was changed");
        };
        let mut text_checked = lock(&self.text_checked);
        let begun = Instant::now();
        if text_checked.is_some_and(|(marks, until)| marks == found || found.len > marks.len && begun < until)
        {
            return None;
        }
        if !content.begins_with(indexed) {
            return Some("it was changed");
        }
        // The wait makes sure that a large file that grows all the time is not read all the time.
        *text_checked = Some((found, Instant::now() + REST * begun.elapsed()));
        self.has_grown.store(found.len > indexed.bytes, Ordering::Release);
        None
    }

    /// Reads a part of the text completely.
    pub(super) fn read(&self, position: u64, part: &mut [u8]) -> Answer {
        let Some(content) = self.content.as_ref().filter(|_| !self.is_broken()) else {
            return Err(self.refusal());
        };
        let mut reader = TextReader { text: &content.text, position };
        match reader.read_exact(part) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == UnexpectedEof => self.fail_changed("it became shorter"),
            Err(error) => self.fail(format!("{}: reading failed: {error}", self.name)),
        }
        Err(self.refusal())
    }

    /// Appends to the copy of the text, if there is one. Fails if the disk is full.
    pub(super) fn copy(&self, position: u64, part: &[u8]) -> Result<(), Error> {
        let Some(Content { text, in_place: None, .. }) = &self.content else { return Ok(()) };
        let failed = |error| Error::other(format!("could not unpack it to a temporary file: {error}"));
        write_all_at(text, part, position).map_err(failed)?;
        self.bytes.store(position + part.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads a text, beginning at a position.
pub(super) struct TextReader<T> {
    pub(super) text: T,
    pub(super) position: u64,
}

impl<T: Borrow<OsFile>> Read for TextReader<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(self.text.borrow(), buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &OsFile, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, position)
}

#[cfg(windows)]
fn read_at(file: &OsFile, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, position)
}

#[cfg(unix)]
fn write_all_at(file: &OsFile, bytes: &[u8], position: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, position)
}

#[cfg(windows)]
fn write_all_at(file: &OsFile, mut bytes: &[u8], mut position: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, position)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => (bytes, position) = (&bytes[count..], position + count as u64),
        }
    }
    Ok(())
}
