//! Ctrl-C and other requests to end.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::{eprint_message, remove_staged};

/// Reports how far an interrupted run got, and where its output is kept.
pub(crate) fn report_interrupted(done: fmt::Arguments<'_>, kept: Option<&Path>) {
    let kept = kept.map(|path| format!("; they are in {}", path.display())).unwrap_or_default();
    eprint_message(format_args!("gridmill: interrupted after {done}{kept}\n"));
}

/// Returns a flag that the first Ctrl-C or termination signal sets. The second one ends the process.
pub(crate) fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            remove_staged();
            std::process::exit(130);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprint_message(format_args!("gridmill: Ctrl-C will end the run at once: {error}\n"));
    }
    stop
}
