//! One of the files of a command, open only as long as it must be.

use std::path::Path;

use gridmill_data::error::Error;
use gridmill_data::pipeline::Input;

use super::input_args::CommonArgs;
use super::values::file_name;

/// A file whose turn is not yet. Thousands of them may be named in one call, more than a process may have open: a
/// regular file is opened to see how it is written, and again when it is read. Pipes stay open.
pub(crate) struct InputFile<'a> {
    path: &'a Path,
    /// Whether it stays open from the first time on.
    stays: bool,
    open: Option<Input>,
}

impl<'a> InputFile<'a> {
    /// Takes a file, and opens it if it is a pipe; `is_only` says that there are no others.
    pub(crate) fn new(path: &'a Path, is_only: bool, common: &CommonArgs) -> Result<InputFile<'a>, Error> {
        let is_pipe = file_name(Some(path)).is_none() || !path.is_file();
        let open = is_pipe.then(|| common.open_input(path)).transpose()?;
        Ok(InputFile { path, stays: is_pipe || is_only, open })
    }

    /// Hands the open file to `look`, and closes it if it does not stay open.
    pub(crate) fn look<T>(
        &mut self,
        common: &CommonArgs,
        look: impl FnOnce(&mut Input) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut input = self.take(common)?;
        let seen = look(&mut input).map_err(|error| error.in_file(input.name()))?;
        self.open = self.stays.then_some(input);
        Ok(seen)
    }

    /// Returns whether the file is read from its beginning again when it is its turn.
    pub(crate) fn is_opened_again(&self) -> bool {
        !self.stays
    }

    /// Opens the file for its run.
    pub(crate) fn take(&mut self, common: &CommonArgs) -> Result<Input, Error> {
        self.open.take().map_or_else(|| common.open_input(self.path), Ok)
    }
}
