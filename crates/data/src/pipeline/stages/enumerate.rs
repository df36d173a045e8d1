//! Text → puzzles → a row for every solution: the stage of `enumerate`.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Refuted, Status};
use gridmill_core::solver::{Lister, Outcome, SearchEnd, Searched, SolutionLimit};

use super::solution_rows::SolutionRows;
use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, RowSink, Stage};
use crate::record::{Tally, Totals};
use crate::text::{Batch, Cut, Format, PuzzleText};

/// The stage that writes a row for every solution of every puzzle: `record,solution`, records from 1, and perhaps
/// `changes`: the cells in which it differs from the first one.
pub struct Enumerate<'a, P: PuzzleText> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes what lists solutions, once for each worker.
    pub lister: Box<dyn Fn() -> Lister<P> + Sync + 'a>,
    /// The number of solutions that are listed of each puzzle, 0 for all of them.
    pub limit: u64,
    /// Whether rows have the column `changes`.
    pub changes: bool,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleText> Stage for Enumerate<'_, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,solution");
        out.extend_from_slice(if self.changes { b",changes\n" } else { b"\n" });
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (lister, batch, tally) = ((self.lister)(), Batch::default(), Tally::default());
        Box::new(EnumerateProcessor { stage: self, lister, batch, tally, stop })
    }
}

struct EnumerateProcessor<'a, P: PuzzleText> {
    stage: &'a Enumerate<'a, P>,
    lister: Lister<P>,
    batch: Batch<P>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleText> ChunkProcessor for EnumerateProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let (outcomes, invalid) = self.list(rows);
        // One solution says nothing about a second one.
        let limit = if self.stage.limit == 1 { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS };
        let statuses: Vec<Status> = self
            .batch
            .puzzles
            .iter()
            .zip(&outcomes)
            .map(|(puzzle, outcome)| Status::of(puzzle, outcome, limit))
            .collect();
        if let Some(puzzle) = invalid {
            rows.output.refute(Refuted { engine: self.lister.name(), puzzle }, &self.batch);
        }
        if let Some(stopped) = rows.output.cut_short.then(|| outcomes.len().saturating_sub(1)) {
            self.batch.truncate_before(stopped);
        }
        let diagnostics = self.stage.diagnostics;
        rows.output.report_on_searched(&chunk.text, &self.batch, &statuses, &mut self.tally, diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<P: PuzzleText> EnumerateProcessor<'_, P> {
    /// Writes the rows of the batch, and returns the outcome of each puzzle. Ends early, and says so in the output, if
    /// the run is stopped, if nobody takes the rows, or at an invalid solution, whose puzzle is the second value.
    fn list(&mut self, sink: &mut RowSink<'_>) -> (Vec<Outcome<P::Solution>>, Option<usize>) {
        let before = sink.output.report.before.records;
        let places = self.batch.records.iter().enumerate().filter(|(_, record)| record.fault.is_none());
        let records: Vec<u64> = places.map(|(place, _)| before + place as u64 + 1).collect();
        let puzzles = &self.batch.puzzles;
        let mut rows = SolutionRows::new(sink, self.stage.changes);
        let mut invalid = None;
        let searched = self.lister.list(puzzles, self.stage.limit, self.stop, &mut |index, digits| {
            let puzzle = &puzzles[index];
            if !puzzle.full_grid(digits).is_some_and(|grid| puzzle.is_solution(&grid)) {
                invalid = Some(index);
                return ControlFlow::Break(());
            }
            rows.add(records[index], puzzle, digits)
        });
        sink.output.cut_short = searched.last().is_some_and(|last| last.end == SearchEnd::Stopped);
        let outcome = |searched: Searched| Outcome {
            solutions: searched.solutions,
            guesses: searched.guesses,
            ..Outcome::NONE
        };
        (searched.into_iter().map(outcome).collect(), invalid)
    }
}
