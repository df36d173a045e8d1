//! Numbers of records and lines: how much input is in front of each chunk.

use std::sync::{Condvar, Mutex, MutexGuard};

use super::lock;
use crate::record::Totals;

/// Tells each worker how much input is in front of its chunk, once all earlier chunks have been read.
///
/// A worker first reads its chunk and then asks. So the lowest chunk without numbers never waits, and the
/// others wait no longer than it takes to read those in front of them.
#[derive(Debug)]
pub(super) struct Numbering {
    front: Mutex<Front>,
    moved: Condvar,
}

/// How far the chunks have been numbered.
#[derive(Debug)]
struct Front {
    /// The next chunk to be numbered; `None` once a chunk is lost.
    next: Option<u64>,
    /// How much input is in front of it.
    before: Totals,
}

impl Numbering {
    /// Starts at the first record, with `before` in front of it.
    pub(super) fn new(before: Totals) -> Numbering {
        Numbering { front: Mutex::new(Front { next: Some(0), before }), moved: Condvar::new() }
    }

    /// Returns how much input is in front of a chunk of size `size`; `None` if an earlier chunk is lost.
    pub(super) fn number(&self, seq: u64, size: &Totals) -> Option<Totals> {
        let mut front = lock(&self.front);
        while front.next? != seq {
            front = self.wait(front);
        }
        let before = front.before;
        front.before += *size;
        front.next = Some(seq + 1);
        self.moved.notify_all();
        Some(before)
    }

    /// Ends all waiting, because a worker and its chunk are lost.
    pub(super) fn abandon(&self) {
        lock(&self.front).next = None;
        self.moved.notify_all();
    }

    fn wait<'a>(&self, front: MutexGuard<'a, Front>) -> MutexGuard<'a, Front> {
        self.moved.wait(front).unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn records(records: u64) -> Totals {
        Totals { records, ..Totals::default() }
    }

    #[test]
    fn chunks_are_numbered_in_order_whoever_asks_first() {
        let numbering = Numbering::new(records(100));
        let before = thread::scope(|scope| {
            let numbering = &numbering;
            let ask = |seq| scope.spawn(move || numbering.number(seq, &records(seq + 1)));
            let asked = [3, 1, 2, 0].map(ask);
            asked.map(|asked| asked.join().unwrap().unwrap().records)
        });
        assert_eq!(before, [106, 101, 103, 100]);
    }

    #[test]
    fn nobody_waits_for_a_chunk_that_is_lost() {
        let numbering = Numbering::new(Totals::default());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| numbering.number(1, &records(1)));
            numbering.abandon();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert_eq!(numbering.number(0, &records(1)), None);
    }
}
