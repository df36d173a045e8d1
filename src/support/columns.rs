//! The columns of files: input columns that an option names, and the columns of an output that is a Parquet
//! or Arrow table. The name of an output chooses such a table, e.g. `-o rows.parquet`. Commands still write
//! rows of CSV in this case, so this file gives the types of their columns.

use std::path::Path;

use gridmill_data::collection::{Attribute, AttributeName, Field, StratumCounts};
use gridmill_data::error::Error;
use gridmill_data::packing::{ColumnType, Container, RowColumns};
use gridmill_data::text::{Layout, columns_meant, one_column};
use indicatif::HumanCount;

use super::command_error::refuse;

/// The largest number of strata that a summary lists one by one.
const STRATA_SHOWN: usize = 20;

/// Finds the attribute that an option names, in files with this layout.
pub(crate) fn find_attribute(
    layout: &Layout,
    name: &AttributeName,
    option: &str,
) -> Result<Attribute, Error> {
    name.on(|column| find_field(layout, column, option))
}

/// The lines of a summary about strata: a label, and the records taken and present, e.g. "5 of 100". If there
/// are many strata, one line with their number.
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

/// Finds the field that an option names: a column by its name or its number from 1, or a key.
pub(crate) fn find_field(layout: &Layout, name: &str, option: &str) -> Result<Field, Error> {
    let unknown = |unit, known: &[String]| {
        let known = known.join(", ");
        Error::other(format!("there is no {unit} '{name}' for {option}; the {unit}s are: {known}"))
    };
    if let Some(header) = &layout.header {
        let several = |columns: Vec<String>| {
            let columns = columns.join(", ");
            Error::other(format!(
                "'{name}' for {option} may mean several columns: {columns}; choose one by its number"
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
            "{option} is for CSV, JSON Lines and puzzle banks, but this file has another format"
        ));
    }
    let word = OF_BANKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let known = || OF_BANKS.map(|(known, _)| known.to_owned());
    word.map(|(_, place)| Field::Word(*place)).ok_or_else(|| unknown("column", &known()))
}

/// Whether the name of an output chooses a Parquet or Arrow table, and this build can write one.
pub(crate) fn tells_columns(output: Option<&Path>) -> bool {
    Container::IS_BUILT && output.and_then(Container::from_name).is_some()
}

/// Refuses `--resume` for Parquet and Arrow, because the end of such a file describes all its rows.
pub(crate) fn check_continued(output: &Path) -> Result<(), Error> {
    let Some(container) = Container::from_name(output).filter(|_| Container::IS_BUILT) else { return Ok(()) };
    let path = output.display();
    refuse(format!(
        "{path}: --resume continues the rows of an earlier run, but a table of {container} can't be continued: write .csv, and convert it at the end (gridmill convert)"
    ))
}

/// The types of the columns that an output takes over from its inputs. A column has its type if all files
/// agree, or else it is text. The puzzle is always text.
pub(crate) fn carried_types<'a>(
    layout: &Layout,
    mut tables: impl Iterator<Item = Option<&'a Vec<ColumnType>>>,
) -> Vec<ColumnType> {
    let Some(header) = &layout.header else { return Vec::new() };
    let Some(mut types) = tables.next().flatten().cloned() else { return Vec::new() };
    for table in tables {
        let others = table.into_iter().flatten().map(Some).chain(std::iter::repeat(None));
        for (kind, other) in types.iter_mut().zip(others) {
            if other != Some(kind) {
                *kind = ColumnType::Text;
            }
        }
    }
    if let Some(puzzles) = types.get_mut(header.column) {
        *puzzles = ColumnType::Text;
    }
    types
}

/// The columns of a Parquet or Arrow table to which records are copied unchanged; `None` if the output is no
/// such table. `types` is called only if it is one, because such a file has no header line.
pub(crate) fn standing_table(
    output: Option<&Path>,
    layout: &Layout,
    types: impl FnOnce() -> Vec<ColumnType>,
) -> Option<RowColumns> {
    if tells_columns(output) { standing_columns(layout, types()) } else { None }
}

/// The columns of records that are copied unchanged, without their header; `None` if they are not a table.
pub(crate) fn standing_columns(layout: &Layout, types: Vec<ColumnType>) -> Option<RowColumns> {
    let header = layout.header.as_ref()?;
    Some(RowColumns { types, separator: header.separator, names: Some(header.names()) })
}

#[cfg(test)]
mod tests {
    use gridmill_data::text::FormatOptions;

    use super::*;

    #[test]
    fn types_are_carried_where_all_files_have_them() {
        let layout = FormatOptions::default().layout(b"id,puzzle,x\n", false).unwrap().unwrap();
        let (number, rating) = (ColumnType::Number, ColumnType::Rating);
        let (first, second) = (vec![number.clone(), number.clone(), rating], vec![number.clone(); 3]);
        let carried = |tables: &[Option<&Vec<ColumnType>>]| carried_types(&layout, tables.iter().copied());
        assert_eq!(carried(&[Some(&second)]), [number.clone(), ColumnType::Text, number.clone()]);
        assert_eq!(carried(&[Some(&first), Some(&second)]), [number, ColumnType::Text, ColumnType::Text]);
        assert_eq!(carried(&[Some(&first), None]), [ColumnType::Text, ColumnType::Text, ColumnType::Text]);
        assert!(carried(&[None, Some(&first)]).is_empty());
    }
}
