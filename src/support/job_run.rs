//! The run of a job over the puzzles of some files: a row for each record, a summary, an exit code.

use std::time::{Duration, Instant};

use gridmill_core::jobs::{Job, Schema};
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, RowOutput, Rows};
use gridmill_data::pipeline::{ChunkSizing, JobStage, Stage};
use gridmill_data::record::{Sink, Tally};
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};

use super::input_args::InputArgs;
use super::input_set::{InputSet, RunTotals};
use super::interrupt::stop_on_interrupt;
use super::outputs::finish_rows;
use super::parts::{Parts, broken_off};
use super::rows::RowsChoice;
use super::run_summary::report_run;
use super::stage_factory::{StageFactory, stage_for};
use crate::cli::End;

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
    fn input(&self) -> &InputArgs;

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

    /// Returns how the user chose that rows are written; `None` where there is no choice.
    fn rows(&self) -> Option<RowsChoice<'_>> {
        None
    }

    /// Makes the sink of the records of a file.
    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        match self.rows() {
            Some(rows) => rows.sink(self.input(), layout, schema),
            None => Box::new(Rows::csv(layout, schema)),
        }
    }

    /// Returns how an input is cut.
    fn sizing(&self, layout: &Layout, _: &Self::Job) -> ChunkSizing {
        ChunkSizing::for_puzzles(self.kind(layout), layout.fastest_engine())
    }

    /// Opens a second output, if there is one.
    fn open_beside(&self, _: &InputSet<'_>, _: &RowOutput) -> Result<Option<Destination>, Error> {
        Ok(None)
    }

    /// Returns the summary of a run over these files.
    fn summary(&self, _: &InputSet<'_>, job: &Self::Job) -> Box<dyn RunSummary + '_> {
        Box::new(StatusSummary { schema: job.schema(), command: self })
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

/// Ends a run: prints its summary, and fills the second output.
pub(crate) trait RunSummary {
    /// Prints the summary, and writes to the second output if there is one.
    fn report(
        &self,
        totals: &RunTotals,
        wall: Duration,
        beside: Option<&mut Destination>,
    ) -> Result<(), Error>;
}

/// Prints how many records have each status.
struct StatusSummary<'a, C: ?Sized> {
    schema: Schema,
    command: &'a C,
}

impl<C: JobCommand + ?Sized> RunSummary for StatusSummary<'_, C> {
    fn report(&self, totals: &RunTotals, wall: Duration, _: Option<&mut Destination>) -> Result<(), Error> {
        if C::HAS_SUMMARY && !self.command.input().common.quiet {
            let gains = if totals.stopped { Vec::new() } else { self.command.gains(&totals.tally) };
            let names = self.schema.statuses.iter().map(|status| self.command.name_of(status.name));
            report_run(totals, wall, &names.collect::<Vec<_>>(), &gains);
        }
        Ok(())
    }
}

/// Runs a command over its files.
pub(crate) fn run_job<C: JobCommand>(command: &C, parts: Option<Parts<'_>>) -> Result<End, Error> {
    let input = command.input();
    if let Some(parts) = parts
        && parts.args.are_done(input.output.as_deref(), input.common.quiet)?
    {
        return Ok(End::Good);
    }
    let mut files = input.open()?;
    let output = input.open_rows(&mut files, parts)?;
    let mut beside = command.open_beside(&files, &output)?;
    // Only from here on: opening a named pipe as the output may wait for ever, and the first Ctrl-C must end that.
    let stop = stop_on_interrupt();
    let is_detected = match C::TAKES_PENCILMARKS {
        true => input.detect(&mut files, &stop)?,
        false => input.detect_clues(&mut files, &stop)?,
    };
    if !is_detected {
        return Ok(End::Interrupted);
    }
    let job = command.job(files.layout())?;
    let chosen = command.rows().map_or(Ok(None), |rows| rows.chosen(input, &mut files, &job.schema()))?;
    let summary = command.summary(&files, &job);
    let begun = Instant::now();
    let stages = JobStages { command, job, chosen };
    let totals = files.run(&mut |rows: &Vec<u8>| output.take(rows), Some(&output), &stop, &|layout| {
        command.check(layout)?;
        stage_for(&stages, command.kind(layout), layout)
    });
    let totals = totals.map_err(|error| broken_off(error, output.resumable()))?;
    summary.report(&totals, totals.wall(begun), beside.as_mut())?;
    finish_rows(output, beside, &totals, format_args!("{} whole records", totals.records))
}

/// Makes the stages of a command.
struct JobStages<'c, C: JobCommand> {
    command: &'c C,
    job: C::Job,
    /// Rows of the columns that are chosen, if any are.
    chosen: Option<Rows>,
}

impl<C: JobCommand> StageFactory for JobStages<'_, C> {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let sink = match &self.chosen {
            Some(rows) => Box::new(rows.clone()),
            None => self.command.sink(layout, &self.job.schema()),
        };
        Ok(Box::new(JobStage::<P> {
            diagnostics: !self.command.input().common.quiet,
            keeps_long_lines: C::KEEPS_LONG_LINES,
            sizing: self.command.sizing(layout, &self.job),
            ..JobStage::new(&self.job, layout, sink)
        }))
    }
}
