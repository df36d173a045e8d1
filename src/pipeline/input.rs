//! Where puzzles come from: a mapped file, or a stream.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memmap2::Mmap;

use super::{lock, map, ready};
use crate::error::{Error, ErrorKind, display_name};
use crate::record::Totals;

/// How long a silent pipe is waited for before what has come is passed on, and before the stop flag is
/// looked at again.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);

/// An opened input. Its head can be looked at before it is run.
pub struct Input {
    name: PathBuf,
    file: File,
    bytes: Bytes,
    /// Where the records begin: behind a byte-order mark, comments, a header.
    body: usize,
    lines_before: u64,
}

pub(super) enum Bytes {
    Mapped(Mmap),
    Stream(Mutex<Stream>),
}

impl Input {
    /// Opens a file, or standard input for `None`. Regular files are mapped if `may_map` says so and
    /// mapping works; anything else is read as a stream.
    ///
    /// # Errors
    ///
    /// Where the file can't be opened, or is a directory.
    pub fn open(path: Option<&Path>, may_map: bool) -> Result<Input, Error> {
        let name = display_name(path, "<stdin>").to_owned();
        let file = match path {
            Some(path) => File::open(path),
            None => standard_input(),
        };
        let opened = file.and_then(|file| file.metadata().map(|metadata| (file, metadata)));
        let (file, metadata) = opened.map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        if metadata.is_dir() {
            return Err(ErrorKind::Directory { path: name }.into());
        }
        // A file of length 0 may be one of the system's that make up their content as they are read.
        let mappable = may_map && path.is_some() && metadata.is_file() && metadata.len() > 0;
        let bytes = match mappable.then(|| map::map(&file)) {
            Some(Ok(map)) => Bytes::Mapped(map),
            _ => Bytes::Stream(Mutex::default()),
        };
        Ok(Input { name, file, bytes, body: 0, lines_before: 0 })
    }

    /// The name that messages use.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// The file, to compare with an output.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Is it mapped into memory?
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// How many bytes there are to come, where that is known.
    #[must_use]
    pub fn known_len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map.len() as u64),
            Bytes::Stream(_) => None,
        }
    }

    /// The first `want` bytes, or all there are, or what has come of a pipe that pauses, if that is `enough`.
    /// Fewer if the run is stopped.
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
            Bytes::Mapped(map) => Ok(Cow::Borrowed(&map[..map.len().min(want)])),
            Bytes::Stream(stream) => {
                let mut stream = lock(stream);
                let filled = stream.fill(&self.file, want, enough, stop);
                filled.map_err(|error| self.read_error(error))?;
                Ok(Cow::Owned(stream.filled()[..stream.filled().len().min(want)].to_vec()))
            }
        }
    }

    /// Says where the records begin: behind `body` bytes, which have so many lines.
    pub fn set_body(&mut self, body: usize, lines: u64) {
        self.body = body;
        self.lines_before = lines;
        if let Bytes::Stream(stream) = &self.bytes {
            lock(stream).discard(body);
        }
    }

    pub(super) fn before_records(&self) -> Totals {
        Totals { records: 0, lines: self.lines_before, bytes: self.body as u64 }
    }

    pub(super) fn body(&self) -> usize {
        self.body
    }

    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Is a mapped file as long as it was?
    pub(super) fn check_unchanged(&self) -> Result<(), Error> {
        let Bytes::Mapped(map) = &self.bytes else { return Ok(()) };
        let metadata = self.file.metadata().map_err(|error| self.read_error(error))?;
        if metadata.len() < map.len() as u64 {
            return Err(ErrorKind::Shrunk { path: self.name.clone() }.into());
        }
        Ok(())
    }

    pub(super) fn read_error(&self, error: io::Error) -> Error {
        ErrorKind::Read { path: self.name.clone(), error }.into()
    }
}

/// Standard input as a file, so that it can be polled, without a second buffer.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from);
}

/// What has been read of a stream and not been passed on.
#[derive(Debug, Default)]
pub(super) struct Stream {
    buffer: Vec<u8>,
    filled: usize,
    ended: bool,
}

impl Stream {
    pub(super) fn filled(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Reads until there are `want` bytes, or the stream ends, or it pauses behind bytes that are enough,
    /// or the run is stopped.
    pub(super) fn fill(
        &mut self,
        mut file: &File,
        want: usize,
        enough: &dyn Fn(&[u8]) -> bool,
        stop: &AtomicBool,
    ) -> io::Result<()> {
        if self.buffer.len() < want {
            self.buffer.resize(want, 0);
        }
        while self.filled < want && !self.ended && !stop.load(Ordering::Relaxed) {
            if !ready::wait(file, PATIENCE) {
                if enough(self.filled()) {
                    return Ok(());
                }
                continue;
            }
            match file.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Swaps the first `count` bytes into `chunk`, whose memory takes their place.
    pub(super) fn take(&mut self, count: usize, chunk: &mut Vec<u8>) {
        std::mem::swap(&mut self.buffer, chunk);
        let rest = &chunk[count..self.filled];
        self.buffer.resize(self.buffer.capacity().max(rest.len()), 0);
        self.buffer[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        chunk.truncate(count);
    }

    pub(super) fn discard(&mut self, count: usize) {
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
    }

    /// Passes over the rest of a line, unless the run is stopped.
    pub(super) fn skip_line(&mut self, file: &File, stop: &AtomicBool) -> io::Result<()> {
        loop {
            if let Some(feed) = memchr::memchr(b'\n', self.filled()) {
                self.discard(feed + 1);
                return Ok(());
            }
            self.filled = 0;
            if self.ended || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.fill(file, super::CHUNK_BYTES, &|_| true, stop)?;
        }
    }
}
