//! Sorting more than memory holds: sorted runs in temporary files are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::solver::NEVER;

/// Runs that are merged at once. As many runs of one rank become one longer run, so that few files are open.
const FAN_IN: usize = 64;

/// Items that are sorted before the stop flag is read again.
const PIECE: usize = 1 << 18;

/// How much memory may be used, and the folder for the rest.
#[derive(Clone, Debug)]
pub struct Space {
    /// Bytes of memory for the items to be sorted.
    pub memory: usize,
    /// The folder for temporary files. They have no names where the system allows that, and vanish with the
    /// process in any case.
    pub folder: PathBuf,
}

impl Space {
    /// Returns the share `part / of` of the memory, with the same folder.
    pub(super) fn part(&self, part: usize, of: usize) -> Space {
        Space { memory: self.memory / of * part, folder: self.folder.clone() }
    }

    /// Returns the error for a temporary file that can't be written or read.
    pub fn failed(&self, error: io::Error) -> SpaceError {
        SpaceError::Folder { folder: self.folder.clone(), error }
    }
}

/// Why something can't be sorted within a [`Space`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// Items that do not fit into memory can't be written to the folder.
    #[error("{}: temporary files can't be kept there: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// Less memory can be had than was allowed.
    #[error("not so much memory can be had as is allowed")]
    Memory,
}

/// Sorts items of `N` bytes, by their bytes.
#[derive(Debug)]
pub(super) struct Sorter<const N: usize> {
    space: Space,
    items: Vec<[u8; N]>,
    /// How many items memory holds.
    limit: usize,
    /// Runs by length: those of a rank are merged into one of the next rank.
    ranks: Vec<Vec<File>>,
}

impl<const N: usize> Sorter<N> {
    pub(super) fn new(space: Space) -> Sorter<N> {
        let limit = (space.memory / N).max(1);
        Sorter { space, items: Vec::new(), limit, ranks: Vec::new() }
    }

    pub(super) fn push(&mut self, item: [u8; N]) -> Result<(), SpaceError> {
        if self.items.len() == self.limit {
            self.spill()?;
        }
        if self.items.len() == self.items.capacity() {
            // Memory doubles, from a thousand items on, and ends at the limit.
            let more = self.items.len().max(1024).min(self.limit - self.items.len());
            self.items.try_reserve_exact(more).map_err(|_| SpaceError::Memory)?;
        }
        self.items.push(item);
        Ok(())
    }

    /// Returns all items in order. Ends early when `stop` becomes true.
    pub(super) fn finish(mut self, stop: &AtomicBool) -> Result<Sorted<'_, N>, SpaceError> {
        if self.ranks.is_empty() {
            sort(&mut self.items, stop);
        } else {
            if !self.items.is_empty() {
                self.spill()?;
            }
            // Merging needs none of this memory.
            self.items = Vec::new();
        }
        let items = std::mem::take(&mut self.items);
        let runs = self.ranks.drain(..).flatten().collect();
        let merged = self.merge(runs)?;
        Ok(Sorted { items: items.into_iter(), stop, ..merged })
    }

    /// Writes the items out as a run.
    fn spill(&mut self) -> Result<(), SpaceError> {
        self.items.sort_unstable();
        let mut run = self.write(self.items.iter().map(|&item| Ok(item)))?;
        self.items.clear();
        for rank in 0.. {
            if self.ranks.len() == rank {
                self.ranks.push(Vec::new());
            }
            self.ranks[rank].push(run);
            if self.ranks[rank].len() < FAN_IN {
                break;
            }
            let runs = std::mem::take(&mut self.ranks[rank]);
            let merge = self.merge(runs)?;
            run = self.write(merge)?;
        }
        Ok(())
    }

    /// Writes a run, and rewinds it.
    fn write(&self, items: impl Iterator<Item = Result<[u8; N], SpaceError>>) -> Result<File, SpaceError> {
        let failed = |error| self.space.failed(error);
        let file = tempfile::tempfile_in(&self.space.folder).map_err(failed)?;
        let mut file = BufWriter::with_capacity(self.buffer(), file);
        for item in items {
            file.write_all(&item?).map_err(failed)?;
        }
        let mut file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.rewind().map_err(failed)?;
        Ok(file)
    }

    /// Returns the items of sorted runs, in order.
    fn merge(&self, runs: Vec<File>) -> Result<Sorted<'static, N>, SpaceError> {
        let runs = runs.into_iter().map(|file| BufReader::with_capacity(self.buffer(), file));
        let (items, heads, space) = (Vec::new().into_iter(), BinaryHeap::new(), self.space.clone());
        let mut sorted = Sorted { items, runs: runs.collect(), heads, space, stop: &NEVER };
        for run in 0..sorted.runs.len() {
            let head = sorted.read(run)?;
            sorted.heads.extend(head.map(|item| Reverse((item, run))));
        }
        Ok(sorted)
    }

    /// Returns how many bytes of a file are read or written at once: all files together take a share of the
    /// memory.
    fn buffer(&self) -> usize {
        (self.space.memory / (4 * FAN_IN)).clamp(4 * 1024, 1 << 20)
    }
}

