//! Sorting in bounded memory (external merge sort): items that do not fit are written to temporary files as
//! sorted runs, which are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IntoInnerError, Read, Seek, Write};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::solver::NEVER;

/// How many runs are merged at once. As soon as there are this many of one rank, they are merged into one
/// run of the next rank, so that few files are open.
const FAN_IN: usize = 64;

/// How many items are sorted before the stop flag is read again.
const PIECE: usize = 1 << 18;

/// How much memory sorting may use, and the folder for what does not fit.
#[derive(Clone, Debug)]
pub struct Space {
    /// Bytes of memory for the items to be sorted.
    pub memory: usize,
    /// The folder for temporary files. They have no names if the system allows that, so that they vanish
    /// with the process even if it is killed.
    pub folder: PathBuf,
}

impl Space {
    /// Gives `count` quarters of the memory, with the same folder. Sorters that are alive at the same time
    /// share the memory like that.
    pub(super) fn quarters(&self, count: usize) -> Space {
        Space { memory: self.memory / 4 * count, folder: self.folder.clone() }
    }

    /// Makes a temporary file.
    pub(super) fn file(&self) -> Result<File, SpaceError> {
        tempfile::tempfile_in(&self.folder).map_err(|error| self.failed(error))
    }

    /// Makes the error for a temporary file that can't be written or read.
    pub fn failed(&self, error: io::Error) -> SpaceError {
        SpaceError::Folder { folder: self.folder.clone(), error }
    }
}

/// Why something can't be sorted within a [`Space`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// Items that do not fit into memory can't be written to the folder.
    #[error("{}: temporary files can't be written there: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The system has less memory than the space allows.
    #[error("could not allocate the memory that is allowed")]
    Memory,
}

/// An item to sort. It can be written to a file and read back: either all items have the same size, or each
/// has its own.
pub(super) trait Item: Ord + Sized {
    /// The memory that the item takes, in bytes.
    fn memory(&self) -> usize;

    /// Writes the item to a file.
    fn write(&self, file: &mut impl Write) -> io::Result<()>;

    /// Reads an item; `None` after the last one.
    fn read(file: &mut impl Read) -> io::Result<Option<Self>>;
}

impl<const N: usize> Item for [u8; N] {
    #[inline]
    fn memory(&self) -> usize {
        N
    }

    #[inline]
    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        file.write_all(self)
    }

    #[inline]
    fn read(file: &mut impl Read) -> io::Result<Option<[u8; N]>> {
        let mut item = [0; N];
        match file.read_exact(&mut item) {
            Ok(()) => Ok(Some(item)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Items of any length. In a file, the length comes first.
impl Item for Box<[u8]> {
    fn memory(&self) -> usize {
        // The allocator needs about 16 bytes for its own data.
        self.len() + size_of::<Box<[u8]>>() + 16
    }

    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        file.write_all(&(self.len() as u64).to_le_bytes())?;
        file.write_all(self)
    }

    fn read(file: &mut impl Read) -> io::Result<Option<Box<[u8]>>> {
        let Some(length) = <[u8; 8]>::read(file)? else { return Ok(None) };
        let mut item = vec![0; u64::from_le_bytes(length) as usize];
        file.read_exact(&mut item)?;
        Ok(Some(item.into()))
    }
}

/// Sorts items by their bytes.
#[derive(Debug)]
pub(super) struct Sorter<T> {
    space: Space,
    items: Vec<T>,
    /// The memory that the items take, in bytes.
    used: usize,
    /// Runs by rank: [`FAN_IN`] runs of a rank are merged into one of the next rank.
    ranks: Vec<Vec<Spooled<T>>>,
}

impl<T: Item> Sorter<T> {
    /// Makes a sorter without items.
    pub(super) fn new(space: Space) -> Sorter<T> {
        Sorter { space, items: Vec::new(), used: 0, ranks: Vec::new() }
    }

    /// Adds an item.
    pub(super) fn push(&mut self, item: T) -> Result<(), SpaceError> {
        let memory = item.memory();
        if self.used + memory > self.space.memory && !self.items.is_empty() {
            self.spill()?;
        }
        if self.items.len() == self.items.capacity() {
            // Capacity doubles, from a thousand items on, up to the limit. It is reserved here because
            // `Vec` would double beyond the limit, and abort where there is no memory.
            let room = (self.space.memory.saturating_sub(self.used) / memory).max(1);
            let more = self.items.len().max(1024).min(room);
            self.items.try_reserve_exact(more).map_err(|_| SpaceError::Memory)?;
        }
        self.used += memory;
        self.items.push(item);
        Ok(())
    }

    /// Sorts the items. Ends early if `stop` becomes true.
    pub(super) fn finish(mut self, stop: &AtomicBool) -> Result<Sorted<'_, T>, SpaceError> {
        if self.ranks.is_empty() {
            sort(&mut self.items, stop);
        } else {
            if !self.items.is_empty() {
                self.spill()?;
            }
            // Frees the memory, because merging does not need it.
            self.items = Vec::new();
        }
        let items = std::mem::take(&mut self.items);
        let runs = self.ranks.drain(..).flatten().collect();
        let merged = self.merge(runs)?;
        Ok(Sorted { items: items.into_iter(), stop, ..merged })
    }

    /// Sorts the items in memory, and writes them as a run.
    fn spill(&mut self) -> Result<(), SpaceError> {
        let mut items = std::mem::take(&mut self.items);
        items.sort_unstable();
        let mut run = self.write(items.drain(..).map(Ok))?;
        // Keeps the allocation for the next items.
        (self.items, self.used) = (items, 0);
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

    /// Writes items, which are sorted, as a run.
    fn write(&self, items: impl Iterator<Item = Result<T, SpaceError>>) -> Result<Spooled<T>, SpaceError> {
        let mut run = Spool::new(&self.space, self.buffer())?;
        for item in items {
            run.push(&item?)?;
        }
        run.finish()
    }

    /// Merges sorted runs. The heap holds the next item of each run.
    fn merge(&self, mut runs: Vec<Spooled<T>>) -> Result<Sorted<'static, T>, SpaceError> {
        let mut heads = BinaryHeap::new();
        for (run, items) in runs.iter_mut().enumerate() {
            heads.extend(items.next()?.map(|item| Reverse((item, run))));
        }
        Ok(Sorted { items: Vec::new().into_iter(), runs, heads, stop: &NEVER })
    }

    /// The number of bytes that are read or written at once. It is small enough that the buffers of all
    /// open files together stay within a quarter of the memory (with at least 4 KiB each).
    fn buffer(&self) -> usize {
        (self.space.memory / (4 * FAN_IN)).clamp(4 * 1024, 1 << 20)
    }
}

/// Sorts in pieces, so that `stop` is read now and then. Each call puts the lesser half of its items in
/// front.
fn sort<T: Ord>(items: &mut [T], stop: &AtomicBool) {
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

/// The items in order: either from memory, or from sorted runs.
pub(super) struct Sorted<'a, T> {
    items: std::vec::IntoIter<T>,
    runs: Vec<Spooled<T>>,
    /// The next item of each run that has one, and the index of that run.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    stop: &'a AtomicBool,
}

impl<T: Item> Sorted<'_, T> {
    /// Takes the least of the next items of all runs.
    fn pop(&mut self) -> Result<Option<T>, SpaceError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let run = head.0.1;
        Ok(Some(match self.runs[run].next()? {
            Some(next) => std::mem::replace(&mut head.0.0, next),
            None => PeekMut::pop(head).0.0,
        }))
    }
}

