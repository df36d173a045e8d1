//! Reads files of puzzles as Arrow tables. Formats and their detection are those of the command. It reads a whole file,
//! or only the records that begin in a range of bytes, from a path or from a Python stream (e.g. of an object store).

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::StringBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gridmill_core::solver::NEVER;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{distinct, put_field, put_row};
use gridmill_data::packing::ArchiveError;
use gridmill_data::pipeline::{Batches, Input};
use gridmill_data::text::{
    Batch, CsvHeader, FaultKind, FormatChoice, FormatError, FormatOptions, Layout, PuzzleText,
    RECORD_COLUMNS, Remedy, field_content, is_from_python_read, json_entries, json_text, lines_of,
    multiline_row, raw_fields, usual_shape,
};
use gridmill_data::with_kind;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::written;
use crate::given_records::{GivenRecord, GivenRecords, NO_CELL, read_shape};
use crate::table::{Table, wrong};

/// The name of the column of puzzles. It does not depend on the column's name in the file, so that code works for every
/// file.
const PUZZLE: &str = RECORD_COLUMNS[2];

/// How much of a stream is read to detect its format. The command reads as much.
const SURVEY_BYTES: u64 = 1 << 20;

/// The largest amount of text in a table, because the offsets of its columns have 32 bits.
const MOST_BYTES: u64 = 1 << 30;

/// Files are not mapped into memory, because if another program truncates a mapped file, the system kills the process,
/// and a notebook would lose its state.
const MAY_MAP: bool = false;

/// The shape of a file that has lines of several sizes.
const MIXED: &str = "mixed";

/// The records of a file, one table after the other.
#[pyclass(module = "gridmill._gridmill")]
pub(crate) struct Reader {
    file: Option<String>,
    layout: Layout,
    is_packed: bool,
    columns: Columns,
    records: Box<dyn Records>,
    /// The place in the file where the input begins.
    begin: u64,
    /// The number of records that have been read, and how many of them are malformed.
    #[pyo3(get)]
    count: u64,
    #[pyo3(get)]
    malformed: u64,
    /// The first malformed record, unless an earlier `read` made the records: its place in the file, and the reason.
    #[pyo3(get)]
    first_malformed: Option<(u64, String)>,
    raised: Raised,
}

