//! Files that are read more than once.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_data::collection::Space;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::pipeline::Input;

use super::input_args::CommonArgs;
use super::values::file_name;

/// A file, or a copy of what a pipe brought.
pub(crate) struct ReplayableInput {
    path: PathBuf,
    copy: Option<File>,
}

impl ReplayableInput {
    /// Takes a file, or copies a pipe to a temporary file; `None` if the run is stopped before that is done.
    pub(crate) fn new(
        path: &Path,
        common: &CommonArgs,
        space: &Space,
        stop: &AtomicBool,
    ) -> Result<Option<ReplayableInput>, Error> {
        let mut replayable = ReplayableInput { path: path.to_owned(), copy: None };
        if file_name(Some(path)).is_none() || !path.is_file() {
            let input = common.open_input(path)?;
            replayable.path = input.name().to_owned();
            let mut copy = tempfile::tempfile_in(&space.folder).map_err(|error| space.failed(error))?;
            let mut take = |text: &[u8]| copy.write_all(text).map_err(|error| space.failed(error).into());
            input.drain(&mut take, stop)?;
            replayable.copy = Some(copy);
        }
        Ok((!stop.load(Ordering::Relaxed)).then_some(replayable))
    }

    pub(crate) fn name(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(&self, common: &CommonArgs) -> Result<Input, Error> {
        let Some(copy) = &self.copy else { return common.open_input(&self.path) };
        let rewound = copy.try_clone().and_then(|mut copy| copy.rewind().map(|()| copy));
        let copy = rewound.map_err(|error| ErrorKind::Read { path: self.path.clone(), error })?;
        // Not mapped: its pages would count as memory of the process.
        Input::of_file(copy, self.path.clone(), false)
    }
}
