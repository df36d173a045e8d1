//! Rows of CSV and JSON Lines: one for each record, or for each grid if a job lists grids. Their columns
//! are those of the input, the answers of a job, and the place of the record, in any order.

use std::cell::Cell;
use std::path::Path;

use gridmill_core::jobs::{Absent, Answers, Column, ColumnKind, Schema, StatusInfo, Value};

use super::csv::{
    ShortText, end_row, free_name, printable, put_field_between, put_next_number, put_number,
    put_ragged_field, put_row,
};
use super::json::{JsonInputKeys, distinct, is_object, key, put_json_string, put_written};
use super::readable::candidate_text;
use crate::packing::{ColumnType, TableColumns};
use crate::record::{AnsweredRecords, Places, Sink};
use crate::text::{
    CsvHeader, Layout, PuzzleText, RawFields, Record, SourceEcho, csv_fields, json_text, json_values,
    raw_fields,
};

/// How many columns are looked up in a JSON object at once.
const GROUP: usize = 16;

/// Writes rows with certain columns: a row for each record or, for a job that lists grids, a row for each
/// grid. Records are numbered within their file. For lists, whose rows name no file, the numbers continue
/// from file to file.
///
/// ```
/// use gridmill_core::jobs::{Job, Solve};
/// use gridmill_core::Puzzle;
/// use gridmill_data::output::Rows;
/// use gridmill_data::record::Sink;
/// use gridmill_data::text::FormatOptions;
///
/// let layout = FormatOptions::default().layout(b"id;puzzle\n", true).unwrap().unwrap();
/// let mut header = Vec::new();
/// Sink::<Puzzle>::header(&Rows::csv(&layout, &Solve::default().schema()), &mut header);
/// assert_eq!(header, b"id;puzzle;solution;status;guesses;time_ns\n");
/// ```
#[derive(Clone, Debug)]
pub struct Rows {
    columns: Vec<RowColumn>,
    syntax: RowSyntax,
    input: InputColumns,
    /// The header row; empty for JSON Lines.
    header: Vec<u8>,
    /// The columns of the job.
    schema_columns: Vec<Column>,
    /// The names of the job's statuses, each with the separator of CSV before it. The last one is that of
    /// malformed records.
    statuses: Vec<ShortText<16>>,
    /// Whether there is a row for each grid of a list.
    are_lists: bool,
}

/// A column of the output.
#[derive(Clone, Debug)]
struct RowColumn {
    /// In JSON, the text before each field: a bracket or a comma, and the key.
    prefix: Vec<u8>,
    field: RowField,
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowField {
    /// A column or key of the input, by its index.
    Input(usize),
    /// A column of the job, by its index.
    Job(usize),
    /// The status, which is also a column of the job.
    Status,
    /// The name of the file.
    File,
    /// The number of the record in its file.
    Record,
    /// The line where the record begins.
    Line,
}

/// The format of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowSyntax {
    Csv { separator: u8 },
    Json,
}

/// The columns of the input in the rows.
#[derive(Clone, Debug)]
enum InputColumns {
    /// The whole row of CSV, before the columns of the job.
    WholeRow(CsvHeader),
    /// All keys of JSON Lines, before those of the job.
    WholeObject(JsonInputKeys),
    /// Only the chosen columns.
    Chosen(InputFormat),
}

/// The format of the input, which says where its columns are.
#[derive(Clone, Debug)]
enum InputFormat {
    /// Lines with only a puzzle.
    Lines,
    /// Rows of a table.
    Table(CsvHeader),
    /// JSON objects: their keys, and the index of the puzzle's key.
    Objects { keys: Vec<String>, puzzle: usize },
}

impl Rows {
    /// Rows of CSV: the columns of the input, then those of a job. If the name of a new column is taken, it
    /// gets the prefix `gridmill_`, and a number if that is taken too.
    #[must_use]
    pub fn csv(layout: &Layout, schema: &Schema) -> Rows {
        Rows::with_header(layout.header.as_ref().unwrap_or(&CsvHeader::puzzle_alone()), schema)
    }