#[pymethods]
impl Reader {
    /// Opens a file, and detects its format from its beginning and from `how`: the column, the delimiter, the shape, and
    /// whether CSV has a header. `source` is a path, or a Python
    /// stream with `read` (and `seek` for a range). With a `range` (start, stop) it reads the records that begin from
    /// `start` up to but not including `stop`; this needs a plain text file with a record per line.
    #[new]
    #[pyo3(signature = (file, source, how, range=None))]
    fn new(
        py: Python<'_>,
        file: Option<String>,
        source: &Bound<'_, PyAny>,
        how: (Option<String>, Option<String>, Option<Bound<'_, PyAny>>, bool),
        range: Option<(u64, u64)>,
    ) -> PyResult<Reader> {
        let (puzzle_column, delimiter, shape, header) = how;
        let separator = delimiter.as_deref().map(separator).transpose()?;
        let options =
            FormatOptions { puzzle_column, separator, no_header: !header, ..options_of(shape.as_ref())? };
        let raised = Raised::default();
        let name = file.as_deref().unwrap_or(UNNAMED);
        let stream = PyStream::new(source, &raised);
        let path = source.extract::<String>().ok();
        let opened = py.detach(|| match (path, range) {
            (Some(path), range) => Opened::path(Path::new(&path), &options, range),
            (None, None) => Opened::whole(Input::from_reader(name, stream), &options),
            (None, Some(range)) => Opened::lines(name, stream, &options, range),
        });
        let opened = opened.map_err(|error| raised.or(&error, name))?;
        Ok(Reader::of(file, opened, range.is_some(), raised))
    }

    /// Reads a column of puzzles as the command reads one of a table. Every row is a record, even if its puzzle is
    /// missing.
    #[staticmethod]
    #[pyo3(signature = (records, shape=None))]
    fn from_records(records: &Bound<'_, GivenRecords>, shape: Option<&Bound<'_, PyAny>>) -> PyResult<Reader> {
        let options =
            FormatOptions { format: FormatChoice::Csv, separator: Some(b','), ..options_of(shape)? };
        let raised = Raised::default();
        let opened = Opened::whole(Input::from_bytes(UNNAMED, as_csv(records)), &options);
        Ok(Reader::of(None, opened.map_err(|error| raised.or(&error, &records.get().name))?, false, raised))
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.columns.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The place of the first record in the file: after a byte-order mark, comments and a header, if there are any.
    #[getter]
    fn body_offset(&self) -> usize {
        self.layout.body_start
    }

    /// Whether ranges of the file can be read. This needs a record per line, and a file that is not compressed, because
    /// offsets are those of the text.
    #[getter]
    fn has_ranges(&self) -> bool {
        self.layout.has_one_record_per_line() && !self.is_packed
    }

    /// The name of the format (e.g. "csv").
    #[getter]
    fn format(&self) -> &'static str {
        self.layout.format_name()
    }

    /// The next records: about `batch_bytes` of text, but at most 1 GiB. `None` at the end.
    fn read(&mut self, py: Python<'_>, batch_bytes: u64) -> PyResult<Option<Table>> {
        let batch_bytes = batch_bytes.min(MOST_BYTES);
        let mut building = Building::new(&self.columns, self.begin);
        let ended = py.detach(|| {
            while building.bytes < batch_bytes && self.records.append(&mut building)? {}
            Ok(())
        });
        ended.map_err(|error| self.raised.or(&error, self.file.as_deref().unwrap_or(UNNAMED)))?;
        self.count += building.offsets.len() as u64;
        self.malformed += building.faults;
        if !self.columns.are_from_read {
            self.first_malformed = self.first_malformed.take().or(building.first_malformed.take());
        }
        if building.offsets.is_empty() {
            return Ok(None);
        }
        building.table(self.file.as_deref()).map(Some)
    }

    /// A table with the same columns and no records.
    fn empty(&self) -> Table {
        Table { schema: SchemaRef::clone(&self.columns.schema), batches: Vec::new() }
    }
}

impl Reader {
    fn of(file: Option<String>, opened: Opened, is_range: bool, raised: Raised) -> Reader {
        let Opened { input, layout, begin } = opened;
        Reader {
            file,
            is_packed: input.is_packed(),
            columns: Columns::of(&layout, is_range),
            records: with_kind!(layout.kind(), P => Box::new(Batches::<P>::new(input, &layout))),
            layout,
            begin,
            count: 0,
            malformed: 0,
            first_malformed: None,
            raised,
        }
    }
}

/// For a table with these columns: the index of the column with the puzzles, and the name of each column in the tables
/// of records. The name is `None` if the puzzle that was read replaces the column.
#[pyfunction]
#[pyo3(signature = (names, column=None))]
pub(crate) fn columns_of(
    names: Vec<String>,
    column: Option<String>,
) -> PyResult<(usize, Vec<Option<String>>)> {
    let mut text = Vec::new();
    put_row(&names, b',', |name, out| put_field(name, out), &mut text);
    let (format, separator) = (FormatChoice::Csv, Some(b','));
    let options = FormatOptions { format, separator, puzzle_column: column, ..FormatOptions::default() };
    let in_table = |error| format_message(&error).replacen("the CSV input", "the table", 1);
    let layout = options.layout(&text, false).map_err(|error| PyValueError::new_err(in_table(error)))?;
    let header = layout.expect("there is no more text").header.expect("it is CSV");
    let own = own_names(&names, header.column);
    let mut own = own.into_iter().peekable();
    let name = |index| own.next_if(|(place, _)| *place == index).map(|(_, name)| name);
    Ok((header.column, (0..names.len()).map(name).collect()))
}

/// Whether an earlier `read` made a table with these columns.
#[pyfunction]
pub(crate) fn are_from_read(names: Vec<String>) -> bool {
    is_from_python_read(&names)
}

/// The name of an input that has no name, for messages.
const UNNAMED: &str = "the input";

/// An input and its format.
struct Opened {
    input: Input,
    layout: Layout,
    begin: u64,
}

impl Opened {
    /// Opens a file. With a range, only the lines that begin in it are read.
    fn path(path: &Path, options: &FormatOptions, range: Option<(u64, u64)>) -> Result<Opened, Error> {
        let mut opened = Opened::whole(Input::open(Some(path), MAY_MAP)?, options)?;
        if let Some((start, stop)) = range {
            opened.input.narrow(start..stop, options)?;
        }
        Ok(opened)
    }

