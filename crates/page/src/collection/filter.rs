//! Filters: which rows are in a view.

use std::ops::RangeInclusive;

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Status;
use serde::Deserialize;

use super::entry::Entry;
use crate::refusal::Refusal;

/// Which rows are wanted, as a request says it. What is missing admits all.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Filter {
    clues: Option<[u64; 2]>,
    guesses: Option<[u64; 2]>,
    time_ns: Option<[u64; 2]>,
    er: Option<[f64; 2]>,
    status: Option<Vec<String>>,
    symmetry: Option<Vec<String>>,
    file: Option<u64>,
}

/// The bit of puzzles without a symmetry.
const ASYMMETRIC: u8 = 1 << Symmetry::ALL.len();

/// A filter that has been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    clues: Option<RangeInclusive<u64>>,
    guesses: Option<RangeInclusive<u64>>,
    nanos: Option<RangeInclusive<u64>>,
    /// In tenths.
    er: Option<RangeInclusive<u64>>,
    /// A bit for each of [`Status::ALL`].
    statuses: Option<u16>,
    /// A bit for each symmetry, and one for none of them.
    symmetries: Option<u8>,
    file: Option<u16>,
}

impl Filter {
    /// Returns whether all rows pass.
    pub(super) fn is_open(&self) -> bool {
        *self == Filter::default()
    }

    /// Returns the index of the only file whose rows pass, if there is one.
    pub(super) fn file(&self) -> Option<u64> {
        self.file
    }

    /// Returns whether it is about what searches find out.
    pub(super) fn needs_search(&self) -> bool {
        self.guesses.is_some() || self.time_ns.is_some() || self.status.is_some()
    }

    /// Returns whether it is about ratings.
    pub(super) fn needs_ratings(&self) -> bool {
        self.er.is_some()
    }

    /// Checks the filter of a collection with so many files.
    pub(super) fn check(&self, files: usize) -> Result<Conditions, Refusal> {
        let file = self.file.map(|file| match usize::try_from(file) {
            Ok(number) if number < files => Ok(number as u16),
            _ => Err(Refusal::bad(format!("there is no file {file}"))),
        });
        Ok(Conditions {
            clues: self.clues.map(|ends| range("clues", ends)).transpose()?,
            guesses: self.guesses.map(|ends| range("guesses", ends)).transpose()?,
            nanos: self.time_ns.map(|ends| range("time_ns", ends)).transpose()?,
            er: self.er.map(tenths).transpose()?,
            statuses: self.status.as_ref().map(|names| statuses(names)).transpose()?,
            symmetries: self.symmetry.as_ref().map(|names| symmetries(names)).transpose()?,
            file: file.transpose()?,
        })
    }
}

fn range(name: &str, [least, most]: [u64; 2]) -> Result<RangeInclusive<u64>, Refusal> {
    let reversed = || Refusal::bad(format!("{name}: there is nothing from {least} to {most}"));
    (least <= most).then_some(least..=most).ok_or_else(reversed)
}

/// Returns the tenths between two ratings, both inclusive.
fn tenths([least, most]: [f64; 2]) -> Result<RangeInclusive<u64>, Refusal> {
    let is_rating = |number: f64| (0.0..=1000.0).contains(&number);
    if !is_rating(least) || !is_rating(most) || least > most {
        return Err(Refusal::bad(format!("er: there is nothing from {least} to {most}")));
    }
    // A number such as 4.2 is a little less or more than that.
    let slack = 1e-6;
    Ok((least * 10.0 - slack).ceil() as u64..=(most * 10.0 + slack).floor() as u64)
}

fn statuses(names: &[String]) -> Result<u16, Refusal> {
    let bit = |name: &String| {
        let known = Status::ALL.into_iter().find(|status| status.name() == name);
        known.map(status_bit).ok_or_else(|| Refusal::bad(format!("there is no status {name:?}")))
    };
    names.iter().try_fold(0, |bits, name| Ok(bits | bit(name)?))
}

fn status_bit(status: Status) -> u16 {
    1 << status as u16
}

fn symmetries(names: &[String]) -> Result<u8, Refusal> {
    let bit = |name: &String| match Symmetry::ALL.iter().position(|symmetry| symmetry.name() == name) {
        Some(place) => Ok(1 << place),
        None if name == "none" => Ok(ASYMMETRIC),
        None => Err(Refusal::bad(format!("there is no symmetry {name:?}"))),
    };
    names.iter().try_fold(0, |bits, name| Ok(bits | bit(name)?))
}

impl Conditions {
    /// Returns whether a record passes. What is not known does not.
    pub(super) fn admit(&self, entry: &Entry) -> bool {
        within(&self.clues, || entry.known_clues())
            && within(&self.guesses, || entry.known_guesses())
            && within(&self.nanos, || entry.known_nanos())
            && within(&self.er, || entry.rating.er().map(gridmill_core::logic::Rating::in_tenths))
            && self
                .statuses
                .is_none_or(|wanted| entry.status.is_some_and(|status| wanted & status_bit(status) != 0))
            && self.symmetries.is_none_or(|wanted| wanted & symmetry_bits(entry) != 0)
            && self.file.is_none_or(|file| file == entry.file)
    }
}

fn within<T: Into<u64>>(range: &Option<RangeInclusive<u64>>, value: impl Fn() -> Option<T>) -> bool {
    range.as_ref().is_none_or(|range| value().is_some_and(|value| range.contains(&value.into())))
}

fn symmetry_bits(entry: &Entry) -> u8 {
    match entry.symmetries {
        _ if !entry.is_puzzle() => 0,
        0 => ASYMMETRIC,
        bits => bits,
    }
}
