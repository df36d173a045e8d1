//! The run of a job over the puzzles of some files: a row for each record, a summary, an exit code.

use std::path::Path;

use gridmill_core::jobs::{Job, Schema};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::output::{RowOutput, Rows};
use gridmill_data::pipeline::{ChunkSizing, JobStage, Stage};
use gridmill_data::record::{Sink, Tally};
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};
use gridmill_data::with_kind;

use super::inputs::InputArgs;
use super::outputs::finish_rows;
use super::parts::{PartArgs, broken_off};
use super::rows::{RowsChoice, check_rows_name};
use super::summary::{report_boxes, report_run, report_search};
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

    /// Whether rows become JSON Lines where the name of the output tells that.
    const WRITES_JSON: bool = true;

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
    if !rows.is_some_and(RowsChoice::is_chosen) {
        check_rows_name(path, C::WRITES_JSON)?;
    }
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
    let beside = command.summary_path();
    let mut beside =
        beside.map(|path| files.open_beside(path, |beside| output.is_same(beside))).transpose()?;
    if !files.detect(C::TAKES_PENCILMARKS)? {
        return Ok(End::Interrupted);
    }
    let job = command.job(files.layout())?;
    let chosen = rows.map_or(Ok(None), |rows| rows.chosen(&mut files, &job.schema()))?;
    let stage = |layout: &Layout, diagnostics| stage(command, &job, chosen.as_ref(), layout, diagnostics);
    let totals = files.run(&mut |rows: &Vec<u8>| output.take(rows), Some(&output), &stage);
    let totals = totals.map_err(|error| broken_off(error, output.resumable()))?;
    if let Some(engine) = command.engine(&job) {
        report_search(&files, input, engine, &totals, beside.as_mut())?;
    } else if C::HAS_SUMMARY && !input.common.quiet {
        let gains = if totals.stopped { Vec::new() } else { command.gains(&totals.tally) };
        let names = job.schema().statuses.iter().map(|status| command.name_of(status.name));
        report_run(&totals, &names.collect::<Vec<_>>(), &gains);
    }
    report_boxes(&input.common, files.layout(), job.schema().statuses, &totals.tally.statuses);
    finish_rows(output, beside, &totals, format_args!("{} whole records", totals.records))
}

/// Makes the stage for a file of a layout, with diagnostics if its observer wants them. `chosen` are rows of the columns that
/// are chosen, if any are.
fn stage<'c, C: JobCommand>(
    command: &'c C,
    job: &'c C::Job,
    chosen: Option<&Rows>,
    layout: &Layout,
    diagnostics: bool,
) -> Result<Box<dyn Stage + 'c>, Error> {
    command.check(layout)?;
    Ok(with_kind!(command.kind(layout), P => {
        let sink: Box<dyn Sink<P>> = match chosen {
            Some(rows) => Box::new(rows.clone()),
            None => command.sink(layout, &job.schema()),
        };
        Box::new(JobStage::<P> {
            diagnostics,
            keeps_long_lines: C::KEEPS_LONG_LINES,
            sizing: command.sizing(layout, job),
            ..JobStage::new(job, layout, sink)
        })
    }))
}
