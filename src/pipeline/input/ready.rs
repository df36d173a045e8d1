//! Waiting for a pipe, but not for ever.

use std::fs::File;
use std::time::Duration;

/// How long a silent pipe is waited for before what has come is passed on, and before the stop flag is
/// looked at again.
pub(in crate::pipeline) const PATIENCE: Duration = Duration::from_millis(100);

/// Has the file something to read, or come to its end, within that time? Where that can't be found out,
/// the answer is yes.
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
