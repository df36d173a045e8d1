//! Runs a job over the puzzles of some files, with a row for each record, a summary, and an exit code.

use gridmill_core::jobs::{Job, Schema};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::output::Rows;
use gridmill_data::packing::{ColumnType, TableColumns};
use gridmill_data::pipeline::{ChunkSizing, JobStage, Stage};
use gridmill_data::record::{Sink, Tally};
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};
use gridmill_data::with_kind;
use gridmill_report::eprint_message;

use super::inputs::{InputArgs, RunTotals};
use super::outputs::finish_rows;
use super::parts::{PartArgs, with_resume_advice};
use super::rows::is_container_name;
use super::rows::{FormatsByName, RowsChoice, check_rows_name};
use super::summary::{ResultLine, Summary, plural, put_summary, report_boxes, report_run};
use crate::cli::{End, TaskOptions};

/// The arguments about the files of a command.
pub(crate) struct JobArgs<'a> {
    pub(crate) input: &'a InputArgs,
    /// The arguments about shards and resumed runs.
    pub(crate) parts: &'a PartArgs,
    /// The format of rows that the user chose, if the command offers a choice.
    pub(crate) rows: Option<RowsChoice<'a>>,
}

/// A command that runs a job on every puzzle of some files.
pub(crate) trait JobCommand: Sync {
    type Job: Job;

    /// Whether the command also takes pencilmarks.
    const TAKES_PENCILMARKS: bool = false;

    /// Whether a summary is printed at the end.
    const HAS_SUMMARY: bool = true;

    /// For a job with lists: the label of their total in the summary, and the noun for one entry, e.g. `solution`.
    const LISTS: Option<(&'static str, &'static str)> = None;

    /// Whether the rows of a record depend on its number in the run, or contain it.
    const NEEDS_NUMBERS: bool = <Self::Job as Job>::IS_RANDOM;

    /// Whether the name of the output can choose Parquet or Arrow, e.g. `-o rows.parquet`.
    fn may_write_container(&self) -> bool {
        true
    }

    /// Whether lines that are longer than their format allows (64 KiB; CSV and JSON Lines: 1 MiB) are kept whole. If so, memory holds the longest line.
    const KEEPS_LONG_LINES: bool = true;

    /// The arguments about the files.
    fn args(&self) -> JobArgs<'_>;

    /// The job for files with this layout.
    fn job(&self, layout: &Layout) -> Result<Self::Job, Error>;

    /// Refuses files that the job can't take.
    fn check(&self, _: &Layout) -> Result<(), Error> {
        Ok(())
    }

    /// The kind of puzzle that the records are read as.
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        layout.kind()
    }

    /// Makes the sink for the records of a file.
    fn sink<P: PuzzleText>(&self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P> + '_> {
        match self.args().rows {
            Some(rows) => rows.sink(layout, schema),
            None => Box::new(Rows::csv(layout, schema)),
        }
    }

    /// Whether the name of the output can choose JSON Lines, e.g. `-o rows.jsonl`.
    fn may_write_json(&self) -> bool {
        true
    }

    /// How much was written before a run was stopped, e.g. "300 whole records".
    fn written(&self, totals: &RunTotals) -> String {
        match Self::LISTS {
            Some((_, thing)) => format!("{} {}", totals.tally.listed, plural(totals.tally.listed, thing)),
            None => format!("{} whole {}", totals.records, plural(totals.records, "record")),
        }
    }

    /// The columns of a Parquet or Arrow output without `--columns`. `types` are those of the input's columns.
    fn columns(&self, layout: &Layout, types: Vec<ColumnType>, schema: &Schema) -> TableColumns {
        let rows = if schema.has_lists() { Rows::lists(schema, false) } else { Rows::csv(layout, schema) };
        rows.columns(&types)
    }

    /// How an input is cut into chunks.
    fn sizing(&self, layout: &Layout, job: &Self::Job) -> ChunkSizing {
        let engine = self.engine(job).unwrap_or_else(|| layout.fastest_engine());
        ChunkSizing::for_puzzles(self.kind(layout), engine)
    }

    /// The engine, for a job whose summary shows the figures of a search.
    fn engine(&self, _: &Self::Job) -> Option<Engine> {
        None
    }

    /// The name of a status in the summary. Neighbouring statuses with equal names are counted together.
    fn summary_name(&self, status: &'static str) -> &'static str {
        status
    }

    /// The results of a complete run, for the summary.
    fn results(&self, tally: &Tally) -> Vec<ResultLine> {
        Self::LISTS.map(|(name, _)| ResultLine::count(name, tally.listed)).into_iter().collect()
    }
}

/// Runs a command over its files. `task_options` are its options, which a resumed run must also have.
pub(crate) fn run_job<C: JobCommand>(command: &C, task_options: &TaskOptions) -> Result<End, Error> {
    let JobArgs { input, parts, rows } = command.args();
    let path = input.output.as_deref();
    let is_format_from_name = !rows.is_some_and(RowsChoice::is_format_chosen);
    if is_format_from_name {
        check_rows_name(
            path,
            FormatsByName { json: command.may_write_json(), container: command.may_write_container() },
        )?;
    }
    let writes_container = is_format_from_name && is_container_name(path);
    let Some((mut files, output, mut summary_file)) = parts.open(task_options, input)? else {
        return Ok(End::Good);
    };
    files.needs_numbers = C::NEEDS_NUMBERS;
    if !files.detect(C::TAKES_PENCILMARKS)? {
        return Ok(End::Interrupted);
    }
    let job = command.job(files.layout())?;
    let chosen = rows.map_or(Ok(None), |rows| rows.with_chosen_columns(&mut files, &job.schema()))?;
    if writes_container {
        let types = files.column_types();
        output.set_container_columns(&match &chosen {
            Some(rows) => rows.columns(&types),
            None => command.columns(files.layout(), types, &job.schema()),
        });
    }
    let stage = |layout: &Layout, diagnostics| stage(command, &job, chosen.as_ref(), layout, diagnostics);
    let totals = files.run(&mut |rows: &Vec<u8>| output.take(rows), Some(&output), &stage);
    let totals = totals.map_err(|error| with_resume_advice(error, output.resumable_partial()))?;
    let results = if totals.stopped { Vec::new() } else { command.results(&totals.tally) };
    let (engine, statuses) = (command.engine(&job), job.schema().statuses);
    let summary = Summary::new(&files, statuses, engine, &results, &totals);
    if engine.is_some() {
        if !input.common.quiet && !input.is_interactive() {
            eprint_message(summary.text());
        }
    } else if C::HAS_SUMMARY && !input.common.quiet {
        let names = statuses.iter().map(|status| command.summary_name(status.name));
        report_run(&totals, &names.collect::<Vec<_>>(), &results);
    }
    put_summary(summary_file.as_mut(), &summary)?;
    report_boxes(&input.common, files.layout(), statuses, &totals.tally.statuses);
    finish_rows(output, summary_file, &totals, format_args!("{}", command.written(&totals)))
}

/// Makes the stage for a file with this layout. `diagnostics` says whether its observer wants them. `chosen`
/// are the rows with the columns that the user chose, if any.
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