    /// Like [`Rows::csv`], for an input with that header.
    #[must_use]
    pub fn with_header(input: &CsvHeader, schema: &Schema) -> Rows {
        let taken = input.names();
        let mut header = input.text.clone();
        for name in schema.names() {
            header.push(input.separator);
            header.extend_from_slice(free_name(name, &taken).as_bytes());
        }
        header.push(b'\n');
        let form = RowSyntax::Csv { separator: input.separator };
        let columns = schema.names().map(|_| Vec::new());
        Rows::new(form, InputColumns::WholeRow(input.clone()), job_columns(columns), header, schema)
    }

    /// Rows of JSON Lines: the keys or columns of the input, then those of a job, with the same names as in
    /// CSV.
    #[must_use]
    pub fn json(layout: &Layout, schema: &Schema) -> Rows {
        let start = JsonInputKeys::for_layout(layout);
        let columns = job_columns(schema.names().map(|name| start.new_key(name)));
        Rows::new(RowSyntax::Json, InputColumns::WholeObject(start), columns, Vec::new(), schema)
    }

    /// Rows for a job that lists grids: the number of the record, and the columns of grids. They repeat
    /// nothing of the input, because a puzzle may have millions of rows.
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::jobs::{Enumerate, Job};
    /// use gridmill_data::output::Rows;
    /// use gridmill_data::record::Sink;
    ///
    /// let mut header = Vec::new();
    /// Sink::<Puzzle>::header(&Rows::lists(&Enumerate::default().schema(), false), &mut header);
    /// assert_eq!(header, b"record,solution\n");
    /// ```
    #[must_use]
    pub fn lists(schema: &Schema, is_json: bool) -> Rows {
        let grids = schema.columns.iter().enumerate().filter(|(_, column)| column.kind == ColumnKind::Grids);
        let grids = grids.map(|(index, column)| (column.name, RowField::Job(index)));
        let form = if is_json { RowSyntax::Json } else { RowSyntax::Csv { separator: b',' } };
        let fields: Vec<_> = [("record", RowField::Record)].into_iter().chain(grids).collect();
        let column = |(place, &(name, field))| RowColumn { prefix: form.prefix(place, name), field };
        let columns = fields.iter().enumerate().map(column).collect();
        let mut header = Vec::new();
        if !is_json {
            put_row(&fields, b',', |(name, _), row| row.extend_from_slice(name.as_bytes()), &mut header);
        }
        Rows::new(form, InputColumns::Chosen(InputFormat::Lines), columns, header, schema)
    }

