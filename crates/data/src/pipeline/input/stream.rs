//! A stream of bytes: a file, a pipe or a reader. Compressed data is decompressed, and bytes that have been
//! read wait in a buffer for their chunk.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::system::{self, PIPE_WAIT};
#[cfg(feature = "columnar")]
use crate::packing::open_columns;
use crate::packing::{ColumnType, Member, Packing, clarify_error, decode, open_zip};
use crate::pipeline::CHUNK_BYTES;
use crate::record::Checksum;
use crate::text::holds_puzzles;

/// How many bytes of a zip archive are copied before the stop flag is read again.
const COPY_BYTES: u64 = 1 << 20;

/// Bytes that have been read from a stream, but not passed on yet.
pub(in crate::pipeline) struct Stream {
    pub(super) reader: Reader,
    buffer: Vec<u8>,
    filled: usize,
    ended: bool,
}

impl Stream {
    /// Begins to read. `wanted` is the file to read in an archive.
    pub(super) fn new(raw: Raw, wanted: Option<String>) -> Stream {
        Stream::from_state(ReaderState::Begun(raw, Vec::new()), wanted)
    }

    /// Begins to read text that is not compressed, whatever its first bytes are.
    pub(super) fn plain(raw: Raw) -> Stream {
        Stream::from_state(ReaderState::Open(Box::new(raw)), None)
    }

    fn from_state(state: ReaderState, wanted: Option<String>) -> Stream {
        let reader = Reader { state, packing: None, member: None, columns: None, wanted };
        Stream { reader, buffer: Vec::new(), filled: 0, ended: false }
    }

