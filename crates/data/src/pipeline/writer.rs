//! The thread that takes the values of chunks, in the order of their numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

use super::permits::Permits;
use super::stage::ChunkValue;
use super::{ChunkOutput, Permit, Take};
use crate::error::Error;
use crate::record::{Observer, Totals};

/// Hands over finished chunks in order and tells the observer.
pub(super) struct Writer<'a, V> {
    pub(super) take: &'a mut Take<'a, V>,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) stop: &'a AtomicBool,
    /// How much input has been taken; at first, the input in front of the first chunk.
    pub(super) totals: Totals,
    /// Whether a chunk was taken that was cut short, or was the last one that is wanted. Nothing may follow it.
    pub(super) cut_short: bool,
    /// Whether a record was not right.
    pub(super) is_bad: bool,
}

impl<V: ChunkValue> Writer<'_, V> {
    /// Takes the header, then chunks until all workers have ended, or one of them is lost.
    pub(super) fn run(
        &mut self,
        header: &V,
        finished: &Receiver<Option<Permit<V>>>,
        permits: &Permits<V>,
        count: usize,
    ) -> Result<(), Error> {
        self.hand_over(header)?;
        // Finished chunks wait here for earlier ones. The slot of a chunk is its number modulo that of the permits: every
        // chunk that is not yet written holds a permit, so that no two of them share a slot.
        let mut waiting: Vec<Option<Permit<V>>> = (0..count).map(|_| None).collect();
        let slot = |seq: u64| (seq % count as u64) as usize;
        let mut next = 0;
        while let Ok(Some(permit)) = finished.recv() {
            let seq = permit.seq;
            let before = waiting[slot(seq)].replace(permit);
            debug_assert!(before.is_none(), "two unwritten chunks in one slot");
            while let Some(mut permit) = waiting[slot(next)].take() {
                next += 1;
                let parts = permit.rest.take();
                while permit.is_part {
                    self.hand_over(&permit.output.value)?;
                    // Without a next part its worker is lost.
                    let part = parts.as_ref().and_then(|parts| parts.recv().ok());
                    let Some(part) = part else { return Ok(()) };
                    permit = part;
                }
                let ChunkOutput { value, report, failure, cut_short, .. } = &mut permit.output;
                if let Some(failure) = failure.take() {
                    return Err(failure);
                }
                self.is_bad |= report.has_bad();
                // A journal tells of whole chunks: the rows of one that was cut short are made again.
                let is_whole = report.item.as_ref().is_none_or(|item| !item.cut_short);
                let is_taken = is_whole && self.hand_over(value)?;
                if *cut_short {
                    self.end();
                }
                if is_taken {
                    self.observer.written(report);
                    self.totals += report.size;
                }
                permits.give(permit);
            }
        }
        Ok(())
    }

    /// Hands over a value, unless the run has ended. Returns whether it was taken, and was not the last that is wanted. An
    /// error tells whether a record was not right by then.
    fn hand_over(&mut self, value: &V) -> Result<bool, Error> {
        if self.cut_short {
            return Ok(false);
        }
        let taken = (self.take)(value).map_err(|error| error.after_bad(self.is_bad))?;
        if taken.is_break() {
            self.end();
        }
        Ok(taken.is_continue())
    }

    /// Takes no more chunks.
    fn end(&mut self) {
        self.cut_short = true;
        self.stop.store(true, Ordering::Relaxed);
    }
}