    /// Rows with columns that `choose` chooses, for files that have the same format. It gets the names of
    /// all possible columns: those of the input, those of the job, and `file`, `record` and `line`. It
    /// returns the indices of those that are wanted, in order, or `None` for all columns of each file. If a
    /// column of the input has the name of a new one, the new one gets the prefix `gridmill_`.
    ///
    /// # Errors
    ///
    /// Fails if `choose` does.
    pub fn chosen<'a, E>(
        layouts: impl Iterator<Item = &'a Layout> + Clone,
        schema: &Schema,
        is_json: bool,
        choose: impl FnOnce(&[String]) -> Result<Option<Vec<usize>>, E>,
    ) -> Result<Option<Rows>, E> {
        let header = layouts.clone().find_map(|layout| layout.header.as_ref());
        let (source, input) = match (header, keys_of(layouts)) {
            (Some(header), _) => {
                let names = if is_json { distinct(header.names()) } else { header.names() };
                (InputFormat::Table(header.clone()), names)
            }
            (None, Some((keys, puzzle))) if is_json => {
                (InputFormat::Objects { keys: keys.clone(), puzzle }, keys)
            }
            (None, Some((mut keys, puzzle))) => {
                // CSV calls the puzzle `puzzle`, and puts it first.
                let key = keys.remove(puzzle);
                let names = [vec!["puzzle".to_owned()], keys.clone()].concat();
                (InputFormat::Objects { keys: [vec![key], keys].concat(), puzzle: 0 }, names)
            }
            (None, None) => (InputFormat::Lines, vec!["puzzle".to_owned()]),
        };
        // The status of a list is not available, because lists are written while they grow, before the
        // status is known.
        let is_known = |column: &Column| !(schema.has_lists() && column.kind == ColumnKind::Status);
        let new = schema.columns.iter().enumerate().filter(|(_, column)| is_known(column));
        let new = new.map(|(index, column)| (column.name, RowField::Job(index)));
        let new: Vec<_> =
            new.chain(PLACE_COLUMNS).map(|(name, field)| (free_name(name, &input), field)).collect();
        let input = input.into_iter().enumerate().map(|(index, name)| (name, RowField::Input(index)));
        let (names, fields): (Vec<_>, Vec<_>) = input.chain(new).unzip();
        let Some(chosen) = choose(&names)? else { return Ok(None) };
        let separator = header.map_or(b',', |header| header.separator);
        let form = if is_json { RowSyntax::Json } else { RowSyntax::Csv { separator } };
        let column = |(place, &index): (usize, &usize)| RowColumn {
            prefix: form.prefix(place, &names[index]),
            field: fields[index],
        };
        let columns = chosen.iter().enumerate().map(column).collect();
        let mut row = Vec::new();
        if !is_json {
            // Names from the header of the input are copied with their quotes.
            let written = |index| raw_fields(&header?.text, separator).nth(index);
            let put = |&index: &usize, row: &mut Vec<u8>| match written(index) {
                Some(written) => row.extend_from_slice(written),
                None => put_field_between(&names[index], separator, row),
            };
            put_row(&chosen, separator, put, &mut row);
        }
        Ok(Some(Rows::new(form, InputColumns::Chosen(source), columns, row, schema)))
    }

    fn new(
        syntax: RowSyntax,
        input: InputColumns,
        mut columns: Vec<RowColumn>,
        header: Vec<u8>,
        schema: &Schema,
    ) -> Rows {
        for column in &mut columns {
            if matches!(column.field, RowField::Job(index) if schema.columns[index].kind == ColumnKind::Status)
            {
                column.field = RowField::Status;
            }
        }
        let separator = match syntax {
            RowSyntax::Csv { separator } => separator,
            RowSyntax::Json => b',',
        };
        let text = |status: &StatusInfo| ShortText::new(&[&[separator], status.name.as_bytes()].concat());
        let statuses = schema.statuses.iter().map(text).collect();
        let are_lists = schema.has_lists();
        Rows { columns, syntax, input, header, schema_columns: schema.columns.clone(), statuses, are_lists }
    }

    /// The types of the columns of CSV rows. `input` has the types of the input's columns; without types
    /// they are texts.
    #[must_use]
    pub fn columns(&self, input: &[ColumnType]) -> TableColumns {
        let of_input = |index: usize| input.get(index).cloned().unwrap_or_default();
        let whole = match &self.input {
            InputColumns::WholeRow(header) => header.width,
            InputColumns::WholeObject(_) | InputColumns::Chosen(_) => 0,
        };
        let chosen = self.columns.iter().map(|column| match column.field {
            RowField::Input(index) => of_input(index),
            RowField::Job(index) => column_type(self.schema_columns[index].kind),
            RowField::Record | RowField::Line => ColumnType::Number,
            RowField::Status | RowField::File => ColumnType::Text,
        });
        let types: Vec<ColumnType> = (0..whole).map(of_input).chain(chosen).collect();
        let separator = match self.syntax {
            RowSyntax::Csv { separator } => separator,
            RowSyntax::Json => b',',
        };
        TableColumns { separator, ..TableColumns::with_header_row(types) }
    }

    /// Returns whether the number or the line of the record is among the columns. If so, and if a run
    /// begins inside a file, the part before it has to be counted first.
    #[must_use]
    pub fn wants_numbers(&self) -> bool {
        self.columns.iter().any(|column| matches!(column.field, RowField::Record | RowField::Line))
    }

    /// Appends the columns of the job for a malformed record.
    #[cold]
    fn put_unanswered(&self, separator: u8, out: &mut Vec<u8>) {
        for column in &self.columns {
            match column.field {
                RowField::Job(index) => {
                    out.push(separator);
                    self.put_absent(index, out);
                }
                _ => self.statuses[self.statuses.len() - 1].put(out),
            }
        }
        out.push(b'\n');
    }

    /// Appends a value of the job. Callers append numbers themselves. Not inlined, because inlining it made
    /// the loops over rows slower.
    #[inline(never)]
    fn put_value<P: PuzzleText>(&self, column: usize, puzzle: &P, value: Value<'_>, out: &mut Vec<u8>) {
        match value {
            Value::Rating(rating) => put_tenths(rating.in_tenths(), out),
            Value::Cells(cells) | Value::Grids(cells) => {
                self.syntax.put_written(|out| puzzle.write_cells(cells, out), out);
            }
            Value::Candidates(counts) => {
                self.syntax.put_written(|out| candidate_text(puzzle, counts, out), out);
            }
            Value::Text(text) => self.syntax.put_text(text, out),
            // The callers have appended numbers; keys and steps are never columns of rows.
            _ => self.put_absent(column, out),
        }
    }

    /// Appends a missing value of the job.
    fn put_absent(&self, column: usize, out: &mut Vec<u8>) {
        match (self.schema_columns[column].absent, self.syntax) {
            (Absent::Zero, _) | (Absent::ZeroInCsv, RowSyntax::Csv { .. }) => out.push(b'0'),
            (Absent::Empty, RowSyntax::Csv { .. }) => {}
            (_, RowSyntax::Json) => out.extend_from_slice(b"null"),
        }
    }

    /// Appends the object of a record with all keys of the input first.
    fn put_whole_object<P: PuzzleText>(&self, start: &JsonInputKeys, row: &Row<'_, P>, out: &mut Vec<u8>) {
        start.write(row.record, row.text, row.answered.map(|(puzzle, _)| puzzle), out);
        for column in &self.columns {
            out.extend_from_slice(&column.prefix);
            match column.field {
                RowField::Job(index) => self.put_new(index, row, out),
                _ => self.put_status(row, out),
            }
        }
        out.extend_from_slice(b"}\n");
    }

    /// Appends the row of a record, column by column.
    fn put_chosen<P: PuzzleText>(&self, source: &InputFormat, row: &Row<'_, P>, out: &mut Vec<u8>) {
        let start = out.len();
        let mut fields = InputFields::new(source, row.record, row.text);
        for (first, group) in (0..).step_by(GROUP).zip(self.columns.chunks(GROUP)) {
            fields.find(row.text, group);
            self.put_columns(&mut fields, (first, group), row, out);
        }
        match self.syntax {
            RowSyntax::Json => out.extend_from_slice(b"}\n"),
            RowSyntax::Csv { .. } => end_row(start, out),
        }
    }

    /// Appends the fields of a group of columns. The first of them is at index `first` of the row. Call
    /// `fields.find` for the group first.
    #[inline(always)]
    fn put_columns<P: PuzzleText>(
        &self,
        fields: &mut InputFields<'_>,
        (first, group): (usize, &[RowColumn]),
        row: &Row<'_, P>,
        out: &mut Vec<u8>,
    ) {
        for (place, column) in group.iter().enumerate() {
            self.put_lead(first + place, column, out);
            match column.field {
                RowField::Input(index) => fields.put((index, place), row, self.syntax, out),
                RowField::Job(index) => self.put_new(index, row, out),
                RowField::Status => self.put_status(row, out),
                RowField::File => self.syntax.put_text(&row.file.to_string_lossy(), out),
                RowField::Record => put_number(row.number, out),
                RowField::Line => put_number(row.line(), out),
            }
        }
    }

    /// Appends the text before the field of a column.
    #[inline]
    fn put_lead(&self, place: usize, column: &RowColumn, out: &mut Vec<u8>) {
        match self.syntax {
            RowSyntax::Csv { separator } if place > 0 => out.push(separator),
            _ => out.extend_from_slice(&column.prefix),
        }
    }

    fn put_new<P: PuzzleText>(&self, column: usize, row: &Row<'_, P>, out: &mut Vec<u8>) {
        let Some((puzzle, answer)) = row.answered else {
            return self.put_absent(column, out);
        };
        match row.answers.value(column, answer) {
            Value::Number(number) => put_number(number, out),
            Value::Grids(grids) => {
                let cells = puzzle.cells().len();
                let grid = Value::Grids(&grids[row.grid * cells..][..cells]);
                self.put_value(column, puzzle, grid, out);
            }
            value => self.put_value(column, puzzle, value, out),
        }
    }

    /// Appends a row for each grid of a record.
    fn put_list<P: PuzzleText>(&self, source: &InputFormat, row: &mut Row<'_, P>, out: &mut Vec<u8>) {
        let Some((puzzle, answer)) = row.answered else { return };
        let cells = puzzle.cells().len();
        let grids = row.answers.grids(answer, cells);
        // Fast path for the usual columns: the rows of a record differ only in their grids, which come
        // last, so the front is copied from row to row. Copying is four times as fast as writing.
        let front = self.columns.iter().position(|column| self.is_grid(column)).unwrap_or(0);
        let (front, back) = self.columns.split_at(front);
        if grids == 0 || front.len() > GROUP || !back.iter().all(|column| self.is_grid(column)) {
            for grid in 0..grids {
                row.grid = grid;
                self.put_chosen(source, row, out);
            }
            return;
        }
        let start = out.len();
        let mut fields = InputFields::new(source, row.record, row.text);
        fields.find(row.text, front);
        self.put_columns(&mut fields, (0, front), row, out);
        let begun = start..out.len();
        for grid in 0..grids {
            if grid > 0 {
                out.extend_from_within(begun.clone());
            }
            row.grid = grid;
            for (place, column) in (front.len()..).zip(back) {
                self.put_lead(place, column, out);
                if let RowField::Job(index) = column.field {
                    self.put_new(index, row, out);
                }
            }
            out.extend_from_slice(self.syntax.end());
        }
    }

    /// Returns whether a column differs between the rows of a record.
    fn is_grid(&self, column: &RowColumn) -> bool {
        matches!(column.field, RowField::Job(index) if self.schema_columns[index].kind == ColumnKind::Grids)
    }

    fn put_status<P>(&self, row: &Row<'_, P>, out: &mut Vec<u8>) {
        let schema = row.answers.schema();
        let status = row.answered.map_or(schema.malformed(), |(_, answer)| row.answers.statuses()[answer]);
        self.syntax.put_text(schema.statuses[usize::from(status)].name, out);
    }
}

