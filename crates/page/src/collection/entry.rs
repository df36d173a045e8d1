//! The known facts of a record.

use gridmill_core::jobs::Status;
use gridmill_core::logic::{PuzzleRating, Rating, RatingEnd};

/// The place of a record, and what was found out about it. There is one for each record of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where its lines begin in the text of its file, and their bytes.
    pub(super) position: u64,
    pub(super) len: u32,
    /// The line in which it begins, from 1.
    pub(super) line: u32,
    /// The guesses and the time of its search, once it was searched.
    pub(super) guesses: u32,
    pub(super) nanos: u32,
    pub(super) clues: u16,
    pub(super) rating: RatingMark,
    /// The index of its file.
    pub(super) file: u16,
    /// The verdict. That it is malformed or in conflict is known from the beginning, others from its search on.
    pub(super) status: Option<Status>,
    /// A bit for each of [`Symmetry::ALL`](gridmill_core::grid::Symmetry::ALL).
    pub(super) symmetries: u8,
}

/// Millions of these are kept.
const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    /// Returns whether the record could be read as a puzzle.
    pub(super) fn is_puzzle(&self) -> bool {
        self.status != Some(Status::Malformed)
    }

    /// Returns whether the puzzle has been searched.
    pub(super) fn is_searched(&self) -> bool {
        self.status.is_some_and(Status::is_readable)
    }

    /// Returns the number of clues of a puzzle.
    pub(super) fn known_clues(&self) -> Option<u16> {
        self.is_puzzle().then_some(self.clues)
    }

    /// Returns the guesses of a search.
    pub(super) fn known_guesses(&self) -> Option<u32> {
        self.is_searched().then_some(self.guesses)
    }

    /// Returns the time of a search.
    pub(super) fn known_nanos(&self) -> Option<u32> {
        self.is_searched().then_some(self.nanos)
    }

    /// Returns whether it has exactly one solution, and no rating yet.
    pub(super) fn wants_rating(&self) -> bool {
        self.status == Some(Status::Unique) && self.rating == RatingMark::NONE
    }
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) status: Status,
    pub(super) guesses: u32,
    pub(super) nanos: u32,
}

impl Found {
    /// Notes what was found, unless something is known already: so a figure that was shown stays. Returns whether it was
    /// noted.
    pub(super) fn note(self, entry: &mut Entry) -> bool {
        let is_new = entry.status.is_none();
        if is_new {
            (entry.status, entry.guesses, entry.nanos) = (Some(self.status), self.guesses, self.nanos);
        }
        is_new
    }
}

/// The rating of a puzzle, or that it has none yet, in two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RatingMark(u16);

impl RatingMark {
    /// Not rated.
    pub(super) const NONE: RatingMark = RatingMark(0);
    /// Rated, but no technique goes on to the end.
    const UNSOLVED: RatingMark = RatingMark(1);
    /// Never rated: not 9x9.
    pub(super) const NEVER: RatingMark = RatingMark(2);
    /// The number added to the tenths of a rating. A full grid has the rating 0.
    const SOLVED: u16 = 3;

    pub(super) fn of(rating: &PuzzleRating) -> RatingMark {
        match rating.end {
            RatingEnd::Solved => RatingMark(rating.er.in_tenths() + RatingMark::SOLVED),
            RatingEnd::AboveLimit | RatingEnd::Contradiction => RatingMark::UNSOLVED,
        }
    }

    /// Returns the rating, if there is one.
    pub(super) fn er(self) -> Option<Rating> {
        self.0.checked_sub(RatingMark::SOLVED).map(Rating::tenths)
    }

    /// Returns how the rating ended, if there was one.
    pub(super) fn end(self) -> Option<&'static str> {
        match self {
            RatingMark::NONE | RatingMark::NEVER => None,
            RatingMark::UNSOLVED => Some("unsolved"),
            _ => Some("solved"),
        }
    }
}
