//! The files that a program reads and writes.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use tempfile::TempDir;

use gridmill_core::grid::Puzzle;

/// The bytes at the end of the messages that may hold the last line.
const TAIL: u64 = 4096;

/// A temporary folder with the files of a program. It is removed when this is dropped.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> io::Result<Folder> {
        let folder = Folder(tempfile::Builder::new().prefix("gridmill-bench-").tempdir()?);
        File::create(folder.empty())?;
        Ok(folder)
    }

    /// Returns the path of a file without puzzles.
    pub(super) fn empty(&self) -> PathBuf {
        self.0.path().join("empty.txt")
    }

    /// Returns the path of the file with the puzzles.
    pub(super) fn puzzles(&self) -> PathBuf {
        self.0.path().join("puzzles.txt")
    }

    /// Returns the path of the file for the solutions.
    pub(super) fn answers(&self) -> PathBuf {
        self.0.path().join("answers.txt")
    }

    /// Returns the path of the file for what the program says on standard error.
    pub(super) fn messages(&self) -> PathBuf {
        self.0.path().join("messages.txt")
    }

    /// Writes puzzles, one a line, so many times in a row.
    pub(super) fn write(&self, puzzles: &[Puzzle], passes: usize) -> io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 16, File::create(self.puzzles())?);
        for puzzle in (0..passes).flat_map(|_| puzzles) {
            file.write_all(&puzzle.to_ascii())?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }

    /// Opens the solutions. A file that the program did not make is an empty one.
    pub(super) fn open_answers(&self) -> io::Result<BufReader<File>> {
        let file = File::options().read(true).append(true).create(true).open(self.answers())?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    /// Returns the bytes of answers and messages so far.
    pub(super) fn written(&self) -> u64 {
        let len = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        len(self.answers()) + len(self.messages())
    }

    /// Returns the last line on standard error that is not blank; an empty text if there is none.
    pub(super) fn last_message(&self) -> String {
        let read = || -> io::Result<Vec<u8>> {
            let mut file = File::open(self.messages())?;
            let start = file.metadata()?.len().saturating_sub(TAIL);
            file.seek(SeekFrom::Start(start))?;
            let mut tail = Vec::new();
            file.read_to_end(&mut tail)?;
            Ok(tail)
        };
        let tail = read().unwrap_or_default();
        let text = String::from_utf8_lossy(tail.trim_ascii());
        text.lines().next_back().unwrap_or_default().trim().to_owned()
    }
}