/// The type of a column in a Parquet or Arrow table.
fn column_type(kind: ColumnKind) -> ColumnType {
    match kind {
        ColumnKind::Rating => ColumnType::Rating,
        kind if kind.is_number() => ColumnType::Number,
        _ => ColumnType::Text,
    }
}

/// Makes the columns of the job, with the texts before them in JSON.
fn job_columns(prefixes: impl Iterator<Item = Vec<u8>>) -> Vec<RowColumn> {
    prefixes.enumerate().map(|(index, prefix)| RowColumn { prefix, field: RowField::Job(index) }).collect()
}

/// Columns that are written only if you choose them.
const PLACE_COLUMNS: [(&str, RowField); 3] =
    [("file", RowField::File), ("record", RowField::Record), ("line", RowField::Line)];

/// Collects the distinct keys of JSON objects in some files, and the index of the puzzle's key; `None` if
/// the files are not JSON.
fn keys_of<'a>(mut layouts: impl Iterator<Item = &'a Layout> + Clone) -> Option<(Vec<String>, usize)> {
    let mut keys = Layout::json_keys_of(layouts.clone());
    let puzzle = layouts.find_map(Layout::json_key)?;
    let place = keys.iter().position(|key| key == puzzle).unwrap_or_else(|| {
        keys.push(puzzle.to_owned());
        keys.len() - 1
    });
    Some((keys, place))
}

