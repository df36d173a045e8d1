//! Why a run can't be gone on with.

use std::io;
use std::path::PathBuf;

/// Why a run can't be gone on with. Nothing has been changed then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JournalError {
    /// The journal can't be read, or is not whole.
    #[error(
        "{}: this journal can't be relied on: {error}; to begin anew, remove it and {}",
        journal.display(), partial.display()
    )]
    Unreadable { journal: PathBuf, partial: PathBuf, error: io::Error },
    /// The journal is of another job.
    #[error(
        "{}: this journal is of another run: {difference}; run it as then, or remove the journal and {} to begin anew",
        journal.display(), partial.display()
    )]
    OtherTask { journal: PathBuf, partial: PathBuf, difference: String },
    /// The incomplete file is shorter than it was.
    #[error(
        "{}: {found} bytes are left of the {wanted} that {} tells of; remove both to begin anew",
        partial.display(), journal.display()
    )]
    Lost { journal: PathBuf, partial: PathBuf, found: u64, wanted: u64 },
    /// The incomplete file was changed or replaced.
    #[error(
        "{}: these are not the rows that {} tells of; remove both to begin anew",
        partial.display(), journal.display()
    )]
    OtherRows { journal: PathBuf, partial: PathBuf },
    /// There is an incomplete file without a journal.
    #[error(
        "{}: there is no journal that says how far these rows go; move them away to begin anew",
        partial.display()
    )]
    NoJournal { partial: PathBuf },
    /// Another run writes the file.
    #[error("{}: another run is writing it", partial.display())]
    Busy { partial: PathBuf },
    /// The output is no file.
    #[error("{}: --resume is for files", path.display())]
    NoFile { path: PathBuf },
}
