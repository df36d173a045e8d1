//! The thread that takes the values of chunks, in the order of their numbers.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

use super::permits::Permits;
use super::stage::ChunkValue;
use super::{ChunkOutput, Permit, Take};
use crate::error::Error;
use crate::record::{Observer, Totals};

/// Hands over finished chunks in order and tells the observer.
pub(super) struct Writer<'a, V> {
    take: &'a mut Take<'a, V>,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    /// How much input has been taken.
    pub(super) totals: Totals,
    /// Whether a chunk was taken that was cut short, or was the last one that is wanted. Nothing may follow it.
    pub(super) cut_short: bool,
    /// Whether a record was not right.
    is_bad: bool,
}

impl<'a, V: ChunkValue> Writer<'a, V> {
    /// Makes a writer; `totals` is the input in front of the first chunk.
    pub(super) fn new(
        take: &'a mut Take<'a, V>,
        observer: &'a mut dyn Observer,
        stop: &'a AtomicBool,
        totals: Totals,
    ) -> Writer<'a, V> {
        Writer { take, observer, stop, totals, cut_short: false, is_bad: false }
    }

    /// Takes the header, then chunks until all workers have ended, or one of them is lost.
    pub(super) fn run(
        &mut self,
        header: &V,
        finished: &Receiver<Option<Permit<V>>>,
        permits: &Permits<V>,
        count: usize,
    ) -> Result<(), Error> {
        self.take(header)?;
        let mut reorder = Reorder::new(count);
        while let Ok(Some(permit)) = finished.recv() {
            reorder.insert(permit);
            while let Some(mut permit) = reorder.pop() {
                let parts = permit.rest.take();
                while permit.is_part {
                    self.take(&permit.output.value)?;
                    // Without a next part its worker is lost.
                    let next = parts.as_ref().and_then(|parts| parts.recv().ok());
                    let Some(next) = next else { return Ok(()) };
                    permit = next;
                }
                self.conclude(&mut permit.output)?;
                permits.give(permit);
            }
        }
        Ok(())
    }

    /// Hands over a value, unless the run has ended.
    fn take(&mut self, value: &V) -> Result<(), Error> {
        if !self.cut_short && self.taken(value)?.is_break() {
            self.end();
        }
        Ok(())
    }

    /// Takes the value of a chunk, or the last part of it, unless an earlier chunk was cut short.
    fn conclude(&mut self, output: &mut ChunkOutput<V>) -> Result<(), Error> {
        if let Some(failure) = output.failure.take() {
            return Err(failure);
        }
        if self.cut_short {
            return Ok(());
        }
        // A journal tells of whole chunks: the rows of this one are made again.
        if output.report.item.as_ref().is_some_and(|item| item.cut_short) {
            self.end();
            return Ok(());
        }
        self.is_bad |= output.report.has_bad();
        let is_last = self.taken(&output.value)?.is_break();
        if is_last || output.cut_short {
            self.end();
        }
        if !is_last {
            self.observer.written(&output.report);
            self.totals += output.report.size;
        }
        Ok(())
    }

    /// Hands over a value. An error tells whether a record was not right by then.
    fn taken(&mut self, value: &V) -> Result<ControlFlow<()>, Error> {
        (self.take)(value).map_err(|error| error.after_bad(self.is_bad))
    }

    /// Takes no more chunks.
    fn end(&mut self) {
        self.cut_short = true;
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Finished chunks that wait for earlier ones: a slot for every permit. The slot of a chunk is its number modulo that of the permits: every chunk
/// that is not yet written holds a permit, so that no two of them share a slot.
#[derive(Debug)]
struct Reorder<V> {
    waiting: Vec<Option<Permit<V>>>,
    next: u64,
}

impl<V> Reorder<V> {
    fn new(permits: usize) -> Reorder<V> {
        Reorder { waiting: (0..permits).map(|_| None).collect(), next: 0 }
    }

    fn insert(&mut self, permit: Permit<V>) {
        let slot = self.slot(permit.seq);
        let before = self.waiting[slot].replace(permit);
        debug_assert!(before.is_none(), "two unwritten chunks in one slot");
    }

    /// Takes out the next chunk in order, if it has come.
    fn pop(&mut self) -> Option<Permit<V>> {
        let slot = self.slot(self.next);
        let permit = self.waiting[slot].take()?;
        self.next += 1;
        Some(permit)
    }

    fn slot(&self, seq: u64) -> usize {
        (seq % self.waiting.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_in_any_order_leave_in_the_order_of_their_numbers() {
        let mut reorder = Reorder::new(4);
        let mut out = Vec::new();
        for seq in [2, 0, 1, 5, 3, 4, 6, 9, 8, 7] {
            reorder.insert(Permit::<()> { seq, ..Permit::default() });
            out.extend(std::iter::from_fn(|| reorder.pop()).map(|permit| permit.seq));
        }
        assert_eq!(out, (0..10).collect::<Vec<_>>());
    }
}