/// A record that becomes a row, or several if it is a list.
struct Row<'a, P> {
    record: &'a Record,
    text: &'a [u8],
    answered: Option<(&'a P, usize)>,
    answers: &'a Answers,
    file: &'a Path,
    number: u64,
    /// The index of the row's grid in its list.
    grid: usize,
    /// Counts the lines of the chunk as far as needed.
    lines: &'a Cell<Places<'a>>,
}

impl<P> Row<'_, P> {
    /// The line of the file where the record begins, from 1. Lines are counted only if this is called. For
    /// all records of a chunk, this reads the chunk once.
    fn line(&self) -> u64 {
        let mut lines = self.lines.get();
        let (line, _) = lines.at(self.record.start as usize);
        self.lines.set(lines);
        line
    }
}

impl<P: PuzzleText> Sink<P> for Rows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        match &self.input {
            InputColumns::WholeRow(header) => {
                let (separator, answers) = (header.separator, records.answers);
                for (_, record, answered) in records.iter() {
                    let text = record.text(records.chunk);
                    header.put_columns(record, text, answered.map(|(puzzle, _)| puzzle), out);
                    let Some((puzzle, answer)) = answered else {
                        self.put_unanswered(separator, out);
                        continue;
                    };
                    for column in &self.columns {
                        let RowField::Job(index) = column.field else {
                            self.statuses[usize::from(answers.statuses()[answer])].put(out);
                            continue;
                        };
                        match answers.value(index, answer) {
                            Value::Number(number) => put_next_number(separator, number, out),
                            Value::Cells(cells) => {
                                out.push(separator);
                                puzzle.write_cells(cells, out);
                            }
                            value => {
                                out.push(separator);
                                self.put_value(index, puzzle, value, out);
                            }
                        }
                    }
                    out.push(b'\n');
                }
            }
            InputColumns::WholeObject(start) => {
                for_each_row(records, |row| self.put_whole_object(start, row, out));
            }
            InputColumns::Chosen(source) if self.are_lists => {
                for_each_row(records, |row| {
                    row.number += records.earlier_records;
                    self.put_list(source, row, out);
                });
            }
            InputColumns::Chosen(source) => for_each_row(records, |row| self.put_chosen(source, row, out)),
        }
    }
}

