//! The threads of a collection, and flags that end what they and others do.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::open::Unread;
use super::{Collection, lock};

/// How often the files are looked at, whether they are what they were.
const LOOK_AT_FILES: Duration = Duration::from_secs(1);

/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(50);

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
    fn look(&self, is_end: bool) {
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

impl Collection {
    /// Begins the threads.
    pub(super) fn begin(
        self: &Arc<Collection>,
        unread: Vec<Unread>,
        stop: &Arc<AtomicBool>,
    ) -> std::io::Result<()> {
        self.spawn("watch", stop, Collection::set_flags)?;
        self.spawn("files", stop, Collection::look_after)?;
        self.spawn("index", stop, |collection, stop| collection.index_all(unread, stop))?;
        if !self.files.is_empty() {
            // One for the rows that are looked at, and one a processor for all others.
            for number in 0..=thread::available_parallelism().map_or(1, NonZeroUsize::get) {
                self.spawn("work", stop, move |collection, stop| collection.work(number, stop))?;
            }
        }
        Ok(())
    }

    fn spawn(
        self: &Arc<Collection>,
        name: &str,
        stop: &Arc<AtomicBool>,
        run: impl FnOnce(&Collection, &AtomicBool) + Send + 'static,
    ) -> std::io::Result<()> {
        let (collection, stop) = (Arc::clone(self), Arc::clone(stop));
        let guarded = move || {
            if catch_unwind(AssertUnwindSafe(|| run(&collection, &stop))).is_err() {
                let error =
                    "gridmill failed at these files; what is shown may lack something: please report it";
                *lock(&collection.error) = Some(error.to_owned());
                collection.index.touch();
            }
        };
        thread::Builder::new().name(name.to_owned()).spawn(guarded).map(drop)
    }

    /// Sets flags whose time is over, until `stop` becomes true.
    fn set_flags(&self, stop: &AtomicBool) {
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            self.watch.look(false);
        }
        self.watch.look(true);
        self.wake();
    }

    /// Looks after the files, until `stop` becomes true. A file system may let this wait.
    fn look_after(&self, stop: &AtomicBool) {
        let mut looked = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            if looked.elapsed() >= LOOK_AT_FILES {
                self.files.iter().for_each(|file| _ = file.look());
                looked = Instant::now();
            }
        }
    }
}
