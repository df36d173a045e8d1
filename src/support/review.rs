//! The run of `verify` and `check`: files verified one after another, a listing, a table.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::support::verdict_table::VerdictTable;
use clap::Args;
use gridmill_data::collection::Verifier;
use gridmill_data::error::{Error, display_name};
use gridmill_data::output::{
    CountedBefore, Destination, InputVerdicts, ListedColumn, Listing, Progress, RowOutput,
};
use gridmill_data::pipeline::{
    ChunkSizing, Input, RunOptions, Stage, Verify as VerifyStage, Workers, rows_to,
};
use gridmill_data::record::{ChunkReport, Observer, Span, Totals, Verdicts};
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;

use super::advice::{message, of_fault};
use super::columns::{ColumnList, column_list};
use super::command_error::CommandError;
use super::engine::EngineArgs;
use super::given::Given;
use super::input_args::CommonArgs;
use super::interrupt::{report_interrupted, stop_on_interrupt};
use super::outputs::{commit, is_terminal, put};
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

/// Makes the verifiers of a command.
pub(crate) trait VerifierFactory {
    /// Whether the verifiers take pencilmarks.
    const TAKES_PENCILMARKS: bool;

    type Verifier<P: PuzzleText>: Verifier<P> + 'static;

    /// Returns a function that makes a verifier for a file, one for each worker.
    fn verifiers<P: PuzzleText>(
        &self,
        layout: &Layout,
    ) -> Result<impl Fn() -> Self::Verifier<P> + Sync + 'static, Error>;
}

/// Makes stages that verify a file.
struct ReviewStages<'a, F> {
    args: &'a ReviewArgs,
    factory: &'a F,
    name: &'a Path,
    /// The columns of a listing as CSV; `None` for lines.
    columns: Option<Vec<ListedColumn>>,
    /// What is in front of the part that is read.
    before: Option<CountedBefore>,
}

