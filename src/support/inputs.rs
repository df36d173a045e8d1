//! The files of a command: their arguments, and the driver that opens them, detects their formats, and runs
//! the pipeline over one file after another.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use gridmill_data::collection::Space;
use gridmill_data::error::{Error, ErrorKind, display_name};
use gridmill_data::output::{Destination, RowOutput};
use gridmill_data::packing::{ColumnType, split_member};
use gridmill_data::pipeline::{CHUNK_LIMIT, ChunkValue, Finished, Input, RunOptions, Stage, Take, Workers};
use gridmill_data::record::{Checksum, InputAmount, Tally};
use gridmill_data::text::{FormatOptions, Layout};

use super::command_error::{OtherBeginning, changed, message, only_clues, refuse, report, same_output};
use super::options::{ThreadsParser, cores, file_name, up_to};
use super::outputs::{is_terminal, stop_on_interrupt};
use super::parts::{Shard, divide, narrow, report_resumed};
use super::progress::Console;
use super::reading::{ReadingArgs, are_rows, argument_puzzle, options_for_argument};
use super::rows::carried_types;

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files of puzzles in one format; - or no file means standard input. gzip, zstd, xz and zip
    /// are unpacked. From an archive, gridmill reads the one file that looks like puzzles, or the
    /// one that you name, as in a.zip:puzzles.csv. If a file can't be opened, the others are
    /// processed, and the exit code is 2. You can also give a puzzle instead of a file, with its
    /// rows in quotes
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Write the rows to this file. It gets its name when it is complete, and is compressed if the
    /// name ends in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    /// Print at most this many messages about faulty records of a file
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
    threads: Option<usize>,

    /// Write the summary to this file too, as JSON (- for standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,

    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Show no progress bar
    #[arg(long)]
    no_progress: bool,

    /// Read files instead of mapping them into memory: for files that may change meanwhile, and for
    /// some network drives
    #[arg(long)]
    no_mmap: bool,

    /// Bytes of input that a worker takes at once; the output is the same for any number
    #[arg(long, value_name = "BYTES", hide_short_help = true, value_parser = up_to(CHUNK_LIMIT))]
    chunk_bytes: Option<u64>,
}

impl InputArgs {
    /// Opens the inputs, or a shard of them.
    pub(crate) fn open(&self, shard: Option<Shard>) -> Result<InputSet<'_>, Error> {
        let mut files = InputSet::new(&self.files, &self.common, self.output.as_deref())?;
        files.options = options_for_argument(&self.files, files.options);
        files.max_messages = (!self.common.quiet).then_some(self.max_messages);
        for file in files.files.iter_mut().filter(|file| is_pipe(file.path)) {
            file.open = Some(open_input(file.path, !self.common.no_mmap)?);
        }
        files.divide(shard)?;
        Ok(files)
    }

    /// Whether the only argument is a puzzle in place of a file, and the answer is shown on a terminal.
    pub(crate) fn is_interactive(&self) -> bool {
        let [puzzle] = &self.files[..] else { return false };
        is_terminal(self.output.as_deref()) && argument_puzzle(puzzle).is_some()
    }

    /// The names of the files.
    pub(crate) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The path of the output; `None` for standard output.
    pub(crate) fn output_file(&self) -> Option<&Path> {
        file_name(self.output.as_deref())
    }
}

impl CommonArgs {
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }

    /// Whether a progress bar may be shown.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.no_progress && io::stderr().is_terminal()
    }
}

