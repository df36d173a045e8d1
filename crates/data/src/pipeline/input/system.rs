//! System calls of an input: opening a file, mapping it into memory (which needs unsafe code), and waiting
//! for a pipe with a timeout.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use memmap2::{Mmap, MmapOptions};

/// How long a silent pipe is waited for. After that, the bytes that have come are passed on, and the stop
/// flag is read again.
pub(in crate::pipeline) const PIPE_WAIT: Duration = Duration::from_millis(100);

/// Opens a file for reading. A named pipe is opened without waiting for its writer. The first read waits
/// instead, because that wait can be stopped.
pub(super) fn open_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(target_os = "linux")]
    if std::fs::metadata(path).is_ok_and(|it| std::os::unix::fs::FileTypeExt::is_fifo(&it.file_type())) {
        let flags = rustix::fs::OFlags::NONBLOCK.bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags as i32);
    }
    options.open(path)
}

/// Whether standard input was closed when the program began.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records that standard input was closed when the program began. Opening it fails from then on. The
/// program finds this out before `main`.
pub fn mark_stdin_closed() {
    WAS_CLOSED.store(true, Ordering::Relaxed);
}

/// Opens standard input as a file, because a file can be polled and adds no second buffer. Fails if
/// standard input was closed when the program began: Rust's runtime replaces it by /dev/null, which would
/// look like an input without puzzles.
pub(super) fn standard_input() -> io::Result<File> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("standard input is closed"));
    }
    #[cfg(unix)]
    return std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned().map(File::from);
}

/// Maps a file for reading, front to back.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: reading a map as a slice is sound only while no other program changes the file, and we can't promise
    // that. Little depends on it here: every byte is untrusted input, a puzzle is read into an array
    // before anything is concluded from it, no index comes from the file, and the length of the file is
    // checked again before each chunk. Users who write to a file while it is read have `--no-mmap`.
    #[allow(unsafe_code)]
    let map = unsafe { MmapOptions::new().map(file) }?;
    #[cfg(unix)]
    map.advise(memmap2::Advice::Sequential)?;
    Ok(map)
}

/// Returns whether the file has bytes to read, or ends, within `patience`. Returns true if the system can't
/// say.
#[cfg(unix)]
pub(super) fn wait_for(file: &File, patience: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let Ok(patience) = Timespec::try_from(patience) else { return true };
    let mut polled = [PollFd::new(file, PollFlags::IN)];
    match poll(&mut polled, Some(&patience)) {
        Ok(ready) => ready > 0,
        Err(rustix::io::Errno::INTR) => false,
        Err(_) => true,
    }
}

#[cfg(not(unix))]
pub(super) fn wait_for(_file: &File, _patience: Duration) -> bool {
    true
}
