//! Records that are read from their files, whatever the kind of their puzzles: consecutive ones together, as a span. And a file
//! of the collection: where its text is, and whether it still is what it was.

use std::fs::{File as OsFile, Metadata};
use std::io;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::ops::Range;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Instant, SystemTime};

use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::jobs::{Answers, CanonicalKey, Job, Keys, Rate, Refuted, Solve, Status, Value, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::packing::{Compression, Container};
use gridmill_data::record::Checksum as Span;
use gridmill_data::text::{Batch, Cut, Format, FormatOptions, Layout, PuzzleText, Record, lines_of};
use gridmill_data::with_kind;
use gridmill_report::eprint_message;
use hyper::StatusCode;

use super::index::{Entry, Pass, RatingMark};
use super::{Collection, lock, read, write};
use crate::questions::PageGrid;
use crate::reply::Refusal;

/// The most bytes that are read together.
const SPAN_BYTES: u64 = 1 << 20;

/// How long a file that grew is not read again, for each unit of time that this took.
const REST: u32 = 10;

/// A row, and what is known of its record.
pub(super) type KnownRow = (u32, Entry);

/// Reads spans of records from their files, one after the other.
pub(super) struct SpanReader<'a> {
    collection: &'a Collection,
    /// The reader of the last file.
    reader: Option<(u16, Box<dyn RecordReader>)>,
    text: Vec<u8>,
}

/// A span that has been read: its text, and its records.
pub(super) struct ReadSpan<'s> {
    pub(super) text: &'s [u8],
    /// Whether that is all of it; of a record that is too long, it is the beginning.
    pub(super) is_whole: bool,
    pub(super) records: &'s mut dyn RecordReader,
}

