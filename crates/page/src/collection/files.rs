//! The files of the collection at one time, and which row of the page is which record of the index; and the
//! columns that files have besides their puzzles, e.g. `id`: the columns of CSV and Parquet, and the keys of
//! JSON Lines.
//!
//! The index only grows, so a record keeps its place there, which is called its id. Rows count the records of
//! the files that are shown, in the order of the files. So the row of a record changes if an earlier file
//! grows, is reloaded or is removed.

use std::sync::Arc;

use gridmill_data::collection::Field;
use gridmill_data::text::Layout;

use super::Collection;
use super::index::Entry;
use super::records::File;
use crate::reply::Answer;

/// The files of the collection at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// All files so far, including those that have been removed. The index is the number that entries have.
    all: Vec<Arc<File>>,
    /// The numbers of the files that are shown, in order.
    shown: Vec<u16>,
}

impl Files {
    pub(super) fn new(files: Vec<File>) -> Files {
        let all: Vec<Arc<File>> = files.into_iter().map(Arc::new).collect();
        Files { shown: (0..all.len() as u16).collect(), all }
    }

    /// The file with this number.
    pub(super) fn get(&self, number: u16) -> &Arc<File> {
        &self.all[usize::from(number)]
    }

    /// The number of files so far, including those that have been removed.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// All files with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u16, &Arc<File>)> {
        (0..).zip(&self.all)
    }

    /// The files that are shown with their numbers, in order.
    pub(super) fn shown(&self) -> impl Iterator<Item = (u16, &Arc<File>)> {
        self.shown.iter().map(|&number| (number, self.get(number)))
    }

    /// The number of the file at an index among those that are shown.
    pub(super) fn at(&self, place: u64) -> Answer<u16> {
        let number = usize::try_from(place).ok().and_then(|place| self.shown.get(place)).copied();
        // The message is for people, who count from 1.
        number.ok_or_else(|| bad!("there is no file {}, only {}", place.saturating_add(1), self.shown.len()))
    }

    /// The index of a file among those that are shown.
    pub(super) fn place(&self, number: u16) -> Option<usize> {
        self.shown.iter().position(|&shown| shown == number)
    }

    /// Adds a file in place of another one, or at the end. Returns its number; `None` if there are too many files.
    pub(super) fn add(&mut self, file: File, in_place_of: Option<u16>) -> Option<u16> {
        let number = u16::try_from(self.all.len()).ok().filter(|&number| number < u16::MAX)?;
        self.all.push(Arc::new(file));
        match in_place_of.and_then(|old| self.place(old)) {
            Some(place) => self.shown[place] = number,
            None => self.shown.push(number),
        }
        Some(number)
    }

    /// Removes a file from those that are shown.
    pub(super) fn take_away(&mut self, number: u16) {
        self.shown.retain(|&shown| shown != number);
    }
}

/// Which row is which record, at one time.
pub(super) struct Numbering {
    pub(super) files: Arc<Files>,
    /// The first row of each file, by its number; `None` if the file is not shown.
    first_rows: Vec<Option<u64>>,
}

impl Numbering {
    pub(super) fn new(files: Arc<Files>) -> Numbering {
        let mut first_rows = vec![None; files.count()];
        let mut rows = 0;
        for (number, file) in files.shown() {
            first_rows[usize::from(number)] = Some(rows);
            rows += u64::from(file.records());
        }
        Numbering { files, first_rows }
    }

    /// The record of a row.
    pub(super) fn id(&self, row: u64) -> Option<u32> {
        let (number, file) =
            self.files.shown().take_while(|(number, _)| self.first_row(*number) <= Some(row)).last()?;
        file.id(row - self.first_row(number)?)
    }

    /// The row of a record, if its file is shown.
    pub(super) fn row(&self, id: u32, number: u16) -> Option<u64> {
        Some(self.first_row(number)? + u64::from(self.files.get(number).place(id)?))
    }

    fn first_row(&self, number: u16) -> Option<u64> {
        self.first_rows.get(usize::from(number)).copied().flatten()
    }
}

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
