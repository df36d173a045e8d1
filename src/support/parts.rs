//! Runs that are done in parts: broken off and gone on with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::Args;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{Destination, InputMark, Progress, RowOutput, Task};
use gridmill_data::packing::split_member;
use gridmill_report::eprint_message;

use super::advice::message;
use super::command_error::CommandError;
use super::given::Given;
use super::shard::ShardArgs;
use super::values::file_name;

#[derive(Debug, Args)]
pub(crate) struct PartArgs {
    /// Keep a journal beside the output, and go on where an earlier run of the same command was broken off, by Ctrl-C, kill,
    /// a full disk or a power cut: OUTPUT.partial has the rows so far, OUTPUT.journal says how far they go. The finished
    /// file is that of a run in one piece, as is the summary. For instance -o rows.csv --resume
    #[arg(long, requires = "output")]
    resume: bool,

    #[command(flatten)]
    pub(crate) shards: ShardArgs,
}

impl PartArgs {
    /// Returns whether there is nothing to do, as the output is there, and says so.
    pub(crate) fn are_done(&self, output: Option<&Path>, quiet: bool) -> Result<bool, Error> {
        self.shards.is_done(output, self.resume, quiet)
    }
}

/// How a command is done in parts.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) args: &'a PartArgs,
    pub(crate) given: &'a Given,
}

impl Parts<'_> {
    /// Takes the output of a command that reads `inputs`: with --resume that of the earlier run, else what `open` opens.
    pub(crate) fn open_output(
        &self,
        output: Option<&Path>,
        inputs: &[&PathBuf],
        open: impl FnOnce() -> Result<Destination, Error>,
    ) -> Result<RowOutput, Error> {
        let files: Vec<_> = inputs.iter().map(|input| file_name(Some(input))).collect();
        if !self.args.resume {
            let output = RowOutput::anew(open()?, &files);
            report_other(&output);
            return Ok(output);
        }
        let path = file_name(output).ok_or(CommandError::ResumeWithoutFile)?;
        RowOutput::resume(path, &files, self.task(path, inputs))
    }

    /// Describes the work, for the journal.
    fn task(&self, output: &Path, inputs: &[&PathBuf]) -> Task {
        let mut options = self.given.options();
        // Its ending says how rows are written.
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        options.push(("--output".to_owned(), vec![name]));
        let inputs = inputs.iter().map(|input| mark(input)).collect();
        Task { version: env!("CARGO_PKG_VERSION").to_owned(), options, inputs }
    }
}

/// Says that there is another run of the same output that this one does not go on with.
fn report_other(output: &RowOutput) {
    let Some((journal, is_under_way)) = output.other_journal() else { return };
    let what = match is_under_way {
        true => "a run that is under way: the output will be that of the run that ends last",
        false => {
            "a run that was broken off: --resume goes on with it; this run begins anew, and removes it when it is complete"
        }
    };
    eprint_message(format_args!("gridmill: {} tells of {what}\n", journal.display()));
}

/// Says how far an earlier run came, if this one goes on with it.
pub(super) fn report_resumed(earlier: &Progress) {
    let records = earlier.tally.statuses.records();
    if earlier.has_begun() {
        eprint_message(format_args!("gridmill: going on behind {records} records of an earlier run\n"));
    }
}

/// Says that a run that was stopped can be gone on with, if it can.
pub(super) fn report_going_on(can_go_on: bool) {
    if can_go_on {
        eprint_message("gridmill: the same command goes on from there\n");
    }
}

/// Adds to the error of a run that a later one can go on with it, if it can.
pub(super) fn broken_off(error: Error, kept: Option<PathBuf>) -> Error {
    let advises_otherwise = match error.kind() {
        ErrorKind::Other(other) => matches!(other.downcast_ref(), Some(CommandError::OtherBeginning { .. })),
        kind => matches!(kind, ErrorKind::Panicked { .. }),
    };
    match kept.filter(|partial| partial.is_file() && !advises_otherwise) {
        Some(partial) => CommandError::BrokenOff { message: message(&error), partial }.into(),
        None => error,
    }
}

/// Returns what an input is recognised by.
fn mark(input: &Path) -> InputMark {
    let file = split_member(input).map_or(input, |(archive, _)| archive);
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file);
    let file = metadata.map(|metadata| {
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), changed.map_or(0, |since| since.as_nanos() as u64))
    });
    InputMark { name: input.display().to_string(), file }
}
