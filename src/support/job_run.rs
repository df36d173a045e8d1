//! The run of a job over the puzzles of some files: a row for each record, a summary, an exit code. And the stages of runs, made
//! for the kind of puzzles of a file: also those of commands about whole collections, which take the keys of records, or their
//! text.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::jobs::{Answers, CanonicalKey, Job, Keys, Refuted, Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, RowOutput, Rows};
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, ChunkValue, JobStage, MapBatch, ReadChunk, Stage};
use gridmill_data::record::{Places, Sink, Tally};
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText, lines_of};

use super::command_error::same_output;
use super::compare::SameArgs;
use super::inputs::{InputArgs, InputSet};
use super::outputs::finish_rows;
use super::parts::{PartArgs, broken_off};
use super::rows::RowsChoice;
use super::summary::{report_run, report_search};
use crate::cli::{End, Given};

/// The arguments about the files of a command.
pub(crate) struct JobArgs<'a> {
    pub(crate) input: &'a InputArgs,
    /// Those about shards and continued runs, if it has any.
    pub(crate) parts: Option<&'a PartArgs>,
    /// How the user chose that rows are written, if there is a choice.
    pub(crate) rows: Option<RowsChoice<'a>>,
}

/// A command that asks a job about every puzzle of some files.
pub(crate) trait JobCommand: Sync {
    type Job: Job;

    /// Whether pencilmarks are taken too.
    const TAKES_PENCILMARKS: bool = false;

    /// Whether a summary is printed at the end.
    const HAS_SUMMARY: bool = true;

    /// Whether records that are too long come whole. Memory then holds the longest line.
    const KEEPS_LONG_LINES: bool = true;

    /// Returns the arguments about the files.
    fn args(&self) -> JobArgs<'_>;

    /// Returns the job for files of that layout.
    fn job(&self, layout: &Layout) -> Result<Self::Job, Error>;

    /// Refuses files of a layout that the job can't take.
    fn check(&self, _: &Layout) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the type as which puzzles are read.
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        layout.kind()
    }

    /// Makes the sink of the records of a file.
    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        match self.args().rows {
            Some(rows) => rows.sink(layout, schema),
            None => Box::new(Rows::csv(layout, schema)),
        }
    }

    /// Returns how an input is cut.
    fn sizing(&self, layout: &Layout, job: &Self::Job) -> ChunkSizing {
        let engine = self.engine(job).unwrap_or_else(|| layout.fastest_engine());
        ChunkSizing::for_puzzles(self.kind(layout), engine)
    }

    /// Returns the path of a second output, for the summary, if there is one.
    fn summary_path(&self) -> Option<&Path> {
        None
    }

    /// Returns the engine, for a job whose summary has the figures of a search.
    fn engine(&self, _: &Self::Job) -> Option<Engine> {
        None
    }

    /// Returns the name of a status in the summary. Those with equal names that stand side by side are counted together.
    fn name_of(&self, status: &'static str) -> &'static str {
        status
    }

    /// Returns what a complete run came to, for the summary: names and texts.
    fn gains(&self, _: &Tally) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// Runs a command over its files. `given` are the options that it was called with, which a continued run must have too.
pub(crate) fn run_job<C: JobCommand>(command: &C, given: &Given) -> Result<End, Error> {
    let JobArgs { input, parts, rows } = command.args();
    let path = input.output.as_deref();
    if let Some(parts) = parts
        && parts.are_done(path, input.common.quiet)?
    {
        return Ok(End::Good);
    }
    let mut files = input.open(parts.and_then(|parts| parts.shard))?;
    let output = match parts {
        Some(parts) => parts.open_output(given, path, &files)?,
        None => RowOutput::plain(files.open_output(path)?),
    };
    let mut beside = open_beside(command.summary_path(), &files, &output)?;
    if !files.detect(C::TAKES_PENCILMARKS)? {
        return Ok(End::Interrupted);
    }
    let job = command.job(files.layout())?;
    let chosen = rows.map_or(Ok(None), |rows| rows.chosen(&mut files, &job.schema()))?;
    let stages = JobStages { command, job, chosen };
    let totals = files.run(&mut |rows: &Vec<u8>| output.take(rows), Some(&output), &stages);
    let totals = totals.map_err(|error| broken_off(error, output.resumable()))?;
    if let Some(engine) = command.engine(&stages.job) {
        report_search(&files, input, engine, &totals, beside.as_mut())?;
    } else if C::HAS_SUMMARY && !input.common.quiet {
        let gains = if totals.stopped { Vec::new() } else { command.gains(&totals.tally) };
        let names = stages.job.schema().statuses.iter().map(|status| command.name_of(status.name));
        report_run(&totals, &names.collect::<Vec<_>>(), &gains);
    }
    finish_rows(output, beside, &totals, format_args!("{} whole records", totals.records))
}

/// Opens a second output, which must not be that of the rows.
fn open_beside(
    path: Option<&Path>,
    files: &InputSet<'_>,
    rows: &RowOutput,
) -> Result<Option<Destination>, Error> {
    let Some(path) = path else { return Ok(None) };
    let beside = files.open_output(Some(path))?;
    if rows.is_same(&beside) {
        return Err(same_output(path));
    }
    Ok(Some(beside))
}

/// Makes the stages of a command.
struct JobStages<'c, C: JobCommand> {
    command: &'c C,
    job: C::Job,
    /// Rows of the columns that are chosen, if any are.
    chosen: Option<Rows>,
}

