//! Text → classic puzzles → whatever bytes a clerk makes of them, for a reader within the program: the work of
//! commands about whole collections.

use std::sync::atomic::AtomicBool;

use super::solve::{read, wrong};
use super::stage::{ChunkProcessor, ChunkSizing, Output, Piece, Stage};
use crate::record::{Answers, Status, Tally};
use crate::solver::Outcome;
use crate::text::{Batch, Cut, Format};

/// What makes bytes of a batch. Each worker has one.
pub trait BatchEncoder: Send {
    /// Appends what is to be known of a chunk. All of it is handed to the output at once.
    ///
    /// # Errors
    ///
    /// The first puzzle for which an engine gave a grid that is no solution, and the engine.
    fn note(&mut self, chunk: &[u8], batch: &Batch, out: &mut Vec<u8>) -> Result<(), (usize, &'static str)>;
}

/// Every batch in the hands of a clerk.
pub struct Batches<'a, C> {
    /// How the records are written.
    pub format: &'a dyn Format,
    /// Makes a clerk, once for each worker.
    pub make: &'a (dyn Fn() -> C + Sync),
    /// Will the observer tell what is wrong with single records?
    pub diagnostics: bool,
}

impl<C: BatchEncoder> Stage for Batches<'_, C> {
    fn cut(&self) -> &dyn Cut {
        self.format
    }

    fn grain(&self) -> ChunkSizing {
        ChunkSizing::BATCHES
    }

    fn header(&self, _: &mut Vec<u8>) {}

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn begin<'a>(&'a self, _: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (clerk, batch, tally) = ((self.make)(), Batch::default(), Tally::default());
        Box::new(Noting { plan: self, clerk, batch, outcomes: Vec::new(), statuses: Vec::new(), tally })
    }
}

struct Noting<'a, C> {
    plan: &'a Batches<'a, C>,
    clerk: C,
    batch: Batch,
    outcomes: Vec<Outcome>,
    statuses: Vec<Status>,
    tally: Tally,
}

impl<C: BatchEncoder> ChunkProcessor for Noting<'_, C> {
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>) {
        let done = &mut *output.done;
        read(self.plan.format, piece, &mut self.batch);
        let noted = self.clerk.note(piece.text, &self.batch, &mut done.rows);
        // What has been read is all that is said of a puzzle here.
        let puzzles = self.batch.puzzles.len();
        self.outcomes.resize(puzzles, Outcome::NONE);
        self.statuses.resize(puzzles, Status::Solved);
        let answers = Answers {
            chunk: piece.text,
            batch: &self.batch,
            outcomes: &self.outcomes,
            statuses: &self.statuses,
        };
        answers.iter().for_each(|answer| self.tally.add(&answer));
        done.report.fill(&answers, self.plan.diagnostics);
        done.cut_short = false;
        done.wrong = noted.err().and_then(|(puzzle, engine)| {
            let record = self.batch.record_of(puzzle)? as u64;
            Some(wrong(engine, record, &self.batch.puzzles[puzzle]))
        });
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}
