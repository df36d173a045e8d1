//! Parts of text files, for clusters: which format a file has, and the records of a range of its bytes, as tables of Arrow.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_buffer::OffsetBuffer;
use gridmill_core::grid::Puzzle;
use gridmill_data::text::{
    Batch, CsvHeader, FormatOptions, Layout, PuzzleText, Record, SourceEcho, field_content, json_field,
    lines_of, raw_fields, row_over_lines,
};
use gridmill_data::with_kind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::call::written;
use crate::rows::read_shape;
use crate::table::{Table, wrong};

/// The fields of a record, nothing for those that it lacks.
type Fields<'a> = Vec<Option<Cow<'a, [u8]>>>;

/// The longest line, in bytes. A file with a longer one is no text.
const LONGEST_LINE: usize = 8 << 20;

/// The records of a text file that begin in a range of its bytes. Python opens the file, because it may lie in a store that
/// only Python reaches, and hands over its text piece by piece.
#[pyclass(module = "gridmill._gridmill")]
pub(crate) struct TextPart {
    file: String,
    layout: Layout,
    /// The names of the columns.
    #[pyo3(get)]
    names: Vec<String>,
    /// The text that was handed over and has not been read yet, and its place in the file.
    text: Vec<u8>,
    at: u64,
    /// Whether that text begins within a line, which belongs to the part in front.
    is_within_line: bool,
    stop: Option<u64>,
    /// Whether all records have been read.
    #[pyo3(get)]
    is_done: bool,
}

#[pymethods]
impl TextPart {
    /// Detects the format of a file by its beginning and what the user says. The part has the records that begin from byte
    /// `start` to before `stop`, or to the end.
    #[new]
    #[pyo3(signature = (file, head, column, delimiter, shape, start=0, stop=None))]
    fn new(
        file: String,
        head: &[u8],
        column: Option<String>,
        delimiter: Option<&str>,
        shape: Option<&Bound<'_, PyAny>>,
        start: u64,
        stop: Option<u64>,
    ) -> PyResult<TextPart> {
        let (given, alphabet) = read_shape(shape)?;
        let options = FormatOptions {
            puzzle_column: column,
            separator: delimiter.map(separator).transpose()?,
            shape: shape.map(|_| given),
            alphabets: alphabet.into_iter().collect(),
            ..FormatOptions::default()
        };
        let layout = options.layout(head, false);
        let layout = layout.map_err(|error| PyValueError::new_err(format!("{file}: {error}")))?;
        let layout = layout.expect("there is no more text");
        let names = names(&layout);
        // The first part goes on behind the head. The others begin a byte early, as a line feed there ends no line of theirs.
        let is_first = start <= layout.body as u64;
        let (text, at) = if is_first {
            (head[layout.body..].to_vec(), layout.body as u64)
        } else {
            (Vec::new(), start - 1)
        };
        Ok(TextPart { file, layout, names, text, at, is_within_line: !is_first, stop, is_done: false })
    }

    /// Returns where the first record begins in the file: behind a byte-order mark, comments, a header.
    #[getter]
    fn body(&self) -> usize {
        self.layout.body
    }

    /// Returns whether the file can be cut between lines: each record is one.
    #[getter]
    fn has_a_record_a_line(&self) -> bool {
        self.layout.has_a_record_a_line()
    }

    /// Returns the place in the file of the piece of text that comes next.
    #[getter]
    fn next(&self) -> u64 {
        self.at + self.text.len() as u64
    }

    /// Takes the next piece of the text, which is empty at the end of the file, and returns the records that are whole.
    fn read(&mut self, piece: &[u8]) -> PyResult<Table> {
        self.text.extend_from_slice(piece);
        if self.is_within_line {
            let feed = self.text.iter().position(|&byte| byte == b'\n');
            self.is_within_line = feed.is_none();
            self.pass(feed.map_or(self.text.len(), |feed| feed + 1));
        }
        let whole = self.whole(piece.is_empty());
        if whole == 0 && self.text.len() > LONGEST_LINE {
            return Err(self.error(0, "begins a line of more than 8 MB, so these are no puzzles"));
        }
        self.refuse_rows_over_lines(&self.text[..whole])?;
        let table = with_kind!(self.layout.kind(), P => self.table::<P>(&self.text[..whole])?);
        self.pass(whole);
        Ok(table)
    }
}

impl TextPart {
    /// Removes text from the front.
    fn pass(&mut self, len: usize) {
        self.text.drain(..len);
        self.at += len as u64;
    }

    /// Returns how much of the text is whole records that begin before the end of the part, and notes that end.
    fn whole(&mut self, is_end: bool) -> usize {
        let left = self.stop.map_or(usize::MAX, |stop| stop.saturating_sub(self.at) as usize);
        let last = || self.text.iter().skip(left - 1).position(|&byte| byte == b'\n');
        let end = if left == 0 { Some(0) } else { last().map(|feed| left + feed) };
        let end = end.or(is_end.then_some(self.text.len()));
        self.is_done = end.is_some();
        end.unwrap_or_else(|| self.layout.format::<Puzzle>().whole(&self.text))
    }

