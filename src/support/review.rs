//! The run of `verify` and `check`: files verified one after another, a listing, a table.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::verdict_table::VerdictTable;
use clap::Args;
use gridmill_core::jobs::{Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::{Error, display_name};
use gridmill_data::output::{Destination, InputCounts, Listing, Progress, RowOutput};
use gridmill_data::pipeline::{ChunkSizing, Input, JobStage, RunOptions, Stage, Workers};
use gridmill_data::record::{Span, StatusCounts, Subject, Totals};
use gridmill_data::text::{Format, Layout, PuzzleText};
use gridmill_report::eprint_message;

use super::advice::{message, of_fault};
use super::columns::{ColumnList, column_list};
use super::command_error::CommandError;
use super::engine::EngineArgs;
use super::given::Given;
use super::input_args::CommonArgs;
use super::interrupt::{report_interrupted, stop_on_interrupt};
use super::outputs::{commit, is_terminal};
use super::parts::{PartArgs, Parts, broken_off, report_going_on, report_resumed};
use super::present_files::{PresentFiles, report, report_empty};
use super::shard::Division;
use super::stage_factory::{StageFactory, stage_for};
use super::values::file_name;
use crate::cli::End;
use crate::support::console::Watched;

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

    /// What is judged: puzzles, or puzzles with their solutions.
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
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let engine = self.args.engine.choose_for(layout)?;
        Ok(Box::new(JobStage {
            format: self.command.format::<P>(layout)?,
            schema: self.command.schema(),
            worker: Box::new(move || self.command.worker::<P>(engine)),
            sink: match &self.listing {
                Some(listing) => Box::new(listing.clone()),
                None => Box::new(()),
            },
            // The listing has them.
            diagnostics: false,
            fail_fast: self.args.fail_fast,
            keeps_long_lines: false,
            sizing: ChunkSizing::for_puzzles(layout.kind(), engine),
        }))
    }
}

/// How the review of one file ended.
enum Reviewed {
    /// The run was stopped before its first record.
    NotBegun,
    /// It can't be read at all.
    Refused(Error),
    /// Reading failed after records with these counts.
    Broken { name: PathBuf, counts: StatusCounts, error: Error },
    /// It has these counts, up to its end or to the place where the run was stopped.
    Done { name: PathBuf, layout: Box<Layout>, counts: StatusCounts, stopped: bool },
}

/// The files that were verified, and whether others could not be.
struct Review {
    table: VerdictTable,
    layouts: Vec<Layout>,
    lacks_files: bool,
}

impl Review {
    /// Adds a file whose rest could not be read.
    fn add_broken(&mut self, name: &Path, counts: StatusCounts) {
        self.table.add(format!("{}, not whole", name.display()), counts);
        self.lacks_files = true;
    }
}

/// What all files of a run share.
struct ReviewRun<'a> {
    output: &'a RowOutput,
    workers: Workers,
    stop: &'a AtomicBool,
    /// How far an earlier run came that this one goes on with.
    earlier: Progress,
}

