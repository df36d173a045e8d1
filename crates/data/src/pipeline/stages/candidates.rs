//! Text → puzzles → true candidates → rows: the stage of `candidates`.

use std::sync::atomic::AtomicBool;

use gridmill_core::solver::{
    GridSolver, Narrowable, Outcome, SolutionLimit, TrueCandidates, true_candidates,
};

use crate::output::{CandidateRecord, CandidateRows};
use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, RowSink, Stage};
use crate::record::{ChunkOutcomes, PuzzleLike, Status, Tally, Totals};
use crate::text::{Batch, Cut, Format};

/// The stage that finds the true candidates of every puzzle.
pub struct Candidates<P: PuzzleLike> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes an engine, once for each worker.
    pub engine: fn() -> Box<dyn GridSolver<P>>,
    /// Up to how many solutions of each candidate are counted, at least 1.
    pub cap: u64,
    /// How the candidates are written.
    pub rows: CandidateRows,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
}

impl<P: PuzzleLike + Narrowable> Stage for Candidates<P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        ChunkSizing::SINGLES
    }

    fn header(&self, out: &mut Vec<u8>) {
        self.rows.header(out);
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (engine, batch, tally) = ((self.engine)(), Batch::default(), Tally::default());
        Box::new(CandidatesProcessor { stage: self, engine, batch, tally, stop })
    }
}

struct CandidatesProcessor<'a, P: PuzzleLike> {
    stage: &'a Candidates<P>,
    engine: Box<dyn GridSolver<P>>,
    batch: Batch<P>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleLike + Narrowable> ChunkProcessor for CandidatesProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let (mut outcomes, mut statuses) = (Vec::new(), Vec::new());
        let before = rows.earlier_records + rows.output.report.before.records;
        let mut whole = self.batch.records.len();
        for (index, (record, read)) in self.batch.iter().enumerate() {
            let mut found = None;
            if let Some((_, puzzle)) = read {
                found = true_candidates(puzzle, self.stage.cap, &mut *self.engine, self.stop);
                if found.is_none() {
                    whole = index;
                    rows.output.cut_short = true;
                    break;
                }
            }
            let found = read.map(|(_, puzzle)| puzzle).zip(found.as_ref());
            let mut status = Status::Malformed;
            if let Some((puzzle, found)) = found {
                let outcome = outcome(found);
                status = Status::of(puzzle, &outcome, SolutionLimit::UNIQUENESS);
                statuses.push(status);
                outcomes.push(outcome);
            }
            let (number, text) = (before + index as u64 + 1, record.text(&chunk.text));
            let record = CandidateRecord { number, text, record, status, found };
            self.stage.rows.rows(&record, &mut rows.output.rows);
        }
        self.batch.records.truncate(whole);
        let batch = &self.batch;
        let outcomes = ChunkOutcomes {
            place: rows.place(),
            chunk: &chunk.text,
            batch,
            outcomes: &outcomes,
            statuses: &statuses,
        };
        rows.output.report_on(&outcomes, &mut self.tally, self.stage.diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

/// Returns what is known of the solutions: none, one or several.
fn outcome<S>(found: &TrueCandidates) -> Outcome<S> {
    let solutions = match (found.has_solution(), found.is_unique()) {
        (false, _) => 0,
        (_, true) => 1,
        _ => 2,
    };
    Outcome { solutions, ..Outcome::NONE }
}
