//! The one thread that writes.

use std::io::Write;

use crossbeam_channel::{Receiver, Sender};

use super::Permit;
use super::reorder::Reorder;
use crate::error::{Error, ErrorKind};
use crate::record::{Observer, RowFormat, Totals};

/// Writes finished chunks in order and tells the observer.
pub(super) struct Writer<'a> {
    pub(super) output: &'a mut dyn Write,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) rows: &'a dyn RowFormat,
    pub(super) totals: Totals,
    /// Has a chunk been written that is not whole? What comes behind it must not be.
    pub(super) cut_short: bool,
}

impl Writer<'_> {
    /// Writes until all workers are gone, or one of them says that it is lost. Returns how far it came.
    pub(super) fn run(
        &mut self,
        finished: &Receiver<Option<Permit>>,
        permits: &Sender<Permit>,
        count: usize,
    ) -> Result<Totals, Error> {
        let mut header = Vec::new();
        self.rows.header(&mut header);
        self.write(&header)?;
        let mut reorder = Reorder::new(count);
        while let Ok(Some(permit)) = finished.recv() {
            reorder.insert(permit);
            while let Some(permit) = reorder.pop() {
                self.pass_on(&permit)?;
                // Workers that have ended take no permits; nothing is lost with these.
                let _ = permits.send(permit);
            }
        }
        self.output.flush().map_err(write_error)?;
        Ok(self.totals)
    }

    fn pass_on(&mut self, permit: &Permit) -> Result<(), Error> {
        if let Some(wrong) = permit.wrong {
            return Err(ErrorKind::WrongSolution {
                record: self.totals.records + wrong.record + 1,
                engine: wrong.engine,
                puzzle: wrong.puzzle.to_string(),
            }
            .into());
        }
        if self.cut_short {
            return Ok(());
        }
        self.cut_short = permit.cut_short;
        self.write(&permit.rows)?;
        let size = permit.report.size;
        self.observer.written(&self.totals, &permit.report);
        self.totals.records += size.records;
        self.totals.lines += size.lines;
        self.totals.bytes += size.bytes;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.write_all(bytes).map_err(write_error)
    }
}

fn write_error(error: std::io::Error) -> Error {
    ErrorKind::Write { error }.into()
}