    fn whole(mut input: Input, options: &FormatOptions) -> Result<Opened, Error> {
        let layout = input.detect(options, &NEVER)?;
        Ok(Opened { input, layout: layout.expect("it is never stopped"), begin: 0 })
    }

    /// Reads the lines that begin in a range of a stream.
    fn lines(
        name: &str,
        mut stream: PyStream,
        options: &FormatOptions,
        (start, stop): (u64, u64),
    ) -> Result<Opened, Error> {
        let failed = |error| ErrorKind::Read { path: name.into(), error };
        let mut head = Vec::new();
        stream.by_ref().take(SURVEY_BYTES).read_to_end(&mut head).map_err(failed)?;
        let layout = options.layout(&head, false)?.expect("there is no more text");
        let body = layout.body_start as u64;
        // It starts one byte early and skips to the end of a line. If that byte is a line feed, a line begins exactly
        // at `start` and must not be skipped.
        let from = if start > body { start - 1 } else { body };
        stream.seek(from).map_err(failed)?;
        let skipped = if start > body { stream.skip_until(b'\n').map_err(failed)? } else { 0 };
        let begin = from + skipped as u64;
        let lines = Lines { text: stream, left: stop.saturating_sub(begin) };
        Ok(Opened { input: Input::from_reader(name, lines), layout, begin })
    }
}

/// The text of a stream up to the end of the line that contains the last byte of a range.
struct Lines<R> {
    text: R,
    /// Bytes of the range that are left. It is 0 after the end of the last line.
    left: u64,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let count = self.text.read(buffer)?;
        let before_last = usize::try_from(self.left - 1).unwrap_or(usize::MAX).min(count);
        let feed = buffer[before_last..count].iter().position(|&byte| byte == b'\n');
        self.left = if feed.is_some() { 0 } else { self.left - before_last as u64 };
        Ok(feed.map_or(count, |feed| before_last + feed + 1))
    }
}

/// A Python stream, e.g. a file in an object store.
struct PyStream {
    stream: Py<PyAny>,
    raised: Raised,
    /// Bytes that have been fetched. Those before `at` have already been read.
    fetched: Vec<u8>,
    at: usize,
    /// How many bytes to fetch next.
    step: u64,
}

/// How many bytes to fetch at a time. It is large, because each fetch may be a request to a server, which takes long.
const STEP: u64 = 8 << 20;

impl PyStream {
    /// Wraps a stream. The first fetch is small, because perhaps only the format is wanted.
    fn new(stream: &Bound<'_, PyAny>, raised: &Raised) -> PyStream {
        let stream = stream.clone().unbind();
        PyStream { stream, raised: raised.clone(), fetched: Vec::new(), at: 0, step: SURVEY_BYTES }
    }

    fn seek(&mut self, to: u64) -> io::Result<()> {
        self.at = self.fetched.len();
        self.raised.keep(|py| self.stream.bind(py).call_method1("seek", (to,)).map(drop))
    }

    fn fetch(&mut self) -> io::Result<()> {
        let (fetched, step) = (&mut self.fetched, self.step);
        fetched.clear();
        (self.at, self.step) = (0, STEP);
        self.raised.keep(|py| {
            let found = self.stream.bind(py).call_method1("read", (step,))?;
            let Ok(bytes) = found.cast::<PyBytes>() else {
                let kind = found.get_type().name()?;
                return Err(PyTypeError::new_err(format!("expected a stream of bytes, found one of {kind}")));
            };
            fetched.extend_from_slice(bytes.as_bytes());
            Ok(())
        })
    }
}

