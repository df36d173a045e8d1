//! Arguments about the files that a command reads: the puzzles, their format, the run.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, RowOutput};
use gridmill_data::pipeline::{CHUNK_LIMIT, ChunkValue, Input, RunOptions, Stage};
use gridmill_data::record::{Span, Totals};
use gridmill_data::text::{FormatOptions, Layout};
use gridmill_report::eprint_message;

use super::advice::of_fault;
use super::command_error::CommandError;
use super::input_set::InputSet;
use super::outputs::is_terminal;
use super::parts::Parts;
use super::reading::ReadingArgs;
use super::threads::{Threads, ThreadsParser};
use super::typed_puzzle::{options_for_typed, typed_puzzle};
use super::values::{file_name, up_to};
use crate::support::console::Console;

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The puzzles: files of one format; - or none for standard input; gzip, zstd, xz and zip are unpacked. Of an
    /// archive, the one file that looks like puzzles is read, or the one in a.zip:puzzles.csv. Where a file can't be
    /// opened, the others are done, and the exit code is 2. A puzzle may stand in place of a name, its rows in quotes
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Write the rows to this file, which gets its name when it is complete, and is compressed if that ends
    /// in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Print at most this many messages about records of a file that are malformed or in conflict
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_messages: usize,
}

/// How files are read and run, one or several.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    /// Worker threads [default: one for each core]
    #[arg(short, long, env = "GRIDMILL_THREADS", value_name = "N", value_parser = ThreadsParser)]
    threads: Option<Threads>,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Show no progress bar
    #[arg(long)]
    no_progress: bool,

    /// Read the file instead of mapping it: for files that change meanwhile, and for some network drives
    #[arg(long)]
    no_mmap: bool,

    /// Bytes of input that a worker takes at once; the output does not depend on it
    #[arg(long, value_name = "BYTES", hide_short_help = true, value_parser = up_to(CHUNK_LIMIT))]
    chunk_bytes: Option<u64>,
}

impl InputArgs {
    /// Opens the inputs.
    pub(crate) fn open(&self) -> Result<InputSet<'_>, Error> {
        InputSet::open(&self.files, self)
    }

    /// Opens the output of the rows.
    pub(crate) fn open_output(&self, files: &InputSet<'_>) -> Result<Destination, Error> {
        files.open_output(self.output.as_deref())
    }

    /// Opens the output of rows that may be made in parts.
    pub(crate) fn open_rows(
        &self,
        files: &mut InputSet<'_>,
        parts: Option<Parts<'_>>,
    ) -> Result<RowOutput, Error> {
        if let Some(parts) = parts {
            files.divide(parts.args.shards.shard)?;
        }
        let files = &*files;
        let open = || self.open_output(files);
        match parts {
            Some(parts) => parts.open_output(self.output.as_deref(), files.paths(), open),
            None => open().map(RowOutput::plain),
        }
    }

    /// Returns whether the answer to a puzzle in place of a file goes to a terminal.
    pub(crate) fn answers_a_person(&self) -> bool {
        let [puzzle] = &self.files[..] else { return false };
        is_terminal(self.output.as_deref()) && typed_puzzle(puzzle).is_some()
    }

    /// Returns the path of the output; `None` for standard output.
    pub(crate) fn output_file(&self) -> Option<&Path> {
        file_name(self.output.as_deref())
    }

    /// Detects the format of files of clues. Returns false if the run is stopped before that.
    pub(crate) fn detect_clues(&self, files: &mut InputSet<'_>, stop: &AtomicBool) -> Result<bool, Error> {
        files.detect(|input| only_clues(self.layout(input, stop)?))
    }

    /// Detects the format of files of clues or pencilmarks. Returns false if the run is stopped before that.
    pub(crate) fn detect(&self, files: &mut InputSet<'_>, stop: &AtomicBool) -> Result<bool, Error> {
        files.detect(|input| self.layout(input, stop))
    }

    /// Detects the layout of a file, or of a puzzle in its place.
    fn layout(&self, input: &mut Input, stop: &AtomicBool) -> Result<Option<Layout>, Error> {
        let options = self.common.reading.options();
        let options = match &self.files[..] {
            [puzzle] => options_for_typed(puzzle, options),
            _ => options,
        };
        self.common.layout_with(&options, input, stop)
    }

    /// Makes the console for a run over a file.
    pub(super) fn console(&self, input: &Input) -> Console {
        let messages = (!self.common.quiet).then_some(self.max_messages);
        self.common.console(input, messages, is_terminal(self.output.as_deref()))
    }
}

impl CommonArgs {
    pub(crate) fn open_input(&self, path: &Path) -> Result<Input, Error> {
        open_input(path, !self.no_mmap)
    }

