//! Filters: which rows are in a view.

use std::ops::RangeInclusive;

use gridmill_core::grid::Symmetry;
use gridmill_core::jobs::Status;
use serde::Deserialize;

use super::entry::{Entry, Field, Pass};
use crate::reply::Refusal;

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

/// The place of the name of puzzles without a symmetry.
const ASYMMETRIC: usize = Symmetry::ALL.len();

/// A filter that has been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conditions {
    /// Of columns that have numbers; ratings in tenths.
    ranges: Vec<(Field, RangeInclusive<u64>)>,
    /// A bit for each of [`Status::ALL`].
    statuses: Option<u16>,
    /// A bit for each symmetry, and one for none of them.
    symmetries: Option<u16>,
    pub(super) file: Option<u16>,
}

impl Filter {
    /// Returns whether it is about what a pass finds out.
    pub(super) fn needs(&self, pass: Pass) -> bool {
        match pass {
            Pass::Search => self.guesses.is_some() || self.time_ns.is_some() || self.status.is_some(),
            Pass::Rate => self.er.is_some(),
        }
    }

    /// Checks the filter of a collection with so many files.
    pub(super) fn check(&self, files: usize) -> Result<Conditions, Refusal> {
        let mut ranges = Vec::new();
        let numbers = [self.clues, self.guesses, self.time_ns];
        for (field, ends) in [Field::Clues, Field::Guesses, Field::TimeNs].into_iter().zip(numbers) {
            ranges.extend(ends.map(|ends| Ok((field, range(field, ends)?))).transpose()?);
        }
        ranges.extend(self.er.map(|ends| Ok((Field::Er, tenths(ends)?))).transpose()?);
        let symmetries: Vec<&str> = Symmetry::ALL.map(Symmetry::name).into_iter().chain(["none"]).collect();
        let bits_of = |names: &Option<Vec<String>>, what: &str, all: &[&str]| {
            names.as_ref().map(|names| bits(what, names, all)).transpose()
        };
        let file = self.file.map(|file| match usize::try_from(file) {
            Ok(number) if number < files => Ok(number as u16),
            _ => Err(Refusal::bad(format!("there is no file {file}"))),
        });
        Ok(Conditions {
            ranges,
            statuses: bits_of(&self.status, "status", &Status::ALL.map(Status::name))?,
            symmetries: bits_of(&self.symmetry, "symmetry", &symmetries)?,
            file: file.transpose()?,
        })
    }
}

fn range(field: Field, [least, most]: [u64; 2]) -> Result<RangeInclusive<u64>, Refusal> {
    let reversed = || Refusal::bad(format!("{}: there is nothing from {least} to {most}", field.name()));
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

/// Returns a bit for each name, by its place among all.
fn bits(what: &str, names: &[String], all: &[&str]) -> Result<u16, Refusal> {
    names.iter().try_fold(0, |bits, name| {
        let place = all.iter().position(|known| known == name);
        let place = place.ok_or_else(|| Refusal::bad(format!("there is no {what} {name:?}")))?;
        Ok(bits | 1 << place)
    })
}

impl Conditions {
    /// Returns whether a record passes. What is not known does not.
    pub(super) fn admit(&self, entry: &Entry) -> bool {
        let is_within = |(field, range): &(Field, RangeInclusive<u64>)| {
            entry.number(*field).is_some_and(|number| range.contains(&number.into()))
        };
        let has_status = |wanted: u16| entry.status.is_some_and(|status| wanted >> status as u16 & 1 == 1);
        self.ranges.iter().all(is_within)
            && self.statuses.is_none_or(has_status)
            && self.symmetries.is_none_or(|wanted| wanted & symmetry_bits(entry) != 0)
            && self.file.is_none_or(|file| file == entry.file)
    }
}

fn symmetry_bits(entry: &Entry) -> u16 {
    match entry.symmetries {
        _ if !entry.is_puzzle() => 0,
        0 => 1 << ASYMMETRIC,
        bits => bits.into(),
    }
}
