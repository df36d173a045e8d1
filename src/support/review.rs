//! The run of `verify` and `check`: files verified one after another, a listing, a table.

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_core::jobs::{Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::output::{InputCounts, Listing, Progress, RowOutput};
use gridmill_data::pipeline::{ChunkSizing, Input, JobStage, Workers};
use gridmill_data::record::{StatusCounts, Subject};
use gridmill_data::text::{Format, Layout, PuzzleText};
use gridmill_report::eprint_message;

use super::columns::{ColumnList, column_list};
use super::command_error::{CommandError, message, of_fault};
use super::engine::EngineArgs;
use super::given::Given;
use super::inputs::{CommonArgs, InputSet, report, report_empty, shown_name};
use super::interrupt::{report_interrupted, stop_on_interrupt};
use super::outputs::commit;
use super::parts::{PartArgs, broken_off, report_going_on, report_resumed};
use super::stages::{StageFactory, StageResult, stage_for};
use super::summary::VerdictTable;
use crate::cli::End;

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Files of puzzles; - or none for standard input. Where one can't be read, the others are done, and the exit code is 2
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// List every record, not only those that are not right; with --quiet there is no list but with --all, --output or
    /// --columns
    #[arg(long)]
    all: bool,

    /// Write the listing to this file as CSV: file,record,line,puzzle,verdict,reason (- for standard output)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// List as CSV, without --output too, with these columns of file, record, line, puzzle, verdict and reason, in this
    /// order: their names with commas between them, or numbers from 1
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,

    /// End at the first record that is not right
    #[arg(long)]
    fail_fast: bool,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    engine: EngineArgs,
}

/// A command that gives every record of some files a verdict.
pub(crate) trait ReviewCommand: Sync {
    /// Whether pencilmarks are taken too.
    const TAKES_PENCILMARKS: bool;

    /// The subject: puzzles, or puzzles with their solutions.
    type Subject<P: PuzzleText>: Subject;

    /// Returns the verdicts and their columns.
    fn schema(&self) -> Schema;

    /// Returns the format of files of that layout.
    fn format<P: PuzzleText>(&self, layout: &Layout) -> Result<Box<dyn Format<Self::Subject<P>>>, Error>;

    /// Makes a worker that searches with an engine.
    fn worker<P: PuzzleText>(&self, engine: Engine) -> Box<dyn Worker<Self::Subject<P>>>;
}

/// Makes stages that verify a file.
struct ReviewStages<'a, C> {
    args: &'a ReviewArgs,
    command: &'a C,
    /// How records are listed; `None` for only verdicts.
    listing: Option<Listing>,
}

impl<C: ReviewCommand> StageFactory for ReviewStages<'_, C> {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a> {
        let engine = self.args.engine.choose_for(layout)?;
        Ok(Box::new(JobStage {
            format: self.command.format::<P>(layout)?,
            schema: self.command.schema(),
            worker: Box::new(move || self.command.worker::<P>(engine)),
            sink: match &self.listing {
                Some(listing) => Box::new(listing.clone()),
                None => Box::new(()),
            },
            diagnostics,
            fail_fast: self.args.fail_fast,
            keeps_long_lines: false,
            sizing: ChunkSizing::for_puzzles(layout.kind(), engine),
        }))
    }
}

/// How the review of a file ended.
enum Reviewed {
    /// At its end.
    Whole,
    /// At the first record that is not right, where the run ends there.
    Settled,
    /// The run was stopped.
    Stopped,
    /// It can't be read: not at all, or not behind records with these counts.
    Unread { error: Error, counts: Option<StatusCounts> },
}

/// A run over files, and what came of those that are done.
struct Review<'a, 'o, C> {
    args: &'a ReviewArgs,
    command: &'a C,
    files: InputSet<'a>,
    output: &'o RowOutput,
    workers: Workers,
    /// How far an earlier run came that this one goes on with.
    earlier: Progress,
    table: VerdictTable,
    layouts: Vec<Layout>,
}

