//! Runs in parts: shards of the input, and interrupted runs that are continued.

use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::UNIX_EPOCH;

use clap::Args;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, InputMark, PartialPaths, RowOutput, RunProgress, Task};
use gridmill_data::packing::split_member;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{FormatOptions, Layout};

use super::command_error::{OtherBeginning, message, refuse, report};
use super::inputs::{InputArgs, InputSet, shown_name};
use super::options::file_name;
use super::reading::argument_puzzle;
use super::rows::refuse_resumed_container;
use super::summary::open_summary;
use super::summary::plural;
use crate::cli::TaskOptions;

/// The largest number of shards.
const MOST: u64 = 1_000_000;

/// How a run continues an earlier one of the same command.
#[derive(Debug, Default, Args)]
pub(crate) struct ResumeArgs {
    /// Keep a journal next to the output, and continue an earlier run of the same command that was
    /// interrupted by Ctrl-C, kill, a full disk or a power cut: OUTPUT.partial has the rows so far,
    /// and OUTPUT.journal records how far they reach. The finished file and the summary are the
    /// same as without an interruption. Example: -o rows.csv --resume
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,

    /// Do nothing if the output file exists already. Its rows are not checked, because a file gets
    /// its name only when it is complete, and the exit code is 0. Needs --output
    #[arg(long, requires = "output")]
    skip_existing: bool,
}

#[derive(Debug, Default, Args)]
pub(crate) struct PartArgs {
    #[command(flatten)]
    pub(crate) resume_args: ResumeArgs,

    /// Read only one part of the records: 3/64 is the third of 64 parts, i.e. the records that
    /// begin in the third of 64 equal ranges of the bytes. The outputs of all parts in order,
    /// without the later headers, are the output of the whole. The files must be uncompressed, with
    /// one record on each line
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
}

/// The files of a command, its output, and the file of its summary, if it has one.
pub(crate) type Opened<'a> = (InputSet<'a>, RowOutput, Option<Destination>);

impl PartArgs {
    /// Opens the files and the outputs of a command with these options; `None` if there is nothing to do,
    /// because the output exists.
    pub(crate) fn open<'a>(
        &self,
        task_options: &TaskOptions,
        input: &'a InputArgs,
    ) -> Result<Option<Opened<'a>>, Error> {
        let path = input.output.as_deref();
        if self.resume_args.has_finished_output(path, input.common.quiet)? {
            return Ok(None);
        }
        let files = input.open(self.shard)?;
        let output = self.resume_args.open_output(task_options, path, &files.paths())?;
        let summary = open_summary(&files, |file| output.is_same(file))?;
        Ok(Some((files, output, summary)))
    }
}

impl ResumeArgs {
    /// Returns whether `--skip-existing` is set and the output exists, so that there is nothing to do. Reports this. If
    /// there is also a journal, an earlier run is incomplete, and `--resume` continues it.
    pub(crate) fn has_finished_output(&self, output: Option<&Path>, quiet: bool) -> Result<bool, Error> {
        if !self.skip_existing {
            return Ok(false);
        }
        let path = output_file(output, "--skip-existing")?;
        let has_journal = || {
            let paths = PartialPaths::for_output(path).ok().flatten();
            paths.is_some_and(|paths| paths.journal.exists())
        };
        if !path.is_file() || (self.resume && has_journal()) {
            return Ok(false);
        }
        if !quiet {
            report(format_args!("{}: already exists; nothing was done", path.display()));
        }
        Ok(true)
    }

