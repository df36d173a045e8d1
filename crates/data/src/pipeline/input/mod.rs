//! The input of a run: text in memory, or a stream, which may be compressed.

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
use crate::packing::{ColumnType, Container, Member, Packing, archive_error, split_member};
use crate::record::{Checksum, InputAmount, count_lines};
use crate::text::{FormatChoice, FormatError, FormatOptions, HEAD_BYTES, Layout};

pub use narrow::RecordsBeforePart;
use stream::Raw;
pub(super) use stream::Stream;
pub(super) use system::PIPE_WAIT;
pub use system::mark_stdin_closed;

/// How many bytes are passed on at once.
const COPY_BYTES: usize = 1 << 16;

/// How many bytes of a stream are read to find out its alphabet.
const SURVEY_BYTES: usize = 1 << 20;

/// How many bytes are skipped before the stop flag is read again.
const SKIP_BYTES: usize = 16 << 20;

/// An opened input: a file, a pipe, bytes or any reader. You can look at its beginning before you run it.
pub struct Input {
    name: PathBuf,
    file: Option<Arc<File>>,
    bytes: InputBytes,
    /// The length in bytes of a regular file, or of the bytes that were given.
    len: Option<u64>,
    /// How many bytes of a stream have been read.
    position: Arc<AtomicU64>,
    /// The text before the records: a byte-order mark, comments, a header.
    preamble: Vec<u8>,
    /// The amount of input before the chunks: the preamble, and what was skipped.
    passed: InputAmount,
    /// Where the part that is read begins, if not right after the preamble.
    begin: Option<PartStart>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Where a part of an input begins.
struct PartStart {
    at: u64,
    /// The amount of input before the part, as long as records are numbered from the beginning of the part.
    before: Option<RecordsBeforePart>,
    /// The number of records before the part, once they are numbered from the beginning of the file.
    records: u64,
}

pub(super) enum InputBytes {
    Whole(Whole),
    Stream(Mutex<Stream>),
}

/// A complete text in memory.
pub(super) enum Whole {
    /// A file, and where the part ends that is read.
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
    /// works; anything else is read as a stream. Compressed files are decompressed while they are read: see
    /// [`Packing`]. In a zip archive, the only file that looks like puzzles is read, or the one that
    /// you name after the archive, e.g. `archive.zip:member.csv`.
    ///
    /// # Errors
    ///
    /// If the file can't be opened, or is a directory.
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
        Input::from_member(file, name, may_map && path.is_some(), member)
    }

    /// Takes an open file; messages call it `name`.
    ///
    /// # Errors
    ///
    /// If the metadata of the file can't be read, or it is a directory.
    pub fn from_file(file: File, name: PathBuf, may_map: bool) -> Result<Input, Error> {
        Input::from_member(file, name, may_map, None)
    }

    /// Takes an open file, or a member of an archive.
    fn from_member(file: File, name: PathBuf, may_map: bool, member: Option<String>) -> Result<Input, Error> {
        let metadata = file.metadata().map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        if metadata.is_dir() {
            return Err(ErrorKind::Directory(name).into());
        }
        // Virtual files (e.g. in /proc) also have length 0, because their content is made when they are
        // read.
        let is_regular = metadata.is_file() && metadata.len() > 0;
        let map = (may_map && is_regular).then(|| system::map(&file).ok()).flatten();
        let len = is_regular.then_some(metadata.len());
        let file = Arc::new(file);
        let whole = map.filter(|map| Packing::detect(map).is_none());
        let whole = whole.map(|map| (map.len(), map)).map(|(end, map)| Whole::Mapped(map, end));
        let input = match whole {
            Some(whole) => Input::new(name, len, InputBytes::Whole(whole)),
            None => Input::from_raw(name, len, Raw::from_file(Arc::clone(&file), is_regular), member),
        };
        Ok(Input { file: Some(file), ..input })
    }

