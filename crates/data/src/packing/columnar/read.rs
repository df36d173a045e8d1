//! Reads a Parquet or Arrow table as CSV text with a header. It makes the text of a few rows at a time, so that
//! memory is bounded for any file size.
//!
//! Texts stay unchanged, numbers and times are formatted, missing values become empty fields, and lists and
//! structures become JSON. So a list of 81 numbers can be read as a puzzle.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fmt, iter};

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch, StructArray,
};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};

use super::batches::{self, arrow_error};
use super::{ColumnType, Container};
use crate::error::{Error, ErrorKind};
use crate::output::put_json_string;
use crate::text::is_skipped;

/// About how many bytes of text are made at once.
const TEXT_BYTES: usize = 256 << 10;

/// How many rows become text before the length of the text is checked.
const ROWS: usize = 64;

/// How many bytes are read at once from a place in the file.
const READ_BYTES: usize = 16 << 10;

/// Batches of rows, in the order of the file.
pub(super) type Batches = Box<dyn Iterator<Item = io::Result<RecordBatch>> + Send>;

/// Opens a Parquet or Arrow table. Returns the types of its columns and a reader of its text. `position` is
/// updated with how far the file has been read, for the progress bar.
///
/// # Errors
///
/// If the file is cut short, damaged, encrypted, or compressed in an unsupported way.
pub(crate) fn open_columns(
    container: Container,
    file: Arc<File>,
    position: Arc<AtomicU64>,
) -> io::Result<(Vec<ColumnType>, Box<dyn Read + Send>)> {
    let len = file.metadata()?.len();
    let file = ColumnFile { file, len, position };
    let (schema, batches) = guarded(|| match container {
        Container::Parquet => batches::open_parquet(&file),
        Container::Arrow => batches::open_arrow_file(&file),
        Container::ArrowStream => batches::open_arrow_stream(&file),
    })?;
    // Reset the position, because the footer at the end of the file was read first.
    file.position.store(0, Ordering::Relaxed);
    let types = schema.fields().iter().map(|field| carried_type(field.data_type())).collect();
    Ok((types, Box::new(ColumnText::new(&schema, batches))))
}

/// A file with random access.
#[derive(Clone, Debug)]
pub(super) struct ColumnFile {
    file: Arc<File>,
    pub(super) len: u64,
    /// How far it has been read.
    position: Arc<AtomicU64>,
}

impl ColumnFile {
    /// Makes a reader that begins at a place.
    pub(super) fn from(&self, at: u64) -> BufReader<FilePart> {
        BufReader::with_capacity(READ_BYTES, FilePart { of: self.clone(), at })
    }

    /// Reads `len` bytes. Fails before it allocates if the file is too short, because a damaged length may
    /// be any number.
    pub(super) fn bytes(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        if from.checked_add(len as u64).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; len];
        FilePart { of: self.clone(), at: from }.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Reads a file from a place on.
pub(super) struct FilePart {
    of: ColumnFile,
    at: u64,
}

impl Read for FilePart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Seek before each read, because other readers of the same file move its position.
        let mut file = &*self.of.file;
        file.seek(SeekFrom::Start(self.at))?;
        let count = file.read(buffer)?;
        self.at += count as u64;
        self.of.position.fetch_max(self.at, Ordering::Relaxed);
        Ok(count)
    }
}

/// The text of the columns.
struct ColumnText {
    batches: Batches,
    /// The columns of the current batch, its number of rows, and how many of them have become text.
    columns: Vec<ArrayRef>,
    rows: usize,
    row: usize,
    text: Vec<u8>,
    /// How much of the text has been read.
    taken: usize,
}

impl ColumnText {
    fn new(schema: &SchemaRef, batches: Batches) -> ColumnText {
        let mut text = Vec::new();
        put_header(schema, &mut text);
        ColumnText { batches, columns: Vec::new(), rows: 0, row: 0, text, taken: 0 }
    }

