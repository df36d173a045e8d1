//! Mapping a file into memory, which needs unsafe code.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps a file for reading, front to back.
pub(in crate::pipeline) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: reading a map as a slice is sound only while nobody changes the file, which no program can
    // promise. Little depends on it here: every byte is untrusted input, a puzzle is read into an array
    // before anything is concluded from it, no index comes from the file, and the length of the file is
    // checked again before each chunk. Users who write to a file while it is read have `--no-mmap`.
    #[allow(unsafe_code)]
    let map = unsafe { MmapOptions::new().map(file) }?;
    #[cfg(unix)]
    map.advise(memmap2::Advice::Sequential)?;
    Ok(map)
}
