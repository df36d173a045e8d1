//! The one thread that writes.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};

use super::reorder::Reorder;
use super::{ChunkOutput, Permit, Stage};
use crate::error::{Error, ErrorKind};
use crate::record::{Gap, Observer, Totals};

/// Writes finished chunks in order and tells the observer.
pub(super) struct Writer<'a> {
    pub(super) output: &'a mut dyn Write,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) plan: &'a dyn Stage,
    /// Is there a header to be written?
    pub(super) header: bool,
    pub(super) totals: Totals,
    /// Has a chunk been written that is not whole? What comes behind it must not be.
    pub(super) cut_short: bool,
    /// Rows with all their numbers.
    pub(super) numbered: Vec<u8>,
    pub(super) stop: &'a AtomicBool,
}

impl Writer<'_> {
    /// Writes until all workers are gone, or one of them says that it is lost. Returns how far it came.
    pub(super) fn run(
        &mut self,
        finished: &Receiver<Option<Permit>>,
        permits: &Sender<Permit>,
        count: usize,
    ) -> Result<Totals, Error> {
        if self.header {
            let mut header = Vec::new();
            self.plan.header(&mut header);
            self.write(&header)?;
        }
        let mut reorder = Reorder::new(count);
        'run: while let Ok(Some(permit)) = finished.recv() {
            reorder.insert(permit);
            while let Some(permit) = reorder.pop() {
                let Some(permit) = self.pass_on(permit)? else { break 'run };
                // Workers that have ended take no permits; nothing is lost with these.
                let _ = permits.send(permit);
            }
        }
        self.output.flush().map_err(write_error)?;
        Ok(self.totals)
    }

    /// Writes a chunk, and hands back the permit that it was worked on with; `None` if its worker is lost.
    fn pass_on(&mut self, permit: Permit) -> Result<Option<Permit>, Error> {
        let Some(parts) = permit.rest else {
            self.conclude(&permit.done)?;
            return Ok(Some(permit));
        };
        let mut rows = permit.done.rows;
        loop {
            if !self.cut_short {
                self.write(&rows)?;
            }
            match parts.recv() {
                Ok(part) if part.is_part => rows = part.done.rows,
                Ok(last) => {
                    self.conclude(&last.done)?;
                    return Ok(Some(last));
                }
                Err(_) => return Ok(None),
            }
        }
    }

    fn conclude(&mut self, done: &ChunkOutput) -> Result<(), Error> {
        if let Some(wrong) = &done.wrong {
            return Err(ErrorKind::WrongSolution {
                record: self.totals.records + wrong.record + 1,
                engine: wrong.engine,
                puzzle: wrong.puzzle.clone(),
            }
            .into());
        }
        if self.cut_short {
            return Ok(());
        }
        self.cut_short = done.cut_short;
        self.stop.fetch_or(done.cut_short, Ordering::Relaxed);
        self.write_numbered(done)?;
        let size = done.report.size;
        self.observer.written(&self.totals, &done.report);
        self.totals.records += size.records;
        self.totals.lines += size.lines;
        self.totals.bytes += size.bytes;
        Ok(())
    }

    fn write_numbered(&mut self, done: &ChunkOutput) -> Result<(), Error> {
        if done.gaps.is_empty() {
            return self.write(&done.rows);
        }
        self.numbered.clear();
        Gap::fill(&done.gaps, &done.rows, &self.totals, &mut self.numbered);
        self.output.write_all(&self.numbered).map_err(write_error)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.write_all(bytes).map_err(write_error)
    }
}

fn write_error(error: std::io::Error) -> Error {
    ErrorKind::Write { error }.into()
}