/// Calls `put` for each record, with everything that a column may need.
fn for_each_row<P: PuzzleText>(records: &AnsweredRecords<'_, P>, mut put: impl FnMut(&mut Row<'_, P>)) {
    let &AnsweredRecords { file, chunk, answers, .. } = records;
    let lines = &Cell::new(Places::new(chunk, records.lines_before));
    for (number, record, answered) in records.iter() {
        let text = record.text(chunk);
        put(&mut Row { record, text, answered, answers, file, number, grid: 0, lines });
    }
}

impl RowSyntax {
    /// Appends a text, quoted if the format needs it.
    fn put_text(self, text: &str, out: &mut Vec<u8>) {
        match self {
            RowSyntax::Json => put_json_string(text.as_bytes(), out),
            RowSyntax::Csv { separator } => put_field_between(text, separator, out),
        }
    }

    /// The end of a row.
    fn end(self) -> &'static [u8] {
        match self {
            RowSyntax::Csv { .. } => b"\n",
            RowSyntax::Json => b"}\n",
        }
    }

    /// The text before the field of a column with this index and name.
    fn prefix(self, place: usize, name: &str) -> Vec<u8> {
        match self {
            RowSyntax::Csv { .. } => Vec::new(),
            RowSyntax::Json => [if place == 0 { b"{" } else { b"," }, &key(name)[..]].concat(),
        }
    }

    /// Appends the cells or candidates that `write` writes. CSV needs no quotes for these.
    fn put_written(self, write: impl Fn(&mut Vec<u8>), out: &mut Vec<u8>) {
        match self {
            RowSyntax::Json => put_written(write, out),
            RowSyntax::Csv { .. } => write(out),
        }
    }
}

/// Appends a rating, given in tenths, e.g. `4.2`.
fn put_tenths(tenths: u16, out: &mut Vec<u8>) {
    put_number((tenths / 10).into(), out);
    out.extend_from_slice(&[b'.', b'0' + (tenths % 10) as u8]);
}

/// Finds the fields of a record, in any order.
enum InputFields<'a> {
    /// The record has only a puzzle (or text instead of one), which belongs to this column.
    Puzzle(usize),
    /// A row of a table.
    Row(RowFields<'a>),
    /// A row of a table with too few or too many fields, or one that is too long; and the number of
    /// columns.
    Ragged(RowFields<'a>, usize),
    /// A JSON object: its keys, the index of the puzzle's key, and the values for the current group of
    /// columns.
    Object { keys: &'a [String], puzzle: usize, values: [Option<&'a str>; GROUP] },
}

