//! Text → puzzles → outcomes → rows: the stage of `solve` and `count`.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::{Outcome, SolutionLimit, Solver};

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{ChunkOutcomes, PuzzleLike, RowFormat, Status, Tally, Totals};
use crate::text::{Batch, Cut, Format};

/// The stage that searches every puzzle, classic or of any shape, and writes a row for every record.
pub struct Solve<'a, P: PuzzleLike = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes an engine, once for each worker.
    pub engine: Box<dyn Fn() -> Box<dyn Solver<P>> + Sync + 'a>,
    /// At how many solutions a search stops.
    pub limit: SolutionLimit,
    /// How the rows are written.
    pub rows: Box<dyn RowFormat<P>>,
    /// Whether the observer wants diagnostics. They are made only then.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleLike> Stage for Solve<'_, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn header(&self, out: &mut Vec<u8>) {
        self.rows.header(out);
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(SolveProcessor {
            stage: self,
            engine: (self.engine)(),
            batch: Batch::default(),
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally: Tally::default(),
            stop,
        })
    }
}

/// A worker's engine, and the memory that it uses again from chunk to chunk.
struct SolveProcessor<'a, P: PuzzleLike> {
    stage: &'a Solve<'a, P>,
    engine: Box<dyn Solver<P>>,
    batch: Batch<P>,
    outcomes: Vec<Outcome<P::Solution>>,
    statuses: Vec<Status>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleLike> ChunkProcessor for SolveProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        rows.output.cut_short = !self.search();
        let invalid = self.check();
        let outcomes = ChunkOutcomes {
            place: rows.place(),
            chunk: &chunk.text,
            batch: &self.batch,
            outcomes: &self.outcomes,
            statuses: &self.statuses,
        };
        self.stage.rows.rows(&outcomes, &mut rows.output.rows);
        rows.output.report_on(&outcomes, &mut self.tally, self.stage.diagnostics);
        rows.output.invalid = invalid.map(|puzzle| {
            InvalidSolution::in_batch(self.engine.name(), &self.batch, puzzle, &rows.output.report)
        });
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<P: PuzzleLike> SolveProcessor<'_, P> {
    /// Searches the batch. If the run is stopped meanwhile, cuts the batch behind the last searched puzzle
    /// and returns false.
    fn search(&mut self) -> bool {
        let all = self.batch.puzzles.len();
        self.outcomes.resize(all, Outcome::NONE);
        let searched =
            self.engine.solve_until(&self.batch.puzzles, self.stage.limit, &mut self.outcomes, self.stop);
        if searched < all {
            self.batch.truncate_before(searched);
            self.outcomes.truncate(searched);
        }
        searched == all
    }

    /// Sets the status of every puzzle, and checks every solution, if solutions are kept. Returns the first
    /// puzzle with an invalid solution.
    fn check(&mut self) -> Option<usize> {
        self.statuses.clear();
        let has_solutions = !self.engine.only_counts();
        let mut invalid = None;
        for (index, (puzzle, outcome)) in self.batch.puzzles.iter().zip(&self.outcomes).enumerate() {
            if has_solutions && !puzzle.agrees(outcome) {
                invalid = invalid.or(Some(index));
            }
            self.statuses.push(Status::of(puzzle, outcome, self.stage.limit));
        }
        invalid
    }
}
