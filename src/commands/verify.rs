//! `gridmill verify` checks that every puzzle has exactly one solution, and `gridmill check` that the
//! solution next to each puzzle is right. Both read one file after another, and write a listing and a table.

use std::iter;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_core::jobs::{self, Job, Schema, StatusInfo, Worker};
use gridmill_core::solver::{Budget, Engine};
use gridmill_data::error::Error;
use gridmill_data::output::{InputCounts, Listing, RowOutput, RunProgress};
use gridmill_data::packing::TableColumns;
use gridmill_data::pipeline::{ChunkSizing, Input, JobStage, Stage, Workers};
use gridmill_data::record::{StatusCounts, Subject};
use gridmill_data::text::{Format, Layout, ProposedFormat, SolutionFault, columns_meant, one_column};
use gridmill_data::with_kind;
use gridmill_report::eprint_message;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::{
    fault_advice, message, no_solution_column, refuse, report, several_solution_columns,
};
use crate::support::inputs::{CommonArgs, InputSet, report_empty, shown_name};
use crate::support::options::{BudgetArgs, EngineArgs};
use crate::support::outputs::{commit, report_interrupted, stop_on_interrupt};
use crate::support::parts::{PartArgs, report_resumable, report_resumed, with_resume_advice};
use crate::support::rows::{ColumnList, FormatsByName, check_rows_name, chosen_columns, column_list};
use crate::support::summary::{
    open_summary, plural, report_boxes, total, verdict_figures, verdict_table, write_summary,
};

const VERIFY_HELP: &str = "\
Examples:
  gridmill verify puzzles.txt
      lists the puzzles that are not proper, one on each line, and counts each kind
  gridmill verify *.txt --quiet && echo all proper
      for scripts: gives you nothing but an exit code
  gridmill verify puzzles.csv more.txt --all -o verdicts.csv
      writes a row for every record: file,record,line,puzzle,verdict,reason
  gridmill verify puzzles.txt --columns record,verdict,reason -o bad.csv
      writes only these columns; without -o the list is CSV too
  zcat big.txt.gz | gridmill verify - --fail-fast
      reads a pipe, and stops at the first puzzle that is not proper
  gridmill verify big.txt --shard 3/64
      verifies the third of 64 parts; records and lines keep the numbers that they have in the file

Lines of 729 characters are pencilmarks: nine places for each cell, with . or 0 where a digit is
eliminated.

Verdicts: unique (a proper puzzle), multiple (two solutions or more), none (no solution), conflict
(two equal clues in a house), malformed (could not be read, or differs in size from the first
puzzle; --mixed accepts all sizes), budget (the search is not finished).

Exit codes: 0 every record is a proper puzzle, 1 some are not, or there are no records, 2 the job
could not be done, 130 interrupted.";

/// Prove that every puzzle has exactly one solution, and list the puzzles that do not
#[derive(Debug, Args)]
#[command(after_help = VERIFY_HELP)]
pub(crate) struct Verify {
    #[command(flatten)]
    review: ReviewArgs,
}

impl Verify {
    pub(crate) fn run(&self, task_options: &TaskOptions) -> Result<End, Error> {
        let stages = |layout: &Layout, input: &Input| {
            let (engine, budget, sizing) = self.review.search(layout)?;
            let job = jobs::Verify { engine, budget };
            with_kind!(layout.kind(), P => {
                let worker = move || job.worker::<P>();
                self.review.stage(layout.format(), job.schema(), worker, sizing, input)
            })
        };
        self.review.run(task_options, true, jobs::Verify::default().schema().statuses, &stages)
    }
}

const CHECK_HELP: &str = "\
Examples:
  gridmill check train.csv
      lists the rows whose solution is wrong or not the only one, and counts each kind
  gridmill check sudoku.csv --puzzle-column clues --solution-column filled
      if the columns have no known names, or if several columns do
  gridmill check a.csv b.csv --all -o verdicts.csv
      writes a row for every record: file,record,line,puzzle,verdict,reason
  gridmill check train.csv --columns record,verdict,reason -o bad.csv
      writes only these columns; without -o the list is CSV too
  gridmill solve puzzles.txt | gridmill check -
      checks the solutions that solve writes
  gridmill check big.csv --shard 3/64
      checks the third of 64 parts; records and lines keep the numbers that they have in the file

You can check CSV with a column of puzzles and one of solutions, JSON Lines with such keys, and
lines of a puzzle, a comma, semicolon, tab or space, and its solution.

