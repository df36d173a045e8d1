//! Where puzzles come from: text in memory, or a stream, which may be compressed.

mod narrow;
mod stream;
mod system;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gridmill_core::solver::NEVER;
use memmap2::Mmap;

use super::lock;
use crate::error::{Error, ErrorKind, display_name};
use crate::packing::{ColumnType, Compression, Container, Member, archive_error, split_member};
use crate::record::{Span, Totals, count_lines};
use crate::text::{FormatChoice, FormatError, FormatOptions, HEAD_BYTES, Layout};

pub use narrow::CountedBefore;
use stream::Raw;
pub(super) use stream::Stream;
pub(super) use system::PATIENCE;
pub use system::note_closed_standard_input;

/// Bytes that are handed on at once.
const COPY_BYTES: usize = 1 << 16;

/// How much of a stream is read to find out its alphabet.
const SURVEY_BYTES: usize = 1 << 20;

/// Bytes that are passed over before the stop flag is read again.
const PASS_BYTES: usize = 16 << 20;

/// An opened input: a file, a pipe, bytes or any reader. Its head can be looked at before it is run.
pub struct Input {
    name: PathBuf,
    file: Option<Arc<File>>,
    bytes: Bytes,
    /// Bytes of a regular file, or of what was given.
    len: Option<u64>,
    /// How many bytes of a stream have been read.
    position: Arc<AtomicU64>,
    /// The text in front of the records: a byte-order mark, comments, a header.
    preamble: Vec<u8>,
    /// The amount of input in front of the chunks: the preamble, and what was passed over.
    passed: Totals,
    /// Where the records begin that are read, if not behind the preamble.
    begin: Option<Begin>,
}

/// Where a part of an input begins.
struct Begin {
    at: u64,
    /// The counts of what is in front, while records are numbered from where the part begins.
    before: Option<CountedBefore>,
    /// Records in front, once they are numbered from the front of the file.
    records: u64,
}

pub(super) enum Bytes {
    Whole(Whole),
    Stream(Mutex<Stream>),
}

/// A whole text in memory.
pub(super) enum Whole {
    /// A file up to the end of what is read of it.
    Mapped(Mmap, usize),
    Given(Cow<'static, [u8]>),
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Whole::Mapped(map, end) => &map[..*end],
            Whole::Given(bytes) => bytes,
        }
    }
}

impl Input {
    /// Opens a file, or standard input for `None`. Regular files are mapped if `may_map` is set and mapping
    /// works; anything else is read as a stream. Compressed files are streams that are unpacked as they are
    /// read: see [`Compression`]. Of a zip archive the one file that looks like puzzles is read, or the one whose name
    /// stands behind that of the archive: `archive.zip:member.csv`.
    ///
    /// # Errors
    ///
    /// Where the file can't be opened, or is a directory.
    pub fn open(path: Option<&Path>, may_map: bool) -> Result<Input, Error> {
        let name = display_name(path, "<stdin>").to_owned();
        let (path, member) = match path.and_then(split_member) {
            Some((archive, member)) => (Some(archive), Some(member.to_owned())),
            None => (path, None),
        };
        let file = match path {
            Some(path) => system::open_file(path),
            None => system::standard_input(),
        };
        let file = file.map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        Input::of_member(file, name, may_map && path.is_some(), member)
    }

    /// Takes an open file; messages call it `name`.
    ///
    /// # Errors
    ///
    /// Where the file's metadata can't be read, or it is a directory.
    pub fn of_file(file: File, name: PathBuf, may_map: bool) -> Result<Input, Error> {
        Input::of_member(file, name, may_map, None)
    }

    /// Takes an open file, or that member of an archive.
    fn of_member(file: File, name: PathBuf, may_map: bool, member: Option<String>) -> Result<Input, Error> {
        let metadata = file.metadata().map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        if metadata.is_dir() {
            return Err(ErrorKind::Directory(name).into());
        }
        // Files of the system that make up their content as they are read have length 0, too.
        let is_regular = metadata.is_file() && metadata.len() > 0;
        let map = (may_map && is_regular).then(|| system::map(&file).ok()).flatten();
        let len = is_regular.then_some(metadata.len());
        let file = Arc::new(file);
        let whole = map.filter(|map| Compression::of(map).is_none());
        let whole = whole.map(|map| (map.len(), map)).map(|(end, map)| Whole::Mapped(map, end));
        let input = match whole {
            Some(whole) => Input::new(name, len, Bytes::Whole(whole)),
            None => Input::of_raw(name, len, Raw::of_file(Arc::clone(&file), is_regular), member),
        };
        Ok(Input { file: Some(file), ..input })
    }