impl<'a> SpanReader<'a> {
    pub(super) fn new(collection: &'a Collection) -> SpanReader<'a> {
        SpanReader { collection, reader: None, text: Vec::new() }
    }

    /// Reads rows a span at a time, and hands the spans to `each`, as long as it refuses nothing.
    pub(super) fn read_all(
        &mut self,
        mut rows: &mut [KnownRow],
        mut each: impl FnMut(&mut [KnownRow], Result<ReadSpan<'_>, Refusal>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        while !rows.is_empty() {
            let (span, later) = rows.split_at_mut(first_span(rows));
            let read = self.read(span);
            each(span, read)?;
            rows = later;
        }
        Ok(())
    }

    /// Reads the records of a span. They must be where they were, or the file has changed.
    fn read(&mut self, span: &[KnownRow]) -> Result<ReadSpan<'_>, Refusal> {
        let (first, last) = (&span[0].1, &span[span.len() - 1].1);
        let file: Arc<File> = self.collection.file_of(first);
        let Some(content) = &file.content else { return Err(file.refusal()) };
        let reader = match self.reader.take() {
            Some((known, reader)) if known == first.file => reader,
            _ => reader_for(&content.layout),
        };
        let (_, reader) = self.reader.insert((first.file, reader));
        let longest = reader.cut().longest();
        let len = (last.end() - first.position) as usize;
        // A format only reads the beginning of a record that is longer.
        let is_too_long = span.len() == 1 && len > 2 * longest;
        self.text.resize(if is_too_long { longest + 1 } else { len }, 0);
        file.read(first.position, &mut self.text)?;
        reader.read(&self.text, is_too_long);
        let records = reader.records();
        let is_there = |((_, entry), lines): (&KnownRow, Range<usize>)| {
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

/// Returns how many of the first rows are read together: consecutive records of a file, near each other.
fn first_span(rows: &[KnownRow]) -> usize {
    let Some((first, _)) = rows.split_first() else { return 0 };
    let is_near = |pair: &[KnownRow]| {
        let [(row, entry), (next_row, next)] = pair else { return false };
        row + 1 == *next_row && entry.file == next.file && next.end() - first.1.position <= SPAN_BYTES
    };
    rows.windows(2).take_while(|pair| is_near(pair)).count() + 1
}

/// Reads records of a file, says what is seen of those that were read last, and asks jobs of them.
pub(super) trait RecordReader: Send {
    /// Returns how the file may be cut.
    fn cut(&self) -> &dyn Cut;

    /// Reads a text of whole records, or of one record that is too long.
    fn read(&mut self, text: &[u8], is_too_long: bool);

    /// Returns the records that were read.
    fn records(&self) -> &[Record];

    /// Returns what is seen of a record without a search, as an entry whose place is still to be filled in.
    fn seen(&self, place: usize) -> Entry;

    /// Asks a job of puzzles until `stop` becomes true. Returns their places and the answers, which may be fewer. Leaves out
    /// records without a puzzle that the job can take, e.g. malformed ones.
    fn ask(
        &mut self,
        pass: Pass,
        places: &[usize],
        stop: &AtomicBool,
    ) -> Result<(Vec<usize>, &Answers), Refuted>;

    /// Returns the places of the puzzles, each with its key, which isomorphs may share; fewer if `stop` becomes true.
    fn keys(&mut self, isomorphic: bool, stop: &AtomicBool) -> Vec<(usize, CanonicalKey)>;

    /// Returns the solution of each puzzle that has one, on a line: the first that is found.
    fn solutions(&mut self, stop: &AtomicBool) -> Vec<Option<String>>;

    /// Returns a puzzle, if it could be read: on a line.
    fn line(&self, place: usize) -> Option<String>;

    /// Returns a puzzle, if it could be read: as a grid of the page.
    fn grid(&self, place: usize) -> Option<PageGrid>;
}

/// Makes the reader for a file.
pub(super) fn reader_for(layout: &Layout) -> Box<dyn RecordReader> {
    with_kind!(layout.kind(), P => Box::new(Reader::<P>::new(layout)))
}

/// Reads records of one kind.
struct Reader<P: PuzzleText> {
    format: Box<dyn Format<P>>,
    batch: Batch<P>,
    /// For each record the place of its puzzle in the batch.
    puzzles: Vec<Option<usize>>,
    engine: Engine,
    /// The workers of the passes and their last answers, made when they are needed first.
    asked: [Option<Asked<P>>; 2],
    /// The same of keys: of puzzles as they are, and of their minlex forms.
    keys: [Option<Asked<P>>; 2],
}

type Asked<P> = (Box<dyn Worker<P>>, Answers);

/// Returns the worker of a job, and room for its answers.
fn worker<P: PuzzleText>(job: impl Job) -> Asked<P> {
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

    fn puzzle(&self, place: usize) -> Option<&P> {
        self.puzzles[place].map(|puzzle| &self.batch.puzzles[puzzle])
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

    fn seen(&self, place: usize) -> Entry {
        let Some(puzzle) = self.puzzle(place) else { return Entry::MALFORMED };
        let bits = Symmetry::ALL.into_iter().enumerate();
        let is_of = |symmetry: Symmetry| symmetry.is_of_cells(puzzle.shape(), puzzle.cells());
        Entry {
            status: puzzle.find_conflict().map(|_| Status::Conflict),
            clues: puzzle.clue_count() as u16,
            rating: if puzzle.shape() == Shape::CLASSIC { RatingMark::NONE } else { RatingMark::NEVER },
            symmetries: bits.map(|(bit, symmetry)| u8::from(is_of(symmetry)) << bit).sum(),
            ..Entry::MALFORMED
        }
    }

    fn ask(
        &mut self,
        pass: Pass,
        places: &[usize],
        stop: &AtomicBool,
    ) -> Result<(Vec<usize>, &Answers), Refuted> {
        let suits = |puzzle: &&P| pass == Pass::Search || puzzle.shape() == Shape::CLASSIC;
        let of_place = |&place: &usize| Some((place, self.puzzle(place).filter(suits)?.clone()));
        let (places, puzzles): (Vec<usize>, Vec<P>) = places.iter().filter_map(of_place).unzip();
        let engine = self.engine;
        let (worker, answers) = self.asked[pass as usize].get_or_insert_with(|| match pass {
            Pass::Search => worker(Solve { engine, ..Solve::default() }),
            Pass::Rate => worker(Rate { engine, ..Rate::default() }),
        });
        answers.clear();
        let of_place = |refuted: Refuted| Refuted { puzzle: places[refuted.puzzle], ..refuted };
        worker.answer(&puzzles, 0, stop, answers).map_err(of_place)?;
        Ok((places, answers))
    }

    fn keys(&mut self, isomorphic: bool, stop: &AtomicBool) -> Vec<(usize, CanonicalKey)> {
        let job = Keys { isomorphic, ..Keys::default() };
        let (keys, answers) = self.keys[usize::from(isomorphic)].get_or_insert_with(|| worker(job));
        answers.clear();
        // No puzzle is solved for its key, so no engine can be wrong.
        let _ = keys.answer(&self.batch.puzzles, 0, stop, answers);
        let places = (0..self.puzzles.len()).filter_map(|place| Some((place, self.puzzles[place]?)));
        places.filter_map(|(place, puzzle)| Some((place, answers.key(puzzle)?))).collect()
    }

    fn solutions(&mut self, stop: &AtomicBool) -> Vec<Option<String>> {
        let places: Vec<usize> = (0..self.puzzles.len()).collect();
        // Without an answer the column is empty; that of a wrong engine is told by the search before.
        let Ok((places, answers)) = self.ask(Pass::Search, &places, stop) else { return Vec::new() };
        let column = answers.schema().names().position(|name| name == "solution");
        let cells = |answer: usize| match answers.value(column?, answer) {
            Value::Cells(cells) => Some(cells.to_vec()),
            _ => None,
        };
        let found: Vec<(usize, Option<Vec<u8>>)> = places
            .into_iter()
            .enumerate()
            .take(answers.len())
            .map(|(answer, place)| (place, cells(answer)))
            .collect();
        let mut solutions = vec![None; self.puzzles.len()];
        for (place, cells) in found {
            solutions[place] = cells.zip(self.puzzle(place)).map(|(cells, puzzle)| {
                let mut line = Vec::new();
                puzzle.write_cells(&cells, &mut line);
                String::from_utf8_lossy(&line).into_owned()
            });
        }
        solutions
    }

    fn line(&self, place: usize) -> Option<String> {
        let mut line = Vec::new();
        self.puzzle(place)?.write(&mut line);
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn grid(&self, place: usize) -> Option<PageGrid> {
        self.puzzle(place).map(PageGrid::from_puzzle)
    }
}

/// A file of the collection.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    /// Its text and how that is written, if it could be opened.
    pub(super) content: Option<Content>,
    /// Where it is read again from, and how; nothing where that is not possible, as of a pipe.
    pub(super) source: Option<(PathBuf, FormatOptions)>,
    /// The format of a file of columns, which is read as CSV.
    pub(super) container: Option<Container>,
    /// The ids of its records, in their order: several ranges where it grew after others were read.
    pub(super) ids: RwLock<Vec<Range<u32>>>,
    /// How many records have the answers of each pass.
    pub(super) known: [AtomicU32; 2],
    /// Whether all of its records are known.
    pub(super) is_indexed: AtomicBool,
    /// The bytes of its text, as far as it has come.
    pub(super) bytes: AtomicU64,
    /// The text whose records are known, once these are all of them.
    pub(super) indexed: Mutex<Option<Span>>,
    /// The marks of the file when that text was last found in it, after it had changed, and until when it is taken to be there.
    pub(super) found_again: Mutex<Option<(Seen, Instant)>>,
    /// Whether more text follows now, whose records are still to be found.
    pub(super) has_grown: AtomicBool,
    /// Something that the page says of the file, and is no error.
    pub(super) note: OnceLock<String>,
    /// Why the file has no rows any more.
    pub(super) error: OnceLock<String>,
}

/// The text of a file, which can be read from any place.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) layout: Layout,
    pub(super) text: OsFile,
    /// The path of the file, and its marks when it was opened. `None` if the text is a copy in a temporary file without a
    /// name, as it has none that could be read from any place: it was compressed, or a pipe.
    pub(super) in_place: Option<(PathBuf, Seen)>,
}

/// The marks of a file when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64),
}

impl Seen {
    fn from_metadata(metadata: &Metadata) -> Seen {
        Seen {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            identity: (metadata.dev(), metadata.ino()),
        }
    }
}

impl Content {
    /// Opens a regular file that is not compressed, whose text can be read in place; `None` for anything else.
    pub(super) fn open(path: PathBuf) -> Option<(OsFile, (PathBuf, Seen))> {
        // A named pipe is not opened: that would wait.
        if !path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
            return None;
        }
        let file = OsFile::open(&path).ok()?;
        let seen = Seen::from_metadata(&file.metadata().ok()?);
        let mut head = [0; Compression::SIGNATURE_BYTES];
        let read = read_at(&file, &mut head, 0).ok()?;
        Compression::detect(&head[..read]).is_none().then_some((file, (path, seen)))
    }

    /// Returns the marks of the file, if they are other ones now, or what has become of it. `None` where the system does not
    /// say: it may say so later.
    pub(super) fn other_marks(&self) -> Result<Option<Seen>, &'static str> {
        let Some((path, seen)) = &self.in_place else { return Ok(None) };
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Err("it went away"),
            Err(_) => return Ok(None),
        };
        let found = Seen::from_metadata(&metadata);
        if !metadata.is_file() || is_other(&self.text, path, seen, &found) {
            return Err("it was replaced");
        }
        Ok((found != *seen).then_some(found))
    }

    /// Returns whether the file still begins with a text. Where that can't be read it does not.
    fn begins_with(&self, text: Span) -> bool {
        let (mut found, mut piece) = (Span::default(), vec![0; SPAN_BYTES as usize]);
        while found.bytes < text.bytes {
            let wanted = SPAN_BYTES.min(text.bytes - found.bytes) as usize;
            match read_at(&self.text, &mut piece[..wanted], found.bytes) {
                Ok(0) => return false,
                Ok(count) => found.append(Span::of(&piece[..count])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
        found == text
    }
}

/// Returns whether a path leads to another file than the open one. Opens nothing, as there may be no descriptor left.
#[cfg(unix)]
fn is_other(_: &OsFile, _: &Path, seen: &Seen, found: &Seen) -> bool {
    found.identity != seen.identity
}

/// Returns whether a path leads to another file than the open one.
#[cfg(not(unix))]
fn is_other(file: &OsFile, path: &Path, _: &Seen, _: &Seen) -> bool {
    let open = file.try_clone().and_then(same_file::Handle::from_file);
    open.is_ok_and(|open| same_file::Handle::from_path(path).is_ok_and(|found| found != open))
}

impl File {
    /// Takes a file; one that could not be opened has no content.
    pub(super) fn new(name: String, content: Option<Content>) -> File {
        let in_place = content.as_ref().and_then(|content| content.in_place.as_ref());
        let bytes = in_place.map_or(0, |(_, seen)| seen.len).into();
        File { name, content, bytes, ..File::default() }
    }

    /// Returns how many records there are.
    pub(super) fn records(&self) -> u32 {
        read(&self.ids).iter().map(|ids| ids.end - ids.start).sum()
    }

    /// Returns the ids of its records.
    pub(super) fn ids(&self) -> Vec<Range<u32>> {
        read(&self.ids).clone()
    }

    /// Returns the id of a record by its place in the file, from 0.
    pub(super) fn id(&self, place: u64) -> Option<u32> {
        let ids = read(&self.ids);
        ids.iter().cloned().flatten().nth(usize::try_from(place).ok()?)
    }

    /// Returns the place of a record in the file, from 0.
    pub(super) fn place(&self, id: u32) -> Option<u32> {
        let ids = read(&self.ids);
        let index = ids.iter().position(|ids| ids.contains(&id))?;
        Some(ids[..index].iter().map(|ids| ids.end - ids.start).sum::<u32>() + id - ids[index].start)
    }

    /// Returns how many records have the answers of a pass.
    pub(super) fn known(&self, pass: Pass) -> u64 {
        self.known[pass as usize].load(Ordering::Acquire).into()
    }

    /// Appends the ids of records.
    pub(super) fn add_ids(&self, more: Range<u32>) {
        let mut ids = write(&self.ids);
        match ids.last_mut().filter(|last| last.end == more.start) {
            Some(last) => last.end = more.end,
            None if more.is_empty() => {}
            None => ids.push(more),
        }
    }

    /// Takes the last record away, and returns its id.
    pub(super) fn take_last_id(&self) -> Option<u32> {
        let mut ids = write(&self.ids);
        let last = ids.last_mut()?;
        last.end -= 1;
        let id = last.end;
        ids.retain(|ids| !ids.is_empty());
        Some(id)
    }

    /// Returns whether the file is read again when that is wanted.
    pub(super) fn can_reload(&self) -> bool {
        self.is_broken() && self.source.is_some()
    }

    /// Returns how its text is written, if it could be opened.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.content.as_ref().map(|content| &content.layout)
    }

    /// Returns whether the file has no rows any more.
    pub(super) fn is_broken(&self) -> bool {
        self.error.get().is_some()
    }

    /// Takes the rows away, and prints why: a sentence that names the file. The first reason stays.
    pub(super) fn fail(&self, error: String) {
        self.error.get_or_init(|| {
            eprint_message(format_args!("gridmill: {error}\n"));
            error
        });
        self.free_copy();
    }

    /// Takes the rows away, because the file is shown no more.
    pub(super) fn close(&self) {
        let _ = self.error.set(format!("{}: it is shown no more; load the page again", self.name));
        self.free_copy();
    }

    fn free_copy(&self) {
        // The copy of its text is not read any more, and may be what filled the disk.
        if let Some(Content { text, in_place: None, .. }) = &self.content {
            let _ = text.set_len(0);
            self.bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Refuses a request for rows that are gone.
    pub(super) fn refusal(&self) -> Refusal {
        let error = self.error.get().expect("rows go with an error");
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// Takes the rows away, because the file is not what it was.
    pub(super) fn fail_changed(&self, change: &str) {
        let name = &self.name;
        self.fail(format!(
            "{name}: {change} while it was shown; read it again with Reload, in the list of files"
        ));
    }

    /// Looks whether the text whose records are known is what it was. Returns false if the file is broken.
    pub(super) fn look(&self) -> bool {
        if !self.is_broken()
            && let Some(change) = self.change()
        {
            self.fail_changed(change);
        }
        !self.is_broken()
    }

    /// Returns what has become of the file, if it is certain that its records are not what they were. A file that grows keeps
    /// them: its beginning is read again, because somebody may have changed that too. As long as records are still being found,
    /// it is not known yet which text they are of.
    fn change(&self) -> Option<&'static str> {
        let content = self.content.as_ref()?;
        let found = match content.other_marks() {
            Ok(marks) => marks?,
            Err(change) => return Some(change),
        };
        let Some(indexed) = *lock(&self.indexed) else {
            return (found.len < self.bytes.load(Ordering::Relaxed)).then_some("it was changed");
        };
        let mut found_again = lock(&self.found_again);
        let begun = Instant::now();
        if found_again.is_some_and(|(marks, until)| marks == found || found.len > marks.len && begun < until)
        {
            return None;
        }
        if !content.begins_with(indexed) {
            return Some("it was changed");
        }
        // A large file that grows all the time is not read all the time.
        *found_again = Some((found, Instant::now() + REST * begun.elapsed()));
        self.has_grown.store(found.len > indexed.bytes, Ordering::Release);
        None
    }

    /// Reads a part of the text whole.
    pub(super) fn read(&self, position: u64, part: &mut [u8]) -> Result<(), Refusal> {
        let Some(content) = self.content.as_ref().filter(|_| !self.is_broken()) else {
            return Err(self.refusal());
        };
        let mut done = 0;
        while done < part.len() {
            match read_at(&content.text, &mut part[done..], position + done as u64) {
                Ok(0) => {
                    self.fail_changed("it became shorter");
                    return Err(self.refusal());
                }
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.fail(format!("{}: reading failed: {error}", self.name));
                    return Err(self.refusal());
                }
            }
        }
        Ok(())
    }

    /// Appends to the copy of the text, if there is one. Fails where it has no room.
    pub(super) fn copy(&self, position: u64, part: &[u8]) -> Result<(), Error> {
        let Some(Content { text, in_place: None, .. }) = &self.content else { return Ok(()) };
        let failed = |error| Error::other(format!("it can't be unpacked to a temporary file: {error}"));
        write_all_at(text, part, position).map_err(failed)?;
        self.bytes.store(position + part.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads a text from a position on.
pub(super) struct TextReader {
    text: OsFile,
    position: u64,
}

impl TextReader {
    pub(super) fn new(text: &OsFile, position: u64) -> io::Result<TextReader> {
        Ok(TextReader { text: text.try_clone()?, position })
    }
}

impl io::Read for TextReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.text, buffer, self.position)?;
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
