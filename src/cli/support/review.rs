//! What `verify` and `check` have in common: files judged one after another, a listing, a table.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;

use super::engine::EngineArgs;
use super::input_args::CommonArgs;
use super::input_set::check_files;
use super::puzzle_kind::PuzzleKind;
use super::shared::{file_name, stop_on_interrupt, tell_interrupted};
use crate::cli::End;
use crate::collection::Verifier;
use crate::error::{Error, ErrorKind};
use crate::grid::{Pencilmarks, Puzzle};
use crate::output::{Console, Destination, Listing, VerdictTable, eprint_message};
use crate::pipeline::{Input, Review as Stage};
use crate::record::{ChunkReport, Observer, Totals, Verdicts};
use crate::text::{GridPuzzle, Layout};

#[derive(Debug, Args)]
pub(crate) struct Review {
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

/// What is asked of every record.
pub(crate) trait VerifierFactory {
    /// Can it be asked of pencilmarks?
    const TAKES_PENCILMARKS: bool;

    type Verifier<P: PuzzleKind>: Verifier<P>;

    /// What makes a judge for a file, one for each worker, by how the file is written.
    fn judges<P: PuzzleKind>(&self, layout: &Layout) -> Result<impl Fn() -> Self::Verifier<P> + Sync, Error>;
}

/// What came of a file.
struct Reviewed {
    name: PathBuf,
    verdicts: Verdicts,
    stopped: bool,
}

impl Review {
    pub(crate) fn run(&self, question: &impl VerifierFactory) -> Result<End, Error> {
        check_files(&self.files)?;
        let inputs: Vec<_> = self.files.iter().map(|path| file_name(Some(path))).collect();
        let mut output = Destination::open_before(file_name(self.output.as_deref()), &inputs)?;
        let stop = stop_on_interrupt();
        if self.output.is_some() {
            let written = output.write_all(Listing::CSV_HEADER.as_bytes());
            written.map_err(|error| ErrorKind::Write { error })?;
        }
        let mut table = VerdictTable::default();
        for path in &self.files {
            let Some(file) = self.review(question, path, &mut output, &stop)? else {
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

    /// Reviews a file; `None` if the run is stopped before its first record.
    fn review<Q: VerifierFactory>(
        &self,
        question: &Q,
        path: &Path,
        output: &mut Destination,
        stop: &AtomicBool,
    ) -> Result<Option<Reviewed>, Error> {
        let mut input = self.common.open_input(path)?;
        let name = input.name().to_owned();
        let layout = match Q::TAKES_PENCILMARKS {
            true => self.common.any_layout(&mut input, stop),
            false => self.common.layout(&mut input, stop),
        };
        let layout = layout.map_err(|error| error.in_file(&name))?;
        let Some(layout) = layout else { return Ok(None) };
        // Classic puzzles have a way of their own, which knows their size.
        match layout.is_classic() {
            true => self.review_as::<Puzzle>(question, &layout, input, output, stop),
            false if layout.is_pencilmarks() => {
                self.review_as::<Pencilmarks>(question, &layout, input, output, stop)
            }
            false => self.review_as::<GridPuzzle>(question, &layout, input, output, stop),
        }
        .map(Some)
    }

    fn review_as<P: PuzzleKind>(
        &self,
        question: &impl VerifierFactory,
        layout: &Layout,
        input: Input,
        output: &mut Destination,
        stop: &AtomicBool,
    ) -> Result<Reviewed, Error> {
        let name = input.name().to_owned();
        let engine = self.engine.choose_for(layout).map_err(|error| error.in_file(&name))?;
        let judges = question.judges::<P>(layout).map_err(|error| error.in_file(&name))?;
        let listing = if self.output.is_some() { Listing::csv(&name) } else { Listing::lines(&name) };
        let plan = Stage {
            format: &*P::format(layout),
            engine: &|| P::search(engine),
            judge: &judges,
            listing: &listing,
            all: self.all,
            fail_fast: self.fail_fast,
            grain: P::grain(engine),
        };
        let console = self.common.console(&input, None);
        let mut watch = Watch { console, verdicts: Verdicts::default() };
        let finished = self.common.run(&plan, input, None, output, &mut watch, stop);
        watch.console.finish();
        let finished = finished.map_err(|error| error.of_record_in(&name))?;
        Ok(Reviewed { name, verdicts: watch.verdicts, stopped: finished.stopped })
    }

    /// Says what was found. `interrupted` is the file at which the run was interrupted.
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
            tell_interrupted(done, kept.as_deref());
            return Ok(End::Interrupted);
        }
        output.commit()?;
        Ok(if total.bad() == 0 { End::Good } else { End::Imperfect })
    }
}

/// Shows how far a run is, and counts its verdicts in the order of the input: up to where it ends.
struct Watch {
    console: Console,
    verdicts: Verdicts,
}

impl Observer for Watch {
    fn written(&mut self, before: &Totals, chunk: &ChunkReport) {
        self.verdicts.merge(&chunk.verdicts);
        self.console.written(before, chunk);
    }
}
