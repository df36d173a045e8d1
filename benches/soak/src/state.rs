//! What is kept between runs: a file with the counts and the next round.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::tally::Tally;

/// Rises when a round of a seed becomes another one.
const VERSION: u32 = 1;

/// All rounds before `next` are done, and counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    version: u32,
    pub(crate) seed: u64,
    /// The bases besides the committed ones: the options that say so, and how many there are.
    pub(crate) options: String,
    pub(crate) given: usize,
    pub(crate) next: u64,
    /// Time of all runs.
    pub(crate) seconds: f64,
    pub(crate) tally: Tally,
}

impl State {
    pub(crate) fn new(seed: u64, options: String, given: usize) -> State {
        State { version: VERSION, seed, options, given, next: 0, seconds: 0.0, tally: Tally::new() }
    }

    /// Returns whether this state can be gone on with where `new` would begin.
    fn goes_on(&self, new: &State) -> bool {
        let kinds = |state: &State| state.tally.rows.iter().map(|row| row.kind.clone()).collect::<Vec<_>>();
        let what =
            |state: &State| (state.version, state.seed, state.options.clone(), state.given, kinds(state));
        what(self) == what(new)
    }
}

/// The folder with the state and the log. Others are kept out while this value lives.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    log: File,
}

impl Folder {
    /// Opens a folder, or makes it.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        let log = File::options().append(true).create(true).open(path.join("soak.log"))?;
        match log.try_lock() {
            Err(TryLockError::WouldBlock) => Err(io::Error::other("another soak uses this folder")),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(Folder { path: path.to_owned(), log }),
        }
    }

    /// Returns the state that is kept here, or the new one where there is none or `fresh` is set.
    pub(crate) fn load(&self, new: State, fresh: bool) -> io::Result<State> {
        let text = match fs::read(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
            _ if fresh => return Ok(new),
            text => text?,
        };
        let state: State = serde_json::from_slice(&text)?;
        if state.goes_on(&new) {
            Ok(state)
        } else {
            Err(io::Error::other(
                "it is of another seed, other bases or another version; begin anew with --fresh",
            ))
        }
    }

    /// Puts a state in the place of the one before, whole or not at all.
    pub(crate) fn save(&self, state: &State) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
        serde_json::to_writer_pretty(&mut file, state)?;
        file.flush()?;
        file.persist(self.file())?;
        Ok(())
    }

    /// Appends to the log.
    pub(crate) fn log(&mut self, text: &str) -> io::Result<()> {
        self.log.write_all(text.as_bytes())
    }

    fn file(&self) -> PathBuf {
        self.path.join("state.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(seed: u64) -> State {
        State::new(seed, String::new(), 10)
    }

    #[test]
    fn a_saved_state_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::open(folder.path()).unwrap();
        assert_eq!(folder.load(state(1), false).unwrap(), state(1));
        let saved = State { next: 7, seconds: 1.5, ..state(1) };
        folder.save(&saved).unwrap();
        assert_eq!(folder.load(state(1), false).unwrap(), saved);
        assert_eq!(folder.load(state(1), true).unwrap(), state(1));
    }

    #[test]
    fn a_state_of_another_seed_or_other_bases_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::open(folder.path()).unwrap();
        folder.save(&state(1)).unwrap();
        assert!(folder.load(state(2), false).is_err());
        assert!(folder.load(State { given: 11, ..state(1) }, false).is_err());
    }

    #[test]
    fn one_run_at_a_time_uses_a_folder() {
        let path = tempfile::tempdir().unwrap();
        let folder = Folder::open(path.path()).unwrap();
        assert!(Folder::open(path.path()).unwrap_err().to_string().contains("another soak"));
        drop(folder);
        assert!(Folder::open(path.path()).is_ok());
    }
}
