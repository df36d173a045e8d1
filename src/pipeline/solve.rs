//! Text → puzzles → outcomes → rows, one for each record: the work of `solve` and `count`.

use std::sync::atomic::AtomicBool;

use super::stage::{ChunkProcessor, ChunkSizing, InvalidSolution, Output, Piece, Stage};
use crate::grid::Puzzle;
use crate::record::{Answers, Finding, PuzzleLike, RowFormat, Status, Tally};
use crate::solver::SolutionLimit;
use crate::text::{Batch, Cut, Format};

/// What searches the puzzles of a chunk: an engine for batches, or one that takes them one by one. One value
/// serves one worker, from chunk to chunk.
pub trait Search<P: PuzzleLike = Puzzle>: Send {
    /// The name of the engine.
    fn name(&self) -> &'static str;

    /// Searches `puzzles[i]` into `outcomes[i]`, and returns how many were searched: all of them, unless
    /// `stop` became true.
    fn search(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [P::Outcome],
        stop: &AtomicBool,
    ) -> usize;
}

/// Every puzzle searched, and a row for every record: classic puzzles, or ones of any shape.
pub struct Solve<'a, P: PuzzleLike = Puzzle> {
    /// How the records are written.
    pub format: &'a dyn Format<P>,
    /// Makes an engine, once for each worker.
    pub engine: &'a (dyn Fn() -> Box<dyn Search<P>> + Sync),
    /// At how many solutions a search stops.
    pub limit: SolutionLimit,
    /// How the rows are written.
    pub rows: &'a dyn RowFormat<P>,
    /// Will the observer tell what is wrong with single records? Where it won't, that is not looked up.
    pub diagnostics: bool,
    /// How the input is cut.
    pub grain: ChunkSizing,
}

impl<P: PuzzleLike> Stage for Solve<'_, P> {
    fn cut(&self) -> &dyn Cut {
        self.format
    }

    fn grain(&self) -> ChunkSizing {
        self.grain
    }

    fn header(&self, out: &mut Vec<u8>) {
        self.rows.header(out);
    }

    fn begin<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(Solving {
            plan: self,
            engine: (self.engine)(),
            batch: Batch::default(),
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally: Tally::default(),
            stop,
        })
    }
}

/// A worker's engine, with everything else that it uses again from chunk to chunk.
struct Solving<'a, P: PuzzleLike> {
    plan: &'a Solve<'a, P>,
    engine: Box<dyn Search<P>>,
    batch: Batch<P>,
    outcomes: Vec<P::Outcome>,
    statuses: Vec<Status>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleLike> ChunkProcessor for Solving<'_, P> {
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>) {
        read(self.plan.format, piece, &mut self.batch);
        output.done.cut_short = !self.search();
        let wrong = self.judge();
        let answers = Answers {
            chunk: piece.text,
            batch: &self.batch,
            outcomes: &self.outcomes,
            statuses: &self.statuses,
        };
        self.plan.rows.rows(&answers, &mut output.done.rows);
        answers.iter().for_each(|answer| self.tally.add(&answer));
        output.done.report.fill(&answers, self.plan.diagnostics);
        output.done.wrong = wrong.and_then(|wrong| self.locate(wrong));
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}

impl<P: PuzzleLike> Solving<'_, P> {
    /// Searches the batch. If the run is stopped meanwhile, the batch loses what has not been searched by
    /// then, and false comes back.
    fn search(&mut self) -> bool {
        let all = self.batch.puzzles.len();
        self.outcomes.resize(all, P::Outcome::NONE);
        let searched =
            self.engine.search(&self.batch.puzzles, self.plan.limit, &mut self.outcomes, self.stop);
        if searched < all {
            keep_searched(&mut self.batch, searched);
            self.outcomes.truncate(searched);
        }
        searched == all
    }

    /// Gives every puzzle its status, and checks every solution. Returns the first puzzle that has a
    /// wrong one.
    fn judge(&mut self) -> Option<usize> {
        self.statuses.clear();
        let mut wrong = None;
        for (index, (puzzle, outcome)) in self.batch.puzzles.iter().zip(&self.outcomes).enumerate() {
            if !puzzle.agrees(outcome) {
                wrong = wrong.or(Some(index));
            }
            self.statuses.push(Status::of(puzzle, outcome, self.plan.limit));
        }
        wrong
    }

    fn locate(&self, puzzle: usize) -> Option<InvalidSolution> {
        let record = self.batch.record_of(puzzle)? as u64;
        Some(wrong(self.engine.name(), record, &self.batch.puzzles[puzzle]))
    }
}

/// Reads the records of a piece into a batch.
pub(super) fn read<P>(format: &dyn Format<P>, piece: Piece<'_>, batch: &mut Batch<P>) {
    batch.clear();
    if piece.too_long {
        format.read_too_long(piece.text, batch);
    } else {
        format.read(piece.text, batch);
    }
}

/// Takes away the first puzzle of a batch that has not been searched, and all records from there on.
pub(super) fn keep_searched<P>(batch: &mut Batch<P>, searched: usize) {
    let record = batch.record_of(searched).unwrap_or_default();
    batch.records.truncate(record);
    batch.puzzles.truncate(searched);
}

pub(super) fn wrong(engine: &'static str, record: u64, puzzle: &impl PuzzleLike) -> InvalidSolution {
    let mut text = Vec::new();
    puzzle.write(&mut text);
    InvalidSolution { engine, record, puzzle: String::from_utf8_lossy(&text).into_owned() }
}
