//! Sorting in bounded memory: what does not fit goes to temporary files, as sorted runs, which are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, IntoInnerError, Read, Seek, Write};
use std::marker::PhantomData;
use std::path::PathBuf;
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
    /// Returns so many quarters of the memory, with the same folder.
    pub(super) fn quarters(&self, count: usize) -> Space {
        Space { memory: self.memory / 4 * count, folder: self.folder.clone() }
    }

    /// Makes a temporary file.
    pub(super) fn file(&self) -> Result<File, SpaceError> {
        tempfile::tempfile_in(&self.folder).map_err(|error| self.failed(error))
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

/// What is sorted, and kept in files meanwhile: bytes, so many for all items, or some for each.
pub(super) trait Item: Ord + Sized {
    /// Returns how many bytes of memory it takes.
    fn memory(&self) -> usize;

    /// Writes it to a file.
    fn write(&self, file: &mut impl Write) -> io::Result<()>;

    /// Reads an item; `None` behind the last one.
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

/// In a file its length is in front of it.
impl Item for Box<[u8]> {
    fn memory(&self) -> usize {
        // The allocator takes some, too.
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
    /// How many bytes of memory the items take.
    used: usize,
    /// Runs by length: those of a rank are merged into one of the next rank.
    ranks: Vec<Vec<Spooled<T>>>,
}

impl<T: Item> Sorter<T> {
    /// Returns a sorter without items.
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
            // Memory doubles, from a thousand items on, and ends at the limit.
            let room = (self.space.memory.saturating_sub(self.used) / memory).max(1);
            let more = self.items.len().max(1024).min(room);
            self.items.try_reserve_exact(more).map_err(|_| SpaceError::Memory)?;
        }
        self.used += memory;
        self.items.push(item);
        Ok(())
    }

    /// Returns all items in order. Ends early when `stop` becomes true.
    pub(super) fn finish(mut self, stop: &AtomicBool) -> Result<Sorted<'_, T>, SpaceError> {
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
        let mut items = std::mem::take(&mut self.items);
        items.sort_unstable();
        let mut run = self.write(items.drain(..).map(Ok))?;
        // Their memory serves the next ones.
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

    /// Writes a run.
    fn write(&self, items: impl Iterator<Item = Result<T, SpaceError>>) -> Result<Spooled<T>, SpaceError> {
        let mut run = Spool::new(&self.space, self.buffer())?;
        for item in items {
            run.push(&item?)?;
        }
        run.finish()
    }

    /// Returns the items of sorted runs, in order.
    fn merge(&self, mut runs: Vec<Spooled<T>>) -> Result<Sorted<'static, T>, SpaceError> {
        let mut heads = BinaryHeap::new();
        for (run, items) in runs.iter_mut().enumerate() {
            heads.extend(items.next()?.map(|item| Reverse((item, run))));
        }
        Ok(Sorted { items: Vec::new().into_iter(), runs, heads, stop: &NEVER })
    }

    /// Returns how many bytes of a file are read or written at once: all files together take a share of the
    /// memory.
    fn buffer(&self) -> usize {
        (self.space.memory / (4 * FAN_IN)).clamp(4 * 1024, 1 << 20)
    }
}

/// Sorts items, in pieces, until `stop` becomes true.
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

/// The sorted items: those in memory, or those of sorted runs.
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

/// Items in a temporary file, which are written and then read.
#[derive(Debug)]
pub(super) struct Spool<T, F = BufWriter<File>> {
    space: Space,
    file: F,
    items: PhantomData<T>,
}

/// Items that were written, at the first of them.
pub(super) type Spooled<T> = Spool<T, BufReader<File>>;

impl<T: Item> Spool<T> {
    /// Makes the file, which is written and read so many bytes at once.
    pub(super) fn new(space: &Space, buffer: usize) -> Result<Spool<T>, SpaceError> {
        let file = BufWriter::with_capacity(buffer, space.file()?);
        Ok(Spool { space: space.clone(), file, items: PhantomData })
    }

    /// Writes an item.
    pub(super) fn push(&mut self, item: &T) -> Result<(), SpaceError> {
        item.write(&mut self.file).map_err(|error| self.space.failed(error))
    }

    /// Returns the items, to be read.
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
    /// Reads the next item; `None` behind the last one.
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
