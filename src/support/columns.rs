//! The columns of rows, chosen and ordered by the user.

use clap::Args;
use gridmill_data::output::fields;
use gridmill_data::text::{columns_meant, with_numbers};

use super::command_error::CommandError;

/// Which columns are written.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ColumnsArgs {
    /// Write these columns, in this order: names with commas between them, those of the input and new ones, or numbers
    /// from 1; and file, record and line, which are not written otherwise: the name of the input, the number of the
    /// record in it, and the line on which that begins
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,
}

/// Names of columns, or their numbers.
#[derive(Clone, Debug)]
pub(crate) struct ColumnList(Vec<String>);

/// Reads names as a row of CSV has them: with commas in between, and in quotes where they hold one.
pub(crate) fn column_list(text: &str) -> Result<ColumnList, String> {
    let names = fields(text.as_bytes(), b',');
    let names: Vec<String> = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let is_row = !names.is_empty() && !text.contains(['\n', '\r']);
    is_row.then_some(ColumnList(names)).ok_or_else(|| "give names of columns, as in record,status".to_owned())
}

impl ColumnsArgs {
    /// Returns whether columns are chosen.
    pub(crate) fn are_given(&self) -> bool {
        self.columns.is_some()
    }

    /// Returns the columns that are chosen of those with these names, by their indices.
    pub(crate) fn of(&self, known: &[String]) -> Result<Option<Vec<usize>>, CommandError> {
        self.columns.as_ref().map(|list| list.of(known)).transpose()
    }
}

impl ColumnList {
    /// Returns the columns of the list among those with these names, by their indices.
    pub(crate) fn of(&self, known: &[String]) -> Result<Vec<usize>, CommandError> {
        let mut chosen = Vec::with_capacity(self.0.len());
        for name in &self.0 {
            let column = match columns_meant(known, Some(name), &[])[..] {
                [column] => column,
                [] => return Err(CommandError::NoColumn { name: name.clone(), known: known.to_vec() }),
                ref several => {
                    return Err(CommandError::SeveralColumns { columns: with_numbers(known, several) });
                }
            };
            if chosen.contains(&column) {
                return Err(CommandError::ColumnTwice { name: known[column].clone() });
            }
            chosen.push(column);
        }
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(list: &str) -> Result<Vec<usize>, String> {
        let known = ["id", "a, b", "note", "note", "Status", "", "9"].map(str::to_owned);
        let list = column_list(list)?;
        list.of(&known).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_chosen_by_name_and_by_number() {
        for (list, expected) in [
            ("id,status", &[0, 4][..]),
            (" STATUS , id", &[4, 0]),
            ("\"a, b\",id", &[1, 0]),
            ("4,3,1", &[3, 2, 0]),
            ("9,,id", &[6, 5, 0]),
            ("\"\"", &[5]),
        ] {
            assert_eq!(chosen(list).as_deref(), Ok(expected), "{list}");
        }
    }

    #[test]
    fn a_list_that_says_no_clear_columns_is_refused() {
        for (list, expected) in [
            ("", "give names"),
            ("id\nnote", "give names"),
            ("id,x", "no column 'x' for --columns; there are: id, a, b, note"),
            ("note", "note (column 3), note (column 4); choose one by its number"),
            ("id,status,1", "--columns names id more than once"),
            ("8", "no column '8'"),
            ("0", "no column '0'"),
        ] {
            let refusal = chosen(list).unwrap_err();
            assert!(refusal.contains(expected), "{list}: {refusal}");
        }
    }
}
