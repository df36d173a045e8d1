//! Reading a file or a pipe, unpacked where it is compressed.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ready::{self, PATIENCE};
use crate::packing::{Compression, Member, decode, explain, open_zip};

/// Bytes of a zip archive that are copied before the stop flag is read again.
const COPY_BYTES: u64 = 1 << 20;

/// Reads a file or a pipe. [`io::ErrorKind::WouldBlock`] means that there is nothing yet.
pub(in crate::pipeline) struct Reader {
    raw: Raw,
    state: State,
    compression: Option<Compression>,
    member: Option<Member>,
}

enum State {
    /// The first bytes, too few to detect a compression.
    Begun(Vec<u8>),
    /// A zip archive from a pipe, which is copied to a file: its directory is at its end.
    Copying(Box<dyn Read + Send>, File),
    Open(Box<dyn Read + Send>),
}

impl Reader {
    pub(in crate::pipeline) fn new(raw: Raw) -> Reader {
        Reader { raw, state: State::Begun(Vec::new()), compression: None, member: None }
    }

    /// Returns which file of an archive is read, once that is known.
    pub(in crate::pipeline) fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    fn read_open(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match &mut self.state {
                State::Open(reader) => return reader.read(buffer),
                State::Begun(head) => {
                    self.raw.fill_signature(head)?;
                    let head = std::mem::take(head);
                    self.open(head)?;
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

    fn open(&mut self, head: Vec<u8>) -> io::Result<()> {
        self.compression = Compression::of(&head);
        let whole = Cursor::new(head).chain(self.raw.clone());
        self.state = match self.compression {
            None => State::Open(Box::new(whole)),
            Some(Compression::Zip) if self.raw.is_regular => return self.open_member(self.raw.clone()),
            Some(Compression::Zip) => State::Copying(Box::new(whole), tempfile::tempfile()?),
            Some(compression) => State::Open(decode(compression, whole)?),
        };
        Ok(())
    }

    fn open_member(&mut self, archive: impl Read + Seek + Send + 'static) -> io::Result<()> {
        let (member, reader) = open_zip(archive)?;
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

/// Reads the bytes of a file or a pipe as they are, and waits only a short time for a pipe.
#[derive(Clone, Debug)]
pub(in crate::pipeline) struct Raw {
    file: Arc<File>,
    is_regular: bool,
    /// How many bytes have been read.
    position: Arc<AtomicU64>,
}

impl Raw {
    pub(in crate::pipeline) fn new(file: Arc<File>, is_regular: bool) -> Raw {
        Raw { file, is_regular, position: Arc::default() }
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
        if !self.is_regular && !ready::wait(&self.file, PATIENCE) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = self.file.read(buffer)?;
        self.position.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Raw {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.file.seek(to)?;
        self.position.store(position, Ordering::Relaxed);
        Ok(position)
    }
}
