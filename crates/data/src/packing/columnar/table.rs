//! Writes rows of CSV as a Parquet or Arrow table.
//!
//! Rows are written in groups, so that memory is bounded. Where a group ends depends only on the rows, so
//! that the same rows give the same file for any number of threads.

use std::fmt;
use std::io::{self, Write};
use std::mem::take;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::WriterProperties;

use super::batches::{arrow_error, parquet_error};
use super::read::UTC;
use super::{ColumnType, Container, TableColumns};
use crate::output::distinct;
use crate::packing::encode::Encoder;
use crate::text::{field_content, first_row, raw_fields};

/// The maximal number of rows in a group. Readers load a group at a time, and groups of this size compress
/// nearly as well as larger ones.
const GROUP_ROWS: usize = 1 << 16;

/// If rows are long, a group ends after this many bytes of text.
const GROUP_BYTES: usize = 32 << 20;

/// Turns the rows that are written to it into a Parquet or Arrow table.
#[derive(Debug)]
pub(crate) struct ContainerEncoder {
    container: Container,
    columns: TableColumns,
    /// The beginning of a row whose end has not come yet.
    pending: Vec<u8>,
    /// The table, as soon as the names of its columns are known.
    table: Option<Table>,
}

impl ContainerEncoder {
    pub(crate) fn new(container: Container, columns: TableColumns) -> ContainerEncoder {
        ContainerEncoder { container, columns, pending: Vec::new(), table: None }
    }

    /// Takes the complete rows of a text, and returns their length. If `is_end`, the last row needs no line
    /// end.
    fn take_rows(&mut self, text: &[u8], is_end: bool, to: &mut dyn Write) -> io::Result<usize> {
        let mut at = 0;
        while let Some((row, end)) = first_row(&text[at..], self.columns.separator, is_end) {
            self.take_row(row, to)?;
            at += end;
        }
        Ok(at)
    }

    fn take_row(&mut self, row: &[u8], to: &mut dyn Write) -> io::Result<()> {
        if row.is_empty() {
            return Ok(());
        }
        match &mut self.table {
            None if self.columns.names.is_none() => {
                let names = raw_fields(row, self.columns.separator).map(field_content);
                let names = names.map(|name| String::from_utf8_lossy(&name).into_owned()).collect();
                self.table(Some(names)).map(drop)
            }
            _ => self.table(None)?.add(row, to),
        }
    }

    /// Returns the table. If it does not exist yet, it is made with the names of the header, or else with those in
    /// `columns`.
    fn table(&mut self, header: Option<Vec<String>>) -> io::Result<&mut Table> {
        if self.table.is_none() {
            let names = header.or_else(|| self.columns.names.clone()).unwrap_or_default();
            self.table = Some(Table::new(self.container, names, &self.columns)?);
        }
        Ok(self.table.as_mut().expect("it was begun just now"))
    }
}

impl Encoder for ContainerEncoder {
    fn write(&mut self, bytes: &[u8], to: &mut dyn Write) -> io::Result<usize> {
        if self.pending.is_empty() {
            let whole = self.take_rows(bytes, false, to)?;
            self.pending.extend_from_slice(&bytes[whole..]);
        } else {
            self.pending.extend_from_slice(bytes);
            let mut text = take(&mut self.pending);
            let whole = self.take_rows(&text, false, to)?;
            text.drain(..whole);
            self.pending = text;
        }
        Ok(bytes.len())
    }

    fn finish(mut self: Box<Self>, to: &mut dyn Write) -> io::Result<()> {
        let rest = take(&mut self.pending);
        self.take_rows(&rest, true, to)?;
        self.table(None)?;
        self.table.map_or(Ok(()), |table| table.finish(to))
    }
}

/// The rows of a table so far, in groups.
struct Table {
    schema: SchemaRef,
    separator: u8,
    /// The fields of the current group, column by column.
    fields: Vec<StringBuilder>,
    rows: usize,
    bytes: usize,
    file: ContainerFile,
}

/// The writer of a file. It collects its output in a vector, which is taken after each group.
enum ContainerFile {
    Parquet(ArrowWriter<Vec<u8>>),
    Arrow(FileWriter<Vec<u8>>),
}

impl Table {
    fn new(container: Container, names: Vec<String>, columns: &TableColumns) -> io::Result<Table> {
        let types = columns.types.iter().chain(std::iter::repeat(&ColumnType::Text));
        let fields = distinct(names).into_iter().zip(types);
        let fields: Vec<Field> = fields.map(|(name, kind)| Field::new(name, data_type(kind), true)).collect();
        let builders = fields.iter().map(|_| StringBuilder::new()).collect();
        let schema = SchemaRef::new(Schema::new(fields));
        let file = match container {
            Container::Parquet => {
                let properties = WriterProperties::builder().set_compression(Codec::SNAPPY).build();
                let writer = ArrowWriter::try_new(Vec::new(), SchemaRef::clone(&schema), Some(properties));
                ContainerFile::Parquet(writer.map_err(parquet_error)?)
            }
            Container::Arrow | Container::ArrowStream => {
                ContainerFile::Arrow(FileWriter::try_new(Vec::new(), &schema).map_err(arrow_error)?)
            }
        };
        Ok(Table { schema, separator: columns.separator, fields: builders, rows: 0, bytes: 0, file })
    }