    /// Makes the next piece of text; empty at the end.
    fn fill(&mut self) -> io::Result<()> {
        self.taken = 0;
        self.text.clear();
        while self.row == self.rows {
            let Some(batch) = self.batches.next() else { return Ok(()) };
            let batch = batch?;
            (self.row, self.rows) = (0, batch.num_rows());
            self.columns = unpacked(&batch)?;
        }
        self.row = put_rows(&self.columns, self.row..self.rows, ROWS, TEXT_BYTES, &mut self.text)?;
        Ok(())
    }
}

impl Read for ColumnText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() && !buffer.is_empty() {
            let filled = guarded(|| self.fill());
            filled.inspect_err(|_| {
                // After damaged data, nothing more is read.
                self.batches = Box::new(iter::empty());
                (self.row, self.rows) = (0, 0);
                self.text.clear();
            })?;
        }
        let count = buffer.len().min(self.text.len() - self.taken);
        buffer[..count].copy_from_slice(&self.text[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

/// Turns a panic into an error, because the crates that read columns panic on some damaged data.
fn guarded<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let ended = catch_unwind(AssertUnwindSafe(read));
    Error::from_caught("the reader of columns", ended.map(Ok)).unwrap_or_else(|error| {
        Err(damaged(match error.kind() {
            ErrorKind::Panicked { text, .. } => text.clone(),
            _ => error.to_string(),
        }))
    })
}

/// Makes an error about damaged data. It keeps only the first line, because some messages of the crates
/// have several, and the first says what is wrong.
pub(super) fn damaged(why: impl Into<String>) -> io::Error {
    let why = why.into();
    io::Error::new(io::ErrorKind::InvalidData, why.lines().next().unwrap_or_default())
}

/// Makes an error about unsupported data. The message should say what to do.
pub(super) fn unsupported(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, what.into())
}

/// The time zone UTC, in the form that the arrow crate writes and reads.
pub(super) const UTC: &str = "+00:00";

/// Appends the value of a column in a certain row.
type Put<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Result<(), ArrowError> + 'a>;

/// The type in which a column of the input is written again: its own type if values of it can be parsed
/// from text, else text.
pub(super) fn carried_type(data_type: &DataType) -> ColumnType {
    use DataType::{
        Boolean, Date32, Date64, Decimal32, Decimal64, Decimal128, Decimal256, Time32, Time64, Timestamp,
    };
    let is_carried = data_type.is_integer()
        || data_type.is_floating()
        || matches!(
            data_type,
            Boolean
                | Date32
                | Date64
                | Time32(_)
                | Time64(_)
                | Timestamp(..)
                | Decimal32(..)
                | Decimal64(..)
                | Decimal128(..)
                | Decimal256(..)
        );
    if is_carried { ColumnType::Carried(data_type.clone()) } else { ColumnType::Text }
}

/// Appends the header.
pub(super) fn put_header(schema: &SchemaRef, out: &mut Vec<u8>) {
    let is_only = schema.fields().len() == 1;
    for (index, field) in schema.fields().iter().enumerate() {
        put_separated(index, is_only, field.name().as_bytes(), out);
    }
    out.push(b'\n');
}

/// Converts the columns of a batch to plain types.
pub(super) fn unpacked(batch: &RecordBatch) -> io::Result<Vec<ArrayRef>> {
    let columns = batch.columns().iter().map(|column| match plain_type(column.data_type()) {
        plain if plain == *column.data_type() => Ok(ArrayRef::clone(column)),
        plain => arrow_cast::cast(column, &plain),
    });
    columns.collect::<Result<_, _>>().map_err(arrow_error)
}