    /// Opens the output of a command with these options and inputs. With `--resume`, this is the output of
    /// the earlier run. Parquet and Arrow files can't be resumed.
    pub(crate) fn open_output(
        &self,
        task_options: &TaskOptions,
        output: Option<&Path>,
        inputs: &[&PathBuf],
    ) -> Result<RowOutput, Error> {
        let names: Vec<Option<&Path>> = inputs.iter().map(|path| file_name(Some(path))).collect();
        if !self.resume {
            let output = RowOutput::without_journal(
                Destination::create_apart_from(file_name(output), &names)?,
                &names,
            );
            report_other(&output);
            return Ok(output);
        }
        let path = output_file(output, "--resume")?;
        refuse_resumed_container(path)?;
        let mut options = task_options.clone();
        // The name of the output is an option too, because its ending chooses the format of rows.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        options.push(("--output".to_owned(), vec![name]));
        let inputs = inputs.iter().map(|input| mark(input)).collect();
        let task = Task { version: env!("CARGO_PKG_VERSION").to_owned(), options, inputs };
        RowOutput::resume(path, &names, task)
    }
}

/// The file for the rows, which an option such as `--resume` needs.
fn output_file<'a>(output: Option<&'a Path>, option: &str) -> Result<&'a Path, Error> {
    let missing = || Error::other(format!("{option} needs an output file for the rows: name it with -o"));
    file_name(output).ok_or_else(missing)
}

/// Reports another run with the same output, which this run does not continue.
fn report_other(output: &RowOutput) {
    let Some((journal, is_under_way)) = output.other_journal() else { return };
    let what = match is_under_way {
        true => "a run that is still running: the output will be that of the run that ends last",
        false => {
            "a run that was interrupted: --resume continues that run; this one starts again, and removes the journal when it is complete"
        }
    };
    report(format_args!("{} belongs to {what}", journal.display()));
}

/// Reports how far an earlier run got, if this one continues it.
pub(crate) fn report_resumed(earlier: &RunProgress) {
    let records = earlier.tally.statuses.records();
    if earlier.has_begun() {
        let things = plural(records, "record");
        report(format_args!("continuing after {records} {things} of an earlier run"));
    }
}

/// Reports how to continue this run, if it can be resumed.
pub(crate) fn report_resumable(is_resumable: bool) {
    if is_resumable {
        report("run the same command again to continue");
    }
}

/// Appends "run the same command again" to the error of a run that can be resumed, i.e. that has a `kept` file.
pub(crate) fn with_resume_advice(error: Error, kept: Option<PathBuf>) -> Error {
    let advises_otherwise = match error.kind() {
        ErrorKind::Other(other) => other.is::<OtherBeginning>(),
        kind => matches!(kind, ErrorKind::Panicked { .. }),
    };
    match kept.filter(|partial| partial.is_file() && !advises_otherwise) {
        Some(partial) => Error::other(format!(
            "{}; the rows before that are in {}; run the same command again to continue",
            message(&error),
            partial.display()
        )),
        None => error,
    }
}

/// Makes the mark that identifies an input in the journal: its name, its size, and the time of its last change.
pub(crate) fn mark(input: &Path) -> InputMark {
    let file = split_member(input).map_or(input, |(archive, _)| archive);
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file);
    let file = metadata.map(|metadata| {
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), changed.map_or(0, |since| since.as_nanos() as u64))
    });
    InputMark { name: input.display().to_string(), file }
}

/// One of several parts, counted from 1, e.g. 3 of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    number: u64,
    count: u64,
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.number, self.count)
    }
}

impl Shard {
    /// The range of this part within `len` bytes.
    fn range(self, len: u64) -> Range<u64> {
        // The cast is lossless, because a part of a length is not longer than the length.
        let at = |number: u64| (u128::from(len) * u128::from(number) / u128::from(self.count)) as u64;
        at(self.number - 1)..at(self.number)
    }
}

/// Parses a shard, e.g. `3/64`.
fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').map(|(number, count)| (number.parse(), count.parse()));
    let Some((Ok(number), Ok(count))) = numbers else {
        return Err("give the number of a part and how many there are, as in 3/64".to_owned());
    };
    match (number, count) {
        (_, count) if count > MOST => Err(format!("there can be at most {MOST} parts")),
        (_, 0) | (0, _) => Err("parts are counted from 1".to_owned()),
        (number, count) if number > count => {
            Err(format!("there is no part {number} of {count}: they are counted from 1 to {count}"))
        }
        _ => Ok(Shard { number, count }),
    }
}