    pub(in crate::pipeline) fn filled(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    pub(in crate::pipeline) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads until there are `want` bytes, the stream ends, it pauses after bytes that are `enough`, or the
    /// run is stopped.
    pub(in crate::pipeline) fn fill(
        &mut self,
        want: usize,
        enough: &dyn Fn(&[u8]) -> bool,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        if self.buffer.len() < want {
            self.buffer.resize(want, 0);
        }
        while self.filled < want && !self.ended && !stop.load(Ordering::Relaxed) {
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock if enough(self.filled()) => return Ok(()),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Moves the first `count` bytes into `chunk`, and uses its memory as the new buffer.
    pub(in crate::pipeline) fn take(&mut self, count: usize, chunk: &mut Vec<u8>) {
        std::mem::swap(&mut self.buffer, chunk);
        let rest = &chunk[count..self.filled];
        self.buffer.resize(self.buffer.capacity().max(rest.len()), 0);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        chunk.truncate(count);
    }

    pub(in crate::pipeline) fn discard(&mut self, count: usize) {
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
    }

    /// Skips the rest of a line, and returns its checksum; `None` if the run is stopped meanwhile.
    pub(in crate::pipeline) fn skip_line(&mut self, stop: &AtomicBool) -> io::Result<Option<Checksum>> {
        let mut skipped = Checksum::default();
        loop {
            let feed = memchr::memchr(b'\n', self.filled());
            skipped.append(self.skip(feed.map_or(self.filled, |feed| feed + 1)));
            if feed.is_some() || self.ended {
                return Ok(Some(skipped));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            self.fill(CHUNK_BYTES, &|_| true, stop)?;
        }
    }

    /// Skips bytes that have been read, and returns their checksum.
    pub(in crate::pipeline) fn skip(&mut self, count: usize) -> Checksum {
        let passed = Checksum::of(&self.buffer[..count]);
        self.discard(count);
        passed
    }
}

/// Reads a file, a pipe or a reader. [`io::ErrorKind::WouldBlock`] means that no data has come yet.
pub(super) struct Reader {
    state: ReaderState,
    /// How the input is packed, once its first bytes have been read.
    pub(super) packing: Option<Packing>,
    /// The file that is read in an archive, once it is known.
    pub(super) member: Option<Member>,
    /// The types of the columns, once a Parquet or Arrow table is open.
    pub(super) columns: Option<Vec<ColumnType>>,
    /// The file to read in an archive.
    wanted: Option<String>,
}

enum ReaderState {
    /// The first bytes are too few to detect the compression.
    Begun(Raw, Vec<u8>),
    /// A zip archive or a Parquet or Arrow table comes from a pipe. It is copied to a file, because its directory
    /// is at its end.
    Copying(Box<dyn Read + Send>, File),
    Open(Box<dyn Read + Send>),
}

impl Reader {
    fn read_open(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                ReaderState::Open(reader) => return reader.read(buffer),
                ReaderState::Begun(raw, head) => {
                    // Read as many bytes as detection needs.
                    let missing = Packing::SIGNATURE_BYTES - head.len();
                    raw.take(missing as u64).read_to_end(head)?;
                    let nothing = ReaderState::Open(Box::new(io::empty()));
                    if let ReaderState::Begun(raw, head) = std::mem::replace(&mut self.state, nothing) {
                        self.open(raw, head)?;
                    }
                }
                ReaderState::Copying(from, to) => {
                    if io::copy(&mut from.take(COPY_BYTES), to)? > 0 {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    let copy = to.try_clone()?;
                    self.open_whole(Arc::new(copy), Arc::default())?;
                }
            }
        }
    }

    fn open(&mut self, raw: Raw, head: Vec<u8>) -> io::Result<()> {
        self.packing = Packing::detect(&head);
        let needs_file = self.packing.is_some_and(Packing::needs_file);
        if needs_file && let Origin::Regular(file) = &raw.origin {
            let (file, position) = (Arc::clone(file), Arc::clone(&raw.position));
            return self.open_whole(file, position);
        }
        let whole = Cursor::new(head).chain(raw);
        self.state = match self.packing {
            None => ReaderState::Open(Box::new(whole)),
            Some(_) if needs_file => ReaderState::Copying(Box::new(whole), tempfile::tempfile()?),
            Some(packing) => ReaderState::Open(decode(packing, whole)?),
        };
        Ok(())
    }

    /// Opens a file that is on disk as a whole: a Parquet or Arrow table as text, or one of the files in an
    /// archive.
    fn open_whole(&mut self, file: Arc<File>, position: Arc<AtomicU64>) -> io::Result<()> {
        #[cfg(feature = "columnar")]
        if let Some(Packing::Container(container)) = self.packing {
            let (columns, reader) = open_columns(container, file, position)?;
            self.columns = Some(columns);
            self.state = ReaderState::Open(reader);
            return Ok(());
        }
        let archive = Raw { position, ..Raw::from_file(file, true) };
        let (member, reader) = open_zip(archive, self.wanted.as_deref(), holds_puzzles)?;
        self.member = Some(member);
        self.state = ReaderState::Open(reader);
        Ok(())
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_open(buffer).map_err(|error| match self.packing {
            Some(compression) => clarify_error(compression, error),
            None => error,
        })
    }
}

/// The bytes of an input as they are. A pipe is waited for, but only briefly, so that the stop flag is read
/// again.
pub(super) struct Raw {
    origin: Origin,
    /// How far it has been read.
    pub(super) position: Arc<AtomicU64>,
    /// How many bytes are left of the part that is read; `u64::MAX` for all.
    left: u64,
}

enum Origin {
    Regular(Arc<File>),
    Pipe(Arc<File>),
    Reader(Box<dyn Read + Send>),
}

impl Raw {
    pub(super) fn from_file(file: Arc<File>, is_regular: bool) -> Raw {
        Raw::new(if is_regular { Origin::Regular(file) } else { Origin::Pipe(file) })
    }

    pub(super) fn from_reader(reader: impl Read + Send + 'static) -> Raw {
        Raw::new(Origin::Reader(Box::new(reader)))
    }

    fn new(origin: Origin) -> Raw {
        Raw { origin, position: Arc::default(), left: u64::MAX }
    }

    /// Takes a part of a regular file: `len` bytes beginning at `from`.
    pub(super) fn from_part(file: Arc<File>, from: u64, len: u64) -> io::Result<Raw> {
        (&*file).seek(SeekFrom::Start(from))?;
        Ok(Raw { left: len, ..Raw::from_file(file, true) })
    }
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..most];
        let count = match &mut self.origin {
            Origin::Pipe(file) if !system::wait_for(file, PIPE_WAIT) => {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            Origin::Regular(file) | Origin::Pipe(file) => file.read(buffer)?,
            Origin::Reader(reader) => reader.read(buffer)?,
        };
        self.left -= count as u64;
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Raw {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let Origin::Regular(file) = &mut self.origin else {
            return Err(io::ErrorKind::NotSeekable.into());
        };
        let position = file.seek(to)?;
        self.position.store(position, Ordering::Relaxed);
        Ok(position)
    }
}
