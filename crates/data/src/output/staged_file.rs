//! A file under a temporary name, which is written from front to back.

use std::fs::{self, File};
use std::io::{self, IoSlice, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::partial::TAIL;

/// Writes end where such blocks do: the system then takes large pages and fills none of them twice. Rows of a chunk
/// were written 10 % faster so on ext4, and hardly faster in larger blocks.
const BLOCK: u64 = 64 * 1024;

/// Up to this length a file is written at once: few rows may take long to find, and somebody may look at them.
const PROMPT: u64 = 1 << 20;

/// A file under a temporary name. A long one holds back what has been written of a block, until the block is full or
/// the file flushed.
#[derive(Debug)]
pub(super) struct StagedFile {
    file: File,
    name: StagedName,
    reserve: Reserve,
    held: Vec<u8>,
    /// The last bytes that were handed to the system, of a file that is kept.
    tail: Vec<u8>,
}

/// The name of a file that is not complete.
#[derive(Debug)]
enum StagedName {
    /// Removed unless the file is completed.
    Temporary(TempPath),
    /// Kept for a later run.
    Kept(PathBuf),
}

impl StagedFile {
    /// Begins with an empty file, which is removed unless it is completed.
    pub(super) fn temporary(file: NamedTempFile) -> StagedFile {
        let (file, path) = file.into_parts();
        StagedFile::of(file, StagedName::Temporary(path), 0)
    }

    /// Goes on behind so many bytes of a file that is kept, where it stands; `tail` are the last of them.
    pub(super) fn kept(file: File, path: PathBuf, written: u64, tail: Vec<u8>) -> StagedFile {
        StagedFile { tail, ..StagedFile::of(file, StagedName::Kept(path), written) }
    }

    fn of(file: File, name: StagedName, written: u64) -> StagedFile {
        let reserve = Reserve::of(&file, written);
        StagedFile { file, name, reserve, held: Vec::new(), tail: Vec::new() }
    }

    /// Returns the temporary name.
    pub(super) fn path(&self) -> &Path {
        match &self.name {
            StagedName::Temporary(path) => path,
            StagedName::Kept(path) => path,
        }
    }

    /// Returns the file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Returns how many bytes have been handed to the system.
    pub(super) fn written(&self) -> u64 {
        self.reserve.written()
    }

    /// Returns the last bytes of them, of a file that is kept.
    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Writes what is held back, and gives back the space behind the end.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.reserve.trim(&self.file)
    }

    /// Renames the file.
    pub(super) fn persist(self, path: &Path) -> io::Result<()> {
        match self.name {
            StagedName::Temporary(name) => name.persist(path).map_err(|failed| failed.error),
            StagedName::Kept(name) => fs::rename(name, path),
        }
    }

    /// Writes bytes, all of them; the last ones may be held back.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let begin = self.reserve.written() + self.held.len() as u64;
        let end = begin + bytes.len() as u64;
        let written = if begin < PROMPT { end } else { end - end % BLOCK };
        let (now, later) = bytes.split_at(written.saturating_sub(begin) as usize);
        if !now.is_empty() {
            self.write_with_held(now)?;
        }
        self.held.extend_from_slice(later);
        Ok(())
    }

    /// Writes what is held back.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.write_with_held(&[])
    }

    /// Writes what is held back, and `bytes` behind it.
    fn write_with_held(&mut self, bytes: &[u8]) -> io::Result<()> {
        let parts = &mut [IoSlice::new(&self.held), IoSlice::new(bytes)];
        let mut parts = &mut parts[..];
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match self.file.write_vectored(parts) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.reserve.count(&self.file, count);
                    IoSlice::advance_slices(&mut parts, count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if matches!(self.name, StagedName::Kept(_)) {
            self.tail.extend_from_slice(last(&self.held));
            self.tail.extend_from_slice(last(bytes));
            self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        }
        self.held.clear();
        Ok(())
    }
}

/// Returns the last bytes, by which a file is recognised.
fn last(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(TAIL)..]
}