    /// Takes a text in memory, without a copy; messages call it `name`. If it is compressed, it is
    /// decompressed like a file.
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
        match Packing::detect(&bytes) {
            None => Input::new(name.into(), len, InputBytes::Whole(Whole::Given(bytes))),
            Some(_) => Input::from_raw(name.into(), len, Raw::from_reader(Cursor::new(bytes)), None),
        }
    }

    /// Takes any reader, e.g. a socket, an object of a store, or a decoder; messages call it `name`. If the
    /// data is compressed, it is decompressed like a file. A zip archive is copied to a temporary file
    /// first.
    ///
    /// The reader should block until it has data. A run can't be stopped while the reader blocks. Records
    /// are passed on when a chunk is full.
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
        Input::from_raw(name.into(), None, Raw::from_reader(reader), None)
    }

    fn from_raw(name: PathBuf, len: Option<u64>, raw: Raw, member: Option<String>) -> Input {
        let position = Arc::clone(&raw.position);
        let stream = Stream::new(raw, member);
        Input { position, ..Input::new(name, len, InputBytes::Stream(Mutex::new(stream))) }
    }

    fn new(name: PathBuf, len: Option<u64>, bytes: InputBytes) -> Input {
        Input {
            name,
            file: None,
            bytes,
            len,
            position: Arc::default(),
            preamble: Vec::new(),
            passed: InputAmount::default(),
            begin: None,
        }
    }

    /// The name of the input in messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The file, to compare it with an output; `None` for bytes and readers.
    #[must_use]
    pub fn file(&self) -> Option<&File> {
        self.file.as_deref()
    }

    /// Returns whether the input is mapped into memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, InputBytes::Whole(Whole::Mapped(..)))
    }

    /// The length in bytes of the file or of the text in memory (before decompression), or of the part that
    /// is read; `None` for pipes and readers.
    #[must_use]
    pub fn known_len(&self) -> Option<u64> {
        self.len
    }

    /// A counter of the bytes that have been read, which you can watch from another thread. `None` for a
    /// text in memory, and if the length is not known.
    #[must_use]
    pub fn position(&self) -> Option<Arc<AtomicU64>> {
        (self.len.is_some() && !self.is_whole()).then(|| Arc::clone(&self.position))
    }

    /// The name of the file that is read in an archive, and the number of files in the archive. `None`
    /// before the first bytes have been read, and if the input is not an archive.
    #[must_use]
    pub fn member(&self) -> Option<Member> {
        let InputBytes::Stream(stream) = &self.bytes else { return None };
        lock(stream).reader.member.clone()
    }

    /// Reads the whole text of the input.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn read_all(&self) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        let mut take = |part: &[u8]| {
            text.extend_from_slice(part);
            Ok(())
        };
        self.drain(&mut take, &NEVER)?;
        Ok(text)
    }

    /// Reads ahead, and returns the first `want` bytes. It returns fewer if the input is shorter, the run
    /// is stopped, or a pipe pauses after bytes that are `enough`.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn head(
        &self,
        want: usize,
        enough: &dyn Fn(&[u8]) -> bool,
        stop: &AtomicBool,
    ) -> Result<Cow<'_, [u8]>, Error> {
        match &self.bytes {
            InputBytes::Whole(text) => Ok(Cow::Borrowed(&text[..text.len().min(want)])),
            InputBytes::Stream(stream) => {
                let mut stream = lock(stream);
                let filled = stream.fill(want, enough, stop);
                filled.map_err(|error| self.read_error(error))?;
                Ok(Cow::Owned(stream.filled()[..stream.filled().len().min(want)].to_vec()))
            }
        }
    }

    /// Finds out the format from the options and the beginning of the text, and where the first record
    /// begins. `None` if the run is stopped before that. Call it once, before the run.
    ///
    /// 64 KiB are usually enough. If the digits of large puzzles are still ambiguous after that, or the first object of JSON is longer, up to 1
    /// MiB of a stream is read, or all of a text in memory.
    ///
    /// # Errors
    ///
    /// If reading fails, and those of [`FormatOptions::layout`].
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
        let options = &self.known_options(options, stop)?;
        let most = if self.is_whole() { usize::MAX } else { SURVEY_BYTES };
        let mut want = HEAD_BYTES;
        loop {
            let head = self.head(want, &|head| options.is_decided(head), stop)?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let more = head.len() == want && want < most;
            if let Some(layout) = options.layout(&head, more)? {
                self.preamble = head[..layout.body_start].to_vec();
                if let InputBytes::Stream(stream) = &self.bytes {
                    lock(stream).discard(self.preamble.len());
                }
                self.passed = self.preamble_amount();
                return Ok(Some(layout));
            }
            want = want.saturating_mul(16).min(most);
        }
    }

    /// Adds to the options what is known about the format before the text is looked at: a Parquet or Arrow table
    /// is read as CSV with a header.
    ///
    /// # Errors
    ///
    /// If reading fails, or the options contradict this.
    pub fn known_options(&self, options: &FormatOptions, stop: &AtomicBool) -> Result<FormatOptions, Error> {
        let Some(container) = self.container(stop)? else { return Ok(options.clone()) };
        let is_other = !matches!(options.format, FormatChoice::Auto | FormatChoice::Csv)
            || options.no_header
            || options.separator.is_some_and(|separator| separator != b',');
        if is_other {
            return Err(FormatError::IsContainer(container).into());
        }
        Ok(FormatOptions { format: FormatChoice::Csv, separator: Some(b','), ..options.clone() })
    }

    /// The format of a Parquet or Arrow table; `None` for anything else, and if the run is stopped before the
    /// format is known.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn container(&self, stop: &AtomicBool) -> Result<Option<Container>, Error> {
        let InputBytes::Stream(stream) = &self.bytes else { return Ok(None) };
        self.head(1, &|_| false, stop)?;
        match lock(stream).reader.packing {
            Some(Packing::Container(container)) => Ok(Some(container)),
            _ => Ok(None),
        }
    }

    /// The types of the columns of such a file, in which they can be written again. They are known after
    /// its beginning has been read; `None` for anything else.
    #[must_use]
    pub fn column_types(&self) -> Option<Vec<ColumnType>> {
        let InputBytes::Stream(stream) = &self.bytes else { return None };
        lock(stream).reader.columns.clone()
    }

    /// The size of the preamble.
    fn preamble_amount(&self) -> InputAmount {
        let (lines, bytes) = (count_lines(&self.preamble), self.preamble.len() as u64);
        InputAmount { lines, bytes, ..InputAmount::default() }
    }

    /// The text before the records.
    #[must_use]
    pub fn preamble(&self) -> &[u8] {
        &self.preamble
    }

    /// Passes the whole text to `take`, a part at a time, unless the run is stopped.
    ///
    /// # Errors
    ///
    /// If reading or `take` fails.
    pub fn drain(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let mut stream = match &self.bytes {
            InputBytes::Whole(text) => return take(text),
            InputBytes::Stream(stream) => lock(stream),
        };
        while !stream.is_ended() && !stop.load(Ordering::Relaxed) {
            stream.fill(COPY_BYTES, &|_| false, stop).map_err(|error| self.read_error(error))?;
            take(stream.filled())?;
            let passed = stream.filled().len();
            stream.discard(passed);
        }
        Ok(())
    }

    /// Skips the records up to a place that an earlier run reported, so that a run resumes there. Returns
    /// the checksum of the text before that place. If the text is shorter, it covers fewer bytes; `None` if
    /// the run is stopped before.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn skip_to(&mut self, to: InputAmount, stop: &AtomicBool) -> Result<Option<Checksum>, Error> {
        let mut checksum = self.preamble_checksum();
        self.check_unchanged()?;
        // The beginning of a part, or the first record.
        let mut at = self.passed.bytes;
        while at < to.bytes {
            let left = usize::try_from(to.bytes - at).unwrap_or(usize::MAX).min(SKIP_BYTES);
            let next = self.skip_at(at, left, stop).map_err(|error| self.read_error(error))?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if next.bytes == 0 {
                break;
            }
            checksum.append(next);
            at += next.bytes;
        }
        if at == to.bytes {
            self.passed = to;
        }
        Ok(Some(checksum))
    }

    /// The checksum of the text before the records.
    pub fn preamble_checksum(&self) -> Checksum {
        Checksum::of(&self.preamble)
    }

    /// Computes the checksum of `count` bytes, or fewer at the end of the text. The bytes of a stream are
    /// skipped.
    fn skip_at(&self, at: u64, count: usize, stop: &AtomicBool) -> io::Result<Checksum> {
        match &self.bytes {
            InputBytes::Whole(text) => {
                let at = text.len().min(usize::try_from(at).unwrap_or(usize::MAX));
                Ok(Checksum::of(&text[at..text.len().min(at.saturating_add(count))]))
            }
            InputBytes::Stream(stream) => {
                let (mut stream, count) = (lock(stream), count.min(COPY_BYTES));
                stream.fill(count, &|_| false, stop)?;
                let count = stream.filled().len().min(count);
                Ok(stream.skip(count))
            }
        }
    }

    /// The amount of input before the first chunk.
    pub fn amount_before_chunks(&self) -> InputAmount {
        self.passed
    }

    /// Changes the record number in the error of a run from a number in the part to one in the file. If the records
    /// before the part could not be counted, the run fails, because the numbers that it reported are wrong.
    pub fn finish_numbering(&self, ended: Result<(), Error>) -> Result<(), Error> {
        let Some(PartStart { before: Some(before), .. }) = &self.begin else { return ended };
        let ended = ended.map_err(|error| error.shift_records(|| before.totals().records));
        before.failure().map_or(ended, Err)
    }

    pub(super) fn bytes(&self) -> &InputBytes {
        &self.bytes
    }

    fn is_whole(&self) -> bool {
        matches!(self.bytes, InputBytes::Whole(_))
    }

    /// Checks that a mapped file has not become shorter.
    pub(super) fn check_unchanged(&self) -> Result<(), Error> {
        let (InputBytes::Whole(Whole::Mapped(map, _)), Some(file)) = (&self.bytes, &self.file) else {
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