impl<C: JobCommand> StageFactory for JobStages<'_, C> {
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        self.command.kind(layout)
    }

    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a> {
        self.command.check(layout)?;
        let sink = match &self.chosen {
            Some(rows) => Box::new(rows.clone()),
            None => self.command.sink(layout, &self.job.schema()),
        };
        Ok(Box::new(JobStage::<P> {
            diagnostics,
            keeps_long_lines: C::KEEPS_LONG_LINES,
            sizing: self.command.sizing(layout, &self.job),
            ..JobStage::new(&self.job, layout, sink)
        }))
    }
}

/// A stage that makes values of that type, or why there is none.
pub(crate) type StageResult<'a, V = Vec<u8>> = Result<Box<dyn Stage<V> + 'a>, Error>;

/// Makes the stage of a command for each kind of puzzle.
pub(crate) trait StageFactory<V: ChunkValue = Vec<u8>> {
    /// Returns the type as which the puzzles of a file are read.
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        layout.kind()
    }

    /// Makes the stage for a file, with diagnostics if its observer wants them.
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a, V>;
}

/// Makes the stage for a file. This is the one dispatch on the kind of its puzzles. Classic puzzles have a kind of their own,
/// whose size the compiler knows.
pub(crate) fn stage_for<'a, V: ChunkValue>(
    factory: &'a impl StageFactory<V>,
    layout: &Layout,
    diagnostics: bool,
) -> StageResult<'a, V> {
    match factory.kind(layout) {
        PuzzleKind::Classic => factory.stage::<Puzzle>(layout, diagnostics),
        PuzzleKind::AnyShape => factory.stage::<GridPuzzle>(layout, diagnostics),
        PuzzleKind::Pencilmarks => factory.stage::<Pencilmarks>(layout, diagnostics),
    }
}

/// Returns the stage that maps the chunks of a file, with a mapper for each worker.
pub(crate) fn map_stage<'a, P: PuzzleText, V: ChunkValue + 'a, M: BatchMapper<P, V> + 'static>(
    layout: &Layout,
    diagnostics: bool,
    sizing: ChunkSizing,
    mapper: impl Fn() -> M + Sync + 'a,
) -> Box<dyn Stage<V> + 'a> {
    Box::new(MapBatch::<P, V> {
        format: layout.format(),
        mapper: Box::new(move || Box::new(mapper())),
        diagnostics,
        sizing,
    })
}

/// A part of the text of a chunk: what it is, and its bytes.
pub(crate) type TextPart<'a> = (PartKind, &'a [u8]);

/// The subject of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A record.
    Record,
    /// The text between records.
    Between,
    /// Nothing, in the place of a record.
    LeftOut,
    /// Nothing, in front of a record that can't be read.
    Malformed,
}

/// The text of a chunk in parts, in the order of the input.
#[derive(Default)]
pub(crate) struct TextParts {
    text: Vec<u8>,
    /// The kind of each part, and where in the text it ends.
    parts: Vec<(PartKind, usize)>,
}

