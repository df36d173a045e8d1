//! The incomplete file of a run that can be gone on with, and its names.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::destination::{Destination, Target, directory_of, target};
use super::leftovers::lock;

/// How much of an output is to be relied on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The bytes of the file, whole frames where it is compressed.
    pub(crate) bytes: u64,
    /// What has been written of the next frame, before compression.
    pub(crate) rest: Vec<u8>,
}

/// The names of an output, of its incomplete file, and of its journal.
#[derive(Clone, Debug)]
pub(crate) struct PartialPaths {
    pub(crate) output: PathBuf,
    pub(crate) partial: PathBuf,
    pub(crate) journal: PathBuf,
}

impl PartialPaths {
    /// Returns the names for an output; `None` for a device or a pipe.
    pub(crate) fn of(path: &Path) -> io::Result<Option<PartialPaths>> {
        let Target::File(path) = target(path)? else { return Ok(None) };
        let output = directory_of(&path)?.join(path.file_name().unwrap_or_default());
        let partial = Destination::partial_name(&output);
        let mut journal = output.clone().into_os_string();
        journal.push(".journal");
        Ok(Some(PartialPaths { output, partial, journal: journal.into() }))
    }

    /// Opens the incomplete file, and locks it; `None` if another run writes it.
    pub(super) fn open(&self) -> io::Result<Option<File>> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.partial)?;
        Ok(lock(&file).then_some(file))
    }
}

/// Cuts a file to what is to be relied on, so that more can be written behind it.
pub(super) fn cut(mut file: &File, saved: &Saved) -> io::Result<()> {
    file.set_len(saved.bytes)?;
    file.seek(SeekFrom::Start(saved.bytes)).map(drop)
}