impl<'a> InputFields<'a> {
    fn new(source: &'a InputFormat, record: &Record, text: &'a [u8]) -> InputFields<'a> {
        match (source, record.echo) {
            (InputFormat::Table(table), SourceEcho::Verbatim) => {
                InputFields::Row(RowFields::new(text, table.separator))
            }
            (InputFormat::Table(table), SourceEcho::Ragged) => {
                InputFields::Ragged(RowFields::new(text, table.separator), table.width)
            }
            (InputFormat::Table(table), _) => InputFields::Puzzle(table.column),
            (InputFormat::Objects { keys, puzzle }, _) if is_object(record) => {
                InputFields::Object { keys, puzzle: *puzzle, values: [None; GROUP] }
            }
            (&InputFormat::Objects { puzzle, .. }, _) => InputFields::Puzzle(puzzle),
            (InputFormat::Lines, _) => InputFields::Puzzle(0),
        }
    }

    /// Finds the values of an object for a group of columns, in one pass.
    fn find(&mut self, text: &'a [u8], group: &[RowColumn]) {
        let InputFields::Object { keys, values, .. } = self else { return };
        let is_of = |column: &RowColumn, key: &str| matches!(column.field, RowField::Input(index) if keys[index] == key);
        let place = |key: &str| group.iter().position(|column| is_of(column, key));
        *values = json_values(text, place);
    }

    /// Appends the field of the column `index` of the input, which is at `place` in its group.
    fn put<P: PuzzleText>(
        &mut self,
        (index, place): (usize, usize),
        row: &Row<'_, P>,
        syntax: RowSyntax,
        out: &mut Vec<u8>,
    ) {
        match (self, syntax) {
            (InputFields::Puzzle(column), _) if *column == index => put_puzzle(row, syntax, out),
            (InputFields::Puzzle(_), RowSyntax::Csv { .. }) => {}
            (InputFields::Puzzle(_), RowSyntax::Json) => out.extend_from_slice(b"null"),
            (InputFields::Row(fields), RowSyntax::Csv { .. }) => {
                out.extend_from_slice(fields.get(index).unwrap_or_default());
            }
            (InputFields::Row(fields), RowSyntax::Json) => {
                put_content(fields.get(index).unwrap_or_default(), fields.separator, out);
            }
            (InputFields::Ragged(fields, width), RowSyntax::Csv { separator }) => {
                if let Some(field) = fields.get(index) {
                    put_ragged_field(row.text, field, index + 1 == *width, separator, out);
                }
            }
            (InputFields::Ragged(raw, _), RowSyntax::Json) => {
                put_json_string(csv_fields(row.text, raw.separator).get(index).unwrap_or_default(), out);
            }
            (InputFields::Object { values, .. }, RowSyntax::Json) => {
                out.extend_from_slice(values[place].unwrap_or("null").as_bytes());
            }
            (InputFields::Object { puzzle, values, .. }, _) => match values[place] {
                _ if *puzzle == index => put_puzzle(row, syntax, out),
                Some(value) => syntax.put_text(&String::from_utf8_lossy(&json_text(value)), out),
                None => {}
            },
        }
    }
}

/// Appends the puzzle like rows with all columns do, or the text of a malformed record.
fn put_puzzle<P: PuzzleText>(row: &Row<'_, P>, syntax: RowSyntax, out: &mut Vec<u8>) {
    match (row.record.echo, row.answered, syntax) {
        (SourceEcho::Verbatim, _, RowSyntax::Csv { .. }) => out.extend_from_slice(row.text),
        (SourceEcho::Verbatim, _, RowSyntax::Json) => put_json_string(row.text, out),
        (_, Some((puzzle, _)), _) => syntax.put_written(|out| puzzle.write(out), out),
        (_, None, _) => syntax.put_text(&printable(row.text), out),
    }
}

/// Appends the content of a CSV field, which may be quoted, as a JSON string.
fn put_content(field: &[u8], separator: u8, out: &mut Vec<u8>) {
    let inner = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
    match inner.filter(|inner| memchr::memchr(b'"', inner).is_none()) {
        Some(inner) => put_json_string(inner, out),
        None if field.first() == Some(&b'"') => {
            put_json_string(csv_fields(field, separator).get(0).unwrap_or_default(), out);
        }
        None => put_json_string(field, out),
    }
}

/// The fields of a row. A search continues after the last field that was found, so that columns in the
/// order of the input need one pass.
struct RowFields<'a> {
    row: &'a [u8],
    separator: u8,
    rest: RawFields<'a>,
    /// The index of the first field in `rest`.
    next: usize,
}

