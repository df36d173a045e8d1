//! The input of a run: a mapped file, or a stream, which may be compressed.

mod map;
mod reader;
mod ready;
mod stream;

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use memmap2::Mmap;

use super::lock;
use crate::error::{Error, ErrorKind, display_name};
use crate::packing::Compression;
use crate::record::{Totals, count_lines};
use crate::text::HEAD_BYTES;

use reader::{Raw, Reader};
pub(super) use ready::PATIENCE;
pub(super) use stream::Stream;

/// Bytes that are handed on at once.
const COPY_BYTES: usize = 1 << 16;

/// An opened input. Its first bytes can be read before it is run.
pub struct Input {
    name: PathBuf,
    file: Arc<File>,
    bytes: Bytes,
    /// Bytes of a regular file.
    len: Option<u64>,
    /// How many bytes of a stream have been read.
    position: Arc<AtomicU64>,
    /// The text in front of the records: a byte-order mark, comments, a header.
    preamble: Vec<u8>,
}

pub(super) enum Bytes {
    Mapped(Mmap),
    Stream(Mutex<Stream>),
}

impl Input {
    /// Opens a file, or standard input for `None`. Regular files are mapped if `may_map` is set and mapping
    /// works; anything else is read as a stream. Compressed files are streams that are unpacked as they are
    /// read: see [`Compression`].
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
        let file = file.map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        Input::of_file(file, name, may_map && path.is_some())
    }

    /// Takes an open file; messages call it `name`.
    ///
    /// # Errors
    ///
    /// Where the file's metadata can't be read, or it is a directory.
    pub fn of_file(file: File, name: PathBuf, may_map: bool) -> Result<Input, Error> {
        let metadata = file.metadata().map_err(|error| ErrorKind::Open { path: name.clone(), error })?;
        if metadata.is_dir() {
            return Err(ErrorKind::Directory { path: name }.into());
        }
        // Files of the system that make up their content as they are read have length 0, too.
        let is_regular = metadata.is_file() && metadata.len() > 0;
        let map = (may_map && is_regular).then(|| map::map(&file).ok()).flatten();
        let file = Arc::new(file);
        let raw = Raw::new(Arc::clone(&file), is_regular);
        let position = raw.position();
        let bytes = match map {
            Some(map) if Compression::of(&map).is_none() => Bytes::Mapped(map),
            _ => Bytes::Stream(Mutex::new(Stream::new(Reader::new(raw)))),
        };
        let len = is_regular.then_some(metadata.len());
        Ok(Input { name, file, bytes, len, position, preamble: Vec::new() })
    }

    /// Returns the name of the input in messages.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns the file, to compare with an output.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns whether the input is mapped into memory.
    #[must_use]
    pub fn is_mapped(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }

    /// Returns the length of the file in bytes, as it is compressed; `None` for what is no regular file.
    #[must_use]
    pub fn known_len(&self) -> Option<u64> {
        self.len
    }

    /// Returns a shared counter of the bytes that have been read of [`Input::known_len`]; `None` for a mapped
    /// file, and where the length is not known.
    #[must_use]
    pub fn position(&self) -> Option<Arc<AtomicU64>> {
        (self.len.is_some() && !self.is_mapped()).then(|| Arc::clone(&self.position))
    }

    /// Returns the name of the file that is read of an archive, and the number of its files. `None` before
    /// the first bytes have been read, and for anything but an archive.
    #[must_use]
    pub fn member(&self) -> Option<(String, usize)> {
        let Bytes::Stream(stream) = &self.bytes else { return None };
        lock(stream).reader().member().map(|member| (member.name.clone(), member.files))
    }

    /// Returns the whole text of the input.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn read_all(&self) -> Result<Vec<u8>, Error> {
        let (never, mut want) = (AtomicBool::new(false), HEAD_BYTES);
        loop {
            let text = self.head(want, &|_| false, &never)?;
            if text.len() < want {
                return Ok(text.into_owned());
            }
            want = want.saturating_mul(2);
        }
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
            Bytes::Mapped(map) => Ok(Cow::Borrowed(&map[..map.len().min(want)])),
            Bytes::Stream(stream) => {
                let mut stream = lock(stream);
                let filled = stream.fill(want, enough, stop);
                filled.map_err(|error| self.read_error(error))?;
                Ok(Cow::Owned(stream.filled()[..stream.filled().len().min(want)].to_vec()))
            }
        }
    }

    /// Sets the preamble, with which the text begins: the records begin behind it.
    pub fn set_preamble(&mut self, preamble: Vec<u8>) {
        if let Bytes::Stream(stream) = &self.bytes {
            lock(stream).discard(preamble.len());
        }
        self.preamble = preamble;
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
            Bytes::Mapped(map) => return take(map),
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

    pub(super) fn before_records(&self) -> Totals {
        Totals { lines: count_lines(&self.preamble), bytes: self.body() as u64, ..Totals::default() }
    }

    pub(super) fn body(&self) -> usize {
        self.preamble.len()
    }

    pub(super) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Checks that a mapped file still has its length.
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

/// Returns standard input as a file, which can be polled and adds no second buffer.
fn standard_input() -> io::Result<File> {
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from);
}