impl TextParts {
    /// Adds a part.
    pub(crate) fn push(&mut self, kind: PartKind, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        self.parts.push((kind, self.text.len()));
    }

    /// Iterates over the parts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = TextPart<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |&(kind, end)| (kind, &self.text[std::mem::replace(&mut start, end)..end]))
    }
}

impl ChunkValue for TextParts {
    fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
    }
}

/// A record with its key.
pub(crate) struct KeyedRecord {
    /// Its line, from 1.
    pub(crate) line: u64,
    /// The key of its puzzle, if it has one.
    pub(crate) key: Option<CanonicalKey>,
    /// Whether two clues of the puzzle are in conflict, where isomorphs are compared: it has no minlex form.
    pub(crate) conflicts: bool,
}

impl StageFactory<Vec<KeyedRecord>> for SameArgs {
    fn stage<'a, P: PuzzleText>(
        &'a self,
        layout: &Layout,
        diagnostics: bool,
    ) -> StageResult<'a, Vec<KeyedRecord>> {
        let keys = self.keys(layout);
        let mapper = move || KeyMapper::<P>::new(keys);
        let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
        Ok(map_stage(layout, diagnostics, sizing, mapper))
    }
}

/// Makes the keys of records.
pub(crate) struct KeyMapper<P: PuzzleText> {
    worker: Box<dyn Worker<P>>,
    keys: Answers,
}

impl<P: PuzzleText> KeyMapper<P> {
    pub(crate) fn new(job: Keys) -> KeyMapper<P> {
        KeyMapper { worker: job.worker(), keys: Answers::new(job.schema()) }
    }

    /// Makes the keys of puzzles; `None` if the run was stopped meanwhile.
    pub(crate) fn answer(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Option<&Answers>, Refuted> {
        self.keys.clear();
        self.worker.answer(puzzles, 0, stop, &mut self.keys)?;
        Ok((self.keys.len() == puzzles.len()).then_some(&self.keys))
    }
}

impl<P: PuzzleText> BatchMapper<P, Vec<KeyedRecord>> for KeyMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        keyed: &mut Vec<KeyedRecord>,
    ) -> Result<ControlFlow<()>, Refuted> {
        let ReadChunk { text: chunk, batch, lines_before, stop } = *chunk;
        let Some(keys) = self.answer(&batch.puzzles, stop)? else { return Ok(ControlFlow::Break(())) };
        let mut places = Places::of(chunk, lines_before);
        keyed.extend(batch.iter().map(|(record, read)| KeyedRecord {
            line: places.at(record.start as usize).0,
            key: read.and_then(|(index, _)| keys.key(index)),
            conflicts: read.is_some_and(|(index, _)| keys.statuses()[index] == Keys::CONFLICT),
        }));
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes the text of the records of a chunk.
#[derive(Clone, Copy)]
pub(crate) enum TextMapper {
    /// The lines of each record as they are, and the text between records.
    Lines,
    /// The cells of each record as rows have them; nothing for records that can't be read.
    Cells,
}

impl StageFactory<TextParts> for TextMapper {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a, TextParts> {
        let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
        Ok(map_stage::<P, _, _>(layout, diagnostics, sizing, || *self))
    }
}

impl<P: PuzzleText> BatchMapper<P, TextParts> for TextMapper {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, parts: &mut TextParts) -> Result<ControlFlow<()>, Refuted> {
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        if matches!(self, TextMapper::Cells) {
            let mut cells = Vec::new();
            for (_, read) in batch.iter() {
                cells.clear();
                read.into_iter().for_each(|(_, puzzle)| puzzle.write(&mut cells));
                parts.push(PartKind::Record, &cells);
            }
            return Ok(ControlFlow::Continue(()));
        }
        let mut done = 0;
        for lines in lines_of(chunk, &batch.records) {
            if lines.start > done {
                parts.push(PartKind::Between, &chunk[done..lines.start]);
            }
            done = lines.end;
            parts.push(PartKind::Record, &chunk[lines]);
        }
        if done < chunk.len() {
            parts.push(PartKind::Between, &chunk[done..]);
        }
        Ok(ControlFlow::Continue(()))
    }
}