impl<C: ReviewCommand> Review<'_, '_, C> {
    /// Verifies the files one after another. Returns the file at which the run was interrupted, if it was.
    fn run(&mut self) -> Result<Option<usize>, Error> {
        if !self.args.common.quiet {
            report_resumed(&self.earlier);
        }
        if let Some(columns) = self.args.csv_columns()?.filter(|_| self.earlier.inputs.is_empty()) {
            let _ = self.output.take((columns.join(",") + "\n").as_bytes())?;
        }
        for index in 0..self.files.paths().len() {
            if index < self.earlier.input {
                self.recall(index)?;
                continue;
            }
            let is_bad = self.table.total().failed > 0;
            match self.review(index).map_err(|error| error.after_bad(is_bad))? {
                Reviewed::Whole => self.end_file(None, false),
                Reviewed::Settled => return Ok(None),
                Reviewed::Stopped => return Ok(Some(index)),
                Reviewed::Unread { error, .. } if self.is_only() => return Err(error),
                Reviewed::Unread { error, counts } => {
                    report(&error);
                    self.end_file(Some(&error), counts.is_none());
                    self.files.lacks_files = true;
                    if let Some(counts) = counts {
                        // The run that failed has stopped its workers by it. No one asked for an end.
                        self.files.stop.store(false, Ordering::Relaxed);
                        self.add_broken(index, counts);
                    }
                }
            }
        }
        // An alphabet may be for some of the files.
        if let Err(error) = self.args.common.reading.check_alphabets(self.layouts.iter()) {
            report(&error.into());
            self.files.lacks_files = true;
        }
        Ok(None)
    }

    /// Returns whether only one file was named. What is wrong with it is the error of the run.
    fn is_only(&self) -> bool {
        self.args.files.len() == 1
    }

    /// Adds a file that an earlier run has done. Only its layout is looked at again.
    fn recall(&mut self, index: usize) -> Result<(), Error> {
        let known = self.earlier.inputs.get(index).cloned().unwrap_or_default();
        if let Some(failure) = &known.failure {
            eprint_message(format_args!("gridmill: {failure}\n"));
            self.files.lacks_files = true;
            if !known.is_refused {
                self.add_broken(index, known.statuses);
            }
            return Ok(());
        }
        let layout = self.look(index)?.map(|(_, layout)| layout);
        self.layouts.extend(layout);
        self.table.add(self.name(index), known.statuses);
        Ok(())
    }

    /// Adds a file whose rest could not be read.
    fn add_broken(&mut self, index: usize, counts: StatusCounts) {
        self.table.add(format!("{}, not whole", self.name(index)), counts);
    }

    fn name(&self, index: usize) -> String {
        shown_name(self.files.paths()[index]).display().to_string()
    }

    /// Opens a file and detects its format; `None` if the run is stopped before that.
    fn look(&mut self, index: usize) -> Result<Option<(Input, Layout)>, Error> {
        let opened = self.files.look(index, C::TAKES_PENCILMARKS)?;
        if let Some((input, layout)) = opened.as_ref().filter(|_| self.is_only()) {
            let used = self.args.common.reading.check_alphabets(iter::once(layout));
            used.map_err(|error| Error::from(error).in_file(input.name()))?;
        }
        Ok(opened)
    }

    /// Verifies a file, or the rest of it.
    fn review(&mut self, index: usize) -> Result<Reviewed, Error> {
        let begun = self.earlier.inputs.get(index).map(|input| input.statuses);
        if begun.is_none() {
            self.output.update(|progress| progress.inputs.push(InputCounts::default()));
        }
        let counts = begun.unwrap_or_default();
        let (mut input, layout) = match self.look(index) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(Reviewed::Stopped),
            Err(error) => return Ok(Reviewed::Unread { error, counts: None }),
        };
        let name = input.name().to_owned();
        if self.args.fail_fast && counts.failed > 0 {
            return Ok(self.add(&name, layout, counts, false));
        }
        let place = self.earlier.place.filter(|_| index == self.earlier.input);
        if place.is_none() {
            self.output.update(|progress| progress.begin_input(input.preamble_span()));
        }
        if !self.files.pass(&mut input, place.map(|place| (place, self.earlier.span)))? {
            return Ok(self.add(&name, layout, counts, true));
        }
        let (args, command) = (self.args, self.command);
        let stages = ReviewStages { args, command, listing: args.listing(&input)? };
        // Without diagnostics: the listing has them.
        let stage = match stage_for(&stages, &layout, false) {
            Ok(stage) => stage,
            Err(error) => return Ok(Reviewed::Unread { error: error.in_file(&name), counts: None }),
        };
        let mut console = self.files.console(&input, Some(self.output), counts);
        let take = &mut |rows: &Vec<u8>| self.output.take(rows);
        let finished = self.files.run_file(&self.workers, input, &*stage, None, take, &mut console);
        let counts = console.counts;
        match finished {
            Ok(finished) => Ok(self.add(&name, layout, counts, finished.stopped)),
            Err(error) if error.is_of_input() => Ok(Reviewed::Unread { error, counts: Some(counts) }),
            Err(error) => Err(error.of_record_in(&name).after_bad(counts.failed > 0)),
        }
    }

    /// Adds a file that was read to its end, or to the place where the run ends.
    fn add(&mut self, name: &Path, layout: Layout, counts: StatusCounts, stopped: bool) -> Reviewed {
        self.layouts.push(layout);
        self.table.add(name.display().to_string(), counts);
        match stopped {
            _ if self.args.fail_fast && counts.failed > 0 => Reviewed::Settled,
            true => Reviewed::Stopped,
            false => Reviewed::Whole,
        }
    }

    /// Notes for the journal that a file is done, and why it could not be read, if it could not.
    fn end_file(&self, failure: Option<&Error>, is_refused: bool) {
        self.output.update(|progress| {
            if let Some(input) = progress.inputs.last_mut() {
                (input.failure, input.is_refused) = (failure.map(message), is_refused);
            }
            let records = progress.inputs.iter().map(|input| input.statuses.records()).sum();
            progress.end_input(records);
        });
    }
}

