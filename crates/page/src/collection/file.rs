//! A file of the collection: where its text is, and whether it still is what it was.

use std::fs::{File as OsFile, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::SystemTime;

use gridmill_data::packing::Compression;
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use hyper::StatusCode;

use super::lock;
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
    bytes: AtomicU64,
    is_broken: AtomicBool,
    messages: Mutex<Messages>,
}

/// A file as the page shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    pub(super) note: Option<String>,
    pub(super) error: Option<String>,
}

/// The text of a file, which can be read from any place.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) layout: Layout,
    pub(super) text: Text,
}

/// Where the text of a file is.
#[derive(Debug)]
pub(super) enum Text {
    /// In the file itself.
    InPlace { file: OsFile, path: PathBuf, seen: Seen },
    /// In a temporary file without a name, as it has none that could be read from any place: it was compressed, or a pipe.
    Copied(OsFile),
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

impl Text {
    /// Opens the text of a regular file that is not compressed; `None` for anything else.
    pub(super) fn in_place(path: &Path) -> Option<Text> {
        // A named pipe is not opened: that would wait.
        if !path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
            return None;
        }
        let file = OsFile::open(path).ok()?;
        let seen = Seen::from_metadata(&file.metadata().ok()?);
        let mut head = [0; Compression::SIGNATURE_BYTES];
        let read = read_at(&file, &mut head, 0).ok()?;
        let is_plain = Compression::of(&head[..read]).is_none();
        is_plain.then(|| Text::InPlace { file, path: path.to_owned(), seen })
    }

    fn file(&self) -> &OsFile {
        match self {
            Text::InPlace { file, .. } | Text::Copied(file) => file,
        }
    }

    /// Returns what has become of the file, if it is certain that it is not what it was: where the system does not say, it
    /// may say so later.
    fn change(&self) -> Option<&'static str> {
        let Text::InPlace { file, path, seen } = self else { return None };
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_absence(error.kind()) => return Some("it went away"),
            Err(_) => return None,
        };
        let found = Seen::from_metadata(&metadata);
        if !metadata.is_file() || is_other(file, path, seen, &found) {
            return Some("it was replaced");
        }
        (found != *seen).then_some("it was changed")
    }
}

/// Returns whether an error says that there is no such file.
fn is_absence(error: io::ErrorKind) -> bool {
    matches!(error, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
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
    /// Takes a file that can be read.
    pub(super) fn new(name: String, content: Content) -> File {
        let bytes = match &content.text {
            Text::InPlace { seen, .. } => seen.len,
            Text::Copied(_) => 0,
        };
        File { name, content: Some(content), bytes: AtomicU64::new(bytes), ..File::default() }
    }

    /// Takes a file that can't be read, and says why.
    pub(super) fn unreadable(name: String, error: String) -> File {
        let file = File { name, ..File::default() };
        file.fail(error);
        file
    }

    /// Returns how its text is written, if it could be opened.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.content.as_ref().map(|content| &content.layout)
    }

    /// Returns what the page says about the file.
    pub(super) fn messages(&self) -> Messages {
        lock(&self.messages).clone()
    }

    /// Notes something that is no error, and prints it.
    pub(super) fn note(&self, note: String) {
        eprint_message(format_args!("gridmill: {}: {note}\n", self.name));
        lock(&self.messages).note = Some(note);
    }

    /// Returns whether the file has no rows any more.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// Takes the rows away, and prints why: a sentence that names the file. The first reason stays.
    pub(super) fn fail(&self, error: String) {
        let mut messages = lock(&self.messages);
        if messages.error.is_none() {
            eprint_message(format_args!("gridmill: {error}\n"));
            messages.error = Some(error);
        }
        self.is_broken.store(true, Ordering::Release);
    }

    /// Refuses a request for rows that are gone.
    pub(super) fn refusal(&self) -> Refusal {
        let error = self.messages().error.unwrap_or_else(|| format!("{}: it can't be read", self.name));
        Refusal::new(StatusCode::CONFLICT, error)
    }

    /// Takes the rows away, because the file is not what it was.
    pub(super) fn fail_changed(&self, change: &str) {
        let name = &self.name;
        self.fail(format!("{name}: {change} while it was shown; begin gridmill serve again to read it"));
    }

    /// Returns the bytes of its text, as far as it has come.
    pub(super) fn text_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Looks whether the file is what it was. Returns false if it is broken.
    pub(super) fn look(&self) -> bool {
        if !self.is_broken()
            && let Some(change) = self.content.as_ref().and_then(|content| content.text.change())
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
            match read_at(content.text.file(), &mut part[done..], position + done as u64) {
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
    pub(super) fn copy(&self, position: u64, part: &[u8]) -> io::Result<()> {
        let Some(Content { text: Text::Copied(copy), .. }) = &self.content else { return Ok(()) };
        write_all_at(copy, part, position)?;
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
