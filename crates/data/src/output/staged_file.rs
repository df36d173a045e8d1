//! A file under a temporary name, which is written from front to back. Also finds such files that killed
//! runs have left next to an output.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, IoSlice, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::{NamedTempFile, TempPath};

use super::journal::TAIL;

/// Writes end at multiples of this block size, because then the system uses large pages and fills none of
/// them twice. This made writing the rows of a chunk 10 % faster on ext4; larger blocks were hardly faster.
const BLOCK: u64 = 64 * 1024;

/// Up to this length, all bytes are written immediately: if rows are rare, someone may be watching the
/// file.
const PROMPT: u64 = 1 << 20;

/// The least number of bytes to preallocate. Preallocation begins when the file has this many.
const LEAST_RESERVE: u64 = 1 << 20;

/// The largest number of bytes to preallocate.
const MOST_RESERVE: u64 = 16 << 20;

/// A file under a temporary name. If it is long, an incomplete block is held back until it is full, or
/// until the file is flushed.
///
/// On ext4, space is preallocated, because writing a block takes half as long if its place on the disk is
/// known already. Not on other file systems: e.g. on tmpfs preallocation costs a fifth more.
#[derive(Debug)]
pub(super) struct StagedFile {
    file: File,
    /// Its temporary name. Dropping it removes the file, unless the file is completed or kept for a later
    /// run.
    name: TempPath,
    /// How many bytes have been passed to the system, and up to where space is preallocated.
    written: u64,
    reserved: u64,
    /// Whether preallocation makes writing faster here.
    reserve_pays: bool,
    held: Vec<u8>,
    /// The last bytes that were passed to the system.
    tail: Vec<u8>,
}

impl StagedFile {
    /// Begins with an empty file. It is removed unless it is completed.
    pub(super) fn temporary(file: NamedTempFile) -> StagedFile {
        let (file, name) = file.into_parts();
        let reserve_pays = system::reserve_pays(&file);
        let (held, tail) = (Vec::new(), Vec::new());
        StagedFile { file, name, written: 0, reserved: 0, reserve_pays, held, tail }
    }

    /// Continues an existing file, which is kept for a later run, after its first `written` bytes; `tail`
    /// are the last of them.
    pub(super) fn kept(file: File, path: PathBuf, written: u64, tail: Vec<u8>) -> io::Result<StagedFile> {
        let mut name = TempPath::try_from_path(path)?;
        name.disable_cleanup(true);
        let file = NamedTempFile::from_parts(file, name);
        Ok(StagedFile { written, reserved: written, tail, ..StagedFile::temporary(file) })
    }

    /// The temporary name.
    pub(super) fn path(&self) -> &Path {
        &self.name
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// How many bytes have been passed to the system.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// The checksum of the last bytes, which identifies the file.
    pub(super) fn tail_crc32(&self) -> u32 {
        crc32fast::hash(&self.tail)
    }

    /// Writes the bytes held back, and frees the preallocated space after the end.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        if self.reserved > 0 { self.file.set_len(self.written) } else { Ok(()) }
    }

    /// Renames the file.
    pub(super) fn persist(self, path: &Path) -> io::Result<()> {
        self.name.persist(path).map_err(|failed| failed.error)
    }

    /// Writes the bytes held back, and then `bytes`.
    fn write_with_held(&mut self, bytes: &[u8]) -> io::Result<()> {
        let parts = &mut [IoSlice::new(&self.held), IoSlice::new(bytes)];
        let mut parts = &mut parts[..];
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match self.file.write_vectored(parts) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.written += count as u64;
                    // An error is ignored, because the file can grow without preallocation.
                    if self.reserve_pays && self.written >= self.reserved.max(LEAST_RESERVE) {
                        let more = self.written.clamp(LEAST_RESERVE, MOST_RESERVE);
                        self.reserve_pays = system::set_aside(&self.file, self.written, more).is_ok();
                        self.reserved = self.written + more;
                    }
                    IoSlice::advance_slices(&mut parts, count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.tail.extend_from_slice(last(&self.held));
        self.tail.extend_from_slice(last(bytes));
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        self.held.clear();
        Ok(())
    }
}

impl Write for StagedFile {
    /// Takes all bytes; the last ones may be held back.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let begin = self.written + self.held.len() as u64;
        let end = begin + bytes.len() as u64;
        let written = if begin < PROMPT { end } else { end - end % BLOCK };
        let (now, later) = bytes.split_at(written.saturating_sub(begin) as usize);
        if !now.is_empty() {
            self.write_with_held(now)?;
        }
        self.held.extend_from_slice(later);
        Ok(bytes.len())
    }

