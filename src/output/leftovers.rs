//! Temporary files that killed runs have left beside an output.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The end of temporary names.
pub(super) const SUFFIX: &str = ".gridmill-tmp";

/// The age from which a temporary file without a lock is left over. A new one is locked within that time.
const SETTLED: Duration = Duration::from_secs(10);

/// Removes the temporary files of an output whose runs are gone, and returns their names. A run holds a lock on its
/// file; where files have no locks, nothing is removed.
pub(super) fn remove_leftovers(directory: &Path, output: &OsStr) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    let paths = names.filter(|name| is_temporary(name, output)).map(|name| directory.join(name));
    paths.filter(|path| is_left_over(path) && fs::remove_file(path).is_ok()).collect()
}

/// Returns whether a name is a temporary one of that output.
fn is_temporary(name: &OsStr, output: &OsStr) -> bool {
    let (name, output) = (name.as_encoded_bytes(), output.as_encoded_bytes());
    let middle = name.strip_prefix(output).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    middle
        .and_then(|middle| middle.strip_prefix(b"."))
        .is_some_and(|middle| !middle.is_empty() && middle.iter().all(u8::is_ascii_alphanumeric))
}

/// Returns whether the run that made a file is gone.
fn is_left_over(path: &Path) -> bool {
    let age = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file).and_then(|it| it.modified().ok());
    let is_settled = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > SETTLED);
    is_settled && File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Locks a file for this process; returns false if another has it. Where files have no locks, all is well.
pub(super) fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
