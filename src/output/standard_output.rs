//! Standard output, which may have been closed before the program began.
//!
//! The runtime of Rust opens /dev/null in place of a closed one, so that rows written there vanish without an error. Only
//! code that runs before the runtime can tell.

use std::io::{self, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output was closed when the program began. A library does not look.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(all(feature = "cli", unix))]
ctor::declarative::ctor! {
    // SAFETY: it makes a system call and a store, and neither needs the runtime.
    #[ctor(unsafe)]
    fn look() {
        let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
}

/// Standard output. Writing fails where it was closed when the program began.
#[derive(Debug)]
pub(crate) struct StandardOutput(Stdout);

impl StandardOutput {
    pub(crate) fn new() -> StandardOutput {
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