/// Files that are read one after another.
pub(crate) struct InputSet<'a> {
    pub(crate) common: &'a CommonArgs,
    /// The format options of the user.
    options: FormatOptions,
    /// Where the rows go; `None` for standard output.
    pub(crate) output: Option<&'a Path>,
    /// The largest number of messages about records of a file; `None` to print none.
    pub(crate) max_messages: Option<usize>,
    files: Vec<InputFile<'a>>,
    /// Whether there were more files, which could not be opened.
    pub(crate) lacks_files: bool,
    /// The name and the layout of each file, once it is known.
    pub(crate) seen: Vec<SeenFile>,
    /// The shard that is read, if it is not the whole input.
    shard: Option<Shard>,
    /// Whether the rows of a record depend on its number in the run, or contain it.
    pub(crate) needs_numbers: bool,
    /// Becomes true if the run should stop.
    pub(crate) stop: Arc<AtomicBool>,
}

/// A file that waits for its turn. One call may name thousands of files, which is more than a process may
/// have open. So a regular file is opened to detect its format, closed, and opened again to be read. Pipes
/// stay open, because they can't be opened twice.
struct InputFile<'a> {
    path: &'a PathBuf,
    /// Whether the file stays open after its format is detected.
    stays: bool,
    open: Option<Input>,
    /// The name of a pipe, and a copy of its content.
    copy: Option<(PathBuf, File)>,
    /// The bytes that are read, if they are not the whole file.
    part: Option<Range<u64>>,
}

/// A file whose layout is known.
pub(crate) struct SeenFile {
    pub(crate) name: PathBuf,
    layout: Layout,
    pub(crate) is_mapped: bool,
    /// The types of its columns, if it is a Parquet or Arrow table.
    columns: Option<Vec<ColumnType>>,
}

/// The totals over all files.
#[derive(Default)]
pub(crate) struct RunTotals {
    pub(crate) tally: Tally,
    /// Records written.
    pub(crate) records: u64,
    /// The time of the run, including the earlier runs that it continues.
    pub(crate) wall: Duration,
    /// Whether the run was stopped before the end of the last file.
    pub(crate) stopped: bool,
    /// Whether some files could not be opened.
    pub(crate) lacks_files: bool,
    /// The part that was read, if it was not the whole input.
    pub(crate) shard: Option<Shard>,
}

