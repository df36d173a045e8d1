//! Text → puzzles → bytes for a reader within the program: the stage of commands about whole
//! collections.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Refuted, Status};

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{Tally, Totals};
use crate::text::{Batch, Cut, Format, PuzzleText};

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

/// Encodes batches as bytes. Each worker has one.
pub trait BatchEncoder<P: PuzzleText = Puzzle>: Send {
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
pub struct Encode<'a, P: PuzzleText = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes an encoder, once for each worker.
    pub encoder: Box<dyn Fn() -> Box<dyn BatchEncoder<P>> + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleText> Stage for Encode<'_, P> {
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
        Box::new(EncodeProcessor { stage: self, stop, encoder, batch, statuses: Vec::new(), tally })
    }
}

struct EncodeProcessor<'a, P: PuzzleText> {
    stage: &'a Encode<'a, P>,
    stop: &'a AtomicBool,
    encoder: Box<dyn BatchEncoder<P>>,
    batch: Batch<P>,
    statuses: Vec<Status>,
    tally: Tally,
}

impl<P: PuzzleText> ChunkProcessor for EncodeProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
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
        self.statuses.resize(puzzles, Status::Solved);
        let diagnostics = self.stage.diagnostics;
        output.report_on_searched(&chunk.text, &self.batch, &self.statuses, &mut self.tally, diagnostics);
        output.invalid = encoded
            .err()
            .map(|it| InvalidSolution::in_batch(it.engine, &self.batch, it.puzzle, &output.report));
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
