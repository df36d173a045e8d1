//! Turns the values of columns into fields of CSV.
//!
//! Texts stay unchanged, numbers and times are formatted, missing values become empty fields, and lists and
//! structures become JSON. So a list of 81 numbers can be read as a puzzle.

use std::fmt;
use std::io;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch, StructArray,
};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};

use super::ColumnType;
use super::batches::arrow_error;
use crate::output::put_text;
use crate::text::is_skipped;

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
            put_text(name.as_bytes(), out);
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
        put_text(&text, out);
        Ok(())
    }))
}