impl ReviewArgs {
    pub(crate) fn run(&self, command: &impl ReviewCommand, given: &Given) -> Result<End, Error> {
        let path = self.output.as_deref();
        if self.parts.are_done(path, self.common.quiet)? {
            return Ok(End::Good);
        }
        let mut files = InputSet::new(&self.files, &self.common, path)?;
        files.divide(self.parts.shard)?;
        let output = self.parts.open_output(given, path, &files)?;
        files.stop = stop_on_interrupt();
        let mut review = Review {
            args: self,
            command,
            files,
            output: &output,
            workers: Workers::new(self.common.threads())?,
            earlier: output.progress().unwrap_or_default(),
            table: VerdictTable::new(command.schema().statuses),
            layouts: Vec::new(),
        };
        let interrupted = review.run().map_err(|error| broken_off(error, output.resumable()))?;
        let Review { table, files, .. } = review;
        self.end(output, &table, &files, interrupted)
    }

    /// Returns whether records are listed: with `--quiet` only where the user asks for a list.
    fn is_listing(&self) -> bool {
        !self.common.quiet || self.all || self.output.is_some() || self.columns.is_some()
    }

    /// Returns the columns of a listing as CSV: those that are chosen, or all for an output that is named; `None` for a
    /// listing in lines.
    fn csv_columns(&self) -> Result<Option<Vec<&'static str>>, CommandError> {
        let Some(list) = &self.columns else {
            return Ok(self.output.is_some().then(|| Listing::COLUMNS.to_vec()));
        };
        let chosen = list.of(&Listing::COLUMNS.map(str::to_owned))?;
        Ok(Some(chosen.into_iter().map(|index| Listing::COLUMNS[index]).collect()))
    }

    /// Returns how the records of a file are listed; `None` if they are not.
    fn listing(&self, input: &Input) -> Result<Option<Listing>, CommandError> {
        let listing = Listing {
            columns: self.csv_columns()?,
            all: self.all,
            advice: of_fault,
            before: input.before_part(),
            ..Listing::new(input.name())
        };
        Ok(Some(listing).filter(|_| self.is_listing()))
    }

    /// Reports the results. `interrupted` is the file at which the run was interrupted.
    fn end(
        &self,
        output: RowOutput,
        table: &VerdictTable,
        files: &InputSet<'_>,
        interrupted: Option<usize>,
    ) -> Result<End, Error> {
        if table.is_empty() {
            return Ok(if interrupted.is_some() { End::Interrupted } else { End::Incomplete });
        }
        if !self.common.quiet {
            if let Some(shard) = self.parts.shard {
                eprint_message(format_args!("part {shard}\n"));
            }
            eprint_message(table);
        }
        let total = table.total();
        if let Some(index) = interrupted {
            let name = shown_name(files.paths()[index]).display();
            let has_journal = output.has_journal();
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{} records, in {name}", total.records()), None);
            if let Some(path) = &kept {
                eprint_message(format_args!("gridmill: the listing so far is in {}\n", path.display()));
            }
            report_going_on(has_journal && kept.is_some());
            return Ok(End::Interrupted);
        }
        let is_empty = total.records() == 0 && self.parts.shard.is_none() && !files.lacks_files;
        if is_empty {
            report_empty(&self.files[0]);
        }
        commit(output, None)?;
        Ok(End::of_whole(files.lacks_files, is_empty || total.failed > 0))
    }
}
