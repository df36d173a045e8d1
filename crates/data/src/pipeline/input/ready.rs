//! Waiting for a pipe, for a limited time.

use std::fs::File;
use std::time::Duration;

/// How long a silent pipe is waited for before the bytes that have come are passed on, and the stop flag is
/// read again.
pub(in crate::pipeline) const PATIENCE: Duration = Duration::from_millis(100);

/// Returns whether the file has bytes to read, or ends, within `patience`; true where that can't be found
/// out.
#[cfg(unix)]
pub(in crate::pipeline) fn wait(file: &File, patience: Duration) -> bool {
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
pub(in crate::pipeline) fn wait(_file: &File, _patience: Duration) -> bool {
    true
}
