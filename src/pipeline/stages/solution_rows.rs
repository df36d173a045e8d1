//! Rows of solutions: `record,solution`, and perhaps `changes`.

use std::ops::ControlFlow;

use crate::pipeline::RowSink;
use crate::record::PuzzleLike;

/// Bytes of rows at which they are handed over to the writer.
const PART: usize = 64 * 1024;

/// Writes a row for each solution, those of a record one after another.
pub(super) struct SolutionRows<'a, 's> {
    sink: &'a mut RowSink<'s>,
    changes: bool,
    /// The record of the last row, how its rows begin, and its first solution.
    record: u64,
    lead: Vec<u8>,
    first: Vec<u8>,
}

impl<'a, 's> SolutionRows<'a, 's> {
    pub(super) fn new(sink: &'a mut RowSink<'s>, changes: bool) -> SolutionRows<'a, 's> {
        SolutionRows { sink, changes, record: 0, lead: Vec::new(), first: Vec::new() }
    }

    /// Adds a row. Breaks off if nobody takes the rows any more.
    pub(super) fn add<P: PuzzleLike>(&mut self, record: u64, puzzle: &P, digits: &[u8]) -> ControlFlow<()> {
        if self.record != record {
            self.begin(record, digits);
        }
        let rows = &mut self.sink.output.rows;
        rows.extend_from_slice(&self.lead);
        puzzle.write_cells(digits, rows);
        if self.changes {
            rows.push(b',');
            puzzle.write_cells(&changes(&self.first, digits), rows);
        }
        rows.push(b'\n');
        if rows.len() < PART || self.sink.flush_part() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Begins the rows of another record, numbered in its file.
    fn begin(&mut self, record: u64, first: &[u8]) {
        self.record = record;
        self.lead.clear();
        let number = self.sink.earlier_records + record;
        self.lead.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.lead.push(b',');
        self.first.clear();
        self.first.extend_from_slice(first);
    }
}

/// Returns the cells of a solution that differ from the first one, and blanks in place of the others.
fn changes(first: &[u8], digits: &[u8]) -> Vec<u8> {
    first.iter().zip(digits).map(|(before, &now)| if *before == now { 0 } else { now }).collect()
}
