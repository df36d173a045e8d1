//! The columns that files have besides their puzzles, e.g. `id`: the columns of CSV and Parquet, and the keys of JSON Lines.

use gridmill_data::collection::Field;
use gridmill_data::text::Layout;

use super::Collection;
use super::index::Entry;
use super::records::File;

/// The limit for the length of a value in the table, in characters.
const SHOWN: usize = 200;

/// The columns of a file besides the puzzles: their names, and where they are in a record.
fn columns_of(layout: &Layout) -> Vec<(String, Field)> {
    if let Some(header) = &layout.header {
        let (puzzle, separator) = (header.column, header.separator);
        let names = header.names().into_iter().enumerate().filter(|(index, _)| *index != puzzle);
        return names.map(|(index, name)| (name, Field::Column { index, separator })).collect();
    }
    let keys = layout.json_keys().unwrap_or_default().iter().filter(|key| Some(&***key) != layout.json_key());
    keys.map(|key| (key.clone(), Field::Key(key.clone()))).collect()
}

/// Finds the values of columns. It is fast if the records of a file come one after another.
pub(super) struct OwnValues<'a> {
    names: &'a [String],
    /// The number of the last file, and where its columns are.
    last: Option<(u16, Vec<Option<Field>>)>,
}

impl<'a> OwnValues<'a> {
    pub(super) fn new(names: &'a [String]) -> OwnValues<'a> {
        OwnValues { names, last: None }
    }

    /// The values of the record with these lines. A value is empty if the file has no such column.
    pub(super) fn of(&mut self, file: &File, entry: &Entry, lines: &[u8]) -> Vec<String> {
        if self.last.as_ref().is_none_or(|(number, _)| *number != entry.file) {
            let columns = file.layout().map(columns_of).unwrap_or_default();
            let field =
                |name: &String| columns.iter().find(|(own, _)| own == name).map(|(_, field)| field.clone());
            self.last = Some((entry.file, self.names.iter().map(field).collect()));
        }
        let fields = self.last.iter().flat_map(|(_, fields)| fields);
        let text =
            |field: &Field| String::from_utf8_lossy(&field.content(lines.trim_ascii_end())).into_owned();
        fields.map(|field| field.as_ref().map_or(String::new(), text)).collect()
    }

    /// The values as the table shows them. Long ones are cut off.
    pub(super) fn shown(&mut self, file: &File, entry: &Entry, lines: &[u8]) -> Vec<String> {
        let cut = |text: String| match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        };
        self.of(file, entry, lines).into_iter().map(cut).collect()
    }
}

impl Collection {
    /// The names of the files' own columns, each once.
    pub(super) fn own_columns(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, file) in self.files().shown().filter(|(_, file)| !file.is_broken()) {
            for (name, _) in file.layout().map(columns_of).unwrap_or_default() {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}
