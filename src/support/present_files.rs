//! Which of the files that were named can be opened.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::packing::split_member;
use gridmill_report::eprint_message;

use super::advice::message;
use super::command_error::CommandError;
use super::typed_puzzle::{are_rows, typed_puzzle};
use super::values::file_name;

/// The files of a command that does one after another, without those that can't be opened.
pub(crate) struct PresentFiles<'a> {
    pub(crate) paths: Vec<&'a PathBuf>,
    /// Whether these are all that were named.
    pub(crate) is_whole: bool,
}

impl<'a> PresentFiles<'a> {
    /// Finds the files that can be opened, before the first is read, and reports the others. Where none can, the
    /// last one is the error.
    pub(crate) fn of(paths: &'a [PathBuf]) -> Result<PresentFiles<'a>, Error> {
        check_names(paths)?;
        let mut present = PresentFiles { paths: Vec::new(), is_whole: true };
        for (index, path) in paths.iter().enumerate() {
            match check_file(path) {
                Ok(()) => present.paths.push(path),
                Err(error) if index + 1 == paths.len() && present.paths.is_empty() => return Err(error),
                Err(error) => {
                    report(&error);
                    present.is_whole = false;
                }
            }
        }
        Ok(present)
    }
}

/// Reports that a file has no records: nothing in it is right or wrong.
pub(crate) fn report_empty(path: &Path) {
    let name = file_name(Some(path)).map_or_else(|| "<stdin>".to_owned(), |path| path.display().to_string());
    eprint_message(format_args!("gridmill: {name}: there are no records in it\n"));
}

/// Reports why a file is left out.
pub(crate) fn report(error: &Error) {
    eprint_message(format_args!("gridmill: {}\n", message(error)));
}

/// Checks that all files can be opened, and that standard input is named at most once, before the first is read.
pub(crate) fn check_files<'a>(paths: impl IntoIterator<Item = &'a PathBuf> + Clone) -> Result<(), Error> {
    check_names(paths.clone())?;
    paths.into_iter().try_for_each(|path| check_file(path))
}

/// Checks that standard input is named at most once, and that the names are not the rows of a puzzle.
pub(crate) fn check_names<'a>(paths: impl IntoIterator<Item = &'a PathBuf> + Clone) -> Result<(), Error> {
    let pipes = paths.clone().into_iter().filter(|path| file_name(Some(path)).is_none()).count();
    let names: Vec<&Path> = paths.into_iter().map(PathBuf::as_path).collect();
    match pipes {
        2.. => Err(CommandError::StdinTwice.into()),
        _ if are_rows(names.iter().copied()) => Err(CommandError::RowsApart.into()),
        _ => Ok(()),
    }
}

/// Checks that a file can be opened. Only a regular file is opened: a named pipe may wait for its writer.
fn check_file(path: &Path) -> Result<(), Error> {
    if file_name(Some(path)).is_none() {
        return Ok(());
    }
    let failed = |error| ErrorKind::Open { path: path.to_owned(), error };
    let metadata = match fs::metadata(path) {
        Err(_) if split_member(path).is_some() || typed_puzzle(path).is_some() => return Ok(()),
        metadata => metadata.map_err(failed)?,
    };
    if metadata.is_dir() {
        return Err(ErrorKind::Directory { path: path.to_owned() }.into());
    }
    if metadata.is_file() {
        File::open(path).map_err(failed)?;
    }
    Ok(())
}
