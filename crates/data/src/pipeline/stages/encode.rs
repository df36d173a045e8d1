//! Text → puzzles → bytes for a reader within the program: the stage of commands about whole
//! collections.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::Outcome;

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{ChunkOutcomes, PuzzleLike, Status, Tally, Totals};
use crate::text::{Batch, Cut, Format};

/// A chunk whose records have been read.
#[derive(Debug)]
pub struct ReadChunk<'a, P = Puzzle> {
    /// Its text.
    pub text: &'a [u8],
    /// Its records and puzzles.
    pub batch: &'a Batch<P>,
    /// The lines in front of it.
    pub lines_before: u64,
    /// Becomes true when the run is stopped: what takes long is given up then.
    pub stop: &'a AtomicBool,
}

/// The first puzzle of a batch for which an engine gave a grid that is no solution, and the engine.
pub type Refuted = (usize, &'static str);

/// Encodes batches as bytes. Each worker has one.
pub trait BatchEncoder<P: PuzzleLike = Puzzle>: Send {
    /// Appends the bytes for a chunk. All of them reach the output at once.
    ///
    /// # Errors
    ///
    /// Where an engine gave an invalid solution.
    fn encode(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<(), Refuted>;

    /// Returns whether the last chunk was given up because the run was stopped. Its bytes are dropped then, and the
    /// chunk before it is the last one.
    fn has_given_up(&self) -> bool {
        false
    }
}

/// The stage that encodes every batch.
pub struct Encode<'a, P: PuzzleLike = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes an encoder, once for each worker.
    pub encoder: Box<dyn Fn() -> Box<dyn BatchEncoder<P>> + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleLike> Stage for Encode<'_, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn header(&self, _: &mut Vec<u8>) {}

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (encoder, batch, tally) = ((self.encoder)(), Batch::default(), Tally::default());
        Box::new(EncodeProcessor {
            stage: self,
            stop,
            encoder,
            batch,
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally,
        })
    }
}

struct EncodeProcessor<'a, P: PuzzleLike> {
    stage: &'a Encode<'a, P>,
    stop: &'a AtomicBool,
    encoder: Box<dyn BatchEncoder<P>>,
    batch: Batch<P>,
    outcomes: Vec<Outcome<P::Solution>>,
    statuses: Vec<Status>,
    tally: Tally,
}

impl<P: PuzzleLike> ChunkProcessor for EncodeProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let place = rows.place();
        let output = &mut *rows.output;
        let (text, lines_before) = (&*chunk.text, output.report.before.lines);
        let read = ReadChunk { text, batch: &self.batch, lines_before, stop: self.stop };
        let encoded = self.encoder.encode(&read, &mut output.rows);
        if self.encoder.has_given_up() {
            output.rows.clear();
            output.cut_short = true;
            self.batch.records.clear();
            self.batch.puzzles.clear();
        }
        // The report says of a puzzle only that it could be read.
        let puzzles = self.batch.puzzles.len();
        self.outcomes.resize(puzzles, Outcome::NONE);
        self.statuses.resize(puzzles, Status::Solved);
        let outcomes = ChunkOutcomes {
            place,
            chunk: &chunk.text,
            batch: &self.batch,
            outcomes: &self.outcomes,
            statuses: &self.statuses,
        };
        output.report_on(&outcomes, &mut self.tally, self.stage.diagnostics);
        output.invalid = encoded
            .err()
            .map(|(puzzle, engine)| InvalidSolution::in_batch(engine, &self.batch, puzzle, &output.report));
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