impl<F: VerifierFactory> StageFactory for ReviewStages<'_, F> {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let engine = self.args.engine.choose_for(layout)?;
        let listing = match &self.columns {
            Some(columns) => Listing::csv(self.name, columns),
            None => Listing::lines(self.name),
        };
        let verifier = self.factory.verifiers::<P>(layout)?;
        Ok(Box::new(VerifyStage {
            format: layout.format(),
            engine: Box::new(move || P::solver(engine)),
            verifier: Box::new(move || Box::new(verifier())),
            listing: self
                .args
                .is_listing()
                .then(|| listing.with_advice(of_fault).with_numbers_from(self.before.clone())),
            all: self.args.all,
            fail_fast: self.args.fail_fast,
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
    /// Reading failed behind records with these verdicts.
    Broken { name: PathBuf, verdicts: Verdicts, error: Error },
    /// It has these verdicts, up to its end or to the place where the run was stopped.
    Done { name: PathBuf, layout: Box<Layout>, verdicts: Verdicts, stopped: bool },
}

/// The files that were verified, and whether others could not be.
struct Review {
    table: VerdictTable,
    layouts: Vec<Layout>,
    lacks_files: bool,
}

impl Review {
    /// Adds a file whose rest could not be read.
    fn add_broken(&mut self, name: &Path, verdicts: Verdicts) {
        self.table.add(format!("{}, not whole", name.display()), verdicts);
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
    /// Notes that a file is begun, unless an earlier run has begun it. Returns what that one read of it, and the verdicts
    /// that it gave.
    fn begin(&self, index: usize) -> (Option<(Totals, Span)>, Verdicts) {
        let begun = self.earlier.verdicts.get(index);
        if begun.is_none() {
            self.output.update(|progress| progress.verdicts.push(InputVerdicts::default()));
        }
        let place = self.earlier.place.filter(|_| index == self.earlier.input);
        (
            place.map(|place| (place, self.earlier.span)),
            begun.map_or_else(Verdicts::default, |it| it.verdicts),
        )
    }

    /// Notes that a file is done, and why it could not be read, if it could not.
    fn end(&self, failure: Option<&Error>, is_refused: bool) {
        self.output.update(|progress| {
            if let Some(input) = progress.verdicts.last_mut() {
                (input.failure, input.is_refused) = (failure.map(message), is_refused);
            }
            let records = progress.verdicts.iter().map(|input| input.verdicts.records()).sum();
            progress.end_input(records);
        });
    }
}

impl ReviewArgs {
    pub(crate) fn run(&self, factory: &impl VerifierFactory, given: &Given) -> Result<End, Error> {
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
        let reviewed = self.review_all(factory, &present, division.as_ref(), &run);
        let (review, interrupted) = match reviewed.map_err(|error| broken_off(error, output.resumable()))? {
            Some(reviewed) => reviewed,
            None => return Ok(End::Interrupted),
        };
        self.end(output, &review, interrupted)
    }

    /// Verifies the files one after another. Returns what came of it, and the file at which the run was interrupted; `None`
    /// if it was interrupted before the first record.
    fn review_all<'p, F: VerifierFactory>(
        &self,
        factory: &F,
        present: &PresentFiles<'p>,
        division: Option<&Division>,
        run: &ReviewRun<'_>,
    ) -> Result<Option<(Review, Option<&'p Path>)>, Error> {
        if !self.common.quiet {
            report_resumed(&run.earlier);
        }
        if let Some(columns) = self.csv_columns()?.filter(|_| run.earlier.verdicts.is_empty()) {
            put(&mut &*run.output, Listing::csv_header(&columns).as_bytes())?;
        }
        let mut review =
            Review { table: VerdictTable::default(), layouts: Vec::new(), lacks_files: !present.is_whole };
        for (index, &path) in present.paths.iter().enumerate() {
            if index < run.earlier.input {
                let known = run.earlier.verdicts.get(index).cloned().unwrap_or_default();
                self.recall::<F>(path, &known, run.stop, &mut review)?;
                continue;
            }
            match self.review(factory, path, index, run, division)? {
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
                Reviewed::Broken { name, verdicts, error } => {
                    report(&error);
                    run.end(Some(&error), false);
                    // The run that failed has stopped its workers by it. No one asked for an end.
                    run.stop.store(false, Ordering::Relaxed);
                    review.add_broken(&name, verdicts);
                }
                Reviewed::Done { name, layout, verdicts, stopped } => {
                    review.layouts.push(*layout);
                    review.table.add(name.display().to_string(), verdicts);
                    let is_settled = self.fail_fast && verdicts.bad() > 0;
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
    fn recall<F: VerifierFactory>(
        &self,
        path: &Path,
        known: &InputVerdicts,
        stop: &AtomicBool,
        review: &mut Review,
    ) -> Result<(), Error> {
        let name = display_name(file_name(Some(path)), "<stdin>");
        if let Some(failure) = &known.failure {
            eprint_message(format_args!("gridmill: {failure}\n"));
            review.lacks_files = true;
            if !known.is_refused {
                review.add_broken(name, known.verdicts);
            }
            return Ok(());
        }
        review.layouts.extend(self.open(path, F::TAKES_PENCILMARKS, stop)?.map(|(_, layout)| layout));
        review.table.add(name.display().to_string(), known.verdicts);
        Ok(())
    }

    /// Returns whether records are listed: with `--quiet` only where the user asks for a list.
    fn is_listing(&self) -> bool {
        !self.common.quiet || self.all || self.output.is_some() || self.columns.is_some()
    }

    /// Returns the columns of a listing as CSV: those that are chosen, or all for an output that is named; `None` for a
    /// listing in lines.
    fn csv_columns(&self) -> Result<Option<Vec<ListedColumn>>, CommandError> {
        let Some(list) = &self.columns else {
            return Ok(self.output.is_some().then(|| ListedColumn::ALL.to_vec()));
        };
        let chosen = list.of(&ListedColumn::ALL.map(|column| column.name().to_owned()))?;
        Ok(Some(chosen.into_iter().map(|index| ListedColumn::ALL[index]).collect()))
    }

    /// Verifies a file, or the rest of it.
    fn review<F: VerifierFactory>(
        &self,
        factory: &F,
        path: &Path,
        index: usize,
        run: &ReviewRun<'_>,
        division: Option<&Division>,
    ) -> Result<Reviewed, Error> {
        let (read, verdicts) = run.begin(index);
        let (mut input, layout) = match self.open(path, F::TAKES_PENCILMARKS, run.stop) {
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
        if self.fail_fast && verdicts.bad() > 0 {
            return Ok(Reviewed::Done { name, layout: Box::new(layout), verdicts, stopped: false });
        }
        match read {
            None => run.output.update(|progress| progress.begin_input(input.preamble_span())),
            Some((place, span)) => {
                let output = file_name(self.output.as_deref());
                if !self.common.pass(&mut input, place, span, output, run.stop)? {
                    return Ok(Reviewed::Done { name, layout: Box::new(layout), verdicts, stopped: true });
                }
            }
        }
        let (columns, before) = (self.csv_columns()?, input.before_part());
        let stages = ReviewStages { args: self, factory, name: &name, columns, before };
        let stage = match stage_for(&stages, layout.kind(), &layout) {
            Ok(stage) => stage,
            Err(error) => return Ok(Reviewed::Refused(error.in_file(&name))),
        };
        let console = self.common.console(&input, None, is_terminal(self.output.as_deref()));
        let watched = Watched { console, journal: Some(run.output) };
        let mut watch = Watch { watched, verdicts };
        let options =
            RunOptions { for_journal: run.output.has_journal(), ..self.common.run_options(&*stage) };
        let finished =
            run.workers.run(&options, input, &mut rows_to(&mut &*run.output), &mut watch, run.stop);
        watch.watched.console.finish();
        drop(stage);
        let verdicts = watch.verdicts;
        let stopped = match finished {
            Ok(finished) => finished.stopped,
            Err(error) if error.is_of_input() => return Ok(Reviewed::Broken { name, verdicts, error }),
            Err(error) => return Err(error.of_record_in(&name)),
        };
        Ok(Reviewed::Done { name, layout: Box::new(layout), verdicts, stopped })
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
        Ok(match total.bad() {
            _ if review.lacks_files => End::Incomplete,
            0 => End::Good,
            _ => End::Imperfect,
        })
    }
}

/// Shows the progress of a run, tells the journal, and counts the verdicts that were written.
struct Watch<'a> {
    watched: Watched<'a>,
    verdicts: Verdicts,
}

impl Observer for Watch<'_> {
    fn written(&mut self, chunk: &ChunkReport) {
        self.verdicts.merge(&chunk.verdicts);
        self.watched.written(chunk);
    }
}
