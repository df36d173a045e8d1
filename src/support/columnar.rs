//! Outputs of columns, Parquet and Arrow, which the name of an output asks for: `-o rows.parquet`. Commands write rows of CSV all the
//! same, and say here which types their columns have.

use std::path::Path;

use gridmill_data::error::Error;
use gridmill_data::packing::{ColumnType, Container, RowColumns};
use gridmill_data::text::Layout;

use super::command_error::refuse;

/// Returns whether the name of an output asks for a file of columns, which the program can write.
pub(crate) fn tells_columns(output: Option<&Path>) -> bool {
    Container::IS_BUILT && output.and_then(Container::of_name).is_some()
}

/// Refuses to continue a file of columns, whose rows can't be continued.
pub(crate) fn check_continued(output: &Path) -> Result<(), Error> {
    let Some(container) = Container::of_name(output).filter(|_| Container::IS_BUILT) else { return Ok(()) };
    let path = output.display();
    refuse(format!(
        "{path}: --resume goes on behind the rows of an earlier run, and a file of {container} can't be continued: let the output be .csv, and make a table of it (gridmill convert)"
    ))
}

/// Returns the types of the columns that are passed on of some files with that layout: those that all of them have, if they are
/// tables, else texts. Puzzles are texts, whatever a table says.
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

/// Returns the columns of records of that layout that are written as they stand, without their header; `None` where they are no
/// table.
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
