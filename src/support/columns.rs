//! The columns of inputs that options name.

use gridmill_data::collection::{Attribute, AttributeName, Field, StratumCounts};
use gridmill_data::error::Error;
use gridmill_data::text::{Layout, columns_meant, one_column};
use indicatif::HumanCount;

use super::command_error::refuse;

/// The most strata that a summary counts one by one.
const STRATA_SHOWN: usize = 20;

/// Returns the attribute that an option names, in files of a layout.
pub(crate) fn find_attribute(
    layout: &Layout,
    name: &AttributeName,
    option: &str,
) -> Result<Attribute, Error> {
    name.on(|column| find_field(layout, column, option))
}

/// Returns the lines of a summary about strata, after a title: the records of each, and those taken. Where there are many, it
/// is their number.
pub(crate) fn strata_lines(attribute: &Attribute, strata: &[StratumCounts]) -> Vec<(String, String)> {
    if strata.len() > STRATA_SHOWN {
        return vec![("strata".to_owned(), HumanCount(strata.len() as u64).to_string())];
    }
    let counts = |stratum: &StratumCounts| {
        let taken = stratum.taken.iter().map(|&taken| HumanCount(taken).to_string());
        format!("{} of {}", taken.collect::<Vec<_>>().join(" + "), HumanCount(stratum.records))
    };
    strata.iter().map(|stratum| (stratum.label(attribute), counts(stratum))).collect()
}

/// The columns of a puzzle bank besides the puzzle, and their places in a line.
const OF_BANKS: [(&str, usize); 2] = [("hash", 0), ("rating", 2)];

/// Finds the field of a column that an option names, by its name or its number from 1, or of a key.
pub(crate) fn find_field(layout: &Layout, name: &str, option: &str) -> Result<Field, Error> {
    let unknown = |unit, known: &[String]| {
        let known = known.join(", ");
        Error::other(format!("there is no {unit} '{name}' for {option}; the {unit}s are: {known}"))
    };
    if let Some(header) = &layout.header {
        let several = |columns: Vec<String>| {
            let columns = columns.join(", ");
            Error::other(format!(
                "there are several columns that {option} may mean: {columns}; name one by its number"
            ))
        };
        let names = header.names();
        let meant = columns_meant(&names, Some(name), &[]);
        let index = one_column(&names, &meant, |known| unknown("column", &known), several)?;
        return Ok(Field::Column { index, separator: header.separator });
    }
    if let Some(keys) = layout.json_keys() {
        let found = keys.iter().find(|key| *key == name);
        return found.cloned().map(Field::Key).ok_or_else(|| unknown("key", keys));
    }
    if layout.format_name() != "bank" {
        return refuse(format!(
            "{option} is for CSV, JSON Lines and puzzle banks, and this file has another format"
        ));
    }
    let word = OF_BANKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let known = || OF_BANKS.map(|(known, _)| known.to_owned());
    word.map(|(_, place)| Field::Word(*place)).ok_or_else(|| unknown("column", &known()))
}