    /// Raises an exception where a row of CSV goes over lines and the file is cut between them, because one part would have
    /// the beginning of the row and another its end.
    fn refuse_rows_over_lines(&self, text: &[u8]) -> PyResult<()> {
        let header = self.layout.header.as_ref().filter(|_| self.stop.is_some());
        match header.and_then(|header| row_over_lines(text, header.separator)) {
            Some(row) => Err(self
                .error(row, "begins a row of several lines: read the file whole, with a larger shard_bytes")),
            None => Ok(()),
        }
    }

    fn error(&self, offset: usize, what: &str) -> PyErr {
        PyValueError::new_err(format!("{}: byte {} {what}", self.file, self.at + offset as u64))
    }

    /// Returns the records of a text: the file, where in it each begins, and a column for each name.
    fn table<P: PuzzleText>(&self, text: &[u8]) -> PyResult<Table> {
        let mut batch = Batch::default();
        self.layout.format::<P>().read(text, &mut batch);
        let records = batch.records.len();
        let mut offsets = Vec::with_capacity(records);
        // As large as they can become, because Arrow's buffers are copied when they grow; memory that is not used costs nothing.
        let column = |_| StringBuilder::with_capacity(records, text.len());
        let mut columns: Vec<StringBuilder> = self.names.iter().map(column).collect();
        let mut fields = Fields::new();
        for ((record, puzzle), lines) in batch.iter().zip(lines_of(text, &batch.records)) {
            offsets.push((self.at + lines.start as u64) as i64);
            let puzzle = puzzle.map(|(_, puzzle)| puzzle);
            set_fields(&mut fields, &self.layout, record, record.text(text), puzzle);
            for (column, field) in columns.iter_mut().zip(&fields) {
                // `from_utf8_lossy` goes byte by byte.
                let text =
                    |field| str::from_utf8(field).map_or_else(|_| String::from_utf8_lossy(field), Cow::from);
                column.append_option(field.as_deref().map(text));
            }
        }
        let ends = OffsetBuffer::from_repeated_length(self.file.len(), records);
        let files = StringArray::new(ends, self.file.repeat(records).into_bytes().into(), None);
        let mut table: Vec<(&str, ArrayRef, bool)> =
            vec![("file", Arc::new(files), true), ("offset", Arc::new(Int64Array::from(offsets)), true)];
        let columns = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        table.extend(self.names.iter().zip(columns).map(|(name, column)| (&**name, column, true)));
        let batch = RecordBatch::try_from_iter_with_nullable(table).map_err(wrong)?;
        Ok(Table { schema: batch.schema(), batches: vec![batch] })
    }
}

/// Returns the byte between two fields.
fn separator(text: &str) -> PyResult<u8> {
    let expected = "expected one character of ASCII, such as \";\"";
    let wrong = |_| PyValueError::new_err(format!("delimiter={text:?}: {expected}"));
    <[u8; 1]>::try_from(text.as_bytes()).map(|[byte]| byte).map_err(wrong)
}

/// Returns the names of the columns of a file: those of its header, its JSON keys, or `puzzle`.
fn names(layout: &Layout) -> Vec<String> {
    let keys = || layout.json_keys().map(<[String]>::to_vec);
    let header = layout.header.as_ref().map(CsvHeader::names);
    header.or_else(keys).unwrap_or_else(|| vec!["puzzle".to_owned()])
}

/// Sets the fields of a record. A row of CSV with too many or too few has none. A puzzle that
/// is a list in brackets, such as `[5, 3, 0, ...]`, becomes the text of its cells.
fn set_fields<'a, P: PuzzleText>(
    fields: &mut Fields<'a>,
    layout: &Layout,
    record: &Record,
    text: &'a [u8],
    puzzle: Option<&P>,
) {
    fields.clear();
    let column = if let Some(header) = &layout.header {
        fields.extend(raw_fields(text, header.separator).map(|field| Some(field_content(field))));
        if fields.len() != header.width {
            fields.clear();
            fields.resize(header.width, None);
        }
        header.column
    } else if let Some(keys) = layout.json_keys() {
        fields.extend(keys.iter().map(|key| json_field(text, key)));
        keys.iter().position(|key| Some(&**key) == layout.json_key()).unwrap_or_default()
    } else {
        fields.push(Some(text.into()));
        0
    };
    let is_line = layout.header.is_none() && layout.json_keys().is_none();
    let is_list = |field: &[u8]| matches!(field.trim_ascii_start().first(), Some(b'[' | b'('));
    if let (Some(Some(field)), Some(puzzle)) = (fields.get_mut(column), puzzle)
        && (is_list(field) || is_line && record.echo == SourceEcho::Puzzle)
    {
        *field = written(puzzle).into();
    }
}