impl<'a> InputSet<'a> {
    /// Checks which files can be opened before reading the first one, and reports the others. If none can be
    /// opened, the error of the last one is returned. Standard input may be named once.
    pub(crate) fn new(
        paths: &'a [PathBuf],
        common: &'a CommonArgs,
        output: Option<&'a Path>,
    ) -> Result<InputSet<'a>, Error> {
        check_names(paths)?;
        let (mut present, mut lacks_files) = (Vec::new(), false);
        for (index, path) in paths.iter().enumerate() {
            match check_file(path) {
                Ok(()) => present.push(path),
                Err(error) if index + 1 == paths.len() && present.is_empty() => return Err(error),
                Err(error) => {
                    report(message(&error));
                    lacks_files = true;
                }
            }
        }
        let is_only = present.len() == 1;
        let mut files = InputSet::of(present, common, output);
        files.files.iter_mut().for_each(|file| file.stays = is_only || is_pipe(file.path));
        Ok(InputSet { lacks_files, ..files })
    }

    /// Takes files that can be opened. Each is opened again for every reading.
    pub(crate) fn of(
        paths: impl IntoIterator<Item = &'a PathBuf>,
        common: &'a CommonArgs,
        output: Option<&'a Path>,
    ) -> InputSet<'a> {
        let file = |path| InputFile { path, stays: false, open: None, copy: None, part: None };
        InputSet {
            common,
            options: common.reading.options(),
            output,
            max_messages: None,
            files: paths.into_iter().map(file).collect(),
            lacks_files: false,
            seen: Vec::new(),
            shard: None,
            needs_numbers: false,
            stop: Arc::default(),
        }
    }

    /// Copies a pipe to a temporary file, because the command reads its input more than once. Returns false
    /// if the run is stopped before that is done.
    pub(crate) fn copy_pipe(&mut self, index: usize, space: &Space) -> Result<bool, Error> {
        let file = &mut self.files[index];
        if is_pipe(file.path) {
            let input = open_input(file.path, !self.common.no_mmap)?;
            let name = input.name().to_owned();
            let mut copy = tempfile::tempfile_in(&space.folder).map_err(|error| space.failed(error))?;
            let mut take = |text: &[u8]| copy.write_all(text).map_err(|error| space.failed(error).into());
            input.drain(&mut take, &self.stop)?;
            file.copy = Some((name, copy));
        }
        Ok(!self.stop.load(Ordering::Relaxed))
    }

    /// The name of a file as the user wrote it. For a copy, this is the name of the pipe.
    pub(crate) fn name(&self, index: usize) -> &Path {
        let file = &self.files[index];
        file.copy.as_ref().map_or(file.path, |(name, _)| name)
    }

    /// Divides the files, so that only a shard is read.
    pub(crate) fn divide(&mut self, shard: Option<Shard>) -> Result<(), Error> {
        if let Some(shard) = shard {
            if self.lacks_files {
                return refuse("--shard divides all files together, but some of them can't be opened");
            }
            let paths = self.paths();
            for (file, part) in self.files.iter_mut().zip(divide(shard, &paths)?) {
                file.part = Some(part);
            }
        }
        self.shard = shard;
        Ok(())
    }

    /// Opens an output, which must not be one of the inputs; standard output for `None`.
    pub(crate) fn open_output(&self, path: Option<&Path>) -> Result<Destination, Error> {
        Destination::create_apart_from(file_name(path), &self.file_names())
    }

    /// Opens another output, which must not write to the same place as an earlier one.
    pub(crate) fn open_another_output(
        &self,
        path: &Path,
        is_taken: impl FnOnce(&Destination) -> bool,
    ) -> Result<Destination, Error> {
        let output = self.open_output(Some(path))?;
        if is_taken(&output) { Err(same_output(path)) } else { Ok(output) }
    }

    /// Detects the format of all files, which must be the same. From here on Ctrl-C stops the run. Returns
    /// false if it is stopped during the detection.
    ///
    /// Ctrl-C is not handled earlier, because opening a named pipe as the output may wait for ever. The first
    /// Ctrl-C must be able to end that.
    pub(crate) fn detect(&mut self, takes_pencilmarks: bool) -> Result<bool, Error> {
        self.stop = stop_on_interrupt();
        for index in 0..self.files.len() {
            let Some((input, layout)) = self.open_and_detect(index, takes_pencilmarks)? else {
                return Ok(false);
            };
            let (name, is_mapped) = (input.name().to_owned(), input.is_mapped());
            let seen = SeenFile { name, layout, is_mapped, columns: input.column_types() };
            if let Some(first) = self.seen.first() {
                check_alike((&first.name, &first.layout), (&seen.name, &seen.layout))?;
            }
            self.seen.push(seen);
            let file = &mut self.files[index];
            file.open = file.stays.then_some(input);
        }
        let used = self.common.reading.check_alphabets(self.layouts());
        used.map_err(|error| error.in_file(&self.seen[0].name))?;
        Ok(true)
    }

    /// Opens a file, detects its format, and narrows it to the part that is read. If the run is stopped
    /// before that, this prints a message, and returns `None`.
    pub(crate) fn open_and_detect(
        &mut self,
        index: usize,
        takes_pencilmarks: bool,
    ) -> Result<Option<(Input, Layout)>, Error> {
        let mut input = self.open(index)?;
        let mut detect = || {
            let Some(layout) = input.detect(&self.options, &self.stop)? else {
                report("interrupted before the first record");
                return Ok(None);
            };
            if !self.common.quiet {
                report_member(&input);
            }
            self.common.reading.check_mixed(&layout)?;
            if layout.is_pencilmarks() && !takes_pencilmarks {
                return Err(only_clues());
            }
            if let Some(part) = &self.files[index].part {
                narrow(&mut input, part, &layout, &self.options)?;
            }
            Ok(Some(layout))
        };
        let layout = detect().map_err(|error: Error| error.in_file(input.name()))?;
        Ok(layout.map(|layout| (input, layout)))
    }

    /// The layout of all files. It is taken from the first file with a puzzle, because a file without puzzles
    /// does not show their size.
    pub(crate) fn layout(&self) -> &Layout {
        self.layouts().find(|layout| layout.is_shape_known()).unwrap_or(&self.seen[0].layout)
    }

    /// The layouts of the files.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = &Layout> + Clone {
        self.seen.iter().map(|seen| &seen.layout)
    }

    /// The types of the columns of the files, for an output that keeps these columns.
    pub(crate) fn column_types(&self) -> Vec<ColumnType> {
        carried_types(self.layout(), self.seen.iter().map(|seen| seen.columns.as_ref()))
    }

    /// The names of the files, as the user wrote them.
    pub(crate) fn paths(&self) -> Vec<&'a PathBuf> {
        self.files.iter().map(|file| file.path).collect()
    }

    /// The paths of the files; `None` for standard input.
    pub(crate) fn file_names(&self) -> Vec<Option<&'a Path>> {
        self.files.iter().map(|file| file_name(Some(file.path))).collect()
    }

    /// Runs the pipeline over each file, with the stage that `stages` makes for it, and passes the results of
    /// the chunks to `take`. Rows and record numbers continue from file to file until the run is stopped. If
    /// the output has a journal, the run begins where the earlier one ended, and updates the journal on the
    /// way.
    pub(crate) fn run<V: ChunkValue>(
        &mut self,
        take: &mut Take<'_, V>,
        output: Option<&RowOutput>,
        stages: &StageMaker<'_, V>,
    ) -> Result<RunTotals, Error> {
        let begun = Instant::now();
        let earlier = output.and_then(RowOutput::progress).unwrap_or_default();
        if !self.common.quiet {
            report_resumed(&earlier);
        }
        let mut totals =
            RunTotals { lacks_files: self.lacks_files, shard: self.shard, ..RunTotals::default() };
        // If rows are numbered, the records before a shard are counted, but not processed.
        let (mut numbered, mut skipped) = (earlier.earlier_records, earlier.skipped_records);
        let workers = Workers::new(self.common.threads())?;
        for index in earlier.input_index..self.files.len() {
            let place = earlier.written.filter(|_| index == earlier.input_index);
            let Some(input) = self.open_for_run(index, place.map(|place| (place, earlier.checksum)))? else {
                totals.stopped = true;
                break;
            };
            if let (Some(output), None) = (output, place) {
                output.update(|progress| progress.checksum = input.preamble_checksum());
            }
            let seen = &self.seen[index];
            let stage = stages(&seen.layout, self.max_messages.is_some())?;
            skipped += input.records_before_part();
            let earlier_records = (index > 0 || place.is_some()).then_some(numbered);
            let mut console = self.console(&input, output, true);
            let finished = self.run_file(&workers, input, &*stage, earlier_records, take, &mut console);
            let is_bad = totals.tally.statuses.failed > 0;
            let finished =
                finished.map_err(|error| error.in_file_of_record(&seen.name).noting_failures(is_bad))?;
            totals.tally.merge(&finished.tally);
            numbered += finished.totals.records;
            totals.stopped = finished.stopped;
            if finished.stopped {
                break;
            }
            if let Some(output) = output {
                output.update(|progress| progress.end_input(numbered, skipped));
            }
        }
        totals.records = numbered - skipped;
        if let Some(progress) = output.and_then(RowOutput::progress) {
            let unfinished = totals.tally.unfinished;
            totals.tally = progress.tally;
            totals.tally.unfinished = unfinished;
        }
        totals.wall = begun.elapsed() + Duration::from_secs_f64(earlier.seconds);
        Ok(totals)
    }

    /// Makes the console for a run over a file. The output may have a journal. If a row for each record
    /// appears on the terminal, there is no bar, because the rows show the progress.
    pub(crate) fn console<'o>(
        &self,
        input: &Input,
        output: Option<&'o RowOutput>,
        has_all_rows: bool,
    ) -> Console<'o> {
        let progress = self.common.shows_progress() && !(has_all_rows && is_terminal(self.output));
        Console::new(input, progress, self.max_messages, output)
    }

    /// Runs the pipeline over an open file. If the rows continue those of earlier files, `earlier_records` is the
    /// number of their records.
    pub(crate) fn run_file<V: ChunkValue>(
        &self,
        workers: &Workers,
        input: Input,
        stage: &dyn Stage<V>,
        earlier_records: Option<u64>,
        take: &mut Take<'_, V>,
        console: &mut Console<'_>,
    ) -> Result<Finished, Error> {
        let options = RunOptions {
            threads: self.common.threads(),
            chunk_bytes: self.common.chunk_bytes.map(|bytes| bytes as usize),
            earlier_records,
            for_journal: console.has_journal(),
            ..RunOptions::new(stage)
        };
        let finished = workers.run(&options, input, take, console, &self.stop);
        console.finish();
        finished
    }

    /// Opens a file with a known layout for its run, and skips the records that an earlier run read; `None`
    /// if the run is stopped before that.
    fn open_for_run(
        &mut self,
        index: usize,
        read: Option<(InputAmount, Checksum)>,
    ) -> Result<Option<Input>, Error> {
        let mut input = if self.files[index].stays {
            self.open(index)?
        } else {
            let known = self.seen[index].layout.clone();
            let Some(mut input) = self.reopen(index, &known)? else { return Ok(None) };
            if let Some(part) = &self.files[index].part {
                input.narrow(part.clone(), &self.options)?;
            }
            input
        };
        if self.needs_numbers {
            input.number_from_file_start()?;
        }
        Ok(self.skip_earlier(&mut input, read)?.then_some(input))
    }

    /// Skips the part of an input that an earlier run read. Returns false if the run is stopped before that.
    pub(crate) fn skip_earlier(
        &self,
        input: &mut Input,
        earlier: Option<(InputAmount, Checksum)>,
    ) -> Result<bool, Error> {
        let Some((amount, earlier)) = earlier else { return Ok(true) };
        let passed = input.skip_to(amount, &self.stop)?;
        if passed.is_some_and(|passed| passed != earlier) {
            let output = file_name(self.output).unwrap_or(Path::new("")).to_owned();
            return Err(Error::other(OtherBeginning { path: input.name().to_owned(), output }));
        }
        Ok(passed.is_some())
    }

    /// Opens a file with this layout again, from its beginning; `None` if the run is stopped before that.
    pub(crate) fn reopen(&mut self, index: usize, layout: &Layout) -> Result<Option<Input>, Error> {
        let mut input = self.open(index)?;
        match input.detect(&self.options, &self.stop).map_err(|error| error.in_file(input.name()))? {
            Some(found) if layout.difference(&found).is_some() || layout.body_start != found.body_start => {
                Err(changed(input.name()))
            }
            found => Ok(found.map(|_| input)),
        }
    }

    /// Takes the file if it is still open, or else opens the file or its copy.
    fn open(&mut self, index: usize) -> Result<Input, Error> {
        let file = &mut self.files[index];
        let Some((name, copy)) = &file.copy else {
            return file.open.take().map_or_else(|| open_input(file.path, !self.common.no_mmap), Ok);
        };
        let rewound = copy.try_clone().and_then(|mut copy| copy.rewind().map(|()| copy));
        let copy = rewound.map_err(|error| ErrorKind::Read { path: name.clone(), error })?;
        // A copy is not mapped, because its pages would count as memory of the process.
        Input::from_file(copy, name.clone(), false)
    }
}