/// The least bytes that are set aside, and how many a file has when it gets the first ones.
const LEAST_RESERVE: u64 = 1 << 20;

/// The most bytes that are set aside.
const MOST_RESERVE: u64 = 16 << 20;

/// The end of what has been written to a file, and that of its space.
///
/// ext4 looks for the place of each block when it is written. In space that was set aside a block takes half as long.
/// Other file systems get nothing set aside: on tmpfs it costs a fifth more.
#[derive(Debug)]
struct Reserve {
    written: u64,
    reserved: u64,
    pays: bool,
}

impl Reserve {
    /// Begins with a file of so many bytes.
    fn of(file: &File, written: u64) -> Reserve {
        Reserve { written, reserved: written, pays: system::pays(file) }
    }

    /// Returns how many bytes have been counted.
    fn written(&self) -> u64 {
        self.written
    }

    /// Counts bytes that have been written, and sets more space aside where it is used up. Without that the file
    /// grows as well, so that nothing is said where it fails.
    fn count(&mut self, file: &File, bytes: usize) {
        self.written += bytes as u64;
        if self.pays && self.written >= self.reserved.max(LEAST_RESERVE) {
            let more = self.written.clamp(LEAST_RESERVE, MOST_RESERVE);
            self.pays = system::set_aside(file, self.written, more).is_ok();
            self.reserved = self.written + more;
        }
    }

    /// Gives back what is behind the end of the file.
    fn trim(&self, file: &File) -> io::Result<()> {
        if self.reserved > 0 { file.set_len(self.written) } else { Ok(()) }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;

    use rustix::fs::{FallocateFlags, fallocate, fstatfs};

    /// Returns whether space that is set aside makes writing faster.
    pub(super) fn pays(file: &File) -> bool {
        // The number by which ext4 is known; its type is not the same for every processor.
        fstatfs(file).is_ok_and(|system| system.f_type == 0xef53)
    }

    /// Sets so many bytes aside, behind the end of the file.
    pub(super) fn set_aside(file: &File, from: u64, bytes: u64) -> rustix::io::Result<()> {
        fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::io;

    pub(super) fn pays(_file: &File) -> bool {
        false
    }

    pub(super) fn set_aside(_file: &File, _from: u64, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_in_order_whatever_is_written_at_once() {
        let mut file = StagedFile::temporary(NamedTempFile::new().unwrap());
        let mut expected = Vec::new();
        let block = BLOCK as usize;
        let lens = [0, 1, PROMPT as usize, 3, 0, 3 * block, block - 5, 2 * block + 7, 40];
        for (index, len) in lens.into_iter().enumerate() {
            let bytes: Vec<u8> = (0..len).map(|place| (place * 7 + index) as u8).collect();
            file.write(&bytes).unwrap();
            expected.extend_from_slice(&bytes);
            let held = expected.len() as u64 - file.reserve.written();
            assert!(if expected.len() as u64 <= PROMPT + 1 { held == 0 } else { held < BLOCK }, "{held}");
        }
        file.flush().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), expected);
        file.write(b"more").unwrap();
        expected.extend_from_slice(b"more");
        file.finish().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), expected);
    }

    #[test]
    fn space_behind_the_end_of_a_file_is_given_back() {
        let mut file = tempfile::tempfile().unwrap();
        let mut reserve = Reserve::of(&file, 0);
        let mut bytes = 0;
        for part in [1, LEAST_RESERVE as usize, 5, 2 * LEAST_RESERVE as usize, 1000] {
            file.write_all(&vec![b'x'; part]).unwrap();
            reserve.count(&file, part);
            bytes += part as u64;
            assert_eq!(file.metadata().unwrap().len(), bytes);
        }
        assert_eq!(reserve.reserved > bytes, reserve.pays, "{reserve:?}");
        reserve.trim(&file).unwrap();
        let metadata = file.metadata().unwrap();
        assert_eq!(metadata.len(), bytes);
        #[cfg(target_os = "linux")]
        assert!(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512 < bytes + LEAST_RESERVE / 4);
    }
}
