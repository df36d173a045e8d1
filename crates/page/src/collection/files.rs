//! The files of the collection at one time, and which row of the page is which record of the index.
//!
//! The index only grows, so a record keeps its place there, which is called its id. Rows count the records of the files that are
//! shown, in the order of the files. So the row of a record changes if an earlier file grows, is reloaded or is removed.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::records::File;
use crate::reply::Refusal;

/// The files of the collection at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// All files so far, including those that have been removed. The index is the number that entries have.
    all: Vec<Arc<File>>,
    /// The numbers of the files that are shown, in order.
    shown: Vec<u16>,
}

impl Files {
    pub(super) fn new(files: Vec<File>) -> Files {
        let all: Vec<Arc<File>> = files.into_iter().map(Arc::new).collect();
        Files { shown: (0..all.len() as u16).collect(), all }
    }

    /// The file with this number.
    pub(super) fn get(&self, number: u16) -> &Arc<File> {
        &self.all[usize::from(number)]
    }

    /// The number of files so far, including those that have been removed.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// All files with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u16, &Arc<File>)> {
        (0..).zip(&self.all)
    }

    /// The files that are shown with their numbers, in order.
    pub(super) fn shown(&self) -> impl Iterator<Item = (u16, &Arc<File>)> {
        self.shown.iter().map(|&number| (number, self.get(number)))
    }

    /// The number of the file at an index among those that are shown.
    pub(super) fn at(&self, place: u64) -> Result<u16, Refusal> {
        let number = usize::try_from(place).ok().and_then(|place| self.shown.get(place)).copied();
        // The message is for people, who count from 1.
        let none = || format!("there is no file {}, only {}", place.saturating_add(1), self.shown.len());
        number.ok_or_else(|| Refusal::bad(none()))
    }

    /// The index of a file among those that are shown.
    pub(super) fn place(&self, number: u16) -> Option<usize> {
        self.shown.iter().position(|&shown| shown == number)
    }

    /// Adds a file in place of another one, or at the end. Returns its number; `None` if there are too many files.
    pub(super) fn add(&mut self, file: File, in_place_of: Option<u16>) -> Option<u16> {
        let number = u16::try_from(self.all.len()).ok().filter(|&number| number < u16::MAX)?;
        self.all.push(Arc::new(file));
        match in_place_of.and_then(|old| self.place(old)) {
            Some(place) => self.shown[place] = number,
            None => self.shown.push(number),
        }
        Some(number)
    }

    /// Removes a file from those that are shown.
    pub(super) fn take_away(&mut self, number: u16) {
        self.shown.retain(|&shown| shown != number);
    }
}

/// Which row is which record, at one time.
pub(super) struct Numbering {
    files: Arc<Files>,
    /// The first row of each file, by its number; `None` if the file is not shown.
    first_rows: Vec<Option<u64>>,
}

impl Numbering {
    pub(super) fn new(files: Arc<Files>) -> Numbering {
        let mut first_rows = vec![None; files.count()];
        let mut rows = 0;
        for (number, file) in files.shown() {
            first_rows[usize::from(number)] = Some(rows);
            rows += u64::from(file.records());
        }
        Numbering { files, first_rows }
    }

    /// The record of a row.
    pub(super) fn id(&self, row: u64) -> Option<u32> {
        let (number, file) =
            self.files.shown().take_while(|(number, _)| self.first_row(*number) <= Some(row)).last()?;
        file.id(row - self.first_row(number)?)
    }

    /// The row of a record, if its file is shown.
    pub(super) fn row(&self, id: u32, number: u16) -> Option<u64> {
        Some(self.first_row(number)? + u64::from(self.files.get(number).place(id)?))
    }

    /// The index of a file among those that are shown.
    pub(super) fn file(&self, number: u16) -> Option<usize> {
        self.files.place(number)
    }

    fn first_row(&self, number: u16) -> Option<u64> {
        self.first_rows.get(usize::from(number)).copied().flatten()
    }
}

/// Ranges of ids, where each id has a place: the number of ids before it.
pub(super) struct Places<'a> {
    ranges: &'a [Range<u32>],
    starts: Vec<u32>,
}

impl<'a> Places<'a> {
    pub(super) fn new(ranges: &'a [Range<u32>]) -> Places<'a> {
        let start = |before: &mut u32, range: &Range<u32>| {
            let start = *before;
            *before += range.end - range.start;
            Some(start)
        };
        Places { starts: ranges.iter().scan(0, start).collect(), ranges }
    }

    /// Iterates over the ranges, each with the place of its first id.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Range<u32>)> {
        self.starts.iter().copied().zip(self.ranges)
    }

    /// The id at a place, which must exist.
    pub(super) fn id(&self, place: u32) -> u32 {
        let index = self.starts.partition_point(|&start| start <= place) - 1;
        self.ranges[index].start + (place - self.starts[index])
    }
}

/// Counts the changes of the files that are shown.
#[derive(Debug, Default)]
pub(super) struct Changes(AtomicU64);

impl Changes {
    pub(super) fn note(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}
