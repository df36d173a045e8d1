//! Temporary files that killed runs have left beside an output.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::sync::OnceLock;

/// The end of temporary names.
pub(super) const SUFFIX: &str = ".gridmill-tmp";

/// Removes the temporary files of an output whose runs are gone, and says so. A run holds a lock on its file; where
/// files have no locks, nothing is removed.
pub(super) fn remove_leftovers(directory: &Path, output: &OsStr) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    for path in names.filter(|name| is_temporary(name, output)).map(|name| directory.join(name)) {
        if remove_unlocked(&path)
            && let Some(report) = REPORT.get()
        {
            report(&path);
        }
    }
}

/// Returns whether a name is a temporary one of that output.
fn is_temporary(name: &OsStr, output: &OsStr) -> bool {
    let (name, output) = (name.as_encoded_bytes(), output.as_encoded_bytes());
    let middle = name.strip_prefix(output).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    middle
        .and_then(|middle| middle.strip_prefix(b"."))
        .is_some_and(|middle| !middle.is_empty() && middle.iter().all(u8::is_ascii_alphanumeric))
}

/// Removes a file if the run that made it is gone. It is locked meanwhile: a run that makes it just now notices so.
fn remove_unlocked(path: &Path) -> bool {
    if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let locked = File::open(path).ok().filter(|file| file.try_lock().is_ok());
    locked.is_some_and(|_file| fs::remove_file(path).is_ok())
}

/// Reports a temporary file that was removed. A library prints nothing: the program sets this.
static REPORT: OnceLock<fn(&Path)> = OnceLock::new();

/// Sets how the process reports a temporary file of a killed run that it has removed. The first call counts.
pub fn report_leftovers(report: fn(&Path)) {
    let _ = REPORT.set(report);
}

/// Locks a file for this process; returns false if another has it. Where files have no locks, all is well.
pub(super) fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}