    pub(crate) fn threads(&self) -> usize {
        Threads::count(self.threads)
    }

    /// Detects the layout of a file of clues; `None`, with a message, if the run is stopped before that.
    pub(crate) fn layout_of_clues(
        &self,
        input: &mut Input,
        stop: &AtomicBool,
    ) -> Result<Option<Layout>, Error> {
        only_clues(self.layout(input, stop)?)
    }

    /// Detects the layout of a file of clues or pencilmarks; `None`, with a message, if the run is stopped
    /// before that.
    pub(crate) fn layout(&self, input: &mut Input, stop: &AtomicBool) -> Result<Option<Layout>, Error> {
        self.layout_with(&self.reading.options(), input, stop)
    }

    fn layout_with(
        &self,
        options: &FormatOptions,
        input: &mut Input,
        stop: &AtomicBool,
    ) -> Result<Option<Layout>, Error> {
        let layout = input.detect(options, stop)?;
        if layout.is_none() {
            eprint_message("gridmill: interrupted before the first record\n");
        } else if !self.quiet {
            report_member(input);
        }
        layout.as_ref().map_or(Ok(()), |layout| self.reading.check_mixed(layout))?;
        Ok(layout)
    }

    /// Finds where the records begin in a file of a known layout that is opened again. Returns false if the run is
    /// stopped before that.
    pub(super) fn find_records(
        &self,
        input: &mut Input,
        known: &Layout,
        stop: &AtomicBool,
    ) -> Result<bool, Error> {
        let layout = input.detect(&self.reading.options(), stop);
        let Some(layout) = layout.map_err(|error| error.in_file(input.name()))? else { return Ok(false) };
        if known.difference(&layout).is_some() || known.body != layout.body {
            return Err(CommandError::Changed { path: input.name().to_owned() }.into());
        }
        Ok(true)
    }

    /// Passes over what an earlier run with that output read of an input. Returns false if the run is stopped before that.
    pub(super) fn pass(
        &self,
        input: &mut Input,
        place: Totals,
        read: Span,
        output: Option<&Path>,
        stop: &AtomicBool,
    ) -> Result<bool, Error> {
        let passed = input.pass(place, stop)?;
        if passed.is_some_and(|passed| passed != read) {
            let output = output.unwrap_or(Path::new("")).to_owned();
            return Err(CommandError::OtherBeginning { path: input.name().to_owned(), output }.into());
        }
        Ok(passed.is_some())
    }

    /// Returns the job that runs a stage.
    pub(crate) fn run_options<'a, V: ChunkValue>(&self, stage: &'a dyn Stage<V>) -> RunOptions<'a, V> {
        let chunk_bytes = self.chunk_bytes.map(|bytes| bytes as usize);
        RunOptions { threads: self.threads(), chunk_bytes, ..RunOptions::new(stage) }
    }

    /// Returns whether a progress bar may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.no_progress && io::stderr().is_terminal()
    }

    /// Makes the console for a run: with a bar if standard error is a terminal, and at most so many messages. On a
    /// terminal where the rows appear, they are the progress.
    pub(crate) fn console(&self, input: &Input, messages: Option<usize>, rows_on_terminal: bool) -> Console {
        let progress = self.shows_progress() && !rows_on_terminal;
        let console = Console::new(input.name().to_owned(), input.known_len(), progress, messages);
        let console = console.with_part(input.begin(), input.before_part());
        console.with_position(input.position()).with_advice(of_fault)
    }
}

/// Refuses pencilmarks.
fn only_clues(layout: Option<Layout>) -> Result<Option<Layout>, Error> {
    match layout {
        Some(layout) if layout.is_pencilmarks() => Err(CommandError::OnlyClues.into()),
        layout => Ok(layout),
    }
}

/// Prints which file of an archive is read, if it has several and the user named none.
fn report_member(input: &Input) {
    let Some((member, files @ 2..)) = input.member() else { return };
    let path = input.name().display().to_string();
    if !path.ends_with(&format!(":{member}")) {
        eprint_message(format_args!("gridmill: {path}: reading {member}, one of {files} files\n"));
    }
}

/// Opens a file, or standard input, unless it is a terminal; or takes the puzzle that stands in place of the name.
pub(crate) fn open_input(path: &Path, may_map: bool) -> Result<Input, Error> {
    if let Some(input) = typed_puzzle(path) {
        return Ok(input);
    }
    let path = file_name(Some(path));
    if path.is_none() && io::stdin().is_terminal() {
        return Err(CommandError::NothingToRead.into());
    }
    Input::open(path, may_map)
}