/// Replaces dictionaries by the type of their values, and times with a zone by times in UTC, because the
/// arrow crate does not know the names of zones. This also applies inside lists and structures.
fn plain_type(data_type: &DataType) -> DataType {
    use DataType::{Dictionary, FixedSizeList, LargeList, List, Map, RunEndEncoded, Struct, Timestamp};
    let plain = |field: &FieldRef| {
        let data_type = plain_type(field.data_type());
        FieldRef::new(Field::clone(field).with_data_type(data_type))
    };
    match data_type {
        Dictionary(_, values) => plain_type(values),
        RunEndEncoded(_, values) => plain_type(values.data_type()),
        Timestamp(unit, Some(_)) => Timestamp(*unit, Some(UTC.into())),
        List(values) => List(plain(values)),
        LargeList(values) => LargeList(plain(values)),
        FixedSizeList(values, len) => FixedSizeList(plain(values), *len),
        Map(entries, is_sorted) => Map(plain(entries), *is_sorted),
        Struct(fields) => Struct(fields.iter().map(plain).collect()),
        other => other.clone(),
    }
}

/// Appends rows until there are at least `bytes` bytes, which is checked every `at_once` rows. Returns the
/// next row.
pub(super) fn put_rows(
    columns: &[ArrayRef],
    rows: Range<usize>,
    at_once: usize,
    bytes: usize,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let puts = columns.iter().map(|column| field_writer(column)).collect::<Result<Vec<Put<'_>>, _>>();
    let puts = puts.map_err(arrow_error)?;
    let is_only = puts.len() == 1;
    let (mut row, mut field) = (rows.start, Vec::new());
    while row < rows.end && out.len() < bytes {
        let end = rows.end.min(row + at_once);
        for row in row..end {
            for (index, (put, column)) in puts.iter().zip(columns).enumerate() {
                field.clear();
                if column.is_valid(row) {
                    put(row, &mut field).map_err(arrow_error)?;
                }
                put_separated(index, is_only, &field, out);
            }
            out.push(b'\n');
        }
        row = end;
    }
    Ok(row)
}

/// Appends a field, with a comma before all but the first one. It is quoted if necessary. That includes the
/// first field of a row that a reader would otherwise skip as a comment or a blank line.
fn put_separated(index: usize, is_only: bool, field: &[u8], out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
    let is_skipped = index == 0 && is_skipped(field) && (is_only || !field.trim_ascii_start().is_empty());
    if !is_skipped && !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        out.extend_from_slice(field);
        return;
    }
    out.push(b'"');
    for &byte in field {
        if byte == b'"' {
            out.push(byte);
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Chooses how to write the values of a column.
fn field_writer(array: &dyn Array) -> Result<Put<'_>, ArrowError> {
    Ok(match array.data_type() {
        DataType::Utf8 => text_writer(array.as_string::<i32>()),
        DataType::LargeUtf8 => text_writer(array.as_string::<i64>()),
        DataType::Utf8View => text_writer(array.as_string_view()),
        DataType::Binary => text_writer(array.as_binary::<i32>()),
        DataType::LargeBinary => text_writer(array.as_binary::<i64>()),
        DataType::BinaryView => text_writer(array.as_binary_view()),
        DataType::FixedSizeBinary(_) => text_writer(array.as_fixed_size_binary()),
        data_type if data_type.is_nested() => json_of(array)?,
        _ => format_writer(array)?,
    })
}

/// Writes texts and bytes: unchanged if they are UTF-8, else as hexadecimal digits.
fn text_writer<'a, A>(array: A) -> Put<'a>
where
    A: ArrayAccessor + 'a,
    A::Item: AsRef<[u8]>,
{
    Box::new(move |row, out| {
        let value = array.value(row);
        let bytes = value.as_ref();
        match std::str::from_utf8(bytes) {
            Ok(_) => out.extend_from_slice(bytes),
            Err(_) => bytes.iter().for_each(|byte| out.extend(format!("{byte:02x}").into_bytes())),
        }
        Ok(())
    })
}

/// Writes numbers, times and all other values in the way of the arrow crate.
fn format_writer(array: &dyn Array) -> Result<Put<'_>, ArrowError> {
    let values = ArrayFormatter::try_new(array, &FormatOptions::new())?;
    Ok(Box::new(move |row, out| values.value(row).write(&mut TextBytes(out))))
}

