//! The columns that there are to choose from.

use gridmill_core::jobs::Schema;

use super::{Field, Input, RowColumn, RowForm, Rows, Source};
use crate::output::csv::{free_name, put_field_between};
use crate::output::json::{distinct, key};
use crate::text::{CsvHeader, Layout, raw_fields};

/// The columns that are written only where they are chosen.
const OF_PLACE: [(&str, Field); 3] =
    [("file", Field::File), ("record", Field::Record), ("line", Field::Line)];

/// The columns that the rows of a run may have: those of the input, the new ones, and `file`, `record` and `line`.
#[derive(Clone, Debug)]
pub struct KnownColumns {
    source: Source,
    form: RowForm,
    names: Vec<String>,
    /// What the column of each name holds.
    fields: Vec<Field>,
    header: Option<CsvHeader>,
    schema: Schema,
}

impl KnownColumns {
    /// Returns the columns of files that are written alike, with the new ones of a job. A name that a column of the
    /// input has gets `gridmill_` in front, as in rows with all columns.
    pub fn of<'a>(
        layouts: impl Iterator<Item = &'a Layout> + Clone,
        schema: &Schema,
        is_json: bool,
    ) -> KnownColumns {
        let header = layouts.clone().find_map(|layout| layout.header.clone());
        let (source, input) = match (&header, keys_of(layouts)) {
            (Some(header), _) => {
                let names = if is_json { distinct(header.names()) } else { header.names() };
                let &CsvHeader { column, width, separator, .. } = header;
                (Source::Table { column, width, separator }, names)
            }
            (None, Some((keys, puzzle))) if is_json => (Source::Objects { keys: keys.clone(), puzzle }, keys),
            (None, Some((mut keys, puzzle))) => {
                // CSV has the puzzle in front, under that name.
                let key = keys.remove(puzzle);
                let names = [vec!["puzzle".to_owned()], keys.clone()].concat();
                (Source::Objects { keys: [vec![key], keys].concat(), puzzle: 0 }, names)
            }
            (None, None) => (Source::Lines, vec!["puzzle".to_owned()]),
        };
        let separator = header.as_ref().map_or(b',', |header| header.separator);
        let form = if is_json { RowForm::Json } else { RowForm::Csv { separator } };
        let taken: Vec<String> = input.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        let new = schema.names().enumerate().map(|(index, name)| (name, Field::New(index)));
        let new = new.chain(OF_PLACE).map(|(name, field)| (free_name(name, &taken), field));
        let input = input.into_iter().enumerate().map(|(index, name)| (name, Field::Input(index)));
        let (names, fields) = input.chain(new).unzip();
        KnownColumns { source, form, names, fields, header, schema: schema.clone() }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns rows of the columns of these indices, in that order.
    pub fn choose(self, chosen: &[usize]) -> Rows {
        let lead = |place: usize, index: usize| match self.form {
            RowForm::Csv { .. } => Vec::new(),
            RowForm::Json if place == 0 => [b"{", &key(&self.names[index])[..]].concat(),
            RowForm::Json => [b",", &key(&self.names[index])[..]].concat(),
        };
        let columns = chosen.iter().enumerate();
        let columns =
            columns.map(|(place, &index)| RowColumn { lead: lead(place, index), field: self.fields[index] });
        let columns: Vec<RowColumn> = columns.collect();
        let header = match self.form {
            RowForm::Csv { separator } => self.header_row(chosen, separator),
            RowForm::Json => Vec::new(),
        };
        Rows::with(self.form, Input::Chosen(self.source), columns, header, &self.schema)
    }

    /// Returns the header row. Names of a header stand as they are there.
    fn header_row(&self, chosen: &[usize], separator: u8) -> Vec<u8> {
        let mut row = Vec::new();
        for (place, &index) in chosen.iter().enumerate() {
            if place > 0 {
                row.push(separator);
            }
            let written =
                self.header.as_ref().and_then(|header| raw_fields(&header.text, separator).nth(index));
            match written {
                Some(written) => row.extend_from_slice(written),
                None => put_field_between(&self.names[index], separator, &mut row),
            }
        }
        self.form.end_row(0, &mut row);
        row
    }
}

/// Returns the keys of the objects in some files, each once, and the index of the puzzle's; `None` if there are no
/// objects.
fn keys_of<'a>(mut layouts: impl Iterator<Item = &'a Layout> + Clone) -> Option<(Vec<String>, usize)> {
    let mut keys: Vec<String> = Vec::new();
    for key in layouts.clone().flat_map(|layout| layout.json_keys().unwrap_or_default()) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    let puzzle = layouts.find_map(Layout::json_key)?;
    let place = keys.iter().position(|key| key == puzzle).unwrap_or_else(|| {
        keys.push(puzzle.to_owned());
        keys.len() - 1
    });
    Some((keys, place))
}
