//! The thread that writes rows in order.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Receiver;

use super::permits::Permits;
use super::reorder::Reorder;
use super::{ChunkOutput, InvalidSolution, Permit};
use crate::error::{Error, ErrorKind};
use crate::record::{Observer, Totals};

/// Writes finished chunks in order and tells the observer.
pub(super) struct Writer<'a> {
    output: &'a mut dyn Write,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    /// How much input has been written out as rows.
    pub(super) totals: Totals,
    /// Whether a chunk was written that was cut short. Nothing may follow it.
    pub(super) cut_short: bool,
}

impl<'a> Writer<'a> {
    /// Makes a writer; `totals` is the input in front of the first chunk.
    pub(super) fn new(
        output: &'a mut dyn Write,
        observer: &'a mut dyn Observer,
        stop: &'a AtomicBool,
        totals: Totals,
    ) -> Writer<'a> {
        Writer { output, observer, stop, totals, cut_short: false }
    }

    /// Writes the header, then chunks until all workers have ended, or one of them is lost.
    pub(super) fn run(
        &mut self,
        header: &[u8],
        finished: &Receiver<Option<Permit>>,
        permits: &Permits,
        count: usize,
    ) -> Result<(), Error> {
        self.output.write_all(header).map_err(write_error)?;
        let mut reorder = Reorder::new(count);
        'run: while let Ok(Some(permit)) = finished.recv() {
            reorder.insert(permit);
            while let Some(permit) = reorder.pop() {
                let Some(permit) = self.write_chunk(permit)? else { break 'run };
                permits.give(permit);
            }
        }
        self.output.flush().map_err(write_error)
    }

    /// Writes a chunk, and returns the permit that it was processed with; `None` if its worker is lost.
    fn write_chunk(&mut self, permit: Permit) -> Result<Option<Permit>, Error> {
        let Some(parts) = permit.rest else {
            self.conclude(&permit.output)?;
            return Ok(Some(permit));
        };
        let mut rows = permit.output.rows;
        loop {
            if !self.cut_short {
                self.output.write_all(&rows).map_err(write_error)?;
            }
            match parts.recv() {
                Ok(part) if part.is_part => rows = part.output.rows,
                Ok(last) => {
                    self.conclude(&last.output)?;
                    return Ok(Some(last));
                }
                Err(_) => return Ok(None),
            }
        }
    }

    /// Writes the rows of a chunk, or the last part of them, unless an earlier chunk was cut short.
    fn conclude(&mut self, output: &ChunkOutput) -> Result<(), Error> {
        if let Some(InvalidSolution { record, engine, puzzle }) = output.invalid.clone() {
            return Err(ErrorKind::WrongSolution { record, engine, puzzle }.into());
        }
        if self.cut_short {
            return Ok(());
        }
        self.cut_short = output.cut_short;
        self.stop.fetch_or(output.cut_short, Ordering::Relaxed);
        // A journal tells of whole chunks: the rows of this one are made again.
        if output.report.item.as_ref().is_some_and(|item| item.cut_short) {
            return Ok(());
        }
        if let Err(error) = self.output.write_all(&output.rows) {
            self.observer.lost(&output.report);
            return Err(write_error(error));
        }
        self.observer.written(&output.report);
        self.totals += output.report.size;
        Ok(())
    }
}

fn write_error(error: std::io::Error) -> Error {
    ErrorKind::Write { error }.into()
}
