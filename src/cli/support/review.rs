//! The run of `verify` and `check`: files verified one after another, a listing, a table.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::advice::of_fault;
use super::engine::EngineArgs;
use super::input_args::CommonArgs;
use super::input_set::check_files;
use super::interrupt::{report_interrupted, stop_on_interrupt};
use super::outputs::put;
use super::stage_factory::{Searchable, StageFactory, stage_for};
use super::values::file_name;
use crate::cli::End;
use crate::collection::Verifier;
use crate::error::Error;
use crate::output::{Console, Destination, Listing, VerdictTable, eprint_message};
use crate::pipeline::{self, Stage, Verify as VerifyStage};
use crate::record::{ChunkReport, Observer, Verdicts};
use crate::text::Layout;

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// Files of puzzles; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// List every record, not only those that are not good
    #[arg(long)]
    all: bool,

    /// Write the listing to this file as CSV: file,record,line,puzzle,verdict,reason (- for standard output)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// End at the first record that is not good
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
}

impl<F: VerifierFactory> StageFactory for ReviewStages<'_, F> {
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let engine = self.args.engine.choose_for(layout)?;
        let listing = if self.args.output.is_some() { Listing::csv } else { Listing::lines };
        Ok(Box::new(VerifyStage {
            format: layout.format(),
            engine: Box::new(move || P::solver(engine)),
            verifier: Box::new(self.factory.verifiers::<P>(layout)?),
            listing: listing(self.name).with_advice(of_fault),
            all: self.args.all,
            fail_fast: self.args.fail_fast,
            sizing: P::sizing(engine),
        }))
    }
}

/// The result for one file.
struct Reviewed {
    name: PathBuf,
    verdicts: Verdicts,
    stopped: bool,
}

impl ReviewArgs {
    pub(crate) fn run(&self, factory: &impl VerifierFactory) -> Result<End, Error> {
        check_files(&self.files)?;
        let inputs: Vec<_> = self.files.iter().map(|path| file_name(Some(path))).collect();
        let mut output = Destination::open_before(file_name(self.output.as_deref()), &inputs)?;
        let stop = stop_on_interrupt();
        if self.output.is_some() {
            put(&mut output, Listing::CSV_HEADER.as_bytes())?;
        }
        let mut table = VerdictTable::default();
        for path in &self.files {
            let Some(file) = self.review(factory, path, &mut output, &stop)? else {
                let is_first = table.is_empty();
                return if is_first { Ok(End::Interrupted) } else { self.end(output, &table, Some(path)) };
            };
            table.add(file.name.display().to_string(), file.verdicts);
            let is_settled = self.fail_fast && file.verdicts.bad() > 0;
            if is_settled || file.stopped {
                return self.end(output, &table, (!is_settled).then_some(&*file.name));
            }
        }
        self.end(output, &table, None)
    }

    /// Verifies a file; `None` if the run is stopped before its first record.
    fn review<F: VerifierFactory>(
        &self,
        factory: &F,
        path: &Path,
        output: &mut Destination,
        stop: &AtomicBool,
    ) -> Result<Option<Reviewed>, Error> {
        let mut input = self.common.open_input(path)?;
        let name = input.name().to_owned();
        let layout = match F::TAKES_PENCILMARKS {
            true => self.common.layout(&mut input, stop),
            false => self.common.layout_of_clues(&mut input, stop),
        };
        let layout = layout.map_err(|error| error.in_file(&name))?;
        let Some(layout) = layout else { return Ok(None) };
        let stages = ReviewStages { args: self, factory, name: &name };
        let stage = stage_for(&stages, &layout).map_err(|error| error.in_file(&name))?;
        let console = self.common.console(&input, None);
        let mut watch = Watch { console, verdicts: Verdicts::default() };
        let finished = pipeline::run(&self.common.job(&*stage), input, output, &mut watch, stop);
        watch.console.finish();
        let finished = finished.map_err(|error| error.of_record_in(&name))?;
        let (verdicts, stopped) = (watch.verdicts, finished.stopped);
        drop(stage);
        Ok(Some(Reviewed { name, verdicts, stopped }))
    }

    /// Reports the results. `interrupted` is the file at which the run was interrupted.
    fn end(
        &self,
        output: Destination,
        table: &VerdictTable,
        interrupted: Option<&Path>,
    ) -> Result<End, Error> {
        if !self.common.quiet {
            eprint_message(table);
        }
        let total = table.total();
        if let Some(path) = interrupted {
            let kept = output.keep_partial()?;
            let done = format_args!("{} records, in {}", total.records(), path.display());
            report_interrupted(done, kept.as_deref());
            return Ok(End::Interrupted);
        }
        output.commit()?;
        Ok(if total.bad() == 0 { End::Good } else { End::Imperfect })
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
