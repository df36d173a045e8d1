//! Text → classic puzzles → bytes for a reader within the program: the stage of commands about whole
//! collections.

use std::sync::atomic::AtomicBool;

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{ChunkOutcomes, Status, Tally, Totals};
use crate::solver::Outcome;
use crate::text::{Batch, Cut, Format};

/// Encodes batches as bytes. Each worker has one.
pub trait BatchEncoder: Send {
    /// Appends the bytes for a chunk with `lines_before` lines in front of it. All of them reach the output
    /// at once.
    ///
    /// # Errors
    ///
    /// The first puzzle for which an engine gave an invalid solution, and the engine.
    fn encode(
        &mut self,
        chunk: &[u8],
        batch: &Batch,
        lines_before: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), (usize, &'static str)>;
}

/// The stage that encodes every batch.
pub struct Encode<'a, E> {
    /// How the records are written.
    pub format: Box<dyn Format>,
    /// Makes an encoder, once for each worker.
    pub encoder: &'a (dyn Fn() -> E + Sync),
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
}

impl<E: BatchEncoder> Stage for Encode<'_, E> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        ChunkSizing::BATCHES
    }

    fn header(&self, _: &mut Vec<u8>) {}

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn processor<'a>(&'a self, _: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (encoder, batch, tally) = ((self.encoder)(), Batch::default(), Tally::default());
        Box::new(EncodeProcessor {
            stage: self,
            encoder,
            batch,
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally,
        })
    }
}

struct EncodeProcessor<'a, E> {
    stage: &'a Encode<'a, E>,
    encoder: E,
    batch: Batch,
    outcomes: Vec<Outcome>,
    statuses: Vec<Status>,
    tally: Tally,
}

impl<E: BatchEncoder> ChunkProcessor for EncodeProcessor<'_, E> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let output = &mut *rows.output;
        let lines_before = output.report.before.lines;
        let encoded = self.encoder.encode(&chunk.text, &self.batch, lines_before, &mut output.rows);
        // The report says of a puzzle only that it could be read.
        let puzzles = self.batch.puzzles.len();
        self.outcomes.resize(puzzles, Outcome::NONE);
        self.statuses.resize(puzzles, Status::Solved);
        let outcomes = ChunkOutcomes {
            chunk: &chunk.text,
            batch: &self.batch,
            outcomes: &self.outcomes,
            statuses: &self.statuses,
        };
        outcomes.iter().for_each(|record| self.tally.add(&record));
        output.report.fill(&outcomes, self.stage.diagnostics);
        output.invalid = encoded
            .err()
            .map(|(puzzle, engine)| InvalidSolution::in_batch(engine, &self.batch, puzzle, &output.report));
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}
