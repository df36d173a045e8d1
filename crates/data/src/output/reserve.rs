//! Space on the disk that is set aside for a file that grows.

use std::fs::File;
use std::io;

/// The least bytes that are set aside, and how many a file has when it gets the first ones.
const LEAST: u64 = 1 << 20;

/// The most bytes that are set aside.
const MOST: u64 = 16 << 20;

/// The end of what has been written to a file, and that of its space.
///
/// ext4 looks for the place of each block when it is written. In space that was set aside a block takes half as long.
/// Other file systems get nothing set aside: on tmpfs it costs a fifth more.
#[derive(Debug)]
pub(super) struct Reserve {
    written: u64,
    reserved: u64,
    pays: bool,
}

impl Reserve {
    /// Begins with a file of so many bytes.
    pub(super) fn of(file: &File, written: u64) -> Reserve {
        Reserve { written, reserved: written, pays: system::pays(file) }
    }

    /// Returns how many bytes have been counted.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Counts bytes that have been written, and sets more space aside where it is used up. Without that the file
    /// grows as well, so that nothing is said where it fails.
    pub(super) fn count(&mut self, file: &File, bytes: usize) {
        self.written += bytes as u64;
        if self.pays && self.written >= self.reserved.max(LEAST) {
            let more = self.written.clamp(LEAST, MOST);
            self.pays = system::set_aside(file, self.written, more).is_ok();
            self.reserved = self.written + more;
        }
    }

    /// Gives back what is behind the end of the file.
    pub(super) fn trim(&self, file: &File) -> io::Result<()> {
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
    use std::io::Write;

    use super::*;

    #[test]
    fn space_behind_the_end_of_a_file_is_given_back() {
        let mut file = tempfile::tempfile().unwrap();
        let mut reserve = Reserve::of(&file, 0);
        let mut bytes = 0;
        for part in [1, LEAST as usize, 5, 2 * LEAST as usize, 1000] {
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
        assert!(std::os::unix::fs::MetadataExt::blocks(&metadata) * 512 < bytes + LEAST / 4);
    }
}