    /// Adds a row. Missing fields become nulls. If there are too many fields, the last column takes the
    /// rest.
    fn add(&mut self, row: &[u8], to: &mut dyn Write) -> io::Result<()> {
        let mut fields = raw_fields(row, self.separator);
        let last = self.fields.len().wrapping_sub(1);
        let mut at = 0;
        for (index, column) in self.fields.iter_mut().enumerate() {
            let Some(field) = fields.next() else {
                column.append_null();
                continue;
            };
            let has_rest = index == last && at + field.len() < row.len();
            let content = if has_rest { row[at..].into() } else { field_content(field) };
            at += field.len() + 1;
            match content.is_empty() {
                true => column.append_null(),
                false => column.append_value(String::from_utf8_lossy(&content)),
            }
        }
        self.rows += 1;
        self.bytes += row.len();
        if self.rows == GROUP_ROWS || self.bytes >= GROUP_BYTES { self.end_group(to) } else { Ok(()) }
    }

    /// Writes the current group.
    fn end_group(&mut self, to: &mut dyn Write) -> io::Result<()> {
        (self.rows, self.bytes) = (0, 0);
        let columns = self.fields.iter_mut().zip(self.schema.fields());
        let columns = columns.map(|(texts, field)| typed(Arc::new(texts.finish()), field));
        let columns = columns.collect::<io::Result<Vec<ArrayRef>>>()?;
        let batch = RecordBatch::try_new(SchemaRef::clone(&self.schema), columns).map_err(arrow_error)?;
        let written = match &mut self.file {
            ContainerFile::Parquet(writer) => {
                writer.write(&batch).and_then(|()| writer.flush()).map_err(parquet_error)?;
                take(writer.inner_mut())
            }
            ContainerFile::Arrow(writer) => {
                writer.write(&batch).map_err(arrow_error)?;
                take(writer.get_mut())
            }
        };
        to.write_all(&written)
    }

    /// Writes the last group and the end of the file.
    fn finish(mut self, to: &mut dyn Write) -> io::Result<()> {
        if self.rows > 0 {
            self.end_group(to)?;
        }
        to.write_all(&match self.file {
            ContainerFile::Parquet(writer) => writer.into_inner().map_err(parquet_error)?,
            ContainerFile::Arrow(writer) => writer.into_inner().map_err(arrow_error)?,
        })
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("schema", &self.schema)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

/// The Arrow type of a column.
fn data_type(kind: &ColumnType) -> DataType {
    match kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Number => DataType::UInt64,
        ColumnType::Rating => DataType::Float64,
        ColumnType::YesNo => DataType::Boolean,
        ColumnType::Carried(data_type) => data_type.clone(),
    }
}

/// Parses texts as values of a column.
///
/// # Errors
///
/// If a text is not a value of the type.
fn typed(texts: ArrayRef, field: &Field) -> io::Result<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let values = match field.data_type() {
        DataType::Utf8 => return Ok(texts),
        // Parses in UTC and converts, because the crate can't parse times in a zone with a name.
        zoned @ DataType::Timestamp(unit, Some(_)) => {
            let utc = DataType::Timestamp(*unit, Some(UTC.into()));
            cast_with_options(&texts, &utc, &strict).and_then(|times| cast(&times, zoned))
        }
        data_type => cast_with_options(&texts, data_type, &strict),
    };
    let in_column = |error| ArrowError::CastError(format!("the column {}: {error}", field.name()));
    values.map_err(in_column).map_err(arrow_error)
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
    use arrow_array::{Array, RecordBatchReader};
    use arrow_ipc::reader::FileReader;
    use arrow_schema::TimeUnit;
    use bytes::Bytes;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    use super::*;

    const CONTAINERS: [Container; 2] = [Container::Parquet, Container::Arrow];

    /// Writes a text in parts of `size` bytes, and returns the file.
    fn written(
        container: Container,
        columns: &TableColumns,
        text: &[u8],
        size: usize,
    ) -> io::Result<Vec<u8>> {
        let (mut encoder, mut file) = (ContainerEncoder::new(container, columns.clone()), Vec::new());
        for part in text.chunks(size) {
            assert_eq!(encoder.write(part, &mut file)?, part.len());
        }
        Box::new(encoder).finish(&mut file)?;
        Ok(file)
    }

