//! The state that is saved between runs: the counts and the next round.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::tally::Tally;

/// Must be increased if the rounds of a seed change, because saved counts can't be continued then.
const VERSION: u32 = 1;

/// The state after all rounds before `next`, which are complete and counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    version: u32,
    pub(crate) seed: u64,
    /// The options about additional base puzzles, and the number of these puzzles.
    pub(crate) options: String,
    pub(crate) given: usize,
    pub(crate) next: u64,
    /// The time of all runs together.
    pub(crate) seconds: f64,
    pub(crate) tally: Tally,
}

impl State {
    pub(crate) fn new(seed: u64, options: String, given: usize) -> State {
        State { version: VERSION, seed, options, given, next: 0, seconds: 0.0, tally: Tally::new() }
    }

    /// Whether a run can continue from this state instead of `new`, i.e. whether both give the same puzzles.
    fn can_replace(&self, new: &State) -> bool {
        let kinds = |state: &State| state.tally.rows.iter().map(|row| row.kind.clone()).collect::<Vec<_>>();
        let key =
            |state: &State| (state.version, state.seed, state.options.clone(), state.given, kinds(state));
        key(self) == key(new)
    }
}

/// The folder with the state and the log. It is locked as long as this value exists, so that two runs can't
/// use it at the same time.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    log: File,
}

impl Folder {
    /// Opens a folder, and creates it if it does not exist.
    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        fs::create_dir_all(path)?;
        let log = File::options().append(true).create(true).open(path.join("soak.log"))?;
        match log.try_lock() {
            Err(TryLockError::WouldBlock) => Err(io::Error::other("another soak is using this folder")),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(Folder { path: path.to_owned(), log }),
        }
    }

    /// Loads the saved state. If there is none or `fresh` is set, returns `new`.
    pub(crate) fn load(&self, new: State, fresh: bool) -> io::Result<State> {
        let text = match fs::read(self.file()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(new),
            _ if fresh => return Ok(new),
            text => text?,
        };
        let state: State = serde_json::from_slice(&text)?;
        if state.can_replace(&new) {
            Ok(state)
        } else {
            Err(io::Error::other(
                "the saved state has another seed, other base puzzles or another version; start over with --fresh",
            ))
        }
    }

    /// Replaces the saved state atomically, so that the file is complete even if the run is killed.
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
    fn a_run_continues_from_its_saved_state() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::open(folder.path()).unwrap();
        assert_eq!(folder.load(state(1), false).unwrap(), state(1));
        let saved = State { next: 7, seconds: 1.5, ..state(1) };
        folder.save(&saved).unwrap();
        assert_eq!(folder.load(state(1), false).unwrap(), saved);
        assert_eq!(folder.load(state(1), true).unwrap(), state(1));
    }

    #[test]
    fn a_state_with_another_seed_or_other_base_puzzles_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::open(folder.path()).unwrap();
        folder.save(&state(1)).unwrap();
        assert!(folder.load(state(2), false).is_err());
        assert!(folder.load(State { given: 11, ..state(1) }, false).is_err());
    }

    #[test]
    fn two_runs_cannot_use_the_same_folder() {
        let path = tempfile::tempdir().unwrap();
        let folder = Folder::open(path.path()).unwrap();
        assert!(Folder::open(path.path()).unwrap_err().to_string().contains("another soak"));
        drop(folder);
        assert!(Folder::open(path.path()).is_ok());
    }
}
