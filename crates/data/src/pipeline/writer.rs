//! The thread that takes the values of chunks in order.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

use super::permits::Permits;
use super::reorder::Reorder;
use super::stage::ChunkValue;
use super::{ChunkOutput, InvalidSolution, Permit, Take};
use crate::error::{Error, ErrorKind};
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
        'run: while let Ok(Some(permit)) = finished.recv() {
            reorder.insert(permit);
            while let Some(permit) = reorder.pop() {
                let Some(permit) = self.take_chunk(permit)? else { break 'run };
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

    /// Takes a chunk, and returns the permit that it was processed with; `None` if its worker is lost.
    fn take_chunk(&mut self, permit: Permit<V>) -> Result<Option<Permit<V>>, Error> {
        let Some(parts) = permit.rest else {
            self.conclude(&permit.output)?;
            return Ok(Some(permit));
        };
        let mut value = permit.output.value;
        loop {
            self.take(&value)?;
            match parts.recv() {
                Ok(part) if part.is_part => value = part.output.value,
                Ok(last) => {
                    self.conclude(&last.output)?;
                    return Ok(Some(last));
                }
                Err(_) => return Ok(None),
            }
        }
    }

    /// Takes the value of a chunk, or the last part of it, unless an earlier chunk was cut short.
    fn conclude(&mut self, output: &ChunkOutput<V>) -> Result<(), Error> {
        if let Some(InvalidSolution { record, engine, puzzle }) = output.invalid.clone() {
            return Err(ErrorKind::WrongSolution { record, engine, puzzle }.into());
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
