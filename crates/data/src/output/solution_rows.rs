//! A row for each solution.

use gridmill_core::jobs::Value;

use crate::record::{AnsweredRecords, Sink};
use crate::text::PuzzleText;

/// Rows of solutions: `record,solution`, and perhaps `changes`. For the answers of
/// [`Enumerate`](gridmill_core::jobs::Enumerate). Records count from 1 over all files.
#[derive(Clone, Copy, Debug)]
pub struct SolutionRows {
    /// Whether the job has the column `changes`.
    pub changes: bool,
}

impl<P: PuzzleText> Sink<P> for SolutionRows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,solution");
        out.extend_from_slice(if self.changes { b",changes\n" } else { b"\n" });
    }

    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (number, _, answered) in records.iter() {
            let Some((puzzle, answer)) = answered else { continue };
            let Value::Grids(solutions) = records.answers.value(0, answer) else { continue };
            let cells = puzzle.cells().len();
            let mut changes = match self.changes.then(|| records.answers.value(1, answer)) {
                Some(Value::Grids(changes)) => changes.chunks(cells),
                _ => [].chunks(cells),
            };
            let mut buffer = itoa::Buffer::new();
            let record = buffer.format(records.earlier_records + number).as_bytes();
            for solution in solutions.chunks(cells) {
                out.extend_from_slice(record);
                out.push(b',');
                puzzle.write_cells(solution, out);
                if let Some(changes) = changes.next() {
                    out.push(b',');
                    puzzle.write_cells(changes, out);
                }
                out.push(b'\n');
            }
        }
    }
}