/// Makes the stage for a file with a layout. The flag is true if the observer wants diagnostics.
pub(crate) type StageMaker<'s, V> = dyn Fn(&Layout, bool) -> Result<Box<dyn Stage<V> + 's>, Error> + 's;

/// Refuses files of different formats, because their rows would have different columns.
pub(crate) fn check_alike(first: (&Path, &Layout), other: (&Path, &Layout)) -> Result<(), Error> {
    let Some(what) = first.1.difference(other.1) else { return Ok(()) };
    // A user can convert formats and headers, but not sizes.
    let conversion =
        if what == "the size" { "" } else { "convert them to one form first (gridmill convert), or " };
    let (path, first) = (other.0.display(), first.0.display());
    refuse(format!("{path}: differs from {first} in {what}; {conversion}name them in separate runs"))
}

/// Prints which file of an archive is read, if it has several and the user named none.
fn report_member(input: &Input) {
    let Some((member, files @ 2..)) = input.member() else { return };
    let path = input.name().display().to_string();
    if !path.ends_with(&format!(":{member}")) {
        report(format_args!("{path}: reading {member}, one of {files} files"));
    }
}

/// Opens a file, or standard input unless it is a terminal, or takes a puzzle that is written in place of the
/// name.
pub(crate) fn open_input(path: &Path, may_map: bool) -> Result<Input, Error> {
    if let Some(input) = argument_puzzle(path) {
        return Ok(input);
    }
    let path = file_name(Some(path));
    if path.is_none() && io::stdin().is_terminal() {
        return refuse("nothing to read: name a file, or pipe puzzles in (gridmill COMMAND --help)");
    }
    Input::open(path, may_map)
}