Verdicts: ok (the solution is right, and the only one), wrong (the solution has a blank, changes a
clue or breaks a rule; the reason names the first such place), not-unique (the solution is right,
and there are others), malformed (the puzzle or its solution could not be read), budget (the
solution is right, but the search for another one is not finished).

Exit codes: 0 every solution is right and the only one, 1 some are not, or there are no records,
2 the job could not be done, 130 interrupted.";

/// Known names of solution columns, in lower case.
const SOLUTION_COLUMNS: [&str; 7] =
    ["solution", "solutions", "answer", "answers", "solved", "solved_puzzle", "result"];

/// Check that the solution given with each puzzle is right, and that it is the only one
#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub(crate) struct Check {
    #[command(flatten)]
    review: ReviewArgs,

    /// The CSV column, by name or number, or the JSON key that holds the solutions [default: the
    /// one named solution, solutions, answer, answers, solved, solved_puzzle or result]
    #[arg(long, value_name = "NAME|N")]
    solution_column: Option<String>,
}

impl Check {
    pub(crate) fn run(&self, task_options: &TaskOptions) -> Result<End, Error> {
        let stages = |layout: &Layout, input: &Input| {
            let (engine, budget, sizing) = self.review.search(layout)?;
            let (job, solutions) = (jobs::Check { engine, budget }, self.solutions(layout)?);
            with_kind!(layout.kind(), P => {
                let format = ProposedFormat::<P>::new(layout.format(), solutions.map(|it| it.format()));
                let worker = move || job.worker::<P, SolutionFault>();
                self.review.stage(Box::new(format), job.schema(), worker, sizing, input)
            })
        };
        self.review.run(task_options, false, jobs::Check::default().schema().statuses, &stages)
    }

    /// The layout of the solutions in a table or in objects; `None` for lines, because there the solutions
    /// follow the puzzles.
    fn solutions(&self, layout: &Layout) -> Result<Option<Layout>, Error> {
        let wanted = self.solution_column.as_deref();
        let none = || {
            Error::other(
                "solutions are read from CSV, JSON Lines, or lines of puzzle,solution, but this file has another format",
            )
        };
        if let Some(header) = &layout.header {
            let columns = header.names();
            let missing = || no_solution_column(wanted, &columns);
            let column = self.column(&columns, Some(header.column), missing)?;
            return layout.in_column(column).map(Some).ok_or_else(none);
        }
        match layout.format_name() {
            "jsonl" => {
                let keys = layout.json_keys().unwrap_or_default();
                let puzzle = keys.iter().position(|key| layout.json_key() == Some(key.as_str()));
                let missing = || {
                    let keys = keys.join(", ");
                    Error::other(format!(
                        "the JSON objects have no key with that name, or with a usual name for solutions; their keys are: {keys}; name the one with the solutions: --solution-column NAME"
                    ))
                };
                let key = self.column(keys, puzzle, missing)?;
                layout.in_column(key).map(Some).ok_or_else(missing)
            }
            _ if wanted.is_some() => refuse("the input has no columns: leave --solution-column out"),
            "line" => Ok(None),
            _ => Err(none()),
        }
    }

    /// The index of the column or key of the solutions: the one that the user named, or else the only one
    /// with a known name, besides that of the puzzles.
    fn column(
        &self,
        names: &[String],
        puzzle: Option<usize>,
        missing: impl FnOnce() -> Error,
    ) -> Result<usize, Error> {
        let wanted = self.solution_column.as_deref();
        let mut found = columns_meant(names, wanted, &SOLUTION_COLUMNS);
        found.retain(|&column| wanted.is_some() || Some(column) != puzzle);
        let several = |columns: Vec<String>| several_solution_columns(&columns);
        match one_column(names, &found, |_| missing(), several)? {
            column if Some(column) == puzzle => refuse(
                "the puzzles and the solutions would be read from the same column: choose others with --puzzle-column and --solution-column",
            ),
            column => Ok(column),
        }
    }
}

#[derive(Debug, Args)]
struct ReviewArgs {
    /// Files of puzzles; - or no file means standard input. If a file can't be read, the others are
    /// processed, and the exit code is 2
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// List every record, not only those that are not right. With --quiet there is a list only if
    /// you give --all, --output or --columns
    #[arg(long)]
    all: bool,