impl<'a> RowFields<'a> {
    fn new(row: &'a [u8], separator: u8) -> RowFields<'a> {
        RowFields { row, separator, rest: raw_fields(row, separator), next: 0 }
    }

    /// The field at that index, unchanged; `None` if the row is too short.
    fn get(&mut self, index: usize) -> Option<&'a [u8]> {
        if index < self.next {
            *self = RowFields::new(self.row, self.separator);
        }
        let field = self.rest.nth(index - self.next);
        self.next = index + 1;
        field
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;
    use gridmill_core::jobs::{Job, Solve};
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Batch, FormatOptions};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    /// A field of a row, perhaps in quotes.
    fn field() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z ]{0,4}",
            "\"[a-z;\n]{0,4}\"",
            "\"[a-z]{0,2}\"\"[a-z;]{0,2}\"",
            "[a-z]\"[a-z]",
            "[éß]{1,2}"
        ]
    }

    /// Writes a table with all columns, and with the chosen ones. The chunk follows 100 records on 1,000
    /// lines.
    fn written(text: &str, chosen: &[usize], is_json: bool) -> [Vec<u8>; 2] {
        let layout = FormatOptions::default().layout(text.as_bytes(), false).unwrap().unwrap();
        let chunk = &text.as_bytes()[layout.body_start..];
        let mut batch = Batch::default();
        layout.format().read(chunk, &mut batch);
        let job = Solve::default();
        let answers = job.answer(&batch.puzzles).unwrap();
        let records = AnsweredRecords::<Puzzle>::for_chunk(chunk, &batch, &answers);
        let records =
            AnsweredRecords { file: Path::new("a;\"b\""), lines_before: 1000, number: 101, ..records };
        let whole =
            if is_json { Rows::json(&layout, &job.schema()) } else { Rows::csv(&layout, &job.schema()) };
        let choose = |_: &[String]| Ok::<_, ()>(Some(chosen.to_vec()));
        let some = Rows::chosen([&layout].into_iter(), &job.schema(), is_json, choose).unwrap().unwrap();
        [whole, some].map(|rows| {
            let mut out = Vec::new();
            Sink::<Puzzle>::header(&rows, &mut out);
            rows.write(&records, &mut out);
            out
        })
    }

    /// Splits rows into fields at semicolons.
    fn table(text: &[u8]) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().delimiter(b';').has_headers(false).from_reader(text);
        let text = |row: csv::ByteRecord| {
            row.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect::<Vec<_>>()
        };
        reader.byte_records().map(|row| text(row.unwrap())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Checks that rows of chosen columns have the fields of complete rows, in the chosen order.
        #[test]
        fn chosen_fields_are_those_of_whole_rows(
            rows in prop::collection::vec((field(), any::<bool>(), field(), 0..4_usize), 0..6),
            mut chosen in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(),
            count in 1..8_usize,
        ) {
            let row = |(first, is_good, last, shape): &(String, bool, String, usize)| {
                let puzzle = if *is_good { LINE } else { "bad" };
                match shape {
                    0 => format!("{first};{puzzle}\n"),
                    1 => format!("{first};{puzzle};{last};{first};\n"),
                    _ => format!("{first};{puzzle};{last}\n"),
                }
            };
            let text = format!("id;puzzle;\"no;te\"\nx;{LINE};y\n{}", rows.iter().map(row).collect::<String>());
            chosen.truncate(count);
            let [whole, some] = written(&text, &chosen, false);
            let expected: Vec<Vec<String>> = table(&whole)
                .into_iter()
                .map(|row| chosen.iter().map(|&column| row[column].clone()).collect())
                .collect();
            prop_assert_eq!(table(&some), expected);
            let [whole, some] = written(&text, &chosen, true);
            let keys = ["id", "puzzle", "no;te", "solution", "status", "guesses", "time_ns"];
            for (whole, some) in whole.split(|&byte| byte == b'\n').zip(some.split(|&byte| byte == b'\n')) {
                if whole.is_empty() {
                    continue;
                }
                let whole: serde_json::Value = serde_json::from_slice(whole).unwrap();
                let entry = |&column: &usize| format!("{}:{}", serde_json::json!(keys[column]), whole[keys[column]]);
                let expected: Vec<String> = chosen.iter().map(entry).collect();
                prop_assert_eq!(String::from_utf8_lossy(some), format!("{{{}}}", expected.join(",")));
            }
        }
    }

    #[test]
    fn the_place_of_a_record_includes_earlier_chunks() {
        let text = format!("id;puzzle\n1;{LINE}\n\n2;bad\n");
        let places = [6, 7, 8];
        let [_, csv] = written(&text, &places, false);
        let rows = ["file;record;line", "\"a;\"\"b\"\"\";101;1001", "\"a;\"\"b\"\"\";102;1003"];
        assert_eq!(String::from_utf8_lossy(&csv), rows.join("\n") + "\n");
        let [_, json] = written(&text, &places, true);
        let first = "{\"file\":\"a;\\\"b\\\"\",\"record\":101,\"line\":1001}\n";
        assert!(json.starts_with(first.as_bytes()), "{}", String::from_utf8_lossy(&json));
    }
}