/// Sorts items, in pieces, until `stop` becomes true.
fn sort<const N: usize>(items: &mut [[u8; N]], stop: &AtomicBool) {
    if items.len() <= PIECE {
        return items.sort_unstable();
    }
    if stop.load(Ordering::Relaxed) {
        return;
    }
    let middle = items.len() / 2;
    items.select_nth_unstable(middle);
    let (low, high) = items.split_at_mut(middle);
    sort(low, stop);
    sort(high, stop);
}

/// The sorted items: those in memory, or those of sorted runs.
pub(super) struct Sorted<'a, const N: usize> {
    items: std::vec::IntoIter<[u8; N]>,
    runs: Vec<BufReader<File>>,
    /// The next item of each run that has one, and the index of that run.
    heads: BinaryHeap<Reverse<([u8; N], usize)>>,
    space: Space,
    stop: &'a AtomicBool,
}

impl<const N: usize> Sorted<'_, N> {
    /// Reads the next item of a run.
    fn read(&mut self, run: usize) -> Result<Option<[u8; N]>, SpaceError> {
        let mut item = [0; N];
        match self.runs[run].read_exact(&mut item) {
            Ok(()) => Ok(Some(item)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(self.space.failed(error)),
        }
    }

    /// Takes the least of the next items of all runs.
    fn pop(&mut self) -> Result<Option<[u8; N]>, SpaceError> {
        let Some(&Reverse((item, run))) = self.heads.peek() else { return Ok(None) };
        let next = self.read(run)?;
        if let Some(mut head) = self.heads.peek_mut() {
            match next {
                Some(next) => head.0.0 = next,
                None => drop(PeekMut::pop(head)),
            }
        }
        Ok(Some(item))
    }
}

impl<const N: usize> Iterator for Sorted<'_, N> {
    type Item = Result<[u8; N], SpaceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.items.next().map(Ok).or_else(|| self.pop().transpose())
    }
}

/// Checks that files can be made in a folder.
pub(super) fn check_folder(folder: &Path) -> Result<(), SpaceError> {
    let made = tempfile::tempfile_in(folder).map(drop);
    made.map_err(|error| SpaceError::Folder { folder: folder.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(memory: usize, items: &[[u8; 4]]) -> (Vec<[u8; 4]>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(Space { memory, folder: folder.path().to_owned() });
        items.iter().for_each(|&item| sorter.push(item).unwrap());
        let ranks = sorter.ranks.len();
        let sorted = sorter.finish(&AtomicBool::new(false)).unwrap().map(Result::unwrap).collect();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        (sorted, ranks)
    }

    #[test]
    fn sorting_in_files_gives_what_memory_gives() {
        let items: Vec<[u8; 4]> =
            (0..10_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) % 5000).to_be_bytes()).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        // All in memory; a few runs, for which memory grows twice or once; runs merged into longer ones; and those merged once
        // more.
        for (memory, expected_ranks) in [(1 << 20, 0), (6_000, 1), (4_000, 1), (256, 2), (4, 3)] {
            assert_eq!(sorted(memory, &items), (expected.clone(), expected_ranks), "{memory}");
        }
        assert_eq!(sorted(4, &[]), (Vec::new(), 0));
    }

    #[test]
    fn a_missing_folder_is_refused_by_its_name() {
        let error = check_folder(Path::new("/no/such/folder")).unwrap_err().to_string();
        assert!(error.starts_with("/no/such/folder: temporary files can't be kept there: "), "{error}");
    }
}
