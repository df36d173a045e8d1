//! The text of a file, a pipe or a reader, unpacked where it is compressed.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ready::{self, PATIENCE};
use crate::packing::{Compression, Member, decode, explain, open_zip};
use crate::text::holds_puzzles;

/// Bytes of a zip archive that are copied before the stop flag is read again.
const COPY_BYTES: u64 = 1 << 20;

/// Reads a file, a pipe or a reader. [`io::ErrorKind::WouldBlock`] says that there is nothing yet.
pub(in crate::pipeline) struct Reader {
    state: State,
    compression: Option<Compression>,
    member: Option<Member>,
    /// The file of an archive that is wanted.
    wanted: Option<String>,
}

enum State {
    /// The first bytes, too few to say what the file is.
    Begun(Raw, Vec<u8>),
    /// A zip archive from a pipe, which is copied to a file: its directory is at its end.
    Copying(Box<dyn Read + Send>, File),
    Open(Box<dyn Read + Send>),
}

impl Reader {
    /// Begins to read. `wanted` is the file that is read of an archive.
    pub(in crate::pipeline) fn new(raw: Raw, wanted: Option<String>) -> Reader {
        Reader { state: State::Begun(raw, Vec::new()), compression: None, member: None, wanted }
    }

    /// Begins to read text that is not compressed, whatever its first bytes are.
    pub(in crate::pipeline) fn plain(raw: Raw) -> Reader {
        Reader { state: State::Open(Box::new(raw)), compression: None, member: None, wanted: None }
    }

    /// Returns how the input is compressed, once its first bytes have been read.
    pub(in crate::pipeline) fn compression(&self) -> Option<Compression> {
        self.compression
    }

    /// Returns which file of an archive is read, once that is known.
    pub(in crate::pipeline) fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    fn read_open(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                State::Open(reader) => return reader.read(buffer),
                State::Begun(raw, head) => {
                    raw.fill_signature(head)?;
                    let nothing = State::Open(Box::new(io::empty()));
                    if let State::Begun(raw, head) = std::mem::replace(&mut self.state, nothing) {
                        self.open(raw, head)?;
                    }
                }
                State::Copying(from, to) => {
                    if io::copy(&mut from.take(COPY_BYTES), to)? > 0 {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    let copy = to.try_clone()?;
                    self.open_member(copy)?;
                }
            }
        }
    }

    fn open(&mut self, raw: Raw, head: Vec<u8>) -> io::Result<()> {
        self.compression = Compression::of(&head);
        if self.compression == Some(Compression::Zip) && raw.is_regular() {
            return self.open_member(raw);
        }
        let whole = Cursor::new(head).chain(raw);
        self.state = match self.compression {
            None => State::Open(Box::new(whole)),
            Some(Compression::Zip) => State::Copying(Box::new(whole), tempfile::tempfile()?),
            Some(compression) => State::Open(decode(compression, whole)?),
        };
        Ok(())
    }

    fn open_member(&mut self, archive: impl Read + Seek + Send + 'static) -> io::Result<()> {
        let (member, reader) = open_zip(archive, self.wanted.as_deref(), holds_puzzles)?;
        self.member = Some(member);
        self.state = State::Open(reader);
        Ok(())
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_open(buffer).map_err(|error| match self.compression {
            Some(compression) => explain(compression, error),
            None => error,
        })
    }
}

/// The bytes of an input as they are. A pipe is waited for, but not for long.
pub(in crate::pipeline) struct Raw {
    origin: Origin,
    /// How far it has been read.
    position: Arc<AtomicU64>,
    /// Bytes that are left of the part that is read; no number is greater than that of the rest.
    left: u64,
}

enum Origin {
    Regular(Arc<File>),
    Pipe(Arc<File>),
    Reader(Box<dyn Read + Send>),
}

impl Raw {
    pub(in crate::pipeline) fn of_file(file: Arc<File>, is_regular: bool) -> Raw {
        Raw::new(if is_regular { Origin::Regular(file) } else { Origin::Pipe(file) })
    }

    pub(in crate::pipeline) fn of_reader(reader: impl Read + Send + 'static) -> Raw {
        Raw::new(Origin::Reader(Box::new(reader)))
    }

    fn new(origin: Origin) -> Raw {
        Raw { origin, position: Arc::default(), left: u64::MAX }
    }

    /// Takes a part of a regular file: so many bytes from a place on.
    pub(in crate::pipeline) fn of_part(file: Arc<File>, from: u64, len: u64) -> io::Result<Raw> {
        (&*file).seek(SeekFrom::Start(from))?;
        Ok(Raw { left: len, ..Raw::of_file(file, true) })
    }

    /// Whether it can be read from any place.
    fn is_regular(&self) -> bool {
        matches!(self.origin, Origin::Regular(_))
    }

    /// Returns the shared counter of the bytes that have been read.
    pub(in crate::pipeline) fn position(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.position)
    }

    /// Reads as many bytes as the compression is detected by.
    fn fill_signature(&mut self, head: &mut Vec<u8>) -> io::Result<()> {
        let mut more = [0; Compression::SIGNATURE_BYTES];
        while head.len() < more.len() {
            let missing = more.len() - head.len();
            match self.read(&mut more[..missing])? {
                0 => break,
                count => head.extend(&more[..count]),
            }
        }
        Ok(())
    }
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..most];
        let count = match &mut self.origin {
            Origin::Pipe(file) if !ready::wait(file, PATIENCE) => {
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