/// Whether a path is standard input, or anything else but a regular file, e.g. a named pipe.
fn is_pipe(path: &Path) -> bool {
    file_name(Some(path)).is_none() || !path.is_file()
}

/// The name of a file for messages.
pub(crate) fn shown_name(path: &Path) -> &Path {
    display_name(file_name(Some(path)), "<stdin>")
}

/// Reports that a file has no records, because otherwise an empty file would look as if all its records were
/// right.
pub(crate) fn report_empty(path: &Path) {
    let name = shown_name(path).display();
    report(format_args!("{name}: it has no records"));
}

/// Checks, before the first is read, that all files can be opened, and that standard input is named at most
/// once.
pub(crate) fn check_files<'a>(paths: impl IntoIterator<Item = &'a PathBuf> + Clone) -> Result<(), Error> {
    check_names(paths.clone())?;
    paths.into_iter().try_for_each(|path| check_file(path))
}

/// Checks that standard input is named at most once, and that the names are not the rows of a puzzle without
/// quotes.
pub(crate) fn check_names<'a>(paths: impl IntoIterator<Item = &'a PathBuf> + Clone) -> Result<(), Error> {
    let pipes = paths.clone().into_iter().filter(|path| file_name(Some(path)).is_none()).count();
    let names: Vec<&Path> = paths.into_iter().map(PathBuf::as_path).collect();
    match pipes {
        2.. => refuse("standard input can be read only once: give - once"),
        _ if are_rows(names.iter().copied()) => {
            refuse("the arguments look like the rows of one puzzle: put the rows of a puzzle in quotes")
        }
        _ => Ok(()),
    }
}

/// Checks that a file can be opened. Only regular files are opened for this, because a named pipe may wait
/// for its writer.
fn check_file(path: &Path) -> Result<(), Error> {
    if file_name(Some(path)).is_none() {
        return Ok(());
    }
    let failed = |error| ErrorKind::Open { path: path.to_owned(), error };
    let metadata = match fs::metadata(path) {
        Err(_) if split_member(path).is_some() || argument_puzzle(path).is_some() => return Ok(()),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.is_dir() {
        return Err(ErrorKind::Directory(path.to_owned()).into());
    }
    if metadata.is_file() {
        File::open(path).map_err(failed)?;
    }
    Ok(())
}
