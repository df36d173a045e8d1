//! Numbers of records and lines: how much input is in front of each chunk.

use std::sync::{Condvar, Mutex, PoisonError};

use super::lock;
use crate::record::Totals;

/// Tells each worker how much input is in front of its chunk, once all earlier chunks have been read.
///
/// A worker first reads its chunk and then asks. So the lowest chunk without numbers never waits, and the
/// others wait no longer than it takes to read those in front of them.
#[derive(Debug)]
pub(super) struct Numbering {
    /// The next chunk to be numbered, and how much input is in front of it; `None` once a chunk is lost.
    front: Mutex<Option<(u64, Totals)>>,
    moved: Condvar,
}

impl Numbering {
    /// Starts at the first record, with `before` in front of it.
    pub(super) fn new(before: Totals) -> Numbering {
        Numbering { front: Mutex::new(Some((0, before))), moved: Condvar::new() }
    }

    /// Returns how much input is in front of a chunk of size `size`; `None` if an earlier chunk is lost.
    pub(super) fn number(&self, seq: u64, size: &Totals) -> Option<Totals> {
        let is_early = |front: &mut Option<(u64, Totals)>| front.is_some_and(|(next, _)| next != seq);
        let waited = self.moved.wait_while(lock(&self.front), is_early);
        let mut front = waited.unwrap_or_else(PoisonError::into_inner);
        let (next, in_front) = front.as_mut()?;
        let before = *in_front;
        *in_front += *size;
        *next += 1;
        self.moved.notify_all();
        Some(before)
    }

    /// Ends all waiting, because a worker and its chunk are lost.
    pub(super) fn abandon(&self) {
        *lock(&self.front) = None;
        self.moved.notify_all();
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