    /// Takes a text that is in memory, whatever messages should call it. What is compressed is unpacked as from a
    /// file. Costs no copy.
    ///
    /// ```
    /// use gridmill_data::pipeline::Input;
    ///
    /// let input = Input::from_bytes("made here", b"1.....3..4.....2\n");
    /// assert_eq!(input.known_len(), Some(17));
    /// ```
    #[must_use]
    pub fn from_bytes(name: impl Into<PathBuf>, bytes: impl Into<Cow<'static, [u8]>>) -> Input {
        let bytes = bytes.into();
        let len = Some(bytes.len() as u64);
        match Compression::of(&bytes) {
            None => Input::new(name.into(), len, Bytes::Whole(Whole::Given(bytes))),
            Some(_) => Input::of_raw(name.into(), len, Raw::of_reader(Cursor::new(bytes)), None),
        }
    }

    /// Takes whatever can be read, whatever messages should call it: a socket, an object of a store, a decoder. What
    /// is compressed is unpacked as from a file; a zip archive is copied to a temporary file first.
    ///
    /// The reader is expected to wait for data: while it waits, a run can't be stopped. Records are handed on when a
    /// chunk is full.
    ///
    /// ```
    /// use gridmill_data::pipeline::{Input, Records};
    /// use gridmill_data::text::FormatOptions;
    ///
    /// let text = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..\n";
    /// let reader = std::io::Cursor::new(text.repeat(3));
    /// let records: Records = Input::from_reader("a reader", reader).records(&FormatOptions::default())?;
    /// assert_eq!(records.count(), 3);
    /// # Ok::<(), gridmill_data::Error>(())
    /// ```
    #[must_use]
    pub fn from_reader(name: impl Into<PathBuf>, reader: impl Read + Send + 'static) -> Input {
        Input::of_raw(name.into(), None, Raw::of_reader(reader), None)
    }

    fn of_raw(name: PathBuf, len: Option<u64>, raw: Raw, member: Option<String>) -> Input {
        let position = Arc::clone(&raw.position);
        let stream = Stream::new(raw, member);
        Input { position, ..Input::new(name, len, Bytes::Stream(Mutex::new(stream))) }
    }

    fn new(name: PathBuf, len: Option<u64>, bytes: Bytes) -> Input {
        Input {
            name,
            file: None,
            bytes,
            len,
            position: Arc::default(),
            preamble: Vec::new(),
            passed: Totals::default(),
            begin: None,
        }
    }

