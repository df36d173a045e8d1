//! The thread that writes a journal.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use super::entry::Entry;
use crate::output::leftovers::{SUFFIX, lock};
use crate::output::partial::PartialPaths;

/// Writes a journal beside the rows, so that those go on while the disk works. One entry is under way at a time.
#[derive(Debug)]
pub(super) struct Keeper {
    /// Dropped to end the thread.
    entries: Option<Sender<Entry>>,
    written: Receiver<io::Result<()>>,
    is_busy: bool,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread. `rows` is the file that entries tell of.
    pub(super) fn start(paths: &PartialPaths, rows: File) -> io::Result<Keeper> {
        let (entries, to_write) = channel::<Entry>();
        let (done, written) = channel();
        let file = JournalFile::of(paths);
        let keep = move || {
            for entry in to_write {
                let result = rows.sync_data().and_then(|()| file.write(&entry));
                if done.send(result).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(keep)?;
        Ok(Keeper { entries: Some(entries), written, is_busy: false, thread: Some(thread) })
    }

    /// Returns whether an entry is on its way to the disk.
    pub(super) fn is_busy(&mut self) -> io::Result<bool> {
        if self.is_busy {
            match self.written.try_recv() {
                Ok(result) => self.concluded(result)?,
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Err(lost()),
            }
        }
        Ok(self.is_busy)
    }

    /// Waits until no entry is on its way.
    pub(super) fn wait(&mut self) -> io::Result<()> {
        if !self.is_busy {
            return Ok(());
        }
        let result = self.written.recv().map_err(|_| lost())?;
        self.concluded(result)
    }

    /// Sends an entry to the disk, behind the rows that it tells of.
    pub(super) fn keep(&mut self, entry: Entry) -> io::Result<()> {
        self.wait()?;
        let entries = self.entries.as_ref().ok_or_else(lost)?;
        entries.send(entry).map_err(|_| lost())?;
        self.is_busy = true;
        Ok(())
    }

    fn concluded(&mut self, result: io::Result<()>) -> io::Result<()> {
        self.is_busy = false;
        result
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.entries = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been met by whoever waited for an entry.
            let _ = thread.join();
        }
    }
}

fn lost() -> io::Error {
    io::Error::other("the thread that writes the journal has ended")
}

/// A journal on the disk, which is replaced as a whole.
#[derive(Clone, Debug)]
pub(super) struct JournalFile {
    path: PathBuf,
    /// The name that a new one has until it is whole.
    draft: PathBuf,
}

impl JournalFile {
    pub(super) fn of(paths: &PartialPaths) -> JournalFile {
        let mut draft = paths.journal.clone().into_os_string();
        draft.push(SUFFIX);
        JournalFile { path: paths.journal.clone(), draft: draft.into() }
    }

    /// Reads the journal; `None` if there is none.
    pub(super) fn read(&self) -> io::Result<Option<Entry>> {
        match fs::read(&self.path) {
            Ok(bytes) => Entry::of_bytes(&bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the journal, on the disk when this returns.
    pub(super) fn write(&self, entry: &Entry) -> io::Result<()> {
        self.replace(entry).map_err(|error| {
            // The old one stands.
            let _ = fs::remove_file(&self.draft);
            io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
        })
    }

    fn replace(&self, entry: &Entry) -> io::Result<()> {
        let mut file = File::create(&self.draft)?;
        // A run without a journal takes what has no lock for left over.
        let _ = lock(&file);
        file.write_all(&entry.to_bytes())?;
        file.sync_all()?;
        fs::rename(&self.draft, &self.path)?;
        self.sync_directory()
    }

    /// Removes the journal.
    pub(super) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::remove_file(&self.path)
    }

    /// Brings new names to the disk, where a directory can be opened for that.
    pub(super) fn sync_directory(&self) -> io::Result<()> {
        #[cfg(unix)]
        if let Some(directory) = self.path.parent() {
            return match File::open(directory)?.sync_all() {
                // Some file systems bring names to the disk by themselves.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
                result => result,
            };
        }
        Ok(())
    }
}
