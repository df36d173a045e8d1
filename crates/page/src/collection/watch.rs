//! Flags that a thread sets when the server ends, or when their time is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::lock;

/// How often the thread looks.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Flags that are to be set: when, if not before the server ends, and which.
#[derive(Debug, Default)]
pub(super) struct Watch {
    flags: Mutex<Vec<(Option<Instant>, Weak<AtomicBool>)>>,
    has_ended: AtomicBool,
}

impl Watch {
    /// Returns a flag that becomes true when the server ends, or after that time.
    pub(super) fn flag(&self, patience: Option<Duration>) -> Arc<AtomicBool> {
        let end = patience.map(|patience| Instant::now() + patience);
        // From here on, the end is known already or finds the flag.
        let mut flags = lock(&self.flags);
        let flag = Arc::new(AtomicBool::new(self.has_ended.load(Ordering::Relaxed)));
        flags.push((end, Arc::downgrade(&flag)));
        flag
    }

    /// Sets the flags whose time is over, or all of them.
    pub(super) fn look(&self, is_end: bool) {
        let now = Instant::now();
        let mut flags = lock(&self.flags);
        self.has_ended.fetch_or(is_end, Ordering::Relaxed);
        flags.retain(|(end, flag)| {
            let Some(flag) = flag.upgrade() else { return false };
            let is_over = is_end || end.is_some_and(|end| end <= now);
            flag.fetch_or(is_over, Ordering::Relaxed);
            !is_over
        });
    }
}