    /// Returns the name of the input in messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns the file, to compare with an output; `None` for bytes and readers.
    #[must_use]
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Returns whether the input is mapped into memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Whole(Whole::Mapped(..)))
    }

    /// Returns how many bytes the file has, or the text in memory, compressed ones where it is compressed, or the part
    /// that is read; `None` for pipes and readers.
    #[must_use]
    pub fn known_len(&self) -> Option<u64> {
        self.len
    }

    /// Returns how many of these bytes have been read, for others to watch; `None` for a text in memory, and where
    /// there is no end to measure by.
    #[must_use]
    pub fn position(&self) -> Option<Arc<AtomicU64>> {
        (self.len.is_some() && !self.is_whole()).then(|| Arc::clone(&self.position))
    }

    /// Returns the name of the file that is read of an archive, and the number of its files. `None` before
    /// the first bytes have been read, and for anything but an archive.
    #[must_use]
    pub fn member(&self) -> Option<Member> {
        let Bytes::Stream(stream) = &self.bytes else { return None };
        lock(stream).reader.member.clone()
    }

    /// Returns the whole text of the input.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn read_all(&self) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        let mut take = |part: &[u8]| {
            text.extend_from_slice(part);
            Ok(())
        };
        self.drain(&mut take, &NEVER)?;
        Ok(text)
    }

    /// Returns the first `want` bytes; fewer if the input is shorter, the run is stopped, or a pipe pauses
    /// behind bytes that are `enough`.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn head(
        &self,
        want: usize,
        enough: &dyn Fn(&[u8]) -> bool,
        stop: &AtomicBool,
    ) -> Result<Cow<'_, [u8]>, Error> {
        match &self.bytes {
            Bytes::Whole(text) => Ok(Cow::Borrowed(&text[..text.len().min(want)])),
            Bytes::Stream(stream) => {
                let mut stream = lock(stream);
                let filled = stream.fill(want, enough, stop);
                filled.map_err(|error| self.read_error(error))?;
                Ok(Cow::Owned(stream.filled()[..stream.filled().len().min(want)].to_vec()))
            }
        }
    }

    /// Finds out how the records are written, by what the user says and what the beginning looks like, and notes where
    /// the first one begins. `None` if the run is stopped before that. An input is asked once, before it is run.
    ///
    /// 64 KiB are enough for most; where the digits of large puzzles stay open, up to 1 MiB of a stream is read, and
    /// all of a text in memory.
    ///
    /// # Errors
    ///
    /// Where reading fails, or as [`FormatOptions::layout`] says.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use gridmill_data::pipeline::Input;
    /// use gridmill_data::text::FormatOptions;
    ///
    /// let mut input = Input::from_bytes("made here", b"id,puzzle\n1,1.....3..4.....2\n");
    /// let layout = input.detect(&FormatOptions::default(), &AtomicBool::new(false))?.unwrap();
    /// assert_eq!((layout.format_name(), input.preamble()), ("csv", &b"id,puzzle\n"[..]));
    /// # Ok::<(), gridmill_data::Error>(())
    /// ```
    pub fn detect(&mut self, options: &FormatOptions, stop: &AtomicBool) -> Result<Option<Layout>, Error> {
        let options = &self.told(options, stop)?;
        let most = if self.is_whole() { usize::MAX } else { SURVEY_BYTES };
        let mut want = HEAD_BYTES;
        loop {
            let head = self.head(want, &|head| options.is_decided(head), stop)?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let more = head.len() == want && want < most;
            if let Some(layout) = options.layout(&head, more)? {
                self.preamble = head[..layout.body].to_vec();
                if let Bytes::Stream(stream) = &self.bytes {
                    lock(stream).discard(self.preamble.len());
                }
                self.passed = self.before_body();
                return Ok(Some(layout));
            }
            want = want.saturating_mul(16).min(most);
        }
    }

    /// Returns what is known of how the records are written, before the text is looked at: that of columns is CSV with a header.
    ///
    /// # Errors
    ///
    /// Where reading fails, or the options say something else.
    pub fn told(&self, options: &FormatOptions, stop: &AtomicBool) -> Result<FormatOptions, Error> {
        let Some(container) = self.container(stop)? else { return Ok(options.clone()) };
        let is_other = !matches!(options.format, FormatChoice::Auto | FormatChoice::Csv)
            || options.no_header
            || options.separator.is_some_and(|separator| separator != b',');
        if is_other {
            return Err(FormatError::Columns(container).into());
        }
        Ok(FormatOptions { format: FormatChoice::Csv, separator: Some(b','), ..options.clone() })
    }

    /// Returns the format of a file of columns; `None` for anything else, and if the run is stopped before that is known.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn container(&self, stop: &AtomicBool) -> Result<Option<Container>, Error> {
        let Bytes::Stream(stream) = &self.bytes else { return Ok(None) };
        self.head(1, &|_| false, stop)?;
        match lock(stream).reader.compression {
            Some(Compression::Columns(container)) => Ok(Some(container)),
            _ => Ok(None),
        }
    }

    /// Returns the types of the columns of such a file, once its beginning has been read, with which they are written again;
    /// `None` for anything else.
    #[must_use]
    pub fn column_types(&self) -> Option<Vec<ColumnType>> {
        let Bytes::Stream(stream) = &self.bytes else { return None };
        lock(stream).reader.columns.clone()
    }

    /// Returns the amount of the preamble.
    fn before_body(&self) -> Totals {
        let (lines, bytes) = (count_lines(&self.preamble), self.preamble.len() as u64);
        Totals { lines, bytes, ..Totals::default() }
    }

    /// Returns the text in front of the records.
    #[must_use]
    pub fn preamble(&self) -> &[u8] {
        &self.preamble
    }

    /// Hands the whole text to `take`, a part at a time, unless the run is stopped.
    ///
    /// # Errors
    ///
    /// Where reading fails, or `take` does.
    pub fn drain(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let mut stream = match &self.bytes {
            Bytes::Whole(text) => return take(text),
            Bytes::Stream(stream) => lock(stream),
        };
        while !stream.is_ended() && !stop.load(Ordering::Relaxed) {
            stream.fill(COPY_BYTES, &|_| false, stop).map_err(|error| self.read_error(error))?;
            take(stream.filled())?;
            let passed = stream.filled().len();
            stream.discard(passed);
        }
        Ok(())
    }

    /// Passes over the records up to a place that an earlier run reported, so that a run begins there. Returns what is
    /// in front of it now: fewer bytes than there should be where the text is shorter; `None` if the run is stopped before.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn pass(&mut self, to: Totals, stop: &AtomicBool) -> Result<Option<Span>, Error> {
        let mut span = self.preamble_span();
        self.check_unchanged()?;
        // The begin of a part, or of the first record.
        let mut at = self.passed.bytes;
        while at < to.bytes {
            let left = usize::try_from(to.bytes - at).unwrap_or(usize::MAX).min(PASS_BYTES);
            let next = self.span_at(at, left, stop).map_err(|error| self.read_error(error))?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if next.bytes == 0 {
                break;
            }
            span.append(next);
            at += next.bytes;
        }
        if at == to.bytes {
            self.passed = to;
        }
        Ok(Some(span))
    }

    /// Returns the span of the text in front of the records.
    pub fn preamble_span(&self) -> Span {
        Span::of(&self.preamble)
    }

    /// Returns the span of so many bytes, or fewer at the end of the text; those of a stream are passed over.
    fn span_at(&self, at: u64, count: usize, stop: &AtomicBool) -> io::Result<Span> {
        match &self.bytes {
            Bytes::Whole(text) => {
                let at = text.len().min(usize::try_from(at).unwrap_or(usize::MAX));
                Ok(Span::of(&text[at..text.len().min(at.saturating_add(count))]))
            }
            Bytes::Stream(stream) => {
                let (mut stream, count) = (lock(stream), count.min(COPY_BYTES));
                stream.fill(count, &|_| false, stop)?;
                let count = stream.filled().len().min(count);
                Ok(stream.pass(count))
            }
        }
    }

    /// Returns the amount of input in front of the first chunk.
    pub fn before_records(&self) -> Totals {
        self.passed
    }

    /// Adds what is in front of the part that was read to the number of the record that a run failed at. Where that could
    /// not be counted, numbers have been wrong, and the run fails.
    pub fn with_numbers(&self, ended: Result<(), Error>) -> Result<(), Error> {
        let Some(Begin { before: Some(before), .. }) = &self.begin else { return ended };
        let ended = ended.map_err(|error| error.behind(|| before.totals().records));
        before.failure().map_or(ended, Err)
    }

    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    fn is_whole(&self) -> bool {
        matches!(self.bytes, Bytes::Whole(_))
    }

    /// Checks that a mapped file is as long as it was.
    pub(super) fn check_unchanged(&self) -> Result<(), Error> {
        let (Bytes::Whole(Whole::Mapped(map, _)), Some(file)) = (&self.bytes, &self.file) else {
            return Ok(());
        };
        let metadata = file.metadata().map_err(|error| self.read_error(error))?;
        if metadata.len() < map.len() as u64 {
            return Err(ErrorKind::Shrunk(self.name.clone()).into());
        }
        Ok(())
    }

    pub(super) fn read_error(&self, error: io::Error) -> Error {
        if let Some(error) = archive_error(&error).cloned() {
            return ErrorKind::Archive { path: self.name.clone(), error }.into();
        }
        ErrorKind::Read { path: self.name.clone(), error }.into()
    }
}
