//! Rows of solutions: `record,solution`, and perhaps `changes`.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::pipeline::RowSink;
use crate::text::PuzzleText;

/// Bytes of rows at which they are handed over to the writer. A worker that is ahead of the chunk being written holds
/// three times as many, and then waits.
const PART: usize = 1024 * 1024;

/// Bytes of rows at which the clock is read, and the time after which they are handed over at once.
const STEP: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_millis(100);

/// Writes a row for each solution, those of a record one after another.
pub(super) struct SolutionRows<'a, 's> {
    sink: &'a mut RowSink<'s>,
    changes: bool,
    /// Bytes of rows at which the clock is read next, and when rows were handed over last.
    look: usize,
    handed_over: Instant,
    /// The record of the last row, how its rows begin, and its first solution.
    record: u64,
    lead: Vec<u8>,
    first: Vec<u8>,
}

impl<'a, 's> SolutionRows<'a, 's> {
    pub(super) fn new(sink: &'a mut RowSink<'s>, changes: bool) -> SolutionRows<'a, 's> {
        SolutionRows {
            sink,
            changes,
            look: STEP,
            handed_over: Instant::now(),
            record: 0,
            lead: Vec::new(),
            first: Vec::new(),
        }
    }

    /// Adds a row. Breaks off if nobody takes the rows any more.
    pub(super) fn add<P: PuzzleText>(&mut self, record: u64, puzzle: &P, digits: &[u8]) -> ControlFlow<()> {
        if self.record != record {
            self.begin(record, digits);
        }
        let rows = &mut self.sink.output.value;
        rows.extend_from_slice(&self.lead);
        puzzle.write_cells(digits, rows);
        if self.changes {
            rows.push(b',');
            puzzle.write_cells(&changes(&self.first, digits), rows);
        }
        rows.push(b'\n');
        if rows.len() < self.look { ControlFlow::Continue(()) } else { self.hand_over() }
    }

    /// Hands rows over to the writer if they are many, or late. Breaks off if nobody takes them any more.
    #[cold]
    fn hand_over(&mut self) -> ControlFlow<()> {
        let held = self.sink.output.value.len();
        if held < PART && self.handed_over.elapsed() < PATIENCE {
            self.look = held + STEP;
            return ControlFlow::Continue(());
        }
        let is_taken = self.sink.flush_part();
        (self.look, self.handed_over) = (STEP, Instant::now());
        if is_taken { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
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