/// Collects formatted text as bytes.
struct TextBytes<'o>(&'o mut Vec<u8>);

impl fmt::Write for TextBytes<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

/// Chooses how to write values in JSON.
fn json_of(array: &dyn Array) -> Result<Put<'_>, ArrowError> {
    let put: Put<'_> = match array.data_type() {
        DataType::List(_) => json_list(array.as_list::<i32>())?,
        DataType::LargeList(_) => json_list(array.as_list::<i64>())?,
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let (values, len) = (json_of(lists.values())?, lists.value_length() as usize);
            Box::new(move |row, out| {
                let first = lists.value_offset_at(row);
                put_list(&values, first..first + len, out)
            })
        }
        DataType::Map(..) => {
            let maps = array.as_map();
            let (entries, offsets) = (json_of(maps.entries())?, maps.value_offsets());
            Box::new(move |row, out| {
                put_list(&entries, offsets[row] as usize..offsets[row + 1] as usize, out)
            })
        }
        DataType::Struct(_) => json_object(array.as_struct())?,
        DataType::Boolean => format_writer(array)?,
        data_type if data_type.is_integer() => format_writer(array)?,
        data_type if data_type.is_floating() => json_number(array)?,
        _ => json_text(array)?,
    };
    Ok(Box::new(move |row, out| {
        if array.is_null(row) {
            out.extend_from_slice(b"null");
            return Ok(());
        }
        put(row, out)
    }))
}

fn json_list<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<Put<'_>, ArrowError> {
    let (values, offsets) = (json_of(lists.values())?, lists.value_offsets());
    Ok(Box::new(move |row, out| put_list(&values, offsets[row].as_usize()..offsets[row + 1].as_usize(), out)))
}

fn put_list(put: &Put<'_>, values: Range<usize>, out: &mut Vec<u8>) -> Result<(), ArrowError> {
    out.push(b'[');
    for value in values.clone() {
        if value > values.start {
            out.push(b',');
        }
        put(value, out)?;
    }
    out.push(b']');
    Ok(())
}

fn json_object(structs: &StructArray) -> Result<Put<'_>, ArrowError> {
    let columns = structs.columns().iter().zip(structs.column_names());
    let columns = columns.map(|(column, name)| Ok((name, json_of(column)?)));
    let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(Box::new(move |row, out| {
        out.push(b'{');
        for (index, (name, put)) in columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            put_json_string(name.as_bytes(), out);
            out.push(b':');
            put(row, out)?;
        }
        out.push(b'}');
        Ok(())
    }))
}

/// Writes numbers in JSON. Infinity and NaN become `null`, because JSON has no such numbers.
fn json_number(array: &dyn Array) -> Result<Put<'_>, ArrowError> {
    let put = format_writer(array)?;
    Ok(Box::new(move |row, out| {
        let start = out.len();
        put(row, out)?;
        if out[start..].iter().any(|byte| matches!(byte, b'N' | b'f')) {
            out.truncate(start);
            out.extend_from_slice(b"null");
        }
        Ok(())
    }))
}

