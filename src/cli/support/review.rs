//! The run of `verify` and `check`: files verified one after another, a listing, a table.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;

use super::advice::of_fault;
use super::columns::{ColumnList, column_list};
use super::command_error::CommandError;
use super::engine::EngineArgs;
use super::input_args::CommonArgs;
use super::interrupt::{report_interrupted, stop_on_interrupt};
use super::outputs::{is_terminal, put};
use super::present_files::{PresentFiles, report, report_empty};
use super::stage_factory::{StageFactory, stage_for};
use super::values::file_name;
use crate::cli::End;
use crate::collection::Verifier;
use crate::error::Error;
use crate::output::{Console, Destination, ListedColumn, Listing, VerdictTable, eprint_message};
use crate::pipeline::{Input, Searchable, Stage, Verify as VerifyStage, Workers};
use crate::record::{ChunkReport, Observer, Verdicts};
use crate::text::Layout;

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
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    engine: EngineArgs,
}

/// Makes the verifiers of a command.
pub(crate) trait VerifierFactory {
    /// Whether the verifiers take pencilmarks.
    const TAKES_PENCILMARKS: bool;

    type Verifier<P: Searchable>: Verifier<P> + 'static;

    /// Returns a function that makes a verifier for a file, one for each worker.
    fn verifiers<P: Searchable>(
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
}

impl<F: VerifierFactory> StageFactory for ReviewStages<'_, F> {
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let engine = self.args.engine.choose_for(layout)?;
        let listing = match &self.columns {
            Some(columns) => Listing::csv(self.name, columns),
            None => Listing::lines(self.name),
        };
        Ok(Box::new(VerifyStage {
            format: layout.format(),
            engine: Box::new(move || P::solver(engine)),
            verifier: Box::new(self.factory.verifiers::<P>(layout)?),
            listing: self.args.is_listing().then(|| listing.with_advice(of_fault)),
            all: self.args.all,
            fail_fast: self.args.fail_fast,
            sizing: P::sizing(engine),
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

impl ReviewArgs {
    pub(crate) fn run(&self, factory: &impl VerifierFactory) -> Result<End, Error> {
        let present = PresentFiles::of(&self.files)?;
        let inputs: Vec<_> = present.paths.iter().map(|path| file_name(Some(path))).collect();
        let mut output = Destination::open_before(file_name(self.output.as_deref()), &inputs)?;
        let stop = stop_on_interrupt();
        if let Some(columns) = self.csv_columns()? {
            put(&mut output, Listing::csv_header(&columns).as_bytes())?;
        }
        let workers = Workers::new(self.common.threads())?;
        let mut review =
            Review { table: VerdictTable::default(), layouts: Vec::new(), lacks_files: !present.is_whole };
        for path in present.paths {
            match self.review(factory, path, &workers, &mut output, &stop)? {
                Reviewed::NotBegun if review.table.is_empty() => return Ok(End::Interrupted),
                Reviewed::NotBegun => return self.end(output, &review, Some(path)),
                Reviewed::Refused(error) if self.files.len() == 1 => return Err(error),
                Reviewed::Refused(error) => {
                    report(&error);
                    review.lacks_files = true;
                }
                Reviewed::Broken { error, .. } if self.files.len() == 1 => return Err(error),
                Reviewed::Broken { name, verdicts, error } => {
                    report(&error);
                    // The run that failed has stopped its workers by it. No one asked for an end.
                    stop.store(false, Ordering::Relaxed);
                    review.table.add(format!("{}, not whole", name.display()), verdicts);
                    review.lacks_files = true;
                }
                Reviewed::Done { name, layout, verdicts, stopped } => {
                    review.layouts.push(*layout);
                    review.table.add(name.display().to_string(), verdicts);
                    let is_settled = self.fail_fast && verdicts.bad() > 0;
                    if is_settled || stopped {
                        return self.end(output, &review, (!is_settled).then_some(&*name));
                    }
                }
            }
        }
        // An alphabet may be for some of the files.
        if let Err(error) = self.common.reading.check_alphabets(review.layouts.iter()) {
            report(&error.into());
            review.lacks_files = true;
        }
        self.end(output, &review, None)
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

    /// Verifies a file.
    fn review<F: VerifierFactory>(
        &self,
        factory: &F,
        path: &Path,
        workers: &Workers,
        output: &mut Destination,
        stop: &AtomicBool,
    ) -> Result<Reviewed, Error> {
        let (input, layout) = match self.open(path, F::TAKES_PENCILMARKS, stop) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(Reviewed::NotBegun),
            Err(error) => return Ok(Reviewed::Refused(error)),
        };
        let name = input.name().to_owned();
        let stages = ReviewStages { args: self, factory, name: &name, columns: self.csv_columns()? };
        let stage = match stage_for(&stages, &layout) {
            Ok(stage) => stage,
            Err(error) => return Ok(Reviewed::Refused(error.in_file(&name))),
        };
        let console = self.common.console(&input, None, is_terminal(self.output.as_deref()));
        let mut watch = Watch { console, verdicts: Verdicts::default() };
        let finished = workers.run(&self.common.job(&*stage), input, output, &mut watch, stop);
        watch.console.finish();
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
    fn end(&self, output: Destination, review: &Review, interrupted: Option<&Path>) -> Result<End, Error> {
        if review.table.is_empty() {
            return Ok(End::Incomplete);
        }
        if !self.common.quiet {
            eprint_message(&review.table);
        }
        let total = review.table.total();
        if total.records() == 0 && !review.lacks_files && interrupted.is_none() {
            report_empty(&self.files[0]);
            output.commit()?;
            return Ok(End::Imperfect);
        }
        if let Some(path) = interrupted {
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{} records, in {}", total.records(), path.display()), None);
            if let Some(path) = kept {
                eprint_message(format_args!("gridmill: the listing so far is in {}\n", path.display()));
            }
            return Ok(End::Interrupted);
        }
        output.commit()?;
        Ok(match total.bad() {
            _ if review.lacks_files => End::Incomplete,
            0 => End::Good,
            _ => End::Imperfect,
        })
    }
}

/// Shows the progress of a run, and counts the verdicts that were written.
struct Watch {
    console: Console,
    verdicts: Verdicts,
}

impl Observer for Watch {
    fn written(&mut self, chunk: &ChunkReport) {
        self.verdicts.merge(&chunk.verdicts);
        self.console.written(chunk);
    }

    fn lost(&mut self, chunk: &ChunkReport) {
        self.console.lost(chunk);
    }
}
