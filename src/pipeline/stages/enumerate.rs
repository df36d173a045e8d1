//! Text → puzzles → a row for every solution: the stage of `enumerate`.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::grid::rules;
use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{ChunkOutcomes, Status, Tally, Totals};
use crate::solver::{Bounds, GridSolver, Outcome, SearchEnd, Searched, SolutionLimit};
use crate::text::{Batch, Cut, Format, GridPuzzle};

/// Bytes of rows at which they are handed over to the writer.
const PART: usize = 64 * 1024;

/// The stage that writes a row for every solution of every puzzle: `record,solution`, records from 1, and perhaps
/// `changes`: the cells in which it differs from the first one.
pub struct Enumerate<'a> {
    /// How the records are written.
    pub format: Box<dyn Format<GridPuzzle>>,
    /// Makes an engine, once for each worker.
    pub engine: Box<dyn Fn() -> Box<dyn GridSolver<GridPuzzle>> + Sync + 'a>,
    /// How many solutions of each puzzle are listed.
    pub bounds: Bounds,
    /// Whether rows have the column `changes`.
    pub changes: bool,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
}

impl Stage for Enumerate<'_> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        ChunkSizing::SINGLES
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,solution");
        out.extend_from_slice(if self.changes { b",changes\n" } else { b"\n" });
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (engine, batch, tally) = ((self.engine)(), Batch::default(), Tally::default());
        Box::new(EnumerateProcessor { stage: self, engine, batch, tally, stop })
    }
}

struct EnumerateProcessor<'a> {
    stage: &'a Enumerate<'a>,
    engine: Box<dyn GridSolver<GridPuzzle>>,
    batch: Batch<GridPuzzle>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl ChunkProcessor for EnumerateProcessor<'_> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let (mut outcomes, mut statuses) = (Vec::new(), Vec::new());
        let before = rows.output.report.before.records;
        let mut whole = self.batch.records.len();
        for (index, (_, read)) in self.batch.iter().enumerate() {
            let Some((_, puzzle)) = read else { continue };
            let record = before + index as u64 + 1;
            let (searched, is_valid) = list(puzzle, &mut *self.engine, record, self.stage, self.stop, rows);
            let (solutions, guesses) = (searched.solutions, searched.guesses);
            let outcome = Outcome { solutions, guesses, ..Outcome::NONE };
            statuses.push(Status::of(puzzle, &outcome, SolutionLimit::UNIQUENESS));
            outcomes.push(outcome);
            let invalid = || InvalidSolution::new(self.engine.name(), record, puzzle);
            rows.output.invalid = (!is_valid).then(invalid);
            if !is_valid || searched.end == SearchEnd::Stopped {
                rows.output.cut_short = true;
                whole = index;
                break;
            }
        }
        self.batch.records.truncate(whole);
        let outcomes = ChunkOutcomes {
            chunk: &chunk.text,
            batch: &self.batch,
            outcomes: &outcomes,
            statuses: &statuses,
        };
        rows.output.report_on(&outcomes, &mut self.tally, self.stage.diagnostics);
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}

/// Writes a row for each solution of a puzzle, and checks each. Ends early if a solution is invalid, which
/// the second value says, or if nobody takes the rows.
fn list(
    puzzle: &GridPuzzle,
    engine: &mut dyn GridSolver<GridPuzzle>,
    record: u64,
    stage: &Enumerate<'_>,
    stop: &AtomicBool,
    sink: &mut RowSink<'_>,
) -> (Searched, bool) {
    let shape = puzzle.grid.shape();
    let lead = format!("{},", sink.earlier_records + record);
    let (mut is_valid, mut first) = (true, Vec::new());
    let searched = engine.search_until(puzzle, &stage.bounds, stop, &mut |cells| {
        is_valid = rules::is_solution(shape, puzzle.grid.cells(), cells);
        if !is_valid {
            return ControlFlow::Break(());
        }
        let rows = &mut sink.output.rows;
        rows.extend_from_slice(lead.as_bytes());
        puzzle.alphabet.write_to(cells, rows);
        if stage.changes {
            rows.push(b',');
            puzzle.alphabet.write_to(&changes(&mut first, cells), rows);
        }
        rows.push(b'\n');
        if rows.len() < PART || sink.flush_part() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    (searched, is_valid)
}

/// Returns the cells of a solution that differ from the first one, and blanks in place of the others. Keeps the first
/// one itself.
fn changes(first: &mut Vec<u8>, cells: &[u8]) -> Vec<u8> {
    if first.is_empty() {
        first.extend_from_slice(cells);
    }
    first.iter().zip(cells).map(|(before, &now)| if *before == now { 0 } else { now }).collect()
}