impl<T: Item> Iterator for Sorted<'_, T> {
    type Item = Result<T, SpaceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        self.items.next().map(Ok).or_else(|| self.pop().transpose())
    }
}

/// Items in a temporary file. They are written first (`BufWriter`) and then read (`BufReader`).
#[derive(Debug)]
pub(super) struct Spool<T, F = BufWriter<File>> {
    space: Space,
    file: F,
    items: PhantomData<T>,
}

/// A spool that has been written, and is read from its first item on.
pub(super) type Spooled<T> = Spool<T, BufReader<File>>;

impl<T: Item> Spool<T> {
    /// Makes the file. It is written and read in blocks of `buffer` bytes.
    pub(super) fn new(space: &Space, buffer: usize) -> Result<Spool<T>, SpaceError> {
        let file = BufWriter::with_capacity(buffer, space.file()?);
        Ok(Spool { space: space.clone(), file, items: PhantomData })
    }

    /// Writes an item.
    pub(super) fn push(&mut self, item: &T) -> Result<(), SpaceError> {
        item.write(&mut self.file).map_err(|error| self.space.failed(error))
    }

    /// Rewinds the file, so that you can read the items.
    pub(super) fn finish(self) -> Result<Spooled<T>, SpaceError> {
        let Spool { space, file, items } = self;
        let buffer = file.capacity();
        let file = file.into_inner().map_err(IntoInnerError::into_error);
        let rewound = file.and_then(|mut file| file.rewind().map(|()| file));
        let file = rewound.map_err(|error| space.failed(error))?;
        Ok(Spool { space, file: BufReader::with_capacity(buffer, file), items })
    }
}

impl<T: Item> Spooled<T> {
    /// Reads the next item; `None` after the last one.
    pub(super) fn next(&mut self) -> Result<Option<T>, SpaceError> {
        T::read(&mut self.file).map_err(|error| self.space.failed(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(memory: usize, items: &[[u8; 4]]) -> (Vec<[u8; 4]>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter: Sorter<[u8; 4]> = Sorter::new(Space { memory, folder: folder.path().to_owned() });
        items.iter().for_each(|&item| sorter.push(item).unwrap());
        let ranks = sorter.ranks.len();
        let sorted = sorter.finish(&AtomicBool::new(false)).unwrap().map(Result::unwrap).collect();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        (sorted, ranks)
    }

    #[test]
    fn sorting_in_files_equals_sorting_in_memory() {
        let items: Vec<[u8; 4]> =
            (0..10_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) % 5000).to_be_bytes()).collect();
        let mut expected = items.clone();
        expected.sort_unstable();
        // All in memory; a few runs (memory grows twice or once); runs merged into longer ones; those
        // merged again.
        for (memory, expected_ranks) in [(1 << 20, 0), (6_000, 1), (4_000, 1), (256, 2), (4, 3)] {
            assert_eq!(sorted(memory, &items), (expected.clone(), expected_ranks), "{memory}");
        }
        assert_eq!(sorted(4, &[]), (Vec::new(), 0));
    }

    #[test]
    fn items_of_any_length_are_sorted_too() {
        let item =
            |i: u32| vec![(i.wrapping_mul(2_654_435_761) >> 13) as u8; (i % 90) as usize].into_boxed_slice();
        let mut expected: Vec<Box<[u8]>> = (0..5_000).map(item).collect();
        let folder = tempfile::tempdir().unwrap();
        for memory in [1 << 20, 100_000, 7_000, 1] {
            let mut sorter = Sorter::new(Space { memory, folder: folder.path().to_owned() });
            (0..5_000).for_each(|i| sorter.push(item(i)).unwrap());
            let sorted: Vec<_> = sorter.finish(&NEVER).unwrap().map(Result::unwrap).collect();
            expected.sort_unstable();
            assert!(sorted == expected, "{memory}");
        }
    }
}
