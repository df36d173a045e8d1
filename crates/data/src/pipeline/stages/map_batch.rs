//! Text → puzzles → a value for each chunk: the stage of commands about whole collections, e.g. the keys of puzzles.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Refuted, Status};

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSink, ChunkSizing, ChunkValue, Stage};
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

/// Makes values of batches. Each worker has one.
pub trait BatchMapper<P: PuzzleText, V>: Send {
    /// Adds the records of a chunk to its value, which is empty. `Break` says that the chunk was given up because the run is
    /// stopped: its value is dropped then, and the chunk before it is the last one.
    ///
    /// # Errors
    ///
    /// Where an engine gave an invalid solution.
    fn map(&mut self, chunk: &ReadChunk<'_, P>, value: &mut V) -> Result<ControlFlow<()>, Refuted>;
}

/// The stage that makes a value of every batch.
pub struct MapBatch<'a, P: PuzzleText, V> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes a mapper, once for each worker.
    pub mapper: Box<dyn Fn() -> Box<dyn BatchMapper<P, V>> + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleText, V: ChunkValue> Stage<V> for MapBatch<'_, P, V> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor<V> + 'a> {
        let (mapper, batch, tally) = ((self.mapper)(), Batch::default(), Tally::default());
        Box::new(MapProcessor { stage: self, stop, mapper, batch, tally })
    }
}

struct MapProcessor<'a, P: PuzzleText, V> {
    stage: &'a MapBatch<'a, P, V>,
    stop: &'a AtomicBool,
    mapper: Box<dyn BatchMapper<P, V>>,
    batch: Batch<P>,
    tally: Tally,
}

impl<P: PuzzleText, V: ChunkValue> ChunkProcessor<V> for MapProcessor<'_, P, V> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut ChunkSink<'_, V>) {
        let output = &mut *rows.output;
        let (text, lines_before) = (&*chunk.text, output.report.before.lines);
        let read = ReadChunk { text, batch: &self.batch, lines_before, stop: self.stop };
        match self.mapper.map(&read, &mut output.value) {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => {
                output.value.clear();
                output.cut_short = true;
                self.batch.clear();
            }
            Err(refuted) => output.refute(refuted, &self.batch),
        }
        // Puzzles have no status here. The report says which records could not be read.
        let statuses = (&[][..], Status::INFOS);
        output.report_on(&chunk.text, &self.batch, statuses, &mut self.tally, self.stage.diagnostics);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}
