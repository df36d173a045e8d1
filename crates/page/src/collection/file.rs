//! A file of the collection: where its text is, and whether it still is what it was.

use std::fs::{File as OsFile, Metadata};
use std::io::{
    self,
    ErrorKind::{NotADirectory, NotFound},
};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::SystemTime;

use gridmill_data::error::Error;
use gridmill_data::packing::Compression;
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use hyper::StatusCode;

use crate::reply::Refusal;

/// A file of the collection.
#[derive(Debug, Default)]
pub(super) struct File {
    pub(super) name: String,
    /// Its text and how that is written, if it could be opened.
    pub(super) content: Option<Content>,
    /// The row of its first record, and how many there are; how many of them have the answers of each pass.
    pub(super) first_row: AtomicU32,
    pub(super) records: AtomicU32,
    pub(super) known: [AtomicU32; 2],
    /// Whether all of its records are known.
    pub(super) is_indexed: AtomicBool,
    /// The bytes of its text, as far as it has come.
    pub(super) bytes: AtomicU64,
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
        Compression::of(&head[..read]).is_none().then_some((file, (path, seen)))
    }

    /// Returns what has become of the file, if it is certain that it is not what it was: where the system does not say, it
    /// may say so later.
    fn change(&self) -> Option<&'static str> {
        let (path, seen) = self.in_place.as_ref()?;
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Some("it went away"),
            Err(_) => return None,
        };
        let found = Seen::from_metadata(&metadata);
        if !metadata.is_file() || is_other(&self.text, path, seen, &found) {
            return Some("it was replaced");
        }
        (found != *seen).then_some("it was changed")
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
    }

    /// Refuses a request for rows that are gone.
    pub(super) fn refusal(&self) -> Refusal {
        let error = self.error.get().expect("rows go with an error");
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// Takes the rows away, because the file is not what it was.
    pub(super) fn fail_changed(&self, change: &str) {
        let name = &self.name;
        self.fail(format!("{name}: {change} while it was shown; begin gridmill serve again to read it"));
    }

    /// Looks whether the file is what it was. Returns false if it is broken.
    pub(super) fn look(&self) -> bool {
        if !self.is_broken()
            && let Some(change) = self.content.as_ref().and_then(Content::change)
        {
            self.fail_changed(change);
        }
        !self.is_broken()
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
