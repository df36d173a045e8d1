//! Counts of the records of a collection, by field.

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Status;
use gridmill_core::logic::Rating;

use super::log_counts::LogCounts;
use crate::RatingCounts;

/// The known figures of a record. An unknown one is counted nowhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordFigures {
    /// The verdict.
    pub status: Option<Status>,
    /// The number of clues.
    pub clues: Option<u16>,
    /// The symmetries of the places of clues: a bit for each, from the lowest, in the order of [`Symmetry::ALL`].
    pub symmetries: Option<u8>,
    /// The guesses of the search.
    pub guesses: Option<u64>,
    /// The time of the search, in nanoseconds.
    pub nanos: Option<u64>,
    /// The rating, of a puzzle that was solved by techniques.
    pub er: Option<Rating>,
}

/// How many records have each value of a field. The memory is bounded, whatever the number of records.
#[derive(Debug, Default)]
pub struct Counts {
    records: u64,
    statuses: [u64; Status::ALL.len()],
    /// Puzzles by their number of clues.
    clues: Vec<u64>,
    symmetries: [u64; Symmetry::ALL.len()],
    /// Puzzles without any of these symmetries.
    asymmetric: u64,
    /// Puzzles whose symmetries are known.
    with_symmetries: u64,
    pub(super) guesses: LogCounts,
    pub(super) times: LogCounts,
    pub(super) ratings: RatingCounts,
}

impl Counts {
    /// Counts a record.
    pub fn add(&mut self, record: &RecordFigures) {
        self.records += 1;
        if let Some(status) = record.status {
            self.statuses[status as usize] += 1;
        }
        if let Some(clues) = record.clues.map(usize::from) {
            self.clues.resize(self.clues.len().max(clues + 1), 0);
            self.clues[clues] += 1;
        }
        if let Some(symmetries) = record.symmetries {
            self.add_symmetries(symmetries);
        }
        if let Some(guesses) = record.guesses {
            self.guesses.add(guesses);
        }
        if let Some(nanos) = record.nanos {
            self.times.add(nanos);
        }
        if let Some(er) = record.er {
            self.ratings.add(er);
        }
    }

    fn add_symmetries(&mut self, symmetries: u8) {
        for (bit, count) in self.symmetries.iter_mut().enumerate() {
            *count += u64::from(symmetries >> bit & 1);
        }
        self.asymmetric += u64::from(symmetries == 0);
        self.with_symmetries += 1;
    }

    /// Returns how many records were counted.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns how many records have a status.
    pub fn status(&self, status: Status) -> u64 {
        self.statuses[status as usize]
    }

    /// Returns how many records have each status, in the order of [`Status::ALL`].
    pub(super) fn statuses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Status::ALL.into_iter().map(|status| (status.name(), self.status(status)))
    }

    /// Returns how many puzzles have each symmetry, and at the end how many have none. A puzzle may have several.
    pub(super) fn symmetries(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let names = Symmetry::ALL.map(Symmetry::name);
        names.into_iter().zip(self.symmetries).chain([("none", self.asymmetric)])
    }

    /// Returns how many puzzles the symmetries were counted of.
    pub(super) fn with_symmetries(&self) -> u64 {
        self.with_symmetries
    }

    /// Returns the numbers of clues that puzzles have, each with its count.
    pub(super) fn clues(&self) -> impl Iterator<Item = (u16, u64)> {
        (0..).zip(&self.clues).filter(|(_, count)| **count > 0).map(|(clues, count)| (clues, *count))
    }
}
