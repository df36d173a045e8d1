//! Runs that are done in parts: broken off and gone on with.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use clap::Args;

use super::command_error::CommandError;
use super::given::Given;
use super::values::file_name;
use crate::error::Error;
use crate::output::{Destination, InputMark, RowOutput, Task};

#[derive(Debug, Args)]
pub(crate) struct PartArgs {
    /// Keep a journal beside the output, and go on where an earlier run of the same command was broken off, by Ctrl-C, kill,
    /// a full disk or a power cut: OUTPUT.partial has the rows so far, OUTPUT.journal says how far they go. The finished
    /// file is that of a run in one piece. Needs --output
    #[arg(long, requires = "output")]
    resume: bool,
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
        if !self.args.resume {
            return open().map(RowOutput::plain);
        }
        let path = file_name(output).ok_or(CommandError::ResumeWithoutFile)?;
        let files: Vec<_> = inputs.iter().map(|input| file_name(Some(input))).collect();
        RowOutput::resume(path, &files, self.task(inputs))
    }

    /// Describes the work, for the journal.
    fn task(&self, inputs: &[&PathBuf]) -> Task {
        Task {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.given.options(),
            inputs: inputs.iter().map(|input| mark(input)).collect(),
        }
    }
}

/// Returns what an input is recognised by.
fn mark(input: &Path) -> InputMark {
    let metadata = fs::metadata(input).ok().filter(fs::Metadata::is_file);
    let file = metadata.map(|metadata| {
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), changed.map_or(0, |since| since.as_nanos() as u64))
    });
    InputMark { name: input.display().to_string(), file }
}