/// Divides files as if they were one file. Returns the part of each file that belongs to the shard.
///
/// # Errors
///
/// If one of them is not a regular file, or can't be opened.
pub(crate) fn divide(shard: Shard, paths: &[&PathBuf]) -> Result<Vec<Range<u64>>, Error> {
    let lens = paths.iter().map(|path| length(path)).collect::<Result<Vec<u64>, _>>()?;
    let whole = shard.range(lens.iter().sum());
    let mut from = 0;
    let ranges = lens.iter().map(|len| {
        let start = whole.start.saturating_sub(from).min(*len);
        let end = whole.end.saturating_sub(from).min(*len);
        from += len;
        start..end
    });
    Ok(ranges.collect())
}

/// Narrows a file to a part of it. Each record must be on one line, so that a part can begin at the next
/// line.
///
/// # Errors
///
/// If records are not one per line, or if reading fails.
pub(crate) fn narrow(
    input: &mut Input,
    part: &Range<u64>,
    layout: &Layout,
    options: &FormatOptions,
) -> Result<(), Error> {
    if let Some(container) = input.container(&AtomicBool::new(false))? {
        let what = format!("is a {container} table: convert it first (gridmill convert --to csv)");
        return Err(undivided(input.name(), &what));
    }
    if input.is_packed() {
        return Err(undivided(input.name(), "is compressed: unpack it first"));
    }
    if !layout.has_one_record_per_line() {
        let what = "has records that span several lines: convert it first (gridmill convert --to line)";
        return Err(undivided(input.name(), what));
    }
    if input.known_len().is_none() && !input.head(1, &|_| true, &AtomicBool::new(false))?.is_empty() {
        return Err(undivided(input.name(), "has no known length: write it to a regular file first"));
    }
    if let Some(line) = input.find_multiline_row(part.clone(), layout)? {
        return refuse(format!(
            "{}:{line}: this row has line breaks in quotes, but --shard takes files with one record per line: leave --shard out",
            input.name().display()
        ));
    }
    input.narrow(part.clone(), options)
}

/// The length of a regular file in bytes.
fn length(path: &Path) -> Result<u64, Error> {
    let what = match file_name(Some(path)).map(fs::metadata) {
        None => "is standard input: write it to a file first",
        Some(Ok(metadata)) if metadata.is_file() => return Ok(metadata.len()),
        Some(Ok(_)) => "is not a regular file: write it to one first",
        Some(Err(_)) if split_member(path).is_some() => "is in an archive: unpack it first",
        Some(Err(_)) if argument_puzzle(path).is_some() => "is a puzzle, not a file: leave --shard out",
        Some(Err(error)) => return Err(ErrorKind::Open { path: path.to_owned(), error }.into()),
    };
    Err(undivided(path, what))
}

/// The error for a file that can't be divided into parts.
fn undivided(path: &Path, what: &str) -> Error {
    let path = shown_name(path).display();
    Error::other(format!("{path}: --shard takes files with one record per line, but this one {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_1() {
        assert_eq!(shard("3/64"), Ok(Shard { number: 3, count: 64 }));
        assert!(shard("1/1").is_ok() && shard("1000000/1000000").is_ok());
        for text in ["", "3", "0/4", "5/4", "0/0", "1/0", "-1/4", "1/1000001", "1/2/3", "a/b", "1/ 2"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }

    #[test]
    fn parts_are_consecutive_and_cover_everything() {
        for len in [0, 1, 63, 64, 65, 1_000_003, u64::MAX] {
            for count in [1, 2, 3, 7, 64, MOST] {
                let mut at = 0;
                for number in (1..=count.min(100)).chain([count]) {
                    let range = Shard { number, count }.range(len);
                    assert!(range.start <= range.end && (range.start == at || number == count));
                    at = range.end;
                }
                assert_eq!(at, len);
            }
        }
    }
}