    /// Writes the bytes held back.
    fn flush(&mut self) -> io::Result<()> {
        self.write_with_held(&[])
    }
}

/// The last bytes, which identify a file.
fn last(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(TAIL)..]
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs::File;

    use rustix::fs::{FallocateFlags, fallocate, fstatfs};

    /// Returns whether preallocation makes writing faster for this file.
    pub(super) fn reserve_pays(file: &File) -> bool {
        // The magic number of ext4. It is a literal, because the type of the field differs between
        // processors.
        fstatfs(file).is_ok_and(|system| system.f_type == 0xef53)
    }

    /// Preallocates bytes after the end of the file.
    pub(super) fn set_aside(file: &File, from: u64, bytes: u64) -> rustix::io::Result<()> {
        fallocate(file, FallocateFlags::KEEP_SIZE, from, bytes)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::fs::File;
    use std::io;

    pub(super) fn reserve_pays(_file: &File) -> bool {
        false
    }

    pub(super) fn set_aside(_file: &File, _from: u64, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

/// The end of all temporary names.
pub(super) const SUFFIX: &str = ".gridmill-tmp";

/// Removes temporary files of an output whose runs were killed, and reports them. A living run holds a lock
/// on its file. If the file system has no locks, nothing is removed.
pub(super) fn remove_leftovers(directory: &Path, output: &OsStr) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    for path in names.filter(|name| is_temporary(name, output)).map(|name| directory.join(name)) {
        if remove_unlocked(&path)
            && let Some(report) = REPORT.get()
        {
            report(&path);
        }
    }
}

/// Returns whether a name is a temporary name of that output: the output's name, a dot, some letters and
/// digits, and [`SUFFIX`].
fn is_temporary(name: &OsStr, output: &OsStr) -> bool {
    let (name, output) = (name.as_encoded_bytes(), output.as_encoded_bytes());
    let middle = name.strip_prefix(output).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    middle
        .and_then(|middle| middle.strip_prefix(b"."))
        .is_some_and(|middle| !middle.is_empty() && middle.iter().all(u8::is_ascii_alphanumeric))
}

/// Removes a file if its run is not alive. The file is locked during that, so that a run that is just
/// creating it notices.
fn remove_unlocked(path: &Path) -> bool {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let locked = File::open(path).ok().filter(|file| file.try_lock().is_ok());
    locked.is_some_and(|_file| fs::remove_file(path).is_ok())
}

/// Reports a temporary file that was removed. The program sets this, because a library should print
/// nothing.
static REPORT: OnceLock<fn(&Path)> = OnceLock::new();

/// Sets how the process reports a removed temporary file of a killed run. Only the first call counts.
pub fn set_leftover_report(report: fn(&Path)) {
    let _ = REPORT.set(report);
}

/// Locks a file for this process; false if another process has locked it. Without support for locks, this
/// is true.
pub(super) fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn bytes_arrive_in_order_for_all_sizes_of_writes() {
        let mut file = StagedFile::temporary(NamedTempFile::new().unwrap());
        let mut expected = Vec::new();
        let block = BLOCK as usize;
        let lens = [0, 1, PROMPT as usize, 3, 0, 3 * block, block - 5, 2 * block + 7, 40];
        for (index, len) in lens.into_iter().enumerate() {
            let bytes: Vec<u8> = (0..len).map(|place| (place * 7 + index) as u8).collect();
            file.write_all(&bytes).unwrap();
            expected.extend_from_slice(&bytes);
            let held = expected.len() as u64 - file.written;
            assert!(if expected.len() as u64 <= PROMPT + 1 { held == 0 } else { held < BLOCK }, "{held}");
        }
        file.flush().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), expected);
        file.write_all(b"more").unwrap();
        expected.extend_from_slice(b"more");
        file.finish().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), expected);
    }

    #[test]
    fn preallocated_space_is_freed_at_the_end() {
        let mut file = StagedFile::temporary(NamedTempFile::new().unwrap());
        let mut bytes = 0;
        for part in [1, LEAST_RESERVE as usize, 5, 2 * LEAST_RESERVE as usize, 1000] {
            file.write_all(&vec![b'x'; part]).unwrap();
            file.flush().unwrap();
            bytes += part as u64;
            assert_eq!(file.file.metadata().unwrap().len(), bytes);
        }
        assert_eq!(file.reserved > bytes, file.reserve_pays, "{} of {bytes}", file.reserved);
        file.finish().unwrap();
        let metadata = file.file.metadata().unwrap();
        assert_eq!(metadata.len(), bytes);
        #[cfg(target_os = "linux")]
        assert!(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512 < bytes + LEAST_RESERVE / 4);
    }
}
