//! Mapping a file into memory: the only unsafe code outside the vector backends.

use std::fs::File;
use std::io;

use memmap2::{Mmap, MmapOptions};

/// Maps a file for reading, front to back.
pub(in crate::pipeline) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the bytes of a map are only sound to read as a slice while nobody changes the file, which no
    // program can promise. What stands on the promise here is small: every byte is treated as untrusted
    // input, its meaning is decided from one copy of it (a puzzle is read into an array before anything is
    // made of it), no index is taken from it, and the length of the file is looked at again before each
    // chunk. Users who write to a file while it is read have `--no-mmap`.
    #[allow(unsafe_code)]
    let map = unsafe { MmapOptions::new().map(file) }?;
    #[cfg(unix)]
    map.advise(memmap2::Advice::Sequential)?;
    Ok(map)
}
