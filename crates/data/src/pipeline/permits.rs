//! The permits that are free.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::{Permit, lock};

/// Permits that nobody holds. The one that came back last goes out first, since its buffers are still in the cache:
/// where few chunks are ahead of the writer, the buffers of the other permits are never touched.
#[derive(Debug)]
pub(super) struct Permits<V> {
    free: Mutex<Free<V>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Free<V> {
    permits: Vec<Permit<V>>,
    /// Workers that wait for one.
    waiting: usize,
    is_closed: bool,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoPermit {
    /// None has come back in time.
    Yet,
    /// None will be given out any more.
    Ever,
}

impl<V> Permits<V> {
    /// Makes so many.
    pub(super) fn new(count: usize) -> Permits<V>
    where
        V: Default,
    {
        let permits = (0..count).map(|_| Permit::default()).collect();
        Permits { free: Mutex::new(Free { permits, waiting: 0, is_closed: false }), changed: Condvar::new() }
    }

    /// Takes a permit, and waits for one no longer than `patience`.
    pub(super) fn take(&self, patience: Duration) -> Result<Permit<V>, NoPermit> {
        let mut free = lock(&self.free);
        if free.permits.is_empty() && !free.is_closed {
            free.waiting += 1;
            let waited = self.changed.wait_timeout(free, patience);
            free = waited.unwrap_or_else(PoisonError::into_inner).0;
            free.waiting -= 1;
        }
        match free.permits.pop() {
            _ if free.is_closed => Err(NoPermit::Ever),
            permit => permit.ok_or(NoPermit::Yet),
        }
    }

    /// Returns whether all are held.
    pub(super) fn are_taken(&self) -> bool {
        let free = lock(&self.free);
        free.permits.is_empty() && !free.is_closed
    }

    /// Takes a permit back.
    pub(super) fn give(&self, permit: Permit<V>) {
        let mut free = lock(&self.free);
        free.permits.push(permit);
        let is_awaited = free.waiting > 0;
        drop(free);
        // To wake is a system call, whether anyone waits or not.
        if is_awaited {
            self.changed.notify_one();
        }
    }

    /// Gives out no more.
    fn close(&self) {
        lock(&self.free).is_closed = true;
        self.changed.notify_all();
    }
}

/// Closes permits at the end of a scope, also where it ends in a panic: nobody waits for the writer then.
pub(super) struct CloseAtEnd<'a, V>(pub(super) &'a Permits<V>);

impl<V> Drop for CloseAtEnd<'_, V> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const SOON: Duration = Duration::from_millis(1);
    // Longer than any test: who is not woken hangs.
    const LATE: Duration = Duration::from_secs(24 * 60 * 60);

    /// Waits for a permit as workers do: one that is woken may find that another one was faster.
    fn take(permits: &Permits<()>) -> Result<Permit<()>, NoPermit> {
        loop {
            match permits.take(LATE) {
                Err(NoPermit::Yet) => {}
                taken => return taken,
            }
        }
    }

    /// Returns when so many wait.
    fn wait_for(permits: &Permits<()>, waiting: usize) {
        while lock(&permits.free).waiting < waiting {
            thread::yield_now();
        }
    }

    fn numbered(seq: u64) -> Permit<()> {
        Permit { seq, ..Permit::default() }
    }

    #[test]
    fn the_permit_that_came_back_last_goes_out_first() {
        let permits = Permits::new(2);
        let (_, _) = (permits.take(SOON).unwrap(), permits.take(SOON).unwrap());
        assert!(permits.are_taken());
        assert_eq!(permits.take(SOON).unwrap_err(), NoPermit::Yet);
        permits.give(numbered(1));
        permits.give(numbered(2));
        assert_eq!([2, 1], [(); 2].map(|()| permits.take(SOON).unwrap().seq));
    }

    #[test]
    fn who_waits_gets_the_next_permit() {
        let permits = Permits::new(0);
        thread::scope(|scope| {
            let waiting = [(); 2].map(|()| scope.spawn(|| take(&permits).unwrap().seq));
            wait_for(&permits, 2);
            permits.give(numbered(1));
            permits.give(numbered(2));
            assert_eq!(waiting.map(|taken| taken.join().unwrap()).iter().sum::<u64>(), 3);
        });
    }

    #[test]
    fn nobody_waits_once_they_are_closed() {
        let permits = Permits::new(1);
        permits.take(SOON).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| take(&permits).unwrap_err());
            wait_for(&permits, 1);
            drop(CloseAtEnd(&permits));
            assert_eq!(waiting.join().unwrap(), NoPermit::Ever);
        });
        permits.give(numbered(1));
        assert_eq!(permits.take(LATE).unwrap_err(), NoPermit::Ever);
        assert!(!permits.are_taken());
    }
}
