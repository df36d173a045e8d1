//! Standard output, which may have been closed before the program began.
//!
//! The runtime of Rust opens /dev/null in place of a closed one, so that rows written there vanish without an error. Only
//! code that runs before the runtime can tell.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed when the program began. A library does not look.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Notes that standard output was closed when the program began: writing to it fails from now on. The program finds that
/// out before `main`.
pub fn note_closed_standard_output() {
    WAS_CLOSED.store(true, Ordering::Relaxed);
}

/// Standard output. Writing fails where it was closed when the program began.
#[derive(Debug)]
pub struct StandardOutput(Stdout);

impl Default for StandardOutput {
    fn default() -> StandardOutput {
        StandardOutput(io::stdout())
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if WAS_CLOSED.load(Ordering::Relaxed) {
            return Err(io::Error::other("standard output is closed"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