fn json_text(array: &dyn Array) -> Result<Put<'_>, ArrowError> {
    let put = if array.data_type().is_nested() { format_writer(array)? } else { field_writer(array)? };
    Ok(Box::new(move |row, out| {
        let mut text = Vec::new();
        put(row, &mut text)?;
        put_json_string(&text, out);
        Ok(())
    }))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use arrow_array::types::Int32Type;
    use arrow_array::{
        BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, FixedSizeListArray,
        Float64Array, Int64Array, ListArray, NullArray, StringArray, StringViewArray, StructArray,
        TimestampMicrosecondArray, UInt8Array,
    };
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::Compression as Codec;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;
    use crate::packing::{Packing, clarify_error};

    /// A batch with a column of each kind, and its rows as text.
    fn table() -> (RecordBatch, &'static str) {
        let cells = vec![Some(vec![Some(5), Some(0)]), None];
        let named = StructArray::try_from(vec![
            ("x", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef),
            ("y \"z\"", Arc::new(Float64Array::from(vec![Some(f64::NAN), None]))),
        ]);
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("text", Arc::new(StringArray::from(vec![Some("a,\"b\"\nc"), None]))),
            ("view", Arc::new(StringViewArray::from(vec![" d", "e;f"]))),
            ("name", Arc::new(DictionaryArray::<Int32Type>::from_iter([Some("easy"), None]))),
            ("bytes", Arc::new(BinaryArray::from(vec![&b"53..7"[..], b"\xff\0"]))),
            ("whole", Arc::new(Int64Array::from(vec![Some(i64::MIN), None]))),
            ("small", Arc::new(UInt8Array::from(vec![255, 0]))),
            ("real", Arc::new(Float64Array::from(vec![0.1, -1e300]))),
            ("yes", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("day", Arc::new(Date32Array::from(vec![0, 20_000]))),
            ("time", Arc::new(TimestampMicrosecondArray::from(vec![1, 0]).with_timezone("Europe/Berlin"))),
            ("price", Arc::new(Decimal128Array::from(vec![123, -5]).with_precision_and_scale(9, 2).unwrap())),
            ("cells", Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(cells.clone()))),
            ("fixed", Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(cells, 2))),
            ("record", Arc::new(named.unwrap())),
            ("nothing", Arc::new(NullArray::new(2))),
        ];
        let rows = "text,view,name,bytes,whole,small,real,yes,day,time,price,cells,fixed,record,nothing\n\
            \"a,\"\"b\"\"\nc\", d,easy,53..7,-9223372036854775808,255,0.1,true,1970-01-01,1970-01-01T00:00:00.000001Z,1.23,\
            \"[5,0]\",\"[5,0]\",\"{\"\"x\"\":1,\"\"y \\\"\"z\\\"\"\"\":null}\",\n\
            ,e;f,,ff00,,0,-1e300,,2024-10-04,1970-01-01T00:00:00Z,-0.05,\
            ,,\"{\"\"x\"\":2,\"\"y \\\"\"z\\\"\"\"\":null}\",\n";
        let columns = columns.into_iter().map(|(name, column)| (name, column, true));
        (RecordBatch::try_from_iter_with_nullable(columns).unwrap(), rows)
    }

    fn parquet(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn stream(batch: &RecordBatch) -> Vec<u8> {
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    /// Writes a batch in each format, plain and compressed.
    fn files(batch: &RecordBatch) -> Vec<Vec<u8>> {
        let packed = WriterProperties::builder().set_compression(Codec::SNAPPY).build();
        vec![
            parquet(batch, WriterProperties::default()),
            parquet(batch, packed),
            arrow(batch, None),
            arrow(batch, Some(CompressionType::LZ4_FRAME)),
            stream(batch),
        ]
    }

    /// Reads the text of a Parquet or Arrow table.
    pub(in crate::packing) fn text(bytes: &[u8]) -> io::Result<String> {
        let Some(compression @ Packing::Container(container)) = Packing::detect(bytes) else {
            panic!("this is no Parquet or Arrow table");
        };
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        let mut text = Vec::new();
        let read = open_columns(container, Arc::new(file), Arc::default())
            .and_then(|(_, mut reader)| reader.read_to_end(&mut text));
        read.map_err(|error| clarify_error(compression, error))?;
        Ok(String::from_utf8(text).expect("bytes that are no text become digits"))
    }

    #[test]
    fn values_of_all_types_become_text() {
        let (batch, rows) = table();
        for (number, file) in files(&batch).iter().enumerate() {
            assert_eq!(text(file).unwrap(), rows, "file {number}");
        }
    }

    #[test]
    fn rows_are_the_same_however_they_are_grouped_and_packed() {
        let numbers = Int64Array::from_iter((0..30_000).map(|number| (number % 7 > 0).then_some(number)));
        let names = StringArray::from_iter_values((0..30_000).map(|number| format!("name {}", number % 11)));
        let columns: [(&str, ArrayRef); 2] = [("number", Arc::new(numbers)), ("name", Arc::new(names))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let expected = text(&stream(&batch)).unwrap();
        assert_eq!(expected.lines().count(), 30_001);
        for codec in
            [Codec::UNCOMPRESSED, Codec::SNAPPY, Codec::GZIP(Default::default()), Codec::LZ4, Codec::LZ4_RAW]
        {
            for (version, rows) in [(WriterVersion::PARQUET_1_0, 30_000), (WriterVersion::PARQUET_2_0, 999)] {
                let properties =
                    WriterProperties::builder().set_compression(codec).set_writer_version(version);
                let properties =
                    properties.set_max_row_group_row_count(Some(rows)).set_data_page_size_limit(5000);
                assert!(text(&parquet(&batch, properties.build())).unwrap() == expected, "{codec}, {rows}");
            }
        }
    }

    /// The files were made by pyarrow, with pages of both versions (see `tests/data/zstd.py`).
    #[test]
    fn pages_of_zstd_are_unpacked() {
        for file in [
            &include_bytes!("../../../tests/data/zstd1.parquet")[..],
            include_bytes!("../../../tests/data/zstd2.parquet"),
        ] {
            let expected: String = (0..200)
                .map(|number| match number % 3 {
                    0 => format!("{number},\n"),
                    _ => format!("{number},name {}\n", number % 5),
                })
                .collect();
            assert_eq!(text(file).unwrap(), format!("number,name\n{expected}"));
        }
    }

    #[test]
    fn rows_that_would_be_skipped_are_quoted() {
        let columns = |names: &[&str]| {
            let texts =
                || Arc::new(StringArray::from(vec![Some("# a"), None, Some("  "), Some("b")])) as ArrayRef;
            stream(&RecordBatch::try_from_iter(names.iter().map(|name| (*name, texts()))).unwrap())
        };
        assert_eq!(text(&columns(&["#"])).unwrap(), "\"#\"\n\"# a\"\n\"\"\n\"  \"\nb\n");
        assert_eq!(text(&columns(&["x", "y"])).unwrap(), "x,y\n\"# a\",# a\n,\n  ,  \nb,b\n");
    }

    #[test]
    fn errors_about_unsupported_files_say_what_to_do() {
        let (batch, _) = table();
        let mut encrypted = parquet(&batch, WriterProperties::default());
        let end = encrypted.len();
        encrypted[3] = b'E';
        encrypted[end - 1] = b'E';
        assert!(text(&encrypted).unwrap_err().to_string().ends_with("write it again without encryption"));
        let unknown = parquet(&batch, WriterProperties::default());
        for (changed, expected) in
            [(&unknown[..end - 1], "its end is missing"), (b"PAR1", "its end is missing")]
        {
            assert!(text(changed).unwrap_err().to_string().ends_with(expected));
        }
    }

    /// On some damage, the crates panic. That must become an ordinary error.
    #[test]
    fn damaged_files_are_errors() {
        let (batch, rows) = table();
        for (number, file) in files(&batch).into_iter().enumerate() {
            for len in (6..file.len()).step_by(97) {
                let error = text(&file[..len]).expect_err("the end is missing");
                assert!(!error.to_string().contains('\n'), "{error}");
            }
            let mut errors = 0;
            for at in (6 + number..file.len()).step_by(5) {
                let mut changed = file.clone();
                changed[at] ^= 1 << (at % 8);
                match text(&changed) {
                    Ok(text) => assert!(text.len() < 10 * rows.len()),
                    Err(error) => {
                        assert!(!error.to_string().contains('\n'), "{error}");
                        errors += 1;
                    }
                }
            }
            assert!(errors > file.len() / 100, "{errors} of {}", file.len());
        }
    }
}
