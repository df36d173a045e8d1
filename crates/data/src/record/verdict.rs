//! Verdicts on the records of a collection.

/// The verdict on a record of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// A proper puzzle: exactly one solution.
    Unique,
    /// The given answer is the only solution.
    Ok,
    /// Several solutions.
    Multiple,
    /// The given answer is a solution, and there are others.
    NotUnique,
    /// No solution, though no two clues contradict each other directly.
    None,
    /// The given answer is no solution.
    Wrong,
    /// Two equal clues in a house.
    Conflict,
    /// The record could not be read.
    Malformed,
}

impl Verdict {
    /// Every verdict, in the order in which tables list them.
    pub const ALL: [Verdict; 8] = [
        Verdict::Unique,
        Verdict::Ok,
        Verdict::Multiple,
        Verdict::NotUnique,
        Verdict::None,
        Verdict::Wrong,
        Verdict::Conflict,
        Verdict::Malformed,
    ];

    /// Returns the name of the verdict in listings and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Unique => "unique",
            Verdict::Ok => "ok",
            Verdict::Multiple => "multiple",
            Verdict::NotUnique => "not-unique",
            Verdict::None => "none",
            Verdict::Wrong => "wrong",
            Verdict::Conflict => "conflict",
            Verdict::Malformed => "malformed",
        }
    }

    /// Returns whether the verdict is a good one.
    #[must_use]
    pub const fn is_good(self) -> bool {
        matches!(self, Verdict::Unique | Verdict::Ok)
    }
}

/// How many records have each verdict.
///
/// ```
/// use gridmill_data::record::{Verdict, Verdicts};
///
/// let mut verdicts = Verdicts::default();
/// verdicts.add(Verdict::Unique, 3);
/// verdicts.add(Verdict::None, 1);
/// assert_eq!((verdicts.records(), verdicts.bad()), (4, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Verdicts([u64; Verdict::ALL.len()]);

impl Verdicts {
    /// Counts `records` more records with a verdict.
    pub fn add(&mut self, verdict: Verdict, records: u64) {
        self.0[verdict as usize] += records;
    }

    /// Adds the counts of `others`.
    pub fn merge(&mut self, others: &Verdicts) {
        self.0.iter_mut().zip(others.0).for_each(|(count, more)| *count += more);
    }

    /// Returns the number of records with that verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> u64 {
        self.0[verdict as usize]
    }

    /// Returns the number of all records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Returns the number of records with a bad verdict.
    #[must_use]
    pub fn bad(&self) -> u64 {
        Verdict::ALL.into_iter().filter(|verdict| !verdict.is_good()).map(|verdict| self.count(verdict)).sum()
    }
}