    /// Write the list to this file as CSV: file,record,line,puzzle,verdict,reason (- for standard
    /// output)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write these columns of file, record, line, puzzle, verdict and reason, in this order: names
    /// separated by commas, or numbers from 1. The list is then CSV, even without --output
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,

    /// Stop at the first record that is not right
    #[arg(long)]
    fail_fast: bool,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    common: CommonArgs,

    #[command(flatten)]
    engine: EngineArgs,

    #[command(flatten)]
    budget: BudgetArgs,
}

/// Makes the stage for a file.
type ReviewStageMaker<'s> = dyn Fn(&Layout, &Input) -> Result<Box<dyn Stage>, Error> + 's;

/// A run over files, with the results so far.
struct Review<'a, 'o> {
    args: &'a ReviewArgs,
    takes_pencilmarks: bool,
    stages: &'o ReviewStageMaker<'o>,
    files: InputSet<'a>,
    output: &'o RowOutput,
    workers: Workers,
    /// The progress of the earlier run that this one continues.
    earlier: RunProgress,
    /// The files with their counts of verdicts.
    verdicts: Vec<(String, StatusCounts)>,
    layouts: Vec<Layout>,
}

/// Why a run ends before its last file.
enum EarlyEnd {
    Interrupted,
    /// With `--fail-fast`, a record is not right.
    Failed,
}

impl Review<'_, '_> {
    /// Verifies the files one after another. If the run is interrupted, it returns the index of the current
    /// file.
    fn run(&mut self) -> Result<Option<usize>, Error> {
        if !self.args.common.quiet {
            report_resumed(&self.earlier);
        }
        if let Some(columns) = self.args.csv_columns()?.filter(|_| self.earlier.input_counts.is_empty()) {
            let types: Vec<_> = columns.iter().map(|name| Listing::column_type(name)).collect();
            self.output.set_container_columns(&TableColumns::with_header_row(types));
            let _ = self.output.take((columns.join(",") + "\n").as_bytes())?;
        }
        for index in 0..self.files.paths().len() {
            if index < self.earlier.input_index {
                self.recall(index)?;
                continue;
            }
            let is_bad = total(&self.verdicts).failed > 0;
            match self.review(index).map_err(|error| error.noting_failures(is_bad))? {
                ControlFlow::Continue(()) => {}
                ControlFlow::Break(EarlyEnd::Interrupted) => return Ok(Some(index)),
                ControlFlow::Break(EarlyEnd::Failed) => return Ok(None),
            }
        }
        // This happens at the end, because an alphabet may be for some of the files only.
        if let Err(error) = self.args.common.reading.check_alphabets(self.layouts.iter()) {
            report(message(&error));
            self.files.lacks_files = true;
        }
        Ok(None)
    }

    /// Whether the user named only one file. If so, a problem with this file is the error of the run.
    fn is_only(&self) -> bool {
        self.args.files.len() == 1
    }

    /// Adds a file that an earlier run completed. Only its layout is detected again.
    fn recall(&mut self, index: usize) -> Result<(), Error> {
        let known = self.earlier.input_counts.get(index).cloned().unwrap_or_default();
        if let Some(failure) = &known.failure {
            self.report_left_out(index, failure, (!known.is_unread).then_some(known.statuses));
            return Ok(());
        }
        let layout = self.open_and_detect(index)?.map(|(_, layout)| layout);
        self.layouts.extend(layout);
        self.verdicts.push((shown_name(self.files.paths()[index]).display().to_string(), known.statuses));
        Ok(())
    }

    /// Reports why a file is left out. If part of it was verified, `counts` are the verdicts of that part.
    fn report_left_out(&mut self, index: usize, failure: &str, counts: Option<StatusCounts>) {
        report(failure);
        self.files.lacks_files = true;
        let name = shown_name(self.files.paths()[index]).display();
        self.verdicts.extend(counts.map(|counts| (format!("{name}, not whole"), counts)));
    }

    /// Opens a file and detects its format; `None` if the run is stopped before that.
    fn open_and_detect(&mut self, index: usize) -> Result<Option<(Input, Layout)>, Error> {
        let opened = self.files.open_and_detect(index, self.takes_pencilmarks)?;
        if let Some((input, layout)) = opened.as_ref().filter(|_| self.is_only()) {
            let used = self.args.common.reading.check_alphabets(iter::once(layout));
            used.map_err(|error| error.in_file(input.name()))?;
        }
        Ok(opened)
    }

