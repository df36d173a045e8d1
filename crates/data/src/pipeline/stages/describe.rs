//! Text → puzzles → a text for each record: the stage of `explain` and `hint`.

use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::Status;

use crate::pipeline::{Chunk, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{Tally, Totals};
use crate::text::{Batch, Cut, Format, PuzzleText, Record};

/// Bytes of text that are handed over before their chunk is done: a record may have much.
const PART_BYTES: usize = 4 << 20;

/// Describes records at length, one by one. Each worker has one.
pub trait Describer<P: PuzzleText>: Send {
    /// Appends the description of a record; `None` if `stop` became true meanwhile.
    fn describe(
        &mut self,
        record: &NumberedRecord<'_, P>,
        stop: &AtomicBool,
        out: &mut Vec<u8>,
    ) -> Option<Description>;
}

/// A record of a chunk, with its puzzle if it could be read.
#[derive(Debug)]
pub struct NumberedRecord<'a, P> {
    /// Its number, from 1.
    pub number: u64,
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// Where it is in there, and what was wrong.
    pub record: &'a Record,
    /// Its puzzle.
    pub puzzle: Option<&'a P>,
}

/// The result of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Description {
    /// The status of the record.
    pub status: Status,
    /// Whether a record of that status could not be described as was wanted.
    pub is_lacking: bool,
    /// The name of what was at work, if its answer breaks the rules.
    pub refuted: Option<&'static str>,
}

/// The stage that describes every record.
pub struct Describe<'a, P: PuzzleText> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes a describer, once for each worker.
    pub describer: Box<dyn Fn() -> Box<dyn Describer<P> + 'a> + Sync + 'a>,
    /// Whether the observer wants diagnostics.
    pub diagnostics: bool,
}

impl<P: PuzzleText> Stage for Describe<'_, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        ChunkSizing::SINGLES
    }

    /// Appends nothing: descriptions are no table.
    fn header(&self, _: &mut Vec<u8>) {}

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (describer, batch, tally) = ((self.describer)(), Batch::default(), Tally::default());
        Box::new(DescribeProcessor { stage: self, describer, batch, tally, stop })
    }
}

struct DescribeProcessor<'a, 'd, P: PuzzleText> {
    stage: &'a Describe<'d, P>,
    describer: Box<dyn Describer<P> + 'd>,
    batch: Batch<P>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleText> ChunkProcessor for DescribeProcessor<'_, '_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let described = self.describe(&chunk.text, rows);
        let read = described.iter().zip(self.batch.iter()).filter(|(_, (_, read))| read.is_some());
        let statuses: Vec<Status> = read.map(|(description, _)| description.status).collect();
        self.batch.records.truncate(described.len());
        self.batch.puzzles.truncate(statuses.len());
        let diagnostics = self.stage.diagnostics;
        rows.output.report_on_searched(&chunk.text, &self.batch, &statuses, &mut self.tally, diagnostics);
        rows.output.report.failed +=
            described.iter().filter(|it| it.is_lacking && it.status.is_readable()).count() as u64;
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<P: PuzzleText> DescribeProcessor<'_, '_, P> {
    /// Describes the records of the batch, as far as the run is not stopped, and says so in the output.
    fn describe(&mut self, chunk: &[u8], rows: &mut RowSink<'_>) -> Vec<Description> {
        let before = rows.earlier_records + rows.output.report.before.records;
        let mut described = Vec::with_capacity(self.batch.records.len());
        for (number, (record, read)) in (before + 1..).zip(self.batch.iter()) {
            let is_gone = rows.output.value.len() >= PART_BYTES && !rows.flush_part();
            let whole = rows.output.value.len();
            let record = NumberedRecord { number, chunk, record, puzzle: read.map(|(_, puzzle)| puzzle) };
            let description = match is_gone {
                true => None,
                false => self.describer.describe(&record, self.stop, &mut rows.output.value),
            };
            let Some(description) = description else {
                rows.output.value.truncate(whole);
                rows.output.cut_short = true;
                break;
            };
            if let (Some(engine), Some(puzzle)) = (description.refuted, record.puzzle) {
                let in_file = number - rows.earlier_records;
                rows.output.invalid = Some(InvalidSolution::new(engine, in_file, puzzle));
            }
            described.push(description);
        }
        described
    }
}
