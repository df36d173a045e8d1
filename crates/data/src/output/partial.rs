//! The incomplete file of a run that can be gone on with, and its names.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::destination::{Destination, directory_of, target, with_ending};
use super::leftovers::{SUFFIX, lock};

/// The first word of a journal.
pub(super) const MAGIC: &str = "gridmill-journal";

/// The most bytes at an end by which a file is recognised.
pub(super) const TAIL: usize = 256;

/// How often an incomplete file is opened that gets its name meanwhile, or goes.
const ATTEMPTS: usize = 10;

/// How much of an output is to be relied on.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Saved {
    /// The bytes of the file, whole frames where it is compressed.
    #[serde(rename = "output")]
    pub(crate) bytes: u64,
    /// The checksum of the last of them, up to [`TAIL`].
    pub(crate) tail: u32,
    /// The beginning of the next frame, before compression. It stands behind the JSON of a journal.
    #[serde(skip)]
    pub(crate) rest: Vec<u8>,
}

/// The names of an output, of its incomplete file, and of its journal.
#[derive(Clone, Debug)]
pub struct PartialPaths {
    /// The output, as the user wrote it.
    pub(crate) name: PathBuf,
    /// The output behind all links.
    pub(crate) output: PathBuf,
    pub(crate) partial: PathBuf,
    /// The journal.
    pub journal: PathBuf,
}

impl PartialPaths {
    /// Returns the names for an output; `None` for a device or a pipe.
    pub fn of(name: &Path) -> io::Result<Option<PartialPaths>> {
        let Some(path) = target(name)? else { return Ok(None) };
        let output = directory_of(&path)?.join(path.file_name().unwrap_or_default());
        let (partial, journal) = (Destination::partial_name(&output), with_ending(&output, ".journal"));
        Ok(Some(PartialPaths { name: name.to_owned(), output, partial, journal }))
    }

    /// Returns the name that a new journal has until it is whole.
    fn draft(&self) -> PathBuf {
        with_ending(&self.journal, SUFFIX)
    }

    /// Reads the journal; `None` if there is none.
    pub(super) fn read_journal(&self) -> io::Result<Option<Vec<u8>>> {
        match fs::read(&self.journal) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the journal as a whole. It is on the disk when this returns.
    pub(super) fn write_journal(&self, bytes: &[u8]) -> io::Result<()> {
        self.replace_journal(bytes).map_err(|error| {
            // The old one stands.
            let _ = fs::remove_file(self.draft());
            io::Error::new(error.kind(), format!("{}: {error}", self.journal.display()))
        })
    }

    fn replace_journal(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create(self.draft())?;
        // A run without a journal takes what has no lock for left over.
        let _ = lock(&file);
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(self.draft(), &self.journal)?;
        self.sync_directory()
    }

    /// Removes the journal.
    pub(super) fn remove_journal(&self) -> io::Result<()> {
        match fs::remove_file(self.draft()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::remove_file(&self.journal)
    }

    /// Brings new names to the disk, where a directory can be opened for that.
    pub(super) fn sync_directory(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(directory) = self.journal.parent() {
            return match File::open(directory)?.sync_all() {
                // Some file systems bring names to the disk by themselves.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                result => result,
            };
        }
        Ok(())
    }

    /// Returns whether there is a journal, and no other file of its name.
    pub(super) fn has_journal(&self) -> bool {
        let mut first = [0; MAGIC.len()];
        let read = File::open(&self.journal).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == *MAGIC.as_bytes()
    }

    /// Opens the incomplete file or makes it, locks it, and returns whether it is new; `None` if another run writes it.
    pub(super) fn open(&self) -> io::Result<Option<(File, bool)>> {
        for _ in 0..ATTEMPTS {
            let Some((file, is_new)) = self.open_or_create()? else { continue };
            if !lock(&file) {
                return Ok(None);
            }
            // Another run may have ended since it was opened: the file has got its name then, and is not ours.
            if self.is_incomplete(&file) {
                return Ok(Some((file, is_new)));
            }
        }
        Ok(None)
    }

    /// Opens the incomplete file or makes it; `None` if it goes meanwhile.
    fn open_or_create(&self) -> io::Result<Option<(File, bool)>> {
        match OpenOptions::new().read(true).write(true).create_new(true).open(&self.partial) {
            Ok(file) => {
                // As the output gets the permissions of the file that it replaces.
                if let Ok(replaced) = fs::metadata(&self.output) {
                    let _ = file.set_permissions(replaced.permissions());
                }
                return Ok(Some((file, true)));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        match self.open_incomplete() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(|file| Some((file, false))),
        }
    }

    /// Opens the incomplete file that there is. Some file systems lock only what may be written.
    fn open_incomplete(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.partial)
    }

    /// Returns whether the incomplete file is that one.
    pub(super) fn is_incomplete(&self, file: &File) -> bool {
        let ours = file.try_clone().and_then(Handle::from_file);
        ours.is_ok_and(|ours| Handle::from_path(&self.partial).is_ok_and(|named| named == ours))
    }

    /// Returns whether a run is under way that writes the incomplete file.
    pub(super) fn is_busy(&self) -> bool {
        self.open_incomplete().is_ok_and(|file| !lock(&file))
    }

    /// Removes the files of a run that was broken off, unless one is under way that writes them.
    pub(super) fn remove(&self) -> io::Result<()> {
        if let Ok(file) = self.open_incomplete() {
            if !lock(&file) {
                return Ok(());
            }
            drop(file);
            fs::remove_file(&self.partial)?;
        }
        fs::remove_file(&self.journal)
    }
}

/// Reads the last bytes of what is to be relied on, by which a file is recognised.
pub(super) fn read_tail(mut file: &File, end: u64) -> io::Result<Vec<u8>> {
    let mut tail = vec![0; usize::try_from(end).unwrap_or(TAIL).min(TAIL)];
    file.seek(SeekFrom::Start(end - tail.len() as u64))?;
    file.read_exact(&mut tail)?;
    Ok(tail)
}

/// Cuts a file to what is to be relied on, so that more can be written behind it.
pub(super) fn cut(mut file: &File, saved: &Saved) -> io::Result<()> {
    file.set_len(saved.bytes)?;
    file.seek(SeekFrom::Start(saved.bytes)).map(drop)
}