    fn read(container: Container, file: Vec<u8>) -> (SchemaRef, Vec<RecordBatch>) {
        if container == Container::Arrow {
            let reader = FileReader::try_new(io::Cursor::new(file), None).unwrap();
            return (reader.schema(), reader.map(Result::unwrap).collect());
        }
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).unwrap();
        let reader = reader.with_batch_size(usize::MAX >> 32).build().unwrap();
        (reader.schema(), reader.map(Result::unwrap).collect())
    }

    /// Writes a text as a table with one group.
    fn table(container: Container, columns: &TableColumns, text: &str) -> RecordBatch {
        let file = written(container, columns, text.as_bytes(), 7).unwrap();
        let (_, mut batches) = read(container, file);
        assert_eq!(batches.len(), 1);
        batches.remove(0)
    }

    #[test]
    fn columns_have_their_types() {
        let time = DataType::Timestamp(TimeUnit::Millisecond, Some("Europe/Berlin".into()));
        let types = [
            ColumnType::Text,
            ColumnType::Number,
            ColumnType::Rating,
            ColumnType::YesNo,
            ColumnType::Carried(DataType::Int32),
            ColumnType::Carried(time.clone()),
        ];
        let text =
            "a,b,c,d,e,f\n\"x,\"\"y\"\"\n\",18446744073709551615,7.1,yes,-5,1970-01-01T00:00:01Z\n,,,no,,\n";
        for container in CONTAINERS {
            let table = table(container, &TableColumns::with_header_row(types.clone()), text);
            let kinds: Vec<_> =
                table.schema().fields().iter().map(|field| field.data_type().clone()).collect();
            assert_eq!(
                kinds,
                [
                    DataType::Utf8,
                    DataType::UInt64,
                    DataType::Float64,
                    DataType::Boolean,
                    DataType::Int32,
                    time.clone()
                ]
            );
            assert_eq!(table.column(0).as_string::<i32>().value(0), "x,\"y\"\n");
            assert_eq!(table.column(1).as_primitive::<UInt64Type>().value(0), u64::MAX);
            assert_eq!(table.column(2).as_primitive::<Float64Type>().value(0), 7.1);
            assert!(table.column(3).as_boolean().value(0) && !table.column(3).as_boolean().value(1));
            assert_eq!(table.column(4).as_primitive::<Int32Type>().value(0), -5);
            let missing: Vec<_> = table.columns().iter().map(|column| column.is_null(1)).collect();
            assert_eq!(missing, [true, true, true, false, true, true]);
        }
    }

    #[test]
    fn groups_depend_on_the_rows_alone() {
        let rows: String = (0..GROUP_ROWS + 10).map(|row| format!("{row},name {}\n", row % 7)).collect();
        let (text, columns) =
            (format!("id,name\n{rows}"), TableColumns::with_header_row([ColumnType::Number]));
        for container in CONTAINERS {
            let file = written(container, &columns, text.as_bytes(), text.len()).unwrap();
            assert!(file == written(container, &columns, text.as_bytes(), 10_007).unwrap());
            let sizes: Vec<_> = read(container, file).1.iter().map(RecordBatch::num_rows).collect();
            let expected =
                if container == Container::Arrow { vec![GROUP_ROWS, 10] } else { vec![GROUP_ROWS + 10] };
            assert_eq!(sizes, expected);
        }
        let long = format!("id\n{}", format!("{}\n", "x".repeat(1 << 20)).repeat(70));
        let file =
            written(Container::Arrow, &TableColumns::with_header_row([]), long.as_bytes(), 1 << 16).unwrap();
        let sizes: Vec<_> = read(Container::Arrow, file).1.iter().map(RecordBatch::num_rows).collect();
        assert_eq!(sizes, [32, 32, 6]);
    }

    #[test]
    fn malformed_rows_lose_nothing() {
        let text = "# a comment\n\n1;2\r\n1\n1;2;3;\"4\"\n\"open;5\n \t\n\"#\";\n";
        let names = Some(vec!["a".to_owned(), "a".to_owned()]);
        let columns = TableColumns { types: Vec::new(), separator: b';', names };
        for container in CONTAINERS {
            let table = table(container, &columns, text);
            let fields = |column: usize| {
                let texts = table.column(column).as_string::<i32>();
                texts.iter().map(|text| text.unwrap_or("-").to_owned()).collect::<Vec<_>>()
            };
            assert_eq!(fields(0), ["# a comment", "1", "1", "1", "\"open", " \t", "#"]);
            assert_eq!(fields(1), ["-", "2", "-", "2;3;\"4\"", "5", "-", "-"]);
            assert_ne!(table.schema().field(0).name(), table.schema().field(1).name());
        }
    }

    #[test]
    fn a_table_may_have_no_rows_and_no_columns() {
        for container in CONTAINERS {
            for (text, columns) in [("", 0), ("a,b\n", 2), ("a", 1)] {
                let file =
                    written(container, &TableColumns::with_header_row([]), text.as_bytes(), 1).unwrap();
                let (schema, batches) = read(container, file);
                let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
                assert_eq!((schema.fields().len(), rows), (columns, 0), "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_that_does_not_fit_the_type_is_an_error() {
        let columns = TableColumns::with_header_row([ColumnType::Number]);
        let error = written(Container::Parquet, &columns, b"count\n7\n7x\n", 100).unwrap_err();
        assert!(error.to_string().contains("the column count: "), "{error}");
        assert!(error.to_string().contains("7x"), "{error}");
    }
}