impl ReviewRun<'_> {
    /// Notes that a file is begun, unless an earlier run has begun it. Returns what that one read of it, and what it counted.
    fn begin(&self, index: usize) -> (Option<(Totals, Span)>, StatusCounts) {
        let begun = self.earlier.inputs.get(index);
        if begun.is_none() {
            self.output.update(|progress| progress.inputs.push(InputCounts::default()));
        }
        let place = self.earlier.place.filter(|_| index == self.earlier.input);
        (
            place.map(|place| (place, self.earlier.span)),
            begun.map_or_else(StatusCounts::default, |it| it.statuses),
        )
    }

    /// Notes that a file is done, and why it could not be read, if it could not.
    fn end(&self, failure: Option<&Error>, is_refused: bool) {
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
        if self.parts.are_done(self.output.as_deref(), self.common.quiet)? {
            return Ok(End::Good);
        }
        let present = PresentFiles::of(&self.files)?;
        let division = Division::of(self.parts.shards.shard, &present)?;
        let inputs: Vec<_> = present.paths.iter().map(|path| file_name(Some(path))).collect();
        let open = || Destination::open_before(file_name(self.output.as_deref()), &inputs);
        let parts = Parts { args: &self.parts, given };
        let output = parts.open_output(self.output.as_deref(), &present.paths, open)?;
        let stop = stop_on_interrupt();
        let run = ReviewRun {
            output: &output,
            workers: Workers::new(self.common.threads())?,
            stop: &stop,
            earlier: output.progress().unwrap_or_default(),
        };
        let reviewed = self.review_all(command, &present, division.as_ref(), &run);
        let (review, interrupted) = match reviewed.map_err(|error| broken_off(error, output.resumable()))? {
            Some(reviewed) => reviewed,
            None => return Ok(End::Interrupted),
        };
        self.end(output, &review, interrupted)
    }

    /// Verifies the files one after another. Returns what came of it, and the file at which the run was interrupted; `None`
    /// if it was interrupted before the first record.
    fn review_all<'p, C: ReviewCommand>(
        &self,
        command: &C,
        present: &PresentFiles<'p>,
        division: Option<&Division>,
        run: &ReviewRun<'_>,
    ) -> Result<Option<(Review, Option<&'p Path>)>, Error> {
        if !self.common.quiet {
            report_resumed(&run.earlier);
        }
        if let Some(columns) = self.csv_columns()?.filter(|_| run.earlier.inputs.is_empty()) {
            let _ = run.output.take((columns.join(",") + "\n").as_bytes())?;
        }
        let table = VerdictTable::new(command.schema().statuses);
        let mut review = Review { table, layouts: Vec::new(), lacks_files: !present.is_whole };
        for (index, &path) in present.paths.iter().enumerate() {
            if index < run.earlier.input {
                let known = run.earlier.inputs.get(index).cloned().unwrap_or_default();
                self.recall::<C>(path, &known, run.stop, &mut review)?;
                continue;
            }
            let is_bad = review.table.total().failed > 0;
            let reviewed = self.review(command, path, index, run, division);
            match reviewed.map_err(|error| error.after_bad(is_bad))? {
                Reviewed::NotBegun if review.table.is_empty() => return Ok(None),
                Reviewed::NotBegun => return Ok(Some((review, Some(path)))),
                Reviewed::Refused(error) | Reviewed::Broken { error, .. } if self.files.len() == 1 => {
                    return Err(error);
                }
                Reviewed::Refused(error) => {
                    report(&error);
                    run.end(Some(&error), true);
                    review.lacks_files = true;
                }
                Reviewed::Broken { name, counts, error } => {
                    report(&error);
                    run.end(Some(&error), false);
                    // The run that failed has stopped its workers by it. No one asked for an end.
                    run.stop.store(false, Ordering::Relaxed);
                    review.add_broken(&name, counts);
                }
                Reviewed::Done { name, layout, counts, stopped } => {
                    review.layouts.push(*layout);
                    review.table.add(name.display().to_string(), counts);
                    let is_settled = self.fail_fast && counts.failed > 0;
                    if is_settled || stopped {
                        return Ok(Some((review, (!is_settled).then_some(path))));
                    }
                    run.end(None, false);
                }
            }
        }
        // An alphabet may be for some of the files.
        if let Err(error) = self.common.reading.check_alphabets(review.layouts.iter()) {
            report(&error.into());
            review.lacks_files = true;
        }
        Ok(Some((review, None)))
    }

    /// Adds a file that an earlier run has done. Only its layout is looked at again.
    fn recall<C: ReviewCommand>(
        &self,
        path: &Path,
        known: &InputCounts,
        stop: &AtomicBool,
        review: &mut Review,
    ) -> Result<(), Error> {
        let name = display_name(file_name(Some(path)), "<stdin>");
        if let Some(failure) = &known.failure {
            eprint_message(format_args!("gridmill: {failure}\n"));
            review.lacks_files = true;
            if !known.is_refused {
                review.add_broken(name, known.statuses);
            }
            return Ok(());
        }
        review.layouts.extend(self.open(path, C::TAKES_PENCILMARKS, stop)?.map(|(_, layout)| layout));
        review.table.add(name.display().to_string(), known.statuses);
        Ok(())
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

    /// Verifies a file, or the rest of it.
    fn review<C: ReviewCommand>(
        &self,
        command: &C,
        path: &Path,
        index: usize,
        run: &ReviewRun<'_>,
        division: Option<&Division>,
    ) -> Result<Reviewed, Error> {
        let (read, counts) = run.begin(index);
        let (mut input, layout) = match self.open(path, C::TAKES_PENCILMARKS, run.stop) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(Reviewed::NotBegun),
            Err(error) => return Ok(Reviewed::Refused(error)),
        };
        let name = input.name().to_owned();
        if let Some(division) = division {
            let narrowed =
                division.check_and_narrow(index, &mut input, &layout, &self.common.reading.options());
            if let Err(error) = narrowed {
                return Ok(Reviewed::Refused(error));
            }
        }
        if self.fail_fast && counts.failed > 0 {
            return Ok(Reviewed::Done { name, layout: Box::new(layout), counts, stopped: false });
        }
        match read {
            None => run.output.update(|progress| progress.begin_input(input.preamble_span())),
            Some((place, span)) => {
                let output = file_name(self.output.as_deref());
                if !self.common.pass(&mut input, place, span, output, run.stop)? {
                    return Ok(Reviewed::Done { name, layout: Box::new(layout), counts, stopped: true });
                }
            }
        }
        let listing = Listing {
            columns: self.csv_columns()?,
            all: self.all,
            advice: of_fault,
            before: input.before_part(),
            ..Listing::new(&name)
        };
        let stages =
            ReviewStages { args: self, command, listing: Some(listing).filter(|_| self.is_listing()) };
        let stage = match stage_for(&stages, layout.kind(), &layout) {
            Ok(stage) => stage,
            Err(error) => return Ok(Reviewed::Refused(error.in_file(&name))),
        };
        let console = self.common.console(&input, None, is_terminal(self.output.as_deref()));
        let mut watched = Watched { console, journal: Some(run.output), counts };
        let options =
            RunOptions { for_journal: run.output.has_journal(), ..self.common.run_options(&*stage) };
        let finished = run.workers.run(
            &options,
            input,
            &mut |rows: &Vec<u8>| run.output.take(rows),
            &mut watched,
            run.stop,
        );
        watched.console.finish();
        drop(stage);
        let counts = watched.counts;
        let stopped = match finished {
            Ok(finished) => finished.stopped,
            Err(error) if error.is_of_input() => return Ok(Reviewed::Broken { name, counts, error }),
            Err(error) => return Err(error.of_record_in(&name).after_bad(counts.failed > 0)),
        };
        Ok(Reviewed::Done { name, layout: Box::new(layout), counts, stopped })
    }

    /// Opens a file and detects its format; `None` if the run is stopped before that.
    fn open(
        &self,
        path: &Path,
        takes_pencilmarks: bool,
        stop: &AtomicBool,
    ) -> Result<Option<(Input, Layout)>, Error> {
        let mut input = self.common.open_input(path)?;
        let layout = match takes_pencilmarks {
            true => self.common.layout(&mut input, stop),
            false => self.common.layout_of_clues(&mut input, stop),
        };
        let layout = layout.map_err(|error| error.in_file(input.name()))?;
        if self.files.len() == 1 {
            let used = self.common.reading.check_alphabets(layout.iter());
            used.map_err(|error| Error::from(error).in_file(input.name()))?;
        }
        Ok(layout.map(|layout| (input, layout)))
    }

    /// Reports the results. `interrupted` is the file at which the run was interrupted.
    fn end(&self, output: RowOutput, review: &Review, interrupted: Option<&Path>) -> Result<End, Error> {
        if review.table.is_empty() {
            return Ok(End::Incomplete);
        }
        if !self.common.quiet {
            if let Some(shard) = self.parts.shards.shard {
                eprint_message(format_args!("part {shard}\n"));
            }
            eprint_message(&review.table);
        }
        let total = review.table.total();
        let is_whole = self.parts.shards.shard.is_none();
        if total.records() == 0 && is_whole && !review.lacks_files && interrupted.is_none() {
            report_empty(&self.files[0]);
            commit(output, None)?;
            return Ok(End::Imperfect);
        }
        if let Some(path) = interrupted {
            let name = display_name(file_name(Some(path)), "<stdin>");
            let has_journal = output.has_journal();
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{} records, in {}", total.records(), name.display()), None);
            if let Some(path) = &kept {
                eprint_message(format_args!("gridmill: the listing so far is in {}\n", path.display()));
            }
            report_going_on(has_journal && kept.is_some());
            return Ok(End::Interrupted);
        }
        commit(output, None)?;
        Ok(match total.failed {
            _ if review.lacks_files => End::Incomplete,
            0 => End::Good,
            _ => End::Imperfect,
        })
    }
}