impl BufRead for PyStream {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.fetched.len() {
            self.fetch()?;
        }
        Ok(&self.fetched[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl Read for PyStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// The exception that a Python stream raised. It is kept here, because decoders would wrap it into errors of their own.
#[derive(Clone, Default)]
struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Calls Python. If this raises an exception, it is kept for the caller, and an I/O error is returned meanwhile.
    fn keep<T>(&self, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
        Python::attach(call).map_err(|exception| {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(exception);
            io::Error::other("Python raised an exception")
        })
    }

    /// The exception that was kept, or else one for this error.
    fn or(&self, error: &Error, name: &str) -> PyErr {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.unwrap_or_else(|| match error.kind() {
            ErrorKind::Format(error) => PyValueError::new_err(format!("{name}: {}", format_message(error))),
            ErrorKind::Other(error) => PyValueError::new_err(format!("{name}: {error}")),
            ErrorKind::Archive { path, error: ArchiveError::Ambiguous { names, .. } } if path.exists() => {
                PyOSError::new_err(format!("{error}; choose one, e.g. \"{}:{}\"", path.display(), names[0]))
            }
            _ => PyOSError::new_err(error.to_string()),
        })
    }
}

/// The message for a format that can't be read, with advice in terms of Python's arguments (e.g. "choose one by
/// shape=").
fn format_message(error: &FormatError) -> String {
    let advice = match error {
        FormatError::NotPlainText { remedy, .. } => return format!("{error}; {}", remedy_message(*remedy)),
        FormatError::NoAlphabet { side, alphabets, .. } if !alphabets.is_empty() => {
            let boxes =
                usual_shape(*side).map_or_else(|| "ROWSxCOLUMNS".to_owned(), |shape| shape.to_string());
            return format!(
                "{error}; say which after the shape of the boxes, e.g. shape=\"{boxes} {}\"",
                alphabets[0]
            );
        }
        FormatError::NoPuzzleColumn { .. } => "; name the one with the puzzles: column=",
        FormatError::NoPuzzleKey { keys, .. } if !keys.is_empty() => {
            "; name the one with the puzzles: column="
        }
        FormatError::SeveralPuzzleColumns { .. } => "; choose one with column=, by its name or its number",
        FormatError::Fields { is_list: false, .. } => "; if they are columns, use delimiter=",
        FormatError::RowsWithoutHeader => "; header=False reads it, and calls the columns 1, 2, ...",
        FormatError::NotATable { .. } => "; leave column=, delimiter= and header= out",
        FormatError::AmbiguousShape { .. } => "; choose one by shape=",
        _ => "",
    };
    format!("{error}{advice}")
}

/// Advice how to make a file that can be read.
fn remedy_message(remedy: Remedy) -> String {
    match remedy {
        Remedy::Convert(command) => format!("convert it with {command}"),
        Remedy::Unpack(command) => format!("unpack it first: {command}"),
        Remedy::Pipe(command) => format!("convert it first: {command} > OTHER"),
        Remedy::Container(_) => "name the file .parquet or .arrow, so that pyarrow reads it".to_owned(),
    }
}

/// The byte of a `delimiter` argument.
fn separator(text: &str) -> PyResult<u8> {
    let expected = "expected one character of ASCII, such as \";\"";
    let wrong = |_| PyValueError::new_err(format!("delimiter={text:?}: {expected}"));
    <[u8; 1]>::try_from(text.as_bytes()).map(|[byte]| byte).map_err(wrong)
}

/// The options of the format for a `shape` argument.
fn options_of(shape: Option<&Bound<'_, PyAny>>) -> PyResult<FormatOptions> {
    if shape.and_then(|shape| shape.extract::<String>().ok()).is_some_and(|shape| shape == MIXED) {
        return Ok(FormatOptions { mixed: true, ..FormatOptions::default() });
    }
    let (size, alphabet) = read_shape(shape)?;
    let alphabets = alphabet.into_iter().collect();
    Ok(FormatOptions { shape: shape.map(|_| size), alphabets, ..FormatOptions::default() })
}

/// Puzzles as CSV with one column, because the command reads puzzles of Parquet in the same way.
fn as_csv(records: &Bound<'_, GivenRecords>) -> Vec<u8> {
    let mut text = Vec::new();
    let mut put =
        |field: Cow<'_, str>| put_row(&[field], b',', |field, out| put_field(field, out), &mut text);
    put(Cow::from(PUZZLE));
    let array = records.get().borrow(records.py());
    let view = records.get().view(array.as_ref());
    view.for_each(0..view.len(), |given| match given {
        GivenRecord::Text(field) => put(String::from_utf8_lossy(field)),
        GivenRecord::Cells(cells) => put(Cow::from(format!("{cells:?}"))),
        GivenRecord::Missing => put(Cow::from("")),
    });
    text
}

/// The columns of a file that its tables keep after the columns of gridmill: the index of each, and its name.
///
/// The column of the puzzles is left out if its name is "puzzle", because the puzzle that was read replaces it. The
/// first columns of a file that gridmill wrote are left out too, because they are made again. If a name is already
/// taken, `own_` is prefixed (e.g. `own_file`). Upper and lower case count as equal, because Spark compares names so.
fn own_names(names: &[String], puzzle: usize) -> Vec<(usize, String)> {
    let is = |name: &str, known: &str| name.trim().eq_ignore_ascii_case(known);
    let replaced = if is_from_python_read(names) { RECORD_COLUMNS.len() } else { 0 };
    let others =
        |&(index, name): &(usize, &String)| index >= replaced && (index != puzzle || !is(name, PUZZLE));
    let (places, names): (Vec<usize>, Vec<&String>) = names.iter().enumerate().filter(others).unzip();
    let free = |name: &String| match RECORD_COLUMNS.iter().any(|known| is(name, known)) {
        true => format!("own_{name}"),
        // Names in Arrow's C data interface are C strings, so they can't contain zeros.
        false => name.replace('\0', "\u{fffd}"),
    };
    places.into_iter().zip(distinct(names.into_iter().map(free).collect())).collect()
}

/// The columns of a file's tables, and the fields that they come from.
struct Columns {
    schema: SchemaRef,
    fields: Fields,
    /// The indices of the file's own columns among the fields of a record.
    own: Vec<usize>,
    /// The index of the field with the puzzle.
    puzzle: usize,
    /// The separator of a CSV file that is read in ranges. There no row may span several lines, because one range would
    /// get its beginning and another its end.
    in_lines: Option<u8>,
    /// Whether an earlier `read` made the records. They may all be malformed, e.g. those that were put aside.
    are_from_read: bool,
}

/// The index of the column with reasons among those that `read` makes.
const MALFORMED: usize = 3;

/// Why a record is malformed. A column of integers has [`NO_CELL`] for a number that can't be a cell.
fn reason_of(fault: FaultKind) -> String {
    match fault {
        FaultKind::TooLarge { number, side } if number == u32::from(NO_CELL) => {
            format!("a number outside 0 to {side}")
        }
        other => other.to_string(),
    }
}

/// The fields of a record.
enum Fields {
    /// Only the puzzle.
    One,
    /// That many fields, with this byte between them.
    Separated(usize, u8),
    /// The values of these JSON keys.
    Keys(Vec<String>),
}

impl Columns {
    fn of(layout: &Layout, is_range: bool) -> Columns {
        let (fields, names, puzzle) = match (&layout.header, layout.json_keys()) {
            (Some(header), _) => {
                (Fields::Separated(header.width, header.separator), header.names(), header.column)
            }
            (None, Some(keys)) => {
                let puzzle = keys.iter().position(|key| Some(&**key) == layout.json_key());
                (Fields::Keys(keys.to_vec()), keys.to_vec(), puzzle.unwrap_or(keys.len()))
            }
            (None, None) => (Fields::One, Vec::new(), 0),
        };
        let are_from_read = is_from_python_read(&names);
        let (own, names): (Vec<usize>, Vec<String>) = own_names(&names, puzzle).into_iter().unzip();
        let kinds = [dictionary(), DataType::Int64, DataType::Utf8, DataType::Utf8];
        let first = RECORD_COLUMNS.into_iter().map(str::to_owned).zip(kinds);
        let all = first.chain(names.into_iter().map(|name| (name, DataType::Utf8)));
        let schema = Schema::new(all.map(|(name, kind)| Field::new(name, kind, true)).collect::<Vec<_>>());
        let in_lines = layout.header.as_ref().filter(|_| is_range).map(|header: &CsvHeader| header.separator);
        Columns { schema: Arc::new(schema), fields, own, puzzle, in_lines, are_from_read }
    }

    /// Why a record was malformed when an earlier `read` made it, e.g. because its row had a field too many. `None` if it
    /// was not. Data frames of Spark made from pandas write "NaN" for a missing text.
    fn known_reason<'a>(&self, fields: &'a [Option<Cow<'_, [u8]>>]) -> Option<&'a [u8]> {
        let reason = fields.get(MALFORMED).filter(|_| self.are_from_read)?.as_deref()?;
        (![&b""[..], b"NaN", b"false", b"False"].contains(&reason)).then_some(reason)
    }

    /// Sets the fields of a record. Missing fields are `None`, and so are empty ones of CSV without quotes, unless it is the
    /// puzzle, whose text is needed. If a CSV row has too many, the last column gets the rest
    /// of the row, as in the rows of the command.
    fn set_fields<'a>(&self, text: &'a [u8], fields: &mut Vec<Option<Cow<'a, [u8]>>>) {
        fields.clear();
        match &self.fields {
            Fields::One => {}
            &Fields::Separated(width, separator) => {
                let mut last = 0;
                for field in raw_fields(text, separator).take(width) {
                    last = field.as_ptr().addr() - text.as_ptr().addr();
                    let is_missing = field.is_empty() && fields.len() != self.puzzle;
                    fields.push((!is_missing).then(|| field_content(field)));
                }
                if raw_fields(text, separator).nth(width).is_some() {
                    fields.pop();
                    fields.push(Some(Cow::from(&text[last..])));
                }
                fields.resize(width, None);
            }
            Fields::Keys(keys) => {
                let entries = json_entries(text);
                // If a key occurs twice, the last value counts.
                let value = |key: &String| entries.iter().rfind(|(known, _)| known == key);
                let there = |key| value(key).map(|&(_, value)| value).filter(|&value| value != "null");
                fields.extend(keys.iter().map(|key| there(key).map(json_text)));
            }
        }
    }
}

/// The type of the column of file names. It is a dictionary, so that a name is stored once and not once per record.
fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The records of an input. A trait, because the type of the puzzles depends on the file.
trait Records: Send + Sync {
    /// Adds the records of the next chunk. The result is false at the end of the input.
    fn append(&mut self, building: &mut Building<'_>) -> Result<bool, Error>;
}

impl<P: PuzzleText> Records for Batches<P> {
    fn append(&mut self, building: &mut Building<'_>) -> Result<bool, Error> {
        let read = self.next(|text, batch, before| building.append(text, batch, before.bytes))?;
        read.transpose().map(|read| read.is_some())
    }
}

/// A table while it is being filled.
struct Building<'a> {
    columns: &'a Columns,
    begin: u64,
    /// Bytes of the file that have been read for this table.
    bytes: u64,
    offsets: Vec<i64>,
    puzzles: Texts,
    malformed: Texts,
    own: Vec<Texts>,
    faults: u64,
    first_malformed: Option<(u64, String)>,
}

impl<'a> Building<'a> {
    fn new(columns: &'a Columns, begin: u64) -> Building<'a> {
        Building {
            columns,
            begin,
            bytes: 0,
            offsets: Vec::new(),
            puzzles: Texts::default(),
            malformed: Texts::default(),
            own: columns.own.iter().map(|_| Texts::default()).collect(),
            faults: 0,
            first_malformed: None,
        }
    }

    /// Adds the records of a chunk. `at` is the place of its text in the input.
    fn append<P: PuzzleText>(&mut self, text: &[u8], batch: &Batch<P>, at: u64) -> Result<(), Error> {
        let at = self.begin + at;
        if let Some(row) = self.columns.in_lines.and_then(|separator| multiline_row(text, separator)) {
            let what = "begins a row of several lines: read the file whole, with a larger shard_bytes";
            return Err(Error::other(format!("byte {} {what}", at + row as u64)));
        }
        let mut fields = Vec::new();
        for ((record, puzzle), lines) in batch.iter().zip(lines_of(text, &batch.records)) {
            let (row, begin) = (record.text(text), at + lines.start as u64);
            self.offsets.push(begin as i64);
            self.columns.set_fields(row, &mut fields);
            let known = self.columns.known_reason(&fields);
            match puzzle {
                Some((_, puzzle)) => {
                    self.puzzles.push_with(|out| puzzle.write(out));
                    self.malformed.push(known);
                    self.faults += u64::from(known.is_some());
                    if let Some(Some(field)) =
                        fields.get_mut(self.columns.puzzle).filter(|field| is_list(field))
                    {
                        *field = written(puzzle).into();
                    }
                }
                None => {
                    let field = fields.get(self.columns.puzzle).and_then(Option::as_deref);
                    self.puzzles.push(Some(field.unwrap_or(row)));
                    let reason = record.fault.map(|fault| reason_of(fault.kind)).unwrap_or_default();
                    self.malformed.push(known.or(Some(reason.as_bytes())));
                    self.faults += 1;
                    self.first_malformed.get_or_insert((begin, reason));
                }
            }
            for (texts, &place) in self.own.iter_mut().zip(&self.columns.own) {
                let is_missing = |field: &&[u8]| field.is_empty() && place == self.columns.puzzle;
                texts.push(fields[place].as_deref().filter(|field| !is_missing(field)));
            }
        }
        self.bytes += text.len() as u64;
        Ok(())
    }

    fn table(self, file: Option<&str>) -> PyResult<Table> {
        let (own, failed): (Vec<_>, Vec<_>) =
            self.own.into_iter().map(Texts::finish).partition(Result::is_ok);
        if let Some(record) = failed.into_iter().filter_map(Result::err).min() {
            let (name, at) = (file.unwrap_or(UNNAMED), self.offsets[record]);
            let remedy = "convert the file first: iconv -f WINDOWS-1252 -t UTF-8 FILE > OTHER";
            return Err(PyValueError::new_err(format!(
                "{name}: the record at byte {at} is not UTF-8; {remedy}"
            )));
        }
        let records = self.offsets.len();
        let places = if file.is_some() { vec![0; records].into() } else { Int32Array::new_null(records) };
        let files = StringArray::from_iter_values(file);
        let files = DictionaryArray::<Int32Type>::try_new(places, Arc::new(files)).map_err(wrong)?;
        let mut columns: Vec<ArrayRef> = vec![Arc::new(files), Arc::new(Int64Array::from(self.offsets))];
        columns.extend([self.puzzles, self.malformed].into_iter().map(Texts::finish_lossy));
        columns.extend(own.into_iter().flatten());
        let schema = SchemaRef::clone(&self.columns.schema);
        let batch = RecordBatch::try_new(SchemaRef::clone(&schema), columns).map_err(wrong)?;
        Ok(Table { schema, batches: vec![batch] })
    }
}

/// Whether a field is a list of cells, e.g. `[5, 3, 0]`. The table gets such a puzzle as a line of cells instead,
/// because functions on columns do not parse lists within texts.
fn is_list(field: &Option<Cow<'_, [u8]>>) -> bool {
    field.as_deref().is_some_and(|field| matches!(field.trim_ascii_start().first(), Some(b'[' | b'(')))
}

/// A column of texts, some of which may be missing.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i32>,
    there: NullBufferBuilder,
}

impl Default for Texts {
    fn default() -> Texts {
        Texts { bytes: Vec::new(), ends: vec![0], there: NullBufferBuilder::new(0) }
    }
}

impl Texts {
    #[inline]
    fn push(&mut self, text: Option<&[u8]>) {
        self.bytes.extend_from_slice(text.unwrap_or_default());
        self.ends.push(self.bytes.len() as i32);
        self.there.append(text.is_some());
    }

    #[inline]
    fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.push(Some(b""));
    }

    /// The parts of a column of Arrow.
    fn into_parts(mut self) -> (OffsetBuffer<i32>, Buffer, Option<NullBuffer>) {
        (OffsetBuffer::new(self.ends.into()), Buffer::from_vec(self.bytes), self.there.finish())
    }

    /// The column. The error is the first record whose text is not UTF-8.
    fn finish(self) -> Result<ArrayRef, usize> {
        let (ends, bytes, nulls) = self.into_parts();
        let is_other = |ends: &[i32]| str::from_utf8(&bytes[ends[0] as usize..ends[1] as usize]).is_err();
        match StringArray::try_new(ends.clone(), bytes.clone(), nulls) {
            Ok(texts) => Ok(Arc::new(texts)),
            Err(_) => Err(ends.windows(2).position(is_other).expect("only an encoding is refused")),
        }
    }

    /// The column. Bytes that are not UTF-8 become U+FFFD.
    fn finish_lossy(self) -> ArrayRef {
        let (ends, bytes, nulls) = self.into_parts();
        if let Ok(texts) = StringArray::try_new(ends.clone(), bytes.clone(), nulls.clone()) {
            return Arc::new(texts);
        }
        let mut texts = StringBuilder::new();
        for (record, ends) in ends.windows(2).enumerate() {
            let text = || String::from_utf8_lossy(&bytes[ends[0] as usize..ends[1] as usize]);
            let is_there = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(record));
            texts.append_option(is_there.then(text));
        }
        Arc::new(texts.finish())
    }
}
