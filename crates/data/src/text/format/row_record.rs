//! A record in rows, as its lines are read.

use gridmill_core::grid::Shape;

use crate::text::{Fault, FaultKind, MAX_RECORD, Record, RowsFormat, SourceEcho, TextLine};

const MAX_CELLS: usize = Shape::MAX_SIDE * Shape::MAX_SIDE;

/// A record whose lines are being read.
#[derive(Clone, Copy, Debug)]
pub(in crate::text) struct RowRecord {
    start: usize,
    end: usize,
    /// Bytes before its first cell.
    lead: usize,
    pub(in crate::text) rows: usize,
    /// Rows since the last blank line, and bands in front of it.
    rows_of_band: usize,
    bands: usize,
    pub(in crate::text) found: usize,
    cells: [u8; MAX_CELLS],
    fault: Option<Fault>,
}

impl RowRecord {
    pub(in crate::text) fn at<'a>(
        line: TextLine<'_>,
        mut cells: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> RowRecord {
        let start = line.start;
        let lead = cells.next().map_or(0, |(at, _)| at);
        let (rows, rows_of_band, bands, found) = (0, 0, 0, 0);
        RowRecord {
            start,
            end: start,
            lead,
            rows,
            rows_of_band,
            bands,
            found,
            cells: [0; MAX_CELLS],
            fault: None,
        }
    }

    pub(in crate::text) fn add(&mut self, line: TextLine<'_>, format: &RowsFormat) {
        self.rows += 1;
        self.rows_of_band += 1;
        self.end = line.start + line.text.len();
        if self.is_too_long() {
            self.fault = Some(Fault { kind: FaultKind::RecordTooLong, offset: self.start as u32 });
            return;
        }
        let (side, needed) = (format.shape().side(), format.shape().cells());
        let before = self.found;
        for (at, text) in format.cells_of(line.text) {
            let place = line.start + at;
            match (format.value(text), self.cells[..needed].get_mut(self.found)) {
                (Some(Ok(value)), Some(cell)) => *cell = value,
                (Some(_), None) => self.blame(FaultKind::TooManyCells { needed: needed as u32 }, place),
                (Some(Err(kind)), _) => self.blame(kind, place),
                (None, _) => self.blame(FaultKind::foreign(&line.text[at..]), place),
            }
            self.found += 1;
        }
        let found = (self.found - before) as u32;
        if format.is_in_rows() && found as usize != side {
            let kind = FaultKind::WrongRow { row: self.rows as u8, found, needed: side as u8 };
            self.blame(kind, line.start);
        }
    }

    /// Sets the fault, unless there is an earlier one.
    fn blame(&mut self, kind: FaultKind, offset: usize) {
        self.fault.get_or_insert(Fault { kind, offset: offset as u32 });
    }

    pub(in crate::text) fn is_too_long(&self) -> bool {
        self.end - self.start > MAX_RECORD
    }

    /// Counts a band at the blank line behind it. Returns whether it was the last band, or a whole grid.
    pub(in crate::text) fn end_band(&mut self, shape: Shape) -> bool {
        self.bands += usize::from(self.rows_of_band > 0);
        self.rows_of_band = 0;
        self.bands == shape.box_columns() || (self.bands == 1 && self.rows >= shape.side())
    }

    /// Returns the cells of a whole record, or its fault.
    pub(in crate::text) fn cells(&self, shape: Shape) -> Result<&[u8], Fault> {
        let needed = shape.cells();
        let few = FaultKind::CellCount { found: self.found as u32, needed: needed as u32 };
        match self.fault {
            Some(fault) => Err(fault),
            None if self.found < needed => Err(Fault { kind: few, offset: self.end as u32 }),
            None => Ok(&self.cells[..needed]),
        }
    }

    /// Returns a fault of the record as a whole.
    pub(in crate::text) fn fault(&self, kind: FaultKind) -> Fault {
        Fault { kind, offset: self.start as u32 }
    }

    /// Returns the record as it goes into a batch.
    pub(in crate::text) fn record(&self, fault: Option<Fault>) -> Record {
        let (lead, echo) =
            if fault.is_none() { (self.lead, SourceEcho::Puzzle) } else { (0, SourceEcho::Field) };
        let (start, len) = (self.start as u32, (self.end - self.start) as u32);
        Record { start, len, lead: lead as u16, echo, fault }
    }
}