    /// Verifies a file, or the rest of it.
    fn review(&mut self, index: usize) -> Result<ControlFlow<EarlyEnd>, Error> {
        let begun = self.earlier.input_counts.get(index).map(|input| input.statuses);
        if begun.is_none() {
            self.output.update(|progress| progress.input_counts.push(InputCounts::default()));
        }
        let counts = begun.unwrap_or_default();
        let (mut input, layout) = match self.open_and_detect(index) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(ControlFlow::Break(EarlyEnd::Interrupted)),
            Err(error) => return self.leave_out(index, error, None),
        };
        let name = input.name().to_owned();
        if self.args.fail_fast && counts.failed > 0 {
            return Ok(self.add(&name, layout, counts, false));
        }
        let place = self.earlier.written.filter(|_| index == self.earlier.input_index);
        if place.is_none() {
            self.output.update(|progress| progress.checksum = input.preamble_checksum());
        }
        if !self.files.skip_earlier(&mut input, place.map(|place| (place, self.earlier.checksum)))? {
            return Ok(self.add(&name, layout, counts, true));
        }
        let stage = match (self.stages)(&layout, &input) {
            Ok(stage) => stage,
            Err(error) => return self.leave_out(index, error.in_file(&name), None),
        };
        let mut console = self.files.console(&input, Some(self.output), self.args.all);
        console.counts = counts;
        // The bar is hidden while rows are written, because both may appear on the same terminal.
        let bar = console.bar.clone();
        let take = &mut |rows: &Vec<u8>| match rows.is_empty() {
            true => self.output.take(rows),
            false => bar.suspend(|| self.output.take(rows)),
        };
        let finished = self.files.run_file(&self.workers, input, &*stage, None, take, &mut console);
        let counts = console.counts;
        match finished {
            Ok(finished) => Ok(self.add(&name, layout, counts, finished.stopped)),
            Err(error) if error.is_read_error() => self.leave_out(index, error, Some(counts)),
            Err(error) => Err(error.in_file_of_record(&name).noting_failures(counts.failed > 0)),
        }
    }

    /// Adds a file that was read to its end, or to the place where the run ends.
    fn add(
        &mut self,
        name: &Path,
        layout: Layout,
        counts: StatusCounts,
        stopped: bool,
    ) -> ControlFlow<EarlyEnd> {
        self.layouts.push(layout);
        self.verdicts.push((name.display().to_string(), counts));
        if self.args.fail_fast && counts.failed > 0 {
            return ControlFlow::Break(EarlyEnd::Failed);
        }
        if stopped {
            return ControlFlow::Break(EarlyEnd::Interrupted);
        }
        self.end_file(None, false);
        ControlFlow::Continue(())
    }

    /// Leaves out a file that can't be read. If part of it was verified, `counts` are the verdicts of that
    /// part.
    fn leave_out(
        &mut self,
        index: usize,
        error: Error,
        counts: Option<StatusCounts>,
    ) -> Result<ControlFlow<EarlyEnd>, Error> {
        if self.is_only() {
            return Err(error);
        }
        let failure = message(&error);
        self.report_left_out(index, &failure, counts);
        self.end_file(Some(failure), counts.is_none());
        if counts.is_some() {
            // The failed run has set the flag to stop its workers, but the user did not ask to stop. So the
            // next file can be read.
            self.files.stop.store(false, Ordering::Relaxed);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Records in the journal that a file is done, and why it could not be read, if so.
    fn end_file(&self, failure: Option<String>, is_unread: bool) {
        self.output.update(|progress| {
            if let Some(input) = progress.input_counts.last_mut() {
                (input.failure, input.is_unread) = (failure, is_unread);
            }
            let records = progress.input_counts.iter().map(|input| input.statuses.records()).sum();
            progress.end_input(records, 0);
        });
    }
}

impl ReviewArgs {
    /// The engine for a file, the budget of a puzzle, and the sizes of chunks.
    fn search(&self, layout: &Layout) -> Result<(Engine, Budget, ChunkSizing), Error> {
        let engine = self.engine.choose_for(layout)?;
        Ok((engine, self.budget.per_puzzle(), ChunkSizing::for_puzzles(layout.kind(), engine)))
    }

    /// Makes the stage for a file. It needs no diagnostics, because the listing has them.
    fn stage<S: Subject + 'static>(
        &self,
        format: Box<dyn Format<S>>,
        schema: Schema,
        worker: impl Fn() -> Box<dyn Worker<S>> + Sync + 'static,
        sizing: ChunkSizing,
        input: &Input,
    ) -> Result<Box<dyn Stage>, Error> {
        // With `--quiet`, records are listed only if the user asks for a list by another option.
        let is_listing = !self.common.quiet || self.all || self.output.is_some() || self.columns.is_some();
        let listing = Listing {
            columns: self.csv_columns()?,
            all: self.all,
            advice: fault_advice,
            before: input.before_part(),
        };
        Ok(Box::new(JobStage {
            format,
            schema,
            worker: Box::new(worker),
            sink: if is_listing { Box::new(listing) } else { Box::new(()) },
            diagnostics: false,
            fail_fast: self.fail_fast,
            keeps_long_lines: false,
            sizing,
        }))
    }

    /// Runs over the files. `verdicts` are the possible verdicts of a record.
    fn run(
        &self,
        task_options: &TaskOptions,
        takes_pencilmarks: bool,
        verdicts: &[StatusInfo],
        stages: &ReviewStageMaker<'_>,
    ) -> Result<End, Error> {
        let path = self.output.as_deref();
        check_rows_name(path, FormatsByName { json: false, container: true })?;
        if self.parts.resume_args.has_finished_output(path, self.common.quiet)? {
            return Ok(End::Good);
        }
        let mut files = InputSet::new(&self.files, &self.common, path)?;
        files.divide(self.parts.shard)?;
        let output = self.parts.resume_args.open_output(task_options, path, &files.paths())?;
        let summary = open_summary(&files, |file| output.is_same(file))?;
        files.stop = stop_on_interrupt();
        let mut review = Review {
            args: self,
            takes_pencilmarks,
            stages,
            files,
            output: &output,
            workers: Workers::new(self.common.threads())?,
            earlier: output.progress().unwrap_or_default(),
            verdicts: Vec::new(),
            layouts: Vec::new(),
        };
        let interrupted =
            review.run().map_err(|error| with_resume_advice(error, output.resumable_partial()))?;
        let Review { verdicts: reviewed, files, layouts, .. } = review;
        if reviewed.is_empty() {
            return Ok(if interrupted.is_some() { End::Interrupted } else { End::Incomplete });
        }
        if !self.common.quiet {
            if let Some(shard) = self.parts.shard {
                eprint_message(format_args!("part {shard}\n"));
            }
            eprint_message(verdict_table(verdicts, &reviewed));
        }
        if let Some(layout) = layouts.first() {
            report_boxes(&self.common, layout, verdicts, &total(&reviewed));
        }
        let is_whole = interrupted.is_none() && !files.lacks_files;
        write_summary(summary, &verdict_figures(verdicts, &reviewed, is_whole))?;
        self.end(output, &total(&reviewed), &files, interrupted)
    }

    /// The columns of a CSV listing: those that the user chose, or all if there is an output file; `None` for
    /// a listing in lines.
    fn csv_columns(&self) -> Result<Option<Vec<&'static str>>, Error> {
        let Some(list) = &self.columns else {
            return Ok(self.output.is_some().then(|| Listing::COLUMNS.to_vec()));
        };
        let chosen = chosen_columns(list, &Listing::COLUMNS.map(str::to_owned))?;
        Ok(Some(chosen.into_iter().map(|index| Listing::COLUMNS[index]).collect()))
    }

    /// Completes the output, or keeps it as incomplete. If the run was interrupted, `interrupted` is the
    /// index of the current file.
    fn end(
        &self,
        output: RowOutput,
        total: &StatusCounts,
        files: &InputSet<'_>,
        interrupted: Option<usize>,
    ) -> Result<End, Error> {
        if let Some(index) = interrupted {
            let name = shown_name(files.paths()[index]).display();
            let has_journal = output.has_journal();
            let kept = output.keep_partial()?;
            let (records, things) = (total.records(), plural(total.records(), "record"));
            report_interrupted(format_args!("{records} {things}, in {name}"), None);
            if let Some(path) = &kept {
                report(format_args!("the listing so far is in {}", path.display()));
            }
            report_resumable(has_journal && kept.is_some());
            return Ok(End::Interrupted);
        }
        let is_empty = total.records() == 0 && self.parts.shard.is_none() && !files.lacks_files;
        if is_empty {
            report_empty(&self.files[0]);
        }
        commit(output, None)?;
        Ok(End::from_findings(files.lacks_files, is_empty || total.failed > 0))
    }
}
