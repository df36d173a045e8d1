//! Deductions: what is done, the pattern behind it, and the sink that takes them.

use super::cell_set::{CandidateSet, CellSet};
use super::rating::Rating;
use super::technique::Technique;

/// A deduction: what may be done with the grid, by which technique, at which rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// The technique that found it.
    pub technique: Technique,
    /// Its rating; techniques with lengths have several.
    pub rating: Rating,
    /// The cell and the digit (from 0) that can be placed.
    pub placed: Option<(usize, usize)>,
    /// The candidates that can go. With a placement of a direct technique: what goes on the way to it, for
    /// display; the placement alone is carried out.
    pub removed: CandidateSet,
}

impl Deduction {
    /// Returns a placement.
    #[must_use]
    pub const fn place(technique: Technique, rating: Rating, cell: usize, digit: usize) -> Deduction {
        Deduction { technique, rating, placed: Some((cell, digit)), removed: CandidateSet::EMPTY }
    }

    /// Returns an elimination.
    #[must_use]
    pub const fn remove(technique: Technique, rating: Rating, removed: CandidateSet) -> Deduction {
        Deduction { technique, rating, placed: None, removed }
    }
}

/// A link of a chain: if the first statement holds, so does the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Cell, digit (from 0), and whether the statement is that it stands there.
    pub from: (usize, usize, bool),
    /// Cell, digit and whether it stands there, of the second statement.
    pub to: (usize, usize, bool),
}

/// The pattern that shows a deduction to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The houses it lives in, by index (see [`house`](super::house)).
    pub houses: Vec<usize>,
    /// The candidates that make the pattern.
    pub candidates: CandidateSet,
    /// The links of chains, in order.
    pub links: Vec<Link>,
    /// The reason, a sentence with coordinates.
    pub reason: String,
}

impl Pattern {
    /// Returns the cells of the pattern.
    #[must_use]
    pub fn cells(&self) -> CellSet {
        (0..9).fold(CellSet::EMPTY, |cells, digit| cells | self.candidates.cells(digit))
    }
}

/// Takes the deductions as they are found.
pub trait Sink {
    /// The highest rating that is still of use: a finder leaves out what is dearer.
    fn limit(&self) -> Rating;

    /// Takes a deduction; `pattern` is called only where somebody will look at it.
    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern);
}
